"""Orders in which some sentences stay directly after the one before them."""

from ilpsum.pipeline.ordering import arrange
from ilpsum.pipeline.system import OrderTable
from ilpsum.records import Sentence
from ilpsum.selection import greedy

TEXTS = [
    ("9", "Newts sing in cold ponds.", 0.2),
    ("9", "They hum.", 0.9),
    ("11", "Moths shed scales in frost.", 0.5),
    ("7", "Cold ponds freeze in frost.", 0.4),
]
CHOSEN = [Sentence(t, d, 0, len(t), len(t.split()), relevance=r) for d, t, r in TEXTS]


def order(by, joined=(1,), **options):
    return [s.text.split()[0] for s in arrange(CHOSEN, OrderTable(by=by), joined=joined, **options)]


def test_joined_sentences_stay_after_the_one_before_them():
    assert order("document") == ["Newts", "They", "Moths", "Cold"]
    assert order("score") == ["Moths", "Cold", "Newts", "They"]
    assert order("score", joined=()) == ["They", "Moths", "Cold", "Newts"]


def test_the_chain_starts_with_the_most_relevant_and_continues_with_the_most_similar():
    assert order("chain") == ["Newts", "They", "Cold", "Moths"]
    assert order("chain", joined=())[0] == "They"
    assert arrange([], OrderTable(by="chain")) == ()


def test_no_fragment_question_or_title_opens_a_chain_if_a_statement_can():
    def first(*sentences):
        return arrange(sentences, OrderTable(by="chain"))[0].text

    whole = Sentence("Moths shed scales.", "1", 0, 18, 3, relevance=0.1)
    for text, section in (
        ("of moths.", ""),
        ("Do moths shed?", ""),
        ("We aimed to count moths.", ""),
        ("Moths.", "title"),
    ):
        other = Sentence(text, "2", 0, len(text), 3, section, relevance=0.9)
        assert first(other, whole) == first(whole, other) == whole.text
        assert first(other) == text


def test_greedy_takes_only_allowed_sentences():
    assert greedy([0.9, 0.8, 0.7], [3, 3, 3], [{"a"}, {"b"}, {"c"}], 6, allowed=[1, 2]).chosen == (1, 2)
