"""`ask --pubmed` and `fetch` on the command line."""

import io
import json
import re
import socket
from pathlib import Path

import pytest

from ilpsum import resources
from ilpsum.answers.answering import SEARCHES
from ilpsum.cli import main
from tests.ilpsum.answers.standin import Fault

QUESTION = "How does gentamicin kill kidney cells?"
DEMO = resources.demo() / "abstracts.xml"


@pytest.fixture
def run(standin, tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder; returns its status, output and the lines of stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        capsys.readouterr()
        try:
            status = main(list(map(str, arguments)))
        except SystemExit as error:
            status = error.code
        printed = capsys.readouterr()
        return status, printed.out, printed.err.splitlines()

    return run


def test_a_question_is_enough(run):
    status, out, errors = run("ask", QUESTION, "--pubmed", "--words", 60)
    assert status == 0
    assert (
        "Gentamicin kills kidney tubule cells through zinc, and not through iron or calcium. [1]"
        in out
    )
    assert "PMID 90000011, 2012" in out
    assert errors[0] == "ilpsum: PubMed: gentamicin AND (kill OR kidney OR cells): 5 found"


def test_the_transcript_of_the_guide_is_what_is_printed(run):
    guide = (Path(__file__).parents[3] / "docs/guides/question-to-answer.md").read_text("utf-8")
    transcript = re.findall(r"^PubMed: .*", guide, re.M)
    assert len(transcript) == 2
    _, _, errors = run("ask", QUESTION, "--pubmed", "--words", 45)
    assert errors[:2] == [f"ilpsum: {line}" for line in transcript]


def test_a_query_of_the_user_is_passed_on(run, standin):
    status, out, errors = run(
        "ask", QUESTION, "--pubmed", "--query", "zinc[tiab] NOT rats[tiab]", "--json"
    )
    assert status == 0
    assert standin.asked[0].fields["term"] == "zinc[tiab] NOT rats[tiab]"
    answer = json.loads(out)
    assert errors[0].removeprefix("ilpsum: ") in answer["warnings"]
    assert {source["pmid"] for source in answer["sources"]} <= set(
        standin.found("zinc NOT rats", pubmed=True)
    )


@pytest.mark.parametrize("how", [(), ("--documents",)])
def test_a_collection_and_a_service_are_one_pile(run, tmp_path, how):
    own = tmp_path / "own.jsonl"
    text = "Gentamicin kills kidney cells of olms within a day. Olms of the tarn lost their kidney cells to gentamicin."
    own.write_text(json.dumps({"pmid": "7", "title": "Olms", "abstract": text}) + "\n")
    status, out, _ = run("ask", QUESTION, "--pubmed", *how, own, "--words", 80, "--fill", "--json")
    assert status == 0
    assert {source["id"] for source in json.loads(out)["sources"]} >= {"7", "90000011"}


@pytest.mark.parametrize("query", ["unicorns", "zinc"])
def test_a_damaged_file_is_left_out_beside_a_service_without_an_abstract(
    run, standin, tmp_path, query
):
    folder = tmp_path / "pile"
    folder.mkdir()
    (folder / "abstracts.xml").write_bytes(DEMO.read_bytes())
    (folder / "bad.xml.gz").write_bytes(b"\x1f\x8b\x08\0\0newts")
    article = "<Article><ArticleTitle>Zinc</ArticleTitle></Article>"
    record = (
        f"<PubmedArticle><MedlineCitation><PMID>8</PMID>{article}</MedlineCitation></PubmedArticle>"
    )
    untitled = f"<PubmedArticleSet>{record}</PubmedArticleSet>".encode()
    standin.faults = [Fault(200, untitled, only="efetch")]
    call = ("ask", QUESTION, "--pubmed", "--query", query, "--documents", folder)
    status, out, errors = run(*call)
    assert (status, "[1]" in out) == (1, True)
    assert "bad.xml.gz: the gzip data are cut off" in errors[-1]


def test_europe_pmc_has_preprints_that_are_marked_and_can_be_left_out(run):
    status, out, _ = run("ask", QUESTION, "--europepmc", "--words", 60, "--fill", "--json")
    sources = {source["id"] for source in json.loads(out)["sources"]}
    assert (status, "10.5555/invented(ppr900001)" in sources) == (0, True)
    assert "(preprint)" in run("ask", QUESTION, "--europepmc", "--words", 60, "--fill")[1]
    _, out, _ = run(
        "ask",
        QUESTION,
        "--europepmc",
        "--set",
        "source.preprints=false",
        "--words",
        60,
        "--fill",
        "--json",
    )
    assert "10.5555/invented(ppr900001)" not in {
        source["id"] for source in json.loads(out)["sources"]
    }


def test_both_services_have_an_article_once(run):
    _, out, errors = run(
        "ask", QUESTION, "--pubmed", "--europepmc", "--words", 200, "--fill", "--json"
    )
    ids = [source["id"] for source in json.loads(out)["sources"]]
    assert sorted(set(ids)) == sorted(ids)
    assert sum(line.startswith("ilpsum: Europe PMC: ") for line in errors) == 2


@pytest.mark.parametrize("name", ["-", "refs.txt"])
@pytest.mark.parametrize("how", [(), ("--pubmed",)])
def test_a_list_of_references_is_fetched_first(run, standin, tmp_path, monkeypatch, name, how):
    given = b"10.5555/invented(90000011)\nsee 80000015\nPMID: 90000002\n"
    (tmp_path / "refs.txt").write_bytes(given)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
    status, out, errors = run("ask", QUESTION, name, *how)
    assert (status, out, len(errors)) == (2, "", 1)
    assert errors[0].endswith("fetch the articles first: ilpsum fetch --ids FILE --out RECORDS.xml")
    assert standin.asked == []


def test_a_list_on_standard_input_is_fetched(run, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(b"10.5555/invented(90000011)\nPMID: 90000002\n"))
    )
    assert run("fetch", "--ids", "-", "--out", "out.xml")[0] == 0
    _, out, _ = run("ask", QUESTION, "out.xml", "--fill", "--json")
    assert {source["pmid"] for source in json.loads(out)["sources"]} == {"90000011", "90000002"}


