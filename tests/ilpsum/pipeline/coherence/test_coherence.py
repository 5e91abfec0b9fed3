"""The rules of coherence: what they recognise, and that the best selection keeping them is found."""

import itertools
import random
import re
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.context import Context
from features.text import Passage
from ilpsum.answers.steps import Summarizer
from ilpsum.literature.gate import to_document
from ilpsum.literature.raw import Raw
from ilpsum.papers.headings import label_of, without_additions, without_label
from ilpsum.pipeline import objective as steps
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.coherence import redundancy, rules
from ilpsum.pipeline.coherence.anaphora import connective, is_anaphoric, without_connective
from ilpsum.pipeline.coherence.redundancy import redundant, repeating, same_finding, similarity
from ilpsum.pipeline.coherence.rules import discounted, first_stage
from ilpsum.pipeline.coherence.statements import LabelledSections, is_statement, states_finding
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.pipeline.text import arrange
from ilpsum.records import Document, FoundDocument, SearchResult, Sentence, Topic
from ilpsum.records.tables import CandidateTable, CoherenceTable
from ilpsum.selection import Problem, select
from ilpsum.tasks.registry import FormatLimits
from tests.measures import peak

ANAPHORIC = """
However, this is rare.|Second, these sing.|These results show that newts sing.
This suggests a song.|They hum at dusk.
It is found in ponds.|Its song is low.|Of these, nine sang.|In such ponds newts sing.
Both were grey.|Such newts are rare.
The latter hum.|Taken together, these findings show a song.
Another, a toad, hummed.|He was 43.|This drug was tested in a trial.|Such a trial was long.
CONCLUSIONS: These data are few.|Among them, nine sang.|Therefore they sing.
The other two hummed.|Although this is rare, newts sing.|Based on these songs, newts were counted.
To this end, we dived.|This is the first newt.|It was grey.|To test this, we dived.
In order to find out whether this holds, we dived.|To do so, we dived.|To hear them, we dived.
One such newt sang.|Two such songs were heard.
Clinically, it is a song of newts.|Locally, they are called toads.|Importantly, these newts sang.
"""
INDEPENDENT = """
This study counts newts.|In this multi-centre study newts were counted.
It is known that newts sing.|Those with gills swim.
Both newts and toads sing.|In contrast to toads, newts sing.|In addition to toads, newts sing.
The newt sings.|Most newts sing.
It remains unclear whether newts sing.|As a result of frost newts sleep.|Such as it is.
In newts, song is rare.|Two newts sang.
One newt was grey.|We conclude that newts sing.|Each newt has gills.|All newts swim.|Here, we show that newts sing.
RESULTS: Newts sang.|This review counts newts.|Howevers are newts.|Thusnelda sang.
This phase 2, randomised, double-blind trial counted newts.|This was a study of newts.|he newts sang.
It is almost ten years since newts sang.|One of the two newts sang.
The first newt sang.|Finally sated, newts sleep.|This is the first study of newts.|It was Newt who sang first.
Clinically, it is important to hear newts.|Sadly, it is unknown whether newts sing.|Locally, newts sing.
To hear newts, we dived.|To conduct this study, we dived.|To our knowledge, newts sing.|One song such as this is enough.
"""


def split(text):
    return [piece for line in text.split("\n") for piece in line.split("|") if piece]


@pytest.mark.parametrize("text", split(ANAPHORIC))
def test_anaphoric_sentences(text):
    assert is_anaphoric(text)


@pytest.mark.parametrize("text", split(INDEPENDENT))
def test_independent_sentences(text):
    assert not is_anaphoric(text)
    assert without_connective(text) == text


