"""Candidates out, scores in: `ilpsum candidates`, `folds`, and `summarize --relevance`."""

import csv
import json

import pytest

from ilpsum import resources
from ilpsum.cli import main
from ilpsum.pipeline.system import KINDS, System
from tests.json_lines import read_lines

DEMO = str(resources.demo())


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    path = tmp_path_factory.mktemp("pool") / "pool.jsonl"
    options = ["--system", "ilp-sum-2", "--features", "--folds", "3"]
    assert main(["candidates", DEMO, *options, "-o", str(path), "--quiet"]) == 0
    return list(read_lines(path))


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def run(tmp_path, team, *options):
    out = str(tmp_path / "runs")
    common = ["--system", "ilp-sum-2", "--to", "jsonl", "--team", team, "--out", out, "--quiet"]
    status = main(["summarize", DEMO, *common, *options])
    provenance = tmp_path / "runs" / f"{team}1.provenance.jsonl"
    lines = list(read_lines(provenance)) if provenance.exists() else []
    return status, {line["topic"]: line for line in lines}


def test_candidates_have_what_a_maker_of_scores_needs(pool, capsys):
    assert {row["topic"] for row in pool} == {row["topic"] for row in pool if row["fold"]}
    assert all(len(row["digest"]) == 16 and row["question"] for row in pool)
    assert len({tuple(row["features"]) for row in pool}) == 1
    assert main(["folds", DEMO, "--folds", "3"]) == 0
    folds = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert {row["topic"]: str(row["fold"]) for row in pool} == folds


@pytest.mark.parametrize("name", ["pool.tsv", "pool.csv"])
def test_tables_have_the_same_candidates(pool, tmp_path, name):
    path = tmp_path / name
    options = ["--system", "ilp-sum-2", "--top", "4", "-o", str(path), "--quiet"]
    assert main(["candidates", DEMO, *options]) == 0
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t" if name.endswith("tsv") else ","))
    for topic in {row["topic"] for row in pool}:
        of_topic = [row for row in pool if row["topic"] == topic]
        best = sorted(of_topic, key=lambda row: -row["relevance"])[:4]
        expected = {(row["document"], str(row["start"])) for row in best}
        assert {(r["document"], r["start"]) for r in rows if r["topic"] == topic} == expected


def test_scores_are_the_relevance_of_a_run(pool, tmp_path, capsys):
    rows = [{**row, "score": i % 7} for i, row in enumerate(pool)]
    path = written(tmp_path / "scores.jsonl", rows)
    status, run_of = run(tmp_path, "A", "--relevance", path)
    score = {(r["topic"], r["document"], r["start"], r["end"]): r["score"] for r in rows}
    assert status == 0
    for topic, line in run_of.items():
        assert line["gap"] == 0
        assert line["settings"]["system"]["relevance"].startswith("scores.jsonl sha256:")
        for c in line["candidates"]:
            assert c["relevance"] == score[topic, c["document"], c["start"], c["end"]]
    capsys.readouterr()
    assert main(["evaluate", str(tmp_path / "runs" / "A1.jsonl"), DEMO]) == 0
    captured = capsys.readouterr()
    assert "relevance from scores.jsonl" in captured.out + captured.err
    status, other = run(tmp_path, "F", "--relevance", path, "--folds", "3")
    assert status == 0
    assert [line["text"] for line in other.values()] == [line["text"] for line in run_of.values()]


@pytest.mark.parametrize("verb", ["evaluate", "compare", "report"])
def test_the_verbs_that_score_say_that_nobody_knows_what_the_maker_has_seen(
    verb, pool, tmp_path, capsys
):
    path = written(tmp_path / "scores.jsonl", [{**row, "score": row["start"]} for row in pool])
    assert run(tmp_path, "A", "--relevance", path)[0] == 0
    assert run(tmp_path, "B", "--method", "lead")[0] == 0
    first, second = (str(tmp_path / "runs" / f"{team}1.jsonl") for team in "AB")
    page = str(tmp_path / "r.html")
    arguments = {
        "evaluate": [first, DEMO],
        "compare": [first, second, "--gold", DEMO],
        "report": [first, "--gold", DEMO, "--out", page],
    }
    capsys.readouterr()
    assert main([verb, *arguments[verb]]) == 0
    said = capsys.readouterr().err
    unknown = "whether the scores are held out is unknown: the run has its relevance from scores"
    assert said.count(unknown) == 1


