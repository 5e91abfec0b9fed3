"""Scores of one topic's summaries by the configurations of a group; can be sent to other processes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from ilpsum.errors import SolverError
from ilpsum.metrics.rouge import References, Score
from ilpsum.pipeline import ordering
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.records import Topic
from ilpsum.selection import Problem, lambda_path
from ilpsum.sweeps.curve import Stretch, TopicPath
from ilpsum.training.examples import Example


@dataclass(frozen=True)
class SweepItem:
    """A topic and its features.

    Attributes:
        number: its index among the topics, which determines its fold.
        topic: the topic.
        example: its candidates and features; None if the system has no relevance model or the topic no candidates.
    """

    number: int
    topic: Topic
    example: Example | None


@dataclass(frozen=True)
class Scored:
    """A topic's scores by metric at each lambda of a group, and the seconds of each."""

    topic: str
    scores: tuple[dict[str, Score], ...]
    seconds: tuple[float, ...]

    def by_run(self, runs: Sequence[str]) -> dict[tuple[str, str], tuple[dict[str, Score], float]]:
        """Return scores and seconds by run and topic; the runs are those of the lambdas, in order."""
        return {
            (run, self.topic): (scores, seconds)
            for run, scores, seconds in zip(runs, self.scores, self.seconds, strict=True)
        }

    def row(self, runs: Sequence[str]) -> dict[str, Any]:
        """Return the scores as a row of topics.jsonl."""
        listed = [{m: [x.recall, x.precision, x.f1] for m, x in scores.items()} for scores in self.scores]
        return {
            "topic": self.topic,
            "scores": dict(zip(runs, listed, strict=True)),
            "seconds": dict(zip(runs, self.seconds, strict=True)),
        }


class Worker:
    """Summarises topics under one word limit and scores the summaries.

    Args:
        summarizers: one for each fold: number i modulo their number summarises topic i.
        words: the word limit, of ROUGE too.
        lambdas: None is the system's own; empty for the exact path.
        metrics: names of ROUGE metrics.
        stem: whether ROUGE compares stems.
    """

    def __init__(
        self,
        summarizers: Sequence[Summarizer],
        words: int,
        lambdas: Sequence[float | None],
        metrics: Sequence[str],
        *,
        stem: bool,
    ) -> None:
        self._summarizers, self._words, self._lambdas = tuple(summarizers), words, tuple(lambdas)
        self._metrics, self._stem = tuple(metrics), stem

    def __call__(self, item: SweepItem) -> Scored | TopicPath:
        """Return the scores at the group's lambdas, or those of the exact path.

        Raises:
            SolverError: a search reached its limit.
        """
        references = References(item.topic.summaries, self._metrics, stem=self._stem, words=self._words)
        summarizer = self._summarizers[item.number % len(self._summarizers)]
        if not self._lambdas:
            return self._path(summarizer, item, references)
        scores, seconds = [], []
        example: Example | None = None
        problem: Problem | None = None
        for value in self._lambdas:
            began = perf_counter()
            if item.example is None or summarizer.system.selection.method != "ilp":
                text = self._text_otherwise(summarizer, item)
            else:
                example = example or _predicted(summarizer, item.example)
                problem = problem or self._problem(summarizer, item.topic, example)
                chosen = summarizer.solve(problem if value is None else problem.at(value)).chosen
                text = _text(summarizer, example, chosen)[1]
            scores.append(references.score(text))
            seconds.append(perf_counter() - began)
        return Scored(item.topic.id, tuple(scores), tuple(seconds))

    def _text_otherwise(self, summarizer: Summarizer, item: SweepItem) -> str:
        """Return the summary by a method other than the ILP, or of a topic without candidates."""
        if summarizer.system.relevance is None:
            return summarizer(item.topic, self._words).text
        if item.example is None:
            return ""
        example = _predicted(summarizer, item.example)
        chosen = summarizer.select(item.topic, example.sentences, example.around, self._budget(summarizer)).chosen
        return _text(summarizer, example, chosen)[1]

    def _path(self, summarizer: Summarizer, item: SweepItem, references: References) -> TopicPath:
        if item.example is None:
            return TopicPath(item.topic.id, (Stretch(0.0, 1.0, (), 0.0, 0.0, 0.0, references.score("")),))
        example = _predicted(summarizer, item.example)
        try:
            segments = lambda_path(self._problem(summarizer, item.topic, example))
        except SolverError as error:
            raise SolverError(f"topic {item.topic.id}: {error}") from None
        stretches = []
        for s in segments:
            places, text = _text(summarizer, example, s.chosen)
            scores = references.score(text)
            stretches.append(Stretch(s.start, s.end, places, s.relevance, s.coverage, s.costs, scores))
        return TopicPath(item.topic.id, tuple(stretches))

    def _problem(self, summarizer: Summarizer, topic: Topic, example: Example) -> Problem:
        return summarizer.problem(topic, example.sentences, example.around, self._budget(summarizer))

    def _budget(self, summarizer: Summarizer) -> int:
        return self._words - ordering.words_for_labels(summarizer.system.order)


def _predicted(summarizer: Summarizer, example: Example) -> Example:
    """Return the example with predicted relevance, and with compressed variants if the system compresses."""
    if summarizer.model is None:
        return example
    matrix = summarizer.model.relevance.read(example.matrix, example.around.sentences)
    relevance = summarizer.model.relevance.predict(matrix)
    sentences = tuple(replace(s, relevance=float(r)) for s, r in zip(example.sentences, relevance, strict=True))
    sentences, around, matrix = summarizer.with_variants(sentences, example.around, matrix)
    return replace(example, sentences=sentences, around=around, matrix=matrix)


def _text(
    summarizer: Summarizer, example: Example, chosen: Sequence[int]
) -> tuple[tuple[tuple[str, int, int], ...], str]:
    """Return the places of the chosen sentences in the order of the text, and the text as `summarize` writes it."""
    order = summarizer.system.order
    sentences = ordering.arrange([example.sentences[i] for i in chosen], order)
    return tuple((s.document, s.start, s.end) for s in sentences), ordering.render(sentences, order)
