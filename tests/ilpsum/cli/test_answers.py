"""Answers with citations, from the command line: search, rules, formats, check."""

import html
import json

import pytest

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
TOPICS = [
    {
        "id": 1,
        "topic": "newt song",
        "question": "Do grey newts sing in cold ponds?",
        "narrative": "?",
    },
    {"id": 2, "topic": "okapi", "question": "Why okapis?", "narrative": "?"},
]


def run(*arguments):
    return main([str(a) for a in arguments])


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    abstracts, topics = tmp_path / "abstracts.jsonl", tmp_path / "topics.json"
    abstracts.write_text(lines_of({"pmid": p, "title": t, "abstract": a} for p, t, a in ABSTRACTS))
    topics.write_text(json.dumps(TOPICS))
    return topics, abstracts


def answers(files, out, *options, to="biogen-2025"):
    topics, abstracts = files
    assert (
        run("summarize", topics, "--documents", abstracts, "--to", to, "--out", out, *options) == 0
    )
    assert (
        run(
            "check",
            out / f"SYS1.json{'l' if to == 'biogen-2025' else ''}",
            *f"--as {to} --topics {topics}".split(),
        )
        == 0
    )
    records = read_lines(out / "SYS1.provenance.jsonl")
    return {record["topic"]: record for record in records}


def test_an_answer_with_its_citations(files, tmp_path, capsys):
    records = answers(files, tmp_path / "o")
    record = records["1"]
    texts = {r["text"]: r["pmids"] for r in record["responses"]}
    assert texts.keys() <= {
        "Grey newts sing in cold ponds.",
        "In cold ponds grey newts sing.",
        "However, these songs are low (or soft).",
        "They sing at dusk.",
    }
    first = record["responses"][0]
    assert sorted(first["pmids"]) == ["31", "5"]
    own = records["1"]["sentences"][0]["document"]
    assert first["pmids"][0] == own
    entry = first["support"][0]
    assert (entry["pmid"], entry["similarity"]) == (first["pmids"][1], 1.0)
    assert "says the same" in records["1"]["sentences"][0]["why"]
    # The text is that which is read; the span is that of the whole sentence.
    wholes = {pmid: f"{title}\n{abstract}" for pmid, title, abstract in ABSTRACTS}
    spans = [
        (s["text"], wholes[s["document"]][s["start"] : s["end"]])
        for s in records["1"]["candidates"]
    ]
    assert any("[1, 2]" in whole for _, whole in spans)
    assert not any("[1, 2]" in text for text, _ in spans)
    texts = {abstract["pmid"]: abstract["text"] for abstract in record["abstracts"]}
    assert texts[own].count("sing") >= 2
    assert record["search"]["found"][0]["bm25"] >= record["search"]["found"][-1]["bm25"] > 0
    warnings = capsys.readouterr().err
    assert "2: No answer: no abstract contains a word of the question" in warnings
    assert records["2"]["sentences"] == []
    lines = (tmp_path / "o" / "SYS1.jsonl").read_text(encoding="utf-8").splitlines()
    assert [
        (json.loads(x)["metadata"]["topic_id"], bool(json.loads(x)["responses"])) for x in lines
    ] == [
        ("1", True),
        ("2", False),
    ]


def rules(record):
    """Return the rules of coherence in the settings of a topic's provenance."""
    return [rule for rule in tables.RULES if record["settings"]["coherence"][rule]]


def test_every_rule_can_be_switched_off(files, tmp_path):
    plain = answers(files, tmp_path / "plain", "--coherence", "none", "--order", "document")["1"]
    assert rules(plain) == []
    assert any(s["text"].endswith("?") for s in plain["sentences"])
    assert any(s["text"].startswith("We aimed") for s in plain["sentences"])
    one = answers(
        files, tmp_path / "one", "--coherence", "statements", "--set", "coherence.overlap=0.9"
    )["1"]
    assert rules(one) == ["statements"]
    assert one["settings"]["coherence"]["overlap"] == 0.9
    all_ = answers(files, tmp_path / "all", "--order", "score")["1"]
    assert len(rules(all_)) == 6
    assert not any(s["text"].endswith("?") for s in all_["sentences"])


def test_a_run_is_not_resumed_with_other_rules(files, tmp_path, capsys):
    topics = files[0].read_text()
    files[0].write_text(json.dumps(TOPICS[:1]))
    answers(files, tmp_path / "o", "--coherence", "none")
    files[0].write_text(topics)
    with pytest.raises(AssertionError):
        answers(files, tmp_path / "o", "--resume")
    assert "started with coherence.anaphora no, now yes" in capsys.readouterr().err


