"""Whether what was found answers a question: the decision, its three outcomes, and what a reader sees of them."""

import json
import math
import random
from dataclasses import astuple, fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.context import Context, Evidence
from ilpsum import Summarizer
from ilpsum.answers import answering
from ilpsum.answers.answering import (
    ANSWERED,
    COEFFICIENTS,
    CONFIDENT,
    FETCHED_CONFIDENT,
    NEAREST,
    SEARCHES,
    UNPREDICTED,
    Signs,
    decided,
    reviewed,
    signs_of,
)
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.question_words import answer_share
from ilpsum.answers.retrieval import topic_of
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.sources import Sources
from ilpsum.answers.weights import smoothed_idf
from ilpsum.cli import main
from ilpsum.pages.view import answer_of
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.records import Document, SearchResult, Sentence, Topic
from ilpsum.records.tables import CandidateTable
from ilpsum.runs.provenance import read_provenance, summary_line
from tests.systems import RANDOM

POND = (
    "Grey newts sing in cold ponds. Mirolone heals the leg ulcers of newts. Newts rest in winter."
)
MOOR = "Toads hum on the moor at dusk. Their songs last for hours. Herons listen in silence."

SHARE = st.floats(0.0, 1.0)
MANY_OF = st.floats(0.0, 15.0)
SIGNS = st.builds(Signs, st.floats(-5.0, 0.0), SHARE, st.floats(-3.0, 0.0), SHARE, MANY_OF, MANY_OF)
NOTHING = Evidence(np.zeros(0), np.zeros((1, 0)), np.zeros((1, 0)), np.zeros(1))


def searched(question, **options):
    documents = [Document("1", POND), Document("2", MOOR)]
    return with_documents(Topic("q", question), AbstractSearch.of_documents(documents), **options)


def asked_of(question, texts):
    """A question that found these texts, all of them, and their candidates."""
    documents = tuple(Document(str(number), text) for number, text in enumerate(texts))
    topic = with_documents(Topic("q", question), AbstractSearch.of_documents(documents))
    topic = replace(topic, documents=documents)
    return topic, candidates(topic, CandidateTable())


def doubt(question, texts, chosen=(0,)):
    """What an answer of the chosen candidates lacks."""
    topic, found = asked_of(question, texts)
    return reviewed(topic.search, context(topic, found), found, chosen).doubt


@given(SIGNS, st.sampled_from([field.name for field in fields(Signs)]), st.floats(0.0, 1.0))
def test_more_evidence_never_makes_an_answer_less_likely(signs, name, more):
    other = replace(signs, **{name: getattr(signs, name) + more})
    sign = -1.0 if name in ("words", "length", "searched") else 1.0
    assert sign * (other.probability - signs.probability) >= 0.0


@given(SIGNS)
def test_the_probability_is_that_of_the_regression(signs):
    logit = answering.INTERCEPT + np.dot(COEFFICIENTS, astuple(signs))
    assert signs.probability == pytest.approx(1.0 / (1.0 + math.exp(-logit)))


