"""`ilpsum serve --pubmed`: the room asks services, if it was started with them."""

import argparse
import os
import re
import threading
import time
from html import unescape

import pytest
from starlette.testclient import TestClient

from ilpsum import resources
from ilpsum.answers.retrieval import indexed
from ilpsum.cli import serve
from ilpsum.cli.options import sources_of
from ilpsum.pages.room import Session, application
from ilpsum.pages.room.asking import Ask
from tests.ilpsum.answers.standin import Fault

ASKED = {"question": "How does gentamicin kill kidney cells?", "words": 60}


def session_of(*arguments):
    """The session as `ilpsum serve` starts it with these arguments."""
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    options = parser.parse_args([*arguments, "--quiet"])
    where = sources_of(options)
    return Session(indexed(where) if where.documents else None, where)


def opened(*arguments):
    """A client of such a session."""
    return TestClient(
        application(session_of(*arguments), hosts=frozenset({"testserver"})),
        raise_server_exceptions=False,
    )


@pytest.mark.parametrize(
    ("arguments", "names"),
    [(["--pubmed"], "PubMed"), (["--pubmed", "--documents", "demo"], "PubMed")],
)
def test_the_room_searches_services_and_says_so(standin, arguments, names):
    demo = str(resources.demo() / "abstracts.xml")
    client = opened(*(demo if each == "demo" else each for each in arguments))
    assert f"the words of your question are sent to {names}." in client.get("/").text
    assert standin.asked == []
    answer = client.get("/answer.json", params=ASKED).json()
    assert {source["pmid"] for source in answer["sources"]} >= {"90000011"}
    assert answer["warnings"][0] == "PubMed: gentamicin AND (kill OR kidney OR cells): 5 found"
    number = len(standin.asked)
    # A slider asks nobody.
    assert client.get("/answer.json", params={**ASKED, "words": 30}).status_code == 200
    assert len(standin.asked) == number


def test_filters_and_a_query_of_the_reader_reach_the_service(standin):
    client = opened("--pubmed", "--set", "source.until=2020")
    asked = {
        **ASKED,
        "since": 2001,
        "until": 2015,
        "kinds": "trial",
        "languages": ["eng", "ger"],
        "humans": True,
    }
    page = client.get("/", params=asked).text
    sent = standin.asked[0].fields["term"]
    for part in ("2001:2015[dp]", '"clinical trial"[pt]', "eng[la] OR ger[la]", "animals[mh]"):
        assert part in sent
    assert 'value="2015"' in page
    assert "Only: 2001 to 2015, Clinical trial, humans, English or German." in page
    # The search can be opened in PubMed, and edited here.
    shown = client.get("/", params=ASKED).text
    assert 'href="https://pubmed.ncbi.nlm.nih.gov/?term=' in shown
    edit = re.search(r'href="(\?[^"]*query=[^"]*)#query">Edit this search', shown)[1]
    assert 'id="query" name="query" value="' in client.get(unescape(edit)).text
    client.get("/answer.json", params={**ASKED, "query": "zinc[tiab]"})
    assert "zinc[tiab]" in str([each.fields for each in standin.asked[-2:]])


def test_a_case_history_is_answered_by_its_question(standin):
    history = (
        "A tired man of 67 years takes seven tablets each morning. He dislikes all of them. " * 2
    )
    asked = f"{history}{ASKED['question']}"
    answer = opened("--pubmed").get("/answer.json", params={**ASKED, "question": asked}).json()
    assert answer["question"] == asked
    assert answer["sentences"]
    assert not [line for line in answer["warnings"] if "mentions" in line]


def test_restrictions_for_services_are_refused_where_none_is_asked():
    client = opened("--documents", str(resources.demo() / "abstracts.xml"))
    for fields in ({"until": 2015}, {"languages": "eng"}, {"query": "zinc"}):
        assert client.get("/answer.json", params={**ASKED, **fields}).status_code == 422


def test_without_services_nothing_is_sent(standin):
    client = opened("--documents", str(resources.demo() / "abstracts.xml"))
    assert client.get("/answer.json", params=ASKED).status_code == 200
    assert "sent to" not in client.get("/").text
    assert standin.asked == []


def test_a_service_that_fails_is_one_line(standin):
    standin.faults = [Fault(503, b"")] * 6
    client = opened("--pubmed")
    answer = client.get("/answer.json", params=ASKED)
    assert (answer.status_code, answer.text) == (
        503,
        "PubMed: busy or broken (status 503); try again later\n",
    )
    assert "PubMed: busy or broken" in client.get("/", params={"question": ASKED["question"]}).text


def test_a_service_that_does_not_answer_keeps_nobody_waiting_but_who_asked_it(standin):
    """More questions than threads wait for the service; the texts here are answered from meanwhile."""
    standin.faults = [Fault(400, slow=600)] * 40
    demo = str(resources.demo() / "abstracts.xml")
    client, statuses = opened("--pubmed", "--documents", demo, "--set", "source.seconds=600"), []

    def ask(number):
        statuses.append(
            client.get("/answer.json", params={"question": f"newts {number}"}).status_code
        )

    asking = [threading.Thread(target=ask, args=(number,)) for number in range(3 * os.cpu_count())]
    with client:
        for each in asking:
            each.start()
        while len(standin.asked) < len(asking):
            time.sleep(0.02)
            assert not statuses
        assert client.get("/api/stage", params={"question": "newts 1"}).text.startswith("PubMed: ")
        assert client.get("/answer.json", params={**ASKED, "services": False}).status_code == 200
        assert not statuses
        standin.hurry.set()
        for each in asking:
            each.join()
    assert statuses == [503] * len(asking)


def test_who_waits_for_a_service_can_leave(standin, monkeypatch):
    """The request to the service ends with the reader's: nobody goes on waiting."""
    standin.faults, left = [Fault(slow=600)] * 3, []
    session = session_of("--pubmed")

    def leave():
        left.append(1)
        raise InterruptedError

    monkeypatch.setattr("ilpsum.pages.room.session.check_cancelled", leave)
    with pytest.raises(InterruptedError):
        session.fetch(Ask(ASKED["question"]))
    assert left
    assert session.stage(Ask(ASKED["question"])) == ""


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"referer": "https://example.org/links"},
        {"origin": "https://example.org"},
        {"origin": "null"},
    ],
)
def test_a_page_of_another_site_sends_nothing_to_a_service(standin, headers):
    client, question = opened("--pubmed"), {"question": ASKED["question"]}
    page = client.get("/", params=question, headers=headers)
    assert page.status_code == 200
    assert "press Ask to ask it" in page.text
    assert "gentamicin kill" in page.text
    assert client.get("/answer.json", params=question, headers=headers).status_code == 403
    assert standin.asked == []
    # The reader asks; then the answer is there for every page.
    assert (
        client.get("/", params=question, headers={"sec-fetch-site": "same-origin"}).status_code
        == 200
    )
    assert standin.asked
    assert client.get("/answer.json", params=question, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers", [{}, {"sec-fetch-site": "none"}, {"referer": "http://testserver/"}]
)
def test_an_address_that_the_reader_types_asks_the_service(standin, headers):
    assert (
        opened("--pubmed")
        .get("/", params={"question": ASKED["question"]}, headers=headers)
        .status_code
        == 200
    )
    assert standin.asked
