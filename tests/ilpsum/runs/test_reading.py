"""Runs are read in every format, and anything else gives an error of one line."""

import gzip
import io
import json
import random
import re
import tarfile
from pathlib import Path

import pytest

from ilpsum.cli import main
from ilpsum.errors import InputError
from ilpsum.records import Span, Summary
from ilpsum.resources import demo
from ilpsum.runs.provenance import read_provenance, summary_line
from ilpsum.runs.reading import (
    LinkRun,
    SummaryRun,
    likely_format,
    link_provenance_path,
    provenance_path,
    read_run,
    run_name,
)
from ilpsum.tasks import guess, read_topics
from ilpsum.tasks.registry import CHECKED, WRITTEN
from tests.json_lines import lines_of

LINES_2025 = '{"metadata": {"topic_id": "1"}, "responses": []}\n'
TEXTS = {"T1": "Moss grows.\nIt is green.", "T2": "", "T3": "Na\u00efve cells."}


@pytest.fixture
def directory(tmp_path):
    folder = tmp_path / "SYSX1"
    folder.mkdir()
    for topic, text in TEXTS.items():
        (folder / topic).write_text(text, encoding="utf-8")
    return folder


def write(path, text):
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def bioasq(texts):
    answers = [
        {"id": t, "ideal_answer": [text, "another"] if text else []} for t, text in texts.items()
    ]
    return json.dumps({"username": "someone", "questions": answers})


def test_a_directory(directory):
    assert read_run(directory) == SummaryRun("SYSX1", TEXTS)


def test_hidden_files_of_a_directory_are_skipped(directory):
    (directory / ".DS_Store").write_text("x")
    assert read_run(directory).texts == TEXTS


@pytest.mark.parametrize(("ending", "mode"), [(".tar.gz", "w:gz"), (".tar", "w")])
def test_an_archive(directory, tmp_path, ending, mode):
    path = tmp_path / f"SYSX1{ending}"
    with tarfile.open(path, mode) as archive:
        archive.add(directory, "SYSX1")
    assert read_run(path) == SummaryRun("SYSX1", TEXTS)


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
def test_a_bioasq_submission(tmp_path, ending):
    run = read_run(write(tmp_path / f"SYSX1{ending}", bioasq(TEXTS)))
    assert (run.name, run.texts) == ("SYSX1", TEXTS)
    assert run.warnings == [f"{tmp_path / f'SYSX1{ending}'}: T2: no ideal_answer"]


def test_json_lines(tmp_path):
    lines = lines_of({"id": topic, "summary": text} for topic, text in TEXTS.items())
    assert read_run(write(tmp_path / "SYSX1.jsonl", lines)) == SummaryRun("SYSX1", TEXTS)


def test_line_ends_and_byte_order_marks(directory):
    (directory / "T1").write_bytes(b"\xef\xbb\xbfMoss grows.\r\nIt is green.")
    (directory / "T3").write_bytes("Na\u00efve cells.".encode("cp1252"))
    run = read_run(directory)
    assert run.texts == TEXTS
    assert len(run.warnings) == 1
    assert "T3: not UTF-8" in run.warnings[0]


def test_of_a_topic_that_appears_twice_the_first_counts(tmp_path):
    lines = '{"id": "T1", "summary": "first"}\n{"id": "T1", "summary": "second"}\n'
    run = read_run(write(tmp_path / "run.jsonl", lines))
    assert run.texts == {"T1": "first"}
    assert "T1: appears twice" in run.warnings[0]


LINKS = """T1 | 1 | ['10-20', '31-40'] | moss ... p(a|b) is green | Results_Citation | SYSX1

Topic ID: T1 | Citance Number: 2 | Reference Offset: 5-9 | Reference Text: m | Discourse Facet: Methods | Run ID: X1 |
T2 | 1 | [] | | Method_Citation | SYSX1
"""


