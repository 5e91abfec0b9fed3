"""Texts in general English: summarised without a question, and answered from, by a model of their own."""

import io
import json
import shlex
import sys

import pytest

from ilpsum.cli import main
from ilpsum.papers import plain
from ilpsum.pipeline.system import System
from ilpsum.runs.provenance import read_provenance
from ilpsum.tasks import texts

CHOIR = """Newt choir returns to the old pond

The choir of grey newts returned to the old pond of Oakum on Monday, a week later than last year.
Visitors had waited on the bank since the weekend, some of them with blankets.

"They sing louder than ever," said the warden. The pond was cleaned in March by the council of Oakum.
"""
FENCE = """Council keeps its fence

Oakum's council decided on Tuesday to keep the fence around the old pond until autumn. Newts are protected, and the
pond is their only place to breed in the district. A petition against the fence had 200 signatures.
"""


@pytest.fixture
def news(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "news"
    folder.mkdir()
    (folder / "choir.txt").write_text(CHOIR)
    (folder / "fence.txt").write_text(FENCE)
    return folder


def printed(capsys, *arguments):
    assert main(["summarize", *map(str, arguments), "--quiet"]) == 0
    return capsys.readouterr().out


def test_texts_without_a_question_are_summarised(news, tmp_path, capsys):
    page, record = tmp_path / "page.html", tmp_path / "record.jsonl"
    out = printed(capsys, news, "--words", 40)
    for file in (page, record):
        assert printed(capsys, news, "--words", 40, "-o", file) == ""
    *sentences, _, first, second = out.splitlines()
    assert first == "[1] Newt choir returns to the old pond. choir.txt"
    assert second == "[2] Council keeps its fence. fence.txt"
    for line in sentences:
        assert line[: line.rindex(" [")] in " ".join(f"{CHOIR} {FENCE}".split())
    # A headline is no sentence of the text.
    assert not any("choir returns" in line for line in sentences)
    assert "<h1>Summary</h1>" in page.read_text()
    (summary,) = read_provenance(record)
    assert (summary.settings.system.kind, summary.question) == ("general", "")
    assert summary.gap == 0.0
    assert sum(s.words for s in summary) <= 40


def test_a_single_text_without_a_question_keeps_its_beginning(news, tmp_path, capsys):
    record = tmp_path / "record.jsonl"
    out = printed(capsys, news / "choir.txt", "--words", 40)
    printed(capsys, news / "choir.txt", "--words", 40, "-o", record)
    assert out.startswith(CHOIR.splitlines()[2].removesuffix(" year."))
    (summary,) = read_provenance(record)
    assert summary.settings.system.kind == "single"
    assert summary.settings.selection.lead == 0.7
    assert summary.warnings == ()


def test_several_texts_with_a_question_are_summarised_by_a_model_of_questions(news, tmp_path):
    topics = tmp_path / "topics.jsonl"
    documents = [{"id": p.stem, "text": p.read_text()} for p in sorted(news.iterdir())]
    topic = {"id": "t", "query": "Where do newts sing?", "kind": "texts", "documents": documents}
    topics.write_text(json.dumps(topic))
    assert main(shlex.split(f"summarize '{topics}' --words 30 --out '{tmp_path}' --quiet")) == 0
    (summary,) = read_provenance(tmp_path / "SYS1.provenance.jsonl")
    asked = System.load("concepts").for_kind("asked")
    assert summary.settings.system.kind == "asked"
    assert summary.settings.relevance.features == asked.relevance.features
    assert summary.warnings == ()


def test_every_form_of_a_summary_without_a_question(news, capsys, monkeypatch):
    both = (news / "choir.txt", news / "fence.txt", "--words", 40)
    told = json.loads(printed(capsys, *both, "--json"))
    assert told["question"] == ""
    titles = {source["title"] for source in told["sources"]}
    assert titles == {"Newt choir returns to the old pond", "Council keeps its fence"}
    assert "<h1>Summary</h1>" in printed(capsys, news, "--words", 40, "--to", "html")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CHOIR.encode())))
    assert "Oakum" in printed(capsys, "-", "--words", 30)


