"""Measures of answers and refusals."""

from experiments.answered import MEASURES, Answered, Gold, exact_answers
from ilpsum.pipeline.training.examples import trigrams
from ilpsum.records import Outcome


def test_a_sentence_is_marked_by_half_of_its_trigrams() -> None:
    gold = Gold(
        "Which newts sing?", (" grey newt ",), (trigrams("grey newts sing at night"),), frozenset()
    )
    assert gold.is_marked("Grey newts sing loudly.")
    assert not gold.is_marked("Toads and grey newts do not sing at all.")
    assert gold.is_named("It is the grey newt.")
    assert not gold.is_named("It is the greyish newt.")


def test_exact_answers_are_those_of_names_and_lists() -> None:
    listed = {"type": "list", "exact_answer": [["Grey newt", "GN"], ["Toad"]]}
    assert exact_answers(listed) == (" grey newt ", " toad ")
    assert exact_answers({"type": "yesno", "exact_answer": "yes"}) == ()


def test_measures_count_answers_with_and_without_abstracts() -> None:
    good = Answered(True, Outcome.ANSWER, is_good=True, opens_well=True)
    weak = Answered(True, Outcome.WEAK, is_good=True, opens_well=False)
    wrong = Answered(False, Outcome.ANSWER)
    silent = Answered(False, Outcome.RELATED)
    pairs = [(good, silent), (weak, wrong)]
    values = {name: measure(pairs) for name, measure in MEASURES.items()}
    assert values == {
        "precision": 2 / 3,
        "answered well": 1.0,
        "opens well": 0.5,
        "labelled Answer, good": 0.5,
        "of the good ones, labelled Weak evidence": 0.5,
        "refused without their abstracts": 0.5,
    }