@pytest.mark.parametrize("to", ["biogen-2024", "biogen-2025"])
def test_bytes_limit_no_text_with_citations(files, tmp_path, capsys, to):
    topics, abstracts = files
    given = (
        f"summarize {topics} --from biogen --documents {abstracts} --to {to} --out {tmp_path}/o"
    ).split()
    assert run(*given, "--set", "run.bytes=600") == 2
    assert (
        f"run.bytes limits texts without citations; --words limits answers of {to}"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize(
    ("options", "key"),
    [
        (("--words", 20), "words 250, now 20;"),
        (("--found", 1), "input.found 20, now 1"),
        (("--coverage", 0.3), "input.coverage 0.0, now 0.3"),
        (("--system", "lead"), "system.name concepts, now lead"),
        (("--lambda", 0.123), "objective.lambda "),
        (("--set", "solver.nodes=3"), "solver.node_limit 10000000, now 3"),
        (("--set", "coherence.overlap=0.5"), "coherence.overlap not given, now 0.5;"),
        (
            ("--coherence", "focus"),
            "coherence.anaphora yes, now no;",
        ),
        (("--order", "score"), "text.order answer, now score;"),
        (("--to", "jsonl"), "format biogen-2025, now jsonl"),
        (("--documents", "other"), "another input.documents (its contents differ);"),
        (("--pmids", "other"), "another input.pmids (its contents differ);"),
    ],
)
def test_a_run_is_not_resumed_with_another_setting(files, tmp_path, capsys, options, key, finished):
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
    before = {p: p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}
    other = tmp_path / "other.jsonl"
    other.write_text(
        abstracts.read_text()
        + json.dumps({"pmid": "8", "title": "T", "abstract": "Newts rest."})
        + "\n"
    )
    if "--pmids" in options:
        other.write_text("31\n5\n")
    options = tuple(other if o == "other" else o for o in options)
    capsys.readouterr()
    common = (
        f"summarize {topics} --from biogen --documents {abstracts} --out {out} --quiet --resume"
    ).split()
    assert run(*common, *options) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert f"the run SYS1 was started with {key}" in error
    assert "--force" in error
    assert {p: p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()} == before
    # With the same settings the run continues, wherever the files are now.
    moved = abstracts.rename(tmp_path / "moved.jsonl")
    answers((topics, moved), out, "--resume")


def test_a_word_limit_above_that_of_the_format_is_lowered_once(files, tmp_path, capsys):
    records = answers(files, tmp_path / "o", "--words", 400)
    assert (
        capsys.readouterr().err.count("--words is 250, not 400: --to biogen-2025 allows no more")
        == 1
    )
    for record in records.values():
        assert record["settings"]["words"] == 250
        chosen = [c["text"] for c in record["candidates"] if c["chosen"]]
        assert len(chosen) == len(record["responses"])
    assert (
        run("summarize", *files[:1], "--documents", files[1], "--out", tmp_path / "o", "--resume")
        == 0
    )


def test_only_listed_pmids_are_found_and_cited(files, tmp_path, capsys):
    pmids = tmp_path / "pmids"
    pmids.write_text("# released\n5\n8\n")
    record = answers(files, tmp_path / "o", "--pmids", pmids)["1"]
    assert [found["document"] for found in record["search"]["found"]] == ["5"]
    assert {pmid for response in record["responses"] for pmid in response["pmids"]} == {"5"}
    assert record["settings"]["input"]["pmids"][0].startswith("sha256:")
    for name in ("SYS1.jsonl",):
        assert run("check", tmp_path / "o" / name, "--as", "biogen-2025", "--pmids", pmids) == 0
    capsys.readouterr()
    assert run("ask", TOPICS[0]["question"], "--documents", files[1], "--pmids", pmids) == 0
    assert "[1] Ponds. PMID 5" in capsys.readouterr().out
    pmids.write_text("5\nnewt\n")
    assert (
        run(
            "summarize",
            *files[:1],
            *f"--documents {files[1]} --pmids {pmids} --out {tmp_path}/p".split(),
        )
        == 2
    )
    assert "pmids:2: 'newt' is not a PMID" in capsys.readouterr().err
    assert run("ask", "Newts?", files[1], "--pmids", pmids) == 2
    assert "--pmids" in capsys.readouterr().err


def test_the_contact_address(files, tmp_path, capsys):
    def address(out):
        return json.loads((tmp_path / out / "SYS1.json").read_text())["contact_email"]

    answers(files, tmp_path / "o", to="biogen-2024")
    assert (
        "is the example contact@example.org; give yours: --set run.contact_email"
        in capsys.readouterr().out
    )
    assert address("o") == "contact@example.org"
    answers(
        files,
        tmp_path / "o",
        "--resume",
        "--set",
        "run.contact_email=newt@pond.org",
        to="biogen-2024",
    )
    assert "contact_email" not in capsys.readouterr().out
    assert address("o") == "newt@pond.org"
    common = ("summarize", files[0], "--documents", files[1], "--out", tmp_path / "p")
    for options, message in (
        (
            ("--to", "biogen-2024", "--set", "run.contact_email=newt"),
            "expected an e-mail address, got 'newt'",
        ),
        (("--set", "run.contact_email=newt@pond.org"), "is for biogen-2024 runs"),
    ):
        assert run(*common, *options) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "p").exists()


