"""The summaries of one topic by the configurations of a group, scored; can be sent to other processes."""

from collections.abc import Sequence
from dataclasses import dataclass

from ilpsum.errors import SolverError
from ilpsum.evaluation.comparison import Place
from ilpsum.metrics.rouge import References
from ilpsum.pipeline import ordering
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.prepared import Prepared
from ilpsum.records import Topic
from ilpsum.selection import Problem, lambda_path
from ilpsum.sweeps.curve import Stretch, TopicPath
from ilpsum.training.examples import Example


@dataclass(frozen=True)
class SweepItem:
    """A topic, with its index among the topics, which determines its fold, and its candidates and features.

    The example is None if the system has no relevance model or the topic no candidates.
    """

    number: int
    topic: Topic
    example: Example | None


@dataclass(frozen=True)
class Worker:
    """Summarises topics under one word limit, of ROUGE too, and scores the summaries.

    Of the summarizers, one for each fold, number i modulo their number summarises topic i. A lambda of None is the
    system's own; without lambdas the exact path is computed.
    """

    summarizers: Sequence[Pipeline]
    words: int
    lambdas: Sequence[float | None]
    metrics: Sequence[str]
    stem: bool

    def __call__(self, item: SweepItem) -> tuple[TopicPath, ...]:
        """Return the summaries of a topic: at each lambda, or the exact path; `SolverError` if a search fails."""
        references = References(item.topic.summaries, self.metrics, stem=self.stem, words=self.words)
        summarizer = self.summarizers[item.number % len(self.summarizers)]
        if not self.lambdas:
            return (self._path(summarizer, item, references),)
        paths = []
        prepared: Prepared | None = None
        problem: Problem | None = None
        for value in self.lambdas:
            if summarizer.system.relevance is None:
                summary = summarizer(item.topic, self.words)
                places, text = tuple(s.place for s in summary), summary.text
            elif item.example is None:
                places, text = (), ""
            else:
                prepared = prepared or _prepared(summarizer, item.topic, item.example)
                if summarizer.selector.has_objective:
                    problem = problem or self._problem(summarizer, prepared)
                    chosen = summarizer.solve(problem if value is None else problem.at(value)).chosen
                else:
                    chosen = summarizer.select(prepared, self.words).chosen
                places, text = _text(summarizer, prepared, chosen)
            paths.append(TopicPath(item.topic.id, (Stretch(0.0, 1.0, places, 0.0, 0.0, 0.0, references.score(text)),)))
        return tuple(paths)

    def _path(self, summarizer: Pipeline, item: SweepItem, references: References) -> TopicPath:
        if item.example is None:
            return TopicPath(item.topic.id, (Stretch(0.0, 1.0, (), 0.0, 0.0, 0.0, references.score("")),))
        prepared = _prepared(summarizer, item.topic, item.example)
        try:
            segments = lambda_path(self._problem(summarizer, prepared))
        except SolverError as error:
            raise SolverError(f"topic {item.topic.id}: {error}") from None
        stretches = []
        for s in segments:
            places, text = _text(summarizer, prepared, s.chosen)
            scores = references.score(text)
            stretches.append(Stretch(s.start, s.end, places, s.relevance, s.coverage, s.costs, scores))
        return TopicPath(item.topic.id, tuple(stretches))

    def _problem(self, summarizer: Pipeline, prepared: Prepared) -> Problem:
        return summarizer.problem(prepared, self.words - len(ordering.labels_of(summarizer.system.order)))


def _prepared(summarizer: Pipeline, topic: Topic, example: Example) -> Prepared:
    return summarizer.prepare(topic, (example.sentences, example.around, example.matrix))


def _text(summarizer: Pipeline, prepared: Prepared, chosen: Sequence[int]) -> tuple[tuple[Place, ...], str]:
    """Return the places of the chosen sentences in the order of the text, and the text as `summarize` writes it."""
    sentences = summarizer.arrange(prepared, chosen, [prepared.sentences[i] for i in chosen])
    return tuple(s.place for s in sentences), ordering.render(sentences, summarizer.system.order)
