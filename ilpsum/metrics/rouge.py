"""ROUGE as computed by the script ROUGE-1.5.5: ROUGE-N, ROUGE-L, and ROUGE-S with and without unigrams.

The definitions are those of Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries. Where script and paper
differ, this module follows the script, which produced all published tables:

* a token is a sequence of ASCII letters and digits, lower-cased; all other characters separate tokens;
* the word limit cuts candidate and references at white space before tokenisation (`-l`);
* the last token of a text does not count as a unigram in ROUGE-SU;
* several references are pooled (`-f A`): matches with all of them over the n-grams of all of them.

`References` prepares the references of a topic once to score several candidates.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from features.stemming import porter
from ilpsum.errors import UsageError
from ilpsum.metrics.counting import METRICS, Hits, Metric, Sentences

Multiple = Literal["average", "best", "jackknife"]

DEFAULT_METRICS = ("ROUGE-2", "ROUGE-SU4")

_TOKEN = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Score:
    """Recall, precision and their harmonic mean (`-p 0.5`), each in [0,1]."""

    recall: float
    precision: float
    f1: float


@dataclass(frozen=True)
class RougeOptions:
    """Options of ROUGE.

    Attributes:
        stem: reduce words of more than three characters to their stems (`-m`).
        words: cut every text to this many words (`-l`); None does not cut.
        multiple: how several references count: `average` pools them (`-f A`), `best` uses the one with the best recall
            (`-f B`), `jackknife` averages the pooled scores that leave one reference out at a time.
        exceptions: WordNet's exception lists, looked up before stemming; none by default.

    Raises:
        UsageError: the word limit is below 1, or `multiple` is unknown.
    """

    stem: bool = False
    words: int | None = None
    multiple: Multiple = "average"
    exceptions: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if self.words is not None and self.words < 1:
            raise UsageError(f"word limit: expected 1 or more, got {self.words}")
        if self.multiple not in get_args(Multiple):
            raise UsageError(f"multiple: expected one of {', '.join(get_args(Multiple))}, got {self.multiple!r}")

    def tokens(self, text: str) -> list[list[str]]:
        """Tokenise a text into a list per line, cut and stemmed according to the options."""
        lines = text.split("\n")
        if self.words is not None:
            lines = cut(lines, self.words)
        tokens = [_TOKEN.findall(line.lower() if line.isascii() else _lower(line)) for line in lines]
        return [[self._stem(token) for token in line] for line in tokens] if self.stem else tokens

    def _stem(self, token: str) -> str:
        if self.exceptions and len(token) > 3 and token in self.exceptions:
            return self.exceptions[token]
        return porter(token)


def cut(lines: Sequence[str], words: int) -> list[str]:
    """Cut lines to a number of words, separated by white space."""
    first: list[str] = []
    for line in lines:
        of_line = line.split()
        first.append(" ".join(of_line[:words]))
        words -= len(of_line)
        if words <= 0:
            break
    return first


def _lower(text: str) -> str:
    # Only ASCII letters are lower-cased: otherwise the Kelvin sign would become a `k`, which is a token.
    return text.encode("ascii", "replace").decode("ascii").lower()


class References:
    """The gold texts of a topic, prepared to score many candidates by metrics of `METRICS`.

    The lines of a text are sentences to ROUGE-L and ignored by the other metrics. For the options see `RougeOptions`.

    Raises:
        UnknownNameError: a metric does not exist.
        UsageError: an option is invalid.

    >>> references = References(["police kill the gunman", "the gunman was shot by police"])
    >>> score = references.score("police killed the gunman")["ROUGE-2"]
    >>> f"{score.recall:.5f} {score.precision:.5f} {score.f1:.5f}"
    '0.25000 0.33333 0.28571'
    """

    def __init__(
        self,
        texts: Sequence[str],
        metrics: Sequence[str] = DEFAULT_METRICS,
        *,
        stem: bool = False,
        words: int | None = None,
        multiple: Multiple = "average",
        exceptions: Mapping[str, str] | None = None,
    ) -> None:
        self.options = RougeOptions(stem, words, multiple, exceptions)
        tokens = [self.options.tokens(text) for text in texts]
        # Words of the references are numbered from 1, so every n-gram of any length is a distinct number in the base
        # of the vocabulary's size. Other words of a candidate are -1 and match nothing.
        self._numbers: dict[str, int] = {}
        for token in (token for text in tokens for line in text for token in line):
            self._numbers.setdefault(token, len(self._numbers) + 1)
        base = len(self._numbers) + 1
        coded = [self._coded(text) for text in tokens]
        self._counters: dict[str, Metric] = {name: METRICS[name](coded, base) for name in metrics}

    def score(self, candidate: str) -> dict[str, Score]:
        """Score a candidate by each metric, in the given order."""
        coded = self._coded(self.options.tokens(candidate))
        return {name: combine(metric.hits(coded), self.options.multiple) for name, metric in self._counters.items()}

    def _coded(self, text: list[list[str]]) -> Sentences:
        number = self._numbers.get
        return [[number(token, -1) for token in line] for line in text]


def rouge(
    candidate: str,
    references: Sequence[str],
    metrics: Sequence[str] = DEFAULT_METRICS,
    *,
    stem: bool = False,
    words: int | None = None,
    multiple: Multiple = "average",
    exceptions: Mapping[str, str] | None = None,
) -> dict[str, Score]:
    """Score one candidate against references; for the arguments see `References`.

    >>> references = ["police kill the gunman", "the gunman was shot by police"]
    >>> score = rouge("police killed the gunman", references)["ROUGE-SU4"]
    >>> f"{score.recall:.5f} {score.precision:.5f} {score.f1:.5f}"
    '0.24138 0.38889 0.29787'
    """
    prepared = References(references, metrics, stem=stem, words=words, multiple=multiple, exceptions=exceptions)
    return prepared.score(candidate)


def combine(hits: Hits, multiple: Multiple) -> Score:
    """Combine the matches with several references into one score; 0 without references or n-grams."""
    matched, reference, candidate, digits = hits
    if multiple == "best" and matched:
        recalls = [_ratio(m, r) for m, r in zip(matched, reference, strict=True)]
        if digits is not None:
            recalls = [round(recall, digits) for recall in recalls]
        best = recalls.index(max(recalls))
        return _score(matched[best], reference[best], candidate)
    hit, total, n = sum(matched), sum(reference), len(matched)
    if multiple == "jackknife" and n > 1:
        pairs = zip(matched, reference, strict=True)
        return mean([_score(hit - m, total - r, candidate * (n - 1)) for m, r in pairs])
    return _score(hit, total, candidate * n)


def mean(scores: Sequence[Score]) -> Score:
    """Average recall, precision and F1, as the script does over topics; 0 without scores."""
    n = len(scores) or 1
    recall, precision, f1 = (sum(getattr(s, name) for s in scores) / n for name in ("recall", "precision", "f1"))
    return Score(recall, precision, f1)


def _score(matched: int, reference: int, candidate: int) -> Score:
    return Score(_ratio(matched, reference), _ratio(matched, candidate), _ratio(2 * matched, reference + candidate))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
