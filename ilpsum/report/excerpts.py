"""The surroundings of a sentence in its document."""

from collections.abc import Sequence
from dataclasses import dataclass

from features.text import words
from ilpsum.records import Document, Sentence

# Characters: context reaches to the paragraph's edge, but no further than the first and no less than the second.
_MOST, _LEAST = 600, 120
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a document around a marked place.

    Attributes:
        before, marked, after: the text, in pieces; empty where the place is not in the document.
        length: of the whole document, in characters.
        title: of the document, where it has one apart from its text.
        note: what a reader must know of the place, such as that the document given is another one.
    """

    before: str = ""
    marked: str = ""
    after: str = ""
    length: int = 0
    title: str = ""
    note: str = ""


def locate(sentence: Sentence, documents: Sequence[Document]) -> Excerpt:
    """The surroundings of a sentence in the document that it says it comes from.

    The document's text must hold the sentence's words there, in their order; more words may stand between them, since
    a summary may have shortened the sentence. Else the document is not the one that the run was made from.
    """
    document = next((d for d in documents if d.id == sentence.document), None)
    if document is None:
        return Excerpt(note="The document is not among the topics given, so its text cannot be shown.")
    there = document.text[max(sentence.start, 0) : max(sentence.end, 0)]
    given, found = words(sentence.original or sentence.text), words(there)
    if not found or not _in_order(given, found):
        return Excerpt(
            length=len(document.text),
            title=document.title,
            note="The document given does not hold the sentence at these characters: was the run made from another?",
        )
    note = "" if given == found and not sentence.original else "The summary has it shortened."
    if len(there) > _LONGEST:
        there = f"{there[: _LONGEST // 2].rstrip()} … {there[-_LONGEST // 2 :].lstrip()}"
    return Excerpt(
        before=_before(document.text, sentence.start),
        marked=there,
        after=_after(document.text, sentence.end),
        length=len(document.text),
        title=document.title,
        note=note,
    )


def _in_order(some: Sequence[str], all_: Sequence[str]) -> bool:
    rest = iter(all_)
    return all(word in rest for word in some)


def _before(text: str, start: int) -> str:
    low = max(0, start - _MOST)
    edge = text.rfind("\n", low, max(low, start - _LEAST))
    if edge >= 0:
        return text[edge + 1 : start].lstrip("\ufeff")
    if low == 0:
        return text[:start].lstrip("\ufeff")
    space = text.find(" ", low, start)
    return "… " + text[(space + 1 if space >= 0 else low) : start]


def _after(text: str, end: int) -> str:
    high = min(len(text), end + _MOST)
    edge = text.find("\n", min(high, end + _LEAST), high)
    if edge >= 0:
        return text[end:edge]
    if high == len(text):
        return text[end:]
    space = text.rfind(" ", end, high)
    return text[end : (space if space >= 0 else high)] + " …"
