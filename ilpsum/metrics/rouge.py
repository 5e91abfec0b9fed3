"""ROUGE as computed by the script ROUGE-1.5.5: ROUGE-N, ROUGE-L, and ROUGE-S with and without
unigrams.

The definitions are those of Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries.
Where script and paper differ, this module follows the script, which produced all published tables:

* a token is a sequence of ASCII letters and digits, lower-cased; all other characters separate
  tokens;
* the word limit cuts candidate and references at white space before tokenisation (`-l`);
* the byte limit cuts them after this many bytes of UTF-8 without line ends, possibly within a word
  (`-b`);
* words are stemmed without WordNet's exception lists, as if these were empty (`-m`);
* the last token of a text does not count as a unigram in ROUGE-SU;
* several references are pooled (`-f A`): total matches over total n-grams.

`rouge` scores one text; `References` prepares the references of a topic to score several.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack, get_args

from ilpsum.errors import UsageError, require_list
from ilpsum.metrics.counting import METRICS, GramCounts, Text

Multiple = Literal["pool", "best", "jackknife"]

_MULTIPLE = get_args(Multiple)

DEFAULT_METRICS = ("ROUGE-2", "ROUGE-SU4")


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
        multiple: how to combine several references: `pool` adds up their counts (`-f A`), `best`
            uses the one with the best recall (`-f B`), `jackknife` averages the pooled scores of
            all sets that lack one reference.
        bytes: cut every text to this many bytes (`-b`); None does not cut.

    Raises:
        UsageError: a limit is below 1, there are two, or `multiple` is unknown.
    """

    stem: bool = False
    words: int | None = None
    multiple: Multiple = "pool"
    bytes: int | None = None

    def __post_init__(self) -> None:
        for name, limit in (("word", self.words), ("byte", self.bytes)):
            if limit is not None and limit < 1:
                raise UsageError(f"{name} limit: expected 1 or more, got {limit}")
        if self.words is not None and self.bytes is not None:
            raise UsageError("expected a limit in words or in bytes, not both")
        if self.multiple not in _MULTIPLE:
            raise UsageError(
                f"multiple: expected one of {', '.join(_MULTIPLE)}, got {self.multiple!r}"
            )

    def cut(self, text: str) -> str:
        """Truncate a text to the limit, if there is one."""
        if self.words is not None:
            return "\n".join(cut(text.split("\n"), self.words))
        return text if self.bytes is None else "\n".join(cut_bytes(text.split("\n"), self.bytes))

    def prepared(self, text: str) -> Text:
        """Truncate a text and make it ready for counting."""
        short = self.cut(text)
        lines = short.split("\n") if self.bytes is None else _sentences(text, self.bytes)
        return Text(short, lines, self.stem)


UNCUT = RougeOptions()
"""The options of the script without any: whole texts, words as they are."""


class Options(TypedDict, total=False):
    """ROUGE options as keyword arguments; see `RougeOptions`."""

    stem: bool
    words: int | None
    multiple: Multiple
    bytes: int | None


def cut(lines: Sequence[str], words: int) -> list[str]:
    """Truncate lines to a total number of words separated by white space."""
    first: list[str] = []
    for line in lines:
        of_line = line.split()
        first.append(" ".join(of_line[:words]))
        words -= len(of_line)
        if words <= 0:
            break
    return first


def cut_bytes(lines: Sequence[str], size: int) -> list[str]:
    """Truncate lines to a total number of UTF-8 bytes, dropping a partial character.

    >>> cut_bytes(["caf\u00e9 au lait", "tea"], 6)
    ['caf\u00e9 ']
    """
    first: list[str] = []
    for line in lines:
        of_line = line.encode("utf-8", "replace")
        first.append(of_line[:size].decode("utf-8", "ignore"))
        size -= len(of_line)
        if size <= 0:
            break
    return first


