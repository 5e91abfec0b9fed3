"""Reasons: what they name is in the sentence, and what they claim holds for the selection."""

import re

import msgspec
import pytest

from features.text import STOP_WORDS, Passage
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.steps import Summarizer
from ilpsum.errors import ordinal
from ilpsum.literature.gate import to_document
from ilpsum.literature.raw import Raw
from ilpsum.pipeline.explanation import MOST_LEFT_OUT, different
from ilpsum.pipeline.explanation import phrases as phrases_of
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.records import Citance, Document, FoundDocument, SearchResult, Topic
from ilpsum.records.notices import AGAINST_RULE
from tests.measures import within
from tests.systems import GREEDY, LEAD, RANDOM

TEXTS = {
    "1": "Grey newts sing in cold ponds at dusk. These songs carry over water. Males with blue crests sing longest. "
    "The aim of this study was to record the song of newts.",
    "2": "In cold ponds at dusk grey newts sing. Tarn frogs in peat bogs answer the song of grey newts with loud "
    "croaks and a slow drumming of the throat, which ends when frost falls. Newts rest by day.",
    "3": "Great herons hunt newts that sing. Singing newts lose their tails to herons in 12 of 40 ponds. "
    "Do newts sing in winter? No newt sings in ice.",
}
QUESTION = "When do grey newts sing in cold ponds?"


def topic(**more):
    documents = tuple(
        to_document(Raw(id=name, title=f"Study {name} of newt song", abstract=[("", text)]))
        for name, text in TEXTS.items()
    )
    return Topic("q", QUESTION, documents, **more)


def explained(words, system="concepts", *, strict=True, **more):
    """Return prepared candidates, summary, reasons by index, and the summarizer."""
    reader = with_settings(
        System.load(system).for_reader(strict=strict),
        {"coherence.statements": True, "coherence.titles": True},
    )
    summarizer = Summarizer.load(reader)
    question = topic(**more)
    summarizer = summarizer.for_kind("abstracts")
    prepared = summarizer.prepare(question)
    selection = summarizer.select(prepared, words)
    summary = summarizer.summary(prepared, selection, words)
    return (
        prepared,
        summary,
        {i: s.why for i, s in enumerate(summary.candidates) if s.why},
        summarizer,
    )


def phrases(why):
    listed = re.search(r"(?:it alone )?mentions (.+?)(?:;|$)", why)
    return re.split(", | and ", listed[1]) if listed else []


@pytest.mark.parametrize("words", [12, 20, 35, 60, 200])
@pytest.mark.parametrize("system", ["concepts", GREEDY, "ilp-sum-2-tuned"])
def test_a_reason_names_what_the_sentence_holds(words, system):
    _, summary, why, _ = explained(words, system)
    asked = set(Passage(QUESTION).content_stems)
    for i in summary.chosen:
        text = summary.candidates[i].text
        others = " . ".join(summary.candidates[k].text for k in summary.chosen if k != i)
        if named := re.search(r"has (.+?) from the question", why[i]):
            for name in re.split(", | and ", named[1]):
                assert name in text
                assert set(Passage(name).stems) <= asked
        for phrase in phrases(why[i]):
            assert phrase in text
            assert not set(Passage(phrase).words) <= STOP_WORDS
            assert not set(Passage(phrase).stems) <= asked
            stems = Passage(phrase).stems
            elsewhere = Passage(others).stems
            runs = [elsewhere[k : k + len(stems)] for k in range(len(elsewhere))]
            assert stems not in runs
        # Stems are never printed, nor are scores of bigrams.
        assert "bigram" not in why[i]


def test_the_reasons_of_one_sentence_alone():
    _, summary, why, _ = explained(8)
    assert len(summary) == 1
    (i,) = summary.chosen
    assert "it alone" not in why[i]
    assert re.match(
        r"\d+(st|nd|rd|th) of \d+ in relevance; has Grey newts sing and cold ponds from the question; mentions dusk",
        why[i],
    )


def test_a_phrase_has_no_verb_and_is_no_lone_adjective():
    """Verbs after a noun, participles that end a clause, and adjectives without a noun stay out of reasons."""
    text = "Zinc of lysosomes precedes tubule death, preferences based on salt died, and tails are defective."
    documents = (
        to_document(Raw(id="1", title="Song of newts", abstract=[("", f"Newts sing. {text}")])),
    )
    summary = Summarizer.load("concepts").for_kind("abstracts")(
        Topic("q", "Do newts sing?", documents), 40
    )
    (why,) = (s.why for s in summary if s.text == text)
    assert not re.search("precedes|based|died|defective", why)
    assert phrases(why)