def test_sentences_without_a_score_are_told_once_and_a_topic_without_any_fails(
    pool, tmp_path, capsys
):
    first = pool[0]["topic"]
    rows = [
        {**row, "score": i % 7} for i, row in enumerate(pool) if i % 3 and row["topic"] != first
    ]
    status, run_of = run(tmp_path, "E", "--relevance", written(tmp_path / "s.jsonl", rows))
    said = capsys.readouterr().err
    assert status == 1
    assert said.count("no score in s.jsonl: not chosen") == 1
    assert f"topic {first} failed" in said
    scored = {(r["topic"], r["document"], r["start"]) for r in rows}
    for topic, line in run_of.items():
        for c in line.get("candidates", ()):
            assert not c["chosen"] or (topic, c["document"], c["start"]) in scored


def test_a_bad_file_ends_the_run_with_its_line(pool, tmp_path, capsys):
    rows = [{**pool[0], "score": 1}, {**pool[1], "score": "high"}]
    assert run(tmp_path, "W", "--relevance", written(tmp_path / "w.jsonl", rows))[0] == 2
    assert "w.jsonl:2: score" in capsys.readouterr().err
    rows = [{**pool[0], "score": 1, "end": 10**7, "digest": ""}]
    assert run(tmp_path, "X", "--relevance", written(tmp_path / "x.jsonl", rows))[0] == 2
    assert "x.jsonl:1: the place" in capsys.readouterr().err


def test_a_baseline_takes_no_scores(tmp_path, capsys):
    path = written(tmp_path / "s.jsonl", [])
    assert run(tmp_path, "L", "--method", "lexrank", "--relevance", path)[0] == 2
    assert "uses no relevance" in capsys.readouterr().err


def test_files_of_scores_are_compared_in_a_sweep(pool, tmp_path):
    for name, sign in (("up", 1), ("down", -1)):
        rows = [{**row, "score": sign * row["relevance"]} for row in pool]
        written(tmp_path / f"{name}.jsonl", rows)
    names = [str(tmp_path / f"{name}.jsonl") for name in ("up", "down")]
    (tmp_path / "s.toml").write_text(
        f'system = "ilp-sum-2"\n[parameters]\nrelevance.scores = {json.dumps(names)}\n'
    )
    sweep = str(tmp_path / "sweep")
    common = ["sweep", str(tmp_path / "s.toml"), "--topics", DEMO, "--out", sweep, "--quiet"]
    assert main(common) == 0
    runs = sorted((tmp_path / "sweep").glob("*.provenance.jsonl"))
    lines = [next(iter(read_lines(run))) for run in runs]
    given = {line["settings"]["system"]["relevance"].partition(" ")[0] for line in lines}
    assert given == {"up.jsonl", "down.jsonl"}
    assert len({line["text"] for line in lines}) == 2


def test_systems_lists_features_with_their_columns(capsys):
    assert main(["systems", "--features"]) == 0
    rows = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert rows["word-overlap"] == "word-overlap"
    assert len(rows["embeddings"].split()) == 18
    assert main(["systems", "--features", "--settings"]) == 2


def test_the_values_of_a_system_say_where_they_come_from(tmp_path, capsys):
    (tmp_path / "mine.toml").write_text('base = "task2"\n[selection]\nalpha = "topic"\n')
    assert main(["systems", str(tmp_path / "mine.toml"), "--resolved"]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    rows = {key: (value, origin) for kind, key, value, origin in lines if kind == "all"}
    task2 = System.load("task2")
    assert rows["selection.alpha"] == ("topic", "mine.toml")
    assert rows["relevance.features"] == (task2.relevance.features, "task2.toml")
    assert rows["selection.lambda"][1] == "tuned in training"
    assert rows["coherence.overlap"] == ("", "default")
    assert main(["systems", "concepts", "--resolved", "--json"]) == 0
    kinds = {json.loads(line)["kind"] for line in capsys.readouterr().out.splitlines()}
    assert kinds == {*KINDS}
    for wrong in (["task2"], ["--resolved"], ["task2", "--resolved", "--settings"]):
        assert main(["systems", *wrong]) == 2
