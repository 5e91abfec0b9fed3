"""Answers with citations, from the command line: search, rules, formats, check."""

import html
import json
import shlex

import pytest

from ilpsum.answers.answering import SEARCHES
from ilpsum.cli import main
from ilpsum.records import tables
from tests.json_lines import lines_of, read_lines

ABSTRACTS = [
    (
        "31",
        "Song of newts",
        "BACKGROUND: Grey newts sing in cold ponds [1, 2]. However, these songs are low [or soft]. Do newts sing?",
    ),
    ("5", "Ponds", "We aimed to count newts. In cold ponds grey newts sing. They sing at dusk."),
    ("77", "Moths", "Moths shed their scales in the first frost of winter. Scales fall in frost."),
]
NEWTS = {"id": 1, "topic": "newt song", "question": "Do grey newts sing in cold ponds?"}
OKAPIS = {"id": 2, "topic": "okapi", "question": "Why okapis?"}
TOPICS = [NEWTS | {"narrative": "?"}, OKAPIS | {"narrative": "?"}]


def run(*arguments):
    return main([str(a) for a in arguments])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    abstracts, topics = tmp_path / "abstracts.jsonl", tmp_path / "topics.json"
    rows = ({"pmid": p, "title": t, "abstract": a} for p, t, a in ABSTRACTS)
    abstracts.write_text(lines_of(rows))
    topics.write_text(json.dumps(TOPICS))
    return topics, abstracts


def contents(folder):
    """What the files of a folder hold."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def answers(files, out, *options, to="biogen-2025"):
    """The provenance of a valid run, by topic."""
    topics, abstracts = files
    command = ("summarize", topics, "--documents", abstracts, "--to", to, "--out", out)
    assert run(*command, *options) == 0
    file = out / ("SYS1.jsonl" if to == "biogen-2025" else "SYS1.json")
    assert run("check", file, "--as", to, "--topics", topics) == 0
    return {record["topic"]: record for record in read_lines(out / "SYS1.provenance.jsonl")}


def test_an_answer_with_its_citations(files, tmp_path, capsys):
    records = answers(files, tmp_path / "o")
    record = records["1"]
    assert {r["text"] for r in record["responses"]} <= {
        "Grey newts sing in cold ponds.",
        "In cold ponds grey newts sing.",
        "However, these songs are low (or soft).",
        "They sing at dusk.",
    }
    first = record["responses"][0]
    assert sorted(first["pmids"]) == ["31", "5"]
    document = record["sentences"][0]["document"]
    assert first["pmids"][0] == document
    entry = first["support"][0]
    assert (entry["pmid"], entry["similarity"]) == (first["pmids"][1], 1.0)
    assert "says the same" in record["sentences"][0]["why"]
    # The text is that which is read; the span is that of the whole sentence.
    wholes = {pmid: f"{title}\n{abstract}" for pmid, title, abstract in ABSTRACTS}
    candidates = record["candidates"]
    assert any("[1, 2]" in wholes[s["document"]][s["start"] : s["end"]] for s in candidates)
    assert not any("[1, 2]" in s["text"] for s in candidates)
    texts = {abstract["pmid"]: abstract["text"] for abstract in record["abstracts"]}
    assert texts[document].count("sing") >= 2
    assert record["search"]["found"][0]["bm25"] >= record["search"]["found"][-1]["bm25"] > 0
    warnings = capsys.readouterr().err
    assert f"2: No answer: no abstract contains a word of the question; {SEARCHES}" in warnings
    assert records["2"]["sentences"] == []
    lines = read_lines(tmp_path / "o" / "SYS1.jsonl")
    answered = [(line["metadata"]["topic_id"], bool(line["responses"])) for line in lines]
    assert answered == [("1", True), ("2", False)]


def rules(record):
    """Return the rules of coherence in the settings of a topic's provenance."""
    return [rule for rule in tables.RULES if record["settings"]["coherence"][rule]]


def test_every_rule_can_be_switched_off(files, tmp_path):
    plain = answers(files, tmp_path / "plain", "--coherence", "none", "--order", "document")["1"]
    assert rules(plain) == []
    assert any(s["text"].endswith("?") for s in plain["sentences"])
    assert any(s["text"].startswith("We aimed") for s in plain["sentences"])
    statements = ("--coherence", "statements", "--set", "coherence.overlap=0.9")
    one = answers(files, tmp_path / "one", *statements)["1"]
    assert rules(one) == ["statements"]
    assert one["settings"]["coherence"]["overlap"] == 0.9
    all_ = answers(files, tmp_path / "all", "--order", "score")["1"]
    assert len(rules(all_)) == 6
    assert not any(s["text"].endswith("?") for s in all_["sentences"])