def test_questions_need_abstracts(files, tmp_path, capsys):
    assert run("summarize", files[0], "--from", "biogen", "--out", tmp_path / "o") == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "--documents" in error
    assert not (tmp_path / "o").exists()


def test_a_poorly_covered_question_can_be_left_unanswered(files, tmp_path):
    files[0].write_text(
        json.dumps(
            [TOPICS[0] | {"question": "Do newts sing of okapis and giraffes in cold ponds?"}]
        )
    )
    assert answers(files, tmp_path / "a")["1"]["sentences"]
    unanswered = answers(files, tmp_path / "b", "--coverage", 0.9)["1"]
    assert unanswered["sentences"] == []
    assert "okapis" in unanswered["warnings"][0]
    assert unanswered["search"]["unanswered"].endswith("below --coverage 0.9")


@pytest.mark.parametrize("to", ["bioasq", "jsonl", "tac"])
def test_an_unanswered_question_is_flagged_in_every_format(files, tmp_path, to):
    topics, abstracts = files
    topics.write_text(
        json.dumps(
            [TOPICS[0], TOPICS[0] | {"id": 2, "question": "Does zanthexol bake?", "topic": ""}]
        )
    )
    out = tmp_path / "o"
    command = (
        f"summarize {topics} --from biogen --documents {abstracts} --to {to} --out {out}".split()
    )
    assert run(*command) == 0
    lines = (out / "SYS1.provenance.jsonl").read_text(encoding="utf-8").splitlines()
    found = {record["topic"]: record["search"] for record in map(json.loads, lines)}
    assert (found["1"]["unanswered"], found["2"]["unanswered"]) == (
        "",
        "no abstract contains a word of the question",
    )
    assert found["1"]["answerable"] > 0.5 > found["2"]["answerable"]
    file = next(
        path
        for path in (out / f"SYS1{suffix}" for suffix in (".json", ".jsonl", ""))
        if path.exists()
    )
    if to == "bioasq":
        assert run("check", file, "--as", to) == 0
    assert run("report", file, "--out", tmp_path / "r.html") == 0
    page = html.unescape((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "No answer: no abstract contains a word of the question." in page
    before = {path: path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    assert run(*command, "--resume") == 0
    assert {path: path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()} == before


def test_a_folder_of_abstracts_is_searched_like_its_file(files, tmp_path, capsys):
    topics, abstracts = files
    folder = tmp_path / "pile"
    folder.mkdir()
    (folder / "page.html").write_text("<html>")
    (folder / "a.jsonl").write_bytes(abstracts.read_bytes())
    answers(files, tmp_path / "a")
    answers((topics, folder), tmp_path / "b")
    assert f"{folder}: skipped 1 file without abstracts: page.html" in capsys.readouterr().err
    assert (tmp_path / "a" / "SYS1.jsonl").read_bytes() == (
        tmp_path / "b" / "SYS1.jsonl"
    ).read_bytes()
    # The folder's files are the settings of a run.
    answers((topics, folder), tmp_path / "b", "--resume")


def test_the_same_bytes_with_a_fresh_index_and_more_processes(files, tmp_path, capsys):
    topics, abstracts = files
    topics.write_text(json.dumps([TOPICS[1] | {"id": n} for n in (7, 8)] + TOPICS))
    with abstracts.open("a") as stream:
        stream.write("{torn\n")
    found = []
    for jobs in (1, 2, 3):
        records = answers(
            files, tmp_path / f"{jobs}", "--index", tmp_path / f"i{jobs}", "--jobs", jobs
        )
        seconds = [record.pop("seconds")["reading"] for record in records.values()]
        assert min(seconds) > 0
        found.append((records, (tmp_path / f"{jobs}" / "SYS1.jsonl").read_bytes()))
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
    topics.write_text(json.dumps([{**TOPICS[0], "topic": ""}]))
    record = answers(files, tmp_path / "o")["1"]
    capsys.readouterr()
    assert (
        run(
            "ask", TOPICS[0]["question"], "--documents", abstracts, "--words", 250, "--fill", *RULES
        )
        == 0
    )
    printed = capsys.readouterr()
    answer, sources = printed.out.split("\n\n")
    cited = list(dict.fromkeys(r["pmids"][0] for r in record["responses"]))
    # Square brackets are citations in BioGen's format; a quotation keeps those of the source.
    assert [line.replace("[or soft]", "(or soft)") for line in answer.splitlines()] == [
        f"{r['text']} [{cited.index(r['pmids'][0]) + 1}]" for r in record["responses"]
    ]
    assert "[or soft]" in answer
    titles = {pmid: title for pmid, title, _ in ABSTRACTS}
    assert sources.splitlines() == [
        f"[{n}] {titles[p]}. PMID {p}" for n, p in enumerate(cited, start=1)
    ]
    assert printed.err == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("x.txt", "--documents", "y"), "not both"),
        (("x.txt", "--index", "i"), "--index and --pmids are for --documents"),
    ],
)
def test_texts_and_a_search_cannot_be_combined(options, message, capsys):
    assert run("ask", "Newts?", *options) == 2
    assert message in capsys.readouterr().err


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
