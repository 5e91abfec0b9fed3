"""From questions to queries."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilpsum.answers.finding import MOST_TERMS, queries, terms
from ilpsum.answers.retrieval import topic_of
from ilpsum.answers.sources import Sources
from ilpsum.literature.entrez import PubMed
from ilpsum.literature.europepmc import EuropePmc
from ilpsum.literature.services import restricted
from ilpsum.records import SourceFilter
from tests.ilpsum.answers.standin import Query


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Can valproate be used during pregnancy?", ["valproate AND pregnancy", "valproate OR pregnancy"]),
        ("List the symptoms of IFAP.", ["IFAP AND symptoms", "IFAP"]),
        # Generic words are optional, and never searched alone.
        ("Is warfarin safe in breastfeeding?", ["breastfeeding AND (warfarin OR safe)", "breastfeeding OR warfarin"]),
        ("What is the mechanism of action of baclofen?", ["baclofen AND (action OR mechanism)", "baclofen"]),
        ("Do 67 melanomas exist?", ["melanomas AND (exist OR 67)", "melanomas"]),
        ("What does it treat?", ["treat"]),
        (
            "Which factors are driving MES-like glioblastoma?",
            ["MES-like AND (driving OR glioblastoma OR factors)", "MES-like OR driving OR glioblastoma"],
        ),
        (
            "What is the role of Isocitrate dehydrogenase (IDH) in glioma?",
            ['("Isocitrate dehydrogenase" OR IDH) AND (glioma OR role)', '("Isocitrate dehydrogenase" OR IDH) OR glioma'],
        ),
        # Adjacent words are one term if MeSH has their name.
        (
            "How many people affected by Parkinson's disease develop dementia?",
            ["(Parkinson disease) AND (dementia OR people OR develop OR affected)", "(Parkinson disease) OR dementia"],
        ),
        ("Which drugs are FDA approved for migraine?", ['migraine AND (("food and drug administration" OR FDA) OR approved OR drugs)', "migraine"]),
        # A name with digits that the IDF table cannot hold.
        ("What is 1p19q co-deletion?", ["1p19q AND co-deletion", "1p19q OR co-deletion"]),
        ("Clinical trials of baclofen?", ["baclofen AND (Clinical trials)", "baclofen"]),
        ("heart attack and aspirin", ["(heart attack) AND aspirin", "(heart attack) OR aspirin"]),
        # The name of a syndrome that is a stop word elsewhere.
        ("What causes Down syndrome?", ["(Down syndrome) AND causes", "(Down syndrome)"]),
        ("heart, attack and aspirin", ["aspirin AND (attack OR heart)", "aspirin OR attack"]),
        ('Does "zinc release" follow IL-6?', ['"zinc release" AND (IL-6 OR follow)', '"zinc release" OR IL-6']),
        # Services look for words, not stems: a form that texts lack is mistyped.
        ("recurrance of glioblastoma", ["glioblastoma AND (recurrance OR recurrence)", "glioblastoma OR (recurrance OR recurrence)"]),
        # A disease is a subject, although answers often abbreviate it.
        ("hypothyroidism in women", ["hypothyroidism AND women", "hypothyroidism OR women"]),
        ("antibiotics in lupus", ["lupus AND antibiotics", "lupus OR antibiotics"]),
        # Abbreviations as clinicians type them.
        ("statins in ckd", ['("chronic kidney disease" OR ckd) AND statins', '("chronic kidney disease" OR ckd) OR statins']),
        ("afib and htn", ['("atrial fibrillation" OR afib) AND (hypertension OR htn)', '("atrial fibrillation" OR afib) OR (hypertension OR htn)']),
        # What people say does not outweigh the drug.
        ("is ibuprofen safe to take during pregnancy", ["ibuprofen AND (pregnancy OR safe)", "ibuprofen OR pregnancy"]),
        ("does zinc work for a cold", ["cold AND zinc", "cold OR zinc"]),
        ("what helps with migraine", ["migraine AND treatment", "migraine"]),
        ("which drugs work best for hives", ["hives AND treatment", "hives"]),
        ("is hepatitis b in newts", ["(hepatitis b) AND newts", "(hepatitis b) OR newts"]),
        ("side effects of baclofen in kids", ["baclofen AND ((children OR kids) OR (adverse OR \"side effects\"))", "baclofen OR (children OR kids) OR (adverse OR \"side effects\")"]),
        # Services would find the protein Numb.
        ("legs go numb after chemo", ["numbness AND (legs OR (chemotherapy OR chemo) OR go)", "numbness OR legs OR (chemotherapy OR chemo)"]),
        ("Is the numb protein in newts?", ["numb AND (newts OR protein)", "numb OR newts"]),
        ("Newts?", ["Newts"]),
        ("What is it?", []),
        ("newts (AND) newts OR NOT toads[mh]*", ["toads AND (newts OR mh)", "toads OR newts OR mh"]),
    ],
)  # fmt: skip
def test_the_subject_is_required_and_any_other_word(question, expected):
    assert queries(question) == expected


@pytest.mark.parametrize(
    ("question", "strictest"),
    [
        # A name of several words is one term, also if MeSH has no synonym of it.
        ("What is the treatment of myasthenia gravis?", "(myasthenia gravis) AND treatment"),
        # Each of its words is in many questions.
        (
            "How common is depression in multiple sclerosis?",
            "(multiple sclerosis) AND (depression OR common)",
        ),
        # The bracket of an abbreviation may follow its long form without a space.
        (
            "Does geographic atrophy(GA) respond to pegcetacoplan?",
            '("geographic atrophy" OR GA) AND (pegcetacoplan OR respond)',
        ),
    ],
)
def test_a_name_of_several_words_is_one_term(question, strictest):
    assert queries(question)[0] == strictest


def test_a_name_outweighs_a_rarer_word_and_mesh_another_word():
    weights = {
        term.text: term.weight for term in terms("Does the gregarious kinase Tarn bind ulcers?")
    }
    assert weights["Tarn"] > weights["gregarious"]
    assert weights["ulcers"] > weights["bind"]


def test_a_case_history_gives_optional_words_only():
    history = (
        "A 67-year-old man with multiple sclerosis has fatigue. He takes metformin and lisinopril, smokes, and "
        "has lived in Iceland for the last twenty years with his brother and two old dogs. "
    )
    subject, others = queries(f"{history}What is the best treatment of hyperkalemia?")[0].split(
        " AND "
    )
    assert subject == "hyperkalemia"
    assert {"lisinopril", "(multiple sclerosis)"} <= {
        *others.strip("(").replace("))", ")").split(" OR ")
    }
    assert queries(f"{history}What is the best treatment of hyperkalemia?")[1:] == ["hyperkalemia"]
    # A question without a subject has that of its history.
    assert "Iceland" in queries(f"{history}What is the treatment?")[0]


def test_a_long_question_is_cut_to_its_weightiest_terms():
    first, last = queries(" ".join(f"velin{number} binds" for number in range(20)))
    assert len(re.split(" AND | OR ", first)) == MOST_TERMS
    assert last == "velin0 OR velin1 OR velin2"


@given(st.text(max_size=80))
def test_any_question_gives_queries_that_the_services_can_read(question):
    asked = queries(question)
    assert len(asked) <= 2
    for query in asked:
        Query(query)
        assert re.search(r"[\[\]:*]", query) is None
        assert query.count('"') % 2 == 0


WHOLE = SourceFilter(
    2015,
    ("randomised", "animal"),
    humans=True,
    preprints=False,
    until=2020,
    languages=("eng", "ger"),
)


def test_a_restriction_in_the_language_of_pubmed():
    assert restricted("newts", WHOLE, PubMed) == (
        '(newts) AND 2015:2020[dp] AND ("randomized controlled trial"[pt] OR (animals[mh] NOT humans[mh])) AND '
        "(eng[la] OR ger[la]) NOT (animals[mh] NOT humans[mh]) NOT preprint[pt]"
    )
    assert restricted("newts", SourceFilter(until=1999), PubMed) == "(newts) AND 1000:1999[dp]"
    assert restricted("newts OR toads", SourceFilter(), PubMed) == "newts OR toads"


def test_a_restriction_in_the_language_of_europe_pmc():
    assert restricted("newts", WHOLE, EuropePmc) == (
        '(newts) AND PUB_YEAR:[2015 TO 2020] AND (PUB_TYPE:"randomized controlled trial" OR (KW:"Animals" NOT '
        'KW:"Humans")) AND (LANG:"eng" OR LANG:"ger") NOT (KW:"Animals" NOT KW:"Humans") NOT SRC:PPR'
    )


def test_both_services_know_the_same_kinds():
    assert PubMed.kinds.keys() == EuropePmc.kinds.keys()


@pytest.mark.parametrize(
    ("question", "strictest"),
    [
        ("Is bacloffen a drug for spasticity?", "(bacloffen OR baclofen) AND (spasticity OR drug)"),
        ("Does apixabin prevent stroke?", "(apixabin OR apixaban) AND (stroke OR prevent)"),
        ("Metfromin in pregnancy?", "(Metfromin OR metformin) AND pregnancy"),
        ("Does tirzepatide help?", "tirzepatide"),  # a new name, near no word
        ('Is "bacloffen" a name?', '"bacloffen" AND name'),
    ],
)
def test_a_typing_error_is_searched_beside_its_correction(question, strictest):
    assert queries(question)[0] == strictest
    assert not any(
        f" OR {likely} " in query
        for query in queries(question, exact=True)
        for likely in strictest.split(")")[0].split()[2:]
    )


def test_the_correction_is_said_once_texts_are_known(standin):
    topic = topic_of("Does gentamcin kill kidney cells?", Sources(services=["pubmed"]))
    assert (
        topic.warnings[0]
        == "PubMed: (gentamcin OR gentamicin) AND (kill OR kidney OR cells): 5 found"
    )
    exact = Sources(services=["pubmed"], exact=True)
    plain = topic_of("Does gentamcin kill kidney cells?", exact)
    assert plain.warnings[0] == "PubMed: gentamcin AND (kill OR kidney OR cells): 0 found"


def test_words_as_written_are_sent_as_they_are():
    assert queries("side effects of baclofen", exact=True)[0] == "baclofen AND side"