def test_a_task_1_file(tmp_path):
    run = read_run(write(tmp_path / "SYSX1.txt", LINKS))
    assert isinstance(run, LinkRun)
    assert {key: (link.spans, link.facet) for key, link in run.links.items()} == {
        ("T1", 1): ((Span(10, 20), Span(31, 40)), "results"),
        ("T1", 2): ((Span(5, 9),), "method"),
        ("T2", 1): ((), "method"),
    }


def test_of_a_citance_that_appears_twice_the_first_counts(tmp_path):
    line = "T1 | 1 | ['10-20'] | moss | Results_Citation | SYSX1\n"
    run = read_run(write(tmp_path / "SYSX1.txt", line + line.replace("10-20", "1-2")))
    assert run.links["T1", 1].spans == (Span(10, 20),)
    assert "SYSX1.txt: T1 citance 1 appears twice" in run.warnings[0]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.txt", "just a text\n", "not a run"),
        ("a.txt", "T1 | 1 | ['10-20'] | moss\n", r"a\.txt:1: 4 fields"),
        (
            "a.txt",
            "\nT1 | one | ['10-20'] | moss | Results_Citation | X\n",
            r"a\.txt:2: .*not a number",
        ),
        (
            "a.txt",
            "T1 | 1 | ['20-10'] | moss | Results_Citation | X\n",
            r"a\.txt:1: .*START before END",
        ),
        ("a.txt", "T1 | 1 | ['10-20'] | moss | Guess_Citation | X\n", r"a\.txt:1: .*unknown facet"),
        (
            "a.json",
            '{"questions": [{"id": "q1", "ideal_answer": 5}]}',
            r"a\.json:1: .*ideal_answer",
        ),
        ("a.json", '{"questions": [{"id": "q1",', "not valid JSON"),
        ("a.json", '{"questions": []}', "no summaries"),
        (
            "a.jsonl",
            '{"id": "T1", "summary": "x"}\n{"id": "T2"}\n',
            r"a\.jsonl:2: .*the key summary is missing",
        ),
        ("a.jsonl", '{"id": "T1", "summary": "x"}\n{"id"\n', r"a\.jsonl:2: not valid JSON"),
    ],
)
def test_other_files_give_an_error_of_one_line(tmp_path, name, text, complaint):
    with pytest.raises(InputError, match=complaint) as error:
        read_run(write(tmp_path / name, text))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("ending", ["run.json.gz", "run.tar.gz", "run.txt.gz"])
@pytest.mark.parametrize("share", [0.4, 0.9])
def test_a_gzip_file_that_is_cut_off_says_so_however_short(directory, tmp_path, ending, share):
    data = b"{" + bytes(random.Random(1).choices(b"abcde ", k=9000))
    if ending == "run.json.gz":
        data = b'{"questions": [' + data
    if ending == "run.tar.gz":
        with tarfile.open(tmp_path / "run.tar", "w") as tar:
            tar.add(directory, "run")
        data = (tmp_path / "run.tar").read_bytes()
    whole = gzip.compress(data)
    path = tmp_path / ending
    path.write_bytes(whole[: int(len(whole) * share)])
    for read in (read_run, guess):
        with pytest.raises(InputError, match=r"the gzip data are cut off; copy or download"):
            read_all(read(path), path)


def read_all(form: object, path: Path) -> None:
    """Read the topics of the format that was guessed for a file."""
    assert isinstance(form, str)
    list(read_topics(path, form))


def test_a_folder_of_runs_is_not_a_run(directory, tmp_path):
    with pytest.raises(InputError, match="not a run: it has folders, such as SYSX1; expected"):
        read_run(directory.parent)


def test_a_run_of_one_file_without_its_extension(tmp_path):
    path = write(tmp_path / "SYSX1.json", bioasq(TEXTS))
    write(tmp_path / "SYSX1.provenance.jsonl", '{"topic": "T1"}\n')
    assert read_run(tmp_path / "SYSX1") == read_run(path)
    write(tmp_path / "SYSX1.jsonl", '{"id": "T1", "summary": "x"}\n')
    with pytest.raises(InputError, match="no such run"):
        read_run(tmp_path / "SYSX1")


