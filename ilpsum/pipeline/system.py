"""Systems: TOML files that configure candidates, relevance prediction, selection and text.

A system is a file in configs/ or the user's own. `System.load("ilp-sum-1")` reads it; unknown keys
are errors.

- `base = "NAME"`: omitted keys are inherited from the system NAME, whose model is shared.
- `[kinds]`: names the system for each kind of topic. The file's own tables [candidates],
  [relevance], [selection] and [recipe] override keys of all of them; [coherence] and [order] apply
  to all kinds.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from features.concepts import ConceptKind
from features.embeddings import Embeddings
from features.registry import suggested
from features.sets import FeatureSet, feature_set
from ilpsum import resources
from ilpsum.errors import InputError, UsageError
from ilpsum.files.records import Help, Share, Table, read_table, unfit
from ilpsum.learning import embeddings
from ilpsum.learning.recipe import Recipe
from ilpsum.records import ANSWERS, GENERAL, Topic
from ilpsum.selection import SELECTORS, Ilp, ObjectiveSelector, Selector

# Tables in a file with [kinds] that override keys of its systems.
_PER_KIND = ("candidates", "relevance", "selection", "recipe")


def names() -> tuple[str, ...]:
    """Return the names of the included systems, sorted."""
    return tuple(sorted(path.stem for path in resources.configs().glob("*.toml")))


def path_of(name: str, folder: Path | None = None) -> Path:
    """Return the file of a system; a relative .toml path is resolved against the folder of the
    referring file.
    """
    if name.endswith(".toml"):
        return (folder or Path()) / name
    if name not in names():
        near = suggested(name, names())
        raise UsageError(
            f"unknown system {name[:100]!r}; there are: {', '.join(names())}; or name a .toml "
            f"file{near}"
        )
    return resources.configs() / f"{name}.toml"


def content_of(path: Path, above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Return the keys of a system's file, merged with its base, with the names in [kinds] replaced
    by contents.
    """
    if path in above:
        raise InputError("the systems that it names lead back to itself", path)
    above = (*above, path)
    content: dict[str, Any] = {
        **read_table(path, dict[str, Any], "a system", "the files in configs/")
    }
    base = content.pop("base", "")
    if not isinstance(base, str):
        raise InputError("base: expected the name of a system", path)
    if base:
        inherited = content_of(path_of(base, path.parent), above)
        content = _merged(
            inherited | {"model": inherited.get("model") or inherited["name"]}, content
        )
    content["name"] = path.stem
    kinds = content.get("kinds")
    if isinstance(kinds, dict):
        own = {name: content.pop(name) for name in _PER_KIND if name in content}
        content["kinds"] = {
            kind: _of_kind(system, path, above, own) for kind, system in kinds.items()
        }
    return content


def _of_kind(system: Any, path: Path, above: tuple[Path, ...], own: Mapping[str, Any]) -> Any:
    """Return the keys of a kind's system, given by name or as keys already loaded from the base."""
    if isinstance(system, str):
        system = content_of(path_of(system, path.parent), above)
        system["model"] = system.get("model") or system["name"]
    return _merged(system, {**own, "name": path.stem}) if isinstance(system, dict) else system


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge nested tables; keys of `above` override those of `below`."""
    tables = {
        key
        for key, value in above.items()
        if isinstance(value, dict) and isinstance(below.get(key), dict)
    }
    return {**below, **above, **{key: _merged(below[key], above[key]) for key in tables}}


Kind = Literal[
    "papers", "snippets", "merged", "abstracts", "searched", "asked", "answers", "general", "single"
]

KINDS: tuple[Kind, ...] = get_args(Kind)
TRAINED_FOR: dict[Kind, Kind] = {"asked": "merged", "answers": "general", "single": "general"}
"""Kinds of topic whose included model was trained on topics of another kind."""


def kind_of(topic: Topic) -> Kind:
    """Return the kind of a topic.

    `answers` has answers to a consumer question. News and plain texts are `asked` if several with a
    question, `single` if one without, else `general`. Other topics are `searched` with retrieved
    documents, `papers` with a paper or citances, `snippets` with a snippet, `merged` with the
    merged snippets of a document, else `abstracts`.
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