@pytest.mark.parametrize(
    ("text", "opening", "rest"),
    [
        ("However, newts sing.", "However, ", "Newts sing."),
        ("Therefore newts sing.", "Therefore ", "Newts sing."),
        ("In addition, p53 is high.", "In addition, ", "p53 is high."),
        ("RESULTS: Second, miR-372 is low.", "Second, ", "miR-372 is low."),
        ("And yet, as a result, newts sing.", "And yet, as a result, ", "Newts sing."),
        ("In contrast to toads, newts sing.", "", "In contrast to toads, newts sing."),
        ("Further studies of newts.", "", "Further studies of newts."),
        ("Or-1 is a gene.", "", "Or-1 is a gene."),
    ],
)
def test_connectives_are_removed(text, opening, rest):
    assert connective(text) == opening
    assert without_connective(text) == rest
    assert not is_anaphoric(text)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("METHODS: We dived.", "METHODS: "),
        ("Design, Setting, and Participants: Nine ponds.", "Design, Setting, and Participants: "),
        ("CONCLUSIONS/SIGNIFICANCE: Newts sing.", "CONCLUSIONS/SIGNIFICANCE: "),
        ("RESULTS Nine newts sang.", "RESULTS "),
        ("BJECTIVE: To count newts.", "BJECTIVE: "),
        ("thods: We dived.", "thods: "),
        ("EAS COVERED: Newts.", "EAS COVERED: "),
        ("VELIN: a protein of moths.", ""),
        ("newts: they sing.", ""),
        ("Results were clear.", ""),
        ("DNA Methods of newts.", ""),
        ("We found three results: newts sing.", ""),
    ],
)
def test_labels(text, label):
    assert label_of(text) == label
    assert without_label(text) == text[len(label) :]


NO_STATEMENT = """
Do newts sing?|The aim of this study was to count newts.|We aimed to count newts.|This review discusses newts.
In this study, we investigated newts.|Newts were randomly assigned to ponds.|Further studies of newts are needed.
ClinicalTrials.gov, NCT00000001.
The objective was to find newts.|The implications for ponds are discussed.
To investigate newts in ponds.
A 9-year-old newt was seen.|In our patient, a newt, gills were grey.|We experienced a rare case of gill rot.
The patient was a newt.|More research is needed.|We searched the ponds.|Whether newts sing remains to be determined.
"""
STATEMENT = """
Newts sing in ponds.|We found that newts sing.|This study shows that newts sing.
To date, newts have sung.|Newts aim to sing (in ponds).
The song of newts was used to date ponds.|In this study, newts sang.|The patients were newts.
In the case of newts, songs are low.|Newts of 9-year-old ponds sing.
"""


@pytest.mark.parametrize("text", split(NO_STATEMENT))
def test_other_sentences(text):
    assert not is_statement(Sentence(text, "1", 0, len(text), 5))


@pytest.mark.parametrize("text", split(STATEMENT))
def test_statements(text):
    assert is_statement(Sentence(text, "1", 0, len(text), 5))


@pytest.mark.parametrize("strict", [True, False])
def test_fragments_are_excluded(strict):
    searched = topic("Newts (of the tarn. Newts sing.", search=SearchResult())
    table = CoherenceTable(fragments=True, strict=strict)
    later = CoherenceTable(fragments=True, strict=strict, fragments_after=1)
    assert ruled(searched, table)[1].exclude == (0,)
    assert ruled(searched, later)[1].exclude == ()


def test_sections_by_their_labels():
    text = "BACKGROUND: Newts sing. They hum. METHODS: Nine ponds. Ten newts. RESULTS: They sang. CONCLUSION: A song."
    document = to_document(Raw(id="1", title="A title: newts", abstract=[("", text)]))
    sections = LabelledSections(document)
    found = candidates(Topic("q", "?", (document,)), CandidateTable())
    assert {s.text: sections.label(s.start) for s in found} == {
        "A title: newts": "",
        "BACKGROUND: Newts sing.": "BACKGROUND",
        "METHODS: Nine ponds.": "METHODS",
        "RESULTS: They sang.": "RESULTS",
        "CONCLUSION: A song.": "CONCLUSION",
    }


def test_parts_of_an_abstract_have_their_labels_or_else_their_categories():
    parts = [("Aims", "To count."), ("", "Free text here.")]
    marked = LabelledSections(to_document(Raw(id="1", title="Newts", abstract=parts)))
    assert [marked.label(offset) for offset in (0, 7, 20)] == ["", "Aims", ""]
    parts = [
        ("What we did", "We sang.", "METHODS"),
        ("Findings", "They hum.", "METHODS"),
        ("", "So there.", "RESULTS"),
    ]
    document = to_document(Raw(id="1", title="Newts", abstract=parts))
    marked = LabelledSections(document)
    labels = [marked.label(section.start) for section in document.sections]
    assert labels == ["", "METHODS", "Findings", "RESULTS"]


def abstract(pmid, *texts, title=""):
    return to_document(Raw(id=pmid, title=title, abstract=[("", text) for text in texts]))


