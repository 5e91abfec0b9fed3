"""Ratings and interest judgments on invented titles: Tables 5 to 8 of Lin and Wilbur (2007)."""

from pathlib import Path

import pytest

from experiments.__main__ import main
from experiments.ratings import read_ratings
from ilpsum.errors import InputError

EXAMPLE = Path(__file__).parents[2] / "experiments" / "parser" / "judgments.tsv"

RATINGS = (
    "variant\tjudge\tid\tfluency\tcontent\tratio\n"
    "A\tann\t1\t5\t4\t0.5\n"
    "A\tann\t2\t2\t4\t0.7\n"
    "A\tbob\t1\t3\t1\t0.5\n"
    "B\tann\t3\t1\t1\t\n"
)


def test_ratings_by_variant_and_judge(tmp_path):
    ratings = tmp_path / "ratings.tsv"
    ratings.write_text(RATINGS, encoding="utf-8")
    assert main(["ratings", "--ratings", str(ratings), "--out", str(tmp_path)]) == 0
    page = (tmp_path / "ratings.md").read_text(encoding="utf-8")
    # Fluency by ann is 5 and 2: mean 3.5, deviation 1.5. The ratio averages titles, not ratings.
    row = "| A | 2 | 0.600 | 3.5 ± 1.50 | 3.0 ± 0.00 | 4.0 ± 0.00 | 1.0 ± 0.00 | 0.687 |"
    assert row in page
    assert "| B | 1 | nan | 1.0 ± 0.00 | nan ± nan | 1.0 ± 0.00 | nan ± nan | 0.563 |" in page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("judge\tid\n", "ratings.tsv:1: wrong header"),
        ("variant\tjudge\tid\tfluency\tcontent\n", "no ratings"),
        (RATINGS + "B\tann\t4\t6\t1\t\n", "ratings.tsv:6: fluency '6'"),
        (RATINGS + "B\tann\t4\t2\t1.5\t\n", "ratings.tsv:6: content '1.5'"),
        (RATINGS + "B\tann\t4\t2\t1\t1.5\n", "ratings.tsv:6: ratio '1.5'"),
        (RATINGS + "B\tann\t4\t2\t1\tnan\n", "ratings.tsv:6: ratio 'nan'"),
        (RATINGS + "B\tann\t3\t2\t1\t\n", "ratings.tsv:6: ann rates this title on line 5"),
        (RATINGS + "B\tann\t3\t2\n", "ratings.tsv:6: 4 columns, but 6 in the header"),
    ],
)
def test_errors_in_ratings_name_the_line(tmp_path, text, message):
    path = tmp_path / "ratings.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_ratings(path)


def test_flips_contingency_and_precision(tmp_path):
    answers = tmp_path / "answers.tsv"
    answers.write_text(
        "judge\tid\tround\tanswer\tvariant\n"
        "ann\t1\tshort\tyes\tA\nann\t1\tfull\tyes\tA\n"
        "ann\t2\tshort\tno\tA\nann\t2\tfull\tyes\tA\n"
        "ann\t3\tshort\tyes\tA\nann\t3\tfull\tno\tA\n"
        "ann\t4\tshort\tyes\tA\nann\t4\tfull\tyes\tA\n",
        encoding="utf-8",
    )
    assert main(["flips", "--judgments", str(answers), "--out", str(tmp_path)]) == 0
    page = (tmp_path / "flips.md").read_text(encoding="utf-8")
    assert "| A | ann | 4 | 1 | 1 |" in page
    assert "| A | ann | 2 | 1 | 1 | 0 |" in page
    assert "| A | ann | 0.67 | 0.67 | 0.67 |" in page


def test_the_example_of_judgments_is_scored(tmp_path):
    assert main(["flips", "--judgments", str(EXAMPLE), "--out", str(tmp_path)]) == 0


@pytest.mark.parametrize("rows", ["", "ann\t1\tshort\tyes\ta\nbob\t1\tfull\tyes\ta\n"])
def test_judgments_without_a_title_judged_twice_are_refused(tmp_path, capsys, rows):
    answers = tmp_path / "answers.tsv"
    answers.write_text(f"judge\tid\tround\tanswer\tvariant\n{rows}", encoding="utf-8")
    assert main(["flips", "--judgments", str(answers), "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "answers.tsv: no title is judged in both rounds" in error
