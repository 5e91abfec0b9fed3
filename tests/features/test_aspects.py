"""What a question asks about its subject, and the sentences that tell it."""

import pytest

from features.aspects import aspects_of, tells


@pytest.mark.parametrize(
    ("question", "aspects"),
    [
        ("What is the treatment of newt pox?", ("treatment",)),
        ("What causes newt pox?", ("cause",)),
        ("side effects of velin", ("harm",)),
        ("velin dose in children", ("dose",)),
        ("How is newt pox diagnosed?", ("diagnosis",)),
        ("survival of newt pox", ("prognosis",)),
        ("Which newts sing?", ()),
    ],
)
def test_the_aspects_of_a_question(question, aspects):
    assert aspects_of(question) == aspects


@pytest.mark.parametrize(
    ("question", "telling", "other"),
    [
        ("treatment of newt pox", "Velin reduces newt pox.", "Newt pox is frequent in ponds."),
        ("What causes newt pox?", "Newt pox is due to mud.", "Newt pox is frequent in ponds."),
        ("side effects of velin", "Nausea came in 3 newts.", "Velin is a salt of newts."),
        ("velin dose in newts", "Newts had 5 mg of velin.", "Velin was given to 5 newts."),
        ("survival of newt pox", "Half of them died.", "Newt pox is frequent in ponds."),
    ],
)
def test_sentences_without_a_word_of_the_aspect_do_not_tell_it(question, telling, other):
    assert tells(question, telling)
    assert not tells(question, other)
    assert tells("Which newts sing?", other)
