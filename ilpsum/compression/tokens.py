"""Tokenisation as in the GENIA Treebank, with offsets.

Tokens are separated by white space, and punctuation at the edges of a chunk is split off, except
brackets that belong to a name: `(GRs),` gives `(`, `GRs`, `)` and `,`, while `[Ca2+]i` and
`1,25-(OH)2D3` are one token each.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CHUNK = re.compile(r"\S+")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = {closing: opening for opening, closing in _PAIRS.items()}
# Longer chunks are not words and are not split.
_LONGEST = 500
_QUOTES = '"“”„«»'
_FINAL = ",;:?!…"
_INITIALS = re.compile(
    r"(?:[A-Za-z]\.)+|(?:vs|etc|al|cf|ca|approx|resp|spp?|subsp|var|St|Dr|No|Fig)\."
)
_POSSESSIVE = re.compile(r"(?<=\w)['’]s$")
_DASHES = re.compile(r"--+|[–—]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or punctuation mark as written, with its offsets in the text, end exclusive."""

    text: str
    start: int
    end: int


def tokenize(text: str) -> tuple[Token, ...]:
    """Split a sentence or title into tokens; joined, they are the text without its white space."""
    tokens = []
    chunks = list(_CHUNK.finditer(text))
    for chunk in chunks:
        for start, end in _split(text, *chunk.span(), last=chunk is chunks[-1]):
            tokens.append(Token(text[start:end], start, end))
    return tuple(tokens)


def _split(text: str, start: int, end: int, last: bool) -> Iterator[tuple[int, int]]:
    """Split punctuation off the edges of a chunk, and dashes out of its middle."""
    if end - start > _LONGEST:
        yield start, end
        return
    while end - start > 1 and _is_opening(text[start:end]):
        yield start, start + 1
        start += 1
    tail: list[tuple[int, int]] = []
    while end - start > 1 and (length := _closing_length(text[start:end], last and not tail)):
        tail.append((end - length, end))
        end -= length
    yield from _dashes(text, start, end)
    yield from reversed(tail)


def _is_opening(chunk: str) -> bool:
    if chunk[0] in _QUOTES or chunk[0] in "‘`":
        return True
    if chunk[0] not in _PAIRS:
        return False
    # A bracket that closes within the word is part of a name; one that closes at its end is
    # punctuation.
    depth = 0
    for place, character in enumerate(chunk):
        depth += (character == chunk[0]) - (character == _PAIRS[chunk[0]])
        if depth == 0:
            return not re.search(r"\w", chunk[place + 1 :])
    return True


def _closing_length(chunk: str, last: bool) -> int:
    """Return the length of the punctuation mark at the end of a chunk, or 0."""
    final = chunk[-1]
    if final in _FINAL or final in _QUOTES or final == "’":
        return 1
    if final in _CLOSING:
        return int(chunk.count(_CLOSING[final]) < chunk.count(final))
    if final == ".":
        dots = len(chunk) - len(chunk.rstrip("."))
        return dots if dots > 1 else int(last or not _INITIALS.fullmatch(chunk))
    if final == "%" and chunk[-2].isdigit():
        return 1
    return 2 if _POSSESSIVE.search(chunk) else 0


def _dashes(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for dash in _DASHES.finditer(text, start, end):
        # An inner en dash joins digits or letters (5–10, Epstein–Barr); other dashes separate
        # phrases.
        if dash.group() == "–" and start < dash.start() and dash.end() < end:
            continue
        if start < dash.start():
            yield start, dash.start()
        yield dash.start(), dash.end()
        start = dash.end()
    if start < end:
        yield start, end
