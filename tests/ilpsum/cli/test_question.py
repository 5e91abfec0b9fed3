"""One question on the command line: what a reader gets, in every form and from every kind of input."""

import io
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from ilpsum import resources
from ilpsum.answers.answering import SEARCHES
from ilpsum.cli import main
from ilpsum.runs.provenance import read_provenance
from tests.json_lines import lines_of, read_lines

QUESTION = "Do grey newts sing in cold ponds?"
_NEWTS = "BACKGROUND: Grey newts sing in cold ponds [1, 2]. Their songs [or calls] are low."
_DUSK = "RESULTS: At dusk grey newts of 12 northern ponds sing loudest. Toads <hum> \x1b[31mthere."
_MOTHS = "Moths shed their scales in the first frost of winter. Scales fall in frost."
RECORDS = [
    ("31", "Song of *newts*", _NEWTS, "2014"),
    ("5", "Ponds", _DUSK, "2009-03-02"),
    ("77", "Moths", _MOTHS, ""),
]


def run(*arguments):
    return main([str(a) for a in arguments])


def ask(*arguments, words=40):
    return run("ask", QUESTION, "--words", words, "--fill", *arguments)


def as_jsonl():
    keys = ("pmid", "title", "abstract", "year")
    return lines_of(dict(zip(keys, (p, t, a, d[:4]), strict=True)) for p, t, a, d in RECORDS)


def as_ris():
    record = "TY  - JOUR\r\nTI  - {1}\r\nAB  - {2}\r\nPY  - {3:.4}\r\nAN  - {0}\r\nDB  - PubMed\r\nER  - \r\n"
    return "".join(record.format(*each) for each in RECORDS)