def test_a_withdrawn_record_is_not_quoted_and_named(run, standin):
    withdrawn = (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>90000011</PMID><Article><Journal><JournalIssue><PubDate>"
        "<Year>2012</Year></PubDate></JournalIssue></Journal><ArticleTitle>Zinc</ArticleTitle><Abstract><AbstractText>"
        "Gentamicin kills kidney cells through zinc.</AbstractText></Abstract><PublicationTypeList><PublicationType>"
        "Retracted Publication</PublicationType></PublicationTypeList></Article></MedlineCitation></PubmedArticle>"
        "<DeleteCitation><PMID>90000002</PMID></DeleteCitation></PubmedArticleSet>"
    )
    standin.faults = [Fault(200, withdrawn.encode(), only="efetch")]
    status, out, errors = run("ask", QUESTION, "--pubmed", "--query", "zinc")
    assert (status, out.startswith("No answer: ")) == (0, True)
    assert (
        "ilpsum: retracted, or a notice of it, so not quoted: 90000011 (1 in all); the option retracted quotes them"
        in errors
    )
    standin.faults = [Fault(200, withdrawn.encode(), only="efetch")]
    _, out, _ = run(
        "ask",
        QUESTION,
        "--pubmed",
        "--query",
        "zinc",
        "--retracted",
        "--set",
        "source.refresh=true",
    )
    assert "Gentamicin kills kidney cells through zinc. [1, retracted]" in out


def test_filters_of_sources_go_to_the_service_and_hold_here(run, standin):
    only = ("--since", 2005, "--kinds", "trial", "--humans")
    status, out, _ = run(
        "ask", "Does mirolone heal leg ulcers?", "--pubmed", *only, "--words", 60, "--json"
    )
    assert status == 0
    assert {source["pmid"] for source in json.loads(out)["sources"]} == {"90000005", "90000006"}
    expected = '2005:3000[dp] AND ("clinical trial"[pt]) NOT (animals[mh] NOT humans[mh])'
    assert (
        standin.asked[0].fields["term"] == f"((leg ulcers) AND (mirolone OR heal)) AND {expected}"
    )


def test_what_nobody_has_is_no_answer(run):
    status, out, _ = run("ask", "Do unicorns outrun quaggas?", "--pubmed")
    assert (status, out.startswith("No answer: ")) == (0, True)


def test_the_reason_of_no_answer_is_told_once(run, tmp_path):
    (tmp_path / "a.txt").write_text("Newts sing.")
    status, out, err = run("ask", "Do quaggas sing?", tmp_path / "a.txt")
    assert (status, out, err) == (0, "No answer: no text mentions 'quaggas'.\n", [])


def test_a_doubt_is_told_once(run, tmp_path):
    question = "How does gentamicin kill kidney cells?"
    doubt = "the answer does not mention 'kill'"
    call = "ask", question, DEMO, "--since", 2015
    _, out, err = run(*call)
    assert out.startswith(f"Weak evidence: {doubt}.\n")
    assert err == []
    _, _, err = run(*call, "-o", tmp_path / "a.html")
    assert err == [f"ilpsum: {doubt}"]


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Does zorbatraxin cure flibberitis?", "no record was found that matches the question"),
        ("Thank you, please?", f"the question has no word to search for; {SEARCHES}"),
    ],
)
def test_a_service_without_a_record_gives_a_plain_answer(run, question, why):
    """Not one on the words of texts: none was searched."""
    status, out, err = run("ask", question, "--pubmed")
    assert status == 0
    assert out.startswith(f"No answer: {why}.\n")
    assert not any("mentions" in line for line in err)