def _sentences(text: str, size: int) -> list[str]:
    """Return the lines that ROUGE-L uses under a byte limit.

    The script does not add up their bytes: it keeps lines up to the first that alone reaches the
    limit, and truncates that one.
    """
    lines = list[str]()
    for line in text.split("\n"):
        lines += cut_bytes([line], size)
        if len(line.encode("utf-8", "replace")) >= size:
            break
    return lines


class References:
    """The gold texts of a topic, prepared for scoring many candidates in metrics of `METRICS`.

    ROUGE-L treats lines as sentences; other metrics ignore line ends. For the options see
    `RougeOptions`.

    Raises:
        UnknownNameError: a metric does not exist.
        UsageError: an option is invalid, or `texts` is one text.

    >>> references = References(["police kill the gunman", "the gunman was shot by police"])
    >>> score = references.score("police killed the gunman")["ROUGE-2"]
    >>> f"{score.recall:.5f} {score.precision:.5f} {score.f1:.5f}"
    '0.25000 0.33333 0.28571'
    """

    def __init__(
        self,
        texts: Sequence[str],
        metrics: Sequence[str] = DEFAULT_METRICS,
        **options: Unpack[Options],
    ) -> None:
        require_list("references", texts)
        self.options = RougeOptions(**options)
        prepared = [self.options.prepared(text) for text in texts]
        self._references = {name: [METRICS[name](text) for text in prepared] for name in metrics}

    def score(self, candidate: str) -> dict[str, Score]:
        """Score a candidate in each metric, in the given order."""
        text = self.options.prepared(candidate)
        scores = {}
        for name, references in self._references.items():
            scores[name] = _combined(METRICS[name](text), references, self.options.multiple)
        return scores


def rouge(
    candidate: str,
    references: Sequence[str],
    metrics: Sequence[str] = DEFAULT_METRICS,
    **options: Unpack[Options],
) -> dict[str, Score]:
    """Score one candidate against references; for the arguments see `References`.

    >>> references = ["police kill the gunman", "the gunman was shot by police"]
    >>> score = rouge("police killed the gunman", references)["ROUGE-SU4"]
    >>> f"{score.recall:.5f} {score.precision:.5f} {score.f1:.5f}"
    '0.24138 0.38889 0.29787'
    """
    return References(references, metrics, **options).score(candidate)


def _combined(candidate: GramCounts, references: Sequence[GramCounts], multiple: Multiple) -> Score:
    """Combine the matches with several references into one score; 0 without references or
    n-grams.
    """
    matches = [candidate.matches(reference) for reference in references]
    totals = [reference.reference_total for reference in references]
    if multiple == "best" and references:
        recalls = [_ratio(m, total) for m, total in zip(matches, totals, strict=True)]
        if candidate.digits is not None:
            recalls = [round(recall, candidate.digits) for recall in recalls]
        best = recalls.index(max(recalls))
        return score_of(matches[best], totals[best], candidate.total)
    if multiple == "jackknife" and len(references) > 1:
        size = candidate.total * (len(references) - 1)
        without_one = [
            score_of(sum(matches) - m, sum(totals) - total, size)
            for m, total in zip(matches, totals, strict=True)
        ]
        return mean(without_one)
    return score_of(sum(matches), sum(totals), candidate.total * len(references))


def mean(scores: Sequence[Score]) -> Score:
    """Average recall, precision and F1, as the script does over topics; 0 without scores."""
    n = len(scores) or 1
    recall, precision, f1 = (
        sum(getattr(s, name) for s in scores) / n for name in ("recall", "precision", "f1")
    )
    return Score(recall, precision, f1)


def score_of(matched: int, reference: int, candidate: int) -> Score:
    """Return the score of `matched` items out of those in reference and candidate; 0 for a zero
    denominator.
    """
    return Score(
        _ratio(matched, reference),
        _ratio(matched, candidate),
        _ratio(2 * matched, reference + candidate),
    )


def _ratio(part: int, total: int) -> float:
    return part / total if total else 0.0
