"""Run the human study of Lin and Wilbur (2007, section 7): sheets for the assessors, and Tables 5 to 8.

    python -m experiments.title_study first TITLES.tsv --judges ann bob --out STUDY
    python -m experiments.title_study second STUDY
    python -m experiments.title_study tables STUDY

TITLES.tsv has a header and the columns id, need (the information need that the article was found
for), title, and one per annotator with manual compressions. `first` draws 100 titles, assigns each
one of the conditions at random, equally often (the annotators, and variants A and B of ilpsum), and
writes a sheet per judge, JUDGE-1.tsv, in an order of its own: the need and the short title. The
judge fills in `fluency`, from 1 (worst) to 5 (best), and `read`: yes or no. `second` writes
JUDGE-2.tsv from them, with the full title and the first answer: the judge fills in `content`, from 1
to 5, and `read`. `tables` writes ratings.tsv and judgments.tsv, which `python -m experiments
ratings` and `flips` turn into Table 5 and Tables 6 to 8. Sheets do not say which condition a title
has: that is in key.tsv, which judges must not see. Judges of the paper were three, two of them its
annotators; half of its titles were relevant to their need.
"""

import argparse
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ilpsum.api.shortening import shortened
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.files.atomic import write_file
from ilpsum.files.reading import text_lines, unsafe_name
from ilpsum.literature.titles import Title

TITLES = 100
VARIANTS = {"A": "a", "B": "b"}
COLUMNS = ("id", "need", "title")
KEY = ("item", "id", "condition", "need", "title", "short", "ratio")
FIRST = ("item", "need", "short", "fluency", "read")
SECOND = ("item", "need", "title", "short", "first", "content", "read")
SCORES = ("1", "2", "3", "4", "5")
ANSWERS = ("yes", "no")

Row = dict[str, str]


@dataclass(frozen=True)
class Table:
    """A tab-separated file with a header: its place, and its rows with their lines."""

    path: Path
    rows: list[tuple[int, Row]]

    @classmethod
    def read(cls, path: Path, columns: Sequence[str]) -> "Table":
        """Read a file; `InputError` if a column or a cell is missing."""
        lines = [(number, line.split("\t")) for number, line in text_lines(path)]
        header = [name.strip() for name in lines[0][1]] if lines else []
        if missing := [name for name in columns if name not in header]:
            raise InputError(f"no column {missing[0]}; expected {', '.join(columns)}", path, 1)
        rows = []
        for number, cells in lines[1:]:
            if not any(cells):
                continue
            if len(cells) != len(header):
                what = f"{len(cells)} columns, but {len(header)} in the header"
                raise InputError(f"{what}; keep the tabs of the sheet", path, number)
            rows.append((number, dict(zip(header, map(str.strip, cells), strict=True))))
        return cls(path, rows)

    def answer(self, number: int, row: Row, column: str, allowed: Sequence[str]) -> str:
        """Return a judge's answer; `InputError` if it is not one of those allowed."""
        value = row[column].lower()
        if value not in allowed:
            expected = f"expected one of {', '.join(allowed)}"
            raise InputError(f"{column} is {row[column]!r}; {expected}", self.path, number)
        return value


