"""`ilpsum link` and `ilpsum train --query`."""

import json

import pytest

from ilpsum.cli import main
from ilpsum.resources import demo
from ilpsum.tasks import task1


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "best.npz"
    assert main(["train", str(demo()), "--query", "best", "--out", str(path), "--quiet"]) == 0
    return path


@pytest.mark.parametrize("query", ["best", "citance", "noun-phrases", "bm25"])
def test_links_are_valid_and_complete(tmp_path, model, query, capsys):
    out = tmp_path / "SYSX1.txt"
    command = f"link {demo()} --query {query} --model {model} --out {out} --run-id SYSX1".split()
    assert main([*command, "--quiet"]) == 0
    assert main(["check", str(out), "--as", "task1", "--topics", str(demo())]) == 0
    assert main(["evaluate", str(out), str(demo()), "--quiet"]) == 0
    rows = [
        line.split("\t")
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("all\t")
    ]
    assert [row[1] for row in rows] == ["span-f1", "facet-accuracy"]
    assert all(float(row[4]) > 0.1 for row in rows)


def test_neither_gold_nor_jobs_change_the_links(tmp_path, model, tac_topic):
    gold, blind = tac_topic(root=tmp_path / "gold"), tac_topic(root=tmp_path / "blind", gold=False)
    texts = []
    for i, (topics, jobs) in enumerate([(gold, "1"), (blind, "1"), (gold, "2")]):
        out = tmp_path / f"{i}.txt"
        assert main(f"link {topics} --model {model} --out {out} --jobs {jobs} --quiet".split()) == 0
        texts.append(out.read_bytes())
    assert texts[0] == texts[1] == texts[2]
    assert len(list(task1.read(tmp_path / "0.txt"))) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--query", "no-such"], "unknown query"),
        (["--query", "citanse"], "(did you mean citance?)"),
        (["--query", "mesh"], "--mesh"),
        (["--run-id", "SYSX"], "run-id"),
        (["--query", "health-terms"], "--health"),
        (["--model", "none.npz"], "no such model"),
    ],
)
def test_wrong_usage_gives_a_one_line_error(tmp_path, tac_topic, capsys, arguments, message):
    out = tmp_path / "out.txt"
    assert main(["link", str(tac_topic()), "--out", str(out), "--quiet", *arguments]) == 2
    error = capsys.readouterr().err.strip()
    assert message in error
    assert "\n" not in error
    assert not out.exists()


def test_a_broken_topic_does_not_affect_the_others(tmp_path, tac_topic, model, capsys):
    root = tmp_path / "topics"
    tac_topic("D9001_TEST", root=root)
    broken = tac_topic("D9002_TEST", root=root)
    (broken / "Documents_Text" / "Orrin.txt").unlink()
    out = tmp_path / "out.txt"
    assert main(["link", str(root), "--model", str(model), "--out", str(out), "--quiet"]) == 1
    assert "D9002_TEST" in capsys.readouterr().err
    assert {link.topic for link in task1.read(out)} == {"D9001_TEST"}


def test_no_file_is_written_if_every_topic_fails(tmp_path, tac_topic, capsys):
    broken = tac_topic("D9002_TEST", root=tmp_path / "topics")
    (broken / "Documents_Text" / "Orrin.txt").unlink()
    out = tmp_path / "runs" / "out.txt"
    assert main(["link", str(broken.parent), "--out", str(out), "--quiet"]) == 1
    assert "D9002_TEST" in capsys.readouterr().err
    assert list(out.parent.iterdir()) == []


def test_training_needs_gold(tmp_path, tac_topic, capsys):
    command = f"train {tac_topic(gold=False)} --query best --out {tmp_path}/m.npz --quiet".split()
    assert main(command) == 2
    assert "expected annotated topics" in capsys.readouterr().err