class CandidateTable(Table, frozen=True):
    """Which sentences are candidates. Headings, captions and reference lists never are."""

    citances: Annotated[bool, Help("whether sentences that cite the paper are candidates, too")] = (
        False
    )
    clean: Annotated[
        bool, Help("remove labels, citations and pointers from the text, complete snippets")
    ] = False


class RelevanceTable(Table, frozen=True):
    """Inputs of the relevance model."""

    features: Annotated[str, Help("a feature set or a single feature, or several joined by +")]
    embeddings: Annotated[
        str, Help("file of word vectors for features that need them; empty for the included")
    ] = ""
    claims: Annotated[
        Share, Help("share of relevance that background, aims and methods lose for claims")
    ] = 0.0

    def __post_init__(self) -> None:
        feature_set(self.features)

    @property
    def feature_set(self) -> FeatureSet:
        """The feature set named by `features`."""
        return feature_set(self.features)

    def load_embeddings(self) -> Embeddings | None:
        """Return the word vectors if the feature set needs them, else None; loaded once per
        process.
        """
        return _embeddings(self.embeddings) if self.feature_set.needs_embeddings else None


class SelectionTable(Table, frozen=True):
    """How sentences are selected. If the recipe tunes lambda, word cost or threshold, the model's
    value is used.

    `word_cost` is in the unit of learned weights: a sentence is worth adding if its concepts add
    more than this per word. `maximise` takes the value of a summary less `word_cost`, or its
    expected F1, which derives the cost per word from the predicted length of the topic's human
    summary. With `lists`, the concepts of a question that asks for a list are names, each weighted
    by this factor times the relevance of the best sentence with that name. With `stop`, all
    sentences but the best also need half of the best one's relevance. `discount` applies to
    non-statements, titles that state nothing and unresolved references.
    """

    method: Annotated[
        str, Help("ilp, gain, greedy; a baseline such as lexrank or lead; or a plug-in")
    ] = "ilp"
    lambda_: Annotated[Share, Help("weight of relevance against coverage in the ILP")] = (
        msgspec.field(default=0.8, name="lambda")
    )
    word_cost: Annotated[float, Help("cost per word; 0 fills the word limit", ge=0)] = 0.0
    maximise: Annotated[
        Literal["value", "f1"], Help("the value of a summary, or its expected F1")
    ] = "value"
    lead: Annotated[
        Share, Help("share of the word limit filled with the first sentences in order")
    ] = 0.0
    alpha: Annotated[
        Literal["clip", "topic"], Help("clip relevance to [0,1], or min-max over the topic")
    ] = "topic"
    concepts: Annotated[ConceptKind, Help("units of coverage: bigrams of words or of stems")] = (
        "words"
    )
    weights: Annotated[
        Literal["equal", "learned"], Help("concept weights, as published or learned")
    ] = "equal"
    threshold: Annotated[Share, Help("greedy: maximum cosine with a chosen sentence")] = 0.4
    lists: Annotated[Share, Help("weight of names as concepts if the question asks for a list")] = (
        0.0
    )
    stop: Annotated[Share, Help("minimum predicted relevance in an answer that may end early")] = (
        0.0
    )
    discount: Annotated[
        Share, Help("factor on the relevance of sentences uninformative on their own")
    ] = 1.0

    @property
    def stems(self) -> bool:
        """Whether concepts, and the words of training targets, are compared as stems."""
        return self.concepts != "words"

    @property
    def selector(self) -> Selector:
        """The selector named by `method`."""
        return SELECTORS[self.method]

    @property
    def tuner(self) -> ObjectiveSelector:
        """The selector used to tune lambda: this one, or the ILP if this one has no objective."""
        return self.selector if isinstance(self.selector, ObjectiveSelector) else Ilp()

    def __post_init__(self) -> None:
        if not self.selector.has_objective and self.weights == "learned":
            raise ValueError(
                f'weights = "learned": the method "{self.method}" does not use the weights of '
                "concepts"
            )


