"""Tables for a paper: numbers of the comparison, marks, escapes, signatures."""

import csv
import io
import re

import pytest

from ilpsum.evaluation.comparison import Comparison, Reference
from ilpsum.evaluation.publishing import comma_separated, latex, markdown
from ilpsum.evaluation.run_scores import Evaluation
from ilpsum.metrics.rouge import Score
from ilpsum.metrics.signature import Signature

SIGNATURE = Signature("ROUGE-2", {"stem": "yes", "words": "250"})
# Twelve topics: BEST_1 is .2 above BASE&1 in each, SAME differs in its last digits alone.
RUNS = {"BEST_1": 0.5, "BASE&1": 0.3, "SAME%": 0.3001}


def compared(baseline="", oracles=(), topics=12):
    evaluations = []
    for run, value in RUNS.items():
        units = []
        for i in range(topics):
            score = value + i / 100 + (0.001 * (-1) ** i if run == "SAME%" else 0.0)
            units.append((f"T{i:02}", Score(score, 0.0, 0.0)))
        evaluations.append(Evaluation(run, SIGNATURE, units))
    return [Comparison(evaluations, "recall", Reference(baseline, oracles))]


def test_latex_escapes_names_and_marks_differences_from_the_baseline():
    text = latex(compared("BASE&1"))
    assert text.count("\\begin{tabular}{lr}") == text.count("\\end{tabular}") == 1
    rows = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert [row.split(" & ")[0] for row in rows] == ["run", "BEST\\_1", "BASE\\&1", "SAME\\%"]
    assert re.search(r"0\.5550\$\^\{\*\}\$ \[0\.5\d+, 0\.5\d+\] \\\\$", rows[1])
    assert "$" not in rows[2] + rows[3]
    assert "* differs from BASE\\&1: p \\textless{} 0.05" in text
    assert "correction for 2 comparisons" in text
    assert "ROUGE-2\\textbar{}stem:yes\\textbar{}words:250" in text
    # Nothing that LaTeX reads as markup is left in the notes.
    notes = text.partition("\\end{tabular}")[2]
    assert not re.search(r"(?<!\\)[&%$#_~^|<>]", notes)


def test_markdown_names_the_runs_that_a_run_is_above():
    text = markdown(compared())
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert rows[2][0] == "| a BEST\\_1"
    assert "0.5550<sup>bc</sup>" in rows[2][1]
    assert "<sup>" not in rows[3][1] + rows[4][1]
    assert "letters: above these runs" in text


def test_an_oracle_has_a_row_and_no_test():
    text = markdown(compared("BASE&1", ["BEST_1"]))
    assert "| BEST\\_1 | 0.5550 " in text
    assert "BEST\\_1 has seen the gold summaries" in text
    assert "correction for 1 comparison " in text


@pytest.mark.parametrize(("baseline", "other"), [("BASE&1", "BASE&1"), ("", "another")])
def test_without_a_mark_no_mark_is_explained(baseline, other):
    text = markdown(compared(baseline, ["BEST_1"]))
    assert "<sup>" not in text
    assert f"no run differs from {other} at p \\< 0.05, two-sided" in text
    assert "\\* differs" not in text
    assert "letters" not in text


def test_too_few_topics_have_no_marks():
    text = markdown(compared("BASE&1", topics=9))
    assert "No tests: 9 topics, and a test needs 10." in text
    assert "<sup>" not in text


@pytest.mark.parametrize("baseline", ["", "BASE&1"])
def test_csv_has_the_numbers_of_the_comparison(baseline):
    (comparison,) = compared(baseline)
    rows = list(csv.DictReader(io.StringIO(comma_separated([comparison]))))
    assert [row["run"] for row in rows] == list(RUNS)
    pairs = {pair.first: pair for pair in comparison.pairs if baseline}
    for row, evaluation in zip(rows, comparison.evaluations, strict=True):
        assert float(row["mean"]) == pytest.approx(evaluation.mean.recall, abs=1e-6)
        assert row["signature"] == str(SIGNATURE)
        pair = pairs.get(row["run"])
        assert row["holm"] == (f"{pair.holm:.6f}" if pair else "")
        assert row["baseline"] == (baseline if pair else "")
