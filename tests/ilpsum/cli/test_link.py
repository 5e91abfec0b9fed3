"""`ilpsum link` and `ilpsum train --query`."""

import json
import shlex

import pytest

from ilpsum.cli import main
from ilpsum.resources import demo
from ilpsum.tasks import task1

DEMO = str(demo())


def call(verb, *words):
    """The status of a command that says nothing but errors."""
    return main([verb, *map(str, words), "--quiet"])


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "best.npz"
    assert call("train", DEMO, "--query", "best", "--out", path) == 0
    return path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "SYSX1.txt"


@pytest.mark.parametrize("query", ["best", "citance", "noun-phrases", "bm25"])
def test_links_are_valid_and_complete(out, model, query, capsys):
    options = shlex.split(f"--query '{query}' --model '{model}' --out '{out}' --run-id SYSX1")
    assert call("link", DEMO, *options) == 0
    assert main(["check", str(out), "--as", "task1", "--topics", DEMO]) == 0
    assert call("evaluate", out, DEMO) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split("\t") for line in lines if line.startswith("all\t")]
    assert [row[1] for row in rows] == ["span-f1", "facet-accuracy"]
    assert all(float(row[4]) > 0.1 for row in rows)


def test_a_comparison_names_the_queries(tmp_path, model, capsys):
    runs = []
    for query in ("best", "bm25"):
        runs.append(tmp_path / f"{query}.txt")
        options = ("--query", query, "--model", model) if query == "best" else ("--query", query)
        assert call("link", DEMO, *options, "--out", runs[-1]) == 0
    assert call("compare", *runs, "--gold", DEMO) == 0
    assert "best and bm25 differ in selection (query best; query bm25)" in capsys.readouterr().out


def test_neither_gold_nor_jobs_change_the_links(out, tmp_path, model, tac_topic):
    gold, blind = tac_topic(root=tmp_path / "gold"), tac_topic(root=tmp_path / "blind", gold=False)
    texts = []
    for topics, jobs in ((gold, 1), (blind, 1), (gold, 2)):
        options = ("--model", model, "--out", out, "--jobs", jobs, "--force")
        assert call("link", topics, *options) == 0
        texts.append(out.read_bytes())
    assert texts[0] == texts[1] == texts[2]
    assert len(list(task1.read(out))) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--query no-such", "unknown query"),
        ("--query citanse", "(did you mean citance?)"),
        ("--query mesh", "--mesh"),
        ("--run-id SYSX", "run-id"),
        ("--query health-terms", "--health"),
        ("--model none.npz", "no such model"),
    ],
)
def test_wrong_usage_gives_a_one_line_error(out, tac_topic, capsys, options, message):
    assert call("link", tac_topic(), "--out", out, *options.split()) == 2
    error = capsys.readouterr().err.strip()
    assert message in error
    assert "\n" not in error
    assert not out.exists()


def test_a_broken_topic_does_not_affect_the_others(out, tmp_path, tac_topic, model, capsys):
    root = tmp_path / "topics"
    tac_topic("D9001_TEST", root=root)
    broken = tac_topic("D9002_TEST", root=root)
    (broken / "Documents_Text" / "Orrin.txt").unlink()
    assert call("link", root, "--model", model, "--out", out) == 1
    assert "D9002_TEST" in capsys.readouterr().err
    assert {link.topic for link in task1.read(out)} == {"D9001_TEST"}


def test_no_file_is_written_if_every_topic_fails(tmp_path, tac_topic, capsys):
    broken = tac_topic("D9002_TEST", root=tmp_path / "topics")
    (broken / "Documents_Text" / "Orrin.txt").unlink()
    out = tmp_path / "runs" / "out.txt"
    assert call("link", broken.parent, "--out", out) == 2
    assert f"there is no folder {out.parent}; create it" in capsys.readouterr().err
    out.parent.mkdir()
    assert call("link", broken.parent, "--out", out) == 1
    assert "D9002_TEST" in capsys.readouterr().err
    assert list(out.parent.iterdir()) == []


def test_training_needs_gold(tmp_path, tac_topic, capsys):
    blind = tac_topic(gold=False)
    assert call("train", blind, "--query", "best", "--out", tmp_path / "m.npz") == 2
    assert "expected annotated topics" in capsys.readouterr().err


def test_a_model_without_a_ranker_does_not_choose_spans(out, tmp_path, tac_topic, capsys):
    path = tmp_path / "facets.npz"
    assert call("train", tac_topic(), "--query", "citance", "--out", path) == 0
    assert call("link", tac_topic("D9003_TEST"), "--model", path, "--out", out) == 2
    assert "no learned spans" in capsys.readouterr().err