def test_a_wrong_extension_is_told_with_the_right_one(tmp_path, capsys):
    write(tmp_path / "GEN1.jsonl", LINES_2025)
    said = r"no such run; expected .* \(did you mean GEN1.jsonl\?\)"
    with pytest.raises(InputError, match=said):
        read_run(tmp_path / "GEN1.json")
    for form in ("biogen-2025", "tac"):
        assert main(["check", str(tmp_path / "GEN1.json"), "--as", form]) == 2
        assert re.search(said, capsys.readouterr().err)


def test_a_folder_of_runs_is_no_run(tmp_path):
    write(tmp_path / "SYSX1.json", bioasq(TEXTS))
    write(tmp_path / "SYSX1.provenance.jsonl", '{"topic": "T1"}\n')
    with pytest.raises(InputError, match=r"a folder of runs.*SYSX1$") as told:
        read_run(tmp_path)
    assert told.value.file == tmp_path


def test_an_empty_or_missing_run(tmp_path):
    (tmp_path / "empty").mkdir()
    for name, complaint in (("empty", "no summaries"), ("none", "no such run")):
        with pytest.raises(InputError, match=complaint):
            read_run(tmp_path / name)


def test_archives_with_links_or_endless_files(tmp_path):
    path = tmp_path / "SYSX1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("SYSX1/T1")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    with pytest.raises(InputError, match=r"SYSX1/T1: a link"):
        read_run(path)
    with tarfile.open(path, "w:gz") as archive:
        endless = tarfile.TarInfo("SYSX1/T1")
        endless.size = 40 * 2**20
        archive.addfile(endless, io.BytesIO(bytes(endless.size)))
    with pytest.raises(InputError, match="endless"):
        read_run(path)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (bioasq(TEXTS), "bioasq"),
        ('{"team_id": "T", "results": []}', "biogen-2024"),
        (LINES_2025, "biogen-2025"),
        ('{"id": "T1", "summary": ""}', "jsonl"),
        (LINKS, "task1"),
        ("just a text", ""),
        ("", ""),
    ],
)
def test_formats_are_recognised(tmp_path, text, form):
    assert likely_format(write(tmp_path / "run", text)) == form
    assert likely_format(tmp_path) == "tac"


@pytest.mark.parametrize(
    ("text", "form", "likely"),
    [
        (bioasq(TEXTS), "biogen-2024", "bioasq"),
        (LINES_2025, "biogen-2024", "biogen-2025"),
        (LINKS, "tac", "task1"),
        ('{"id": "T1", "summary": ""}', "bioasq", ""),  # JSON lines have no check
        ('{"questions": [{"id": 3}]}', "bioasq", ""),
    ],
)
def test_the_verdict_names_the_likely_format(tmp_path, capsys, text, form, likely):
    path = write(tmp_path / "run", text)
    assert main(["check", str(path), "--as", form]) == 1
    verdict = capsys.readouterr().err
    assert verdict.endswith(
        f" as {form}; it looks like {likely}: try --as {likely}\n" if likely else f" as {form}\n"
    )


@pytest.mark.parametrize(
    ("verb", "option", "name", "known", "near"),
    [
        ("check", "--as", "bioask", CHECKED, "bioasq"),
        ("check", "--as", "json", CHECKED, ""),
        ("summarize", "--to", "task", WRITTEN, ""),
        ("summarize", "--to", "taks1", WRITTEN, ""),
    ],
)
def test_an_unknown_format_lists_and_suggests_those_of_the_verb(
    tmp_path, capsys, verb, option, name, known, near
):
    out = ["--method", "lead", "--out", str(tmp_path / "o")] if verb == "summarize" else []
    assert main([verb, str(demo()), option, name, *out]) == 2
    hint = f" (did you mean {near}?)" if near else ""
    names = ", ".join(known)
    assert capsys.readouterr().err == f"ilpsum: unknown format '{name}'{hint}; there are: {names}\n"


