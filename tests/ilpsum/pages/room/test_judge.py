"""A room with a judge: the choice of the ranking, what is sent, and what becomes of a judge that fails."""

import html
import re

import pytest
from starlette.testclient import TestClient

from ilpsum import Judge, resources
from ilpsum.answers.searching import AbstractSearch
from ilpsum.pages.room import Session, application
from ilpsum.pages.room.asking import Ask
from tests.ilpsum.learning.judging.conftest import standin  # noqa: F401  # a fixture
from tests.ilpsum.learning.judging.standin import Fault

QUESTION = "How does gentamicin kill kidney tubule cells?"
BUILT_IN = "Answer with the built-in ranking"


@pytest.fixture
def judged(standin, tmp_path):  # noqa: F811
    """A client of a room with a judge, which gives the best grade to sentences on zinc."""
    standin.grade = lambda _question, sentence: 3 if "zinc" in sentence else 0
    search = AbstractSearch([resources.demo() / "abstracts.xml"], tmp_path / "index")
    session = Session(search, judge=Judge(standin.url, "newt-7b"))
    application_ = application(session, hosts=frozenset({"testserver"}))
    with TestClient(application_, raise_server_exceptions=False) as client:
        yield client


def page(client, **fields):
    return client.get("/", params={"question": QUESTION, **fields})


def test_the_judge_ranks_and_the_page_says_so_and_what_is_sent(judged, standin):  # noqa: F811
    shown = page(judged)
    name = f"newt-7b at {standin.host}"
    assert shown.status_code == 200
    assert f"Ranked by: {name}" in shown.text
    assert f"Sentences graded by {name}." in shown.text
    assert f"your question and the sentences found are sent to {name}" in shown.text
    answer = judged.get("/answer.json", params={"question": QUESTION}).json()
    assert answer["sentences"]
    assert all("zinc" in sentence["text"] for sentence in answer["sentences"])
    # The page and its export are one question.
    assert len(standin.asked) == 3


def test_the_built_in_ranking_sends_nothing(judged, standin):  # noqa: F811
    shown = page(judged, judge="false")
    assert "Ranked by: built in" in shown.text
    assert "graded by" not in shown.text
    assert "are sent to" not in shown.text
    assert standin.asked == []


def test_the_two_rankings_of_a_question_are_kept_apart(judged):
    texts = {page(judged, judge=judge).text for judge in ("true", "false", "true", "false")}
    assert len(texts) == 2


def test_the_choice_is_a_control_that_works_without_a_script(judged):
    for judge, value in (("true", ""), ("false", "false")):
        controls = re.findall(r'<input [^>]*name="judge"[^>]*>', page(judged, judge=judge).text)
        checked = [control for control in controls if " checked" in control]
        assert len(controls) == 2
        assert [re.search('value="([^"]*)"', control)[1] for control in checked] == [value]


def test_a_room_without_a_judge_has_no_choice(client):
    shown = page(client).text
    assert not re.search(r'<input [^>]*name="judge"', shown)
    assert "graded by" not in shown
    assert page(client, judge="true").text.count("graded by") == 0


def test_a_failure_is_a_page_that_offers_the_built_in_ranking(judged, standin):  # noqa: F811
    standin.faults = [Fault(401, b'{"error": {"message": "bad <key>"}}')] * 9
    shown = page(judged, words=60)
    assert shown.status_code == 422
    said = html.unescape(shown.text)
    assert f"The judge newt-7b at {standin.host}: refused (status 401: 'bad <key>')" in said
    assert "<key>" not in shown.text
    link = re.search(f'<a href="([^"]*)"[^>]*>{BUILT_IN}</a>', shown.text)
    again = judged.get(f"/{html.unescape(link[1])}")
    assert again.status_code == 200
    assert "Ranked by: built in" in again.text
    assert "60 words" in again.text
    assert judged.get("/answer.json", params={"question": QUESTION}).status_code == 503
    # The judge is well again, and nothing of the failure stays.
    standin.faults = []
    assert page(judged).status_code == 200


def test_a_refusal_says_what_the_grades_said(judged, standin):  # noqa: F811
    standin.grade = lambda *_: 1
    shown = page(judged).text
    assert f"No sentence was graded 2 or 3 by newt-7b at {standin.host}." in shown


def test_steering_asks_the_judge_nothing_more(judged, standin):  # noqa: F811
    page(judged)
    number = len(standin.asked)
    answer = judged.get("/answer.json", params={"question": QUESTION, "words": 60}).json()
    place = "{document}:{start}-{end}".format_map(answer["sentences"][0])
    barred = judged.get("/answer.json", params={"question": QUESTION, "bar": place}).json()
    assert place not in {"{document}:{start}-{end}".format_map(s) for s in barred["sentences"]}
    assert len(standin.asked) == number


def test_another_site_cannot_have_sentences_sent(judged, standin):  # noqa: F811
    headers = {"sec-fetch-site": "cross-site"}
    shown = judged.get("/", params={"question": QUESTION}, headers=headers)
    assert "press Ask to ask it" in shown.text
    assert standin.asked == []


def test_examples_ask_no_judge(standin, tmp_path):  # noqa: F811
    search = AbstractSearch([resources.demo() / "abstracts.xml"], tmp_path / "index")
    session = Session(search, judge=Judge(standin.url, "newt-7b"))
    session.find_examples()
    assert session.examples
    assert standin.asked == []
    assert session.waits(Ask(QUESTION))
