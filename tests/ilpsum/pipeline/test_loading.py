"""The kind of a topic, and that Python and the command line use the same model for it."""

import json
import shlex
from pathlib import Path

import pytest

from ilpsum import Document, Summarizer, Topic, resources
from ilpsum.cli import main
from ilpsum.errors import ModelError
from ilpsum.learning.models import read_metadata
from ilpsum.pipeline import summarizer as loading
from ilpsum.pipeline.summarizer import shipped_models
from ilpsum.pipeline.system import System, kind_of, kind_of_all
from ilpsum.records import Citance, SearchResult
from ilpsum.runs.provenance import read_provenance
from ilpsum.tasks import ReaderOptions, read_topics

TEXTS = (
    "Velin 2 binds the wing at frost in moss snails. The wing thaws slowly in spring. Moss keeps water of the wall.",
    "In 40 snails, velin 2 lowered frost of the wing by half. No snail was harmed. Lichens were not counted at all.",
    "Frost of the wing is common in snails of the garden. We measured velin 2 in the wing of 12 snails for a year.",
)


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """A BioASQ question whose snippets come from two articles."""
    snippets = [
        {
            "text": text,
            "document": f"http://www.ncbi.nlm.nih.gov/pubmed/{1 + i % 2}",
            "beginSection": "abstract",
            "offsetInBeginSection": 1000 * i,
            "offsetInEndSection": 1000 * i + len(text),
        }
        for i, text in enumerate(TEXTS)
    ]
    questions = [
        {
            "id": "q1",
            "body": "Does velin 2 bind the wing of snails?",
            "type": "summary",
            "snippets": snippets,
        }
    ]
    path = tmp_path / "golden.json"
    path.write_text(json.dumps({"questions": questions}))
    return path


def test_the_kind_is_that_of_the_documents():
    document = Document("d", "Moss grows on walls.")
    assert (
        kind_of(Topic("t", documents=(document, Document("s", "Moss.", role="snippet"))))
        == "snippets"
    )
    assert kind_of(Topic("t", documents=(document,))) == "abstracts"
    assert kind_of(Topic("t", documents=(Document("s", "Moss.", role="merged"),))) == "merged"
    assert kind_of(Topic("t")) == "abstracts"
    assert (
        kind_of(Topic("t", documents=(Document("r", "Moss.", role="reference"), document)))
        == "papers"
    )
    assert kind_of(Topic("t", documents=(document,), kind="news")) == "single"
    assert kind_of(Topic("t", documents=(document, document), kind="news")) == "general"
    assert (
        kind_of(Topic("t", "Moss?", (document,), kind="texts", search=SearchResult(1, "moss", 1.0)))
        == "general"
    )
    assert kind_of(Topic("t", "Moss?", (document, document), kind="texts")) == "asked"
    assert kind_of(Topic("t", "Moss?", (document,), kind="answers")) == "answers"
    assert kind_of(Topic("t", documents=(document,), kind="summary")) == "abstracts"
    assert (
        kind_of(Topic("t", documents=(document,), citances=(Citance(1, "d", 0, 4, "Moss"),)))
        == "papers"
    )


def test_the_kind_of_several_is_that_of_the_first_with_documents():
    some = [Topic("a"), Topic("b", documents=(Document("d", "Moss.", role="snippet"),)), Topic("c")]
    kind, topics = kind_of_all(iter(some))
    assert (kind, list(topics)) == ("snippets", some)
    kind, topics = kind_of_all(some[:1])
    assert (kind, list(topics)) == ("abstracts", some[:1])


@pytest.mark.parametrize("system", ["concepts", "concepts-short"])
@pytest.mark.parametrize(
    ("pool", "model"), [("snippets", "snippets"), ("merged", "merged"), ("", "papers")]
)
def test_python_and_the_command_line_give_the_same_summary(
    golden, tmp_path, system, pool, model, monkeypatch
):
    loading.included_model.cache_clear()
    loaded: list[str] = []
    read = loading.SystemModel.load

    def watched(path: Path) -> object:
        loaded.append(Path(path).stem)
        return read(path)

    monkeypatch.setattr(loading.SystemModel, "load", watched)
    source, form = (golden, "bioasq") if pool else (resources.demo(), "tac")
    summarizer = Summarizer.load(system)
    assert not loaded
    topics = [
        t for t in read_topics([source], form, ReaderOptions(pool=pool)) if isinstance(t, Topic)
    ]
    made = {topic.id: summarizer(topic, 60) for topic in topics}
    assert loaded == [f"concepts-{model}"], "only the model of the kind"
    options = ["--pool", pool] if pool else []
    arguments = [
        "summarize",
        str(source),
        *options,
        *shlex.split(f"--system '{system}' --words 60 --out '{tmp_path}/out'"),
    ]
    assert main([*arguments, "--quiet"]) == 0
    (path,) = (tmp_path / "out").glob("*.provenance.jsonl")
    written = {summary.topic: summary for summary in read_provenance(path)}
    assert written.keys() == made.keys()
    for topic, summary in made.items():
        assert summary.text == written[topic].text != ""
        assert [s.relevance for s in summary.candidates] == [
            s.relevance for s in written[topic].candidates
        ]
        assert written[topic].system == summary.system == system
        for name in ("system", "objective"):
            assert getattr(written[topic].settings, name) == getattr(summary.settings, name)
        assert summary.settings.system.kind == model
    assert main([*arguments, "--quiet", "--resume"]) == 0
    assert main([*arguments, "--quiet", "--resume", "--lambda", "0.33"]) == 2
    assert set(loaded) == {f"concepts-{model}"}, (
        "also by the command line, for the settings of the run"
    )


