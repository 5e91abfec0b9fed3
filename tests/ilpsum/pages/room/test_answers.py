"""The answers of the page and its exports: those of the command line, steered by words, lambda, keeping and barring."""

import html
import io
import json
import re
from datetime import date

import pytest
from starlette.testclient import TestClient

from ilpsum import resources
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.sources import Sources
from ilpsum.cli import main
from ilpsum.errors import UsageError
from ilpsum.literature.gate import to_document
from ilpsum.literature.raw import Raw
from ilpsum.pages.room import Session, application
from ilpsum.pages.room.asking import Ask
from ilpsum.pages.room.drawing import page
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.records import Document, SourceFilter
from ilpsum.selection import Limits

QUESTION = "How does gentamicin kill kidney tubule cells?"
HOSTS = frozenset({"testserver"})
ABSTRACTS = str(resources.demo() / "abstracts.xml")


def ask(client, **fields):
    reply = client.get("/answer.json", params={"question": QUESTION, **fields})
    assert reply.status_code == 200, reply.text
    return reply.json()


def places(answer):
    return [f"{s['document']}:{s['start']}-{s['end']}" for s in answer["sentences"]]


@pytest.mark.parametrize("settings", [{}, {"words": 40}, {"words": 60, "lambda": 0.7}])
def test_the_api_answers_as_the_command_line(client, tmp_path, capsys, settings):
    options = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
    asked = [QUESTION, "--documents", ABSTRACTS, "--index", str(tmp_path), "--json", "--quiet"]
    assert main(["ask", *asked, *options]) == 0
    from_page, printed = ask(client, **settings), json.loads(capsys.readouterr().out)
    # The page knows the day, which the command line says for services only.
    assert from_page.pop("asked")[0] == "11 abstracts"
    assert printed.pop("asked") == []
    assert from_page == printed


def test_the_page_has_the_same_sentences_without_a_script(client):
    page = client.get("/", params={"question": QUESTION, "words": 60})
    assert page.status_code == 200
    for sentence in ask(client, words=60)["sentences"]:
        assert sentence["text"].replace("'", "&#x27;") in page.text
    assert "Exclude" in page.text
    assert "90000001" in page.text


def test_a_barred_sentence_leaves_and_a_kept_one_comes(client, room):
    free = ask(client, words=60)
    first = places(free)[0]
    barred = ask(client, words=60, bar=[first])
    assert first not in places(barred)
    assert "excluded by you" in {s["why"] for s in barred["left_out"]}
    out = next(s for s in free["left_out"] if s["document"] != "90000001")
    name = f"{out['document']}:{out['start']}-{out['end']}"
    kept = ask(client, words=60, keep=[name])
    assert name in places(kept)
    assert sum(len(s["text"].split()) for s in kept["sentences"]) <= 60
    both = room.answer(Ask(QUESTION, 60, keep=(name,), bar=(first,)))
    assert both.answer.summary.objective <= room.answer(Ask(QUESTION, 60)).answer.summary.objective


def test_the_form_remembers_what_was_kept_and_barred(client):
    name = places(ask(client, words=60))[0]
    page = client.get("/", params={"question": QUESTION, "words": 60, "bar": name}).text
    assert f'<input type="hidden" name="bar" value="{name}">' in page


def test_what_cannot_be_kept_is_refused(client):
    free = ask(client, words=60)
    name = places(free)[0]
    for fields, expected in (
        ({"words": 3, "keep": [name]}, "words, more than the limit of 3"),
        ({"keep": [name], "bar": [name]}, "pinned and excluded"),
        ({"keep": ["90000001:1-2"]}, "no sentence 90000001:1-2"),
        ({"question": "  "}, "the question is empty"),
    ):
        reply = client.get("/answer.json", params={"question": QUESTION, **fields})
        assert reply.status_code == 422
        assert expected in reply.text
        assert reply.text.count("\n") == 1


def test_what_is_not_in_the_abstracts_is_said(client):
    answer = ask(client, question="Which drugs treat cystic fibrosis?")
    assert (answer["outcome"], answer["sentences"], answer["nearest"]) == ("nothing", [], [])
    assert "cystic" in answer["unanswered"]
    assert (
        "No answer"
        in client.get("/", params={"question": "Which drugs treat cystic fibrosis?"}).text
    )


def test_sentences_that_only_touch_the_question_are_shown_as_such(client, monkeypatch):
    monkeypatch.setattr("ilpsum.answers.answering.Signs.probability", 0.1)
    question = QUESTION.replace("?", " of zanthexols?")
    answer = ask(client, question=question)
    assert (answer["outcome"], answer["sentences"]) == ("related", [])
    assert "'zanthexols'" in answer["unanswered"]
    page = html.unescape(client.get("/", params={"question": question}).text)
    assert "Related, not an answer" in page
    why = answer["unanswered"]
    assert f'<p class="state">{why[0].upper()}{why[1:]}.</p>' in page
    assert "These sentences come near the question, and may not answer it." in page
    assert "Try other words: spell out abbreviations" in page
    assert all(near["text"] in page for near in answer["nearest"])