def topic(*texts, query="Do newts sing?", search=None):
    documents = tuple(abstract(str(n), text) for n, text in enumerate(texts, 1))
    return Topic("q", query, documents, search=search)


def ruled(question, table):
    """The texts of the candidates, and what the rules demand of them."""
    sentences = candidates(question, CandidateTable())
    return [s.text for s in sentences], first_stage(question, sentences, table).rules


def test_anaphora_require_the_preceding_sentence():
    sentences = [
        "However, newts sing at dusk.",
        "Toads hum in ponds.",
        "These songs are low.",
        "They are long, too.",
    ]
    question = topic(" ".join(sentences), "It is a song of newts. Newts sing.")
    texts, bound = ruled(question, CoherenceTable(anaphora=True))
    assert texts[:4] == sentences
    assert bound.exclude == (4,)
    assert bound.requires == ((2, 1), (3, 2))
    assert bound.connected == ((0, None),)
    (first,) = arrange([Sentence(texts[0], "1", 0, 28, 5, why="so")], "document", (0,), bound)
    assert (first.text, first.words) == ("Newts sing at dusk.", 4)
    assert "without its 'However'" in first.why


def test_rules_are_more_lenient_for_given_documents():
    text = "Newts sing in ponds. Do toads hum? We aimed to count newts. Moths shed scales."
    rules = CoherenceTable(statements=True, focus=True)
    searched = topic(text, search=SearchResult(weights=(("newts", 9.0),)))
    for question in (topic(text), searched):
        assert ruled(question, rules)[1].exclude == (1,)
    assert ruled(searched, msgspec.structs.replace(rules, strict=True))[1].exclude == (1, 2, 3)
    # Without a search `focus` has no scores to go by.
    assert ruled(topic(text), msgspec.structs.replace(rules, strict=True))[1].exclude == (1, 2)


def test_sentences_that_require_an_excluded_one_are_excluded():
    text = "Do toads hum in ponds? These songs are low. They are long, too. Newts sing in ponds."
    _, bound = ruled(topic(text), CoherenceTable(anaphora=True, statements=True))
    assert (bound.exclude, bound.requires) == ((0, 1, 2), ())


@pytest.mark.parametrize(
    ("options", "groups", "excluded"),
    [
        ({}, ((0, 2),), ()),
        ({"overlap": 0.75}, ((0, 2), (0, 3), (2, 3)), ()),
        # `nine of them` adds a number to the first and the last, which go.
        ({"strict": True}, (), (0, 3)),
    ],
)
def test_redundant_sentences_exclude_each_other(options, groups, excluded):
    question = topic(
        "Grey newts sing in cold ponds. Moths shed scales in frost.",
        "In cold ponds grey newts sing loudly, nine of them at dusk. Grey newts sing in ponds of lakes.",
    )
    bound = ruled(question, CoherenceTable(redundancy=True, **options))[1]
    assert (bound.groups, bound.exclude) == (groups, excluded)


@pytest.mark.parametrize(("relevance", "excluded"), [(0.75, (0,)), (0.65, ())])
def test_what_another_sentence_says_and_more_goes_if_it_is_hardly_more_relevant(
    relevance, excluded
):
    question = topic("Newts sing in cold ponds.", "Newts and frogs sing in cold ponds.")
    found = candidates(question, CandidateTable())
    sentences = tuple(
        replace(s, relevance=value) for s, value in zip(found, (1.0, relevance), strict=True)
    )
    table = CoherenceTable(redundancy=True, strict=True)
    stage = first_stage(question, sentences, table)
    assert stage.rules.exclude == excluded
    assert stage.rules.groups == (() if excluded else ((0, 1),))
    # If the reader excludes the fuller sentence, the other one takes its place again.
    without = first_stage(question, sentences, table, barred=[1])
    assert without.rules.exclude == ()


def focused(*texts, weights, bm25=()):
    found = tuple(FoundDocument(str(n), score) for n, score in enumerate(bm25, 1))
    search = SearchResult(weights=tuple(weights.items()), found=found)
    table = CoherenceTable(focus=True, anaphora=True, strict=True)
    sentences, bound = ruled(topic(*texts, query="", search=search), table)
    return [sentences[i] for i in bound.exclude]