@pytest.mark.parametrize("words", [10, 16, 30, 45, 200])
@pytest.mark.parametrize("system", ["concepts", "concepts-short", "ilp-sum-2-tuned", GREEDY])
@pytest.mark.parametrize("strict", [False, True])
def test_why_a_sentence_was_left_out_is_true(words, system, strict):
    prepared, summary, why, summarizer = explained(words, system, strict=strict)
    candidates, chosen = summary.candidates, set(summary.chosen)
    excluded = {i for i in prepared.stage.rules.exclude if candidates[i].section == "title"}
    rest = sorted(
        set(range(len(candidates))) - chosen - excluded, key=lambda i: (-candidates[i].relevance, i)
    )
    assert [i for i in rest if i in why] == rest[:MOST_LEFT_OUT]
    problem = summarizer.problem(prepared, words) if system != GREEDY else None
    for i in rest[:MOST_LEFT_OUT]:
        rule = prepared.stage.excluded_by.get(i)
        assert rule is None or why[i] in (AGAINST_RULE[rule], "a question")
        if not rule and i not in dict(prepared.stage.rules.requires):
            check(why[i], i, prepared, summary, problem, words)


def check(reason, i, prepared, summary, problem, words):
    """Check the reason for leaving out candidate i, which no rule excludes, against the problem."""
    numbers = {(s.document, s.start): n for n, s in enumerate(summary.sentences, start=1)}
    candidates, chosen = summary.candidates, set(summary.chosen)
    indices = {numbers[candidates[k].document, candidates[k].start]: k for k in chosen}
    left = words - sum(candidates[k].words for k in chosen)
    named = re.search(r"sentence (\d+)", reason)
    other = indices[int(named[1])] if named else None
    if problem is None:
        too_long = candidates[i].words > left
        assert (
            reason.startswith("no room") == too_long
            or "says the same" in reason
            or "needs" in reason
        )
    elif reason.startswith("says the same"):
        assert {i, other} in [set(group) for group in prepared.stage.rules.groups]
    elif reason.startswith("no room"):
        assert candidates[i].words > left
        assert f"it has {candidates[i].words} words" in reason
        exchanges = {
            k: problem.value((chosen - {k}) | {i})
            for k in chosen
            if problem.allows((chosen - {k}) | {i})
        }
        assert bool(exchanges) == ("in place of sentence" in reason)
        if change := re.search(r"would lower the value of the answer by ([\d.]+)%", reason):
            assert exchanges[other] == max(exchanges.values())
            loss = 100 * (summary.objective - exchanges[other]) / abs(summary.objective)
            assert loss == pytest.approx(float(change[1]), abs=0.051)
    else:
        assert reason.startswith(("adds nothing", "adds less"))
        assert problem.value(chosen | {i}) <= problem.value(chosen) + 1e-9


def test_every_kind_of_reason_occurs():
    runs = [
        explained(words, strict=strict) for words in (4, 16, 30, 200) for strict in (False, True)
    ]
    found = " / ".join(reason for *_, why, _ in runs for reason in why.values())
    for what in (
        "states no finding",
        "a question",
        "says the same as",
        "it has",
        "more than the limit",
        "in place of",
    ):
        assert what in found
    summary = Summarizer.load(GREEDY)(topic(), 60)
    assert any("cosine" in s.why for s in summary.candidates)


def test_an_answer_names_sentences_by_the_numbers_of_their_sources():
    """Where an answer is shown, sources have numbers and sentences have none."""
    found = with_documents(Topic("q", QUESTION), AbstractSearch.of_documents(topic().documents))
    summary = Summarizer.load("concepts").for_kind("searched")(found, 12)
    left_out = [
        s.why for i, s in enumerate(summary.candidates) if s.why and i not in summary.chosen
    ]
    assert any("in place of the sentence of source 1" in why for why in left_out)
    assert not [why for why in left_out if re.search(r"sentence \d", why)]


