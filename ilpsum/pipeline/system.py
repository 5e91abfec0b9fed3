"""Systems: TOML files that configure candidates, relevance prediction, selection and text.

A system is a file in configs/ or the user's own. `System.load("ilp-sum-1")` reads it; unknown keys
are errors.

- `base = "NAME"`: omitted keys are inherited from the system NAME, whose model is shared.
- `[kinds]`: names the system for each kind of topic. The keys of the file's other tables override
  those of all kinds.

The first of these sets a key: an option, a file (even to the default), training, the default.
`System.origins` says who set it.
"""

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from features.embeddings import Embeddings
from features.registry import suggested
from features.sets import FeatureSet, feature_set
from ilpsum import resources
from ilpsum.errors import InputError, UsageError
from ilpsum.files.records import named_file, read_table, tables_in, unfit
from ilpsum.learning import embeddings
from ilpsum.learning.recipe import Recipe
from ilpsum.pipeline.relevance import Scorer
from ilpsum.records import ANSWERS, GENERAL, Topic
from ilpsum.records.tables import (
    READING,
    RULES,
    SEARCHED,
    SYSTEM,
    CandidateTable,
    CoherenceTable,
    JudgeTable,
    OrderTable,
    RelevanceTable,
    SelectionTable,
    Table,
)
from ilpsum.selection import SELECTORS, Ilp, ObjectiveSelector, Parameters, Selector

Kept = TypeVar("Kept")

READER = "default for readers"
"""The origin of settings that `System.for_reader` makes."""

TUNABLE = {
    "selection.lambda": "tune",
    "selection.threshold": "tune_threshold",
    "selection.word_cost": "tune_word_cost",
}
"""The keys that training can tune, and the key of the recipe that lists the values to try."""


Group = Literal["published", "ours", "parts"]

_FOLDERS: dict[Group, str] = {"published": "published", "ours": "", "parts": "concepts"}
"""The folder of each group in configs/. `parts` are the systems of `concepts` for one kind of
topic.
"""

_BY_METHOD = ("lead", "random", "oracle")
RENAMED = {
    **{
        f"{name}-paper": name
        for name in ("ilp-sum-0", "ilp-sum-1", "ilp-sum-2", "gr-sum-2", "baseline-1", "baseline-2")
    },
    **{name: f'the method {name}: `--method {name}`, method="{name}"' for name in _BY_METHOD},
    "concepts-answers": "concepts-general",
}
"""What to use instead of the systems that earlier versions included."""


def names(*groups: Group) -> tuple[str, ...]:
    """Return the names of the included systems of some groups, by default of all, sorted."""
    return tuple(_files(*groups))


def _files(*groups: Group) -> dict[str, Path]:
    return tables_in(*(resources.configs() / _FOLDERS[group] for group in groups or _FOLDERS))


def path_of(name: str, file: Path | None = None) -> Path:
    """Return the file of a system; a relative .toml path is resolved against the folder of the
    `file` that names it.
    """
    folder = file.parent if file else Path()
    try:
        if name in RENAMED:
            raise UsageError(f"the system {name!r} is now {RENAMED[name]}")
        return folder / named_file(name, _files(), "system")
    except UsageError as error:
        raise InputError(str(error), file) if file else error from None


