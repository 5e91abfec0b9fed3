"""The question steps of the pipeline, and the summarizer that has them."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from features.answer_words import COLUMNS, answer_words
from features.answers import asked_for
from features.arrays import Floats, Ints
from features.context import Context
from features.matching import ROLES
from ilpsum import resources
from ilpsum.answers import question_words
from ilpsum.answers.answering import decided, for_claim, is_claim, reviewed
from ilpsum.answers.stance import YesNo
from ilpsum.answers.weights import in_background
from ilpsum.files import persistence
from ilpsum.learning.boosted_trees import BoostedTrees
from ilpsum.learning.models import SystemModel
from ilpsum.learning.seen import TrainedOn, documents_seen, has_seen, unpacked
from ilpsum.learning.stored import rebuild
from ilpsum.pipeline import summarizer
from ilpsum.pipeline.coherence.statements import shipped as roles_model
from ilpsum.pipeline.options import QuestionSteps
from ilpsum.pipeline.system import System
from ilpsum.records import Topic

KIND, PROTOCOL = "answer-words", 2
# Number of most relevant sentences that are scored, and the minimum probability, which all others
# have.
_READ, _LEAST = 12, 0.001
# Factor of a sentence that is no answer, and probability above which its role is certain
# (experiments/results/readability.md).
_LESS, _CERTAIN = 0.5, 0.8


def answer_probabilities(
    question: str,
    relevance: Floats,
    context: Context,
    rows: Sequence[int],
    trees: BoostedTrees | None = None,
) -> list[float] | list[None]:
    """Return how well some of n candidates open an answer, in [0,1]: the probability that each
    contains the answer; of yes/no questions, 1 if it takes a side and is not background, else 0.5.
    It is halved for an aim or a method, and if a definition is asked for and it gives none.

    The values are None for claims, and without a question. `trees` are the included ones by
    default. `relevance` is (n,), in the order of the context's sentences; `rows` has the indices of
    the candidates.
    """
    if not question or is_claim(question):
        return [None] * len(rows)
    roles = np.zeros((len(relevance), len(ROLES))) if context.roles is None else context.roles
    held = np.ones(len(relevance))
    if asked := YesNo.of(question):
        background = roles[:, ROLES.index("background")] > _CERTAIN
        for i in rows:
            takes_side = asked.read(context.sentences[i].text)
            held[i] = 1.0 if takes_side and not background[i] else _LESS
    elif "whether" not in asked_for(question):
        words, owners = words_of(relevance, context, rows)
        held[:] = _LEAST
        np.maximum.at(held, owners, np.minimum((trees or shipped()).predict(words), 1.0))
        if "definition" in asked_for(question):
            held[[i for i in rows if not context.cues[i].is_definition]] *= _LESS
    aims_and_methods = roles[:, [ROLES.index("aim"), ROLES.index("method")]].sum(axis=1)
    held[aims_and_methods > _CERTAIN] *= _LESS
    return [float(held[i]) for i in rows]


def words_of(relevance: Floats, context: Context, rows: Sequence[int]) -> tuple[Floats, Ints]:
    """Return the features of the words of those candidates that are among the most relevant, and
    each word's candidate (`answer_words`).
    """
    relevance = np.maximum(relevance, 0.0)
    voters = np.argsort(-relevance, kind="stable")[:_READ].tolist()
    return answer_words(context, voters, set(rows), relevance, in_background)


@cache
def shipped() -> BoostedTrees:
    """Return the included trees, loaded once per process."""
    return load(resources.models() / "answer-words.npz")


def load(path: Path) -> BoostedTrees:
    """Read trees from a file; `ModelError` if the file is missing, damaged, or of another
    version.
    """
    stored = persistence.load(path, KIND, PROTOCOL, persistence.REINSTALL)
    with persistence.model_errors(path, persistence.REINSTALL):
        trees = rebuild(BoostedTrees, stored.description["trees"], stored.arrays)
        if not trees.reads(len(COLUMNS)):
            raise ValueError(f"the trees do not take {len(COLUMNS)} columns of features")
        return trees


@cache
def _training_questions() -> TrainedOn:
    """Return the questions that the included trees were trained on."""
    path = resources.models() / "answer-words.npz"
    return unpacked(persistence.load(path, KIND, PROTOCOL, persistence.REINSTALL).arrays)


def seen(topic: Topic) -> dict[str, bool | None]:
    """Return whether a searched question was in the training of the included models: of the trees
    and of the table of words itself, of the model of roles one of its abstracts.
    """
    return {
        "answer-words": has_seen(_training_questions(), topic),
        question_words.NAME: has_seen(question_words.shipped().topics, topic),
        "roles": documents_seen(roles_model().topics, topic),
    }


STEPS = QuestionSteps(
    weigh=for_claim,
    open=answer_probabilities,
    decide=decided,
    review=reviewed,
    seen=seen,
)


class Summarizer(summarizer.Summarizer):
    """A summarizer that also answers questions from searched documents: it decides whether there is
    an answer.
    """

    def __init__(
        self,
        system: System,
        model: str | Path | SystemModel | None = None,
        **options: Any,
    ) -> None:
        super().__init__(system, model, **{"question": STEPS, **options})
