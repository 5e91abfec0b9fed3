"""Training recipe of a system: the table `[recipe]` of its file.

Running the system does not need it.
"""

import itertools
from typing import Annotated, Literal

import msgspec

from ilpsum.files.records import Amount, Positive, Share, Table, Whole
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.relevance import Criterion, RegressionParameters, SvrParameters

NOT_EMPTY = msgspec.Meta(min_length=1)


class Recipe(Table, frozen=True):
    """Training recipe of a system's model.

    Attributes:
        target: training target of the relevance model: mean ROUGE-2 and ROUGE-SU4 `recall` (as
            published) or `precision` of a sentence against the gold, or `snippet`: 1 for a sentence
            that experts marked, else 0, so that the model predicts a probability. Precision does
            not favour long sentences.
        scaling: feature scaling: to [0,1] within each `topic`, to [0,1] over the range of
            `training`, or `both`, which appends the values scaled by topic to the raw ones and
            suits only trees.
        C, gamma, epsilon: grid of SVR parameters; with one value each there is no search.
        search: criterion of the search for C, gamma and epsilon, cross-validated over topics: the
            `correlation` of predicted and true targets within a topic, or the squared `error`, as
            in libsvm's own search.
        search_sample: maximum number of sentences in the search; 0 for all training sentences.
        sample: maximum number of training sentences; 0 for all.
        seed: random seed for sampling.
        trees: train boosted trees instead of the SVR; C, gamma and epsilon are then ignored.
        second: trees of a second model, trained on out-of-fold predictions of the first
            (`features.stacking`).
        concept_penalty: weight of the squared coefficients of the concept weights.
        bigram_order: whether weights of bigrams use document order, for documents sorted best
            first.
        tune: values of lambda to try; the model keeps the best. Empty: the system's own lambda is
            used.
        tune_word_cost: prices of a word to try, likewise.
        tune_threshold: thresholds of the selector `greedy` to try, likewise, on the same folds.
        criterion: tuning criterion: the mean ROUGE-2 and ROUGE-SU4 `recall` or `f1` of summaries.
    """

    target: Literal["recall", "precision", "snippet"] = "recall"
    scaling: Literal["topic", "training", "both"] = "topic"
    C: Annotated[tuple[Positive, ...], NOT_EMPTY] = (0.1, 1.0)
    gamma: Annotated[tuple[Positive, ...], NOT_EMPTY] = (0.1, 0.3)
    epsilon: Annotated[tuple[Amount, ...], NOT_EMPTY] = (0.02, 0.1)
    search: Criterion = "correlation"
    search_sample: Whole = 0
    sample: Whole = 0
    seed: Whole = 1
    trees: TreeParameters | None = None
    second: TreeParameters | None = None
    concept_penalty: Amount = 0.001
    bigram_order: bool = False
    tune: tuple[Share, ...] = ()
    tune_word_cost: tuple[Amount, ...] = ()
    tune_threshold: tuple[Share, ...] = ()
    criterion: Literal["recall", "f1"] = "recall"

    def __post_init__(self) -> None:
        if self.scaling == "both" and self.trees is None:
            raise ValueError('scaling "both" requires a table [recipe.trees]')

    @property
    def grid(self) -> list[RegressionParameters]:
        """The parameter combinations to search; a single one if there is nothing to search."""
        if self.trees:
            return [self.trees]
        return [
            SvrParameters(*values) for values in itertools.product(self.C, self.gamma, self.epsilon)
        ]
