"""`ilpsum compare` on tiny invented runs, in its two output formats."""

import csv
import json
from dataclasses import replace

import pytest

from ilpsum import scores
from ilpsum.cli import main
from ilpsum.metrics.rouge import rouge
from ilpsum.metrics.significance import bootstrap_interval
from ilpsum.records import ObjectiveSettings, RunSettings, Sentence, Summary, SystemSettings
from ilpsum.records.tables import RelevanceTable
from ilpsum.runs.provenance import summary_line
from tests.json_lines import lines_of, read_lines

GOLD = {
    "T1": "moss covers the old wall",
    "T2": "ferns need shade and water",
    "T3": "lichens are slow to grow",
}
RUNS = {
    "SYSA1": {"T1": "moss covers the wall", "T2": "ferns need water", "T3": "lichens are slow"},
    "SYSB1": {"T1": "a wall", "T2": "ferns need water", "T3": "slow to grow"},
    "SYSC1": {"T1": "the old wall", "T2": "nothing"},
}


ROUGE_1 = ["--metrics", "ROUGE-1"]
JSON_LINES = ["-o", "jsonl"]


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.jsonl"
    documents = [{"id": "d", "text": "x"}]
    rows = ({"id": t, "documents": documents, "summaries": [text]} for t, text in GOLD.items())
    path.write_text(lines_of(rows))
    return str(path)


def recall(run, topic):
    return rouge(RUNS[run].get(topic, ""), [GOLD[topic]], ["ROUGE-1"])["ROUGE-1"].recall


@pytest.fixture
def runs(tmp_path):
    for name, texts in RUNS.items():
        (tmp_path / name).mkdir()
        for topic, text in texts.items():
            (tmp_path / name / topic).write_text(text)
    return [str(tmp_path / name) for name in RUNS]


def compared(capsys, *arguments):
    assert main(["compare", *arguments]) == 0
    return capsys.readouterr().out


def test_all_intervals_have_the_samples_that_are_named(gold, runs, tmp_path, capsys):
    options = ["--gold", gold, "--metrics", "ROUGE-1", "--quiet", "--samples", "77", "--seed", "3"]
    table = compared(capsys, *runs, *options)
    assert "# intervals by bootstrap over topics, 77 samples, seed 3" in table
    assert "difference: first minus second; low, high: 95% interval of this difference" in table
    rows = map(json.loads, compared(capsys, *runs, *options, "-o", "jsonl").splitlines())
    of_runs = {row["run"]: row for row in rows if row["kind"] == "run"}
    scored = [
        rouge(RUNS["SYSC1"].get(topic, ""), [text], ["ROUGE-1"])["ROUGE-1"].recall
        for topic, text in GOLD.items()
    ]
    interval = bootstrap_interval(scored, samples=77, seed=3)
    assert of_runs["SYSC1"]["low"] == pytest.approx(interval.low, abs=1e-6)
    compared(capsys, *runs, *options, "-o", str(tmp_path / "t.csv"))
    with (tmp_path / "t.csv").open() as file:
        low = {row["run"]: float(row["low"]) for row in csv.DictReader(file)}
    assert low == {name: row["low"] for name, row in of_runs.items()}
    compared(capsys, *runs, *options, "-o", str(tmp_path / "t.md"))
    assert "95% bootstrap interval (77 samples, seed 3)" in (tmp_path / "t.md").read_text()


