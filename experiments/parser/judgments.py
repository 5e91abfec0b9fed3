"""Agreement of judgments on compressed and full titles: does a short title show whether an article
is of interest?

As in Lin and Wilbur (2007), judges answer twice, first on the short title, then on the full one.
Answers are TSV with the header `judge<TAB>id<TAB>round<TAB>answer`: round `short` or `full`, answer
`yes` or `no`. An optional column `variant` names the compression.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.files.reading import text_lines

COLUMNS = ("judge", "id", "round", "answer")
_EXPECTED = "expected tab-separated columns judge, id, round (short or full), answer (yes or no)"


@dataclass(frozen=True, slots=True)
class Judgment:
    """Both answers of a judge on one title.

    Attributes:
        variant: the compression of the short title; empty if the file names none.
        judge: who answered.
        id: the title's id.
        short: the answer on the short title; true for "of interest".
        full: the answer on the full title.
    """

    variant: str
    judge: str
    id: str
    short: bool
    full: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge's answers on short titles against the same judge's answers on full titles.

    Attributes:
        variant: the compression of the short titles.
        judge: who answered; `all` for all judges together.
        true_positives: titles of interest, short and full.
        no_to_yes: flips (false negatives): articles of interest that the short title hid.
        yes_to_no: flips (false positives): the short title promised too much.
        true_negatives: titles of no interest, short and full.
    """

    variant: str
    judge: str
    true_positives: int
    no_to_yes: int
    yes_to_no: int
    true_negatives: int

    @property
    def titles(self) -> int:
        """Number of titles judged twice."""
        return self.true_positives + self.no_to_yes + self.yes_to_no + self.true_negatives

    @property
    def precision(self) -> float:
        """Precision of "yes" on the short title; nan where undefined."""
        return _share(self.true_positives, self.true_positives + self.yes_to_no)

    @property
    def recall(self) -> float:
        """Recall of "yes" on the short title; nan where undefined."""
        return _share(self.true_positives, self.true_positives + self.no_to_yes)

    @property
    def f1(self) -> float:
        """F-score of "yes" on the short title; nan where undefined."""
        flips = self.no_to_yes + self.yes_to_no
        return _share(2 * self.true_positives, 2 * self.true_positives + flips)


def read_judgments(path: str | Path) -> list[Judgment]:
    """Read answers and pair the two rounds, skipping titles judged in one round only.

    Raises:
        InputError: a column is missing, a round or an answer is unknown, or an answer occurs twice.
    """
    lines = [(number, line.split("\t")) for number, line in text_lines(path)]
    header = [name.strip() for name in lines[0][1]] if lines else []
    if not set(COLUMNS) <= set(header):
        raise InputError(f"wrong header; {_EXPECTED}", path, 1)
    answers: dict[tuple[str, str, str], dict[str, bool]] = defaultdict(dict)
    for number, cells in lines[1:]:
        if not any(cells):
            continue
        record = dict(zip(header, (cell.strip() for cell in cells), strict=False))
        known = record.get("round") in ("short", "full") and record.get("answer") in ("yes", "no")
        if len(cells) != len(header) or not known:
            raise InputError(f"not a judgment; {_EXPECTED}", path, number)
        key = (record.get("variant", ""), record["judge"], record["id"])
        if record["round"] in answers[key]:
            second = f"a second answer of {record['judge']} on {record['id']}"
            raise InputError(f"{second}; expected one in each round", path, number)
        answers[key][record["round"]] = record["answer"] == "yes"
    return [
        Judgment(*key, both["short"], both["full"])
        for key, both in answers.items()
        if len(both) == 2
    ]


def agreements(judgments: Iterable[Judgment]) -> list[Agreement]:
    """Return a row for each variant and judge, and one for all judges of a variant, sorted by name."""
    groups: dict[tuple[str, bool, str], list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        groups[judgment.variant, False, judgment.judge].append(judgment)
        groups[judgment.variant, True, "all"].append(judgment)
    return [
        _agreement(variant, judge, group) for (variant, _, judge), group in sorted(groups.items())
    ]


def _agreement(variant: str, judge: str, group: list[Judgment]) -> Agreement:
    counts = Counter((j.short, j.full) for j in group)
    return Agreement(
        variant,
        judge,
        true_positives=counts[True, True],
        no_to_yes=counts[False, True],
        yes_to_no=counts[True, False],
        true_negatives=counts[False, False],
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