def test_a_directory_checked_as_a_file_is_suggested_as_tac(directory, capsys):
    for form in ("bioasq", "task1"):
        assert main(["check", str(directory), "--as", form]) == 2
        assert capsys.readouterr().err.endswith("; it looks like tac: try --as tac\n")
    assert main(["check", str(directory / "none"), "--as", "bioasq"]) == 2
    assert "looks like" not in capsys.readouterr().err


def test_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_name("x/team.v2-1.tar.gz") == "team.v2-1"
    assert run_name("SYSX1/") == "SYSX1"
    beside = Path("x/SYSX1.provenance.jsonl")
    assert provenance_path("x/SYSX1.json") == provenance_path("x/SYSX1/") == beside
    # A link's run, and its provenance, are where it leads.
    Path("x").mkdir()
    Path("best").symlink_to("x/SYSX1")
    assert provenance_path("best") == tmp_path / beside
    root = Path(tmp_path.anchor)
    assert provenance_path(root) == link_provenance_path(root) == root / ".provenance.jsonl"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"objective": "x"}, "objective: expected a number, got text"),
        ({"gap": 1e40}, "a number beyond 1e\\+30"),
        ({"topic": 5}, "topic: expected text, got a whole number"),
        ({"candidates": 5}, "a value has the wrong type"),
        ({"candidates": [{"features": []}]}, "'chosen' is missing"),
        ({"version": 99}, "provenance of version 99, expected 4; update ilpsum"),
    ],
)
def test_provenance_that_does_not_fit_is_refused_with_its_line(tmp_path, changes, said):
    line = json.loads(summary_line(Summary("T1", (), "Moss grows.")))
    path = write(
        tmp_path / "SYSX1.provenance.jsonl",
        json.dumps(line) + "\n" + json.dumps({**line, **changes}),
    )
    with pytest.raises(
        InputError, match=rf"jsonl:2: expected a JSON object of provenance .*{said}"
    ):
        list(read_provenance(path))


@pytest.mark.parametrize("bom", [True, False])
@pytest.mark.parametrize("form", ["directory", "task1"])
def test_utf_16_is_refused(form, bom, directory, tmp_path):
    text = "Moss grows." if form == "directory" else "D1 | 1 | ['0-5'] | x | Results_Citation | X1"
    data = text.encode("utf-16" if bom else "utf-16-le")
    path = directory if form == "directory" else tmp_path / "X1"
    (directory / "T1" if form == "directory" else path).write_bytes(data)
    with pytest.raises(InputError, match="UTF-16"):
        read_run(path)


def test_a_task_1_file_may_have_any_white_space(tmp_path):
    line = "D1 | 1 | ['0-5'] | 5\u00a0mg\u2009per\tday\u200b | Results_Citation | X1\n"
    (run,) = (read_run(write(tmp_path / "X1", line)),)
    assert isinstance(run, LinkRun)
    assert list(run.links) == [("D1", 1)]


@pytest.mark.parametrize(
    "more",
    [
        '"metadata": {"lambda": 0.5}',
        '"results": []',
        '"sentences": [{"metadata": {"questions": []}, "results": [1]}]',
        '"note": "\\"questions\\": ["',
    ],
)
def test_keys_of_ours_do_not_make_a_run_one_of_biogen(more, tmp_path):
    line = f'{{"id": "t", {more}, "summary": "Newts sing."}}'
    assert read_run(write(tmp_path / "mine.jsonl", line)).texts == {"t": "Newts sing."}
    assert likely_format(write(tmp_path / "nested.jsonl", f'{{"id": {{{more}}}}}')) == "jsonl"


def test_summaries_in_see_are_their_sentences(directory):
    lines = [
        '<html><head><title>T1</title></head><body bgcolor="white">',
        '<a name="1">[1]</a> <a href="#1" id=1>Moss grows &amp; spreads.</a>',
        '<a size="4" name="2">[2]</a> <a href="#2" id=2>It is <b>green</b>.</a>',
        "</body></html>",
    ]
    (directory / "T1").write_text("\n".join(lines))
    # As in ROUGE-1.5.5: a sentence ends at a tag, and entities stay.
    assert read_run(directory).texts["T1"] == "Moss grows &amp; spreads.\nIt is"
