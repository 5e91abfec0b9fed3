"""`ilpsum serve --pubmed`: the room asks services, if it was started with them."""

import argparse

import pytest
from starlette.testclient import TestClient

from ilpsum import resources
from ilpsum.cli import serve
from ilpsum.cli.options import sources_of
from ilpsum.pages.room import Session, application
from tests.ilpsum.answers.standin import Fault

HEADERS = {"content-type": "application/json"}
ASKED = {"question": "How does gentamicin kill kidney cells?", "words": 60}


def opened(*arguments):
    """A client of a room as `ilpsum serve` starts it with these arguments."""
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    options = parser.parse_args([*arguments, "--quiet"])
    where = sources_of(options)
    room = Session(where.open() if where.documents else None, where)
    return TestClient(application(room, hosts=frozenset({"testserver"})), raise_server_exceptions=False)


@pytest.mark.parametrize(
    ("arguments", "names"), [(["--pubmed"], "PubMed"), (["--pubmed", "--documents", "demo"], "PubMed")]
)
def test_the_room_searches_services_and_says_so(standin, arguments, names):
    demo = str(resources.demo() / "abstracts.xml")
    client = opened(*(demo if each == "demo" else each for each in arguments))
    assert f"Words of the question are sent to {names}." in client.get("/").text
    assert standin.asked == []
    answer = client.post("/api/answers", json=ASKED, headers=HEADERS).json()
    assert {source["pmid"] for source in answer["sources"]} >= {"90000011"}
    assert answer["warnings"][0] == "PubMed: gentamicin kill kidney cells: 3 found"
    number = len(standin.asked)
    # A slider asks nobody.
    assert client.post("/api/answers", json={**ASKED, "words": 30}, headers=HEADERS).status_code == 200
    assert len(standin.asked) == number


def test_without_services_nothing_is_sent(standin):
    client = opened("--documents", str(resources.demo() / "abstracts.xml"))
    assert client.post("/api/answers", json=ASKED, headers=HEADERS).status_code == 200
    assert "sent to" not in client.get("/").text
    assert standin.asked == []


def test_texts_of_the_reader_are_answered_from_alone(standin):
    texts = [{"text": "Gentamicin kills kidney cells of newts. Newts need zinc."}]
    answer = opened("--pubmed").post("/api/answers", json={**ASKED, "texts": texts}, headers=HEADERS)
    assert answer.status_code == 200
    assert standin.asked == []


def test_a_service_that_fails_is_one_line(standin):
    standin.faults = [Fault(503, b"")] * 6
    client = opened("--pubmed")
    answer = client.post("/api/answers", json=ASKED, headers=HEADERS)
    assert (answer.status_code, answer.text) == (503, "PubMed: busy or broken (status 503); try again later\n")
    assert "PubMed: busy or broken" in client.get("/", params={"question": ASKED["question"]}).text
