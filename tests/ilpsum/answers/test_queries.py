"""From questions to queries."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilpsum.answers.europepmc import EuropePmc
from ilpsum.answers.finding import MOST_TERMS, queries, terms
from ilpsum.answers.pubmed import PubMed
from ilpsum.answers.services import Restriction
from ilpsum.answers.sources import Sources
from tests.ilpsum.answers.standin import Query


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Can valproate be used during pregnancy?", ["valproate AND pregnancy", "valproate OR pregnancy"]),
        ("List the symptoms of IFAP.", ["symptoms AND IFAP", "IFAP"]),
        (
            "Is warfarin safe in breastfeeding?",
            ["warfarin safe AND breastfeeding", "warfarin AND breastfeeding", "warfarin OR breastfeeding"],
        ),
        (
            "What is the mechanism of action of baclofen?",
            ["mechanism AND action AND baclofen", "baclofen"],
        ),
        ("Do 67 melanomas exist?", ["67 melanomas exist", "melanomas"]),
        ("What does it treat?", ["treat"]),
        (
            "What is the role of Isocitrate dehydrogenase (IDH) in glioma?",
            ['("Isocitrate dehydrogenase" OR IDH) AND glioma', '("Isocitrate dehydrogenase" OR IDH) OR glioma'],
        ),
        (
            'Does "zinc release" follow IL-6?',
            ['"zinc release" AND follow IL-6', '"zinc release" AND IL-6', '"zinc release" OR IL-6'],
        ),
        ("Newts?", ["Newts"]),
        ("What is it?", []),
        ("newts (AND) newts OR NOT toads[mh]*", ["newts AND toads AND mh", "newts AND toads", "newts OR toads"]),
    ],
)  # fmt: skip
def test_names_and_rare_words_stay_longest(question, expected):
    assert queries(question) == expected


def test_a_name_outweighs_a_rarer_word_and_mesh_another_word():
    weights = {term.text: term.weight for term in terms("Does the gregarious kinase Tarn bind ulcers?")}
    assert weights["Tarn"] > weights["gregarious"]
    assert weights["ulcers"] > weights["bind"]


def test_a_long_question_is_cut_to_its_weightiest_terms():
    question = " ".join(f"velin{number} binds" for number in range(20))
    first, *_, last = queries(question)
    assert len(first.split(" AND ")) == MOST_TERMS
    assert last.count(" OR ") == 1


@given(st.text(max_size=80))
def test_any_question_gives_queries_that_the_services_can_read(question):
    asked = queries(question)
    assert len(asked) <= MOST_TERMS
    for query in asked:
        Query(query)
        assert re.search(r"[\[\]():*]", re.sub(r"\([^()]+ OR [^()]+\)", "", query)) is None
        assert query.count('"') % 2 == 0
    # Each is looser than the one before.
    lengths = list(map(len, asked[:-1]))
    assert lengths == sorted(lengths, reverse=True)


WHOLE = Restriction(2015, 2020, ("randomised", "animal"), ("eng", "ger"), humans=True, preprints=False)


def test_a_restriction_in_the_language_of_pubmed():
    assert WHOLE("newts", PubMed) == (
        '(newts) AND 2015:2020[dp] AND ("randomized controlled trial"[pt] OR (animals[mh] NOT humans[mh])) AND '
        "(eng[la] OR ger[la]) NOT (animals[mh] NOT humans[mh]) NOT preprint[pt]"
    )
    assert Restriction(until=1999)("newts", PubMed) == "(newts) AND 1000:1999[dp]"
    assert Restriction()("newts OR toads", PubMed) == "newts OR toads"


def test_a_restriction_in_the_language_of_europe_pmc():
    assert WHOLE("newts", EuropePmc) == (
        '(newts) AND PUB_YEAR:[2015 TO 2020] AND (PUB_TYPE:"randomized controlled trial" OR (KW:"Animals" NOT '
        'KW:"Humans")) AND (LANG:"eng" OR LANG:"ger") NOT (KW:"Animals" NOT KW:"Humans") NOT SRC:PPR'
    )


def test_both_services_know_the_same_kinds():
    assert PubMed.kinds.keys() == EuropePmc.kinds.keys()


@pytest.mark.parametrize(
    ("question", "strictest"),
    [
        ("Is bacloffen a drug for spasticity?", "(bacloffen OR baclofen) AND drug AND spasticity"),
        ("Does apixabin prevent stroke?", "(apixabin OR apixaban) prevent stroke"),
        ("Metfromin in pregnancy?", "(Metfromin OR metformin) AND pregnancy"),
        ("Does tirzepatide help?", "tirzepatide"),  # a new name, near no word
        ('Is "bacloffen" a name?', '"bacloffen"'),
    ],
)
def test_a_typing_error_is_searched_beside_its_correction(question, strictest):
    assert queries(question)[0] == strictest
    assert not any(" OR " in query for query in queries(question, exact=True)[:-1])


def test_the_correction_is_said_once_texts_are_known(standin):
    topic = Sources(services=["pubmed"]).topic("Does gentamcin kill kidney cells?")
    assert topic.warnings[0].startswith("PubMed: (gentamcin OR gentamicin) kill kidney cells: 3 found")
    plain = Sources(services=["pubmed"], exact=True).topic("Does gentamcin kill kidney cells?")
    assert plain.warnings[0].startswith("PubMed: gentamcin kill kidney cells: 0 found")