@pytest.mark.parametrize("to", ["biogen-2024", "biogen-2025"])
def test_bytes_limit_no_text_with_citations(files, tmp_path, capsys, to):
    topics, abstracts = files
    options = shlex.split(f"--from biogen --to '{to}' --out '{tmp_path}/o' --set run.bytes=600")
    assert run("summarize", topics, "--documents", abstracts, *options) == 2
    told = f"run.bytes limits texts without citations; --words limits answers of {to}"
    assert told in capsys.readouterr().err


OTHER_SETTINGS = {
    "--words 20": "words 250, now 20;",
    "--found 1": "input.found 20, now 1",
    "--coverage 0.3": "input.coverage 0.0, now 0.3",
    "--method lead": "system.name concepts, now lead",
    "--lambda 0.123": "objective.lambda ",
    "--set solver.nodes=3": "solver.node_limit 10000000, now 3",
    "--set coherence.overlap=0.5": "coherence.overlap not given, now 0.5;",
    "--coherence focus": "coherence.anaphora yes, now no;",
    "--order score": "text.order answer, now score;",
    "--to jsonl": "format biogen-2025, now jsonl",
    "--documents OTHER": "another input.documents (its contents differ);",
    "--pmids LISTED": "another input.pmids (its contents differ);",
}


@pytest.mark.parametrize("finished", [True, False])
def test_a_run_is_not_resumed_with_another_setting(files, tmp_path, capsys, finished):
    topics, abstracts = files
    out = tmp_path / "o"
    answers(files, out, *(() if finished else ("--words", 250)))
    if not finished:
        work = out / ".SYS1.part"
        work.mkdir()
        (out / "SYS1.jsonl").unlink()
        lines = (out / "SYS1.provenance.jsonl").read_bytes().splitlines(keepends=True)
        (work / "SYS1.provenance.jsonl").write_bytes(lines[0])
        (out / "SYS1.provenance.jsonl").unlink()
    before = contents(out)
    places = {"OTHER": tmp_path / "other.jsonl", "LISTED": tmp_path / "pmids.txt"}
    added = lines_of([{"pmid": "8", "title": "T", "abstract": "Newts rest."}])
    places["OTHER"].write_text(abstracts.read_text() + added)
    places["LISTED"].write_text("31\n5\n")
    common = ("--from", "biogen", "--documents", abstracts, "--out", out, "--quiet", "--resume")
    capsys.readouterr()
    for options, difference in OTHER_SETTINGS.items():
        option, value = options.split()
        assert run("summarize", topics, *common, option, places.get(value, value)) == 2, options
        (error,) = capsys.readouterr().err.splitlines()
        assert f"the run SYS1 was started with {difference}" in error
        assert "--force" in error
        assert contents(out) == before
    # With the same settings the run continues, wherever the files are now.
    moved = abstracts.rename(tmp_path / "moved.jsonl")
    answers((topics, moved), out, "--resume")


def test_a_word_limit_above_that_of_the_format_is_lowered_once(files, tmp_path, capsys):
    records = answers(files, tmp_path / "o", "--words", 400)
    told = "--words is 250, not 400: --to biogen-2025 allows no more"
    assert capsys.readouterr().err.count(told) == 1
    for record in records.values():
        assert record["settings"]["words"] == 250
        chosen = [c["text"] for c in record["candidates"] if c["chosen"]]
        assert len(chosen) == len(record["responses"])
    topics, abstracts = files
    command = ("summarize", topics, "--documents", abstracts, "--out", tmp_path / "o", "--resume")
    assert run(*command) == 0


def test_only_listed_pmids_are_found_and_cited(files, tmp_path, capsys):
    topics, abstracts = files
    pmids = tmp_path / "pmids"
    pmids.write_text("# released\n5\n8\n")
    record = answers(files, tmp_path / "o", "--pmids", pmids)["1"]
    assert [found["document"] for found in record["search"]["found"]] == ["5"]
    assert {pmid for response in record["responses"] for pmid in response["pmids"]} == {"5"}
    assert record["settings"]["input"]["pmids"][0].startswith("sha256:")
    file = tmp_path / "o" / "SYS1.jsonl"
    assert run("check", file, "--as", "biogen-2025", "--pmids", pmids) == 0
    capsys.readouterr()
    listed = ("--documents", abstracts, "--pmids", pmids)
    assert run("ask", NEWTS["question"], *listed) == 0
    assert "[1] Ponds. PMID 5" in capsys.readouterr().out
    pmids.write_text("5\nnewt\n")
    assert run("summarize", topics, *listed, "--out", tmp_path / "p") == 2
    assert "pmids:2: 'newt' is not a PMID" in capsys.readouterr().err


