"""Python for what the command line does: the same numbers, and records that turn into columns."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import ilpsum
from ilpsum import Document, Sources, Summarizer, Topic, resources
from ilpsum.api.shortening import parse
from ilpsum.cli import main
from ilpsum.errors import ArgumentError, InputError, ModelError, UsageError
from ilpsum.records import SourceFilter
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import provenance_path
from ilpsum.runs.writer import RunWriter
from ilpsum.tasks.registry import FORMATS
from tests.json_lines import read_lines


@pytest.fixture(scope="module")
def topics():
    return ilpsum.topics_of(resources.demo())


DEMO = str(resources.demo())


def printed(capsys, verb, *words):
    """What a command prints that says nothing else."""
    assert main([verb, *map(str, words), "--quiet"]) == 0
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def summaries(topics):
    summarizer = Summarizer.load("ilp-sum-1-tuned", words=60, explained=False)
    return [summarizer(topic) for topic in topics]


def means(scores):
    return [s for s in scores if s.topic == "all"]


def test_topics_are_read_and_taken_as_they_are(topics):
    assert [topic.id for topic in topics] == ["D9001_DEMO", "D9002_DEMO", "D9003_DEMO"]
    assert ilpsum.topics_of(topics) == topics
    assert ilpsum.topics_of([topics[0], resources.demo()]) == (topics[0], *topics)


def test_a_topic_that_cannot_be_read_is_an_error(tmp_path):
    (tmp_path / "t.jsonl").write_text(
        '{"id": "a", "documents": [{"id": "d", "text": "x"}]}\n{"id": \n'
    )
    with pytest.raises(InputError, match=r"t\.jsonl"):
        ilpsum.topics_of(tmp_path / "t.jsonl")


def test_evaluate_prints_what_the_command_line_does(topics, summaries, tmp_path, capsys):
    with RunWriter(tmp_path, FORMATS["jsonl"].writer("RUN1")) as writer:
        for summary in summaries:
            writer.write(summary)
    run = tmp_path / "RUN1.jsonl"
    rows = read_lines(printed(capsys, "evaluate", run, DEMO, "-o", "jsonl"))
    scores = ilpsum.evaluate(summaries, topics)
    assert {(s.topic, s.metric, round(s.recall, 6)) for s in scores} == {
        (row["topic"], row["metric"], row["recall"]) for row in rows
    }
    named = [replace(s, run="RUN1") for s in scores]
    assert [*ilpsum.evaluate(run, DEMO, name="RUN1")] == named
    # Texts alone do not say which model they are by, nor what it was trained on.
    texts = {s.topic: s.text for s in summaries}
    plain = [
        replace(s, signature=re.sub(r"\|(trained|chosen):0/3", "", s.signature)) for s in scores
    ]
    assert [*ilpsum.evaluate(texts, topics)] == plain


def test_two_summaries_of_a_topic_are_no_run(topics, summaries):
    with pytest.raises(UsageError, match="two summaries of the topic D9001_DEMO"):
        ilpsum.evaluate([summaries[0], summaries[0]], topics)


def test_topics_without_gold_score_nothing(topics, summaries):
    with pytest.raises(InputError, match="no gold for ROUGE-2"):
        ilpsum.evaluate(summaries, [replace(topic, summaries=()) for topic in topics])


@pytest.mark.parametrize("runs", [[], {}])
def test_no_runs_have_no_scores(topics, runs):
    with pytest.raises(UsageError, match="expected one or more runs"):
        ilpsum.scores(runs, topics)


def test_a_run_on_disk_is_scored_as_the_command_line_scores_it(topics, summaries, tmp_path, capsys):
    with RunWriter(tmp_path, FORMATS["tac"].writer("RUN1")) as writer:
        for s in summaries:
            writer.write(replace(s, settings=replace(s.settings, format="tac")))
    run = tmp_path / "RUN1"
    rows = read_lines(printed(capsys, "evaluate", run, DEMO, "-o", "jsonl"))
    scores = means(ilpsum.evaluate(run, topics))
    assert [(s.signature, round(s.f1, 6)) for s in scores] == [
        (row["signature"], row["f1"]) for row in rows if row["topic"] == "all"
    ]
    assert "stem:yes|words:250" in scores[0].signature
    plain = ilpsum.evaluate(run, topics, "ROUGE-2", stem=False, words=None)
    assert "stem:no|words:all" in plain[0].signature
    (pair,) = ilpsum.compare({"a": run, "b": {t.id: "Newts." for t in topics}}, topics, ["ROUGE-2"])
    assert pair.difference == pytest.approx(scores[0].recall)


def test_topics_that_a_run_lacks_give_a_warning_and_a_run_of_other_topics_an_error(
    topics, summaries
):
    lacking = "run: not in the run, scored as empty: D9002_DEMO, D9003_DEMO"
    with pytest.warns(UserWarning, match=lacking):
        ilpsum.evaluate(summaries[:1], topics)
    with pytest.raises(InputError, match="has none of these topics"):
        ilpsum.evaluate({"X": "Zinc kills."}, topics)


def test_compare_names_each_pair_and_metric(topics, summaries):
    runs = {"own": summaries, "none": {topic.id: "Nothing at all." for topic in topics}}
    pairs = ilpsum.compare(runs, topics, ["ROUGE-1", "ROUGE-2"], words=60)
    assert [(p.metric, p.first, p.second, p.p_value) for p in pairs] == [
        ("ROUGE-1", "own", "none", None),
        ("ROUGE-2", "own", "none", None),
    ]
    (mean,) = means(ilpsum.evaluate(summaries, topics, ["ROUGE-2"], words=60))
    assert pairs[1].difference == pytest.approx(mean.recall)
    with pytest.raises(UsageError, match="two or more"):
        ilpsum.compare({"own": summaries}, topics)


def test_a_trained_model_is_used_described_and_saved(topics, tmp_path):
    model = ilpsum.train(topics, "ilp-sum-1-tuned", words=60)
    assert model.describe().startswith("trained ilp-sum-1-tuned on 3 topics, ")
    assert "cross-validated ROUGE-2/SU4" in model.describe()
    # The recipe tunes the threshold of the greedy selector.
    assert "threshold" in model.describe()
    model.save(tmp_path / "own.npz")
    texts = [
        Summarizer.load("ilp-sum-1-tuned", own, explained=False)(topics[0], 60).text
        for own in (model, tmp_path / "own.npz")
    ]
    assert texts[0] == texts[1]
    with pytest.raises(ModelError, match="trained on other features"):
        Summarizer.load("ilp-sum-0-tuned", model)


def test_a_sweep_over_selectors_and_every_lambda(topics, tmp_path):
    grid = {"method": ["ilp", "greedy"], "lambda": "path", "words": [60]}
    table = ilpsum.sweep("ilp-sum-1-tuned", topics, grid)
    rows = [(row.method, row.words, bool(row.path)) for row in table]
    assert rows == [("ilp", 60, True), ("greedy", 60, False)]
    exact = table[0]
    assert (exact.path[0].start, exact.path[-1].end) == (0.0, 1.0)
    assert exact.score == pytest.approx(max(step.score for step in exact.path))
    assert max(map(len, str(table).splitlines())) < 200
    # The file of the best setting makes the summaries that were scored.
    (tmp_path / "best.toml").write_text(exact.toml)
    best = Summarizer.load(tmp_path / "best.toml", words=60, explained=False)
    with pytest.warns(UserWarning, match="3 of 3 topics chose the settings"):
        scores = ilpsum.evaluate([best(t) for t in topics], topics, stem=True, words=60)
    assert exact.score == pytest.approx(sum(row.recall for row in means(scores)) / 2)


def test_the_file_of_a_setting_has_the_model_of_the_sweep(topics, tmp_path):
    model, file = ilpsum.train(topics[:2], "ilp-sum-1-tuned", words=60), tmp_path / "own.npz"
    with pytest.raises(UsageError, match="model: expected a path, got SystemModel"):
        ilpsum.sweep("ilp-sum-1-tuned", topics, {"lambda_": 0.4}, model=model)
    model.save(file)
    seen = []

    def progress(items, what, total=None):
        seen.append(what)
        return items

    grid = {"lambda_": 0.4, "words": 60}
    (row,) = ilpsum.sweep("ilp-sum-1-tuned", topics, grid, model=file, progress=progress)
    best = tmp_path / "best.toml"
    best.write_text(row.toml)
    named, given = (Summarizer.load(best, model, words=60) for model in (None, file))
    assert [named(t).text for t in topics] == [given(t).text for t in topics]
    assert seen
    assert row.lambda_ == 0.4


@pytest.mark.parametrize(
    ("grid", "complaint"),
    [
        ({"lambada": [0.1]}, "lambada"),
        ({"lambda": [1.5]}, r"^lambda\[0\]: expected a number of at most 1"),
        ({"C": [1.0]}, "folds to 2 or more"),
    ],
)
def test_a_grid_that_makes_no_sense(topics, grid, complaint):
    with pytest.raises(UsageError, match=complaint):
        ilpsum.sweep("ilp-sum-1-tuned", topics, grid)


def test_a_selector_and_lambda_at_load_and_at_call(topics):
    loaded = Summarizer.load(
        "ilp-sum-1-tuned", method="gain", lambda_=0.3, words=60, explained=False
    )
    other = Summarizer.load("ilp-sum-1-tuned", explained=False)
    assert loaded(topics[0]).text == other(topics[0], 60, method="gain", lambda_=0.3).text
    assert other(topics[0], 60, lambda_=0.3).settings.objective.lambda_ == 0.3
    assert other(topics[0], 60, method="greedy").status == "greedy"
    assert other(topics[0], 60).status == "optimal"


def test_links_are_those_of_the_command_line(topics, tmp_path, capsys):
    links = ilpsum.link(topics, "bm25")
    file, other = tmp_path / "links.txt", tmp_path / "own.txt"
    printed(capsys, "link", DEMO, "--query", "bm25", "--out", file)
    assert len(links) == len(file.read_text().splitlines()) == sum(len(t.citances) for t in topics)
    written = ilpsum.evaluate(file, topics)
    assert links.columns == ("topic", "citance", "spans", "facet", "run", "text")
    assert {(s.topic, s.metric) for s in written} >= {("all", "span-f1"), ("all", "facet-accuracy")}
    assert ilpsum.link(topics, "bm25", jobs=2, out=other).rows() == links.rows()
    ilpsum.link(topics, "bm25", out=other, force=True)
    scores = ilpsum.evaluate(links, topics, name=written[0].run)
    # Links in memory do not say what their model was trained on; their file's provenance does.
    for row in written.rows():
        assert "|trained:0/3|" in row["signature"]
        assert row | {"signature": row["signature"].replace("|trained:0/3", "")} in scores.rows()
    assert len(scores) == len(written)
    assert other.read_bytes() == file.read_bytes()


def test_links_need_a_paper(topics):
    with pytest.raises(InputError, match="D9001_DEMO has no reference paper"):
        ilpsum.link([replace(topics[0], documents=())], "bm25")


def test_compression(capsys, tmp_path):
    title = "Mirolone tablets for venous leg ulcers: a randomised trial in three clinics"
    file, trees = tmp_path / "t.txt", tmp_path / "trees.txt"
    file.write_text(title + "\n")

    def shown(*options):
        return printed(capsys, "compress", file, *options).strip()

    (row,) = ilpsum.compress([title])
    assert row.text == shown() != row.source
    assert row.rules
    (strict,) = ilpsum.compress([title], rules=["subtitle"], strict=True)
    assert strict.text == shown("--rules", "subtitle", "--strict")
    with pytest.raises(LookupError, match="subtitel"):
        ilpsum.compress([title], rules=["subtitel"])
    with pytest.raises(UsageError, match="expected a or b"):
        ilpsum.compress([title], variant="z")
    assert ilpsum.compress(title).rows() == ilpsum.compress([title]).rows()
    short = json.dumps(ilpsum.compress([title], max_chars=20).rows()[0])
    assert json.loads(shown("--json", "--max-chars", "20")) == json.loads(short)
    assert list(parse([title])) == printed(capsys, "compress", file, "--parse").splitlines()
    trees.write_text("".join(f"{tree}\n" for tree in parse([title])))
    (given,) = ilpsum.compress([title], trees=trees)
    assert (given.text, given.parse) == (row.text, "given")
    with pytest.raises(InputError, match="ends at line 2"):
        ilpsum.compress([title, title], trees=trees)


def test_documents_of_topics_are_found_by_a_search(tmp_path):
    searched = Sources(documents=[resources.demo() / "abstracts.xml"], index=tmp_path)
    found = ilpsum.topics_of(resources.demo() / "biogen.json", sources=searched)
    assert all(topic.documents and topic.search for topic in found)
    with pytest.raises(UsageError, match="--documents"):
        ilpsum.topics_of(resources.demo() / "biogen.json")


def test_a_table_is_a_sequence_with_columns(topics, summaries):
    scores = ilpsum.evaluate(summaries, topics, ["ROUGE-1"])
    assert [s.topic for s in scores[:2]] == ["D9001_DEMO", "D9002_DEMO"]
    columns = scores.to_dict()
    assert list(columns) == ["run", "topic", "metric", "recall", "precision", "f1", "signature"]
    assert columns["topic"][-1] == "all"
    assert json.loads(json.dumps(columns)) == columns
    assert scores.columns == tuple(columns)


QUESTION = "How does gentamicin kill kidney cells?"


def test_ask_answers_as_the_command_line_does(capsys):
    pile = str(resources.demo() / "abstracts.xml")
    assert main(["ask", QUESTION, pile, "--words", "60", "--json"]) == 0
    own = ilpsum.ask(QUESTION, pile, words=60)
    assert own.to_dict() == json.loads(capsys.readouterr().out)
    assert own.outcome == "answer"
    assert own.summary.gap == 0
    assert str(own).startswith("Gentamicin kills kidney tubule cells through zinc")


def test_every_form_and_setting_of_an_answer_is_that_of_the_command_line(capsys, tmp_path):
    pile, file = str(resources.demo() / "abstracts.xml"), tmp_path / "a.jsonl"
    options = "--words 60 --coherence all --lambda 0.4 --set order.by=score".split()
    settings = {"coherence": "all", "order.by": "score", "lambda": 0.4}
    answer = ilpsum.ask(QUESTION, pile, words=60, settings=settings)
    for form in ("text", "json", "html", "ris", "bibtex"):
        out = printed(capsys, "ask", QUESTION, pile, *options, "--to", form)
        assert answer.written(form).decode() == out
    assert printed(capsys, "ask", QUESTION, pile, *options, "-o", file) == ""
    written, seconds = json.loads(file.read_text()), "seconds"
    assert {**json.loads(answer.written("provenance")), seconds: 0} == {**written, seconds: 0}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"overlap": 0.7}, "did you mean coherence.overlap"),
        ({"selection.lambda": 2}, "selection.lambda: expected a number of at most 1"),
        ({"coherence": ["titles"]}, "coherence: expected names of rules"),
        (
            {"coherence.overlap": "all\udfff"},
            "coherence.overlap: expected Unicode text, got half of a surrogate pair at 3",
        ),
    ],
)
def test_a_setting_that_does_not_fit_is_an_argument_error(settings, message):
    with pytest.raises(ArgumentError, match=message):
        ilpsum.ask(QUESTION, resources.demo() / "abstracts.xml", settings=settings)


def test_texts_are_summarised_as_on_the_command_line(capsys):
    pile = resources.demo() / "abstracts.xml"
    assert main(["summarize", str(pile), "--words", "60", "--order", "score", "--quiet"]) == 0
    own = ilpsum.summarize(pile, words=60, settings={"order": "score"})
    assert str(own) == capsys.readouterr().out
    text = Document("a", "Newts sing in ponds at night. Their songs carry far across the water.")
    assert [s.document for s in ilpsum.summarize(text).summary] == ["a", "a"]


def test_ask_takes_documents_collections_and_filters(tmp_path):
    pile = resources.demo() / "abstracts.xml"
    held = ilpsum.ask(QUESTION, Sources(documents=[pile], index=tmp_path, found=1), words=60)
    assert len({s.document for s in held.summary}) == 1
    late = ilpsum.ask(QUESTION, Sources([pile], wanted=SourceFilter(since=2011)), words=60)
    assert min(d.date[:4] for d in late.topic.documents) >= "2011"
    texts = [Document("a", "Newts sing in ponds at night. Their songs carry far.")]
    assert ilpsum.ask("Where do newts sing?", texts).outcome == "answer"
    assert ilpsum.ask("Who wrote Hamlet?", pile).outcome == "nothing"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"settings": {"wrods": 1}}, "unknown setting 'wrods'"),
        ({"settings": {"lambda": "x"}}, "selection.lambda: expected a number"),
        (
            {"settings": {"order": "x"}},
            "order.by: unknown value 'x'; there are: answer, document, facet, score",
        ),
        ({"words": 60.5}, "words: expected a whole number, 1 or more, got 60.5"),
        ({"words": "60"}, "words: expected"),
        ({"question": None}, "question: expected text"),
        ({"sources": None}, "sources: expected .* a list of a Document or a path, got None"),
    ],
)
def test_wrong_arguments_are_named(arguments, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        ilpsum.ask(
            **{"question": "Do newts sing?", "sources": [Document("a", "Newts sing.")], **arguments}
        )


@pytest.mark.parametrize(
    ("sources", "complaint"),
    [
        ({"documents": "a.xml"}, "documents: expected a list of a path, got 'a.xml'"),
        ({"texts": "a.txt"}, "texts: expected a list"),
        ({"documents": [None]}, r"documents\[0\]: expected a path, got None"),
        ({"found": -1}, "found: expected a whole number, 1 or more"),
        ({"wanted": SourceFilter(kinds=("tiral",))}, "wanted: kinds"),
        ({"wanted": SourceFilter(since="2012")}, "wanted: since: expected"),
    ],
)
def test_sources_check_what_they_get(sources, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        Sources(**sources)


@pytest.mark.parametrize(
    ("sources", "complaint"),
    [
        ({"texts": ["x.txt"], "documents": ["y.xml"]}, "not both"),
        ({"services": ["pubmed"], "index": "i"}, "index and pmids are for documents"),
    ],
)
def test_sources_that_do_not_fit_together_are_refused_at_once(sources, complaint):
    with pytest.raises(UsageError, match=complaint):
        Sources(**sources)


def test_texts_may_be_any_iterable():
    texts = (Document(name, "Newts sing in ponds.") for name in "ab")
    assert ilpsum.ask("Where do newts sing?", texts).outcome == "answer"


def test_numbers_of_numpy_are_numbers():
    answer = ilpsum.ask(
        "Do newts sing?",
        [Document("a", "Newts sing.")],
        words=np.int64(9),
        settings={"lambda": np.float64(0.5)},
    )
    assert answer.summary.settings.objective.lambda_ == 0.5


@pytest.mark.parametrize(
    ("question", "sources", "complaint"),
    [
        (" ", Sources(["x"]), "the question is empty"),
        ("Why?", Sources(), "nothing to answer from"),
    ],
)
def test_ask_says_what_is_missing(question, sources, complaint):
    with pytest.raises(UsageError, match=complaint):
        ilpsum.ask(question, sources)


SNIPPETS = (Document("1-1", "Newts sing at night. Toads hum in the rain.", role="snippet"),)


@pytest.mark.parametrize(
    ("topic", "words", "name"),
    [
        (Topic("q", "Do newts sing?", SNIPPETS, kind="yesno"), 200, "SYS1.json"),
        (Topic("q", "Do newts sing?", SNIPPETS), 250, "SYS1.jsonl"),
        (Topic("D1", documents=(Document("p", SNIPPETS[0].text, role="reference"),)), 250, "SYS1"),
    ],
)
def test_topics_in_memory_have_the_word_limit_and_format_of_their_task(
    topic, words, name, tmp_path
):
    by_lead = {"selection.method": "lead"}
    run = ilpsum.write_run([topic], "concepts", tmp_path, settings=by_lead)
    assert run.path.name == name
    (summary,) = read_provenance(provenance_path(run.path))
    assert summary.settings.words == words
    summarizer = Summarizer.load("concepts", method="lead")
    assert summarizer(topic).settings.words == words
    assert summarizer(topic, words=20).settings.words == 20