def test_baselines_leave_nothing_out_with_a_reason():
    for system in (LEAD, RANDOM):
        summary = Summarizer.load(system)(topic(), 30)
        assert not [
            s for i, s in enumerate(summary.candidates) if s.why and i not in summary.chosen
        ]


def test_a_baseline_tells_in_which_order_it_chose():
    system = with_settings(System.load("concepts"), {"selection.method": "lexrank"})
    summary = Summarizer.load(system)(topic(), 60)
    places = {s.why.partition(" choice of lexrank among ")[0] for s in summary.sentences}
    assert places == {ordinal(place) for place in range(1, 1 + len(summary.sentences))}
    assert len(places) > 1


def test_reasons_of_papers_name_the_words_of_the_citances():
    paper = Document("p.txt", TEXTS["1"] + " " + TEXTS["2"], role="reference")
    citances = (
        Citance(1, "c", 0, 1, "Newts sing [7]."),
        Citance(2, "c", 0, 1, "Herons hunt newts [7]."),
    )
    summary = Summarizer.load("concepts")(
        Topic("t", "Newts sing [7].\nHerons hunt newts [7].", (paper,), citances), 30
    )
    assert summary
    assert all("from the citances" in s.why for s in summary if "newt" in s.text.lower())


def test_a_sentence_that_needs_the_one_before_it():
    prepared, summary, _, summarizer = explained(200)
    (i,) = [i for i, s in enumerate(summary.candidates) if s.text.startswith("These songs")]
    why = summarizer.summary(prepared, summarizer.select(prepared, 8), 8).candidates[i].why
    assert not why or "it and the sentence before it, which it needs, have" in why


def test_focus_is_a_reason():
    weights = tuple((word, 1.0) for word in ("grey", "newts", "sing", "cold", "ponds"))
    found = tuple(FoundDocument(name, 0.1 if name == "3" else 5.0) for name in TEXTS)
    search = SearchResult(3, QUESTION, 1.0, (), weights, found)
    system = System.load("concepts-abstracts")
    coherence = msgspec.structs.replace(system.coherence, focus=True, strict=True)
    summary = Summarizer.load(msgspec.structs.replace(system, coherence=coherence))(
        topic(search=search), 200
    )
    why = {i: s.why for i, s in enumerate(summary.candidates)}
    assert any("off topic" in reason for reason in why.values())


def test_a_word_within_another_is_not_the_word():
    query = "Which age and IL-6 dose?"
    assert different(["age", "il-6", "dose"], query, "The dosage of IL-6 is low.") == [
        "age",
        "dose",
    ]
    assert different(["age", "dose"], query, "Doses fall with Age.") == []


def test_words_in_another_form_are_named():
    documents = (
        Document(
            "1", "A hemorrhage of the tail follows the fights of VORK2 newts. Grey newts rest.", ""
        ),
    )
    search = AbstractSearch.of_documents(documents)
    question = with_documents(Topic("q", "Why do VORK2 newts have a Haemorrhage?"), search)
    summary = Summarizer.load("concepts")(question, 20)
    (why,) = [s.why for s in summary if "hemorrhage" in s.text]
    assert "has VORK2 newts from the question; has Haemorrhage in another form; " in why
    assert not any("another form" in s.why for s in summary if "hemorrhage" not in s.text)


@pytest.mark.parametrize("kind", ["words", "stems"])
@pytest.mark.parametrize(
    "text", [", ", "-", "<br>", " newt-"], ids=["list", "compound", "markup", "one part in all"]
)
def test_phrases_of_a_long_list_take_time_in_proportion(kind, text):
    sentence = f"Newts have {text.join(f'GENE{number}' for number in range(12_000))} in ponds."

    def found():
        return phrases_of(Passage(sentence), lambda _: False, ["newt"], {}, kind)

    assert within(2, found)  # in the square of the list: 4 to 20
    assert found()


def test_the_weight_of_a_phrase_is_that_of_its_concepts_whatever_its_length():
    weights = {
        ("grey", "newts"): 2.0,
        ("tail", "crest"): 5.0,
        ("crest", "fin"): 1.0,
        ("rare", "toads"): 9.0,
    }
    sentence = "Grey newts have tail-crest-fin marks beside rare toads"
    found = phrases_of(Passage(sentence), lambda _: False, [], weights, "words")
    assert found == ["rare toads", "tail-crest-fin marks", "Grey newts"]
