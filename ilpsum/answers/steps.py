"""The pipeline of questions, its summarizer, and how well a sentence opens an answer."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from features.answer_words import COLUMNS, answer_words
from features.answers import asked_for
from features.arrays import Floats, Ints
from features.aspects import tells
from features.context import Context
from features.matching import ROLES
from ilpsum import resources
from ilpsum.answers import question_words
from ilpsum.answers.answering import decided, reviewed
from ilpsum.answers.stance import YesNo
from ilpsum.answers.weights import in_background
from ilpsum.files import persistence
from ilpsum.learning.boosted_trees import BoostedTrees
from ilpsum.learning.seen import TrainedOn, documents_seen, has_seen, unpacked
from ilpsum.learning.stored import rebuild
from ilpsum.pipeline import summarizer
from ilpsum.pipeline.claims import is_claim
from ilpsum.pipeline.coherence.statements import is_on_animals
from ilpsum.pipeline.coherence.statements import shipped as roles_model
from ilpsum.pipeline.objective import Prepared
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.relevance import Candidates, Scores
from ilpsum.records import Summary, Topic
from ilpsum.selection import Selection

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
    It is halved for an aim or a method, if a definition is asked for and it gives none, if it tells
    nothing of what is asked about the subject (`features.aspects`), and for animals that the
    question does not name, so that a finding on patients goes first.

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
    held[[i for i in rows if not tells(question, context.sentences[i].text)]] *= _LESS
    if not is_on_animals(question):
        held[[i for i in rows if is_on_animals(context.sentences[i].text)]] *= _LESS
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


class QuestionPipeline(Pipeline):
    """A pipeline that also answers questions from searched documents: before sentences are
    selected, it decides whether there is an answer; afterwards, what opens it and what it lacks.
    """

    def estimate(self, candidates: Candidates) -> tuple[Candidates, Scores]:
        """Return the scored candidates; their topic has the outcome of its search, as decided by
        the scorer or else by the relevance that the system's own model predicts.
        """
        candidates, scores = super().estimate(candidates)
        predicted = candidates.predicted
        topic = decided(
            candidates.topic,
            candidates.sentences,
            candidates.context,
            predicted.before_discount if predicted else None,
            scores.outcome,
            scores.refusal,
        )
        return candidates.changed(topic=topic), scores

    def summary(self, prepared: Prepared, selection: Selection, words: int) -> Summary:
        """Return the summary of a selection, with a doubt about the answer if there is one."""
        # Provenance needs the probability of each candidate, a text that of chosen ones.
        everything = range(len(prepared.sentences))
        rows = everything if self.options.explained else selection.chosen
        prepared = self.opened(doubted(prepared, selection.chosen), rows)
        return super().summary(prepared, selection, words)

    def opened(self, prepared: Prepared, rows: Sequence[int]) -> Prepared:
        """Return the candidates, those with the given indices with the probability that each
        contains the answer, if the most probable one opens a text.
        """
        if not self.relevance.scorer or self.system.order.by != "answer":
            return prepared
        scores, query = prepared.scores, prepared.topic.query
        if scores.opening is None:
            relevance = scores.before_discount
            probabilities = answer_probabilities(query, relevance, prepared.context, rows)
        else:
            probabilities = scores.opening[list(rows)].tolist()
        sentences = list(prepared.sentences)
        for i, probability in zip(rows, probabilities, strict=True):
            sentences[i] = sentences[i].predicted(sentences[i].relevance, probability)
        return replace(prepared, sentences=tuple(sentences))

    def seen(self, topic: Topic) -> dict[str, bool | None]:
        """Return, by name, whether the topic was in the training of each model used.

        Searched questions also use the included trees, the table of question words, and the model
        of roles, of which one of the topic's abstracts may have been in the training.
        """
        seen = super().seen(topic)
        if self.model is None or not topic.search:
            return seen
        return seen | {
            "answer-words": has_seen(_training_questions(), topic),
            question_words.NAME: has_seen(question_words.shipped().topics, topic),
            "roles": documents_seen(roles_model().topics, topic),
        }


def doubted(prepared: Prepared, chosen: Sequence[int]) -> Prepared:
    """Add a doubt about the answer, if there is one; `chosen` has the indices of its sentences."""
    topic, search, scores = prepared.topic, prepared.topic.search, prepared.scores
    if not search or prepared.refused:
        return prepared
    if scores.outcome:
        # Whoever graded the sentences knows synonyms, and what was asked for.
        search = replace(search, doubt=scores.doubt)
    else:
        search = reviewed(search, prepared.context, prepared.sentences, chosen)
    if not search.doubt:
        return prepared
    # The search may have warned of it already, of a word that no text has.
    warnings = tuple(dict.fromkeys((*topic.warnings, search.doubt)))
    return replace(prepared, topic=replace(topic, search=search, warnings=warnings))


class Summarizer(summarizer.Summarizer):
    """A summarizer that also answers questions; see `QuestionPipeline`."""

    pipeline = QuestionPipeline