def test_focus_excludes_sentences_with_few_words_of_the_question():
    texts = ("Newts like warm ponds. Toads hum here.",)
    assert focused(*texts, weights={"newts": 9.0, "toads": 2.0}) == ["Toads hum here."]
    assert focused(*texts, weights={"newts": 9.0, "toads": 9.0}) == []
    following = ("Newts like warm ponds. They fall asleep there. Toads hum here.",)
    assert focused(*following, weights={"newts": 9.0}) == ["Toads hum here."]


def test_focus_weighs_the_abstract_more_than_the_sentence():
    texts = ("Newts sing in ponds. Grey newts hum there.", "Newts eat flies of grey ponds.")
    weights = {"grey": 2.0, "newts": 4.0, "ponds": 4.0}
    assert focused(*texts, weights=weights, bm25=(9.0, 9.0)) == []
    assert focused(*texts, weights=weights, bm25=(9.0, 4.0)) == ["Newts eat flies of grey ponds."]


def test_focus_excludes_abstracts_without_the_subject():
    other = "Common songs of patients are low."
    weights = {"newts": 9.0, "common": 5.0, "songs": 5.0}
    assert focused("Newts sing.", other, weights=weights, bm25=(9.0, 9.0)) == [other]


def test_a_search_without_known_words_excludes_nothing():
    assert focused("Newts like ponds.", weights={}) == []


WORDS = (
    "grey newts sing in cold ponds dusk toads hum peat bog not never 12 13 two frost tail".split()
)
TEXTS_OF_FEW_WORDS = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), max_size=9
)


@given(
    TEXTS_OF_FEW_WORDS,
    TEXTS_OF_FEW_WORDS,
    st.sampled_from([0.3, 0.5, 0.75, 1.0]),
    st.sampled_from([0, 1, 64]),
)
def test_redundancy_and_similarity_as_the_definition_says(first, second, least, few):
    def counts(text, other):
        s, t = (set(Passage(without_additions(part)).content_stems) for part in (text, other))
        return len(s & t), len(s), len(t)

    def fit(text, other):
        negated = [re.search(r"\b(not|never)\b", part) is None for part in (text, other)]
        numbers = [set(re.findall(r"12|13|two", part)) for part in (text, other)]
        return negated[0] == negated[1] and numbers[0] <= numbers[1]

    def cosine(text, other):
        shared, words, others = counts(text, other)
        fitting = min(words, others) >= 4 and fit(text, other)
        value = shared / (words * others) ** 0.5 if fitting else 0.0
        return value if value >= least - 1e-12 else 0.0

    def alike(text, other):
        shared, words, others = counts(text, other)
        shorter = min(words, others)
        return shorter >= 4 and shared / shorter >= least and (fit(text, other) or fit(other, text))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redundancy, "_FEW_HOLDERS", few)
        values, pairs = similarity(first, second, least), redundant(first, least)
    for i, text in enumerate(first):
        for k, other in enumerate(second):
            assert values[i, k] == pytest.approx(cosine(text, other))
        for k in range(i + 1, len(first)):
            assert pairs[i, k] == alike(text, first[k])


def test_memory_for_redundancy_is_that_of_the_pairs_not_of_the_vocabulary():
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghij", k=7)) for _ in range(20_000)]
    texts = [" ".join(draw.choices(words, k=60)) for _ in range(700)]
    assert not redundant(texts, 0.9).any()
    assert peak(lambda: redundant(texts, 0.9)) < 40e6  # a column for each word took 100


def test_of_very_many_sentences_that_say_the_same_the_most_relevant_stay(monkeypatch):
    monkeypatch.setattr(rules, "MOST_PAIRS", 20)
    texts = [f"Grey newts sing in cold ponds at dusk near stone {c}." for c in "abcdefghijkl"]
    question = topic(" ".join([*texts, "Toads hum in warm lakes."]))
    found = candidates(question, CandidateTable())
    sentences = tuple(replace(s, relevance=n / 20) for n, s in enumerate(found))
    stage = first_stage(question, sentences, CoherenceTable(redundancy=True, overlap=0.8))
    assert set(stage.excluded_by.values()) == {rules.REPEATS}
    assert stage.rules.exclude == tuple(range(7))
    assert sorted(stage.rules.groups) == list(itertools.combinations(range(7, 12), 2))
    table = {"coherence.redundancy": True, "coherence.overlap": 0.8}
    summarizer = Summarizer.load(with_settings(System.load("ilp-sum-1-tuned"), table))
    left_out = "7 sentences left out, each a repeat of several more relevant ones"
    assert left_out in summarizer(question, 30).warnings