def test_the_contact_address(files, tmp_path, capsys):
    def address():
        return json.loads((tmp_path / "o/SYS1.json").read_text())["contact_email"]

    answers(files, tmp_path / "o", to="biogen-2024")
    told = "is the example contact@example.org; give yours: --set run.contact_email"
    assert told in capsys.readouterr().out
    assert address() == "contact@example.org"
    newt = ("--set", "run.contact_email=newt@pond.org")
    answers(files, tmp_path / "o", "--resume", *newt, to="biogen-2024")
    assert "contact_email" not in capsys.readouterr().out
    assert address() == "newt@pond.org"
    common = ("summarize", files[0], "--documents", files[1], "--out", tmp_path / "p")
    assert run(*common, "--to", "biogen-2024", "--set", "run.contact_email=newt") == 2
    assert "expected an e-mail address, got 'newt'" in capsys.readouterr().err
    assert run(*common, *newt) == 2
    assert "is for biogen-2024 runs" in capsys.readouterr().err
    assert not (tmp_path / "p").exists()


def test_questions_need_abstracts(files, tmp_path, capsys):
    assert run("summarize", files[0], "--from", "biogen", "--out", tmp_path / "o") == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "--documents" in error
    assert not (tmp_path / "o").exists()


def test_a_poorly_covered_question_can_be_left_unanswered(files, tmp_path):
    question = "Do newts sing of okapis and giraffes in cold ponds?"
    files[0].write_text(json.dumps([TOPICS[0] | {"question": question}]))
    assert answers(files, tmp_path / "a")["1"]["sentences"]
    unanswered = answers(files, tmp_path / "b", "--coverage", 0.9)["1"]
    assert unanswered["sentences"] == []
    assert "okapis" in unanswered["warnings"][0]
    assert unanswered["search"]["unanswered"].endswith("below the required 90%")


