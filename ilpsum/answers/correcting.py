"""Typing errors: a word that neither index nor vocabulary knows becomes the best known word at one
edit.

An edit inserts, omits or replaces a letter, or transposes two neighbours (Damerau 1964); the first
letter stays. Words of four or five letters are close to too many others: only a transposition that
gives a frequent word corrects them. A word is known if a text has its term and the included
vocabularies (the background of `ilpsum.files.idf`, the word vectors) have it, or if a text prints
it. The best word is the one that most texts print or, if none prints any, the most frequent one in
the background. A word close to none may be two frequent words (`sideeffects`). Words of the
vocabularies and of MeSH stay even if no text has them, so that the reader is told.

Possible names stay: words in mixed case or in quotes, words of fewer than eight letters in capitals
or joined to a digit, and, within a sentence, capitalised words of fewer than seven letters.
Accuracy: `experiments/results/evidence-typing.md`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from string import ascii_lowercase

from features.answers import OPENINGS
from features.folding import folded, visible
from ilpsum.answers.alternatives import known_terms, mesh_names
from ilpsum.answers.entries import term_query
from ilpsum.answers.open_index import OpenIndex
from ilpsum.answers.weights import in_background
from ilpsum.files.idf import load_idf, singular
from ilpsum.files.persistence import load, unpack
from ilpsum.pipeline.terms import terms_of_word
from ilpsum.records import Correction
from ilpsum.resources import embeddings

# Least number of texts in the background with each of two words that are written as one, and least
# number of letters of each.
_FREQUENT, _SHORTEST_PART = 160, 4
# Least numbers of letters: of words, of names within a sentence, of words in capitals, and of words
# that any edit may correct.
_SHORTEST, _SHORTEST_NAME, _SHORTEST_CAPITALS, _SHORTEST_EDITED = 4, 7, 8, 6
# A word is at least this many times as frequent as its misspelling.
_TIMES_A_SLIP = 30
# The index has terms, not words: words are read from this many texts.
_TEXTS = 25
# Words with the same stem share this many first letters.
_ROOT = 3
# A beginning of this many words whose rest is a word of at least this many letters is a prefix.
_PREFIXED, _SHORTEST_REST = 15, 5

SENTENCE_END = re.compile(r"[.?!:]\s")
"""The end of a sentence between two words."""
_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»')
# Words joined by hyphens.
_JOINED = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
# In words with a digit: a part too long for a name without capitals or digits.
_LONG_PART = re.compile(r"(?<![^\W_])[a-z]{8,}(?![^\W_])")
_LETTERS = re.compile(r"[^\W\d_]+")


def may_be_mistyped(text: str) -> frozenset[str]:
    """Return the words of a text, lower-cased, whose form does not suggest a name.

    >>> question = 'Does fomoterol help in "ashtma", COPDs, Askins, sestn-2 or interelukin-6?'
    >>> sorted(may_be_mistyped(question))
    ['fomoterol', 'help', 'interelukin']
    """
    quoted = frozenset(
        word.lower() for part in _QUOTED.findall(text) for word in _LETTERS.findall(folded(part))
    )
    words, last, text = set(), 0, folded(text)
    for match in _JOINED.finditer(text):
        # The first word is treated as within a sentence: many questions open with a name.
        opens = last and SENTENCE_END.search(text, last, match.start())
        last = match.end()
        if any(character.isdigit() for character in match[0]):
            words.update(_LONG_PART.findall(match[0]))
            continue
        for word in _LETTERS.findall(match[0]):
            named = word[0].isupper() and word == match[0] and not opens
            least = _SHORTEST_CAPITALS if word.isupper() else _SHORTEST_NAME if named else _SHORTEST
            if len(word) >= least and (word.isupper() or word[1:].islower()):
                words.add(word.lower())
    return frozenset(words - quoted)


def question_word(text: str) -> dict[str, str]:
    """Return the correction of the question word that opens a text, if it is mistyped, by the word
    in lower case.

    >>> question_word("Wich genes?"), question_word("Waht helps?"), question_word("Which genes?")
    ({'wich': 'which'}, {'waht': 'what'}, {})
    >>> question_word("Whats is a newt?")
    {'whats': 'what'}
    """
    opening = _LETTERS.match(folded(text).lstrip())
    if not opening or len(opening[0]) < _SHORTEST or not opening[0][1:].islower():
        return {}
    word = opening[0].lower()
    if word in _vocabulary():
        return {}
    other = next(filter(OPENINGS.__contains__, _edits(word)), "")
    return {word: other} if other else {}


def correction(word: str, index: OpenIndex | None = None, *, capital: bool = False) -> str:
    """Return the known word, or two, that a lower-case mistyped word most likely stands for; empty
    if there is none.

    Without an index, only the vocabularies are known, and a form of a known word that they lack is
    mistyped if they have another form of it at one edit: services find words, not stems. A
    capitalised word may be another name, so a text must print its correction.

    >>> correction("bacloffen"), correction("sideeffects"), correction("wrok")
    ('baclofen', 'side effects', 'work')
    >>> correction("recurrance"), correction("resistent"), correction("recurrent")
    ('recurrence', 'resistant', '')
    >>> correction("scabies")
    ''
    """
    if _is_known(word):
        return "" if index or _is_included(word) else _other_form(word)
    is_short = len(word) < _SHORTEST_EDITED
    ranked = []
    for other in set(_swaps(word) if is_short else _edits(word)) - {word}:
        if is_short and in_background(other) < _TIMES_A_SLIP:
            continue
        printing = _printing(other, index) if index else 0.0
        is_included = not capital and _is_included(other)
        if printing or (is_included and (not index or _has_term(other, index))):
            ranked.append((printing, in_background(other), other))
    return max(ranked)[-1] if ranked else _parted(word)


def _other_form(word: str) -> str:
    """Return the most frequent form at one edit, of those that have the term of a word and that
    the vocabularies have; empty if there is none.
    """
    stems = terms_of_word(word)
    forms = (other for other in set(_edits(word)) if _is_included(other))
    return max(
        (other for other in forms if terms_of_word(other) == stems),
        key=lambda other: (in_background(other), other),
        default="",
    )


def corrected(text: str, corrections: Sequence[Correction]) -> str:
    """Replace the mistyped words of a text, keeping an initial capital.

    >>> corrected("Proceedure?", [Correction("proceedure", "procedure")])
    'Procedure?'
    """
    searched = {correction.written: correction.searched for correction in corrections}
    capitals = dict[str, bool]()

    def replaced(match: re.Match[str]) -> str:
        word = folded(match[0]).lower()
        if word not in searched:
            return match[0]
        right = searched[word]
        capital = capitals.setdefault(word, match[0][0].isupper())
        return right[0].upper() + right[1:] if capital else right

    return _LETTERS.sub(replaced, visible(text))


def _edits(word: str) -> Iterator[str]:
    """Yield the words at one edit that keep the first letter, with repetitions."""
    for place in range(1, len(word) + 1):
        before, rest = word[:place], word[place:]
        for letter in ascii_lowercase:
            yield before + letter + rest
        if rest:
            yield before + rest[1:]
            for letter in ascii_lowercase:
                yield before + letter + rest[1:]
    yield from _swaps(word)


def _swaps(word: str) -> Iterator[str]:
    """Yield the words with two neighbouring letters transposed, but for the first."""
    for place in range(1, len(word) - 1):
        yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _printing(word: str, index: OpenIndex) -> float:
    """Estimate how many texts print a word from the first that have its term."""
    stems = terms_of_word(word)
    if not stems or not index.weighed(stems[0]):
        return 0.0
    entries = index.first(term_query(stems[0]), _TEXTS)
    printed = re.compile(rf"(?<![^\W\d_]){word}(?![^\W\d_])", re.IGNORECASE)
    times = sum(1 for entry in entries if printed.search(entry.document.text))
    return index.holding(stems[0]) * times / (len(entries) or 1)


def _has_term(word: str, index: OpenIndex) -> bool:
    """Whether a text has a word in some form; an index has no stop words."""
    stems = terms_of_word(word)
    return not stems or index.holding(stems[0]) > 0


def _parted(word: str) -> str:
    """Return the two most frequent words that make up a word; empty if there are none."""
    frequent = []
    for length in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        beginning, rest = word[:length], word[length:]
        rarer = min(in_background(beginning), in_background(rest))
        if rarer >= _FREQUENT:
            frequent.append((rarer, f"{beginning} {rest}"))
    return max(frequent)[-1] if frequent else ""


def _is_known(word: str) -> bool:
    """Whether the vocabularies have a word in some form, perhaps after a prefix.

    The vocabularies contain misspellings, too: a word is one if swapping two of its letters gives a
    word `_TIMES_A_SLIP` times as frequent.
    """
    stems = terms_of_word(word)
    if not (known_terms().isdisjoint(stems) and mesh_names().isdisjoint(stems)):
        return True
    if _is_included(word):
        least = _TIMES_A_SLIP * max(1, in_background(word))
        return all(in_background(other) < least for other in _swaps(word))
    for length in range(2, len(word) - _SHORTEST_REST + 1):
        if word[:length] in _prefixes() and _is_included(word[length:]):
            return True
    root = word[:_ROOT]
    return any(terms_of_word(w) == stems for w in _vocabulary() if w.startswith(root))


def _is_included(word: str) -> bool:
    return word in _vocabulary() or singular(word) in _vocabulary()


@cache
def _prefixes() -> frozenset[str]:
    """Return the beginnings, such as `anti`, before many words of the vocabularies."""
    words = _vocabulary()
    times = Counter[str]()
    for word in words:
        for length in range(2, len(word) - _SHORTEST_REST + 1):
            times[word[:length]] += word[length:] in words
    return frozenset(prefix for prefix, number in times.items() if number >= _PREFIXED)


@cache
def _vocabulary() -> frozenset[str]:
    """Return the words of the included vocabularies, as they are or in the singular."""
    vectors = load(embeddings(), "embeddings", 1).arrays
    return frozenset(load_idf().counts).union(unpack(vectors["words"]))
