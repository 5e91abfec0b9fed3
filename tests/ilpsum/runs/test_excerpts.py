"""The surroundings of a sentence."""

from hypothesis import given
from hypothesis import strategies as st

from ilpsum.records import Document, Sentence
from ilpsum.runs.excerpts import among, locate

WORDS = st.lists(st.sampled_from(["fern", "moss", "wall.", "\n", "Shade"]), min_size=1, max_size=600)


def at(text, start, end):
    there = text[start:end]
    return locate(Sentence(" ".join(there.split()), "d", start, end, len(there.split())), Document("d", text))


@given(WORDS, st.data())
def test_an_excerpt_is_a_stretch_of_the_document(tokens, data):
    text = "A " + " ".join(tokens)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, min(len(text), start + 300)))
    excerpt = at(text, start, end)
    if not excerpt.marked:
        assert not any(c.isalnum() for c in text[start:end])
        return
    assert excerpt.marked == text[start:end]
    assert excerpt.length == len(text)
    before, after = excerpt.before.removeprefix("… "), excerpt.after.removesuffix(" …")
    assert text[:start].endswith(before)
    assert text[end:].startswith(after)
    assert len(before) <= 180
    assert len(after) <= 180
    assert len(before) >= min(start, 40)
    assert len(after) >= min(len(text) - end, 40)
    # What is cut within a paragraph says so.
    assert before == text[:start] or excerpt.before.startswith("… ") or text[start - len(before) - 1] == "\n"
    assert after == text[end:] or excerpt.after.endswith(" …") or text[end + len(after)] == "\n"


def test_the_paragraph_is_the_context():
    text = "x" * 300 + "\n" + "Moss grows. " * 12 + "Ferns die. " + "Walls stay. " * 12 + "\n" + "y" * 300
    start = text.index("Ferns")
    excerpt = at(text, start, start + 10)
    assert (excerpt.before, excerpt.after) == ("Moss grows. " * 12, " " + "Walls stay. " * 12)


def test_a_sentence_far_longer_than_a_page_is_shortened():
    text = "fern " * 2000
    excerpt = at(text, 0, len(text))
    assert len(excerpt.marked) <= 4003
    assert " … " in excerpt.marked


def test_another_document_differs_from_a_shortened_sentence():
    document = Document("d", "Ferns, which are green, need shade.", title="Ferns")
    sentence = Sentence("Ferns need shade.", "d", 0, 35, 3)
    shortened = locate(sentence, document)
    assert shortened.marked == document.text
    assert shortened.note == "Shortened in the summary."
    other = locate(sentence, Document("d", "Moss, which is green, needs walls to be on."))
    assert (other.marked, other.before, other.after) == ("", "", "")
    assert "does not have the sentence" in other.note


def test_offsets_that_no_document_has():
    for start, end in ((-5, 3), (90, 99), (3, 3)):
        assert not locate(Sentence("Ferns", "d", start, end, 1), Document("d", "Ferns need shade.")).before


def test_without_the_document_the_candidates_around_it_are_shown():
    texts = {"title": "On ferns.", "abstract": "Ferns need shade."}
    own = [Sentence(text, "d", 10 * i, 10 * i + 9, 3, section) for i, (section, text) in enumerate(texts.items())]
    last = Sentence("They rot.", "d", 20, 29, 2, "abstract")
    other = Sentence("Moss.", "e", 0, 5, 1)
    excerpt = among(own[1], [*own, last, other])
    assert (excerpt.before, excerpt.marked, excerpt.after) == ("", "Ferns need shade.", " They rot.")
    assert (excerpt.title, excerpt.length, excerpt.note) == ("On ferns.", 0, "")
