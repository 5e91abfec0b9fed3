"""What is asked of the services, byte for byte, and what is made of their answers."""

import json
import os
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from features.registry import UnknownNameError
from ilpsum.answers.finding import Wanted, find, save
from ilpsum.answers.retrieval import newest, topic_of
from ilpsum.answers.sources import Sources
from ilpsum.errors import InputError
from ilpsum.files.identifiers import ArticleIds, listed_ids
from ilpsum.literature import intake
from ilpsum.literature.client import ServiceError
from ilpsum.literature.services import Cache
from ilpsum.records import Document, Publication, SourceFilter
from tests.ilpsum.answers.standin import Fault

QUESTION = "How does gentamicin kill kidney cells?"


def only(wanted, service="pubmed", cache=None):
    (finding,) = find(wanted, [service], cache)
    return finding


def read(path):
    found = list(intake.documents(path))
    assert all(isinstance(each, Document) for each in found)
    return [each.id for each in found]


def bodies(standin):
    return [each.body.decode() for each in standin.asked]


def test_the_requests_of_pubmed(standin):
    finding = only(Wanted(query="valproate[tiab] AND gentamicin OR newts", most=250))
    assert [(each.method, each.target) for each in standin.asked] == [
        ("POST", "/eutils/esearch.fcgi"),
        ("POST", "/eutils/efetch.fcgi"),
        ("POST", "/eutils/efetch.fcgi"),
    ]
    found = standin.found("valproate[tiab] AND gentamicin OR newts", pubmed=True)
    assert bodies(standin) == [
        "db=pubmed&term=valproate%5Btiab%5D+AND+gentamicin+OR+newts&retmode=json&retmax=250&sort=relevance&tool=ilpsum",
        *(
            f"db=pubmed&retmode=xml&id={'%2C'.join(ids)}&tool=ilpsum"
            for ids in (found[:200], found[200:250])
        ),
    ]
    headers = {
        name: value
        for name, value in standin.asked[0].headers.items()
        if name not in ("Host", "Content-Length")
    }
    from ilpsum import __version__

    assert headers == {
        "Accept": "*/*",
        "Accept-Encoding": "gzip",
        "Connection": "keep-alive",
        "User-Agent": f"ilpsum/{__version__}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    assert finding.number == 250
    assert sum(len(read(path)) for path in finding.records) == 250
    assert finding.notes == (
        "PubMed: valproate[tiab] AND gentamicin OR newts: 450 found, 250 fetched",
    )


def test_the_requests_of_europe_pmc(standin):
    finding = only(Wanted(query="newts", most=150), "europepmc")
    asked = "/rest/search?query=%28newts%29+AND+%28SRC%3AMED+OR+SRC%3APMC+OR+SRC%3APPR%29&resultType=core&format=json"
    assert [(each.method, each.target, each.body) for each in standin.asked] == [
        ("GET", f"{asked}&synonym=true&pageSize=75&cursorMark=%2A", b""),
        ("GET", f"{asked}&synonym=true&pageSize=75&cursorMark=AoI75", b""),
    ]
    assert finding.notes == ("Europe PMC: newts: 451 found, 150 fetched",)


def test_a_question_is_relaxed_until_there_is_enough(standin):
    finding = only(Wanted(QUESTION))
    assert finding.notes == (
        "PubMed: gentamicin AND (kill OR kidney OR cells): 5 found",
        "PubMed: gentamicin OR kill OR kidney: 0 more found",
    )
    # Records are fetched once, after the searches.
    assert [each.target.rpartition("/")[2] for each in standin.asked] == ["esearch.fcgi"] * 2 + [
        "efetch.fcgi"
    ]
    assert QUESTION not in " ".join(bodies(standin))
    standin.asked.clear()
    assert len(only(Wanted(QUESTION, most=10), cache=Cache(days=0)).notes) == 1


def test_a_restriction_goes_to_the_service(standin):
    wanted = Wanted(
        "Do newts sing?", restriction=SourceFilter(since=2010, languages=("ger",)), most=400
    )
    finding = only(wanted)
    years = {document.date[:4] for path in finding.records for document in intake.documents(path)}
    assert min(years) == "2010"
    assert standin.asked[0].fields["term"] == "(sing AND newts) AND 2010:3000[dp] AND ger[la]"
    assert finding.notes[0].startswith("PubMed: (sing AND newts) AND 2010:3000[dp] AND ger[la]: ")
    assert 0 < finding.number < 90


@pytest.mark.parametrize("service", ["pubmed", "europepmc"])
def test_the_same_question_again_asks_nobody(standin, service):
    first = only(Wanted(QUESTION), service)
    standin.asked.clear()
    assert only(Wanted(QUESTION), service) == first
    assert standin.asked == []
    assert only(Wanted(QUESTION), service, Cache(days=0)) == first
    assert len(standin.asked) >= 2


def test_old_answers_are_asked_for_again_and_very_old_ones_removed(standin, tmp_path):
    finding = only(Wanted(query="newts", most=5))
    folder = finding.records[0].parent
    assert folder == tmp_path / "cache/ilpsum/literature"
    old = folder / "pubmed-0.xml"
    old.write_text("")
    for path, days in ((finding.records[0], 31), (old, 366)):
        os.utime(path, (time.time() - days * 86400,) * 2)
    standin.asked.clear()
    assert only(Wanted(query="newts", most=5)) == finding
    # The search was fresh.
    (asked,) = standin.asked
    assert asked.fields["id"] == ",".join(read(finding.records[0]))
    assert not old.exists()


def test_a_fetch_goes_on_where_it_stopped(standin):
    wanted = Wanted(query="newts", most=450)
    standin.faults = [
        Fault(400, b"", only="nothing"),
        *[Fault(503, b"", only="efetch") for _ in range(3)],
    ]

    def broken(body):
        standin.faults += [Fault(500, b"", only="efetch") for _ in range(3)]
        return body

    standin.faults = [Fault(only="efetch", raw=broken)]
    with pytest.raises(ServiceError, match="PubMed: busy or broken"):
        only(wanted)
    done = len(standin.asked)
    assert done == 5
    finding = only(wanted)
    assert finding.number == 450
    assert [sorted(each.fields) for each in standin.asked[done:]] == [
        ["db", "id", "retmode", "tool"]
    ] * 2
    whole = [pmid for path in finding.records for pmid in read(path)]
    assert whole == standin.found("newts", pubmed=True)


@pytest.mark.parametrize("service", ["pubmed", "europepmc"])
def test_identifiers_of_every_kind_are_looked_up(standin, service):
    given = (
        "90000001\n12345\ndoi:10.5555/invented(90000011)\n10.5555/none\nPMC9000001\nPMC9999999\n"
    )
    finding = only(Wanted(ids=listed_ids(given).articles), service)
    assert [str(each) for each in finding.missing] == [
        "PMID 12345",
        "DOI 10.5555/none",
        "PMC9999999",
    ]
    assert finding.notes[0].endswith(": 2 of 6 articles fetched")


def test_forty_dois_are_a_few_requests(standin):
    ids = [ArticleIds(doi=f"10.5555/invented({80000000 + n})") for n in range(1, 101)]
    finding = only(Wanted(ids=ids))
    assert (finding.number, finding.missing, len(standin.asked)) == (100, (), 4)
    standin.asked.clear()
    finding = only(Wanted(ids=ids), "europepmc")
    assert (finding.number, finding.missing, len(standin.asked)) == (100, (), 5)
    query = parse_qs(urlsplit(standin.asked[0].target).query)["query"][0]
    assert query.startswith(
        '(DOI:"10.5555/invented(80000001)" OR DOI:"10.5555/invented(80000002)" OR '
    )


def test_saved_records_are_one_file(standin, tmp_path):
    save(only(Wanted(query="newts", most=450)), tmp_path / "out.xml")
    assert read(tmp_path / "out.xml") == standin.found("newts", pubmed=True)
    finding = only(Wanted(query="newts OR gentamicin", most=500), "europepmc")
    save(finding, tmp_path / "out.json")
    records = json.loads((tmp_path / "out.json").read_bytes())["resultList"]["result"]
    assert [each["id"] for each in records] == standin.found("newts OR gentamicin", pubmed=False)
    save(only(Wanted(query="unicorns"), "europepmc"), tmp_path / "none.json")
    assert json.loads((tmp_path / "none.json").read_bytes()) == {"resultList": {"result": []}}


def test_what_a_service_cannot_use_is_told(standin):
    assert "PubMed does not know unheardof" in only(Wanted(query="newts OR unheardof")).notes
    with pytest.raises(
        ServiceError, match="PubMed: it says 'Search Backend failed: a bracket that is not closed'"
    ):
        only(Wanted(query="(newts"))
    with pytest.raises(
        ServiceError, match="Europe PMC: it says 'Invalid query: unbalanced query at "
    ):
        only(Wanted(query="newts))"), "europepmc")


def test_more_than_pubmed_gives_is_told(standin, monkeypatch):
    monkeypatch.setattr("ilpsum.literature.entrez._MOST", 300)
    finding = only(Wanted(query="newts", most=400))
    assert finding.notes[1] == "PubMed gives the first 300 of 450 records only; narrow the query"
    assert finding.number == 300


def test_a_cursor_that_repeats_is_the_end(standin):
    def stuck(body):
        return json.dumps({**json.loads(body), "nextCursorMark": "*"}).encode()

    standin.faults = [Fault(raw=stuck)]
    assert only(Wanted(query="newts", most=400), "europepmc").number == 100


def test_a_damaged_file_of_the_cache_is_named(standin):
    path = only(Wanted(query="newts", most=100), "europepmc").records[0]
    path.write_text("{")
    with pytest.raises(
        InputError, match=r"europe-pmc-[0-9a-f]{32}\.json: .*remove this file and run again"
    ):
        only(Wanted(query="newts", most=100), "europepmc")


@pytest.mark.parametrize("question", ["What is it?", "hi", "Thanks!", "???"])
def test_a_question_without_a_word_to_search_for_is_not_sent(standin, question):
    assert find(Wanted(question), ["pubmed"]) == []
    assert standin.asked == []


def test_an_unknown_service_is_said_before_anything_is_sent(standin):
    with pytest.raises(
        UnknownNameError, match="unknown service 'medline'; there are: pubmed, europepmc"
    ):
        only(Wanted("newts"), "medline")
    assert standin.asked == []


def test_what_a_service_has_may_be_old(standin):
    documents = [
        Document("1", "Newts.", date="Jun 2012"),
        Document("2", "Newts.", publication=Publication(year="2013")),
    ]
    assert (newest(documents), newest([Document("1", "Newts.")])) == ("2013", "")
    topic = topic_of("How does gentamicin kill kidney cells?", Sources(services=["pubmed"]))
    assert any(line.startswith("nothing newer than 20") for line in topic.warnings)
