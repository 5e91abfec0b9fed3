"""Features and feature sets by name, and scaling of raw values to [0,1].

To add a feature: write its function in the module of its family (or a new one), register it in
`FEATURES` with its column names, add it to a set, and test it in tests/features against a naive
loop.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from features import answers, embeddings, evidence, matching, mentions, news, order, place
from features.arrays import Floats, ratios
from features.context import Context
from features.evidence import centrality, citance_support, document_support
from features.lexical import LEXICAL
from features.registry import Registry, UnknownNameError, unknown
from features.retrieval import bm25


@dataclass(frozen=True)
class Feature:
    """A feature: the names of its columns and the function that computes them as (n,) or (n,
    columns).
    """

    columns: tuple[str, ...]
    compute: Callable[[Context], Floats]


@dataclass(frozen=True)
class FeatureSet:
    """A named list of features."""

    name: str
    features: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names of the matrix."""
        return tuple(column for name in self.features for column in FEATURES[name].columns)

    @property
    def needs_embeddings(self) -> bool:
        """Whether any feature of the set needs word vectors in the context."""
        return EMBEDDINGS in self.features

    def matrix(self, context: Context) -> Floats:
        """Return the raw feature values of a topic's sentences: (n, columns)."""
        n = len(context)
        if not n:
            return np.zeros((0, len(self.columns)))
        return np.hstack([FEATURES[name].compute(context).reshape(n, -1) for name in self.features])


def _embedding_features(context: Context) -> Floats:
    if context.embeddings is None:
        raise ValueError("features 2.1-2.4 need word vectors in the context")
    return embeddings.all_similarities(context.embeddings, context.query, context.sentences)


# Features 2.1-2.4, the only ones that need word vectors.
EMBEDDINGS = "embeddings"
_SINGLE = {
    **LEXICAL,
    "position": place.position,
    "entity-density": news.entity_density,
    "position-in-section": place.position_in_section,
    "is-citance": lambda context: context.is_citance,
    "centrality": centrality,
    "bm25": bm25,
    "document-support": document_support,
    "is-title": place.is_title,
    "document-rank": place.document_rank,
    "length": place.length,
    "words-before": place.words_before,
}
FEATURES: Registry[Feature] = Registry("feature", group="ilpsum.features")
for _name, _feature in {
    **{name: Feature((name,), compute) for name, compute in _SINGLE.items()},
    "question": Feature(answers.QUESTION_COLUMNS, answers.question),
    "order": Feature(order.COLUMNS, order.order),
    "answers": Feature(answers.COLUMNS, answers.answers),
    "search-evidence": Feature(evidence.COLUMNS, evidence.search_evidence),
    "matching": Feature(matching.COLUMNS, matching.matching),
    "mentions": Feature(mentions.COLUMNS, mentions.mentions),
    "section": Feature(tuple(f"in-{name}" for name in place.SECTIONS), place.section),
    "citance-support": Feature(evidence.CITANCE_COLUMNS, citance_support),
    EMBEDDINGS: Feature(embeddings.COLUMNS, _embedding_features),
}.items():
    FEATURES.add(_name, _feature)

# Features of position and citances for papers; then features that recognise answers to a question.
_PAPER = (
    "section",
    "position",
    "position-in-section",
    "is-citance",
    "citance-support",
    "centrality",
)
_ANSWER = tuple(
    "is-title position position-in-section document-rank bm25 document-support centrality "
    "length".split()
)

SETS: Registry[FeatureSet] = Registry("feature set")
for _name, _features in (
    ("news", news.NEWS),
    ("ilp-sum-1", tuple(LEXICAL)),
    ("ilp-sum-2", (*LEXICAL, EMBEDDINGS)),
    (
        "searched",
        (*LEXICAL, *_ANSWER, "question", "search-evidence", "answers", "matching", "mentions"),
    ),
    ("concepts", tuple(dict.fromkeys((*LEXICAL, *_PAPER, *_ANSWER, "question")))),
):
    SETS.add(_name, FeatureSet(_name, _features))


def feature_set(name: str) -> FeatureSet:
    """Return a feature set by name, or the union of sets and single features joined by `+`.

    Raises:
        UnknownNameError: a part is neither a set nor a feature.

    >>> feature_set("ilp-sum-1 + length").columns[-2:]
    ('document-stem-frequency', 'length')
    """
    features: dict[str, None] = {}
    for part in map(str.strip, name.split("+")):
        if part not in SETS and part not in FEATURES:
            raise UnknownNameError(unknown("feature set or feature", part, [*SETS, *FEATURES]))
        features |= dict.fromkeys(SETS[part].features if part in SETS else (part,))
    for feature in features:
        _ = FEATURES[feature]  # raises if that of another package cannot be loaded
    return FeatureSet(name, tuple(features))


@dataclass(frozen=True)
class Scaling:
    """A scaling of raw feature values to [0,1]; the paper does not specify one.

    Attributes:
        name: `topic` scales each column over the topic's sentences; `training` scales it over all
            training sentences and clips; `both` keeps the raw columns and appends the `topic`
            columns.
        low, high: (columns,) minimum and maximum training values; used by `training` only.
    """

    name: str
    low: Annotated[Floats, "f columns"]
    high: Annotated[Floats, "f columns"]

    def __post_init__(self) -> None:
        if self.name not in ("topic", "training", "both"):
            raise ValueError(f"unknown scaling {self.name!r}; there are: topic, training, both")

    @classmethod
    def fit(cls, name: str, matrices: list[Floats]) -> "Scaling":
        """Fit a scaling to a training set's (n_i, columns) raw matrices, at least one non-empty."""
        rows = np.vstack(matrices)
        return cls(name, rows.min(axis=0), rows.max(axis=0))

    def width(self, columns: int) -> int:
        """Return the number of scaled columns for a number of raw columns."""
        return 2 * columns if self.name == "both" else columns

    def __call__(self, raw: Floats, among: Floats | None = None) -> Floats:
        """Scale (n, columns) raw values to [0,1]: (n, columns), or (n, 2 columns) for `both`.

        Constant columns become 0. `among` has the (m, columns) raw values that define the topic's
        range, if `raw` has other rows (such as variants); by default `raw` itself.
        """
        if not len(raw):
            return np.hstack([raw, raw]) if self.name == "both" else raw
        low, high = self.low, self.high
        if self.name != "training":
            rows = raw if among is None else among
            low, high = rows.min(axis=0), rows.max(axis=0)
        clipped = np.clip(ratios(raw - low, high - low), 0.0, 1.0)
        return np.hstack([raw, clipped]) if self.name == "both" else clipped