def test_a_missing_model_of_any_kind_is_an_error_before_any_topic(tmp_path, monkeypatch, capsys):
    for kind in ("papers", "snippets"):
        (tmp_path / f"concepts-{kind}.npz").write_bytes(
            (resources.models() / f"concepts-{kind}.npz").read_bytes()
        )
    monkeypatch.setattr(resources, "models", lambda: tmp_path)
    with pytest.raises(ModelError, match=r"the system 'concepts' \(.*\) has no included model"):
        Summarizer.load("concepts")
    assert main(["summarize", str(resources.demo()), "--out", str(tmp_path / "out")]) == 2
    assert "no included model" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_command_that_trains_a_missing_model_names_the_users_file(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'description = "mine"\nbase = "ilp-sum-1-tuned"\nmodel = "none"\n', encoding="utf-8"
    )
    with pytest.raises(ModelError, match=r"`ilpsum train TOPICS --system mine\.toml --out MODEL`"):
        Summarizer.load(file)


def test_a_model_of_ones_own_serves_all_kinds_with_its_features():
    model = resources.models() / "concepts-merged.npz"
    own = Summarizer.load("concepts", model)
    text = "Velin 2 binds the wing at frost. The wing thaws slowly in spring and in the autumn of the year."
    summary = own(Topic("t", "What binds the wing?", (Document("d", text, role="snippet"),)))
    assert (summary.settings.system.kind, summary.settings.system.model) == (
        "snippets",
        read_metadata(model).digest,
    )
    with pytest.raises(ModelError, match="trained on other features"):
        Summarizer.load("concepts", resources.models() / "ilp-sum-1.npz")
    with pytest.raises(ModelError, match="no such model file"):
        Summarizer.load("concepts", "nowhere.npz")


def test_the_steps_of_a_summary_are_those_of_its_kind():
    summarizer, topic = (
        Summarizer.load("concepts"),
        Topic("t", documents=(Document("d", TEXTS[0]),)),
    )
    one = summarizer.for_kind("abstracts")
    assert summarizer.for_kind("abstracts") is one
    prepared = one.prepare(topic)
    assert one.summary(prepared, one.select(prepared, 60), 60).text == summarizer(topic, 60).text


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("ilp-sum-0-tuned", "ilp-sum-0-tuned"),
        ("gr-sum-2-tuned", "ilp-sum-2-tuned"),
    ],
)
def test_papers_have_a_model_of_their_own(name, model):
    summarizer = Summarizer.load(name)
    papers, snippets = summarizer.for_kind("papers"), summarizer.for_kind("snippets")
    assert summarizer.for_kind("abstracts") is snippets
    assert (papers.kind, snippets.kind) == ("papers", None)
    kinds = [pipeline.model.metadata.kind for pipeline in (papers, snippets) if pipeline.model]
    assert kinds == ["papers", "snippets"]
    assert (papers.system.name, papers.system.selection) == (name, snippets.system.selection)
    assert f"{model}-on-papers" in shipped_models()
    given = Summarizer.load(name, model)
    assert given.for_kind("papers") is given.for_kind("snippets")
    assert Summarizer(System.load(name), papers.model).for_kind("snippets").model is papers.model


def test_a_model_of_one_kind_of_topic_serves_a_system_of_several():
    searched = Summarizer.load("concepts", resources.models() / "concepts-searched.npz")
    assert searched.for_kind("searched").kind == "searched"
    with pytest.raises(ModelError, match="trained on other features"):
        searched.for_kind("papers")
    papers = Summarizer.load("concepts", resources.models() / "concepts-papers.npz")
    assert papers.for_kind("papers").kind == "papers"
    with pytest.raises(ModelError, match="trained on other features"):
        papers.for_kind("searched")
    with pytest.raises(ModelError, match="trained on other features"):
        Summarizer.load("concepts", resources.models() / "ilp-sum-1-tuned.npz")
