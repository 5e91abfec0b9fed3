"""Runs tell which of their topics were in the training of a model."""

import re

import pytest

import ilpsum
from ilpsum.cli import main
from ilpsum.errors import InputError
from ilpsum.evaluation.sweeps.table import read_sweep
from ilpsum.learning.seen import choosing, has_chosen
from ilpsum.metrics.signature import Signature
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.summarizer import load_model
from ilpsum.pipeline.system import System
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import provenance_path, read_run
from ilpsum.runs.seen import Training, read_training, training_field, training_lines
from tests.systems import LEAD, placed

# The settings of the tuned systems were chosen on BioASQ.
CHOSE = "settings chosen by 0 of 3 topics"
SEEN = re.compile(r"(\d+) of (\d+) topics\b.*\btrain", re.I)


@pytest.fixture(scope="module")
def topics(demo):
    return sorted(str(path) for path in (demo / "topics").iterdir())


@pytest.fixture(scope="module")
def runs(topics, tmp_path_factory):
    """Runs of a model trained on two of three topics, of the included one, and of no model."""
    folder = tmp_path_factory.mktemp("seen")
    model = folder / "mine.npz"
    ilpsum.train(topics[:2], "ilp-sum-0-tuned").save(model)
    ilpsum.write_run(topics, "ilp-sum-0-tuned", folder, team="MINE", model=model)
    ilpsum.write_run(topics, "ilp-sum-0-tuned", folder, team="OURS")
    ilpsum.write_run(topics, LEAD, folder, team="LEAD")
    return folder


def test_summarize_says_how_many_topics_a_model_has_seen(topics, tmp_path):
    model, said = ilpsum.train(topics[1:], "ilp-sum-0-tuned"), []
    ilpsum.write_run(topics, "ilp-sum-0-tuned", tmp_path, model=model, warn=said.append)
    (line,) = filter(SEEN.search, said)
    assert SEEN.search(line).groups() == ("2", "3")
    assert "ilp-sum-0-tuned" in line
    assert "--folds" in line
    overlaps = [summary.seen for summary in read_provenance(provenance_path(tmp_path / "SYS1"))]
    assert overlaps == [
        {"settings": False, "ilp-sum-0-tuned": False},
        {"settings": False, "ilp-sum-0-tuned": True},
        {"settings": False, "ilp-sum-0-tuned": True},
    ]


@pytest.mark.parametrize("verb", ["evaluate", "compare", "report"])
def test_the_verbs_that_score_say_it(verb, runs, topics, tmp_path, capsys):
    arguments = {
        "evaluate": [str(runs / "MINE1"), *topics],
        "compare": [str(runs / "MINE1"), str(runs / "LEAD1"), "--gold", *topics],
        "report": [str(runs / "MINE1"), "--gold", *topics, "--out", str(tmp_path / "r.html")],
    }
    assert main([verb, *arguments[verb]]) == 0
    assert SEEN.search(capsys.readouterr().err).groups() == ("2", "3")


@pytest.mark.parametrize("output", ["table", "jsonl", "md", "tex", "svg", "csv", "scores"])
def test_every_output_of_compare_says_it(output, runs, topics, tmp_path, capsys):
    paths = [str(runs / name) for name in ("MINE1", "OURS1", "LEAD1")]
    file = tmp_path / f"c.{output}"
    named = output in ("table", "jsonl")
    asked = ["-o", output if named else str(file)]
    if output == "scores":
        asked = ["--scores", str(file)]
    assert main(["compare", *paths, "--gold", *topics, "--metrics", "ROUGE-2", *asked]) == 0
    said = capsys.readouterr().out if named else file.read_text("utf-8")
    if output in ("jsonl", "csv", "scores"):
        rows = 3 if output == "scores" else 1
        assert re.findall(r"\|trained:(\d/\d)", said) == ["2/3"] * rows + ["0/3"] * rows
    else:
        line = rf"(\w+): ((?:not )?held out: \d of \d topics) seen in training; {CHOSE}\."
        told = [("MINE1", "not held out: 2 of 3 topics"), ("OURS1", "held out: 0 of 3 topics")]
        assert re.findall(line, said) == told