def written(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write a file; `UsageError` if it exists: it may have a judge's answers."""
    if path.exists():
        raise UsageError(f"{path} exists already; choose another folder or delete it")
    lines = ["\t".join(columns), *("\t".join(row[name] for name in columns) for row in rows)]
    write_file(path, ("\n".join(lines) + "\n").encode())


def first(titles: Path, judges: Sequence[str], out: Path, most: int, seed: int) -> None:
    """Draw titles and conditions, and write the key and the sheets of the first round."""
    for judge in judges:
        if why := unsafe_name(judge):
            raise UsageError(f"the judge {judge!r} {why}; expected a plain name")
    table = Table.read(titles, COLUMNS)
    rows = [row for _, row in table.rows]
    annotators = [name for name in (rows[0] if rows else ()) if name not in COLUMNS]
    conditions = [*annotators, *(name for name in VARIANTS if name not in annotators)]
    most -= most % len(conditions)
    draw = random.Random(seed)
    if len(rows) < most or not most:
        raise InputError(f"{len(rows)} titles; expected {most} or more (or --titles N)", titles)
    chosen = draw.sample(rows, most)
    assigned = conditions * (most // len(conditions))
    draw.shuffle(assigned)
    key = [
        keyed(str(item), row, condition)
        for item, (row, condition) in enumerate(zip(chosen, assigned, strict=True), 1)
    ]
    if lacking := next((row for row in key if not row["short"]), None):
        what = f"title {lacking['id']} has no compression by {lacking['condition']}"
        raise InputError(f"{what}; fill it in or remove the title", titles)
    out.mkdir(parents=True, exist_ok=True)
    written(out / "key.tsv", KEY, key)
    for judge in judges:
        in_order = random.Random(f"{seed} {judge}").sample(key, len(key))
        sheet = [{**row, "fluency": "", "read": ""} for row in in_order]
        written(out / f"{judge}-1.tsv", FIRST, sheet)


def keyed(item: str, row: Row, condition: str) -> Row:
    """Return a row of the key: a title with its compression under a condition."""
    short = row.get(condition, "")
    if condition in VARIANTS and condition not in row:
        title = Title(row["id"], row["title"])
        (compressed,) = shortened([title], variant=VARIANTS[condition], strict=True)
        short = compressed.text
    ratio = f"{len(short) / max(1, len(row['title'])):.4f}"
    return {**row, "item": item, "condition": condition, "short": short, "ratio": ratio}


def judges_of(study: Path) -> list[str]:
    """Return the judges of a study, sorted; `InputError` if there are none."""
    judges = sorted(path.name.removesuffix("-1.tsv") for path in study.glob("*-1.tsv"))
    if not judges:
        raise InputError("no sheets JUDGE-1.tsv; make them by `first`", study)
    return judges


def sheet(study: Path, judge: str, number: int, key: dict[str, Row]) -> Table:
    """Read a judge's sheet; `InputError` unless it has each title of the key once."""
    table = Table.read(study / f"{judge}-{number}.tsv", FIRST if number == 1 else SECOND)
    items = [row["item"] for _, row in table.rows]
    if sorted(items) != sorted(key):
        what = f"{len(items)} titles, {len(set(items) & set(key))} of the {len(key)} of the key"
        raise InputError(f"{what}; expected each once", table.path)
    return table


def key_of(study: Path) -> dict[str, Row]:
    """Return the key's rows by item."""
    return {row["item"]: row for _, row in Table.read(study / "key.tsv", KEY).rows}


def second(study: Path) -> None:
    """Write the sheets of the second round from those of the first, filled in."""
    key = key_of(study)
    sheets = {judge: sheet(study, judge, 1, key) for judge in judges_of(study)}
    rounds: dict[str, list[Row]] = {}
    for judge, table in sheets.items():
        rounds[judge] = []
        for number, row in table.rows:
            table.answer(number, row, "fluency", SCORES)
            answer = table.answer(number, row, "read", ANSWERS)
            more = {"title": key[row["item"]]["title"], "first": answer, "content": "", "read": ""}
            rounds[judge].append({**row, **more})
    for judge, rows in rounds.items():
        written(study / f"{judge}-2.tsv", SECOND, rows)


def tables(study: Path) -> None:
    """Write ratings.tsv and judgments.tsv from the sheets of both rounds."""
    key = key_of(study)
    ratings, judgments = list[Row](), list[Row]()
    for judge in judges_of(study):
        rounds = [sheet(study, judge, 1, key), sheet(study, judge, 2, key)]
        contents = {}
        for number, row in rounds[1].rows:
            contents[row["item"]] = rounds[1].answer(number, row, "content", SCORES)
        for name, table in zip(("short", "full"), rounds, strict=True):
            for number, row in table.rows:
                of_item = key[row["item"]]
                variant, answer = of_item["condition"], table.answer(number, row, "read", ANSWERS)
                shared = {"variant": variant, "judge": judge, "id": of_item["id"]}
                judgments.append({**shared, "round": name, "answer": answer})
                if name == "short":
                    fluency = table.answer(number, row, "fluency", SCORES)
                    content = contents[row["item"]]
                    rating = {"fluency": fluency, "content": content, "ratio": of_item["ratio"]}
                    ratings.append({**shared, **rating})
    written(study / "ratings.tsv", list(ratings[0]), ratings)
    written(study / "judgments.tsv", list(judgments[0]), judgments)
    print(f"python -m experiments ratings --ratings {study}/ratings.tsv")
    print(f"python -m experiments flips --judgments {study}/judgments.tsv")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.title_study",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = parser.add_subparsers(dest="step", required=True)
    options = steps.add_parser("first", help="write the sheets of the first round")
    options.add_argument("titles", type=Path)
    options.add_argument("--judges", nargs="+", required=True, metavar="NAME")
    options.add_argument("--out", type=Path, required=True, metavar="STUDY")
    options.add_argument("--titles", dest="most", type=int, default=TITLES, metavar="N")
    options.add_argument("--seed", type=int, default=1)
    for name, what in (("second", "write the second round"), ("tables", "write the answers")):
        steps.add_parser(name, help=what).add_argument("study", type=Path)
    given = parser.parse_args(argv)
    try:
        if given.step == "first":
            first(given.titles, given.judges, given.out, given.most, given.seed)
        else:
            {"second": second, "tables": tables}[given.step](given.study)
    except IlpsumError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
