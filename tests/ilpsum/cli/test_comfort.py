"""Small services of the command line: selectors to compare, models and sweeps by name, versions, progress, hints."""

import gzip
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

DEMO = str(resources.demo())
SNIPPETS = Topic(
    "q", "Do newts sing?", (Document("1-1", "Newts sing in ponds at night.", role="snippet"),)
)


def provenance(path):
    return read_lines(path)


def test_the_method_changes_the_selector_and_keeps_the_model(tmp_path):
    found = {}
    for method in ("ilp", "greedy"):
        assert (
            main(
                f"summarize {DEMO} --method {method} --out {tmp_path} --team {method} --quiet".split()
            )
            == 0
        )
        found[method] = provenance(tmp_path / f"{method}1.provenance.jsonl")
    for exact, greedy in zip(found["ilp"], found["greedy"], strict=True):
        assert [exact["settings"]["system"]["method"], greedy["settings"]["system"]["method"]] == [
            "ilp",
            "greedy",
        ]
        assert exact["settings"]["system"]["model"] == greedy["settings"]["system"]["model"] != ""
        assert [c["relevance"] for c in exact["candidates"]] == [
            c["relevance"] for c in greedy["candidates"]
        ]
        assert sum(c["words"] for c in greedy["candidates"] if c["chosen"]) <= 250
    assert [g["text"] for g in found["ilp"]] != [g["text"] for g in found["greedy"]]


def test_a_greedy_system_can_select_exactly():
    system = with_settings(System.load("greedy"), {"selection.method": "ilp"})
    assert system.selection.method == "ilp"
    assert Summarizer.load(system)(SNIPPETS, words=20).gap == 0.0
    each = with_settings(System.load("concepts"), {"selection.method": "greedy"})
    assert {each.for_kind(kind).selection.method for kind in KINDS} == {"greedy"}
    with pytest.raises(UsageError, match="lead"):
        with_settings(System.load("lead"), {"selection.method": "ilp"})


def test_a_sweep_compares_selectors_with_the_same_model(tmp_path):
    path = tmp_path / "both.toml"
    path.write_text(
        'system = "concepts"\n[parameters]\nmethod = ["ilp", "greedy"]\nlambda = [0.0, 0.5]\nthreshold = [0.4]'
    )
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
    assert "unknown sweep 'lamda'; there are: figure3, lambda" in capsys.readouterr().err


def test_models_that_ship_are_found_by_name(capsys, tmp_path):
    named, own = (
        Summarizer.load("greedy", *model).for_kind("snippets") for model in (("ilp-sum-1",), ())
    )
    assert named.model
    assert own.model
    assert named.model.metadata == own.model.metadata
    assert main(f"summarize {DEMO} --system greedy --model ilp-sum-9 --out {tmp_path}".split()) == 2
    assert (
        "no model 'ilp-sum-9': expected a file, or an included model: concepts-abstracts"
        in capsys.readouterr().err
    )


def test_a_model_for_another_kind_of_topic_gives_one_warning(tmp_path, capsys):
    system = ["--system", "ilp-sum-1", "--model", "ilp-sum-1"]
    assert main(["summarize", DEMO, *system, "--out", str(tmp_path)]) == 0
    warning = "the model is for topics of the kind snippets, this topic is of the kind papers"
    assert capsys.readouterr().err.count(warning) == 1
    assert all(
        warning in record["warnings"] for record in provenance(tmp_path / "SYS1.provenance.jsonl")
    )
    assert Summarizer.load("ilp-sum-1")(SNIPPETS).warnings == ()
    topics = [topic for topic in read_topics(DEMO) if isinstance(topic, Topic)]
    for name in ("concepts", "ilp-sum-1"):
        assert not any(
            warning[:30] in line
            for topic in topics
            for line in Summarizer.load(name)(topic).warnings
        )


def test_versions_of_libraries_and_models(capsys):
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ilpsum ")
    assert any(line.startswith("highspy ") for line in lines)
    assert "model concepts-papers: 14 topics (papers), digest" in "\n".join(lines)


def test_progress_is_a_line_now_and_then_unless_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "_SECONDS_A_LINE", 0.0)
    assert list(terminal.progress("ab", "topics", quiet=False, total=2)) == ["a", "b"]
    assert capsys.readouterr().err == "ilpsum: topics: 1 of 2\nilpsum: topics: 2 of 2\n"
    assert list(terminal.progress("ab", "topics", quiet=True)) == ["a", "b"]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(terminal, "_SECONDS_A_LINE", 1000.0)
    assert list(terminal.progress("ab", "topics", quiet=False)) == ["a", "b"]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(terminal.progress("ab", "topics", quiet=False, total=2)) == ["a", "b"]
    assert "100%" in capsys.readouterr().err


def test_progress_says_how_much_time_is_left(monkeypatch, capsys):
    clock = iter([0.0, 60.0, 120.0, 180.0])
    monkeypatch.setattr(terminal, "monotonic", lambda: next(clock))
    assert list(terminal.progress("abc", "topics", quiet=False, total=3)) == ["a", "b", "c"]
    lines = ["1 of 3, about 2 min left", "2 of 3, about 1 min left", "3 of 3"]
    assert capsys.readouterr().err.splitlines() == [f"ilpsum: topics: {line}" for line in lines]


def test_a_text_is_summarised_on_the_terminal(tmp_path, capsys):
    text = tmp_path / "a.txt"
    text.write_text("Newts sing in the old pond.")
    assert main(["summarize", str(text)]) == 0
    assert "Newts sing in the old pond. [1]" in capsys.readouterr().out


def test_a_quiet_demo_prints_its_scores_only(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path), "--quiet"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert len(printed.out.splitlines()) == 4
    assert (tmp_path / "report.html").is_file()


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


def test_a_folder_of_pubmeds_files_is_indexed_with_one_progress(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(terminal, "_SECONDS_A_LINE", 0.0)
    for name, pmids in (("pubmed26n0001.xml.gz", (1, 2)), ("pubmed26n0002.xml.gz", (3, 4, 5))):
        articles = "".join(
            f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>Newts {pmid}</ArticleTitle>"
            f"<Abstract><AbstractText>Newts sing in pond {pmid}.</AbstractText></Abstract></Article></MedlineCitation>"
            "</PubmedArticle>"
            for pmid in pmids
        )
        (tmp_path / name).write_bytes(
            gzip.compress(f"<PubmedArticleSet>{articles}</PubmedArticleSet>".encode())
        )
    question = ["ask", "Where do newts sing?", "--documents", str(tmp_path)]
    assert main([*question, "--index", str(tmp_path / ".index")]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "indexed" in line]
    assert lines == [f"ilpsum: abstracts indexed: {number}" for number in range(1, 5)]
    assert main([*question, "--index", str(tmp_path / ".index")]) == 0
    assert "indexed" not in capsys.readouterr().err
