"""The tables of settings in a system's file and in a run's provenance.

A setting is one row: a field, annotated with its `Help`. `ilpsum.pipeline.system` checks whether
values fit each other and whether the names in them exist.
"""

from typing import Annotated, Any, Literal

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table in a file; unknown keys are errors."""


def Help(text: str, **bounds: Any) -> Any:  # noqa: N802  # reads as part of a type
    """Return the annotation of a setting: its line of help, and its bounds as for
    `msgspec.Meta`.
    """
    return msgspec.Meta(description=text, **bounds)


RULES = ("anaphora", "statements", "titles", "fragments", "focus", "redundancy")
"""Names of the rules of coherence."""
READING = ("anaphora", "statements", "titles", "redundancy")
"""Default rules for readers; the others lose too many answers (experiments/results/evidence.md)."""
SEARCHED = ("anaphora", "titles", "redundancy")
"""Default rules for searched answers; others lose exact answers (experiments/results/evidence.md).
"""


class CandidateTable(Table, frozen=True):
    """Which sentences are candidates. Headings, captions and reference lists never are."""

    citances: Annotated[bool, Help("whether sentences that cite the paper are candidates, too")] = (
        False
    )
    clean: Annotated[
        bool, Help("remove labels, citations and pointers from the text, complete snippets")
    ] = False
    titles: Annotated[
        bool, Help("whether the titles of abstracts are candidates, and count as their text")
    ] = True


class RelevanceTable(Table, frozen=True):
    """Where relevance comes from: a model, with its inputs, or a file of scores."""

    features: Annotated[
        str, Help("a feature set or a single feature, or several joined by +; empty for no model")
    ] = ""
    scores: Annotated[
        str, Help("file of scores to use as relevance instead of a model; empty for none")
    ] = ""
    embeddings: Annotated[
        str, Help("file of word vectors for features that need them; empty for the included")
    ] = ""
    claims: Annotated[
        Share, Help("share of relevance that background, aims and methods lose for claims")
    ] = 0.0


class SelectionTable(Table, frozen=True):
    """How sentences are selected.

    `word_cost` is in the unit of learned weights: a sentence is worth adding if its concepts add
    more than this per word. With `lists`, the concepts of a question that asks for a list are
    names, each weighted by this factor times the relevance of the best sentence with that name.
    With `stop`, all sentences but the best also need 0.7 of the mean relevance of the best five.
    `discount` applies to non-statements, titles that state nothing and unresolved references.
    """

    method: Annotated[
        str, Help("ilp, gain, greedy; a baseline such as lexrank or lead; or a plug-in")
    ] = "ilp"
    lambda_: Annotated[Share, Help("weight of relevance against coverage in the ILP")] = (
        msgspec.field(default=0.8, name="lambda")
    )
    word_cost: Annotated[float, Help("cost per word; 0 fills the word limit", ge=0)] = 0.0
    lead: Annotated[
        Share, Help("share of the word limit filled with the first sentences in order")
    ] = 0.0
    alpha: Annotated[
        Literal["clip", "topic"], Help("clip relevance to [0,1], or min-max over the topic")
    ] = "topic"
    concepts: Annotated[
        Literal["words", "stems"], Help("units of coverage: bigrams of words or of stems")
    ] = "words"
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
    aspect: Annotated[
        Share, Help("the same of those that tell nothing of what is asked about the subject")
    ] = 1.0

    @property
    def stems(self) -> bool:
        """Whether concepts, and the words of training targets, are compared as stems."""
        return self.concepts != "words"


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


class JudgeTable(Table, frozen=True):
    """A language model or a reranker behind a web service that grades candidates for a question.

    Nothing is sent unless `url` names one. Its key is read from `ILPSUM_JUDGE_KEY`.
    """

    url: Annotated[str, Help("address of the judge, such as http://localhost:11434/v1")] = ""
    model: Annotated[str, Help("name of the judge's model")] = ""
    kind: Annotated[
        Literal["", "chat", "rerank", "rerank-texts"],
        Help("protocol; empty: rerank if the address ends in /rerank, else chat"),
    ] = ""
    top: Annotated[int, Help("number of most relevant candidates that it grades", ge=1)] = 45
    batch: Annotated[int, Help("maximum number of sentences in a request", ge=1)] = 15
    jobs: Annotated[int, Help("requests at a time", ge=1, le=100)] = 4
    seconds: Annotated[float, Help("seconds to wait for a reply", gt=0)] = 180.0
    body: Annotated[
        str, Help("JSON object of the server's own fields of a request; null removes a field")
    ] = ""
    refresh: Annotated[bool, Help("ask again instead of using cached replies")] = False


def graded_by(table: JudgeTable) -> JudgeTable:
    """Return what the grades of a judge depend on: its table without times and numbers of requests
    at a time.
    """
    usual = JudgeTable()
    return msgspec.structs.replace(
        table,
        jobs=usual.jobs,
        seconds=usual.seconds,
        refresh=usual.refresh,
    )


SYSTEM: dict[str, type[Table]] = {
    "candidates": CandidateTable,
    "relevance": RelevanceTable,
    "selection": SelectionTable,
    "coherence": CoherenceTable,
    "order": OrderTable,
    "judge": JudgeTable,
}
"""The tables of a system's file that can be changed; its recipe matters only to training."""
