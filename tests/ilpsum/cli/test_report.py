"""`ilpsum report` from the command line."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from ilpsum.cli import main
from ilpsum.records import Sentence, Summary
from ilpsum.runs.provenance import summary_line
from tests.json_lines import lines_of, read_lines

TEXT = "Moss covers the old wall. Ferns need shade."


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.jsonl"
    topics = [
        {"id": "T1", "documents": [{"id": "d", "text": TEXT}], "summaries": ["moss covers walls"]},
        {"id": "T2", "documents": [{"id": "d", "text": TEXT}]},
    ]
    path.write_text(lines_of(topics))
    return str(path)


@pytest.fixture
def runs(tmp_path):
    """Two runs, the first with provenance."""
    sentence = Sentence("Moss covers the old wall.", "d", 0, 25, 5)
    for name in ("SYSA1", "SYSB1"):
        (tmp_path / name).mkdir()
        for topic in ("T1", "T2"):
            (tmp_path / name / topic).write_text(sentence.text)
    lines = [
        summary_line(Summary(t, (sentence,), sentence.text, (sentence,), (0,), "ilp"))
        for t in ("T1", "T2")
    ]
    (tmp_path / "SYSA1.provenance.jsonl").write_bytes(b"".join(lines))
    return [str(tmp_path / name) for name in ("SYSA1", "SYSB1")]


def test_it_writes_the_page_and_prints_its_path(gold, runs, tmp_path, capsys):
    out = str(tmp_path / "report.html")
    assert main(["report", *runs, "--gold", gold, "--out", out]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{out}\n"
    assert "no provenance beside SYSB1" in printed.err
    assert "not scored, without gold: T2" in printed.err
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Moss covers the old wall." in page
    assert "ROUGE-SU4" in page
    assert "SYSA1 −\N{NO-BREAK SPACE}SYSB1" in page


def test_a_run_with_the_provenance_of_another_is_told(runs, tmp_path, capsys):
    (tmp_path / "SYSA1" / "T2").write_text("Ferns need shade.")
    assert main(["report", *runs, "--out", str(tmp_path / "report.html")]) == 0
    told = capsys.readouterr().err
    assert "SYSA1: texts that are not those of its provenance: 1 of 2;" in told
    assert "SYSB1: texts" not in told


def test_the_same_bytes_again(gold, runs, tmp_path):
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for page in pages:
        assert main(["report", *runs, "--gold", gold, "--quiet", "--out", str(page)]) == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert not re.search(r"20\d\d-\d\d-\d\d", pages[0].read_text("utf-8"))
    assert not [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")]


def test_without_gold_there_are_no_scores(runs, tmp_path, capsys):
    out = tmp_path / "report.html"
    assert main(["report", runs[0], "--out", str(out)]) == 0
    assert "no gold: no scores" in capsys.readouterr().err
    assert "ROUGE" not in out.read_text("utf-8")


def test_metrics_and_measure_can_be_chosen(gold, runs, tmp_path):
    out = tmp_path / "report.html"
    wanted = ["--metrics", "ROUGE-1", "--measure", "f1"]
    assert main(["report", runs[0], "--gold", gold, *wanted, "--quiet", "--out", str(out)]) == 0
    page = out.read_text("utf-8")
    assert "ROUGE-1 f1" in page
    assert "ROUGE-2" not in page


def test_a_topic_that_cannot_be_read_is_a_failure(gold, runs, tmp_path, capsys):
    with open(gold, "a") as file:
        file.write("{broken\n")
    assert main(["report", runs[0], "--gold", gold, "--out", str(tmp_path / "r.html")]) == 1
    assert "gold.jsonl" in capsys.readouterr().err


def test_what_cannot_be_shown_is_an_error_of_one_line(gold, runs, tmp_path, capsys):
    links = tmp_path / "SYSA1.txt"
    line = "Topic ID: T1 | Citance Number: 1 | Reference Offset: ['0-3'] | Reference Text: x | Discourse Facet: "
    links.write_text(line + "Method_Citation | Run ID: SYSA1 | \n")
    rows = tmp_path / "sweep" / "sweep.jsonl"
    rows.parent.mkdir()
    rows.write_text('{"kind":"scoring"}\n')
    for arguments, complaint in (
        ([str(links)], "contains links"),
        ([str(rows)], f"is a file of a sweep: name its folder, {rows.parent}"),
        ([runs[0], runs[0]], "the same run is given twice"),
        ([str(tmp_path / "none")], "no such run"),
    ):
        assert main(["report", *arguments, "--quiet", "--out", str(tmp_path / "r.html")]) == 2
        assert complaint in capsys.readouterr().err
    for out in (tmp_path / "none" / "r.html", tmp_path):
        assert main(["report", runs[0], "--quiet", "--out", str(out)]) == 2
        assert "folder" in capsys.readouterr().err


def test_only_an_earlier_page_is_replaced(gold, runs, tmp_path, capsys):
    one, page = tmp_path / "one.jsonl", tmp_path / "r.html"
    one.write_text(lines_of([{"id": "T1", "summary": TEXT}]))
    page.write_text("<!DOCTYPE HTML>\nan older one")
    provenance = tmp_path / "SYSA1.provenance.jsonl"
    for name, run in ((one, str(one)), (gold, runs[0]), (provenance, runs[0])):
        before = Path(name).read_bytes()
        assert main(["report", run, "--gold", gold, "--quiet", "--out", str(name)]) == 2
        error = capsys.readouterr().err.strip()
        assert "exists and ilpsum did not write it" in error
        assert "\n" not in error
        assert Path(name).read_bytes() == before
    for _ in range(2):
        assert main(["report", runs[0], "--gold", gold, "--quiet", "--out", str(page)]) == 0
    assert "ROUGE-SU4" in page.read_text("utf-8")


def test_evaluate_compare_and_report_print_the_same_numbers(demo, tmp_path, capsys):
    """With the same options or none: by default a run of TAC's format is scored as that format says."""
    out = str(shutil.copytree(demo, tmp_path / "demo"))
    run, lead, topics, page = f"{out}/DEMO1", f"{out}/LEAD1", f"{out}/topics", tmp_path / "r.html"
    system = shlex.split(f"--method lead --team LEAD --out '{out}' --quiet")
    assert main(["summarize", topics, *system]) == 0
    for options, signature in (
        ("--quiet", "stem:yes|words:250"),
        ("--no-stem --words 0 --quiet", "stem:no|words:all"),
        ("--words 90 --metrics ROUGE-1 --quiet", "stem:yes|words:90"),
    ):
        given = options.split()
        capsys.readouterr()
        assert main(["evaluate", run, topics, *given]) == 0
        printed = capsys.readouterr().out
        assert signature in printed
        means = {row[1]: row[2] for row in map(str.split, printed.splitlines()) if row[0] == "all"}
        assert means
        gold = ["--gold", topics, *given]
        assert main(["compare", run, lead, *gold, "-o", "jsonl"]) == 0
        rows = read_lines(capsys.readouterr().out)
        compared = [row for row in rows if row["kind"] == "run" and row["run"] == "DEMO1"]
        assert {row["metric"]: f"{row['recall']:.6f}" for row in compared} == means
        assert all(signature in row["signature"] for row in compared)
        assert main(["report", run, lead, *gold, "--out", str(page)]) == 0
        html = page.read_text("utf-8")
        # One signature a metric and a run: it says what the run's model has seen.
        assert html.count(signature) == 2 * len(means)
        shown = {f"{float(value):.6f}" for value in re.findall(r'data-value="([^"]+)"', html)}
        assert {*means.values()} <= shown


def test_a_run_that_names_no_format_is_scored_as_rouge_does_without_options(gold, runs, capsys):
    assert main(["evaluate", runs[1], gold, "--quiet"]) == 0
    assert "stem:no|words:all" in capsys.readouterr().out
