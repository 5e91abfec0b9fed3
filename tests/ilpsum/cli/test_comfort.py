"""Small services of the command line: selectors to compare, models and sweeps by name, versions, progress, hints."""

import gzip
import shlex
import sys

import pytest

from ilpsum import Summarizer, resources
from ilpsum.cli import VERBS, full_parser, main, terminal
from ilpsum.errors import UsageError
from ilpsum.evaluation.sweeps.plan import Sweep, plan
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import KINDS, System
from ilpsum.records import Document, Topic
from ilpsum.tasks import read_topics
from tests.json_lines import read_lines
from tests.systems import GREEDY, LEAD

DEMO = str(resources.demo())
SNIPPET = Document("1-1", "Newts sing in ponds at night.", role="snippet")
SNIPPETS = Topic("q", "Do newts sing?", (SNIPPET,))


def test_the_method_changes_the_selector_and_keeps_the_model(tmp_path):
    found = {}
    for method in ("ilp", "greedy"):
        options = shlex.split(f"--method '{method}' --out '{tmp_path}' --team '{method}' --quiet")
        assert main(["summarize", DEMO, *options]) == 0
        found[method] = read_lines(tmp_path / f"{method}1.provenance.jsonl")
    for records in zip(found["ilp"], found["greedy"], strict=True):
        exact, greedy = (record["settings"]["system"] for record in records)
        assert (exact["method"], greedy["method"]) == ("ilp", "greedy")
        assert exact["model"] == greedy["model"] != ""
        relevances = [[c["relevance"] for c in record["candidates"]] for record in records]
        assert relevances[0] == relevances[1]
        assert sum(c["words"] for c in records[1]["candidates"] if c["chosen"]) <= 250
    assert [g["text"] for g in found["ilp"]] != [g["text"] for g in found["greedy"]]


def test_a_greedy_system_can_select_exactly():
    system = with_settings(System.load(GREEDY), {"selection.method": "ilp"})
    assert system.selection.method == "ilp"
    assert Summarizer.load(system)(SNIPPETS, words=20).gap == 0.0
    each = with_settings(System.load("concepts"), {"selection.method": "greedy"})
    assert {each.for_kind(kind).selection.method for kind in KINDS} == {"greedy"}
    with pytest.raises(UsageError, match="lead"):
        with_settings(System.load(LEAD), {"selection.method": "ilp"})


def test_a_sweep_compares_selectors_with_the_same_model(tmp_path):
    path = tmp_path / "both.toml"
    parameters = 'method = ["ilp", "greedy"]\nlambda = [0.0, 0.5]\nthreshold = [0.4]'
    path.write_text(f'system = "concepts"\n[parameters]\n{parameters}')
    groups = plan(Sweep.load(path), "tac", "papers")
    assert [(g[0].system.selection.method, len(g), g[0].system.model) for g in groups] == [
        ("ilp", 2, "concepts-papers"),
        ("greedy", 1, "concepts-papers"),
    ]


def test_sweeps_that_ship_are_found_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for path in sorted((resources.configs() / "sweeps").glob("*.toml")):
        assert Sweep.load(path.stem) == Sweep.load(path)
    assert main(["sweep", "lamda", "--out", "x"]) == 2
    assert (
        "unknown sweep 'lamda' (did you mean lambda?); there are: figure3, lambda"
        in capsys.readouterr().err
    )


def test_models_that_ship_are_found_by_name(capsys, tmp_path):
    named = Summarizer.load(GREEDY, "ilp-sum-1-tuned").for_kind("snippets").model
    default = Summarizer.load(GREEDY).for_kind("snippets").model
    assert named
    assert default
    assert named.metadata == default.metadata
    unknown = shlex.split(f"--system ilp-sum-1 --model ilp-sum-9 --out '{tmp_path}'")
    assert main(["summarize", DEMO, *unknown]) == 2
    told = "no model 'ilp-sum-9': expected a file, or an included model: concepts-abstracts"
    assert told in capsys.readouterr().err


def test_a_model_for_another_kind_of_topic_gives_one_warning(tmp_path, capsys):
    system = ["--system", "ilp-sum-1-tuned", "--model", "ilp-sum-1-tuned"]
    assert main(["summarize", DEMO, *system, "--out", str(tmp_path)]) == 0
    warning = "the model is for topics of the kind snippets, this topic is of the kind papers"
    assert capsys.readouterr().err.count(warning) == 1
    records = read_lines(tmp_path / "SYS1.provenance.jsonl")
    assert all(warning in record["warnings"] for record in records)
    assert Summarizer.load("ilp-sum-1-tuned")(SNIPPETS).warnings == ()
    topics = [topic for topic in read_topics(DEMO) if isinstance(topic, Topic)]
    for name in ("concepts", "ilp-sum-1-tuned"):
        told = [line for topic in topics for line in Summarizer.load(name)(topic).warnings]
        assert not any(warning[:30] in line for line in told)


