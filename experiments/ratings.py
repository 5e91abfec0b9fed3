"""Reproduce Table 5 of Lin and Wilbur (2007): fluency and content ratings of compressed titles.

    python -m experiments ratings --ratings RATINGS.tsv

Published: 100 titles, 25 for each of two annotators and variants A and B, rated from 1 (worst) to 5
(best) by three assessors; fluency of variant A 4.5 ± 0.82, 3.4 ± 1.66, 4.0 ± 0.93, of variant B 3.4
± 1.50, 2.8 ± 1.45, 3.1 ± 1.36. The ratings are not public. RATINGS.tsv has a header and the columns
variant, judge, id, fluency and content, and optionally ratio: the share of the title's characters
that is kept, from 0 to 1.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.page import Page, markdown, parser
from experiments.parser.compressions import Spread, spread
from ilpsum.errors import InputError
from ilpsum.files.reading import text_lines

COLUMNS = ("variant", "judge", "id", "fluency", "content")
_EXPECTED = "expected tab-separated columns variant, judge, id, fluency, content (1 to 5)"
# Table 5: character ratio, then fluency and content by Lo, Ly and Wa.
PUBLISHED = {
    "Lo": ("0.564", "3.9 ± 0.95, 4.0 ± 1.06, 4.0 ± 0.98", "3.5 ± 0.96, 4.2 ± 0.76, 3.6 ± 0.95"),
    "Ly": ("0.575", "4.6 ± 0.76, 3.0 ± 1.57, 4.5 ± 0.87", "3.2 ± 1.36, 4.3 ± 0.69, 3.7 ± 1.06"),
    "A": ("0.687", "4.5 ± 0.82, 3.4 ± 1.66, 4.0 ± 0.93", "3.4 ± 1.61, 4.0 ± 0.98, 3.8 ± 1.18"),
    "B": ("0.563", "3.4 ± 1.50, 2.8 ± 1.45, 3.1 ± 1.36", "2.4 ± 1.66, 3.5 ± 1.26, 3.2 ± 1.19"),
}


@dataclass(frozen=True, slots=True)
class Rating:
    """A judge's rating of one compressed title, 1 to 5; `ratio` is None where the file has none."""

    variant: str
    judge: str
    id: str
    fluency: int
    content: int
    ratio: float | None


def read_ratings(path: Path) -> list[Rating]:
    """Read ratings.

    Raises:
        InputError: a column is missing, a rating is not a whole number from 1 to 5, a ratio is not
            from 0 to 1, or a judge rates a title of a variant twice.
    """
    lines = [(number, line.split("\t")) for number, line in text_lines(path)]
    header = [name.strip() for name in lines[0][1]] if lines else []
    if not set(COLUMNS) <= set(header):
        raise InputError(f"wrong header; {_EXPECTED}", path, 1)
    ratings = []
    seen: dict[tuple[str, str, str], int] = {}
    for number, row in lines[1:]:
        if not any(row):
            continue
        if len(row) != len(header):
            raise InputError(
                f"{len(row)} columns, but {len(header)} in the header; {_EXPECTED}", path, number
            )
        record = dict(zip(header, (cell.strip() for cell in row), strict=True))
        key = (record["variant"], record["judge"], record["id"])
        first = seen.setdefault(key, number)
        if first != number:
            raise InputError(f"{record['judge']} rates this title on line {first}", path, number)
        scores = [_score(record[name], name, path, number) for name in ("fluency", "content")]
        ratings.append(Rating(*key, *scores, _ratio(record.get("ratio", ""), path, number)))
    if not ratings:
        raise InputError(f"no ratings; {_EXPECTED}", path)
    return ratings


def _score(text: str, name: str, path: Path, number: int) -> int:
    if text not in {"1", "2", "3", "4", "5"}:
        raise InputError(f"{name} {text!r}; expected a whole number from 1 to 5", path, number)
    return int(text)


def _ratio(text: str, path: Path, number: int) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise InputError(f"ratio {text!r}; expected a number from 0 to 1", path, number)
    return value


def table(ratings: Sequence[Rating]) -> str:
    """Return means and standard deviations by variant and judge as Markdown."""
    judges = list(dict.fromkeys(rating.judge for rating in ratings))
    groups: dict[tuple[str, str], list[Rating]] = defaultdict(list)
    for rating in ratings:
        groups[rating.variant, rating.judge].append(rating)
    rows = []
    for variant in dict.fromkeys(rating.variant for rating in ratings):
        titles = {r.id: r.ratio for r in ratings if r.variant == variant}
        ratios = spread(ratio for ratio in titles.values() if ratio is not None)
        row = [variant, str(len(titles)), f"{ratios.mean:.3f}"]
        for name in ("fluency", "content"):
            for judge in judges:
                values = [getattr(rating, name) for rating in groups[variant, judge]]
                row.append(_printed(spread(values)))
        published = PUBLISHED.get(variant, ("", "", ""))
        rows.append([*row, *published])
    heads = [f"{name}, {judge}" for name in ("fluency", "content") for judge in judges]
    published_heads = ["published ratio", "fluency: Lo, Ly, Wa", "content: Lo, Ly, Wa"]
    return markdown(["output", "titles", "ratio", *heads, *published_heads], rows)


def _printed(values: Spread) -> str:
    return f"{values.mean:.1f} ± {values.deviation:.2f}"


def main(argv: Sequence[str]) -> None:
    options = parser("experiments ratings", __doc__)
    options.add_argument("--ratings", type=Path, required=True, metavar="FILE.tsv")
    arguments = options.parse_args(argv)
    page = Page.begin(arguments, argv)
    ratings = read_ratings(arguments.ratings)
    head = f"{len(ratings)} ratings; mean and (population) standard deviation."
    page.write("Table 5 of Lin and Wilbur (2007): ratings", [head, table(ratings)])