def test_what_was_left_out_is_open_beside_a_short_answer_only(client):
    def is_open(words):
        page = client.get("/", params={"question": QUESTION, "words": words}).text
        return '<details class="left-out" open>' in page

    used = ask(client, question=QUESTION, words=400)["words"]
    assert is_open(400)
    assert not is_open(used)


def test_all_proofs_of_a_request_share_one_limit(room, monkeypatch):
    seen = []
    select = Pipeline.select
    monkeypatch.setattr(
        Pipeline,
        "select",
        lambda own, *rest: (seen.append(own.options.limits), select(own, *rest))[1],
    )
    name = places_of(room.answer(Ask(QUESTION, 90)))[0]
    room.answer(Ask(QUESTION, 91, bar=(name,)))
    assert len({limits.start for limits in seen}) == 2
    # Time that is used up cuts every proof short, and the answer says so.
    monkeypatch.setattr(room, "_limits", Limits(seconds=0.0))
    cut = room.answer(Ask(QUESTION, 40))
    assert any("limit of 0.0 s" in warning for warning in cut.answer.summary.warnings)


def places_of(answered):
    return [f"{s.document}:{s.start}-{s.end}" for s in answered.answer.summary]


def test_an_answer_is_exported(client):
    params = {"question": QUESTION, "words": 60}
    ris = client.get("/answer.ris", params=params)
    assert ris.text.startswith("TY  - JOUR\n")
    assert f"N1  - Quoted by ilpsum: {QUESTION}" in ris.text
    assert client.get("/answer.json", params=params).json() == ask(client, words=60)
    assert "attachment" in ris.headers["content-disposition"]
    assert client.get("/answer.exe", params=params).status_code == 404


def test_an_address_asks_the_same(client):
    given = Ask("a & b?", 50, 0.25, ("x y:1-2", "z:3-4"), ("q:5-6",))
    assert Ask.of_query(given.address) == given


def test_filters_move_the_answer_and_never_past_those_of_the_room(client, room, monkeypatch):
    free = ask(client, words=60)
    recent = ask(client, words=60, since=2012)
    assert {s["date"] for s in free["sources"]} - {s["date"] for s in recent["sources"]}
    assert all(int(s["date"][:4]) >= 2012 for s in recent["sources"])
    # The page has the same answer, and its form keeps the filter.
    page = client.get("/", params={"question": QUESTION, "words": 60, "since": 2012}).text
    assert all(s["text"].replace("'", "&#x27;") in page for s in recent["sentences"])
    assert f'type="number" min="1000" max="{date.today().year + 1}"' in page
    assert 'value="2012"' in page
    # A filter in use is said, even where its fields are folded.
    assert " abstracts. Only: Since 2012.</p>" in page
    assert '<details class="chip set" name="chip"><summary>Since 2012</summary>' in page
    none = ask(client, words=60, journal="Journal of Newts")
    assert (none["outcome"], none["sentences"]) == ("nothing", [])
    both = Ask(QUESTION, since=2001, humans=True, kinds=("trial", "review"), preprints=True)
    allowed = both.within(
        Sources(
            wanted=SourceFilter(since=2010, kinds=("review",), preprints=False, retracted=True)
        ),
        has_abstracts=True,
    ).wanted
    assert allowed == SourceFilter(2010, ("review",), humans=True, preprints=False, retracted=True)
    with pytest.raises(UsageError, match="this server searches only these kinds of study: cohort"):
        both.within(Sources(wanted=SourceFilter(kinds=("cohort",))), has_abstracts=True)


@pytest.mark.parametrize(
    ("asked", "held"), [("", "Pond"), ("pond life", "pond life"), ("Moor", None)]
)
def test_a_journal_of_the_room_holds(asked, held):
    room = Sources(wanted=SourceFilter(journal="Pond"))
    if held:
        assert Ask(QUESTION, journal=asked).within(room, has_abstracts=True).wanted.journal == held
        return
    with pytest.raises(UsageError, match="this server searches only journals named Pond"):
        Ask(QUESTION, journal=asked).within(room, has_abstracts=True)


def client_of(*texts):
    return TestClient(application(Session(AbstractSearch.of_documents(texts)), hosts=HOSTS))


def test_what_a_filter_cannot_judge_is_said():
    text = "Velin 2 binds the wing of the tarn moth."
    client = client_of(to_document(Raw(id="moths", title="Velin in moths", abstract=[("", text)])))
    asked = {"question": "What does velin 2 bind?"}
    assert "name no" not in client.get("/", params=asked).text.split('class="notes"')[0]
    said = client.get("/", params=asked | {"humans": "true"}).text.split('class="notes"')[0]
    lacking = "1 of 1 records with words of the question lack MeSH data and may be animal studies"
    assert lacking in said
    refused = client.get("/", params=asked | {"since": "2012"}).text.split('class="notes"')[0]
    assert refused.count("1 of 1 records with words of the question name no year") == 1


