"""A summary at every lambda and at ten word limits, computed exactly from its provenance.

At each limit the path over lambda (`ilpsum.selection.path`) has every optimum. What the saved page needs of it is
small: a few dozen sentences, and for each stretch of lambda their numbers in the order of the text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ilpsum.errors import InputError, SolverError
from ilpsum.pipeline.programs import Programs
from ilpsum.records import Sentence, Summary
from ilpsum.selection import Limits, Segment

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
        paths: by word limit, every optimum over lambda; `chosen` has the numbers of its sentences, in their order.
        sentences: every sentence of the paths as printed, by its number: first the run's own in their order.
    """

    lambda_: float
    words: int
    paths: Mapping[int, tuple[Segment, ...]]
    sentences: tuple[Sentence, ...]


def steering_of(summary: Summary) -> Steering | None:
    """Return a summary at other lambdas and limits.

    None if its selector was not the ILP, if a proof would take too long, if the text has labels, or if the paths do
    not contain the summary: then something other than its ILP made it.
    """
    lambda_, own = summary.settings.objective.lambda_, summary.settings.words
    if summary.program is None or lambda_ is None or summary.settings.text.labels or not summary.sentences:
        return None
    programs = Programs(summary)
    sentences = list(summary.sentences)
    numbers = {(s.place, s.text): i for i, s in enumerate(sentences)}
    paths = {}
    # A tenth of the run's own, in fives.
    step = max(5, 5 * round(own / _LIMITS / 5))
    for words in sorted({*range(step, own, step), own}):
        try:
            found = programs.path(words, Limits(nodes=_NODES_OF_OWN if words == own else _NODES))
        except (SolverError, InputError):
            # No selection keeps all the limits, or the proof takes too long.
            continue
        path = []
        for segment, rules in found:
            text = programs.arranged(segment.chosen, rules)
            for sentence in text:
                if numbers.setdefault((sentence.place, sentence.text), len(sentences)) == len(sentences):
                    sentences.append(sentence)
            path.append(replace(segment, chosen=tuple(numbers[s.place, s.text] for s in text)))
        paths[words] = tuple(path)
    # The optima at its own lambda, of which one must have its sentences in their order.
    optima = [segment for segment in paths.get(own, ()) if segment.start <= lambda_ <= segment.end]
    same = [segment for segment in optima if segment.chosen == tuple(range(len(summary)))]
    if not any(abs(segment.value(lambda_) - summary.objective) <= _SAME for segment in same):
        return None
    return Steering(lambda_, own, paths, tuple(sentences))