def test_nothing_is_sent_unless_a_service_is_named(run, standin, monkeypatch):
    def connect(*_):
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", connect)
    assert run("ask", QUESTION, DEMO)[0] == 0
    assert run("ask", QUESTION, "--documents", DEMO)[0] == 0
    assert standin.asked == []


@pytest.mark.parametrize(
    ("option", "name"),
    [
        (("--query", "x"), "query"),
        (("--set", "source.until=2000"), "source.until"),
        (("--set", "source.languages=eng"), "source.languages"),
        (("--set", "source.refresh=true"), "source.refresh"),
    ],
)
def test_options_of_a_search_need_a_service(run, option, name):
    expected = (
        f"ilpsum: {name} is for a search in PubMed or Europe PMC; add the service pubmed or "
        "europepmc"
    )
    assert run("ask", QUESTION, DEMO, *option) == (2, "", [expected])


def test_a_service_that_fails_is_one_line(run, standin):
    standin.faults = [Fault(503, b"")] * 3
    assert run("ask", QUESTION, "--pubmed") == (
        1,
        "",
        ["ilpsum: PubMed: busy or broken (status 503); try again later"],
    )


def test_records_of_a_query_are_saved(run, standin, tmp_path):
    status, out, errors = run("fetch", "--query", "newts", "--out", "newts.xml", "--most", 300)
    assert (status, out, errors) == (0, "", ["ilpsum: PubMed: newts: 450 found, 300 fetched"])
    assert (tmp_path / "newts.xml").read_text().count("<PubmedArticle>") == 300
    assert run("ask", "Do grey newts sing in pond 17?", "newts.xml")[0] == 0
    status, _, errors = run("fetch", "--query", "newts", "--out", "newts.xml")
    assert (status, len(errors)) == (2, 1)
    assert run("fetch", "--query", "newts", "--out", "newts.xml", "--force", "--quiet") == (
        0,
        "",
        [],
    )


def test_a_list_of_identifiers_is_saved_and_what_is_missing_is_named(run, tmp_path):
    (tmp_path / "ids.txt").write_text(
        "# mine\n90000001\n999\n\n10.5555/invented(90000011)\nsee 80000015\n"
    )
    status, _, errors = run("fetch", "--ids", "ids.txt", "--out", "out.xml")
    assert status == 1
    assert errors == [
        "ilpsum: PubMed: 2 of 3 articles fetched",
        "ilpsum: ids.txt: lines without an identifier: 1 (6); write PMID: before a PMID, and a DOI or PMCID in one "
        "piece",
        "ilpsum: ids.txt:3: not found: PMID 999; check the identifier, or try the other service",
    ]


def test_nothing_found_writes_no_file(run, tmp_path):
    (tmp_path / "ids.txt").write_text("999\n")
    status, _, errors = run("fetch", "--ids", "ids.txt", "--out", "out.xml")
    assert status == 1
    assert "ilpsum: nothing found, so out.xml was not written" in errors
    assert not (tmp_path / "out.xml").exists()


def test_an_interrupted_fetch_keeps_what_arrived_and_goes_on(run, standin, tmp_path):
    standin.faults = [Fault(400, b"", only="efetch")]
    status, _, errors = run("fetch", "--query", "newts", "--out", "newts.xml")
    kept = "completed responses are cached; run the same command to continue"
    line = f"ilpsum: PubMed: refused (status 400); check the query and the address; {kept}"
    assert (status, errors) == (1, [line])
    assert not (tmp_path / "newts.xml").exists()
    assert run("fetch", "--query", "newts", "--out", "newts.xml", "--quiet")[0] == 0
    assert [each.target.rpartition("/")[2] for each in standin.asked].count("esearch.fcgi") == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--out", "x"), "name what to fetch, by either --query TEXT or --ids FILE"),
        (
            ("--out", "x", "--query", "y", "--ids", "z"),
            "name what to fetch, by either --query TEXT or --ids FILE",
        ),
        (
            ("--out", "x", "--query", "y", "--pubmed", "--europepmc"),
            "have records of different formats",
        ),
        (("--out", "x", "--ids", "missing.txt"), "missing.txt"),
        (
            ("--out", "x", "--ids", "prose.txt"),
            "prose.txt: no PMID, PMCID or DOI; expected one per line",
        ),
        (
            ("--out", "x", "--query", "y", "--set", "source.until=20000"),
            "source.until: expected a whole number of at most 3000",
        ),
        (
            ("--out", "x", "--query", "y", "--set", "source.languages=english"),
            "source.languages: expected text of another form",
        ),
        (("--out", "no/x", "--query", "y"), "there is no folder no"),
        (("--out", "x", "--query", "y", "--set", "source.journal=Pond"), "a journal to fetch"),
    ],
)
def test_wrong_usage_is_one_line_and_sends_nothing(run, standin, tmp_path, arguments, expected):
    (tmp_path / "prose.txt").write_text("Newts sing in ponds.\n")
    status, out, errors = run("fetch", *arguments)
    assert (status, out, len(errors)) == (2, "", 1)
    assert expected in errors[0]
    assert standin.asked == []
