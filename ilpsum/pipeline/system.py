"""The systems: what is a candidate, how relevance is predicted, how sentences are selected, as TOML.

A system is one file in configs/, or a file of the user's own; unknown keys are refused. `System.load("ilp-sum-1")`.
"""

import itertools
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from features.embeddings import Embeddings
from features.sets import SETS, FeatureSet
from ilpsum import resources
from ilpsum.errors import UsageError
from ilpsum.io import tables
from ilpsum.learning import embeddings
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.lexicon import LexiconParameters

# The methods that choose among sentences by their relevance, and so among the forms of one.
COMPRESSING = ("ilp", "greedy")


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the file; what it does not know is refused."""


class CandidateTable(_Table, frozen=True):
    """Which sentences may be chosen. Headings, captions and reference lists never are.

    Attributes:
        sections: kinds of sections of the paper (or abstract) to draw from; empty for all.
        citances: whether the sentences that cite the paper may be chosen too.
    """

    sections: tuple[str, ...] = ()
    citances: bool = False


class RelevanceTable(_Table, frozen=True):
    """How the relevance of a sentence is predicted.

    Attributes:
        features: name of the feature set.
        scaling: how features are scaled: to [0,1] within each `topic`, or over the `training` range; or `both`, the
            raw values beside those within the topic, which suits trees only.
        target: mean of ROUGE-2 and ROUGE-SU4 `recall` or `precision` of the sentence against the gold summaries.
        C, gamma, epsilon: values to search; one value each leaves no search.
        sample: at most so many sentences to train on, drawn with the seed; 0 for all.
        seed: of the drawing.
        trees: boosted trees instead of the SVR, whose values are not looked at then.
        lexicon: one more feature for the trees, learned from the words of the training sentences.
        embeddings: a file of word vectors, for a feature set that needs them; empty for those that ship.
    """

    features: str
    scaling: Literal["topic", "training", "both"] = "topic"
    target: Literal["recall", "precision"] = "recall"
    C: tuple[float, ...] = (0.1, 1.0)
    gamma: tuple[float, ...] = (0.1, 0.3)
    epsilon: tuple[float, ...] = (0.02, 0.1)
    sample: int = 0
    seed: int = 1
    embeddings: str = ""
    trees: TreeParameters | None = None
    lexicon: LexiconParameters | None = None

    def __post_init__(self) -> None:
        SETS[self.features]
        if self.lexicon and (self.trees is None or self.sample):
            raise ValueError("a table [relevance.lexicon] goes with a table [relevance.trees], and without a sample")
        if self.scaling == "both" and self.trees is None:
            raise ValueError('scaling "both" goes with a table [relevance.trees]')

    @property
    def feature_set(self) -> FeatureSet:
        """The features by name."""
        return SETS[self.features]

    def load_embeddings(self) -> Embeddings | None:
        """The word vectors of a feature set that needs them, else None; loaded once a process."""
        return _embeddings(self.embeddings) if self.feature_set.needs_embeddings else None


class ConceptTable(_Table, frozen=True):
    """That the bigrams of the ILP have learned weights, see `ilpsum.learning.bigram_weights`.

    Attributes:
        penalty: weight of the squared coefficients of the concept model.
        order: whether training looks at the order of the documents, for documents that come best first.
    """

    penalty: float = 0.001
    order: bool = False


class SelectionTable(_Table, frozen=True):
    """How sentences are selected.

    Attributes:
        method: `ilp`, `greedy`, or one of the yardsticks `lead`, `random`, `oracle`.
        lambda_: weight of relevance against coverage in the ILP, in [0,1] (key `lambda`).
        word_cost: price of a word of the summary, in the unit of a learned weight: a sentence is worth taking if its
            concepts add more than this a word. 0 fills the limit; above it, answers are as short as they may be.
        tune: values of lambda of which training keeps the best in the model; empty to leave `lambda` as it is.
        tune_word_cost: values of `word_cost`, alike.
        criterion: what is best in tuning: mean ROUGE-2 and ROUGE-SU4 `recall` or `f1`.
        alpha: relevance as the ILP sees it: `clip` cuts the prediction to [0,1], `topic` stretches it over the topic.
        concepts: what coverage counts: bigrams of `words` or of `stems`.
        threshold: the greedy selector's largest cosine with a sentence already chosen.
    """

    method: Literal["ilp", "greedy", "lead", "random", "oracle"] = "ilp"
    lambda_: float = msgspec.field(default=0.8, name="lambda")
    word_cost: float = 0.0
    tune: tuple[float, ...] = ()
    tune_word_cost: tuple[float, ...] = ()
    criterion: Literal["recall", "f1"] = "recall"
    alpha: Literal["clip", "topic"] = "topic"
    concepts: Literal["words", "stems"] = "words"
    threshold: float = 0.4

    @property
    def stems(self) -> bool:
        """Whether concepts, and the words of training targets, are compared by their stems."""
        return self.concepts == "stems"

    @property
    def tunes(self) -> tuple[tuple[float, float], ...]:
        """The pairs of lambda and word cost that training compares; empty where there are not two."""
        pairs = itertools.product(self.tune or (self.lambda_,), self.tune_word_cost or (self.word_cost,))
        found = tuple(dict.fromkeys(pairs))
        return found if len(found) > 1 else ()

    def __post_init__(self) -> None:
        for value in (self.lambda_, self.threshold, *self.tune):
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"lambda and threshold lie in [0,1], not {value}")
        if min(self.word_cost, *self.tune_word_cost, 0.0) < 0.0:
            raise ValueError("word_cost is 0 or more")


class CoherenceTable(_Table, frozen=True):
    """Rules that make sentences from several documents read as one text; see `ilpsum.pipeline.coherence`.

    Attributes:
        anaphora: a sentence that opens with an expression only the preceding sentence resolves (`However, these ...`)
            requires that sentence and follows it.
        statements: excludes titles, questions, aims, methods, announcements and publishers' notes.
        focus: excludes sentences beside the question; needs the weights of a search.
        redundancy: at most one of two redundant sentences.
        strict: apply the rules to documents that a search found, which may be beside the point. Without it
            `statements` excludes questions only, `focus` nothing, and `redundancy` near repetitions only.
        overlap: overlap above which a sentence is redundant, above 0 and up to 1; None for the default, which is lower
            with `strict`.
    """

    anaphora: bool = False
    statements: bool = False
    focus: bool = False
    redundancy: bool = False
    strict: bool = False
    overlap: float | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules in force."""
        return tuple(rule for rule in RULES if getattr(self, rule))

    def __post_init__(self) -> None:
        if self.overlap is not None and not 0.0 < self.overlap <= 1.0:
            raise ValueError(f"overlap must be above 0 and at most 1, got {self.overlap}")


