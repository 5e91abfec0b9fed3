"""Gold summaries alone, and runs whose files have a suffix: the tools of others write both."""

import pytest

import ilpsum
from ilpsum.cli import main
from ilpsum.errors import InputError
from ilpsum.tasks import guess, read_topics

GOLD = {"D1": "Newts sing in ponds.", "D2": "Toads croak at night."}


@pytest.fixture
def run(tmp_path):
    """A run of files named TOPIC.txt, the second as its gold."""
    folder = tmp_path / "run"
    folder.mkdir()
    for topic, text in {"D1": "Efts are young newts.", "D2": GOLD["D2"]}.items():
        (folder / f"{topic}.txt").write_text(text)
    return folder


def write(folder, names):
    folder.mkdir()
    for name, text in names.items():
        (folder / name).write_text(text)
    return folder


def golds(tmp_path):
    """The same gold as a folder, as one of TAC's names, and as JSON lines without documents."""
    yield write(tmp_path / "plain", {f"{topic}.txt": text for topic, text in GOLD.items()})
    names = {f"{topic}.A.summary.txt": text for topic, text in GOLD.items()}
    yield write(tmp_path / "tac", names)
    lines = tmp_path / "gold.jsonl"
    lines.write_text("".join(f'{{"id": "{t}", "summaries": ["{s}"]}}\n' for t, s in GOLD.items()))
    yield lines


def test_gold_alone_scores_runs_by_the_stems_of_their_files(run, tmp_path, capsys):
    for gold in golds(tmp_path):
        rows = ilpsum.evaluate(run, gold, "ROUGE-1")
        assert [(row.topic, row.recall) for row in rows] == [
            ("D1", 0.25),
            ("D2", 1.0),
            ("all", 0.625),
        ]
        assert main(["evaluate", str(run), str(gold), "--metrics", "ROUGE-1"]) == 0
        assert "D2\tROUGE-1\t1.000000" in capsys.readouterr().out


def test_several_gold_summaries_of_a_topic(tmp_path):
    names = {"D1.A.txt": "Newts sing.", "D1.B.txt": "Newts hum.", "D2.txt": "Toads."}
    first, second = read_topics([write(tmp_path / "gold", names)], "references")
    assert (first.id, first.summaries) == ("D1", ("Newts sing.", "Newts hum."))
    assert (second.id, second.summaries) == ("D2", ("Toads.",))


def test_gold_alone_is_never_guessed_for_topics(tmp_path):
    for gold in golds(tmp_path):
        assert guess(gold, gold=True) == "references"
        with pytest.raises(InputError, match="not in a known format"):
            guess(gold)


def test_a_suffix_that_the_gold_does_not_explain_stays(run):
    topics = [ilpsum.Topic(topic, summaries=(text,)) for topic, text in GOLD.items()]
    (run / "D3.txt").write_text("Olms are silent.")
    says = r"none of these topics \(it has D1.txt, the gold D1\); is this its gold\?"
    with pytest.raises(InputError, match=says):
        ilpsum.evaluate(run, topics)
    named = [ilpsum.Topic(f"{topic}.txt", summaries=(text,)) for topic, text in GOLD.items()]
    with pytest.warns(UserWarning, match="not in the gold, ignored: D3.txt"):
        *_, mean = ilpsum.evaluate(run, named, "ROUGE-1")
    assert mean.recall == 0.625


def test_a_broken_line_of_gold_is_left_out(run, tmp_path, capsys):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "D1", "summaries": ["Newts."]}\n{"id": "D2", "summary": "Toads."}\n')
    assert main(["evaluate", str(run), str(gold)]) == 1
    assert 'did you mean "summaries"?' in capsys.readouterr().err
    gold.write_text('{"id": "D1", "summaries": ["Newts."]}\n{"id": "D2", "summaries": 3}\n')
    (run / "D2.txt").unlink()
    assert main(["evaluate", str(run), str(gold)]) == 1
    assert "topic D2 cannot be read and is not scored" in capsys.readouterr().err
