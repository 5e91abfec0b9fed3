"""`ilpsum link` and `ilpsum train --query`."""

import pytest

from ilpsum.cli import main
from ilpsum.resources import demo
from ilpsum.runs import task1


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "best.npz"
    assert main(["train", str(demo()), "--query", "best", "--out", str(path), "--quiet"]) == 0
    return path


@pytest.mark.parametrize("query", ["best", "citance", "noun-phrases", "bm25"])
def test_links_are_valid_and_whole(tmp_path, model, query, capsys):
    out = tmp_path / "SYSX1.txt"
    command = ["link", str(demo()), "--query", query, "--model", str(model), "--out", str(out), "--run-id", "SYSX1"]
    assert main([*command, "--quiet"]) == 0
    assert main(["check", str(out), "--as", "task1", "--topics", str(demo())]) == 0
    assert main(["evaluate", str(out), str(demo()), "--quiet"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines() if line.startswith("all\t")]
    assert [row[1] for row in rows] == ["span-f1", "facet-accuracy"]
    assert all(float(row[4]) > 0.1 for row in rows)


def test_gold_is_no_input_and_jobs_change_nothing(tmp_path, model, tac_topic):
    gold, blind = tac_topic(root=tmp_path / "gold"), tac_topic(root=tmp_path / "blind", gold=False)
    texts = []
    for i, (topics, jobs) in enumerate([(gold, "1"), (blind, "1"), (gold, "2")]):
        out = tmp_path / f"{i}.txt"
        assert main(["link", str(topics), "--model", str(model), "--out", str(out), "--jobs", jobs, "--quiet"]) == 0
        texts.append(out.read_bytes())
    assert texts[0] == texts[1] == texts[2]
    assert len(list(task1.read(tmp_path / "0.txt"))) == 3


def test_the_shipped_models_link(tmp_path, tac_topic):
    for query in ("best", "citance"):
        out = tmp_path / f"{query}.txt"
        assert (
            main(
                [
                    "link",
                    str(tac_topic(name="D9001_TEST", root=tmp_path / query)),
                    "--query",
                    query,
                    "--out",
                    str(out),
                    "--quiet",
                ]
            )
            == 0
        )
        assert len(list(task1.read(out))) == 3


def test_scisumm_topics_are_linked(tmp_path, real_data):
    out = tmp_path / "SYS1.txt"
    topics = real_data / "scisumm" / "H89-2014"
    assert main(["link", str(topics), "--out", str(out), "--quiet"]) == 0
    assert all(link.spans for link in task1.read(out))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--query", "no-such"], "unknown query"),
        (["--query", "mesh"], "--mesh"),
        (["--run-id", "SYSX"], "run-id"),
        (["--health", "a"], "--other"),
        (["--model", "none.npz"], "no such model"),
    ],
)
def test_wrong_usage_is_told_in_one_line(tmp_path, tac_topic, capsys, arguments, told):
    out = tmp_path / "out.txt"
    assert main(["link", str(tac_topic()), "--out", str(out), "--quiet", *arguments]) == 2
    error = capsys.readouterr().err.strip()
    assert told in error
    assert "\n" not in error
    assert not out.exists()


def test_a_broken_topic_costs_only_itself(tmp_path, tac_topic, model, capsys):
    root = tmp_path / "topics"
    tac_topic("D9001_TEST", root=root)
    broken = tac_topic("D9002_TEST", root=root)
    (broken / "Documents_Text" / "Orrin.txt").unlink()
    out = tmp_path / "out.txt"
    assert main(["link", str(root), "--model", str(model), "--out", str(out), "--quiet"]) == 1
    assert "D9002_TEST" in capsys.readouterr().err
    assert {link.topic for link in task1.read(out)} == {"D9001_TEST"}


def test_training_wants_gold(tmp_path, tac_topic, capsys):
    command = ["train", str(tac_topic(gold=False)), "--query", "best", "--out", str(tmp_path / "m.npz"), "--quiet"]
    assert main(command) == 2
    assert "annotated topics were expected" in capsys.readouterr().err


def test_a_model_of_facets_alone_does_not_choose_spans(tmp_path, tac_topic, capsys):
    path = tmp_path / "facets.npz"
    assert main(["train", str(tac_topic()), "--query", "citance", "--out", str(path), "--quiet"]) == 0
    assert main(["link", str(tac_topic("D9003_TEST")), "--model", str(path), "--out", str(tmp_path / "o")]) == 2
    assert "without learned spans" in capsys.readouterr().err
