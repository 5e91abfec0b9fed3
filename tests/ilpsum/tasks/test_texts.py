"""Kinds of files: known by their content, refused by name, gathered from folders."""

import gzip
import json
import os
from pathlib import Path

import pytest

from ilpsum.answers.retrieval import indexed
from ilpsum.answers.sources import Sources
from ilpsum.errors import InputError
from ilpsum.files import reading
from ilpsum.files.start import Start
from ilpsum.literature import intake
from ilpsum.records.notices import LeftOut
from ilpsum.tasks import texts

TOO_LONG = r"expected a text of at most 30 characters, got \d\d in (d|7|this file); divide it"


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("a.txt", "Newts sing at dusk, and toads too.", "a.txt: "),
        (
            "a.jsonl",
            {"pmid": "7", "title": "Newts", "abstract": "They sing at dusk, as toads."},
            "",
        ),
        ("a.jsonl", {"id": "t", "documents": [{"id": "d", "text": "Newts sing. " * 4}]}, "l:1: "),
    ],
)
def test_the_length_of_a_text_has_a_limit(tmp_path, monkeypatch, name, content, place):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert len(list(texts.documents([path]).documents)) == 1
    monkeypatch.setattr(reading, "LONGEST_TEXT", 30)
    with pytest.raises(InputError, match=place + TOO_LONG):
        list(texts.documents([path]).documents)