@pytest.mark.parametrize("to", ["bioasq", "jsonl", "tac"])
def test_an_unanswered_question_is_flagged_in_every_format(files, tmp_path, to):
    topics, abstracts = files
    other = TOPICS[0] | {"id": 2, "question": "Does zanthexol bake?", "topic": ""}
    topics.write_text(json.dumps([TOPICS[0], other]))
    out = tmp_path / "o"
    options = shlex.split(f"--from biogen --documents '{abstracts}' --to '{to}' --out '{out}'")
    assert run("summarize", topics, *options) == 0
    records = read_lines(out / "SYS1.provenance.jsonl")
    found = {record["topic"]: record["search"] for record in records}
    assert found["1"]["unanswered"] == ""
    assert found["2"]["unanswered"] == (f"no abstract contains a word of the question; {SEARCHES}")
    assert found["1"]["answerable"] > 0.5 > found["2"]["answerable"]
    places = (out / f"SYS1{suffix}" for suffix in (".json", ".jsonl", ""))
    file = next(path for path in places if path.exists())
    if to == "bioasq":
        assert run("check", file, "--as", to) == 0
    assert run("report", file, "--out", tmp_path / "r.html") == 0
    page = html.unescape((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert f"No answer: no abstract contains a word of the question; {SEARCHES}." in page
    before = contents(out)
    assert run("summarize", topics, *options, "--resume") == 0
    assert contents(out) == before


def test_a_folder_of_abstracts_is_searched_like_its_file(files, tmp_path, capsys):
    topics, abstracts = files
    folder = tmp_path / "pile"
    folder.mkdir()
    (folder / "page.html").write_text("<html>")
    (folder / "a.jsonl").write_bytes(abstracts.read_bytes())
    answers(files, tmp_path / "a")
    answers((topics, folder), tmp_path / "b")
    assert f"{folder}: skipped 1 file without abstracts: page.html" in capsys.readouterr().err
    runs = [tmp_path / name / "SYS1.jsonl" for name in "ab"]
    assert runs[0].read_bytes() == runs[1].read_bytes()
    # The folder's files are the settings of a run.
    answers((topics, folder), tmp_path / "b", "--resume")


def test_the_same_bytes_with_a_fresh_index_and_more_processes(files, tmp_path, capsys):
    topics, abstracts = files
    topics.write_text(json.dumps([TOPICS[1] | {"id": n} for n in (7, 8)] + TOPICS))
    with abstracts.open("a") as stream:
        stream.write("{torn\n")
    found = []
    for jobs in (1, 2, 3):
        out = tmp_path / f"{jobs}"
        records = answers(files, out, "--index", tmp_path / f"i{jobs}", "--jobs", jobs)
        assert min(record.pop("seconds")["reading"] for record in records.values()) > 0
        found.append((records, (out / "SYS1.jsonl").read_bytes()))
    assert found[0] == found[1] == found[2]
    # What is wrong with the searched files is said once, with the first topic.
    first, *others = found[0][0].values()
    assert "abstracts.jsonl: skipped 1 record" in first["warnings"][0]
    assert not any("abstracts.jsonl" in line for record in others for line in record["warnings"])


def test_wrong_usage_gives_an_error_of_one_line(files, tmp_path, capsys):
    topics, abstracts = files
    common = ("summarize", topics, "--documents", abstracts, "--out", tmp_path / "o")
    for options, message in (
        (("--coherence", "rhyme"), "anaphora, statements, titles, fragments, focus, redundancy"),
        (("--set", "coherence.overlap=0"), "coherence.overlap: expected a number of more than 0"),
        (("--set", "coherence.overlp=1"), "did you mean coherence.overlap?"),
        (("--set", "overlap=1"), "did you mean coherence.overlap?"),
        (("--set", "coherence.overlap"), "expected KEY=VALUE"),
        (("--documents", tmp_path / "none"), "no such file or folder; check the path"),
        (("--index", abstracts), "cannot be written"),
    ):
        assert run(*common, *options) == 2
        error = capsys.readouterr().err
        assert message in error
        assert "Traceback" not in error


# As by default, but no rule yields.
RULES = ("--coherence", "anaphora,statements,titles,redundancy")


def test_one_question_is_answered_like_a_topic(files, tmp_path, capsys):
    topics, abstracts = files
    topics.write_text(json.dumps([TOPICS[0] | {"topic": ""}]))
    responses = answers(files, tmp_path / "o")["1"]["responses"]
    capsys.readouterr()
    options = ("--documents", abstracts, "--words", 250, "--fill", *RULES)
    assert run("ask", NEWTS["question"], *options) == 0
    printed = capsys.readouterr()
    answer, sources = printed.out.split("\n\n")
    cited = list(dict.fromkeys(r["pmids"][0] for r in responses))
    # Square brackets are citations in BioGen's format; a quotation keeps those of the source.
    assert "[or soft]" in answer
    assert [line.replace("[or soft]", "(or soft)") for line in answer.splitlines()] == [
        f"{r['text']} [{cited.index(r['pmids'][0]) + 1}]" for r in responses
    ]
    titles = {pmid: title for pmid, title, _ in ABSTRACTS}
    listed = [f"[{n}] {titles[pmid]}. PMID {pmid}" for n, pmid in enumerate(cited, start=1)]
    assert sources.splitlines() == listed
    assert printed.err == ""


def test_a_format_without_citations_gives_a_warning(files, tmp_path, capsys):
    topics, abstracts = files
    arguments = ("summarize", topics, "--documents", abstracts, "--out", tmp_path / "o", *RULES)
    assert run(*arguments, "--to", "tac") == 0
    assert "--to tac has no citations" in capsys.readouterr().err
    text = (tmp_path / "o" / "SYS1" / "1").read_text(encoding="utf-8")
    assert "sing" in text
    assert "Song of newts" not in text
    assert "?" not in text
    assert run(*arguments, "--run", 2) == 0
    assert "no place for citations" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "option",
    [("--index", "i"), ("--pmids", "p"), ("--found", 3), ("--coverage", 0)],
)
def test_options_of_a_search_need_topics_that_are_searched(files, tmp_path, capsys, option):
    _, abstracts = files
    topics = tmp_path / "questions.json"
    topics.write_text(json.dumps({"questions": [{"id": "1", "body": "Do newts sing?"}]}))
    command = ("summarize", topics, "--documents", abstracts, "--pool", "abstracts")
    assert run(*command, *option, "--out", tmp_path / "o") == 2
    assert "--coverage and the settings of sources need a search" in capsys.readouterr().err
