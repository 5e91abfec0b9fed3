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

`rouge` scores one text, `rouge_batch` many at once; `References` prepares the references of a topic
for repeated scoring.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypedDict, Unpack, get_args

from ilpsum.errors import UsageError
from ilpsum.metrics.counting import METRICS, CountedTexts, Metric

Multiple = Literal["average", "best", "jackknife"]

_MULTIPLE = get_args(Multiple)

DEFAULT_METRICS = ("ROUGE-2", "ROUGE-SU4")

# Candidates per batch of `rouge_batch`; larger batches take more memory and are not faster.
_CHUNK = 64


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
        multiple: how to combine several references: `average` pools them (`-f A`), `best` uses the
            one with the best recall (`-f B`), `jackknife` averages the pooled scores over leaving
            out one reference at a time.
        bytes: cut every text to this many bytes (`-b`); None does not cut.

    Raises:
        UsageError: a limit is below 1, there are two, or `multiple` is unknown.
    """

    stem: bool = False
    words: int | None = None
    multiple: Multiple = "average"
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

    def texts(self, texts: Sequence[str]) -> CountedTexts:
        """Truncate and number texts according to the options."""
        short = [self.cut(text) for text in texts]
        sentences = None if self.bytes is None else [_sentences(text, self.bytes) for text in texts]
        return CountedTexts(short, sentences, stem=self.stem)


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
    """Return the lines that ROUGE-L uses under a byte limit, since the script does not add up their
    bytes.

    It keeps whole lines up to the first one that alone reaches the limit, and truncates that line.
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
        **options: Unpack[Options],
    ) -> None:
        self.options = RougeOptions(**options)
        self._texts = self.options.texts(texts)
        self._counts = {
            name: METRICS[name].count(self._texts, range(len(texts))) for name in metrics
        }
        self._totals = {name: METRICS[name].totals(self._texts) for name in metrics}

    def score(self, candidate: str) -> dict[str, Score]:
        """Score a candidate in each metric, in the given order."""
        (scores,) = self.scores([candidate])
        return scores

    def scores(self, candidates: Sequence[str]) -> Iterator[dict[str, Score]]:
        """Score several candidates at once, which is faster than one by one."""
        texts, count = self.options.texts(candidates), len(self._texts.sizes)
        pairs = [(i, k) for i in range(len(candidates)) for k in range(count)]
        matches = {name: count(texts, pairs) for name, count in self._counts.items()}
        return _combined(
            matches,
            self._totals,
            [range(count)] * len(candidates),
            texts.sizes,
            self.options.multiple,
        )


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
    (scores,) = _scores([(candidate, references)], metrics, RougeOptions(**options))
    return scores


def rouge_batch(
    pairs: Iterable[tuple[str, Sequence[str]]],
    metrics: Sequence[str] = DEFAULT_METRICS,
    **options: Unpack[Options],
) -> Iterator[dict[str, Score]]:
    """Yield the scores of pairs of a candidate and its references, in order; faster than `rouge`
    for each.

    For the other arguments see `References`. Pairs are read lazily, 64 at a time.

    Raises:
        UnknownNameError: a metric does not exist.
        UsageError: an option is invalid.

    >>> pairs = [("police killed the gunman", ["police kill the gunman"]), ("a gunman",
    ...     ["the gunman", "a gunman"])]
    >>> print(*(f"{scores['ROUGE-2'].f1:.2f}" for scores in rouge_batch(pairs)))
    0.33 0.50
    """
    of_rouge = RougeOptions(**options)
    following = iter(pairs)
    while chunk := list(islice(following, _CHUNK)):
        yield from _scores(chunk, metrics, of_rouge)


def _scores(
    pairs: Sequence[tuple[str, Sequence[str]]], metrics: Sequence[str], options: RougeOptions
) -> Iterator[dict[str, Score]]:
    # Number each distinct text once, however often it occurs.
    numbers: dict[str, int] = {}
    candidates = [numbers.setdefault(candidate, len(numbers)) for candidate, _ in pairs]
    references = [[numbers.setdefault(text, len(numbers)) for text in texts] for _, texts in pairs]
    texts = options.texts(list(numbers))
    theirs = [text for several in references for text in several]
    ours = [text for text, several in zip(candidates, references, strict=True) for _ in several]
    compared = [(text, k) for k, text in enumerate(ours)]
    matches = {name: METRICS[name].count(texts, theirs)(texts, compared) for name in metrics}
    totals = {name: METRICS[name].totals(texts) for name in metrics}
    return _combined(
        matches, totals, references, [texts.sizes[text] for text in candidates], options.multiple
    )


def _combined(
    matches: Mapping[str, list[int]],
    totals: Mapping[str, list[int]],
    references: Sequence[Sequence[int]],
    candidates: Sequence[int],
    multiple: Multiple,
) -> Iterator[dict[str, Score]]:
    """Yield the scores of each candidate by metric.

    By metric, `matches` has an entry for each candidate and each of its references, and `totals`
    the number of n-grams of each text as a reference. `references` are indices into `totals`;
    `candidates` are numbers of words.
    """
    first = 0
    for several, size in zip(references, candidates, strict=True):
        last = first + len(several)
        yield {
            name: _combine(
                METRICS[name],
                matched[first:last],
                [totals[name][k] for k in several],
                size,
                multiple,
            )
            for name, matched in matches.items()
        }
        first = last


def _combine(
    metric: Metric, matched: list[int], reference: list[int], size: int, multiple: Multiple
) -> Score:
    """Combine the matches with several references into one score; 0 without references or n-grams.

    `reference` holds the number of n-grams of each reference; `size` is the candidate's number of
    words.
    """
    candidate = metric.total(size)
    if len(matched) == 1:
        return _score(matched[0], reference[0], candidate)
    if multiple == "best" and matched:
        recalls = [_ratio(m, r) for m, r in zip(matched, reference, strict=True)]
        if metric.digits is not None:
            recalls = [round(recall, metric.digits) for recall in recalls]
        best = recalls.index(max(recalls))
        return _score(matched[best], reference[best], candidate)
    hit, total, n = sum(matched), sum(reference), len(matched)
    if multiple == "jackknife" and matched:
        parts = zip(matched, reference, strict=True)
        return mean([_score(hit - m, total - r, candidate * (n - 1)) for m, r in parts])
    return _score(hit, total, candidate * n)


def mean(scores: Sequence[Score]) -> Score:
    """Average recall, precision and F1, as the script does over topics; 0 without scores."""
    n = len(scores) or 1
    recall, precision, f1 = (
        sum(getattr(s, name) for s in scores) / n for name in ("recall", "precision", "f1")
    )
    return Score(recall, precision, f1)


def _score(matched: int, reference: int, candidate: int) -> Score:
    return Score(
        _ratio(matched, reference),
        _ratio(matched, candidate),
        _ratio(2 * matched, reference + candidate),
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