def test_a_model_without_a_ranker_does_not_choose_spans(tmp_path, tac_topic, capsys):
    path = tmp_path / "facets.npz"
    assert (
        main(["train", str(tac_topic()), "--query", "citance", "--out", str(path), "--quiet"]) == 0
    )
    assert (
        main(["link", str(tac_topic("D9003_TEST")), *f"--model {path} --out {tmp_path}/o".split()])
        == 2
    )
    assert "no learned spans" in capsys.readouterr().err


@pytest.mark.parametrize("query", ["umls", "comb-1", "comb-2"])
def test_queries_with_a_users_thesaurus(tmp_path, query, capsys):
    table, out = tmp_path / "umls.tsv", tmp_path / "SYSX1.txt"
    rows = "C1\tZinc\t\tT196\tC2\nC2\tLysosome\nC3\tProtease inhibitor\nC4\tWound healing\tulcer\n"
    table.write_text(f"ui\tname\tentry_terms\ttypes\trelated\n{rows}")
    command = ["link", str(demo()), "--query", query, "--umls", str(table), "--out", str(out)]
    assert main([*command, "--run-id", "SYSX1"]) == 0
    assert f"linked by {query}" in capsys.readouterr().err
    links = list(task1.read(out))
    assert any(link.spans for link in links)
    plain = tmp_path / "SYSX2.txt"
    assert main(f"link {demo()} --query citance --out {plain} --run-id SYSX2 --quiet".split()) == 0
    assert [link.spans for link in links] != [link.spans for link in task1.read(plain)]
    assert main(["check", str(out), "--as", "task1", "--topics", str(demo())]) == 0


def test_health_terms_of_a_file(tmp_path):
    words, out = tmp_path / "words.txt", tmp_path / "SYSX1.txt"
    words.write_text("zinc\nlysosome\nulcer\n")
    command = f"link {demo()} --query health-terms --health {words} --out {out}".split()
    assert main([*command, "--run-id", "SYSX1", "--quiet"]) == 0
    assert any(link.spans for link in task1.read(out))


def test_a_users_query(tmp_path, capsys):
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'description = "bigger"\n[terms]\nkeep = ["umls", "idf"]\nexpand = true\n[spans]\nranking = "bm25"\n'
    )
    out = tmp_path / "SYSX1.txt"
    table = tmp_path / "umls.tsv"
    table.write_text("ui\tname\nC1\tZinc\nC2\tWound healing\n")
    assert main(f"link {demo()} --query {mine} --umls {table} --out {out} --quiet".split()) == 0
    assert any(link.spans for link in task1.read(out))
    assert (
        main(["link", str(demo()), "--query", str(mine), "--out", str(out), "--force", "--quiet"])
        == 2
    )
    assert "--umls" in capsys.readouterr().err


def test_other_facets_than_those_of_the_included_model_need_another_model(tmp_path, capsys):
    mine, out = tmp_path / "mine.toml", tmp_path / "SYS1.txt"
    mine.write_text('description = "mine"\n[facets]\nsections = 1.0\n')
    link = ["link", str(demo()), "--query", str(mine), "--out", str(out), "--quiet"]
    assert main(link) == 2
    error = capsys.readouterr().err.strip()
    assert "predicts facets with the weight 0 of sections, but the query mine wants 1" in error
    assert f"ilpsum train TOPICS --query {mine} --out MODEL" in error
    assert "\n" not in error
    assert not out.exists()
    trained = str(tmp_path / "mine.npz")
    assert main(["train", str(demo()), "--query", str(mine), "--out", trained, "--quiet"]) == 0
    assert main([*link, "--model", trained]) == 0


def test_topics_without_citances_are_an_error_of_one_line(tmp_path, capsys):
    questions = tmp_path / "q.json"
    asked = [
        {"id": i, "type": "summary", "body": "Do newts sing?", "snippets": []} for i in ("a", "b")
    ]
    questions.write_text(json.dumps({"questions": asked}))
    out = tmp_path / "SYS1.txt"
    assert main(["link", str(questions), "--query", "bm25", "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert (
        error
        == "ilpsum: link needs TAC or CL-SciSumm topics, which have citances; the input is bioasq\n"
    )
    assert not out.exists()
