"""The sheet of blind readings: what it hides, what it refuses, what it counts."""

import json
import sys
from argparse import Namespace

import pytest

from experiments import reading
from ilpsum import Topic

TOPICS = [Topic(f"q{n}", f"Do newts number {n} sing?", summaries=("They do.",)) for n in range(3)]
ANSWERS = {
    "BM25 sentences": [["Newts have songs.", "These sing."], ["Newts hum."], ["Frogs sing."]],
    "old": [["Newts sing."], [], ["Frogs hum.", "Newts sing in ponds."]],
    "new": [["Newts sing at dusk."], ["Newts do sing."], ["Newts sing in frost.", "In frost newts sing."]],
}


def drawn(folder):
    reading.write(TOPICS, ANSWERS, folder, seed=29)
    return folder / "sheet.tsv", folder / "key.json"


def filled(folder, marks):
    """Return the sheet with a judgment for each sentence."""
    sheet, key = drawn(folder)
    rows = [line.split("\t") for line in sheet.read_text().splitlines()]
    sheet.write_text("".join("\t".join([*r[:2], marks(r[3]), r[3]] if len(r) == 4 else r) + "\n" for r in rows))
    return sheet, key


def marks(text):
    if text in ("text", reading.NOTHING):
        return "marks" if text == "text" else "-"
    return "H" if text.startswith("These") else "T" if text.startswith("In ") else "A" if "Newts" in text else "M"


def test_a_sheet_names_no_system_and_has_every_sentence(tmp_path):
    sheet, key = drawn(tmp_path)
    text = sheet.read_text()
    assert not any(name in text for name in ("BM25", "\told", "\tnew"))
    assert text.count("\t?\t") == 11
    assert text.count(reading.NOTHING) == 1
    assert sorted(e["system"] for e in json.loads(key.read_text()).values()) == sorted(3 * list(reading.SYSTEMS))
    assert "A  answers the question" in text
    assert reading.write(TOPICS, ANSWERS, tmp_path, seed=29) is None
    assert sheet.read_text() == text


def test_the_tally_counts_and_keeps_judgments_without_texts(tmp_path):
    sheet, key = filled(tmp_path, marks)
    found = reading.judged(sheet, key)
    by = {s: [[j for j in found if (j.question, j.system) == (t.id, s)] for t in TOPICS] for s in reading.SYSTEMS}
    assert reading.shares(by["BM25 sentences"]) == pytest.approx((2 / 3, 2 / 3, 1 / 2, 0, 1 / 4, 1 / 4))
    assert reading.shares(by["old"]) == pytest.approx((2 / 3, 1 / 3, 2 / 3, 0, 0, 1 / 3))
    assert reading.shares(by["new"]) == pytest.approx((1, 1, 3 / 4, 1 / 4, 0, 0))
    reading.keep(found, tmp_path / "kept.tsv")
    assert not any(word in (tmp_path / "kept.tsv").read_text() for word in ("ewts", "rogs"))
    kept = reading.judged(tmp_path / "kept.tsv", None)
    assert kept == found
    assert "| old | 3, 3 |" in "\n".join(reading.table(kept))
    assert "| new | 3, 4 | 1.00 [1.00, 1.00] | 1.00 [1.00, 1.00] | 0.75" in "\n".join(reading.table(kept))


@pytest.mark.parametrize(("mark", "said"), [("?", "found '?'"), ("A-", "found 'A-'"), ("", "found ''"), ("X", "'X'")])
def test_a_sentence_without_a_judgment_is_refused(tmp_path, mark, said):
    sheet, key = filled(tmp_path, lambda text: mark if text == "Newts hum." else marks(text))
    with pytest.raises(SystemExit, match=r"sheet.tsv:\d+: expected letters") as stopped:
        reading.judged(sheet, key)
    assert said in str(stopped.value)


def test_a_changed_text_is_refused(tmp_path):
    sheet, key = filled(tmp_path, marks)
    sheet.write_text(sheet.read_text().replace("Newts hum.", "Newts hum!"))
    with pytest.raises(SystemExit, match="not the text that was drawn"):
        reading.judged(sheet, key)


def test_the_command_prints_the_table(tmp_path, monkeypatch, capsys):
    sheet, key = filled(tmp_path, marks)
    monkeypatch.setattr(sys, "argv", ["reading.py", "tally", str(sheet), "--key", str(key)])
    reading.main()
    assert capsys.readouterr().out.count("\n| ") == 3


def test_questions_that_were_read_are_not_drawn_again(tmp_path, monkeypatch):
    asked = [Topic(f"q{n}", "Do newts sing?", summaries=("They do.",), relevant=("1",)) for n in range(4)]
    monkeypatch.setattr(reading, "questions", lambda _: asked)
    reading.keep([reading.Judged("q1", "new", 1, "0" * 12, "A")], tmp_path / "kept.tsv")
    drawn = reading.sample(Namespace(without=[tmp_path / "kept.tsv"], seed=1, questions=3), frozenset("1"))
    assert sorted(t.id for t in drawn) == ["q0", "q2", "q3"]