def test_an_answer_is_a_word_document(client):
    docx = pytest.importorskip("docx")
    params = {"question": QUESTION, "words": 60}
    reply = client.get("/answer.docx", params=params)
    made = docx.Document(io.BytesIO(reply.content))
    paragraphs = [p.text for p in made.paragraphs]
    assert paragraphs[0] == QUESTION
    # The label, the opening sentence, the others, the references, then what the answer is.
    assert paragraphs[1] == "Answer."
    opening, *others = [sentence["text"] for sentence in ask(client, words=60)["sentences"]]
    assert opening in paragraphs[2]
    assert all(text in paragraphs[3] for text in others)
    assert "PMID: 900000" in paragraphs[5]
    assert re.fullmatch(
        r"Answer; \d sentences from .*; 11 abstracts; \d+ \w+ \d{4}\.", paragraphs[-1]
    )


def test_without_python_docx_the_page_says_how_to_get_word(client, monkeypatch):
    monkeypatch.setattr("ilpsum.pages.forms.find_spec", lambda _name: None)
    page = html.unescape(client.get("/", params={"question": QUESTION, "words": 60}).text)
    lacking = "Word files need a further library: pip install 'ilpsum[docx]'"
    assert f"<summary>Word</summary><p>{lacking}.</p>" in page
    assert "answer.docx" not in page
    reply = client.get("/answer.docx", params={"question": QUESTION, "words": 60})
    assert (reply.status_code, reply.text) == (422, f"{lacking}\n")


def test_the_empty_page_says_what_is_open_and_has_questions_to_begin_with(room):
    documents = [
        to_document(Raw(id=str(n), title="Newts", abstract=[("", "Newts in ponds.")]))
        for n in range(1, 4)
    ]
    asked = Session(AbstractSearch.of_documents(documents))
    asked.examples = ("Do newts sing?",)
    assert "Answers from 3 abstracts." in page(asked, Ask(), None)
    assert "Answers from 1 abstract." in page(
        Session(AbstractSearch.of_documents(documents[:1])), Ask(), None
    )
    assert "Do+newts+sing%3F" in page(asked, Ask(), None)


def test_an_answer_that_misses_the_subject_says_so_also_if_it_is_pinned(monkeypatch):
    monkeypatch.setattr("ilpsum.answers.answering.Signs.probability", 0.9)
    client = client_of(
        Document("new", "Galcanezumab prevents migraine attacks."),
        Document("old", "Aspirin is old."),
    )
    asked = {"question": "Does aspirin prevent migraine attacks?", "words": 4}
    found = ask(client, **asked)
    (line,) = found["sentences"]
    pinned = ask(client, **asked, keep=[f"{line['document']}:{line['start']}-{line['end']}"])
    for answer in (found, pinned):
        assert answer["confidence"] == "Answer"
        assert [s["text"] for s in answer["sentences"]] == [
            "Galcanezumab prevents migraine attacks."
        ]
        assert "the answer does not mention 'aspirin'" in answer["warnings"]


def test_kinds_of_study_are_read_from_titles_where_a_collection_has_no_other():
    made = [
        Raw(
            id="1",
            title="Velin for newts: a systematic review",
            abstract=[("", "Velin helps newts in winter.")],
        ),
        Raw(id="2", title="Velin for newts", abstract=[("", "Velin helps newts in ponds.")]),
    ]
    client = client_of(*map(to_document, made))
    asked = {"question": "Does velin help newts?"}
    every = {source["id"] for source in ask(client, **asked)["sources"]}
    assert "2" in every
    for settings in ({"kinds": "systematic-review"}, {"evidence": "true"}):
        assert [source["id"] for source in ask(client, **asked, **settings)["sources"]] == ["1"]


def test_an_error_of_a_filter_keeps_the_page_and_offers_to_clear_it():
    wanted = SourceFilter(kinds=("cohort",))
    search = AbstractSearch.of_documents([Document("1", "Velin helps newts.")])
    client = TestClient(application(Session(search, Sources(wanted=wanted)), hosts=HOSTS))
    reply = client.get("/", params={"question": "Does velin help newts?", "kinds": "review"})
    assert reply.status_code == 422
    assert "This server searches only these kinds of study: cohort." in reply.text
    assert (
        '<a href="?question=Does+velin+help+newts%3F" class="steers">Clear the filters</a>'
        in reply.text
    )
    for since, until in ((2035, None), (2012, 2010)):
        with pytest.raises(
            UsageError, match=r"no source is from 2035|no year is from 2012 to 2010"
        ):
            Ask("a", since=since, until=until).within(Sources(), has_abstracts=True)


@pytest.mark.parametrize(
    ("asked", "room", "told"),
    [
        (Ask("a", until=2010), SourceFilter(since=2015), "only sources from 2015 to now"),
        (Ask("a", since=2015), SourceFilter(until=2010), "only sources from any year to 2010"),
        (Ask("a", kinds=("preprint",)), SourceFilter(preprints=False), "preprints are left out"),
        (Ask("a", kinds=("preprint",), preprints=False), SourceFilter(), "preprints are left out"),
    ],
)
def test_a_filter_that_leaves_nothing_of_the_room_is_refused(asked, room, told):
    with pytest.raises(UsageError, match=told):
        asked.within(Sources(services=("pubmed",), wanted=room), has_abstracts=False)