def test_runs_that_choose_from_different_sentences_are_named(gold, runs, tmp_path, capsys):
    places = {"SYSA1": (0, 9), "SYSB1": (0, 9), "SYSC1": (0, 7)}
    for name, (start, end) in places.items():
        candidate = Sentence("A wall.", "d", start, end, 2)
        lines = [summary_line(Summary(t, (), "", (candidate,))) for t in GOLD]
        (tmp_path / f"{name}.provenance.jsonl").write_bytes(b"".join(lines))
    said = "these runs chose from different candidate sentences: SYSA1, SYSB1 / SYSC1"
    assert main(["compare", *runs, "--gold", gold]) == 0
    assert said in capsys.readouterr().err
    assert main(["compare", *runs[:2], "--gold", gold]) == 0
    assert "candidate" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "also", "note"),
    [
        ({}, "nothing", "SYSA1 and SYSB1 differ in selection (ilp, lambda 0.8; greedy, threshold 0.4) alone."),
        (
            {"target": "precision", "model": "f00"},
            "target, model",
            "SYSA1 and SYSB1 differ in selection (ilp, lambda 0.8; greedy, threshold 0.4), "
            "target (recall; precision), model.",
        ),
    ],
)  # fmt: skip
def test_every_output_says_in_what_else_runs_differ(
    gold, runs, tmp_path, capsys, changed, also, note
):
    table = RelevanceTable(features="news")
    one = SystemSettings(method="ilp", target="recall", model="abc")
    other = replace(one, method="greedy", threshold=0.4, **changed)
    designs = {
        "SYSA1": RunSettings(system=one, objective=ObjectiveSettings(0.8), relevance=table),
        "SYSB1": RunSettings(system=other, relevance=table),
    }
    for name, settings in designs.items():
        lines = [summary_line(Summary(t, (), "", settings=settings)) for t in GOLD]
        (tmp_path / f"{name}.provenance.jsonl").write_bytes(b"".join(lines))
    options = ["--gold", gold, *ROUGE_1, "--quiet"]
    assert f"# {note}" in compared(capsys, *runs[:2], *options).splitlines()
    rows = read_lines(compared(capsys, *runs, *options, "-o", "jsonl"))
    pairs = {(row["first"], row["second"]): row for row in rows if row["kind"] == "pair"}
    assert pairs["SYSA1", "SYSB1"]["also_differ"] == also
    # The third run has no provenance.
    assert pairs["SYSA1", "SYSC1"]["also_differ"] == "unknown"
    for suffix in ("md", "tex", "svg"):
        compared(capsys, *runs[:2], *options, "-o", str(tmp_path / f"t.{suffix}"))
        text = (tmp_path / f"t.{suffix}").read_text().replace("\\", "")
        assert note in text
    csv_file = tmp_path / "t.csv"
    compared(capsys, *runs[:2], *options, "--baseline", "SYSB1", "-o", str(csv_file))
    with csv_file.open() as file:
        assert [row["also_differ"] for row in csv.DictReader(file)] == [also, ""]
    page = tmp_path / "r.html"
    assert main(["report", *runs[:2], *options[:2], "--out", str(page), "--quiet"]) == 0
    assert note in page.read_text()


def test_json_lines(gold, runs, capsys):
    rows = read_lines(compared(capsys, *runs, "--gold", gold, *ROUGE_1, *JSON_LINES, "--quiet"))
    expected = {name: sum(recall(name, topic) for topic in GOLD) / 3 for name in RUNS}
    means = {row["run"]: row["recall"] for row in rows if row["kind"] == "run"}
    assert means == pytest.approx(expected, abs=1e-6)
    pairs = {(row["first"], row["second"]): row for row in rows if row["kind"] == "pair"}
    assert list(pairs) == [("SYSA1", "SYSB1"), ("SYSA1", "SYSC1"), ("SYSB1", "SYSC1")]
    for (first, second), row in pairs.items():
        assert row["difference"] == pytest.approx(means[first] - means[second], abs=2e-6)
        assert row["wins"] + row["ties"] + row["losses"] == 3
        assert row["p_value"] is row["holm"] is None  # three topics prove nothing
        assert row["low"] - 1e-6 <= row["difference"] <= row["high"] + 1e-6
    topics = [row for row in rows if row["kind"] == "topic"]
    assert len(topics) == 9
    difference = recall("SYSA1", "T1") - recall("SYSB1", "T1")
    assert topics[0]["difference"] == pytest.approx(difference, abs=1e-6)


def test_a_readable_table(gold, runs, capsys):
    metrics = ["--metrics", "ROUGE-1,ROUGE-L"]
    out = compared(capsys, *runs, "--gold", gold, *metrics, "--quiet").splitlines()
    assert "ROUGE-1 recall over 3 topics" in out
    assert "ROUGE-L recall over 3 topics" in out
    (head,) = {line for line in out if line.startswith("first  second  difference")}
    assert head.split()[-4:] == ["wins", "ties", "losses", "also_differ"]
    assert out.count("3 topics are too few for a significance test, which needs at least 10") == 2


