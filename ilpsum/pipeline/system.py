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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from features.embeddings import Embeddings
from features.registry import suggested
from features.sets import feature_set
from ilpsum import resources
from ilpsum.errors import InputError, UsageError
from ilpsum.files.records import read_table, unfit
from ilpsum.learning import embeddings
from ilpsum.learning.recipe import Recipe
from ilpsum.records import ANSWERS, GENERAL, Topic
from ilpsum.records.tables import (
    READING,
    RULES,
    SEARCHED,
    CandidateTable,
    CoherenceTable,
    OrderTable,
    RelevanceTable,
    SelectionTable,
    Table,
)
from ilpsum.selection import SELECTORS, Ilp, ObjectiveSelector, Parameters, Selector

READER = "default for readers"
"""The origin of settings that `System.for_reader` makes."""

TUNABLE = {
    "selection.lambda": "tune",
    "selection.threshold": "tune_threshold",
    "selection.word_cost": "tune_word_cost",
}
"""The keys that training can tune, and the key of the recipe that lists the values to try."""

Origins = tuple[tuple[str, str], ...]
"""Pairs of a key, such as `selection.lambda`, and who set it: a file, or `option`. The last pair of
a key counts."""


def names() -> tuple[str, ...]:
    """Return the names of the included systems, sorted."""
    return tuple(sorted(path.stem for path in resources.configs().glob("*.toml")))


def path_of(name: str, file: Path | None = None) -> Path:
    """Return the file of a system; a relative .toml path is resolved against the folder of the
    `file` that names it.
    """
    if name.endswith(".toml"):
        return (file.parent if file else Path()) / name
    if name not in names():
        near = suggested(name, names())
        unknown = (
            f"unknown system {name[:100]!r}; there are: {', '.join(names())}; or name a .toml "
            f"file{near}"
        )
        raise InputError(unknown, file) if file else UsageError(unknown)
    return resources.configs() / f"{name}.toml"


