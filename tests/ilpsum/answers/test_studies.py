"""Facts about the studies behind an answer."""

import pytest

from ilpsum.answers.points import Quotation, points_of
from ilpsum.answers.sources import Sources
from ilpsum.answers.stance import Stance
from ilpsum.answers.studies import Studies, newest, size_of
from ilpsum.records import Document, Publication, Sentence


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("We studied 1432 newts and 23 patients (n = 9).", "23 patients"),
        ("Nineteen trials involving 11\u202f379 patients were included. We tested 3 mice.", "11,379 patients"),
        ("This disease affects 20 patients. A total of 33 studies, including 2,666 patients, were analysed.",
         "33 studies, 2,666 patients"),
        ("We conducted a phase 3 trial involving patients with fever. Of 557 patients who underwent it, 9 fled.",
         "557 patients"),
        ("We followed 7 million children, 9 per 1000 women, 12-year-old children and 50% of men since 2012 women.", ""),
        ("Newts sing.", ""),
    ],
)  # fmt: skip
def test_the_size_of_a_study_is_that_of_its_first_sentence_on_it(text, size):
    assert size_of(text) == size


def test_studies_on_each_side_are_counted_once_with_their_kinds():
    said = [
        ("Velin is effective in newts.", 1, ("trial", "randomised")),
        ("Velin is effective in newts.", 1, ()),
        ("Velin is not effective in newts.", 2, ("review",)),
        ("Newts.", 3, ("cohort",)),
    ]
    findings = [
        Quotation(
            text,
            Sentence(text, str(source), 0, len(text), 5),
            source,
            text,
            Publication(kinds=kinds),
        )
        for text, source, kinds in said
    ]
    findings[1] = findings[1]._replace(publication=findings[0].publication)
    assert points_of("Is velin effective in newts?", findings).studies == {
        Stance.YES: Studies(1, {"randomised": 1}),
        Stance.NO: Studies(1, {"review": 1}),
    }
    assert points_of("Which newts sing?", findings).studies == {}


def test_what_a_service_has_may_be_old(standin):
    documents = [
        Document("1", "Newts.", date="Jun 2012"),
        Document("2", "Newts.", publication=Publication(year="2013")),
    ]
    assert (newest(documents), newest([Document("1", "Newts.")])) == ("2013", "")
    topic = Sources(services=["pubmed"]).topic("How does gentamicin kill kidney cells?")
    assert any(line.startswith("nothing newer than 20") for line in topic.warnings)
