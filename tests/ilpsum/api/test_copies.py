"""All that the API returns can be pickled and copied within a process and between processes: for
caches, queues and other people's pools. (Models and files are never read by pickle.)
"""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilpsum
from ilpsum import Document, Sources, Span, Summarizer, Table, Topic, resources
from ilpsum.pages.view import Answer

DEMO = resources.demo()
PILE = DEMO / "abstracts.xml"
PAPERS = ilpsum.topics_of(DEMO)
TOPIC = Topic("t", "Do newts sing?", (Document("1", "Newts sing in ponds. Toads croak."),))


def _evaluated():
    return ilpsum.evaluate({topic.id: topic.documents[0].text for topic in PAPERS}, PAPERS)


def _pair():
    texts = {topic.id: topic.documents[0].text for topic in PAPERS}
    return {"first": texts, "last": {topic: text[-900:] for topic, text in texts.items()}}


def _written(tmp_path):
    file = tmp_path / "topics.jsonl"
    file.write_text('{"id": "a", "documents": [{"id": "d", "text": "Newts sing."}]}\n{"id": \n')
    run = ilpsum.write_run(file, "concepts", tmp_path, settings={"method": "lead"})
    assert run.failed
    return run


# What each function of the API returns, by its name; a class is what calling it gives.
RESULTS = {
    "Answered": lambda _: ilpsum.ask("How does gentamicin kill kidney cells?", PILE, words=60),
    "Citance": lambda _: PAPERS[0].citances[0],
    "Judge": lambda _: ilpsum.Judge("http://localhost/v1", "newt"),
    "Document": lambda _: PAPERS[0].documents[0],
    "Passage": lambda _: ilpsum.select("Do newts sing?", ["Newts sing in ponds."])[0],
    "Passages": lambda _: ilpsum.select("Do newts sing?", ["Newts sing in ponds."], budget=9),
    "Sentence": lambda _: Summarizer.load("concepts", method="lead")(TOPIC).sentences[0],
    "Sources": lambda _: Sources([PILE], found=3),
    "Span": lambda _: Span(1, 2),
    "Summary": lambda _: Summarizer.load("concepts", method="lead")(TOPIC),
    "Table": lambda _: Table(Span, [Span(1, 2)]),
    "Topic": lambda _: PAPERS[0],
    "WrittenRun": _written,
    "ask": lambda _: ilpsum.ask("Who wrote Hamlet?", PILE).view,
    "compare": lambda _: ilpsum.compare(_pair(), PAPERS, samples=9),
    "compress": lambda _: ilpsum.compress(["The newts of Norway, which sing: a randomised trial"]),
    "evaluate": lambda _: _evaluated(),
    "link": lambda _: ilpsum.link(PAPERS[:1]),
    "scores": lambda _: ilpsum.scores(_pair(), PAPERS),
    "select": lambda _: ilpsum.select("", []),
    "summarize": lambda _: ilpsum.summarize(TOPIC.documents, words=9),
    "sweep": lambda _: ilpsum.sweep("ilp-sum-1", PAPERS, {"lambda": [0.5, 1.0]}),
    "topics_of": lambda _: ilpsum.topics_of(PILE.parent, "tac"),
    "write_run": lambda path: ilpsum.write_run(
        [TOPIC], "concepts", path, settings={"method": "lead"}
    ),
}
# Their results are compared by what they compute.
MODELS = {"Summarizer", "train", "train_links"}


def test_all_of_the_api_is_here():
    assert {*RESULTS, *MODELS, "__version__"} == set(ilpsum.__all__)


def copies(value):
    """Copies of every kind."""
    pickled = [
        pickle.loads(pickle.dumps(value, protocol))  # our own bytes
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ]
    return [*pickled, copy.copy(value), copy.deepcopy(value)]


@pytest.mark.parametrize("name", RESULTS)
def test_what_the_api_returns_has_equal_copies(name, tmp_path):
    value = RESULTS[name](tmp_path)
    if name == "Answered":
        assert isinstance(value.view, Answer)  # cached
    for other in copies(value):
        assert type(other) is type(value)
        assert repr(other) == repr(value)
        assert str(other) == str(value)
        # NaN, which no objective is, differs from itself; an error is equal to no other.
        if "nan" not in repr(value) and name != "WrittenRun":
            assert other == value
    if name == "sweep":
        assert copies(value)[0].nested == value.nested


def test_models_have_copies_of_the_same_bytes(tmp_path):
    for model in (ilpsum.train(PAPERS, "ilp-sum-1", words=60), ilpsum.train_links(PAPERS, "best")):
        model.save(tmp_path / "model.npz")
        for other in copies(model):
            other.save(tmp_path / "copy.npz")
            assert (tmp_path / "copy.npz").read_bytes() == (tmp_path / "model.npz").read_bytes()
    summarizer = Summarizer.load("ilp-sum-1", words=20)
    for other in copies(summarizer):
        assert other(PAPERS[0]).text == summarizer(PAPERS[0]).text


@given(spans=st.lists(st.builds(Span, st.integers(0), st.integers(0))))
def test_tables_of_any_records_have_equal_copies(spans):
    table = Table(Span, spans)
    for other in copies(table):
        assert other == table
        assert other.columns == table.columns == ("start", "end")
        assert other.to_dict() == table.to_dict()


def test_a_table_is_one_in_a_notebook():
    page = Table(Document, [Document("<a>", "x < y", date="2011")])._repr_html_()
    assert page.startswith("<table><tr><th>id</th><th>text</th>")
    assert "<td>&lt;a&gt;</td><td>x &lt; y</td>" in page
    assert page.count("<tr>") == 2