def test_the_page_says_it_of_each_run(runs, topics, tmp_path, capsys):
    file = tmp_path / "r.html"
    paths = [str(runs / name) for name in ("MINE1", "OURS1", "LEAD1")]
    assert main(["report", *paths, "--gold", *topics, "--out", str(file)]) == 0
    page = file.read_text("utf-8")
    seen = f"not held out: 2 of 3 topics seen in training; {CHOSE}"
    assert f'<bdi>MINE1</bdi><small class="note">{seen}</small>' in page
    unseen = f"held out: 0 of 3 topics seen in training; {CHOSE}"
    assert f'<bdi>OURS1</bdi><small class="note">{unseen}</small>' in page
    assert "<bdi>LEAD1</bdi></th>" in page
    assert re.findall(
        r"<code>ROUGE-2[^<]*\|trained:(\d/\d)\|chosen:0/3\|[^<]*</code> (\w+)", page
    ) == [
        ("2/3", "MINE1"),
        ("0/3", "OURS1"),
    ]


def test_a_sweep_says_it_in_its_lines_rows_and_page(runs, topics, tmp_path, capsys):
    (tmp_path / "s.toml").write_text(
        placed('system = ["ilp-sum-0-tuned", "LEAD"]\n[parameters]\nwords = [50]\n')
    )
    out, page = tmp_path / "out", tmp_path / "r.html"
    asked = [str(tmp_path / "s.toml"), "--topics", *topics, "--model", str(runs / "mine.npz")]
    assert main(["sweep", *asked, "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert SEEN.search(printed.err).groups() == ("2", "3")
    swept = [read_run(out / f"{row.run}.jsonl") for row in read_sweep(out).rows]
    training = [training_field(run.training.overlaps) for run in swept]
    assert training == [{"trained": "2/3", "chosen": "0/3"}, {}]
    assert main(["report", str(out), "--out", str(page)]) == 0
    assert page.read_text("utf-8").count("not held out: 2 of 3 topics") == 1
    trained = tmp_path / "folds.toml"
    trained.write_text('system = "ilp-sum-0-tuned"\nfolds = 3\n[parameters]\nwords = [50]\n')
    out = tmp_path / "held"
    assert main(["sweep", str(trained), "--topics", *topics, "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert not SEEN.search(printed.err)
    assert "held out: 0 of 3 topics" in printed.out


@pytest.mark.parametrize("run", ["OURS1", "LEAD1"])
def test_unseen_topics_and_systems_without_a_model_are_not_reported(run, runs, topics, capsys):
    assert main(["evaluate", str(runs / run), *topics]) == 0
    printed = capsys.readouterr()
    assert not SEEN.search(printed.out + printed.err)
    assert "unknown" not in printed.err


def test_only_the_scored_topics_count(runs, topics, capsys):
    assert main(["evaluate", str(runs / "MINE1"), topics[1], topics[2]]) == 0
    assert SEEN.search(capsys.readouterr().err).groups() == ("1", "2")


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ("concepts-papers", "the model of system concepts for papers"),
        ("concepts-short-merged", "the model of system concepts-short for merged texts"),
        ("ilp-sum-2-tuned-on-papers", "the model of system ilp-sum-2-tuned for papers"),
        ("concepts-linguistics", "the model concepts-linguistics"),
        ("task2", "the model task2"),
    ],
)
def test_a_model_of_a_kind_is_named_by_its_system(model, named):
    (line,) = training_lines({"a": {model: True}})
    assert f"in the training of {named}: " in line
    (line,) = training_lines({"a": {model: None}})
    assert f"is unknown: {named} does not list" in line


@pytest.mark.filterwarnings("ignore:.*in the training of")
def test_the_signature_tells_runs_apart(runs, topics):
    def trained(run):
        (signature,) = {row.signature for row in ilpsum.evaluate(run, topics, "ROUGE-2")}
        return Signature.parse(signature).fields.get("trained")

    assert trained(runs / "MINE1") == "2/3"
    assert trained(runs / "OURS1") == "0/3"
    assert trained(runs / "LEAD1") is None
    summaries = [*read_provenance(provenance_path(runs / "MINE1"))]
    assert trained(summaries) == "2/3"


def test_what_a_model_does_not_say_is_unknown(tmp_path):
    """Provenance of ilpsum 0.3 has no marks; models of 0.3 have no topics."""
    settings = '"settings": {"system": {"name": "task2", "model": "ab12"}}'
    path = tmp_path / "R1.provenance.jsonl"
    path.write_text(
        f'{{"topic": "a", {settings}}}\n{{"topic": "b", "seen": {{"m": null, "n": true}}}}\n'
        '{"topic": "c", "settings": {"system": {"name": "lead"}}}\n{"topic": "d", "error": "x"}\n'
    )
    overlaps = read_training(path).overlaps
    assert overlaps == {"a": {"task2": None}, "b": {"m": None, "n": True}, "c": {}}
    lines = training_lines(overlaps)
    assert [("unknown" in line, bool(SEEN.search(line))) for line in lines] == [
        (True, False),
        (True, False),
        (False, True),
    ]
    assert training_field(overlaps) == {"trained": "unknown"}
    assert training_field(overlaps, ["c"]) == {}
    assert read_training(tmp_path / "none.provenance.jsonl") == Training()
    path.write_text('{"topic": "a"}\n{"topic": \n')
    with pytest.raises(InputError, match=r"R1\.provenance\.jsonl:2: expected a JSON object"):
        read_training(path)


def test_a_held_out_run_says_that_its_settings_were_chosen_on_its_topics(topics, tmp_path, capsys):
    """The models are of other folds; the best lambda of the sweep is not."""
    (best,) = ilpsum.sweep("ilp-sum-0-tuned", topics[:2], {"lambda": [0.5], "words": [60]}, folds=2)
    (tmp_path / "best.toml").write_text(best.toml)
    said = []
    held = ilpsum.write_run(
        topics, tmp_path / "best.toml", tmp_path, team="H", folds=3, warn=said.append
    )
    assert any(line.startswith("2 of 3 topics chose the settings of the system") for line in said)
    provenance = [*read_provenance(provenance_path(held.path))]
    assert [summary.seen["settings"] for summary in provenance] == [True, True, False]
    assert main(["evaluate", str(held.path), *topics]) == 0
    out, err = capsys.readouterr()
    assert "trained:0/3|chosen:2/3" in out
    assert "H1: 2 of 3 topics chose the settings" in err
    page = tmp_path / "page.html"
    assert main(["report", str(held.path), "--gold", *topics, "--out", str(page), "--quiet"]) == 0
    assert "settings chosen by 2 of 3 topics" in page.read_text("utf-8")


def test_too_many_choosing_topics_are_unknown(topics):
    few = [*ilpsum.topics_of(topics)]
    assert has_chosen(choosing(few[:1]), few[0])
    assert not has_chosen(choosing(few[:1]), few[1])
    assert has_chosen(choosing([few[0]] * 3001), few[1]) is None
    assert training_field({"a": {"settings": None}}) == {"chosen": "unknown"}


def test_included_settings_were_chosen_on_the_topics_of_their_model(topics, real_data, tmp_path):
    of_tac = ilpsum.topics_of(real_data / "tac2014")
    # With another model, as with that of a fold.
    concepts = Pipeline(System.load("concepts-papers"), load_model(System.load("task2")))
    assert {concepts.seen(topic)["settings"] for topic in of_tac} == {True}
    assert {concepts.seen(topic)["settings"] for topic in ilpsum.topics_of(topics)} == {False}
    lead = ilpsum.Summarizer.load("concepts", method="lead").for_kind("papers")
    assert lead.seen(of_tac[0]) == {}

    mine = tmp_path / "mine.toml"
    mine.write_text('base = "concepts-papers"\nchosen_on = "model ../concepts-papers"\n')
    with pytest.raises(InputError, match=r"no included model '\.\./concepts-papers'"):
        System.load(mine)