ABSTRACT = json.dumps({"pmid": "7", "title": "Newts", "abstract": "Newts sing at dusk."})
REFUSED = {
    "page": (b"<!DOCTYPE html><html><p>Newts</p></html>", "an HTML page"),
    "bare-page": (b" <html lang='en'>", "an HTML page"),
    "word": (b"PK\x03\x04\x14\x00", "a Word, OpenDocument, Excel or zip file"),
    "old-word": (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Word or Excel file"),
    "rtf": (rb"{\rtf1\ansi Newts}", "an RTF file"),
    "png": (b"\x89PNG\r\n\x1a\n", "an image"),
    "jpeg": (b"\xff\xd8\xff\xe0", "an image"),
    "binary": (b"newts\x00\x01", "a binary file"),
    "tar": (b"newts.txt".ljust(257, b"\0") + b"ustar", "a tar archive"),
    "bzip2": (b"BZh91AY", "compressed by bzip2"),
    "utf-16": ("Newts sing.".encode("utf-16"), "save it in UTF-8"),
    "endnote-xml": (
        b'<?xml version="1.0"?><xml><records></records></xml>',
        "XML, but not PubMed's",
    ),
    "other-xml": (b'<newts sing="1"><front/></newts>', "XML, but not PubMed's"),
    "wos": (b"FN Clarivate Analytics Web of Science\nVR 1.0\n", "Web of Science's text"),
    "endnote-tab": (b"*Generic\nNewt, A.\t2015\tNewts\n", "EndNote's text with tabs"),
    "unknown-tags": (
        b"XA: Newt\nXT: Newts\nXB: Newts sing.\nXY: 2015\n",
        "of a form that is not known",
    ),
    "names": (
        b"Title: Newts\nAuthors: Newt, A.\nAbstract: Newts sing.\n",
        "of a form that is not known",
    ),
    "bioasq": (
        json.dumps({"questions": [{"body": "Do newts sing?"}]}).encode(),
        r"topics \(bioasq\).*ilpsum summarize TOPICS",
    ),
    "biogen": (
        json.dumps([{"id": 1, "question": "?", "narrative": ""}]).encode(),
        r"topics \(biogen\)",
    ),
    "tac": (b"Topic ID: D1 | Citance Number: 1 |", r"topics \(tac\)"),
    "json": (b'{"newts": ["sing"]}', "JSON of an unknown kind"),
    "json-list": (b'[{"newts": 1}]', "JSON of an unknown kind"),
    "json-nothing": (b" { }\n", "JSON of an unknown kind"),
    "empty": (b" \n", "the file is empty"),
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("name", REFUSED)
def test_other_kinds_are_refused_by_name(tmp_path, name, zipped):
    content, message = REFUSED[name]
    path = tmp_path / "newts.txt"
    path.write_bytes(gzip.compress(content) if zipped else content)
    for read in (
        lambda: texts.files_in([path]),
        lambda: list(texts.documents([path]).documents),
    ):
        with pytest.raises(InputError, match=message) as error:
            read()
        assert str(error.value).startswith(f"{path}: ")
        assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["newts.json", "newts.jsonl", "Newts.JSONL.gz"])
@pytest.mark.parametrize(
    "content", ['{pmid: 1, "title": "Newts sing."}', '"pmid": 1}', "[1, Newts sing."]
)
def test_broken_json_is_not_prose(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())
    for read in (intake.documents, lambda path: [*texts.documents([path]).documents]):
        with pytest.raises(
            InputError,
            match=rf"{name}: invalid JSON, or JSON of an unknown kind; expected one object",
        ):
            read(path)


@pytest.mark.parametrize(
    "prose", ["[1] Newts sing.", "<5% of newts sing.", "@newts: sing", "{a} newt", "Title: newts."]
)
def test_prose_is_not_refused(tmp_path, prose):
    path = tmp_path / "page.html"
    path.write_text(prose)
    assert texts.kind_of(Start.of(path)) == "plain"
    with pytest.raises(
        InputError, match=r"not abstracts; .*, without --documents, reads plain texts"
    ):
        intake.documents(path)
    (document,) = texts.documents([path]).documents
    assert (document.id, document.text) == ("page.html", prose)


def test_a_folder_gives_all_its_abstracts(tmp_path):
    folder = tmp_path / "pile"
    (folder / "more").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    for name in ("b.jsonl", "a.json", "more/c.txt", ".d.jsonl", ".hidden/e.jsonl"):
        (folder / name).write_text(ABSTRACT.replace("7", str(len(name))))
    (folder / "prose.txt").write_text("Toads hum.")
    (folder / "code.py").write_text("newts = 7")
    (folder / "page.html").write_text("<html>")
    files = texts.files_in([folder])
    found = [str(Path(path).relative_to(folder)) for path in files.paths]
    assert found == ["a.json", "b.jsonl", "more/c.txt"]
    assert files.problems == (
        f"{folder}: skipped 3 files without abstracts: code.py, page.html, prose.txt",
    )
    read = texts.documents([folder])
    assert [d.id for d in read.documents] == ["6", "7", "prose.txt", "10"]
    assert read.problems == (f"{folder}: skipped 2 files without abstracts: code.py, page.html",)


def test_a_folder_without_abstracts_is_refused(tmp_path, tac_topic):
    (tmp_path / "x").mkdir()
    with pytest.raises(InputError, match="no file of abstracts in the folder"):
        texts.files_in([tmp_path / "x"])
    with pytest.raises(InputError, match=r"topics \(tac\)"):
        texts.files_in([tac_topic()])


def test_the_first_abstract_of_an_id_counts_and_texts_are_numbered(tmp_path):
    others = [ABSTRACT.replace("dusk", when) for when in ("dawn", "noon")]
    (tmp_path / "a.jsonl").write_text("\n".join([ABSTRACT, *others]))
    for name in "xy":
        (tmp_path / name).mkdir()
        (tmp_path / name / "n.txt").write_text(f"Newts {name}.")
    paths = [tmp_path / "a.jsonl", tmp_path / "x/n.txt", tmp_path / "y/n.txt"]
    read = texts.documents(paths)
    named = [(d.id, d.source) for d in read.documents]
    assert named == [("7", ""), ("n.txt", ""), ("n.txt-2", "n.txt")]
    assert read.problems == ("duplicate records, using the fullest: 7 (2 in all)",)


def test_a_pipe_in_a_folder_is_passed_over(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.jsonl").write_text(
        '{"pmid": "1", "title": "T", "abstract": "Newts sing in ponds."}\n'
    )
    files = texts.files_in([tmp_path])
    assert [Path(path).name for path in files.paths] == ["a.jsonl"]
    assert "without abstracts: pipe" in files.problems[0]


def test_a_damaged_file_in_a_folder_costs_only_itself(tmp_path):
    (tmp_path / "a.jsonl").write_text(ABSTRACT)
    packed = gzip.compress(
        b"".join(ABSTRACT.replace("7", str(n)).encode() + b"\n" for n in range(9, 2000))
    )
    (tmp_path / "b.jsonl.gz").write_bytes(packed[:-40])
    (tmp_path / "c.jsonl.gz").write_bytes(packed[:12])
    (tmp_path / "d.xml").write_text(
        "<PubmedArticleSet><PubmedArticle><MedlineCitation></PubmedArticle>"
    )
    read = texts.documents([tmp_path])
    assert [d.id for d in read.documents] == ["7"]
    told = sorted(line.removeprefix(f"{tmp_path}/") for line in read.problems)
    assert all(isinstance(line, LeftOut) for line in read.problems)
    assert [line.partition(" (")[0].partition(";")[0] for line in told] == [
        "b.jsonl.gz: the gzip data are cut off",
        "c.jsonl.gz: the gzip data are cut off",
        "d.xml:1: not well-formed XML",
    ]
    # A file that was named ends the call, and so does a folder of which nothing can be read.
    with pytest.raises(InputError, match="cut off"):
        list(texts.documents([tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"]))
    (tmp_path / "a.jsonl").unlink()
    with pytest.raises(InputError, match="cut off"):
        list(texts.documents([tmp_path]))
    # So does a folder whose files are damaged at their beginning.
    for path in tmp_path.iterdir():
        path.write_bytes(packed[:5] + b"newts")
    for read in (texts.documents, texts.files_in):
        with pytest.raises(InputError, match="gzip"):
            list(read([tmp_path]))


def test_links_out_of_a_folder_are_not_followed(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_text("Olms glow.")
    (tmp_path / "outside/other.txt").write_text("Olms hum.")
    (tmp_path / "inside/newts.txt").write_text("Newts sing.")
    (tmp_path / "inside/file.txt").symlink_to(tmp_path / "outside/secret.txt")
    (tmp_path / "inside/folder").symlink_to(tmp_path / "outside")
    (tmp_path / "inside/again.txt").symlink_to(tmp_path / "inside/newts.txt")
    read = texts.documents([tmp_path / "inside"])
    assert {document.text for document in read.documents} == {"Newts sing."}
    told = [line for line in read.problems if isinstance(line, LeftOut)]
    assert len(told) == 2
    assert all("leads out of the folder" in line for line in told)


def test_folders_that_are_nested_too_deeply_are_one_line(tmp_path):
    place = tmp_path
    for _ in range(110):
        place = place / "d"
        place.mkdir()
    with pytest.raises(InputError, match="nested more than 100 deep"):
        list(texts.documents([tmp_path]))


@pytest.mark.parametrize("name", ["a.xml", "b.ris", "c.csv", "d.jsonl", "e.json", "f.txt"])
def test_a_file_is_opened_to_recognise_it_and_to_read_it(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.write_text(MADE[name])
    opened = []
    real_open = reading.open_file
    monkeypatch.setattr(
        reading, "open_file", lambda place: opened.append(place) or real_open(place)
    )
    assert len(list(texts.documents([path]).documents)) == 1
    assert len(opened) <= 4


MADE = {
    "a.xml": "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><Abstract>"
    "<AbstractText>Newts sing.</AbstractText></Abstract></Article></MedlineCitation>"
    "</PubmedArticle></PubmedArticleSet>",
    "b.ris": "TY  - JOUR\nTI  - Song\nAB  - Newts sing.\nER  - \n",
    "c.csv": "Title,Abstract\nSong,Newts sing.\n",
    "d.jsonl": ABSTRACT,
    "e.json": json.dumps([{"type": "article", "title": "Song", "abstract": "Newts sing."}]),
    "f.txt": "Newts sing.",
}


def test_a_search_names_what_it_left_out_of_a_folder(tmp_path):
    folder = tmp_path / "pile"
    folder.mkdir()
    (folder / "a.jsonl").write_text(ABSTRACT)
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(ABSTRACT.encode() * 99)[:-12])
    (folder / "c.csv").write_text("title,abstract\nSong,Newts sing.", encoding="utf-16")
    (folder / "code.py").write_text("newts = 7")
    sources = Sources(documents=[folder], index=tmp_path / "index")
    skipped, *left_out = indexed(sources).warnings
    assert "skipped 1 file without abstracts: code.py" in skipped
    # Files that may have had abstracts.
    for name, line in zip(("c.csv", "b.jsonl.gz"), left_out, strict=True):
        assert name in line
        assert line.endswith("(left out; the other files of the folder are used)")
        assert isinstance(line, LeftOut)