@pytest.mark.parametrize("query", ["umls", "comb-1", "comb-2"])
def test_queries_with_a_users_thesaurus(out, tmp_path, query, capsys):
    table = tmp_path / "umls.tsv"
    rows = "C1\tZinc\t\tT196\tC2\nC2\tLysosome\nC3\tProtease inhibitor\nC4\tWound healing\tulcer\n"
    table.write_text(f"ui\tname\tentry_terms\ttypes\trelated\n{rows}")
    options = shlex.split(f"--query '{query}' --umls '{table}' --out '{out}' --run-id SYSX1")
    assert main(["link", DEMO, *options]) == 0
    assert f"linked by {query}" in capsys.readouterr().err
    links = list(task1.read(out))
    assert any(link.spans for link in links)
    plain = tmp_path / "SYSX2.txt"
    assert call("link", DEMO, *shlex.split(f"--query citance --out '{plain}' --run-id SYSX2")) == 0
    assert [link.spans for link in links] != [link.spans for link in task1.read(plain)]
    assert main(["check", str(out), "--as", "task1", "--topics", DEMO]) == 0


def test_a_run_with_an_ensemble_of_facets(out, tmp_path, capsys):
    table, trained = tmp_path / "umls.tsv", tmp_path / "ensemble.npz"
    table.write_text("ui\tname\nC1\tZinc\nC2\tWound healing\n")
    query = ("--query", "published-comb-2-ensemble")
    into = ("--umls", table, "--out", out, "--run-id", "SYSX2")
    assert call("link", DEMO, *query, *into) == 2
    message = "the query published-comb-2-ensemble has no included model; train one with "
    assert message in capsys.readouterr().err
    other = tmp_path / "svm.npz"
    assert call("train", DEMO, "--query", "citance", "--out", other) == 0
    assert call("link", DEMO, *query, "--model", other, *into) == 2
    message = (
        "the model predicts facets by svm, but the query published-comb-2-ensemble by ensemble-rank"
    )
    assert message in capsys.readouterr().err
    assert call("train", DEMO, *query, "--out", trained) == 0
    assert call("link", DEMO, *query, "--model", trained, *into) == 0
    linked = {(link.topic, link.citance): link.spans for link in task1.read(out)}
    assert call("link", DEMO, *query, "--folds", 2, *into, "--force") == 0
    assert main(["check", str(out), "--as", "task1", "--topics", DEMO]) == 0
    held_out = {(link.topic, link.citance): link.spans for link in task1.read(out)}
    assert held_out == linked
    assert call("link", DEMO, "--query", "citance", "--model", trained, *into, "--force") == 2
    assert "predicts facets by ensemble-rank" in capsys.readouterr().err


def test_health_terms_of_a_file(out, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("zinc\nlysosome\nulcer\n")
    options = shlex.split(f"--query health-terms --health '{words}' --out '{out}' --run-id SYSX1")
    assert call("link", DEMO, *options) == 0
    assert any(link.spans for link in task1.read(out))


def test_a_users_query(out, tmp_path, capsys):
    mine, table = tmp_path / "mine.toml", tmp_path / "umls.tsv"
    terms, spans = '[terms]\nkeep = ["umls", "idf"]\nexpand = true', '[spans]\nranking = "bm25"'
    mine.write_text(f'description = "bigger"\n{terms}\n{spans}\n')
    table.write_text("ui\tname\nC1\tZinc\nC2\tWound healing\n")
    assert call("link", DEMO, "--query", mine, "--umls", table, "--out", out) == 0
    assert any(link.spans for link in task1.read(out))
    assert call("link", DEMO, "--query", mine, "--out", out, "--force") == 2
    assert "--umls" in capsys.readouterr().err


def test_other_facets_than_those_of_the_included_model_need_another_model(out, tmp_path, capsys):
    mine = tmp_path / "mine.toml"
    mine.write_text('description = "mine"\n[facets]\nsections = 1.0\n')
    link = ("link", DEMO, "--query", mine, "--out", out)
    assert call(*link) == 2
    error = capsys.readouterr().err.strip()
    assert "predicts facets with the weight 0 of sections, but the query mine wants 1" in error
    assert f"ilpsum train TOPICS --query {mine} --out MODEL" in error
    assert "\n" not in error
    assert not out.exists()
    trained = tmp_path / "mine.npz"
    assert call("train", DEMO, "--query", mine, "--out", trained) == 0
    assert call(*link, "--model", trained) == 0


def test_topics_without_citances_are_an_error_of_one_line(out, tmp_path, capsys):
    file = tmp_path / "q.json"
    question = {"type": "summary", "body": "Do newts sing?", "snippets": []}
    file.write_text(json.dumps({"questions": [question | {"id": name} for name in "ab"]}))
    assert main(["link", str(file), "--query", "bm25", "--out", str(out)]) == 2
    needed = "link needs TAC or CL-SciSumm topics, which have citances; the input is bioasq"
    assert capsys.readouterr().err == f"ilpsum: {needed}\n"
    assert not out.exists()