QUESTION = "Where do newts sing?"
REPEATING = [
    "Newts sing in cold ponds at dusk.",
    "Results suggest that cold ponds at dusk are where newts sing.",
    "Newts sing in cold ponds of the north.",
    "Newts do not sing in cold ponds at dusk.",
    "Newts sing in 9 cold ponds at dusk.",
    "Newts sing near NKX2-1.",
    "Newts sing near NKX2-1 and velin.",
    "Near NKX2-1 newts are known to sing.",
    "Newts sing.",
    "Newts sing in the sea.",
]


def repeats_in(sentences, question, least):
    return [(i, k) for i, k in np.argwhere(repeating(sentences, question, least).pairs).tolist()]


def test_what_an_answer_says_already_is_found_whatever_frames_it():
    pairs = repeats_in(REPEATING, QUESTION, 0.65)
    # Two thirds of "cold, ponds, north" stand in the first; "sea" in no other; "Newts sing" in all.
    others = {(i, 8) for i in (0, 1, 2, 4, 5, 6, 7)} | {(8, 9)}
    less = {(0, 4), (1, 4), (2, 4), (5, 6), (6, 7)}
    assert set(pairs) == {(0, 1), (0, 2), (1, 2), (5, 7)} | others | less
    # "9" and "and velin" add something to those.
    more = np.argwhere(repeating(REPEATING, QUESTION, 0.65).more).tolist()
    assert {tuple(pair) for pair in more} == {(4, 0), (4, 1), (4, 2), (4, 8), (6, 5), (6, 7)}
    assert repeats_in([], QUESTION, 0.65) == []
    assert repeats_in(REPEATING[:2], "", 0.65) == [(0, 1)]


WORDS_OF_A_SENTENCE = st.lists(
    st.sampled_from("newts sing 9 ponds cold velin not known frost and rises".split()), max_size=7
)


@given(
    st.lists(WORDS_OF_A_SENTENCE, max_size=5),
    WORDS_OF_A_SENTENCE,
    st.sampled_from((0.4, 0.65, 1.0)),
)
def test_repeating_as_by_definition(sentences, asked, least):
    said_little = {"not", "known", "and"}

    def facts(s):
        return {"9", "rises"}.intersection(s)

    def joins(s, t):
        for one, between, other in zip(s, s[1:], s[2:], strict=False):
            new = {one, other} - {*t, *asked}
            is_content = {"not", "and"}.isdisjoint((one, other))
            if between == "and" and is_content and len(new) == 1 and said_little.isdisjoint(new):
                return True
        return False

    def repeats(s, t):
        whole, other = set(s) - said_little, set(t) - said_little
        beyond = whole - set(asked)
        if len(beyond) < 2 and not beyond <= other:
            return False
        counted = beyond if len(beyond) >= 2 else whole
        shared = counted & other - (set(asked) if len(beyond) >= 2 else set())
        said = len(shared) >= least * len(counted)
        return said and ("not" in s) == ("not" in t) and not (adds(s, t) and adds(t, s))

    def adds(s, t):
        return bool(facts(s) - facts(t) - facts(asked)) or joins(s, t)

    pairs = itertools.combinations(range(len(sentences)), 2)
    expected = [
        (i, k)
        for i, k in pairs
        if repeats(sentences[i], sentences[k]) or repeats(sentences[k], sentences[i])
    ]
    texts = [" ".join(words) for words in sentences]
    assert repeats_in(texts, " ".join(asked), least) == expected


def test_what_tells_a_reader_little_is_worth_less():
    texts = (
        ("Newts sing in ponds.", "", 1.0),
        ("They sing at dusk.", "", 1.0),
        ("However, newts hum in frost.", "", 1.0),
        ("We show that newts sing.", "", 1.0),
        ("Velin makes song: newts require it.", "title", 1.0),
        ("newtR: an R package for song.", "title", 1.0),
        ("Herein, we report a case of song that velin induced.", "", 1.0),
        ("We aimed to count newts.", "", 0.5),
        ("We report newts; see www.newts.org.", "", 0.5),
        ("Do newts sing?", "", 0.5),
        ("Combined loss of these factors stops the song.", "", 0.5),
        ("We show that both proteins bind velin.", "", 0.5),
        ("We show that both velin and frost bind it.", "", 1.0),
        ("Song of newts in ponds.", "title", 0.5),
    )
    sentences = [Sentence(text, "1", 0, len(text), 5, section) for text, section, _ in texts]
    topic = Topic("1", documents=[Document("1", "")])
    relevance = np.full(len(texts), 0.8)
    for less, (text, _, factor) in zip(
        discounted(topic, sentences, relevance, 0.5), texts, strict=True
    ):
        assert less == 0.8 * factor, text
    assert (discounted(topic, sentences, relevance, 1.0) == relevance).all()


