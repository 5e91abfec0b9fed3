"""Gold that cannot be used is said, by every verb that reads it, and gives no score of 0."""

import json
import tarfile
from itertools import islice

import pytest

from ilpsum import evaluate
from ilpsum.cli import main
from ilpsum.errors import InputError
from ilpsum.records import Annotation, BrokenTopic, Citance, Document, Span, Topic
from ilpsum.tasks import read_topics, readable
from ilpsum.tasks.task1 import Link
from tests.systems import placed

NEWTS = {
    "id": "a",
    "query": "q",
    "documents": [{"id": "d", "text": "Newts sing."}],
    "summaries": ["Newts sing."],
}
BROKEN = [NEWTS | {"id": 7}, NEWTS | {"summaries": "Newts sing."}]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("run", "other"):
        (tmp_path / f"{name}.jsonl").write_text('{"id": "a", "summary": "Newts sing."}\n')
    (tmp_path / "broken.jsonl").write_text("\n".join(map(json.dumps, BROKEN)))
    (tmp_path / "sweep.toml").write_text(
        placed('description = "x"\nsystem = "LEAD"\ntopics = ["broken.jsonl"]\n')
    )
    return tmp_path


@pytest.mark.parametrize(
    "call",
    [
        "evaluate run.jsonl broken.jsonl",
        "compare run.jsonl other.jsonl --gold broken.jsonl",
        "train broken.jsonl --system ilp-sum-1-tuned --out m.npz",
        "sweep sweep.toml --out swept",
    ],
)
def test_the_errors_of_broken_topics_are_told(place, capsys, call):
    assert main(call.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "no topic can be read: topic 7: broken.jsonl:1: " in line
    assert "id: expected text" in line
    assert "topic a: broken.jsonl:2: " in line
    assert "summaries: expected a list" in line
    assert "no gold" not in line


def test_topics_that_can_be_read_are_yielded():
    broken = []
    topics = [BrokenTopic(str(n), InputError(f"error {n}")) for n in range(7)]
    with pytest.raises(InputError, match=r"topic 0: error 0; .*topic 4: error 4; and 2 more$"):
        list(readable(topics, broken))
    assert broken == topics
    assert list(readable([*topics, Topic("x")], [])) == [Topic("x")]
    assert list(readable([], [])) == []


def test_the_errors_are_told_where_the_other_topics_have_no_gold(place, capsys):
    lines = [BROKEN[1], {**NEWTS, "id": "b", "summaries": []}]
    (place / "g.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert main(["evaluate", "run.jsonl", "g.jsonl"]) == 2
    told = capsys.readouterr().err
    assert "no gold for ROUGE-2" in told
    assert "1 topic cannot be read: topic a: g.jsonl:1: " in told


@pytest.mark.parametrize("text", ["Το φάρμακο είναι νέο.", "...", "新药"])
def test_texts_that_rouge_counts_nothing_of_are_told(place, capsys, text):
    (place / "g.jsonl").write_text(json.dumps(NEWTS | {"summaries": [text]}))
    assert main(["evaluate", "run.jsonl", "g.jsonl"]) == 0
    what = "without a letter or digit that ROUGE counts (A-Z, 0-9), scored as 0: a"
    assert capsys.readouterr().err.splitlines() == [f"ilpsum: gold summaries {what}"]
    (place / "g.jsonl").write_text(json.dumps(NEWTS))
    (place / "run.jsonl").write_text(json.dumps({"id": "a", "summary": text}))
    assert main(["evaluate", "run.jsonl", "g.jsonl"]) == 0
    assert capsys.readouterr().err.splitlines() == [f"ilpsum: run: texts {what}"]
    # An empty summary is none; an empty gold summary is scored.
    (place / "run.jsonl").write_text('{"id": "a", "summary": ""}')
    assert main(["evaluate", "run.jsonl", "g.jsonl"]) == 0
    assert capsys.readouterr().err == ""
    (place / "g.jsonl").write_text(json.dumps(NEWTS | {"summaries": [" "]}))
    assert main(["evaluate", "run.jsonl", "g.jsonl"]) == 0
    assert capsys.readouterr().err.splitlines() == [f"ilpsum: gold summaries {what}"]


def test_a_sweep_tells_texts_that_rouge_counts_nothing_of(place, capsys):
    lines = [NEWTS, NEWTS | {"id": "b", "summaries": ["Το φάρμακο είναι νέο."]}]
    (place / "broken.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert main(["sweep", "sweep.toml", "--out", "swept"]) == 0
    assert "gold summaries without a letter or digit that ROUGE counts" in capsys.readouterr().err


def test_training_on_targets_of_zero_is_refused(place, capsys):
    greek = "Το φάρμακο είναι νέο."
    lines = [
        NEWTS | {"id": name, "documents": [{"id": "d", "text": greek}], "summaries": [greek]}
        for name in "ab"
    ]
    (place / "g.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert main(["train", "g.jsonl", "--system", "ilp-sum-1-tuned", "--out", "m.npz"]) == 2
    assert "every training target is 0" in capsys.readouterr().err
    assert not (place / "m.npz").exists()


def of_citances(*annotations):
    """A topic with a citance for each annotation."""
    paper = Document("R", "Newts sing. Toads hum.", role="reference")
    citances = tuple(
        Citance(number, "C", 0, 5, "Newts", annotations=(annotation,))
        for number, annotation in enumerate(annotations, 1)
    )
    return Topic("t", documents=(paper,), citances=citances)


SPANS = Annotation("A", Span(0, 5), spans=(Span(0, 11),))
FACETS = Annotation("A", Span(0, 5), facets=("method",))
LINK = Link("t", 1, (Span(0, 11),), "method", "SYSX1")


@pytest.mark.parametrize(
    ("annotation", "metric", "other"),
    [
        (SPANS, "span-f1", "facet-accuracy; expected citances with annotated facets"),
        (FACETS, "facet-accuracy", "span-f1; expected citances with annotated spans"),
    ],
)
def test_a_metric_without_gold_is_skipped(annotation, metric, other):
    with pytest.warns(UserWarning, match="no gold for .* not scored") as caught:
        scores = evaluate([LINK], [of_citances(annotation)])
    name, expected = other.split("; ")
    assert str(caught[0].message) == f"no gold for {name}, which is not scored; {expected}"
    assert {(row.metric, row.f1) for row in scores} == {(metric, 1.0)}
    with pytest.raises(InputError, match=f"no gold for {name}; {expected}"):
        evaluate([LINK], [of_citances(annotation)], [name])


def test_a_citance_without_gold_for_a_metric_does_not_count():
    """The mean of facet-accuracy is over the one citance that has a facet."""
    topic = of_citances(Annotation("A", Span(0, 5), SPANS.spans, facets=("method",)), SPANS)
    links = [LINK, Link("t", 2, (Span(11, 22),), "results", "SYSX1")]
    means = {row.metric: row.f1 for row in evaluate(links, [topic]) if row.topic == "all"}
    assert means == {"span-f1": 0.5, "facet-accuracy": 1.0}


def test_scisummnet_has_spans_but_no_facets(real_data, tmp_path):
    """Facet accuracy was 0 for every run of its topics."""
    topics = []
    with tarfile.open(real_data / "scisummnet.tar.gz", "r|gz") as packed:
        for member in islice(packed, 40):
            packed.extract(member, tmp_path, filter="data")
    for topic in islice(read_topics([tmp_path / "scisummnet"]), 3):
        assert isinstance(topic, Topic)
        topics.append(topic)
    links = [
        Link(topic.id, citance.number, citance.annotations[0].spans, "method", "SYSX1")
        for topic in topics
        for citance in topic.citances
        if citance.annotations
    ]
    with pytest.warns(UserWarning, match="no gold for facet-accuracy, which is not scored"):
        scores = evaluate(links, topics)
    assert {row.metric for row in scores} == {"span-f1"}
    assert min(row.f1 for row in scores) > 0