def content_of(path: Path, above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Return the fields of a `System` as its file gives them, merged with its base, and those of
    its kinds. The tables of selectors become `parameters`.
    """
    if path in above:
        raise InputError("the systems that it names lead back to itself", path)
    above = (*above, path)
    content = read_table(path, dict[str, Any], "a system", "the files in configs/")
    if "parameters" in content and "system" in content:
        instead = f"run it with `ilpsum sweep {path} --out DIR`, which writes a system, best.toml"
        raise InputError(f"is a sweep; expected a system; {instead}", path)
    for name in ("origins", "parameters"):
        if name in content:
            raise InputError(f"unknown key {name}", path)
    base: str = _fitting(content, _FILE, path).base
    content.pop("base", None)
    _resolve(content, ("model", "papers_model"), path.parent)
    _resolve(content.get("relevance", {}), ("embeddings", "scores"), path.parent)
    others = [name for name in content if name not in System.__struct_fields__]
    selectors = [name for name in others if name in SELECTORS and isinstance(content[name], dict)]
    parameters = {name: content.pop(name) for name in selectors}
    tables = {name: content[name] for name in FILE_TABLES if name in content}
    written = {name: table for name, table in tables.items() if name != "recipe"} | parameters
    origins = {f"{name}.{key}": path.name for name, table in written.items() for key in table}
    for_all = {**tables, "parameters": parameters, "origins": origins}
    content |= for_all
    if base:
        content = _over(content_of(path_of(base, path), above), content)
    content["name"] = for_all["name"] = path.stem
    if kinds := content.get("kinds"):
        for kind, system in kinds.items():
            # Those of a base are read already.
            below = content_of(path_of(system, path), above) if isinstance(system, str) else system
            kinds[kind] = _over(below, for_all)
        for name in FILE_TABLES:
            content.pop(name, None)
    return content


def _resolve(table: dict[str, Any], keys: Sequence[str], folder: Path) -> None:
    """Name files from the folder of the system's file; included models have no suffix."""
    for key in keys:
        name = table.get(key)
        if isinstance(name, str) and Path(name).suffix:
            table[key] = str(folder / name)


def _over(below: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a system overridden by those of a file, which shares its model.

    If the file's recipe tunes a key anew, the value of the system below does not count.
    """
    recipe = content.get("recipe", {})
    tuned = {key for key, tune in TUNABLE.items() if recipe.get(tune)}
    origins = {key: source for key, source in below["origins"].items() if key not in tuned}
    model = below.get("model") or below["name"]
    return _merged({**below, "model": model, "origins": origins}, content)


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge nested tables; keys of `above` override those of `below`."""
    merged = {**below, **above}
    for key, table in above.items():
        if isinstance(table, dict) and isinstance(below.get(key), dict):
            merged[key] = _merged(below[key], table)
    return merged


Kind = Literal[
    "papers", "snippets", "merged", "abstracts", "searched", "asked", "answers", "general", "single"
]

KINDS: tuple[Kind, ...] = get_args(Kind)
TRAINED_FOR: dict[Kind, Kind] = {"asked": "merged", "answers": "general", "single": "general"}
"""Kinds of topic whose included model was trained on topics of another kind."""


def kind_of(topic: Topic) -> Kind:
    """Return the kind of a topic.

    Answers to a consumer question are `answers`. News and plain texts are `asked` if there are
    several and a question, `single` if there is one and no question, else `general`. Other topics
    are `searched` with retrieved documents, `papers` with a paper or citances, `snippets` with a
    snippet, `merged` with the merged snippets of a document, else `abstracts`.
    """
    if topic.kind == ANSWERS:
        return "answers"
    if topic.kind in GENERAL:
        several = len(topic.documents) > 1
        if topic.query:
            return "asked" if several else "general"
        return "general" if several else "single"
    if topic.search is not None:
        return "searched"
    if topic.reference is not None or topic.citances:
        return "papers"
    roles = {document.role for document in topic.documents}
    return "snippets" if "snippet" in roles else "merged" if "merged" in roles else "abstracts"


def kind_of_all(topics: Iterable[Topic]) -> tuple[Kind, Iterator[Topic]]:
    """Return the kind of the first topic with documents or a search, and all topics as a lazy
    iterator.
    """
    stream, head = iter(topics), list[Topic]()
    for topic in stream:
        head.append(topic)
        if topic.documents or topic.search:
            return kind_of(topic), itertools.chain(head, stream)
    return "abstracts", iter(head)


FILE_TABLES: dict[str, type[Table]] = {**SYSTEM, "recipe": Recipe}
"""The tables of a system's file; with [kinds], they override keys of the systems named there."""

# The keys of a system's file whose type must be known to merge files.
_FILE: Any = msgspec.defstruct(
    "_FILE",
    [
        *((name, str, "") for name in ("base", "model", "papers_model")),
        ("kinds", dict[str, str], {}),
        *((name, dict[str, Any], {}) for name in FILE_TABLES),
    ],
)


class System(Table, frozen=True):
    """A named system: its configuration and the recipe for training its model.

    Change a key by `ilpsum.pipeline.settings.with_settings`, which records that it was written.

    Attributes:
        description: one line for `ilpsum systems`.
        name: the file name without suffix.
        model: name of the included model if it differs from `name`, or a file (.npz).
        papers_model: name of the included model for papers, if different.
        kinds: the system for each kind of topic; this one's own tables are then empty.
        candidates, relevance, selection, coherence, order, judge: see the tables.
        recipe: how the model is trained.
        parameters: those of selectors that are set; in the file, a table named after the selector.
        origins: who set each key, such as `selection.lambda`, perhaps to its default: a file, or
            `option`; with kinds, only the keys set for all of them.
        chosen_on: the topics on which the settings were chosen; see
            `ilpsum.learning.models.chosen_on`.
    """

    description: str
    name: str = ""
    model: str = ""
    papers_model: str = ""
    kinds: Mapping[Kind, "System"] | None = None
    candidates: CandidateTable = CandidateTable()
    relevance: RelevanceTable | None = None
    selection: SelectionTable = SelectionTable()
    order: OrderTable = OrderTable()
    coherence: CoherenceTable = CoherenceTable()
    judge: JudgeTable = JudgeTable()
    recipe: Recipe = Recipe()
    parameters: Mapping[str, Mapping[str, bool | int | float | str]] = msgspec.field(
        default_factory=dict
    )
    origins: Mapping[str, str] = msgspec.field(default_factory=dict)
    chosen_on: str = ""

    def __post_init__(self) -> None:
        if self.kinds is None and self.selector.needs_relevance and self.relevance is None:
            raise ValueError(f'method "{self.selection.method}" requires a table [relevance]')
        for name in self.parameters:
            self.parameters_of(name)
        chose, _, name = self.chosen_on.partition(" ")
        included = {path.stem for path in resources.models().glob("*.npz")} if name else set()
        if name and (chose != "model" or name not in included):
            raise ValueError(f"chosen_on: there is no included model {name!r}")
        features = self.feature_set
        if self.selection.weights == "learned" and features is None:
            raise ValueError('weights = "learned" requires features in the table [relevance]')
        if self.selection.weights == "learned" and not self.selector.has_objective:
            raise ValueError(
                f'weights = "learned": the method "{self.selection.method}" does not use the '
                "weights of concepts"
            )
        if self.kinds is not None:
            if missing := [kind for kind in KINDS if kind not in self.kinds]:
                raise ValueError(f"kinds: the key {missing[0]} is missing")
            empty = {field.name: field.default for field in msgspec.structs.fields(System)}
            if any(getattr(self, name) != empty[name] for name in FILE_TABLES):
                raise ValueError(
                    f"{self.name} has a system for each kind of topic: change that of "
                    "`for_kind(kind)`"
                )

    def __hash__(self) -> int:
        return hash(self.name)

    def parameters_of(self, selector: str) -> Parameters:
        """Return the parameters of a selector, with its defaults; `ValueError` if one does not
        fit.
        """
        kind = SELECTORS[selector].parameters
        try:
            return msgspec.convert(self.parameters.get(selector, {}), kind)
        except msgspec.ValidationError as error:
            raise ValueError(f"{selector}: {unfit(error)}") from None

    @property
    def selector(self) -> Selector:
        """The selector named by `selection.method`."""
        return SELECTORS[self.selection.method]

    @property
    def tuner(self) -> ObjectiveSelector:
        """The selector used to tune lambda: this one, or the ILP if this one has no objective."""
        return self.selector if isinstance(self.selector, ObjectiveSelector) else Ilp()

    @property
    def parts(self) -> tuple["System", ...]:
        """The systems of all kinds; without kinds, this one."""
        return tuple(self.kinds.values()) if self.kinds else (self,)

    @property
    def feature_set(self) -> FeatureSet | None:
        """The features of relevance; None if the system has none."""
        table = self.relevance
        return feature_set(table.features) if table and table.features else None

    @property
    def learns(self) -> bool:
        """Whether the system, or that of a kind, needs a trained model; see `needs_model`."""
        return any(part.needs_model() for part in self.parts)

    def needs_model(self, scorer: Scorer | None = None) -> bool:
        """Whether a system without `kinds` needs its trained model: for the weights of concepts, or
        to predict relevance, unless a scorer or the file of scores that it names does.
        """
        table = self.relevance
        if table is None or not table.features:
            return False
        if self.selection.weights == "learned":
            return True
        return scorer.reads_model if scorer else not self.scores

    @property
    def scores(self) -> str:
        """The file of scores that are the relevance; empty for none."""
        return self.relevance.scores if self.relevance else ""

    @property
    def source(self) -> tuple[str, JudgeTable]:
        """The file of scores and the judge that the system names, if any."""
        return self.scores, self.judge

    @property
    def tunes(self) -> tuple[tuple[float, float], ...]:
        """The (lambda, word cost) pairs that training compares; empty if fewer than two."""
        lambdas = self.recipe.tune or (self.selection.lambda_,)
        costs = self.recipe.tune_word_cost or (self.selection.word_cost,)
        pairs = tuple(dict.fromkeys(itertools.product(lambdas, costs)))
        return pairs if len(pairs) > 1 else ()

    @property
    def vectors(self) -> Embeddings | None:
        """The word vectors, by default the included, loaded once per process; None if neither the
        features nor the selector need them.
        """
        table, features = self.relevance, self.feature_set
        if table and features and features.needs_embeddings:
            return embeddings.load(table.embeddings)
        return embeddings.load() if self.selector.needs_embeddings else None

    @property
    def vectors_digest(self) -> str:
        """The digest of the word vectors of the features; empty if they need none."""
        table, features = self.relevance, self.feature_set
        needed = features is not None and features.needs_embeddings
        return embeddings.digest(table.embeddings) if table and needed else ""

    def own_kind(self, kind: Kind) -> Kind | None:
        """Return a kind of topic that has its own system or model; None for one that shares."""
        has_own = self.kinds is not None or (kind == "papers" and self.papers_model)
        return kind if has_own else None

    def for_kind(self, kind: Kind) -> "System":
        """Return the system for a kind of topic, with the model for that kind."""
        if self.kinds is not None:
            return self.kinds[kind]
        if self.own_kind(kind) is None:
            return self
        return replace(self, model=self.papers_model, papers_model="")

    def for_reader(self, *, strict: bool, cited: bool = False) -> "System":
        """Return the system with clean text and, unless its file sets rules, the default coherence
        rules, which replace those of its kinds.

        Baselines stay as they are. A `cited` answer gets all rules, as its sentences are judged one
        by one.
        """
        rules = RULES if cited else SEARCHED if strict else READING
        if self.kinds is None:
            return self._for_reader(rules, self.origins, strict=strict)
        kinds = {
            kind: system._for_reader(rules, self.origins, strict=strict)  # of the same class
            for kind, system in self.kinds.items()
        }
        return replace(self, kinds=kinds)

    def _for_reader(
        self,
        rules: Sequence[str],
        written: Collection[str],
        *,
        strict: bool,
    ) -> "System":
        """Return a system without kinds for readers.

        `written` keys, and those that Python set, stay as they are. If they include a rule, so do
        all keys of coherence; otherwise the given rules replace those of the system.
        """
        if not self.selector.needs_relevance:
            return self
        table, made = self.coherence, dict[str, bool]()
        origins = dict(self.origins)
        of_kind = {key for key in origins.keys() - written if key.startswith("coherence.")}
        fields = CoherenceTable.__struct_fields__
        kept = {key: getattr(table, key) for key in fields if f"coherence.{key}" not in of_kind}
        shared = CoherenceTable(**kept)
        if not shared.rules:
            table, made = shared, dict.fromkeys(rules, True)
            for key in of_kind:
                del origins[key]
        if strict:
            made["strict"] = True
        made = {key: value for key, value in made.items() if f"coherence.{key}" not in written}
        origins |= {f"coherence.{key}": READER for key in made}
        candidates = self.candidates
        if "candidates.clean" not in origins:
            candidates = replace(candidates, clean=True)
            origins["candidates.clean"] = READER
        coherence = replace(table, **made)
        return replace(self, candidates=candidates, coherence=coherence, origins=origins)

    @classmethod
    def load(cls, name: str | Path) -> "System":
        """Read a system by name, once per process, or by the path of its .toml file.

        Raises:
            UsageError: no system has this name; the message lists the existing names.
            InputError: the file is not a valid system.
        """
        path = path_of(str(name))
        return _included(path) if path in _files().values() else _read(path)


def plain(system: System) -> dict[str, Any]:
    """Return the keys of a system as plain tables, without origins."""
    content: dict[str, Any] = msgspec.to_builtins(system)
    for one in (content, *(content["kinds"] or {}).values()):
        del one["origins"], one["chosen_on"]
        one |= one.pop("parameters")
    return content


@cache
def _included(path: Path) -> System:
    return _read(path)


def _read(path: Path) -> System:
    return _fitting(content_of(path), System, path)


def _fitting(content: dict[str, Any], kind: type[Kept], path: Path) -> Kept:
    """Convert the content of a file; `InputError` if it does not fit."""
    try:
        return msgspec.convert(content, kind)
    except (msgspec.ValidationError, LookupError) as error:
        why = unfit(error)
        expected = "see the files in configs/ for what is expected"
        raise InputError(f"not a system: {why}{_near(why)}; {expected}", path) from None


def _near(why: str) -> str:
    """Return a suggestion for the key description, which a file without a base lacks, or for an
    unknown key.
    """
    if why == "the key description is missing":
        return ' (add one, or a base whose other keys it changes, such as base = "ilp-sum-2")'
    path, unknown, key = why.rpartition("unknown key ")
    if not unknown:
        return ""
    table = path.removesuffix(": ").rpartition(".")[2]
    for name, kind in FILE_TABLES.items():
        if key in _keys(kind):
            return f" (it belongs in [{name}])"
    return suggested(key, _keys(FILE_TABLES.get(table, System)))


def _keys(kind: type[msgspec.Struct]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(kind)]
