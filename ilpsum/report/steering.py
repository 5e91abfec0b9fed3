"""A summary at every lambda and at ten word limits, computed exactly from its provenance.

At each limit the path over lambda (`ilpsum.selection.path`) has every optimum. What the saved page needs of it is
small: a few dozen sentences, and for each stretch of lambda their numbers in the order of the text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ilpsum.errors import InputError, SolverError
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.programs import Programs
from ilpsum.records import Sentence, Summary
from ilpsum.selection import Limits
from ilpsum.sweeps.curve import Stretch, TopicPath

# The objective is a sum of a few hundred terms; another order of summation changes it by far less.
_SAME = 1e-9
# A path of a hard topic takes a hundred thousand nodes and a second; another limit whose path needs more is left out.
_NODES, _NODES_OF_OWN = 200_000, 5_000_000
# Word limits on the slider, the run's own included.
_LIMITS = 10


@dataclass(frozen=True)
class Steering:
    """A summary at every lambda and at several word limits.

    Attributes:
        lambda_, words: the run's own.
        paths: by word limit, all optimal selections over lambda.
        sentences: every sentence of the paths as printed, by its number: first the run's own in their order.
        orders: by word limit, for each stretch of its path the numbers of its sentences in the order of the text.
    """

    lambda_: float
    words: int
    paths: Mapping[int, TopicPath]
    sentences: tuple[Sentence, ...]
    orders: Mapping[int, tuple[tuple[int, ...], ...]]

    @property
    def own(self) -> TopicPath:
        """The path at the run's own word limit."""
        return self.paths[self.words]

    def scored(self, references: References) -> "Steering":
        """Return it with the scores of the selections at the run's own word limit."""
        pairs = zip(self.own.stretches, self.orders[self.words], strict=True)
        stretches = tuple(
            replace(stretch, scores=references.score("\n".join(self.sentences[i].text for i in order)))
            for stretch, order in pairs
        )
        return replace(self, paths={**self.paths, self.words: replace(self.own, stretches=stretches)})


def steering_of(summary: Summary) -> Steering | None:
    """Return a summary at other lambdas and limits.

    None if its selector was not the ILP, if a proof would take too long, if the text has labels, and if the paths do
    not contain the summary: then something else than its ILP made it.
    """
    settings = summary.settings
    if summary.program is None or settings.lambda_ is None or settings.labels or not summary.sentences:
        return None
    programs, own = Programs(summary), settings.words
    numbers = {(s.place, s.text): i for i, s in enumerate(summary.sentences)}
    sentences, paths, orders = list(summary.sentences), {}, {}
    for words in sorted({*range(step := _step(own), own, step), own}):
        try:
            found = programs.path(words, Limits(nodes=_NODES_OF_OWN if words == own else _NODES))
        except (SolverError, InputError):
            # No selection keeps all the limits, or the proof takes too long.
            continue
        stretches, order = [], []
        for segment, rules in found:
            text = programs.arranged(segment.chosen, rules)
            for sentence in text:
                if numbers.setdefault((sentence.place, sentence.text), len(sentences)) == len(sentences):
                    sentences.append(sentence)
            order.append(tuple(numbers[s.place, s.text] for s in text))
            places = tuple(s.place for s in text)
            terms = segment.relevance, segment.coverage, segment.costs
            stretches.append(Stretch(segment.start, segment.end, places, *terms, {}))
        paths[words], orders[words] = TopicPath(summary.topic, tuple(stretches)), tuple(order)
    if own not in paths or abs(paths[own].at(settings.lambda_).objective(settings.lambda_) - summary.objective) > _SAME:
        return None
    steering = Steering(settings.lambda_, own, paths, tuple(sentences), orders)
    return steering if _contains(steering, len(summary)) else None


def _contains(steering: Steering, sentences: int) -> bool:
    """Whether the path has the summary, with its sentences in their order, at the run's own settings."""
    at = zip(steering.own.stretches, steering.orders[steering.words], strict=True)
    return any(
        stretch.start <= steering.lambda_ <= stretch.end and order == tuple(range(sentences)) for stretch, order in at
    )


def _step(words: int) -> int:
    """Return the step between word limits: a tenth of the run's own, in fives."""
    return max(5, 5 * round(words / _LIMITS / 5))
