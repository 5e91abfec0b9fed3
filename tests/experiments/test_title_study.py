"""The human study of Lin and Wilbur: two blind rounds on paper, and the tables from the answers."""

from collections import Counter

import pytest

from experiments.__main__ import main as experiment
from experiments.title_study import Table, main

HEAD = "id\tneed\ttitle\tLo\tLy"


@pytest.fixture
def study(tmp_path):
    rows = [
        f"p{i}\tnewts\tThe song of the newt {i}: a long and careful study\tnewt song {i}\tsong {i}"
        for i in range(14)
    ]
    (tmp_path / "titles.tsv").write_text("\n".join([HEAD, *rows, ""]), encoding="utf-8")
    call = ["first", str(tmp_path / "titles.tsv"), "--judges", "ann", "bob", "--titles", "13"]
    main([*call, "--out", str(tmp_path / "study")])
    return tmp_path / "study"


def fill(path, **answers):
    """Fill in a sheet as a judge does: a function of the row for each column."""
    header, *lines = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    for cells in lines:
        row = dict(zip(header, cells, strict=True))
        for name, answer in answers.items():
            cells[header.index(name)] = answer(row)
    path.write_text("\n".join("\t".join(cells) for cells in [header, *lines]), encoding="utf-8")


def odd(row):
    return "yes" if int(row["item"]) % 2 else "no"


def test_conditions_are_equally_frequent_and_hidden(study):
    key = [row for _, row in Table.read(study / "key.tsv", ["condition"]).rows]
    assert Counter(row["condition"] for row in key) == dict.fromkeys(("Lo", "Ly", "A", "B"), 3)
    assert len({row["id"] for row in key}) == 12
    assert all(":" not in row["short"] for row in key), "variants A and B cut the subtitle"
    sheets = [(study / f"{judge}-1.tsv").read_text("utf-8") for judge in ("ann", "bob")]
    assert sheets[0] != sheets[1]
    assert sorted(sheets[0].splitlines()) == sorted(sheets[1].splitlines())
    assert sheets[0].splitlines()[0] == "item\tneed\tshort\tfluency\tread"


def test_two_rounds_give_the_four_tables(study, tmp_path, capsys):
    for judge in ("ann", "bob"):
        fill(study / f"{judge}-1.tsv", fluency=lambda _: "4", read=odd)
    main(["second", str(study)])
    for judge in ("ann", "bob"):
        sheet = study / f"{judge}-2.tsv"
        assert all(row["first"] == odd(row) for _, row in Table.read(sheet, ["first"]).rows)
        # Ann reads all articles by their full titles, Bob changes nothing.
        answer = (lambda _: "yes") if judge == "ann" else odd
        fill(sheet, content=lambda row: "5" if row["item"] == "1" else "3", read=answer)
    main(["tables", str(study)])
    command, other = capsys.readouterr().out.splitlines()
    for line in (command, other):
        assert experiment([*line.split()[3:], "--out", str(tmp_path)]) == 0
    ratings = (tmp_path / "ratings.md").read_text("utf-8")
    assert "24 ratings" in ratings
    assert ratings.count("4.0 ± 0.00") >= 8
    flips = (tmp_path / "flips.md").read_text("utf-8")
    key = [row for _, row in Table.read(study / "key.tsv", ["condition"]).rows]
    evens = Counter(row["condition"] for row in key if int(row["item"]) % 2 == 0)
    for condition in ("Lo", "Ly", "A", "B"):
        assert f"| {condition} | ann | 3 | 0 | {evens[condition]} |" in flips
        assert f"| {condition} | bob | 3 | 0 | 0 |" in flips


@pytest.mark.parametrize(
    ("fluency", "read", "message"),
    [("6", "yes", "fluency is '6'"), ("4", "", "read is ''; expected one of yes, no")],
)
def test_an_answer_that_is_missing_or_wrong_is_told_with_its_line(
    study, capsys, fluency, read, message
):
    for judge in ("ann", "bob"):
        fill(study / f"{judge}-1.tsv", fluency=lambda _: fluency, read=lambda _: read)
    with pytest.raises(SystemExit) as status:
        main(["second", str(study)])
    assert status.value.code == 2
    assert f"ann-1.tsv:2: {message}" in capsys.readouterr().err
    assert not list(study.glob("*-2.tsv"))


def test_a_sheet_with_answers_is_not_replaced(study, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["first", str(tmp_path / "titles.tsv"), "--judges", "ann", "--titles", "4",
              "--out", str(study)])  # fmt: skip
    assert "key.tsv exists already" in capsys.readouterr().err
