"""Clean-up after a cut: removes dangling words and punctuation, and puts the remaining words
back into text.
"""

import re
from collections.abc import Sequence, Set

from ilpsum.compression.tokens import Token
from ilpsum.compression.trees import PREPOSITIONS

_CLOSING = frozenset(".,;:?!)]}%…")
_OPENING = frozenset("([{“‘\"'«")
_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", '"': '"', "«": "»"}
_SEPARATORS = frozenset({",", ";", ":", "-", "--", "---", "—", "–", "/"})
_DANGLING = PREPOSITIONS | {"CC", "DT", "PDT", "PRP$", "POS"}
_FINAL = frozenset(".?!…")
_ARTICLE = re.compile(r"an?", re.IGNORECASE)
_CONSONANT_SOUND = re.compile(
    r"(?:eu|ew|uni(?!n|m)|ubi|use|usu|uti|ur[aeio]|uv|one|once)",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[A-Z]{2,}|[A-Z](?=$|[^a-z])")
# Words that may be capitalised; excludes mRNA, c-fos, p53 and bcl-2, whose first letter is part of
# the name.
_PLAIN_WORD = re.compile(r"[a-z]{2,}(?:-\D*)?")


def tidied(words: Sequence[str], tags: Sequence[str], cut: Set[int]) -> frozenset[int]:
    """Extend a cut by the words that would dangle.

    These are empty brackets and quotes; separators such as commas that are now at an edge, doubled,
    or around a cut parenthesis; and prepositions, conjunctions and determiners whose phrase was
    cut. Only words next to a cut are removed. The result includes the given positions.
    """
    gone = set(cut)
    while True:
        rest = [position for position in range(len(words)) if position not in gone]
        more: set[int] = set()
        for place, position in enumerate(rest):
            if position not in more:
                more |= _dangling(words, tags, rest, place)
        if not more:
            return frozenset(gone)
        gone |= more


def _dangling(
    words: Sequence[str],
    tags: Sequence[str],
    rest: Sequence[int],
    place: int,
) -> set[int]:
    """Return the positions to remove if the word at a place dangles next to a cut, else an empty
    set.
    """
    position = rest[place]
    before = rest[place - 1] if place else -1
    after = rest[place + 1] if place + 1 < len(rest) else len(words)
    seam_before, seam_after = position - before > 1, after - position > 1
    if not (seam_before or seam_after):
        return set()
    word = words[position]
    following = words[after] if after < len(words) else ""
    opened = not place or words[before] in _PAIRS
    at_end = not following or following in _CLOSING or following in _SEPARATORS
    if seam_after and (_PAIRS.get(word, " ") == following or word == following == ","):
        # Empty brackets, or commas around a cut parenthesis.
        return {position, after}
    dangles = (
        (word in _SEPARATORS and (opened or at_end))
        or (seam_after and at_end and tags[position] in _DANGLING)
        or (seam_before and tags[position] == "CC" and (opened or words[before] == ","))
    )
    return {position} if dangles else set()


def realised(text: str, tokens: Sequence[Token], cut: Set[int]) -> str:
    """Return the text without the cut words, otherwise unchanged.

    Exceptions: white space around cuts is repaired, the new first word of a sentence is capitalised
    like the old one, and "a" or "an" is adapted to the word that now follows.
    """
    if not cut:
        return text
    rest = [position for position in range(len(tokens)) if position not in cut]
    if not rest:
        return ""
    pieces = [text[: tokens[0].start] if rest[0] == 0 else ""]
    for place, position in enumerate(rest):
        gap = _gap(text, tokens, rest[place - 1], position) if place else ""
        pieces += [gap, _fitted(tokens, rest, place)]
    return "".join(pieces) + (text[tokens[-1].end :] if rest[-1] == len(tokens) - 1 else "")


def _fitted(tokens: Sequence[Token], rest: list[int], place: int) -> str:
    position = rest[place]
    word = tokens[position].text
    before = rest[place - 1] if place else -1
    first = position
    while first > before + 1 and tokens[first - 1].text not in _FINAL:
        first -= 1
    if first < position and _opens_sentence(tokens, first):
        was_capital = tokens[first].text[:1].isupper()
        if was_capital and _PLAIN_WORD.fullmatch(word):
            word = word[0].upper() + word[1:]
    if _ARTICLE.fullmatch(word) and place + 1 < len(rest) and rest[place + 1] > position + 1:
        word = _article(word, tokens[position + 1].text, tokens[rest[place + 1]].text)
    return word


def _opens_sentence(tokens: Sequence[Token], position: int) -> bool:
    """Return whether no word of its sentence precedes a position."""
    before = position - 1
    if before >= 0 and tokens[before].text in _OPENING:
        before -= 1
    return before < 0 or tokens[before].text in _FINAL


def _article(article: str, old: str, new: str) -> str:
    """Return the article for the new word, if the old article was correct for the old word."""
    is_an = len(article) == 2
    was_right = _takes_an(old) == is_an
    is_right = _takes_an(new) == is_an or not new[:1].isalpha()
    if is_right or not was_right:
        return article
    # Keep the case of the first letter: AN becomes A.
    return article[0] if is_an else article + "n"


def _takes_an(word: str) -> bool:
    """Return whether a word takes "an", judged by its first sound; acronyms are spelt out."""
    if _LETTERS.match(word):
        return word[0] in "AEFHILMNORSX"
    return word[:1].lower() in "aeiou8" and not _CONSONANT_SOUND.match(word)


def _gap(text: str, tokens: Sequence[Token], left: int, right: int) -> str:
    """Return the white space between two words that are now adjacent."""
    if right == left + 1:
        return text[tokens[left].end : tokens[right].start]
    after_left = text[tokens[left].end : tokens[left + 1].start]
    before_right = text[tokens[right - 1].end : tokens[right].start]
    closed = not before_right and tokens[right].text[0] in _CLOSING
    opened = not after_left and tokens[left].text[-1] in _OPENING
    return "" if closed or opened else before_right or after_left or " "
