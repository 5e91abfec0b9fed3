"""Agreement of judgments on compressed and full titles: does a short title show whether an article
is of interest?

As in Lin and Wilbur (2007), judges answer twice, first on the short title, then on the full one.
Answers are TSV with the header `judge<TAB>id<TAB>round<TAB>answer`: round `short` or `full`, answer
`yes` or `no`. An optional column `variant` names the compression.
"""

from collections import defaultdict
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
        titles: number of titles judged twice.
        flips: number of answers that changed.
        lost: flips from no to yes: articles of interest that the short title hid.
        false: flips from yes to no.
        precision, recall, f1: of "yes" on the short title, with the answer on the full title as the
            truth; nan where undefined.
    """

    variant: str
    judge: str
    titles: int
    flips: int
    lost: int
    false: int
    precision: float
    recall: float
    f1: float


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
    right = sum(j.short and j.full for j in group)
    lost = sum(j.full and not j.short for j in group)
    false = sum(j.short and not j.full for j in group)
    precision, recall = _share(right, right + false), _share(right, right + lost)
    return Agreement(
        variant,
        judge,
        len(group),
        lost + false,
        lost,
        false,
        precision,
        recall,
        _share(2 * right, 2 * right + lost + false),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