def content_of(path: Path, above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Return the keys of a system's file, merged with its base, with the names in [kinds] replaced
    by contents.
    """
    if path in above:
        raise InputError("the systems that it names lead back to itself", path)
    above = (*above, path)
    file = read_table(path, dict[str, Any], "a system", "the files in configs/")
    for name in ("origins", "parameters"):
        if name in file:
            raise InputError(f"unknown key {name}", path)
    _resolve(file, ("model", "papers_model"), path.parent)
    _resolve(file.get("relevance"), ("embeddings",), path.parent)
    base = file.pop("base", "")
    if not isinstance(base, str):
        raise InputError("base: expected the name of a system", path)
    tables = {name: file[name] for name in (*_TABLES, *_selectors_in(file)) if name in file}
    origins = {
        f"{name}.{key}": path.name
        for name, table in tables.items()
        if isinstance(table, dict) and name != "recipe"
        for key in table
    }
    content = {**file, "origins": origins}
    if base:
        content = _over(content_of(path_of(base, path), above), content)
    content["name"] = path.stem
    kinds = content.get("kinds")
    if isinstance(kinds, dict):
        for_all = {**tables, "origins": origins, "name": path.stem}
        content["kinds"] = {
            kind: _over(_loaded(system, path, above), for_all) for kind, system in kinds.items()
        }
        for name in _TABLES:
            content.pop(name, None)
    return content


def _resolve(table: Any, keys: Sequence[str], folder: Path) -> None:
    """Name files from the folder of the system's file; included models have no suffix."""
    for key in keys:
        name = table.get(key) if isinstance(table, dict) else None
        if isinstance(name, str) and Path(name).suffix:
            table[key] = str(folder / name)


def _loaded(system: Any, path: Path, above: tuple[Path, ...]) -> Any:
    """Return the keys of a kind's system, given by name or as keys already loaded from the base."""
    if isinstance(system, str):
        return content_of(path_of(system, path), above)
    return system


def _over(below: Any, content: Mapping[str, Any]) -> Any:
    """Return the keys of a system overridden by those of a file, which shares its model.

    If the file's recipe tunes a key anew, the value of the system below does not count.
    """
    if not isinstance(below, dict):
        return below
    recipe = content.get("recipe")
    tuned = {key for key, tune in TUNABLE.items() if isinstance(recipe, dict) and recipe.get(tune)}
    origins = {k: source for k, source in below.get("origins", {}).items() if k not in tuned}
    model = below.get("model") or below.get("name", "")
    return _merged({**below, "model": model, "origins": origins}, content)


def _selectors_in(content: Mapping[str, Any]) -> list[str]:
    """Return the selectors that have a table of parameters in a file."""
    others = [name for name in content if name not in System.__struct_fields__]
    return [name for name in others if isinstance(content[name], dict) and name in SELECTORS]


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


# The tables of a system's file with their defaults. In a file with [kinds], they override keys of
# the systems named there.
_TABLES: dict[str, Table | None] = {
    "candidates": CandidateTable(),
    "relevance": None,
    "selection": SelectionTable(),
    "coherence": CoherenceTable(),
    "order": OrderTable(),
    "recipe": Recipe(),
}


class System(Table, frozen=True):
    """A named system: its configuration and the recipe for training its model.

    Change a key by `ilpsum.pipeline.settings.with_settings`, which records that it was written.

    Attributes:
        description: one line for `ilpsum systems`.
        name: the file name without suffix.
        model: name of the included model if it differs from `name`, or a file (.npz).
        papers_model: name of the included model for papers, if different.
        kinds: the system for each kind of topic; this one's own tables are then empty.
        candidates, relevance, selection, coherence, order: see the tables.
        recipe: how the model is trained.
        parameters: parameters of selectors that are set, by key, such as `lexrank.damping`; in the
            file, they stand in a table named after the selector.
        origins: who set each key; with kinds, only the keys set for all of them.
        chosen_on: the topics on which a sweep chose the settings; see
            `ilpsum.learning.seen.choosing`.
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
    recipe: Recipe = Recipe()
    parameters: tuple[tuple[str, bool | int | float | str], ...] = ()
    origins: Origins = ()
    chosen_on: str = ""

    def __post_init__(self) -> None:
        if self.kinds is None and self.selector.needs_relevance and self.relevance is None:
            raise ValueError(f'method "{self.selection.method}" requires a table [relevance]')
        for name in {key.partition(".")[0] for key, _ in self.parameters}:
            self.parameters_of(name)
        if self.relevance is not None:
            feature_set(self.relevance.features)
        if self.selection.weights == "learned" and not self.selector.has_objective:
            raise ValueError(
                f'weights = "learned": the method "{self.selection.method}" does not use the '
                "weights of concepts"
            )
        if self.kinds is not None:
            if missing := [kind for kind in KINDS if kind not in self.kinds]:
                raise ValueError(f"kinds: the key {missing[0]} is missing")
            if any(getattr(self, name) != empty for name, empty in _TABLES.items()):
                raise ValueError(
                    f"{self.name} has a system for each kind of topic: change that of "
                    "`for_kind(kind)`"
                )

    def parameters_of(self, selector: str) -> Parameters:
        """Return the parameters of a selector, with its defaults; `ValueError` if one does not
        fit.
        """
        prefix = f"{selector}."
        values = {
            key.removeprefix(prefix): value
            for key, value in self.parameters
            if key.startswith(prefix)
        }
        try:
            return msgspec.convert(values, SELECTORS[selector].parameters)
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
    def learns(self) -> bool:
        """Whether the system, or that of a kind, has a trained model."""
        return any(part.relevance is not None for part in self.parts)

    @property
    def tunes(self) -> tuple[tuple[float, float], ...]:
        """The (lambda, word cost) pairs that training compares; empty if fewer than two."""
        lambdas = self.recipe.tune or (self.selection.lambda_,)
        costs = self.recipe.tune_word_cost or (self.selection.word_cost,)
        pairs = tuple(dict.fromkeys(itertools.product(lambdas, costs)))
        return pairs if len(pairs) > 1 else ()

    def load_embeddings(self) -> Embeddings:
        """Return the word vectors of the table [relevance], by default the included; loaded once
        per process.
        """
        return _embeddings(self.relevance.embeddings if self.relevance else "")

    def has_own(self, kind: Kind) -> bool:
        """Whether a kind of topic has its own system or model."""
        return self.kinds is not None or bool(kind == "papers" and self.papers_model)

    def for_kind(self, kind: Kind) -> "System":
        """Return the system for a kind of topic, with the model for that kind."""
        if self.kinds is not None:
            return self.kinds[kind]
        if not self.has_own(kind):
            return self
        return replace(self, model=self.papers_model, papers_model="")

    def writes(self, key: str) -> bool:
        """Whether a file, an option or Python has set a key, perhaps to its default."""
        return key in dict(self.origins)

    def for_reader(self, *, strict: bool, cited: bool = False) -> "System":
        """Return the system with clean text and, unless its file sets rules, the default coherence
        rules, which replace those of its kinds.

        Baselines stay as they are. A `cited` answer gets all rules, as its sentences are judged one
        by one.
        """
        rules = RULES if cited else SEARCHED if strict else READING
        written = frozenset(key for key, _ in self.origins)
        if self.kinds is None:
            return self._for_reader(rules, written, strict=strict)
        kinds = {}
        for kind, system in self.kinds.items():
            shared = system._with_rules_of_all(written)  # of the same class
            kinds[kind] = shared._for_reader(rules, written, strict=strict)
        return replace(self, kinds=kinds)

    def _with_rules_of_all(self, written: frozenset[str]) -> "System":
        """Return the system of a kind without its own rules, unless rules are `written` for all
        kinds.
        """
        shared = {
            key: getattr(self.coherence, key)
            for key in CoherenceTable.__struct_fields__
            if f"coherence.{key}" in written
        }
        table = CoherenceTable(**shared)
        if table.rules or not self.selector.needs_relevance:
            return self
        origins = dict(self.origins)
        for key in origins.keys() - written:
            if key.startswith("coherence."):
                del origins[key]
        return replace(self, coherence=table, origins=tuple(origins.items()))

    def _for_reader(
        self,
        rules: tuple[str, ...],
        written: frozenset[str],
        *,
        strict: bool,
    ) -> "System":
        """Return a system without kinds for readers; `written` keys stay as they are."""
        if not self.selector.needs_relevance:
            return self
        made = {} if self.coherence.rules else dict.fromkeys(rules, True)
        if strict:
            made["strict"] = True
        made = {key: value for key, value in made.items() if f"coherence.{key}" not in written}
        origins = dict(self.origins) | {f"coherence.{key}": READER for key in made}
        candidates = self.candidates
        if "candidates.clean" not in origins:
            candidates = replace(candidates, clean=True)
            origins["candidates.clean"] = READER
        return replace(
            self,
            candidates=candidates,
            coherence=replace(self.coherence, **made),
            origins=tuple(origins.items()),
        )

    @classmethod
    def load(cls, name: str | Path) -> "System":
        """Read a system by name, once per process, or by the path of its .toml file.

        Raises:
            UsageError: no system has this name; the message lists the existing names.
            InputError: the file is not a valid system.
        """
        path = path_of(str(name))
        return _included(path) if path.parent == resources.configs() else _read(path)


def plain(system: System) -> dict[str, Any]:
    """Return the keys of a system as plain tables, without origins."""
    content: dict[str, Any] = msgspec.to_builtins(system)
    for one in (content, *(content["kinds"] or {}).values()):
        del one["origins"], one["chosen_on"]
        for key, value in one.pop("parameters"):
            selector, _, name = key.partition(".")
            one.setdefault(selector, {})[name] = value
    return content


def _read(path: Path) -> System:
    content = content_of(path)
    kinds = content.get("kinds")
    for one in (content, *(kinds.values() if isinstance(kinds, dict) else ())):
        if isinstance(one, dict):
            tables = {name: one.pop(name) for name in _selectors_in(one)}
            parameters = {
                f"{s}.{key}": v for s, table in tables.items() for key, v in table.items()
            }
            one["parameters"] = tuple(parameters.items())
            one["origins"] = tuple(one["origins"].items())
    try:
        return msgspec.convert(content, System)
    except (msgspec.ValidationError, LookupError) as error:
        why = unfit(error)
        expected = "see the files in configs/ for what is expected"
        raise InputError(f"not a system: {why}{_near(why)}; {expected}", path) from None


def _near(why: str) -> str:
    """Return a suggestion, or the table of the key, if the fault is an unknown key."""
    path, unknown, key = why.rpartition("unknown key ")
    if not unknown:
        return ""
    table = path.removesuffix(": ").rpartition(".")[2]
    kinds = {name: type(default) for name, default in _TABLES.items() if default is not None}
    kinds["relevance"] = RelevanceTable
    for name, kind in kinds.items():
        if key in _keys(kind):
            return f" (it belongs in [{name}])"
    return suggested(key, _keys(kinds.get(table, System)))


def _keys(kind: type[msgspec.Struct]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(kind)]


_included = cache(_read)


def vectors_of(table: RelevanceTable) -> Embeddings | None:
    """Return the word vectors if the features need them, else None; loaded once per process."""
    return _embeddings(table.embeddings) if feature_set(table.features).needs_embeddings else None


def vectors_digest(table: RelevanceTable) -> str:
    """Return the digest of the word vectors; empty if the features need none."""
    if not feature_set(table.features).needs_embeddings:
        return ""
    return embeddings.digest(table.embeddings or resources.embeddings())


@cache
def _embeddings(path: str) -> Embeddings:
    return embeddings.load(path) if path else embeddings.default()