@pytest.fixture
def pile(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "pile.jsonl"
    path.write_text(as_jsonl())
    return path


def test_text_for_readers(pile, capsys):
    assert ask(pile, "--quiet", "--coherence", "statements") == 0
    answer, sources = capsys.readouterr().out.rstrip("\n").split("\n\n")
    lines = answer.splitlines()
    # Labels and citation lists are removed.
    assert "Grey newts sing in cold ponds." in answer
    assert "BACKGROUND" not in answer
    assert all(re.search(r"[.!?] \[\d\]$", line) for line in lines)
    listed = sources.splitlines()
    assert listed == ["[1] Song of *newts*. PMID 31, 2014", "[2] Ponds. PMID 5, 2009"]
    assert {line[-3:] for line in lines} == {"[1]", "[2]"}


def test_sentences_of_one_abstract_share_a_number(pile, capsys):
    assert ask(pile, "--quiet", "--coherence", "none", words=200) == 0
    answer, sources = capsys.readouterr().out.split("\n\n")
    numbers = [int(line[line.rindex("[") + 1 : -1]) for line in answer.splitlines()]
    assert len(numbers) > len(set(numbers)) == len(sources.splitlines())
    assert list(dict.fromkeys(numbers)) == sorted(set(numbers))


@pytest.mark.parametrize(("option", "read"), [("true", ""), ("false", " [3] (Fig. 2)"), (None, "")])
def test_plain_texts_lose_pointers_only_and_control_characters_are_not_printed(
    tmp_path, capsys, option, read
):
    text = tmp_path / "notes.txt"
    whole = "Grey newts sing in cold ponds [3] (Fig. 2)."
    text.write_text(f"{whole} Toads \x1b[31mhum.")
    clean = ["--set", f"candidates.clean={option}"] if option else []
    assert ask(text, "--quiet", "--coherence", "none", "--json", *clean) == 0
    first = json.loads(capsys.readouterr().out)["sentences"][0]
    assert (first["start"], first["end"]) == (0, len(whole))
    assert ask(text, "--quiet", "--coherence", "none", *clean) == 0
    printed = capsys.readouterr().out
    assert f"Grey newts sing in cold ponds{read}. [1]" in printed
    assert "\x1b" not in printed
    assert printed.endswith("\n\n[1] notes.txt\n")


def test_json(pile, capsys):
    assert ask(pile, "--json") == 0
    (answer,) = read_lines(capsys.readouterr().out)
    texts = {pmid: f"{title}\n{abstract}" for pmid, title, abstract, _ in RECORDS}
    assert answer["question"] == QUESTION
    assert answer["words"] == sum(len(s["text"].split()) for s in answer["sentences"]) <= 40
    for sentence in answer["sentences"]:
        source = answer["sources"][sentence["source"] - 1]
        assert (source["number"], source["id"]) == (sentence["source"], sentence["document"])
        quoted = texts[source["id"]][sentence["start"] : sentence["end"]]
        # Brackets are kept as in the source, citations are not.
        assert sentence["text"].rstrip(".") in quoted.replace(" [1, 2]", "")
        assert "in relevance" in sentence["why"]
        assert 0 <= sentence["relevance"] <= 1
    source = {"number": 1, "id": "31", "pmid": "31", "title": "Song of *newts*", "date": "2014"}
    published = {"pmid": "31", "year": "2014"}
    place = {"url": "https://pubmed.ncbi.nlm.nih.gov/31/", "publication": published}
    assert answer["sources"][0] == source | place
    assert answer["gap"] == 0
    assert answer["objective"] == answer["bound"]
    assert answer["unanswered"] is None
    assert all(other["why"] for other in answer["left_out"])


def test_corrections_of_the_question_are_no_warnings_in_json(capsys):
    abstracts = str(resources.demo() / "abstracts.xml")
    assert main(["ask", "Does mirolne heal leg ulcers?", abstracts, "--json"]) == 0
    printed = capsys.readouterr()
    answer = json.loads(printed.out)
    assert answer["corrections"] == [{"written": "mirolne", "searched": "mirolone"}]
    assert "searched for 'mirolone' (you wrote 'mirolne')" in printed.err
    assert [line for line in answer["warnings"] if "you wrote" in line] == []


def test_the_page_has_the_answer_first_and_its_sentences_marked(tmp_path, pile, capsys):
    page = tmp_path / "answer.html"
    assert ask(pile, "--quiet", "-o", page, "--coherence", "none", words=24) == 0
    assert capsys.readouterr().out == ""
    html = page.read_text("utf-8")
    parts = ('<article class="said', '<details class="left-out">', "<aside")
    assert sorted(parts, key=html.index) == list(parts)
    assert re.search(r'<mark title="sentence 1 of the answer"><span id="s1"></span>', html)
    assert "Chosen: " in html
    assert "No room: it has" in html
    assert "<hum>" not in html
    for target in re.findall(r'href="#([^"]+)"', html):
        assert f'id="{target}"' in html
    # A page is replaced, another file never.
    assert ask(pile, "--quiet", "-o", page) == 0
    page.write_text("of somebody else")
    capsys.readouterr()
    assert ask(pile, "--quiet", "-o", page) == 2
    assert f"-o {page}: exists and ilpsum did not write it" in capsys.readouterr().err
    assert page.read_text() == "of somebody else"


def test_provenance_on_request(tmp_path, pile, capsys):
    file = tmp_path / "p.jsonl"
    assert ask(pile, "--quiet", "-o", file) == 0
    assert ask(pile, "--json", "--quiet") == 0
    answer = json.loads(capsys.readouterr().out)
    (summary,) = read_provenance(file)
    assert summary.question == QUESTION
    assert summary.topic_digest
    assert [s.start for s in summary] == [s["start"] for s in answer["sentences"]]
    chosen = {i: summary.candidates[i].why for i in summary.chosen}
    assert all(chosen.values())
    left_out = [s for i, s in enumerate(summary.candidates) if s.why and i not in chosen]
    assert sorted(s.why for s in left_out) == sorted(s["why"] for s in answer["left_out"])
    assert ask(pile, "--quiet", "-o", file) == 0
    assert ask(pile, "--quiet", "-o", pile) == 2
    assert f"-o {pile}: exists and ilpsum did not write it" in capsys.readouterr().err
    assert pile.read_text() == as_jsonl()


@pytest.mark.parametrize("how", ["texts", "documents"])
def test_no_answer_is_an_answer(tmp_path, pile, capsys, how):
    page = tmp_path / "none.html"
    question = ("ask", "Why giraffes or okapis?", *(["--documents"] * (how == "documents")), pile)
    why = (
        f"no {'text' if how == 'texts' else 'abstract'} contains a word of the question; {SEARCHES}"
    )
    assert run(*question, "--quiet", "-o", page) == 0
    assert run(*question, "--quiet") == 0
    assert capsys.readouterr().out == f"No answer: {why}.\n"
    html = page.read_text("utf-8")
    assert "No answer" in html
    assert why[0].upper() + why[1:] in html
    assert run(*question, "--quiet", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["sentences"], answer["unanswered"]) == ([], why)
    assert run("ask", "What is it?", pile, "--quiet") == 0
    assert (
        capsys.readouterr().out
        == f"No answer: the question has no word to search for; {SEARCHES}.\n"
    )


def test_a_limit_that_no_sentence_fits(pile, capsys):
    assert ask(pile, "--quiet", words=2) == 0
    assert capsys.readouterr().out == "No answer: no relevant sentence fits the limits.\n"


def test_records_without_abstracts_are_no_answer_but_an_error(tmp_path, capsys):
    file = tmp_path / "x.ris"
    file.write_text("TY  - JOUR\nTI  - Newts\nER  - \n")
    for how in ((file,), ("--documents", file, "--index", tmp_path / "i")):
        assert ask(*how, "--quiet") == 2
        assert capsys.readouterr().err.startswith(f"ilpsum: {file}: no record has an abstract; ")


def test_a_question_is_needed(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["ask"])
    assert capsys.readouterr().err == "ilpsum ask: QUESTION is missing; see `ilpsum ask --help`\n"


@pytest.mark.parametrize("more", [(), ("--documents", "pile.jsonl")])
def test_a_question_without_quotes_is_answered_with_them(capsys, more):
    assert run("ask", "What", "heals", "ulcers?", *more) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "ilpsum: heals: no such file; " in error
    assert error.endswith('needs quotes: ilpsum ask "What heals ..."')


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--json --to ris", "choose one"),
        ("-o nowhere/x.html", "-o nowhere/x.html: there is no folder nowhere"),
        ("-o /proc/x.html", "-o /proc/x.html: cannot be written"),
        ("--to docx", "name a file with -o FILE.docx"),
        ("--index i", "index and pmids are for documents"),
        ("--pmids p", "index and pmids are for documents"),
        ("--documents y", "expected texts or documents, not both"),
    ],
)
def test_wrong_usage(pile, capsys, options, message):
    if "/proc" in message and not Path("/proc").is_dir():
        pytest.skip("no folder that even root cannot write to")
    # argparse exits by itself, our own checks return.
    with pytest.raises(SystemExit, match="2"):
        raise SystemExit(ask(pile, *options.split()))
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("option", [("--json",), ("-o", "x.html")])
def test_topics_take_no_options_of_an_answer(pile, tmp_path, capsys, option):
    assert run("summarize", pile, "--out", tmp_path / "o", *option) == 2
    assert f"{option[0]} is for texts" in capsys.readouterr().err