RULES = ("anaphora", "statements", "focus", "redundancy")
"""Names of the rules of coherence."""


class CompressionTable(_Table, frozen=True):
    """That a sentence may be chosen in a shortened form instead, see `ilpsum.pipeline.variants`.

    Attributes:
        rules: the trimming rules, names of `ilpsum.compression.compressor.RULES`.
        min_words: no form has fewer words.
    """

    rules: tuple[str, ...] = ("vbg", "nested-pp", "serial-pp", "conjoined-np")
    min_words: int = 5

    def __post_init__(self) -> None:
        from ilpsum.compression.compressor import RULES

        for rule in self.rules:
            RULES[rule]
        if not self.rules:
            raise ValueError("rules name no rule: name one or more, or leave the table [compression] out")
        if self.min_words < 1:
            raise ValueError(f"min_words is at least 1, not {self.min_words}")


class OrderTable(_Table, frozen=True):
    """The order of the chosen sentences in the text.

    Attributes:
        by: `document` (as they stand there, the reference paper first), `score` (falling relevance), `facet`
            (hypothesis, method, results, implication, discussion), `date` (of the documents, by number where they have
            none) or `chain` (the most relevant first, each next one the most similar to the one before it).
        labels: whether each facet's sentences begin with its name.
    """

    by: Literal["document", "score", "facet", "date", "chain"] = "document"
    labels: bool = False

    def __post_init__(self) -> None:
        if self.labels and self.by != "facet":
            raise ValueError('labels need by = "facet"')


class System(_Table, frozen=True):
    """A named system.

    Attributes:
        name: taken from the file's name.
        description: one line for `ilpsum systems`.
        model: name of the model that ships for it, where that is not the system's own name.
    """

    description: str
    name: str = ""
    model: str = ""
    candidates: CandidateTable = CandidateTable()
    relevance: RelevanceTable | None = None
    concepts: ConceptTable | None = None
    selection: SelectionTable = SelectionTable()
    compression: CompressionTable | None = None
    order: OrderTable = OrderTable()
    coherence: CoherenceTable = CoherenceTable()

    def __post_init__(self) -> None:
        if self.selection.method in ("ilp", "greedy") and self.relevance is None:
            raise ValueError(f'method "{self.selection.method}" needs a table [relevance]')
        if self.concepts and self.selection.method != "ilp":
            raise ValueError('a table [concepts] goes with method "ilp"')
        if self.compression and self.selection.method not in COMPRESSING:
            raise ValueError('a table [compression] goes with method "ilp" or "greedy"')

    @classmethod
    def load(cls, name: str | Path) -> "System":
        """A system by its name or by the path of its file (which ends in .toml).

        Raises:
            UsageError: no system has this name; the error lists those that exist.
            InputError: the file cannot be read as a system.
        """
        path = Path(name) if str(name).endswith(".toml") else resources.configs() / f"{name}.toml"
        if str(name) not in names() and path.parent == resources.configs():
            raise UsageError(f"unknown system {str(name)!r}; there are: {', '.join(names())}; or name a .toml file")
        system = tables.read(path, cls, "a system", "the files in configs/")
        return msgspec.structs.replace(system, name=path.stem)


@cache
def _embeddings(path: str) -> Embeddings:
    return embeddings.load(path) if path else embeddings.default()


def names() -> tuple[str, ...]:
    """The names of the systems that ship, sorted."""
    return tuple(sorted(path.stem for path in resources.configs().glob("*.toml")))