@pytest.mark.parametrize(
    ("title", "states"),
    [
        ("Mutations in MED12 Cause X-linked Ohdo syndrome", True),
        ("CUL-2 and UBXN-3 drive replisome disassembly", True),
        ("Cohesin Loss Eliminates All Loop Domains.", True),
        ("Comparative analysis of tomato reveals euchromatin expansion", True),
        ("tmVar: a text mining approach for variants", True),
        ("Causes of song in newts", False),
        ("A tool to identify mild frost", False),
        ("Long-term results of frost in 40 newts", False),
        ("Oral direct inhibitors: with effects", False),
        ("Do newts sing?", False),
    ],
)
def test_titles_that_state_a_finding(title, states):
    assert states_finding(title) == states


def test_what_is_less_relevant_is_left_out_but_for_the_best_and_antecedents():
    question = topic(
        "Toads hum in ponds. Newts sing in ponds. They are grey and small. Olms sing in caves."
    )
    found = candidates(question, CandidateTable())
    table = CoherenceTable(anaphora=True)
    for values, excluded in (
        ((0.1, 0.1, 0.4, 0.1), {0, 3}),  # "They are grey" needs the sentence before it
        ((0.1, 0.3, 0.1, 0.1), {0, 2, 3}),
        ((0.1, 0.1, 0.0, 0.15), {0, 1, 2}),
    ):
        rated = [replace(s, relevance=value) for s, value in zip(found, values, strict=True)]
        stage = first_stage(question, rated, table, least=0.2)
        assert {i for i, rule in stage.excluded_by.items() if rule == "relevance"} == excluded


def test_one_outlier_does_not_silence_the_others_nor_does_a_barred_sentence():
    question = topic(" ".join(f"Newts sing in {place}." for place in "ponds lakes bogs".split()))
    found = candidates(question, CandidateTable())
    rated = [replace(s, relevance=r) for s, r in zip(found, (0.9, 0.4, 0.25), strict=True)]

    def left_out(*barred):
        stage = first_stage(question, rated, CoherenceTable(), least=0.2, barred=barred)
        return stage.rules.exclude

    # 0.7 (0.9 + 0.4 + 0.25) / 3 = 0.36; without the first, 0.7 (0.4 + 0.25) / 2 = 0.23.
    assert left_out() == (2,)
    assert left_out(0) == ()


def test_what_precedes_a_connective_stays_only_if_it_is_relevant_itself():
    question = topic("Toads hum in ponds. However, newts sing in ponds.")
    found = candidates(question, CandidateTable())
    for value, excluded in ((0.1, (0,)), (0.3, ())):
        rated = [replace(found[0], relevance=value), replace(found[1], relevance=0.4)]
        stage = first_stage(question, rated, CoherenceTable(anaphora=True), least=0.2)
        assert stage.rules.exclude == excluded


def test_a_title_that_states_something_stays():
    stating = abstract("1", "Newts sing.", title="Velin inhibits the song of newts.")
    other = abstract("2", "Toads hum.", title="Song of newts: a review.")
    question = Topic("q", "Do newts sing?", (stating, other))
    found, bound = ruled(question, CoherenceTable(titles=True, strict=True))
    assert [found[i] for i in bound.exclude] == ["Song of newts: a review."]


SENTENCES = (
    "Newts sing in ponds.|However, toads hum.|They are grey.|Do moths fly?"
    "|Grey newts sing in cold ponds."
).split("|")
TEXTS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4, unique=True).map(" ".join)


def follows(question: Topic, found, i: int) -> bool:
    """Whether candidate i directly follows the one before it; a repeated sentence in between is not a candidate."""
    document = next(d for d in question.documents if d.id == found[i].document)
    same = i > 0 and found[i - 1].document == document.id
    return same and not document.text[found[i - 1].end : found[i].start].strip()