def test_a_run_is_not_written_to_standard_output(pile, capsys):
    assert run("summarize", pile, "--out", "-") == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "--out DIR is needed for a run of topics" in error


def test_standard_input_is_read_unless_it_is_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(as_ris().encode())))
    assert ask("--quiet") == 0
    assert "PMID 31" in capsys.readouterr().out
    terminal = io.TextIOWrapper(io.BytesIO(b""))
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", terminal)
    assert ask("--quiet") == 2
    assert "nothing to answer from: name texts, folders, -" in capsys.readouterr().err


def test_an_answer_does_not_replace_what_it_is_read_from(tmp_path, capsys):
    notes = tmp_path / "notes.txt"
    notes.write_text("Grey newts sing in cold ponds.")
    assert ask(notes, "-o", notes) == 2
    assert f"-o {notes}: is also read" in capsys.readouterr().err
    assert notes.read_text() == "Grey newts sing in cold ponds."


OLM = (
    b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>9</PMID><Article><ArticleTitle>Olms</ArticleTitle>"
    b"<Abstract><AbstractText>Grey newts sing in cold ponds, said the olm.</AbstractText></Abstract></Article>"
    b"</MedlineCitation></PubmedArticle><PubmedArticle>"
)


@pytest.mark.parametrize("how", [(), ("--documents",)])
@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        # Records before the damage are not used, even where they were indexed already.
        ("cut.xml", OLM, ":1: not well-formed XML"),
        ("bad.xml.gz", b"\x1f\x8b\x08\0\0newts", ": the gzip data are cut off"),
    ],
)
def test_a_damaged_file_in_a_folder_is_named_at_the_end(
    tmp_path, pile, capsys, how, name, data, told
):
    folder = tmp_path / "folder"
    folder.mkdir()
    shutil.copy(pile, folder)
    (folder / name).write_bytes(data)
    for _ in range(2):
        assert ask(*how, folder, "--json", "--quiet") == 1
        printed = capsys.readouterr()
        assert {source["id"] for source in json.loads(printed.out)["sources"]} == {"31", "5"}
        (line,) = printed.err.splitlines()
        assert line.startswith(f"ilpsum: {folder / name}{told}")
        assert line.endswith("(left out; the other files of the folder are used)")
    assert ask(*how, pile, folder / name, "--quiet") == 2