def sentences(n):
    """Sentences of a word, of documents 0, 0, 1, 1, ..."""
    return [Sentence("a", str(i // 2), 0, 1, 1) for i in range(n)]


def test_signs_are_those_of_their_definitions():
    weights = (("newt", 4.0), ("sing", 1.0), ("list", 9.0))
    search = SearchResult(searched=9, weights=weights, missing=("define", "hum"))
    held = np.array([[1.0, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    texts = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
    evidence = Evidence(np.array([4.0, 1.0, 9.0]), held, texts, np.array([7.0, 2.0]))
    found = signs_of(search, evidence, sentences(4), np.array([0.1, 0.3, 0.8, 0.9]))
    # No text holds `define` and `hum`, which weigh less. IDF is multiplied by what answers say of a
    # word.
    words = ("newt", "sing", "list", "define", "hum")
    absent = [0.75 * smoothed_idf(word, 0, 9) for word in ("define", "hum")]
    idf = np.array([4.0, 1.0, 9.0, *absent])
    weights = idf * np.array(list(map(answer_share, words)))
    squares = held @ weights[:3] ** 2 / (weights**2).sum()
    products = sorted(squares * (0.1, 0.3, 0.8, 0.9))
    expected = (
        math.log(0.01 + sum(products[1:]) / 3.0),
        weights[:3].sum() / weights.sum(),
        math.log(8.0),
        # Five words; two texts of two sentences of one word.
        *(math.log(5.0), math.log(3.0), math.log(109.0)),
    )
    assert astuple(found) == pytest.approx(expected)
    # A name that no text has changes no probability.
    unnamed = replace(search, query="Do newts hum?", unnamed=("hum",))
    signs = signs_of(unnamed, evidence, sentences(4), np.ones(4))
    assert signs == signs_of(search, evidence, sentences(4), np.ones(4))
    assert signs is not None
    nothing = replace(search, weights=(), missing=("hum",))
    assert signs_of(nothing, NOTHING, sentences(1), np.array([0.5])) is None


@pytest.fixture
def forced(monkeypatch):
    """Makes every question as probable to be answered as given."""
    return lambda value: monkeypatch.setattr(Signs, "probability", value)


@pytest.mark.parametrize(
    ("question", "outcome"),
    [
        ("Does mirolone heal ulcers of toads?", "related"),
        ("Do zanthexols heal?", "nothing"),
        ("Who bakes?", "nothing"),
    ],
)
def test_a_question_below_the_threshold_is_related_or_nothing(forced, question, outcome):
    forced(ANSWERED - 0.001)
    summary = Summarizer.load("concepts")(searched(question), 50)
    search = summary.search
    assert (search.outcome, summary.status) == (outcome, "refused")
    assert (summary.text, summary.sentences) == ("", ())
    assert bool(search.nearest) == (outcome == "related")
    assert len(search.nearest) <= NEAREST
    assert all(near.text in POND or near.text in MOOR for near in search.nearest)
    assert search.unanswered
    # What was found stays in the provenance.
    assert len(summary.candidates) == (0 if question == "Who bakes?" else len(search.found) * 3)


def test_a_subject_that_no_text_of_a_service_has_is_related_whatever_its_probability(forced):
    forced(0.99)
    topic = searched("Does Zanthexol-7 heal leg ulcers?")
    assert Summarizer.load("concepts")(topic, 50).search.outcome == "weak"
    topic = replace(topic, search=replace(topic.search, fetched=True))
    search = Summarizer.load("concepts")(topic, 50).search
    assert search.outcome == "related"
    assert search.unanswered == "no text mentions 'Zanthexol-7'"


def test_what_a_service_chose_counts_as_the_best_of_a_large_collection(forced):
    topic = searched("Does mirolone heal leg ulcers?")
    fetched = replace(topic, search=replace(topic.search, fetched=True))
    own, service = (Summarizer.load("concepts")(each, 50).search for each in (topic, fetched))
    assert service.answerable < own.answerable
    forced(FETCHED_CONFIDENT)
    assert Summarizer.load("concepts")(topic, 50).search.outcome == "weak"
    assert Summarizer.load("concepts")(fetched, 50).search.outcome == "answer"


def test_a_question_above_the_threshold_is_answered(forced):
    forced(CONFIDENT + 0.01)
    summary = Summarizer.load("concepts")(searched("Does mirolone heal leg ulcers?"), 50)
    assert summary.sentences
    search = summary.search
    assert (search.outcome, search.unanswered, search.nearest) == ("answer", "", ())
    assert search.answerable == CONFIDENT + 0.01


MIGRAINE = "Does aspirin prevent migraine?"
MORE = "Galcanezumab prevents migraine. It is new."
MANY = " ".join(
    f"Galcanezumab prevents migraine in {number} ways."
    for number in "two three four five six".split()
)


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ([MANY, "Aspirin is old."], "none of the most relevant sentences mentions 'aspirin'"),
        (
            ["It prevents migraine.", "Aspirin is old."],
            "none of the abstracts found mentions 'migraine' and 'aspirin' together",
        ),
        # A title of one of their texts is read, too. A synonym of MeSH names the same subject.
        (
            [f"Acetylsalicylic acid is old. {MORE}"],
            "none of the sentences found mentions 'migraine' and 'aspirin'",
        ),
    ],
)
def test_a_reason_names_what_the_sentences_found_lack(forced, texts, why):
    forced(0.0)
    topic, found = asked_of(MIGRAINE, texts)
    rated = np.array([float("prevents" in s.text) for s in found])
    search = decided(topic, found, context(topic, found), rated).search
    assert search.unanswered.replace("texts", "abstracts").startswith(why)


NO_ASPIRIN = "the answer does not mention 'aspirin'"
APART = "no source of the answer mentions 'migraine' and 'aspirin' together"


@pytest.mark.parametrize(
    ("texts", "chosen", "why"),
    [
        (["Galcanezumab prevents migraine.", "Aspirin is old."], [0], NO_ASPIRIN),
        (["It prevents migraine.", "Aspirin is old."], [0, 1], APART),
        (["It prevents migraine. Aspirin does.", "Aspirin is old."], [0, 1], ""),
        (["It prevents migraine. Aspirin does.", "Aspirin is old."], [0], NO_ASPIRIN),
        (["Aspirin prevents migraine."], [], ""),
    ],
)
def test_an_answer_is_in_doubt_if_it_misses_a_subject(texts, chosen, why):
    topic, found = asked_of(MIGRAINE, texts)
    surroundings = context(topic, found)
    assert reviewed(topic.search, surroundings, found, chosen).doubt == why
    claim = replace(topic.search, query="Aspirin prevents migraine.")
    assert reviewed(claim, surroundings, found, chosen) == claim


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Which songs are SGLT2 inhibitors?", "no text mentions 'SGLT2'"),
        ("Are newts SGLT-2 or TGFb?", "no text mentions 'SGLT-2' or 'TGFb'"),
        ("Are toads a UTI?", "no text mentions 'UTI'"),
    ],
)
def test_a_reason_names_words_as_the_question_writes_them(forced, question, why):
    forced(0.0)
    assert Summarizer.load("concepts")(searched(question), 50).search.unanswered == why


def test_a_doubt_names_words_as_the_question_writes_them():
    said = doubt("Is cranberry an SGLT2 inhibitor?", ["Cranberry is red.", "SGLT is a protein."])
    assert "'SGLT2'" in said
    assert "'sglt" not in said


DOSE = "dose of mirolone in newts"
HARMS = "side effects of mirolone in newts"
PREVALENCE = "What is the prevalence of ranaviral pox in newts?"


@pytest.mark.parametrize(
    ("question", "text", "lacking"),
    [
        (PREVALENCE, "Ranaviral pox of newts is common.", "gives no number"),
        (PREVALENCE, "Ranaviral pox affects half of all newts.", ""),
        ("Does the prevalence of pox rise in newts?", "Pox of newts is common.", ""),
        (DOSE, "Two trials of mirolone in newts are known.", "says nothing about dose"),
        (DOSE, "Newts were given mirolone, 2.5 mg/kg a day.", ""),
        (HARMS, "Mirolone is a wort that newts like.", "says nothing about harm"),
        (HARMS, "Newts on mirolone had diarrhoea.", ""),
        ("survival of newts with pox", "Pox is viral.", "says nothing about prognosis"),
        ("survival of newts with pox", "Half of the newts with pox died.", ""),
    ],
)
def test_an_answer_without_what_is_asked_for_is_weak_evidence(question, text, lacking):
    topic, found = asked_of(question, [text])
    search = reviewed(topic.search, context(topic, found), found, [0])
    told = f"the answer {lacking}, which the question asks "
    assert search.doubt.startswith(told) if lacking else not search.doubt
    assert search.outcome == ("weak" if lacking else "answer")


def test_an_answer_that_a_judge_graded_is_not_searched_for_words(tmp_path, forced):
    """Whoever read a sentence knows that it answers, whatever words it has."""
    forced(CONFIDENT)
    topic, found = asked_of(DOSE, ["Mirolone is given to newts by the spoon."])
    grades = tmp_path / "grades.jsonl"
    row = {"topic": topic.id, "document": found[0].document, "score": 3, "grade": 3}
    grades.write_text(json.dumps(row | {"start": found[0].start, "end": found[0].end}))
    graded = Summarizer.load("concepts", relevance=grades)(topic, 50).search
    assert (graded.outcome, graded.doubt) == ("answer", "")
    predicted = Summarizer.load("concepts")(topic, 50).search
    assert (predicted.outcome, bool(predicted.doubt)) == ("weak", True)


def test_a_doubt_is_a_warning_and_stands_in_provenance_and_on_the_page(forced, tmp_path, capsys):
    forced(ANSWERED)
    text = "Galcanezumab prevents migraine attacks."
    (tmp_path / "new.txt").write_text(text)
    (tmp_path / "old.txt").write_text("Aspirin is old.")
    files, page = sorted(tmp_path.glob("*.txt")), tmp_path / "a.html"
    call = ["ask", "Does aspirin prevent migraine attacks?", *map(str, files), "--words", "4"]
    assert main([*call, "-o", str(page), "--coverage", "0"]) == 0
    assert NO_ASPIRIN in capsys.readouterr().err
    assert "The answer does not mention &#x27;aspirin&#x27;." in page.read_text()
    # Doubt withdraws no answer.
    forced(CONFIDENT)
    assert main([*call, "--to", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["outcome"], answer["confidence"]) == ("answer", "Answer")
    assert [line["text"] for line in answer["sentences"]] == [text]


@pytest.mark.parametrize(
    ("named", "is_told"),
    [
        *((name, True) for name in ("newborns", "psoriasis", "tirzepatide", "BRCA1")),
        *((name, False) for name in ("list", "characteristics", "companies", "help", "harmful")),
    ],
)
def test_a_doubt_names_what_answers_repeat(named, is_told):
    """Words that answers leave out are not missed."""
    told = reviewed_on(f"Is warfarin or dabigatran better for {named}?", named)
    assert told == (f"the answer does not mention '{named}'" if is_told else "")


@pytest.mark.parametrize(
    ("common", "name"), [("everything", "warfarin"), ("know", "dabigatran"), ("raised", "biopsy")]
)
def test_a_word_that_few_questions_have_weighs_what_similar_words_do(common, name):
    assert answer_share(common) < answer_share(name)


def reviewed_on(question, named):
    texts = ["Warfarin is better than dabigatran.", f"Moss and {named} are old."]
    return doubt(question, texts + ["Newts sing."] * 400)


@pytest.mark.parametrize(
    ("probability", "degree"),
    [(CONFIDENT, "Answer"), (CONFIDENT - 0.001, "Weak evidence"), (ANSWERED, "Weak evidence")],
)
def test_a_degree_of_an_answer_is_the_same_word_everywhere(
    forced, tmp_path, capsys, probability, degree
):
    forced(probability)
    (tmp_path / "new.txt").write_text("Galcanezumab prevents migraine attacks.")
    call, weak = (
        ["ask", "Does galcanezumab prevent migraine?", str(tmp_path / "new.txt")],
        degree != "Answer",
    )
    shown = {}
    for form in ("text", "json", "html"):
        assert main([*call, "--to", form]) == 0
        shown[form] = capsys.readouterr().out
    assert json.loads(shown["json"])["confidence"] == degree
    assert ">" + degree + "</h2>" in shown["html"]
    line = "Weak evidence: these sentences may not answer the question."
    assert shown["text"].startswith(f"{line}\n") == weak


@pytest.mark.parametrize(
    ("question", "doubt"),
    [
        ("Does mirolone heal ulcers of zanthexols?", "no text mentions 'zanthexols'"),
        ("Does Zanthexol-7 heal leg ulcers?", "no text mentions 'Zanthexol-7'"),
        (
            "Does mirolone heal ulcers after a kitchen grease fire?",
            "no text mentions 'kitchen', 'grease' or 'fire'",
        ),
        ("Does mirolone help zanthexols heal?", "no text mentions 'zanthexols'"),
    ],
)
def test_a_name_that_no_text_has_is_told_and_refuses_nothing(forced, question, doubt):
    forced(CONFIDENT)
    summary = Summarizer.load("concepts")(searched(question), 50)
    assert summary.sentences
    assert (summary.search.outcome, summary.search.doubt) == ("weak", doubt)
    assert [warning for warning in summary.warnings if "mentions" in warning] == [doubt]


def test_a_year_makes_no_answer_less_likely_and_is_told(forced):
    """`as of 2097` dates the question; no text need have it."""
    question = "Does mirolone heal leg ulcers"
    plain = Summarizer.load("concepts")(searched(f"{question}?"), 50)
    dated = Summarizer.load("concepts")(searched(f"{question} as of 2097?"), 50)
    assert dated.search.answerable == pytest.approx(plain.search.answerable, abs=0.05)
    forced(CONFIDENT)
    dated = Summarizer.load("concepts")(searched(f"{question} as of 2097?"), 50)
    told = (dated.search.outcome, dated.search.doubt)
    assert told == ("weak", "no text mentions '2097'")


def test_a_case_history_is_not_refused_for_its_findings(forced):
    forced(0.0)
    case = "A grey newt sings and has ulcers of the leg. It kept parrots in Lisbon for years. " * 60
    assert len(case) > 4_900
    summary = Summarizer.load("concepts")(searched(f"{case}What is the likely diagnosis?"), 50)
    assert (summary.search.outcome, bool(summary.sentences)) == ("weak", True)
    # Its question is refused as any other.
    sources = Sources(texts=[Document("1", POND), Document("2", MOOR)])
    asked = topic_of(f"{case}Why? Do zanthexols heal quibbets?", sources)
    assert asked.query == "Do zanthexols heal quibbets?"


@pytest.mark.parametrize("brackets", ["[Het-s]", "(Het-s)"])
def test_a_quotation_keeps_the_brackets_of_its_source(tmp_path, capsys, brackets):
    text = f"The prion {brackets} of newts kills incompatible cells [3, 4]."
    (tmp_path / "a.jsonl").write_text(json.dumps({"pmid": "1", "title": "A", "abstract": text}))
    assert main(["ask", "Does a prion of newts kill cells?", str(tmp_path / "a.jsonl")]) == 0
    assert capsys.readouterr().out.startswith(
        f"The prion {brackets} of newts kills incompatible cells. [1]"
    )


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Who baked the pie?", f"no text contains a word of the question; {SEARCHES}"),
        ("Was hilft gegen Kopfschmerzen?", f"no text contains a word of the question; {SEARCHES}"),
        ("Why?", f"the question has no word to search for; {SEARCHES}"),
    ],
)
@pytest.mark.parametrize("system", ["concepts", RANDOM])
def test_a_question_without_a_word_of_the_texts_is_refused(question, why, system):
    search = Summarizer.load(system)(searched(question), 50).search
    assert (search.outcome == "answer", search.unanswered) == (False, why)
    assert search.answerable < ANSWERED


@pytest.mark.parametrize("others", [0, 1, 4, 19, 199])
def test_texts_that_are_given_are_judged_too(others):
    draw = random.Random(others)
    said = [
        f"{a} {b} by {c}."
        for a in ("Toads", "Moths")
        for b in ("hum", "shed")
        for c in ("day", "night", "sea")
    ]
    texts = [POND] + [" ".join(draw.sample(said, 3)) for _ in range(others)]
    search = AbstractSearch.of_documents(Document(str(i), text) for i, text in enumerate(texts))
    for system in ("concepts", RANDOM):
        ask = Summarizer.load(system)
        assert ask(
            with_documents(Topic("q", "Does mirolone heal leg ulcers?"), search), 50
        ).sentences
        other = ask(
            with_documents(Topic("q", "Does zanthexol heal leg ulcers?"), search), 50
        ).search
        assert "no text mentions 'zanthexol'" in (other.doubt, other.unanswered)


def test_a_least_coverage_decides_whatever_the_relevance(forced):
    forced(0.0)
    question = "Does mirolone heal the ulcers of zanthexols?"
    assert Summarizer.load("concepts")(searched(question, least_coverage=0.0), 50).sentences
    refused = Summarizer.load("concepts")(searched(question, least_coverage=0.9), 50)
    assert not refused.sentences
    assert refused.search.outcome == "related"
    assert "below the required 90%" in refused.search.unanswered


def test_without_a_model_all_sentences_are_as_relevant():
    topic = searched("Does mirolone heal leg ulcers?")
    found = candidates(topic, CandidateTable())
    around = context(topic, found)
    without = decided(topic, found, around, None)
    judged = decided(topic, found, around, np.full(len(found), UNPREDICTED))
    assert without.search == judged.search


def test_topics_that_were_not_searched_for_are_not_judged():
    topic = Topic("q", "Why?", (Document("1", POND),))
    sentences = (Sentence("a", "1", 0, 1, 1),)
    assert decided(topic, sentences, Context.of_texts("Why?", ["a"]), np.ones(1)) is topic


def test_provenance_keeps_the_outcome(tmp_path):
    summary = Summarizer.load(RANDOM)(searched("Does zanthexol heal leg ulcers?"), 50)
    (tmp_path / "p.jsonl").write_bytes(summary_line(summary))
    (record,) = read_provenance(tmp_path / "p.jsonl")
    assert record.search == summary.search
    assert record.candidates == summary.candidates


def test_a_reader_is_told_the_outcome_and_sees_the_nearest_sentences(forced, tmp_path, capsys):
    forced(0.0)
    texts = [tmp_path / "pond.txt", tmp_path / "moor.txt"]
    for path, text in zip(texts, (POND, MOOR), strict=True):
        path.write_text(text)
    page = tmp_path / "a.html"
    ask = [
        "ask",
        "Does zanthexol heal leg ulcers?",
        *map(str, texts),
        "--system",
        RANDOM,
        "--quiet",
    ]
    said = "Related, not an answer: no text mentions 'zanthexol'."
    near = "Mirolone heals the leg ulcers of newts."
    assert main([*ask, "-o", str(page)]) == 0
    assert main(ask) == 0
    assert capsys.readouterr().out.startswith(f'{said}\n"{near}" [1]\n\n[1] ')
    shown = page.read_text("utf-8").replace("&#x27;", "'").replace("&#39;", "'")
    assert all(
        part in shown for part in ("Related, not an answer", "No text mentions 'zanthexol'", near)
    )
    assert main([*ask, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["outcome"], answer["sentences"]) == ("related", [])
    assert [s["text"] for s in answer["nearest"]] == [near]
    assert answer["sources"][0]["number"] == answer["nearest"][0]["source"] == 1


def test_an_answer_without_sentences_for_another_reason_is_nothing():
    topic = searched("Do newts sing?", least_coverage=0.0)
    summary = Summarizer.load("concepts")(topic, 1)
    assert summary.search.outcome == "answer"
    assert answer_of(summary, topic.documents).outcome == "nothing"