def test_a_sentence_after_a_repeated_one_does_not_follow_the_candidate_before():
    question = topic(
        "Grey newts sing in cold ponds.",
        "Newts sing in ponds. Grey newts sing in cold ponds. They are grey.",
    )
    found, bound = ruled(question, CoherenceTable(anaphora=True))
    assert found == ["Grey newts sing in cold ponds.", "Newts sing in ponds.", "They are grey."]
    assert (bound.exclude, bound.requires) == ((2,), ())


@settings(deadline=None, max_examples=40)
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=2),
    limit=st.integers(3, 16),
    most=st.integers(1, 4),
    data=st.data(),
)
def test_the_best_selection_under_the_rules_is_found(texts, limit, most, data):
    question = topic(*texts)
    found = candidates(question, CandidateTable())
    around: Context = context(question, found)
    limits = FormatLimits(
        sentences=most, count=lambda text: len(text.split()) + 1, count_limit=limit + 2
    )
    table = CoherenceTable(anaphora=True, statements=True, redundancy=True)
    bound = first_stage(question, found, table).rules
    eighths = st.lists(st.integers(0, 8), min_size=len(found), max_size=len(found))
    relevance = [n / 8 for n in data.draw(eighths)]
    words = [s.words for s in found]
    second_lengths, second_limit = limits.lengths([s.text for s in found])
    problem = Problem.build(
        [s.words for s in around.sentences],
        words,
        relevance,
        limit,
        second_lengths=second_lengths,
        second_limit=second_limit,
        sentence_limit=limits.sentences,
    )
    problem = steps.with_rules(problem, bound)

    def allowed(rows):
        fits = sum(words[i] for i in rows) <= limit
        counted = sum(words[i] + 1 for i in rows) <= limit + 2
        anaphoric = (i for i in rows if is_anaphoric(found[i].text))
        whole = all(i - 1 in rows and follows(question, found, i) for i in anaphoric)
        plain = not any(found[i].text.endswith("?") for i in rows)
        once = not any(i in rows and k in rows for i, k in bound.groups)
        return fits and counted and whole and plain and once and len(rows) <= most

    sizes = range(len(found) + 1)
    subsets = itertools.chain(*(itertools.combinations(range(len(found)), n) for n in sizes))
    best = max([0.0, *(problem.value(rows) for rows in subsets if allowed(rows))])
    chosen = select(problem).chosen
    assert problem.allows(chosen)
    assert problem.value(chosen) == pytest.approx(best)
    assert all(i - 1 in chosen for i in chosen if is_anaphoric(found[i].text))


def test_snippets_of_one_source_keep_their_order():
    first = Document("1-1", "Newts sing in ponds. These ponds are cold.", source="1")
    second = Document("1-2", "These ponds are deep.", source="1")
    question = Topic("q", "Newts?", (first, second))
    _, bound = ruled(question, CoherenceTable(anaphora=True))
    assert (bound.exclude, bound.requires) == ((2,), ((1, 0),))


def test_where_an_answer_may_end_little_is_added_to_what_is_much_more_relevant():
    sentences = [
        Sentence(f"Newt {i} sings.", "d", 20 * i, 20 * i + 15, 3, "", value)
        for i, value in enumerate((0.9, 0.5, 0.4, 0.1))
    ]
    topic = Topic("q", "Which newts sing?", (Document("d", " ".join(s.text for s in sentences)),))

    def excluded(some, least):
        return first_stage(topic, some, CoherenceTable(), None, least).rules.exclude

    # 0.7 of the mean is 0.33.
    for least, expected in ((0.0, ()), (0.2, (3,)), (0.6, (1, 2, 3))):
        assert excluded(sentences, least) == expected
    assert excluded(sentences[3:], 0.2) == ()


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("In women, velin slows the growth of fibroids.", True),
        ("Velin slows the growth of fibroids in 5 % of women.", True),
        ("Velin does not slow the growth of fibroids in women.", False),
        ("Velin, a fibroid drug of women, costs two crowns a day in most countries.", False),
    ],
)
def test_sentences_have_the_same_finding_beyond_the_question(other, same):
    first = "Velin slows the growth of fibroids in women."
    assert same_finding(first, other, "What does velin do to fibroids in women?") is same
    # Numbers of both must not differ.
    assert not same_finding(
        f"{first[:-1]} by 30 %.", f"{other[:-1]} by 40 %.", "What does velin do?"
    )