class CoherenceTable(Table, frozen=True):
    """Rules that make sentences from several documents read as one text; see
    `ilpsum.pipeline.coherence`.

    Without `strict`, `statements` excludes questions only, `redundancy` near-duplicates only, and
    `titles` and `focus` nothing. Redundant sentences overlap by .65 if strict, else by .95.
    """

    anaphora: Annotated[
        bool, Help("a sentence that only the one before it resolves requires and follows it")
    ] = False
    statements: Annotated[
        bool, Help("no questions, aims, announcements, case histories, publishers' notes")
    ] = False
    titles: Annotated[bool, Help("no titles that state nothing")] = False
    fragments: Annotated[bool, Help("no incomplete sentences, judged by form")] = False
    focus: Annotated[bool, Help("no sentences unrelated to the question; needs a search")] = False
    redundancy: Annotated[bool, Help("at most one of two redundant sentences")] = False
    strict: Annotated[bool, Help("for retrieved documents, which may be off topic")] = False
    overlap: Annotated[float, Help("minimum overlap of redundant sentences", gt=0, le=1)] | None = (
        None
    )
    fragments_after: Annotated[
        int, Help("number of first sentences exempt from `fragments`", ge=0)
    ] = 0
    relax: Annotated[
        tuple[str, ...], Help("rules to relax, in order, if they leave words unused")
    ] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules in force."""
        return tuple(rule for rule in RULES if getattr(self, rule))

    def __post_init__(self) -> None:
        if unknown := [rule for rule in self.relax if rule not in RULES]:
            raise ValueError(f"relax: unknown rule {unknown[0]!r}; there are: {', '.join(RULES)}")


RULES = ("anaphora", "statements", "titles", "fragments", "focus", "redundancy")
"""Names of the rules of coherence."""
READING = ("anaphora", "statements", "titles", "redundancy")
"""Default rules for text meant for reading; the others lose too many answers
(experiments/results/evidence.md).
"""
SEARCHED = ("anaphora", "titles", "redundancy")
"""Default rules for answers from a search; others lose exact answers
(experiments/results/evidence.md).
"""


Order = Literal["document", "score", "facet", "answer"]


class OrderTable(Table, frozen=True):
    """The order of the chosen sentences in the text.

    `document` is the source order, the reference paper first; `score` decreasing relevance; `facet`
    hypothesis, method, results, implication, discussion, as Task 1 predicts them; `answer` the most
    likely answer that can stand alone first, then document by document, the most relevant first.
    """

    by: Annotated[Order, Help("order of the sentences")] = "document"
    labels: Annotated[bool, Help("by facet: whether each facet begins with its name")] = False

    def __post_init__(self) -> None:
        if self.labels and self.by != "facet":
            raise ValueError('labels = true requires by = "facet"')


# Tables that apply to all kinds, with the values that leave a kind's own table unchanged.
_SHARED = {"order": OrderTable(), "coherence": CoherenceTable()}


class System(Table, frozen=True):
    """A named system: its configuration and the recipe for training its model.

    Attributes:
        description: one line for `ilpsum systems`.
        name: the file name without suffix.
        model: name of the included model if it differs from `name`, or a file (.npz).
        papers_model: name of the included model for papers, if different.
        kinds: the system for each kind of topic; this one then has no candidates, relevance,
            selection or recipe.
        candidates, relevance, selection, coherence, order: see the tables.
        recipe: how the model is trained.
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

    def __post_init__(self) -> None:
        if (
            self.kinds is None
            and self.selection.selector.needs_relevance
            and self.relevance is None
        ):
            raise ValueError(f'method "{self.selection.method}" requires a table [relevance]')
        if self.kinds is not None:
            if missing := [kind for kind in KINDS if kind not in self.kinds]:
                raise ValueError(f"kinds: the key {missing[0]} is missing")
            own = (self.candidates, self.relevance, self.selection, self.recipe)
            if own != (CandidateTable(), None, SelectionTable(), Recipe()):
                raise ValueError(
                    f"{self.name} has a system for each kind of topic: change that of "
                    "`for_kind(kind)`"
                )

    @property
    def learns(self) -> bool:
        """Whether the system has a trained model."""
        systems = self.kinds.values() if self.kinds else (self,)
        return any(system.relevance is not None for system in systems)

    @property
    def selections(self) -> tuple[SelectionTable, ...]:
        """The selection tables of all kinds; without kinds, the system's own."""
        return tuple(
            system.selection for system in (self.kinds.values() if self.kinds else (self,))
        )

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
        if self.kinds is None:
            return (
                replace(self, model=self.papers_model, papers_model="")
                if self.has_own(kind)
                else self
            )
        own = {
            name: table
            for name, plain in _SHARED.items()
            if (table := getattr(self, name)) != plain
        }
        return replace(self.kinds[kind], **own)

    def changed(self, change: "Callable[[System], System]") -> "System":
        """Return the system with `change` applied to it, or to the system of each kind if it has
        kinds.
        """
        if self.kinds is None:
            return change(self)
        return replace(self, kinds={kind: change(system) for kind, system in self.kinds.items()})

    def with_method(self, method: str) -> "System":
        """Return the system with another selector, and without its model if the selector uses none;
        `UsageError` if the selector needs a model and the system has none.

        Without a model, the system's candidates and rules of coherence stay as they are; rules do
        not apply to a selector that copies its text.
        """
        selector = SELECTORS[method]

        def change(system: System) -> System:
            if not selector.needs_relevance:
                return replace(
                    system,
                    model="",
                    papers_model="",
                    relevance=None,
                    selection=SelectionTable(method=method, concepts=system.selection.concepts),
                    order=OrderTable(),
                    coherence=CoherenceTable() if selector.copies else system.coherence,
                    recipe=Recipe(),
                )
            if system.relevance is None:
                raise UsageError(
                    f"the system {system.name} has no model to select by; leave out the method "
                    f"{method}"
                )
            weights = system.selection.weights if selector.has_objective else "equal"
            return replace(
                system, selection=replace(system.selection, method=method, weights=weights)
            )

        return self.changed(change)

    def cleaned(self, clean: bool = True) -> "System":
        """Return the system with `clean` set in the candidates table."""
        return self.changed(
            lambda system: replace(system, candidates=replace(system.candidates, clean=clean))
        )

    def with_coherence(self, **keys: Any) -> "System":
        """Return the system with keys of the [coherence] table changed, also in the systems of its
        kinds.
        """
        own = replace(self.coherence, **keys)
        if self.kinds is None:
            return replace(self, coherence=own)
        # A table of its own would override the tables of the kinds, so a default table stays as it
        # is.
        own = own if self.coherence != CoherenceTable() else self.coherence
        return replace(self.changed(lambda system: system.with_coherence(**keys)), coherence=own)

    def for_reader(self, *, strict: bool, cited: bool = False) -> "System":
        """Return the system with clean text and, unless its file sets rules, default coherence
        rules.

        Baselines are unchanged. All rules apply to a `cited` answer, whose sentences are judged one
        by one.
        """
        if not self.selection.selector.needs_relevance:
            return self
        coherence = self.coherence
        if not coherence.rules:
            names = RULES if cited else SEARCHED if strict else READING
            coherence = replace(coherence, **dict.fromkeys(names, True))
        return replace(
            self.cleaned(), coherence=replace(coherence, strict=coherence.strict or strict)
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


def _read(path: Path) -> System:
    try:
        return msgspec.convert(content_of(path), System)
    except (msgspec.ValidationError, LookupError) as error:
        expected = "see the files in configs/ for what is expected"
        raise InputError(f"not a system: {unfit(error)}; {expected}", path) from None


_included = cache(_read)


@cache
def _embeddings(path: str) -> Embeddings:
    return embeddings.load(path) if path else embeddings.default()
