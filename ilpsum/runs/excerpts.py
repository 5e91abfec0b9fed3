"""The sentences of a run in the context of their documents."""

from collections.abc import Sequence
from dataclasses import dataclass

from features.text import words
from ilpsum.records import Document, Sentence

# Maximum and minimum characters of context on each side; it ends at a paragraph break between the two.
_MOST, _LEAST = 150, 60
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A sentence in context, empty if the document lacks it; `length` is the document's, in characters.

    `title` is empty if the document has none outside its text; `note` warns the reader.
    """

    before: str = ""
    marked: str = ""
    after: str = ""
    length: int = 0
    title: str = ""
    note: str = ""


def among(sentence: Sentence, candidates: Sequence[Sentence]) -> Excerpt:
    """Return a sentence in context, rebuilt from the candidate sentences of its document (in document order)."""
    own = [s for s in candidates if s.document == sentence.document]
    title = next((s.text for s in own if s.section == "title" and s.place != sentence.place), "")
    prose = [s for s in own if s.section != "title"]
    before = _before(joined := "".join(f"{s.text} " for s in prose if s.end <= sentence.start), len(joined))
    after = _after("".join(f" {s.text}" for s in prose if s.start >= sentence.end), 0)
    return Excerpt(before, sentence.text, after, title=title)


def locate(sentence: Sentence, document: Document) -> Excerpt:
    """Return a sentence in the context of its document.

    The words of the sentence must occur in order between its offsets, with other words in between if the summary
    compressed it. Otherwise a note warns that the run was made from another version of the document.
    """
    marked = document.text[max(sentence.start, 0) : max(sentence.end, 0)]
    own, marked_words = words(sentence.text), words(marked)
    rest = iter(marked_words)
    if not marked_words or not all(word in rest for word in own):
        note = "The document does not have the sentence at these offsets: was the run made from another version?"
        return Excerpt(length=len(document.text), title=document.title, note=note)
    note = "" if own == marked_words else "Shortened in the summary."
    if len(marked) > _LONGEST:
        marked = f"{marked[: _LONGEST // 2].rstrip()} … {marked[-_LONGEST // 2 :].lstrip()}"
    before, after = _before(document.text, sentence.start), _after(document.text, sentence.end)
    return Excerpt(before, marked, after, len(document.text), document.title, note)


def _before(text: str, start: int) -> str:
    part = text[max(0, start - _MOST) : start]
    edge = part.rfind("\n", 0, max(0, len(part) - _LEAST))
    if edge >= 0 or len(part) == start:
        return part[edge + 1 :].lstrip("\ufeff")
    return "… " + part[part.find(" ") + 1 :]


def _after(text: str, end: int) -> str:
    """As `_before`, from the other side."""
    after = text[end : end + _MOST + 1][::-1]
    return _before(after, len(after))[::-1]