def test_with_a_baseline_only_its_pairs_are_compared(gold, runs, capsys):
    arguments = ["--gold", gold, "--metrics", "ROUGE-1", "--quiet"]
    for baseline in ("SYSB1", runs[1]):
        out = compared(capsys, *runs, *arguments, "--baseline", baseline, "-o", "jsonl")
        rows = read_lines(out)
        pairs = [(row["first"], row["second"]) for row in rows if row["kind"] == "pair"]
        assert pairs == [("SYSA1", "SYSB1"), ("SYSC1", "SYSB1")]
        assert {row["second"] for row in rows if row["kind"] == "topic"} == {"SYSB1"}
    table = compared(capsys, *runs, *arguments, "--baseline", "SYSB1")
    assert "corrected for the pairs with SYSB1 of a metric" in table
    assert "SYSC1 - SYSB1" in table
    assert "SYSA1 - SYSC1" not in table
    assert main(["compare", *runs, *arguments, "--baseline", "SYSX1"]) == 2
    assert "the baseline SYSX1 is not one of the runs" in capsys.readouterr().err


def test_an_oracle_is_shown_and_never_tested(gold, runs, capsys, tmp_path):
    settings = RunSettings(system=SystemSettings(method="oracle"))
    line = summary_line(Summary("T1", (), "", settings=settings))
    (tmp_path / "SYSC1.provenance.jsonl").write_bytes(line)
    arguments = [*runs, "--gold", gold, "--metrics", "ROUGE-1", "--quiet"]
    rows = read_lines(compared(capsys, *arguments, "-o", "jsonl"))
    assert [row["run"] for row in rows if row["kind"] == "run"] == ["SYSA1", "SYSB1", "SYSC1"]
    pairs = [(row["first"], row["second"]) for row in rows if row["kind"] == "pair"]
    assert pairs == [("SYSA1", "SYSB1")]
    assert "SYSC1 has seen the gold summaries" in compared(capsys, *arguments)
    assert main(["compare", *arguments, "--baseline", "SYSC1"]) == 2
    assert "is an oracle" in capsys.readouterr().err


def test_runs_with_the_same_name_are_named_by_their_paths(
    gold, runs, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "SYSB1").rename(tmp_path / "other" / "SYSA1")
    names = ["SYSA1", "other/SYSA1"]
    rows = read_lines(compared(capsys, *names, "--gold", gold, *ROUGE_1, *JSON_LINES, "--quiet"))
    assert [row["run"] for row in rows if row["kind"] == "run"] == names


@pytest.mark.parametrize(
    ("count", "complaint"), [(1, "two or more runs"), (2, "the same run is given twice")]
)
def test_a_run_is_not_compared_with_itself(gold, runs, capsys, count, complaint):
    assert main(["compare", *[runs[0]] * count, "--gold", gold, "--quiet"]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "content"),
    [("t.tex", "\\begin{tabular}"), ("t.md", "| SYSA1 |"), ("t.csv", "SYSA1,"), ("t.svg", "<svg")],
)
def test_tables_and_figures_are_files(gold, runs, capsys, tmp_path, file, content):
    path = tmp_path / file
    arguments = [*runs, "--gold", gold, "--quiet", "--baseline", "SYSB1"]
    assert compared(capsys, *arguments, "-o", str(path)) == f"{path}\n"
    assert content in path.read_text("utf-8")
    assert main(["compare", *arguments, "-o", str(tmp_path / "no" / file)]) == 2
    with pytest.raises(SystemExit):
        main(["compare", *arguments, "-o", "table.docx"])
    assert "ends in .tex, .md, .csv, .svg" in capsys.readouterr().err


def test_scores_as_a_tidy_frame(gold, runs, capsys, tmp_path):
    path = tmp_path / "scores.csv"
    compared(capsys, *runs[:2], "--gold", gold, *ROUGE_1, "--quiet", "--scores", str(path))
    rows = list(csv.DictReader(path.read_text().splitlines()))
    frame = scores(runs[:2], gold, ["ROUGE-1"]).to_dict()
    assert list(frame) == ["run", "topic", "metric", "measure", "value", "signature"]
    assert [row["run"] for row in rows] == frame["run"]
    assert {row["measure"] for row in rows} == {"recall"}
    assert [float(row["value"]) for row in rows] == frame["value"]
    assert frame["value"][0] == recall("SYSA1", "T1")