def of_documents(**pmids):
    """A question of BioASQ for each name, with documents."""
    return json.dumps(
        {
            "questions": [
                {"id": name, "body": QUESTION, "type": "summary"}
                | {"documents": [f"http://x/pubmed/{pmid}" for pmid in listed.split()]}
                for name, listed in pmids.items()
            ]
        }
    )


def test_a_pool_that_lacks_the_abstracts_is_told_in_one_line_at_the_end(tmp_path, pile, capsys):
    questions = tmp_path / "q.json"
    questions.write_text(of_documents(a="31", b="7777", c="7778"))
    options = shlex.split(f"--pool abstracts --documents '{pile}' --to jsonl --words 40")
    assert run("summarize", questions, *options, "--out", tmp_path / "out") == 0
    assert "ilpsum: 2 of 3 answers are empty: no quotable abstract" in capsys.readouterr().err


@pytest.mark.parametrize("asked_for", [False, True])
def test_retracted_abstracts_of_a_pool_are_left_out_and_named(tmp_path, pile, capsys, asked_for):
    questions = tmp_path / "q.json"
    questions.write_text(of_documents(q="31 5"))
    rows = read_lines(pile)
    pile.write_text(lines_of(row | {"retracted": row["pmid"] == "31"} for row in rows))
    options = shlex.split(f"--pool abstracts --documents '{pile}' --to jsonl --words 40")
    if asked_for:
        options += ["--set", "source.retracted=true"]
    assert run("summarize", questions, *options, "--out", tmp_path / "o") == 0
    (record,) = read_provenance(tmp_path / "o" / "SYS1.provenance.jsonl")
    assert {c.document for c in record.candidates} == ({"31", "5"} if asked_for else {"5"})
    what = "retracted, or a notice of it, so not quoted: 31 (1 in all); the option retracted quotes them"
    assert (f"q: {what}" in capsys.readouterr().err) != asked_for


@pytest.mark.parametrize("form", ["ris", "bibtex"])
def test_a_list_of_sources_without_one_says_why_beside_it(pile, capsys, form):
    assert run("ask", "What causes scurvy?", "--documents", pile, "--to", form) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == ""
    assert "scurvy" in printed.err
