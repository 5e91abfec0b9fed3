"""MEDIQA 2021, several answers: the folder of the task, and one question a line."""

import json
import zipfile
from pathlib import Path

import pytest

from ilpsum.errors import InputError
from ilpsum.formats import guess, mediqa, read_topics
from ilpsum.records import BrokenTopic, Document, Topic

LINE = {"id": 7, "question": "Do  newts\nsing?", "answers": ["Newts hum.They do.", "<h3>Song</h3>They <b>sing</b>."]}
TOPIC = Topic(
    "7",
    "Do newts sing?",
    (Document("7-1", "Newts hum. They do."), Document("7-2", "Song\nThey sing.")),
    summaries=("They sing.",),
    kind="answers",
)


def write_sheet(path: Path, rows: list[list[object]]) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set as the task gives it, with its changing names."""
    (tmp_path / "Task2_VAlidationSet_ShortQuestions.txt").write_text("\ufeff7||Do  newts sing?\r\n\r\n8||Do toads?\r\n")
    (tmp_path / "Task2_MultiExtractiveSummaries.txt").write_text("7||They sing.\n")
    (tmp_path / "Task2_MultiAbstrativeSummaries.txt").write_text("7||Yes.\n")
    rows = [["QuestionID", "AnswerID", "Answer"], [7.0, "7_1", LINE["answers"][0]], [7, "7_2", LINE["answers"][1]]]
    write_sheet(tmp_path / "Task2_Answers.xlsx", rows)
    return tmp_path


def test_a_folder_of_the_task(folder: Path) -> None:
    assert guess(folder) == "mediqa"
    topic, broken = read_topics(folder)
    assert topic == TOPIC
    assert isinstance(broken, BrokenTopic)
    assert "ShortQuestions.txt:3: no answer to the question 8 in Task2_Answers.xlsx" in str(broken.error)


def test_a_question_a_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    bad = [{**LINE, "id": " "}, {**LINE, "answers": "one"}, {"id": 3, "question": "?"}]
    path.write_text("\n".join(map(json.dumps, [{**LINE, "extractive": "They sing."}, *bad, {**LINE, "id": "9"}])))
    assert guess(path) == "mediqa"
    first, *broken, last = mediqa.read(path)
    assert first == TOPIC
    assert [f"x.jsonl:{n}: expected an object" in str(b.error) for n, b in enumerate(broken, 2)] == [True] * 3
    assert (last.id, last.summaries) == ("9", ())


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("Task2_VAlidationSet_ShortQuestions.txt", b"7 Do newts sing?\n", r"ShortQuestions.txt:1: expected ID\|\|text"),
        ("Task2_MultiExtractiveSummaries.txt", b"7||x\n||They\n", r"Summaries.txt:2: expected ID\|\|text"),
        ("Task2_Answers.xlsx", b"7,7_1,They sing", "Answers.xlsx: not a spreadsheet: expected a sheet with headings"),
        ("More_Answers.xlsx", b"", r"2 files \*answers.xlsx; expected one"),
    ],
)
def test_what_is_no_set(folder: Path, name: str, content: bytes, message: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(mediqa.read(folder))


@pytest.mark.parametrize("row", [["", "7_1", "They sing."], [7, "7_1"], [7, "7_1", 3], [7]])
def test_a_row_that_is_no_answer(folder: Path, row: list[object]) -> None:
    write_sheet(folder / "Task2_Answers.xlsx", [["q", "a", "t"], row])
    with pytest.raises(InputError, match=r"Answers.xlsx: expected a sheet with headings, .*; save it as .xlsx again"):
        list(mediqa.read(folder))


def test_entities_and_bombs_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = folder / "Task2_Answers.xlsx"
    with monkeypatch.context() as patch:
        patch.setattr(mediqa, "MAX_TEXT", 100)
        with pytest.raises(InputError, match="expected at most"):
            list(mediqa.read(folder))
    with zipfile.ZipFile(sheet) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    part = "xl/worksheets/sheet1.xml"
    parts[part] = b'<!DOCTYPE x [<!ENTITY e "newts">]>' + parts[part].replace(b"7_1", b"&e;")
    with zipfile.ZipFile(sheet, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="not a spreadsheet"):
        list(mediqa.read(folder))


def test_the_validation_set(real_data: Path) -> None:
    topics = list(read_topics(real_data / "evidence" / "mediqa-mas-val.jsonl.gz"))
    assert len(topics) == 50
    assert sum(len(topic.documents) for topic in topics) == 192
    assert not any("<h3>" in d.text for topic in topics for d in topic.documents)
    assert all(len(topic.summaries) == 1 for topic in topics)