def test_a_question_about_texts_is_answered_by_the_model_of_texts(news, tmp_path, capsys):
    record = tmp_path / "record.jsonl"
    question = ("Why does the council keep the fence?", news, "--words", 30)
    assert main(["ask", *map(str, question), "-o", str(record), "--quiet"]) == 0
    assert main(["ask", *map(str, question), "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "fence" in out.splitlines()[0]
    (summary,) = read_provenance(record)
    assert summary.settings.system.kind == "general"
    assert summary.search is not None


def test_of_very_many_texts_the_nearest_to_their_subject_are_summarised(news, tmp_path, capsys):
    for number in range(60):
        near, far = "Newts sing in the old pond of Oakum", "Shares fell in a distant market"
        text = f"{near if number < 52 else far}, says report number {number} of the council."
        (news / f"more{number}.txt").write_text(text)
    assert main(["summarize", str(news), "--words", "60"]) == 0
    told = capsys.readouterr()
    assert "62 texts: summarising only the 50 nearest to their centroid" in told.err
    assert "market" not in told.out


@pytest.mark.parametrize(
    "option", [("--found", "3"), ("--coverage", "0"), ("--pmids", "x"), ("--index", "x")]
)
def test_texts_are_not_searched(news, capsys, option):
    assert main(["summarize", str(news), *option]) == 2
    assert f"{option[0]} is for topics, not for texts" in capsys.readouterr().err


def test_a_name_after_a_form_that_is_printed_is_no_text(news, capsys):
    assert main(["summarize", str(news / "choir.txt"), "--json", "summary.json"]) == 2
    told = "summary.json: no such file; to write the answer to it: -o summary.json"
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (CHOIR, "Newt choir returns to the old pond"),
        ("Newts sing.\n\nThey sing at night.", ""),
        ("Newts sing in ponds", ""),
        ("\n  A title of its own  \nNewts sing in ponds.", "A title of its own"),
        (f"{'word ' * 21}\n\nNewts sing in ponds.", ""),
        ("", ""),
    ],
)
def test_a_first_line_that_reads_as_one_is_the_title(content, title):
    assert plain.headline(content) == title


def test_wrapped_lines_are_joined_and_headings_stay_lines():
    paragraph = "The choir of grey newts returned to the old pond of\nOakum on Monday, a week later than\nlast year."
    wrapped = f"Newt choir returns\nOpen Archive\nSummary\n{paragraph}\n\n{CHOIR}"
    read = plain.unwrapped(wrapped)
    assert len(read) == len(wrapped)
    head, joined = "Newt choir returns\nOpen Archive\nSummary\n", paragraph.replace("\n", " ")
    assert read.startswith(f"{head}{joined}\n")
    assert "last year. Visitors had waited" in read


def test_lines_that_are_paragraphs_stay_lines():
    unwrapped = f"Newt choir returns to the old pond\n1 Department of Ponds\n{'Newts sing at night. ' * 20}\n\nToads croak.\n"
    assert plain.unwrapped(unwrapped) == unwrapped


PARAGRAPH = (
    "The choir of grey newts returned to the old pond of Oakum on Monday, a\nweek later than last year. Visitors had "
    "waited\non the bank since the weekend, some of them with blankets\nand tea. The warden was pleased."
)


def test_a_wrapped_text_without_blank_lines_is_joined():
    assert plain.unwrapped(PARAGRAPH) == PARAGRAPH.replace("\n", " ")
    indented = f"   {PARAGRAPH}\n   {PARAGRAPH}"
    assert plain.unwrapped(indented).split("\n") == [f"   {PARAGRAPH}".replace("\n", " ")] * 2
    notes = "Newts that sing in the old pond of Oakum at night\nToads that are silent in the old pond of Oakum all day"
    assert plain.unwrapped(notes) == notes


def test_items_of_a_list_and_bylines_stay_lines():
    items = "\nIn short:\n* newts sing\n* toads are silent\n"
    assert items in plain.unwrapped(f"{PARAGRAPH}\n{items}\n{PARAGRAPH}")
    byline = "Newt choir returns to Oakum\nBy Ada Ulm and Ben Carr, Reporters of it\n"
    assert plain.unwrapped(f"{byline}\n{PARAGRAPH}").startswith(byline)


def test_the_first_line_of_a_wrapped_paragraph_is_no_title():
    title = "Newts return to the old pond of Oakum for another year of song"
    assert plain.headline(PARAGRAPH) == ""
    assert plain.headline(f"{title}\n\n{PARAGRAPH}")
    assert plain.headline("Newts return\nto the pond of Oakum.") == ""


def test_entities_of_html_are_read_as_characters(tmp_path):
    written = "Ada &amp; Ben said newts &quot;sing&quot; for &#163;2 &c; R&D; grew."
    (tmp_path / "a.txt").write_text(written)
    (document,) = texts.documents([tmp_path / "a.txt"]).documents
    assert document.text == 'Ada & Ben said newts "sing" for £2 &c; R&D; grew.'


def test_a_text_that_is_not_utf_8_is_read_with_one_warning_as_topics_are(tmp_path, capsys):
    text = "The café by the pond has newts. Newts sing à deux at night."
    (tmp_path / "pond.txt").write_text(text, encoding="cp1252")
    assert main(["ask", "Do newts sing?", str(tmp_path / "pond.txt")]) == 0
    printed = capsys.readouterr()
    assert "à deux" in printed.out
    assert printed.err.count("ilpsum: pond.txt: not UTF-8 (byte 7); read as cp1252") == 1