def test_versions_of_libraries_and_models(capsys):
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ilpsum ")
    assert any(line.startswith("highspy ") for line in lines)
    assert "model concepts-papers: 14 topics (papers), digest" in "\n".join(lines)


@pytest.fixture
def every_line(monkeypatch):
    """Progress is told at each step, by a clock that stands still."""
    monkeypatch.setattr(terminal, "_SECONDS_TO_FIRST", 0.0)
    monkeypatch.setattr(terminal, "_SECONDS_A_LINE", 0.0)
    monkeypatch.setattr(terminal, "monotonic", lambda: 0.0)


@pytest.mark.usefixtures("every_line")
def test_progress_is_a_line_now_and_then_unless_on_a_terminal(monkeypatch, capsys):
    assert list(terminal.progress("ab", "topics", quiet=False)) == ["a", "b"]
    assert capsys.readouterr().err == "ilpsum: topics: 1 of 2\nilpsum: topics: 2 in 0 s\n"
    assert list(terminal.progress("ab", "topics", quiet=True)) == ["a", "b"]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(terminal, "_SECONDS_TO_FIRST", 1000.0)
    assert list(terminal.progress("ab", "topics", quiet=False)) == ["a", "b"]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(terminal.progress("ab", "topics", quiet=False)) == ["a", "b"]
    assert list(terminal.progress(iter("abc"), "records", quiet=False)) == ["a", "b", "c"]
    bar = capsys.readouterr().err
    assert "100%" in bar
    assert "2/2 [00:00]" in bar
    assert "records: 3 [00:00]" in bar


def test_what_takes_five_seconds_is_told_soon_and_at_its_end(monkeypatch, capsys):
    clock = iter([0.0, 3.0, 6.0, 9.0, 12.0])
    monkeypatch.setattr(terminal, "_SECONDS_TO_FIRST", 5.0)
    monkeypatch.setattr(terminal, "monotonic", lambda: next(clock))
    assert list(terminal.progress(iter("abc"), "topics", quiet=False)) == ["a", "b", "c"]
    assert capsys.readouterr().err == "ilpsum: topics: 2\nilpsum: topics: 3 in 12 s\n"


def test_progress_says_what_is_done_and_promises_no_time(monkeypatch, capsys):
    clock = iter([0.0, 60.0, 120.0, 180.0, 180.0])
    monkeypatch.setattr(terminal, "_SECONDS_TO_FIRST", 5.0)
    monkeypatch.setattr(terminal, "monotonic", lambda: next(clock))
    assert list(terminal.progress("abc", "topics", quiet=False)) == ["a", "b", "c"]
    lines = ["1 of 3", "2 of 3", "3 in 180 s"]
    assert capsys.readouterr().err.splitlines() == [f"ilpsum: topics: {line}" for line in lines]


def test_the_full_parser_has_the_options_of_all_verbs():
    (verbs,) = (action for action in full_parser()._actions if action.dest == "verb")
    known = {
        verb: {flag for action in sub._actions for flag in action.option_strings}
        for verb, sub in verbs.choices.items()
    }
    assert list(known) == list(VERBS)
    assert {"--stem", "--metrics"} <= known["evaluate"]
    assert {"--method", "--order"} <= known["summarize"]
    assert all("--help" in flags for flags in known.values())


ARTICLE = (
    "<PubmedArticle><MedlineCitation><PMID>{0}</PMID><Article><ArticleTitle>Newts {0}</ArticleTitle>"
    "<Abstract><AbstractText>Newts sing in pond {0}.</AbstractText></Abstract></Article>"
    "</MedlineCitation></PubmedArticle>"
)


@pytest.mark.usefixtures("every_line")
def test_a_folder_of_pubmeds_files_is_indexed_with_one_progress(tmp_path, capsys):
    for name, pmids in (("pubmed26n0001.xml.gz", (1, 2)), ("pubmed26n0002.xml.gz", (3, 4, 5))):
        articles = "".join(map(ARTICLE.format, pmids))
        xml = f"<PubmedArticleSet>{articles}</PubmedArticleSet>"
        (tmp_path / name).write_bytes(gzip.compress(xml.encode()))
    question = ["ask", "Where do newts sing?", "--documents", str(tmp_path)]
    assert main([*question, "--index", str(tmp_path / ".index")]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "indexed" in line]
    counts = [f"{number}" for number in range(1, 6)]
    assert lines == [f"ilpsum: abstracts indexed: {count}" for count in (*counts, "5 in 0 s")]
    assert main([*question, "--index", str(tmp_path / ".index")]) == 0
    assert "indexed" not in capsys.readouterr().err
