"""Orders in which some sentences stay directly after the one before them."""

from dataclasses import replace

from ilpsum.pipeline.text import LABELS, arrange, printed
from ilpsum.records import Rules, Sentence

TEXTS = [
    ("9", "Newts sing in cold ponds.", 0.2),
    ("9", "They hum.", 0.9),
    ("11", "Moths shed scales in frost.", 0.5),
    ("7", "Cold ponds freeze in frost.", 0.4),
]
CHOSEN = [Sentence(t, d, 0, len(t), len(t.split()), relevance=r) for d, t, r in TEXTS]
BOUND = Rules(requires=((1, 0),))


def order(by, rules=BOUND):
    return [s.text.split()[0] for s in arrange(CHOSEN, by, range(4), rules)]


def test_sentences_stay_after_the_one_they_require():
    assert order("document") == ["Newts", "They", "Moths", "Cold"]
    assert order("score") == ["Moths", "Cold", "Newts", "They"]
    assert order("score", None) == ["They", "Moths", "Cold", "Newts"]


def test_facets_follow_their_order_and_each_is_named_once():
    facets = ("results", "method", "discussion", "hypothesis")
    sentences = [replace(s, facet=name) for s, name in zip(CHOSEN, facets, strict=True)]
    arranged = arrange(sentences, "facet", range(4), BOUND)
    # `They hum` follows the newts whatever its own facet, so that no label is printed twice.
    lines = [
        "Hypothesis: Cold ponds freeze in frost.",
        "Results: Newts sing in cold ponds.",
        "They hum.",
        "Discussion: Moths shed scales in frost.",
    ]
    assert printed(arranged, labels=True).split("\n") == lines
    assert printed(arranged) == "\n".join(s.text for s in arranged)
    assert [len(label.split()) for label in LABELS] == [1] * 5


def test_what_answers_comes_first_and_the_others_by_document():
    assert order("answer") == order("answer", None) == ["Moths", "Newts", "They", "Cold"]
    assert arrange([], "answer") == ()


def test_what_cannot_stand_alone_opens_an_answer_only_if_nothing_can():
    def first(*sentences):
        return arrange(sentences, "answer")[0].text

    whole = Sentence("Moths shed scales.", "1", 0, 18, 3, relevance=0.1)
    for text, section in (
        ("of moths.", ""),
        ("Do moths shed?", ""),
        ("We aimed to count moths.", ""),
        ("However, these shed scales.", ""),
        ("Moths.", "title"),
        ("Scales of moths: causes of song.", "title"),
        ("Do moths show scales?", "title"),
    ):
        other = Sentence(text, "2", 0, len(text), 3, section, relevance=0.9)
        assert first(other, whole) == first(whole, other) == whole.text
        assert first(other) == text
    for text, section in (
        ("However, moths shed scales.", ""),
        ("We report that moths shed scales.", ""),
        ("Mutations in MOTH2 Cause Frost.", "title"),
        ("FROST-7 and MOTH2 drive song in newts.", "title"),
        ("mothR: an R package for scales.", "title"),
    ):
        other = Sentence(text, "2", 0, len(text), 3, section, relevance=0.9)
        assert first(other, whole) == first(whole, other) == text


def test_a_sentence_that_lost_its_connective_opens_no_answer():
    texts = "However, newts sing at night in ponds.", "Frogs hum at dusk in the reeds."
    sentences = [
        Sentence(t, f"d{i}", 0, len(t), 6, relevance=1 - i / 2) for i, t in enumerate(texts)
    ]

    def order(*sentences, cut):
        rules = Rules(connected=tuple((i, None) for i in cut))
        return [s.text for s in arrange(sentences, "answer", range(len(sentences)), rules)]

    assert order(*sentences, cut=[]) == [*texts]
    assert order(*sentences, cut=[0]) == [texts[1], "Newts sing at night in ponds."]
    # One that cannot open a text is still the better choice; of none but cut ones the most relevant
    # opens.
    weak = replace(sentences[1], text="They hum at dusk in the reeds.")
    assert order(sentences[0], weak, cut=[0])[0] == weak.text
    also = replace(sentences[1], text="Thus, frogs hum at dusk in the reeds.")
    assert order(sentences[0], also, cut=[0, 1])[0] == "Newts sing at night in ponds."
