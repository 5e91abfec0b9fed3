"""ROUGE as the script ROUGE-1.5.5 computes it: ROUGE-N, ROUGE-L, and ROUGE-S with and without unigrams.

The definitions are those of Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries; where the script and
the paper differ, the script counts, since it made every published table:

* a token is a run of ASCII letters and digits, lower-cased; every other character separates tokens;
* the word limit cuts candidate and references alike, at white space, before they are tokenised (`-l`);
* the last token of a text gives no unigram to ROUGE-SU;
* several references are pooled (`-f A`): matches over all of them, by the n-grams of all of them.

Several candidates of one topic are scored against `References`, which prepares the references once.
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
    """What changes a score beside its texts.

    Attributes:
        stem: reduce words of more than three characters to their stems (`-m`).
        words: cut every text to so many words (`-l`); None leaves it whole.
        multiple: how several references count: `average` pools them (`-f A`), `best` takes the one with the best
            recall (`-f B`), `jackknife` averages the pooled scores that leave one reference out at a time.
        exceptions: WordNet's exception lists, which `-m` looks a word up in before it is stemmed; none by default.

    Raises:
        UsageError: for a word limit below 1 or an unknown way with several references.
    """

    stem: bool = False
    words: int | None = None
    multiple: Multiple = "average"
    exceptions: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if self.words is not None and self.words < 1:
            raise UsageError(f"a word limit of {self.words} leaves nothing to score: give 1 or more, or none")
        if self.multiple not in get_args(Multiple):
            raise UsageError(f"unknown multiple {self.multiple!r}; there are: {', '.join(get_args(Multiple))}")

    def tokens(self, text: str) -> list[list[str]]:
        """The tokens of a text: a list for each line, in order, cut and stemmed as the options say."""
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
    """The first so many words of some lines, words being what white space separates."""
    kept: list[str] = []
    for line in lines:
        found = line.split()
        kept.append(" ".join(found[:words]))
        words -= len(found)
        if words <= 0:
            break
    return kept


def _lower(text: str) -> str:
    # Only ASCII letters are lower-cased: the Kelvin sign would become a `k` else, and a token where ROUGE has none.
    return text.encode("ascii", "replace").decode("ascii").lower()


class References:
    """The gold texts of a topic, prepared to score many candidates.

    Args:
        texts: the references; a line of each is a sentence to ROUGE-L and means nothing to the other metrics.
        metrics: names of `METRICS`.
        stem, words, multiple, exceptions: see `Options`.

    Raises:
        UnknownNameError: for a metric that does not exist.
        UsageError: for options that do not exist.

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
        # Words of the candidate that no reference has are -1 and match nothing; words are numbered from 1, so that
        # an n-gram is one number in the base of the vocabulary's size, different for every n-gram of any length.
        self._numbers: dict[str, int] = {}
        for token in (token for text in tokens for line in text for token in line):
            self._numbers.setdefault(token, len(self._numbers) + 1)
        base = len(self._numbers) + 1
        coded = [self._coded(text) for text in tokens]
        self._counters: dict[str, Metric] = {name: METRICS[name](coded, base) for name in metrics}

    def score(self, candidate: str) -> dict[str, Score]:
        """The scores of a candidate by the names of the metrics, in the order in which these were given."""
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
    """The scores of one candidate against its references; `References` says what the arguments are.

    >>> references = ["police kill the gunman", "the gunman was shot by police"]
    >>> score = rouge("police killed the gunman", references)["ROUGE-SU4"]
    >>> f"{score.recall:.5f} {score.precision:.5f} {score.f1:.5f}"
    '0.24138 0.38889 0.29787'
    """
    prepared = References(references, metrics, stem=stem, words=words, multiple=multiple, exceptions=exceptions)
    return prepared.score(candidate)


def combine(hits: Hits, multiple: Multiple) -> Score:
    """One score from the matches with each of several references.

    Without any reference, and where neither side has an n-gram, the score is 0.
    """
    matched, reference, candidate, digits = hits
    if multiple == "best" and matched:
        recalls = [_ratio(m, r) for m, r in zip(matched, reference, strict=True)]
        if digits is not None:
            recalls = [round(recall, digits) for recall in recalls]
        best = recalls.index(max(recalls))
        return _score(matched[best], reference[best], candidate)
    if multiple == "jackknife" and len(matched) > 1:
        return _jackknifed(hits)
    return _score(sum(matched), sum(reference), candidate * len(matched))


def _jackknifed(hits: Hits) -> Score:
    matched, reference, candidate, _ = hits
    every, others = (sum(matched), sum(reference)), len(matched) - 1
    scores = [_score(every[0] - m, every[1] - r, candidate * others) for m, r in zip(matched, reference, strict=True)]
    return mean(scores)


def mean(scores: Sequence[Score]) -> Score:
    """The means of recall, of precision and of F1: what the script's average over topics is; 0 without any score."""
    n = len(scores) or 1
    return Score(
        sum(score.recall for score in scores) / n,
        sum(score.precision for score in scores) / n,
        sum(score.f1 for score in scores) / n,
    )


def _score(matched: int, reference: int, candidate: int) -> Score:
    return Score(_ratio(matched, reference), _ratio(matched, candidate), _ratio(2 * matched, reference + candidate))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
