"""Typing errors: a word of the question that occurs in no text is replaced by the nearest word in
the texts.

Texts contain errors, too: a word in at most a share of `MOST_SLIPS` of them is also replaced, if
the other word is `_TIMES_A_SLIP` times as frequent.

One error is corrected in words of six letters or more: a letter inserted, omitted, replaced, or
transposed with the next (Damerau-Levenshtein distance). Two errors are corrected from seven letters
on, if both words consist of the same letters: names at distance 2 are mostly other names. The first
letter is kept. Among the nearest words, those read in texts come first, then the one whose term
occurs in most texts. A question that opens with `Wich` or `Waht` has its question word corrected.

Candidates are the words, in a few texts, of index terms near the error, and words of the shipped
vocabularies (the background of `ilpsum.files.idf`, the word vectors) if the texts contain their
term in some form. A word near none of these may be two frequent words (`sideeffects`).

Possible names are kept: words in mixed case or in quotes, words of fewer than eight letters in
capitals or joined to a digit, and, within a sentence, capitalised words of fewer than seven
letters. Words of the shipped vocabularies and of MeSH are kept as well: the texts lack them, and
the reader must know that. Accuracy: `experiments/results/evidence-typing.md`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

from features.folding import folded, visible
from ilpsum.answers.alternatives import known_terms
from ilpsum.answers.entries import term_query
from ilpsum.answers.open_index import OpenIndex
from ilpsum.answers.weights import in_background
from ilpsum.files.idf import load_idf, singular
from ilpsum.files.persistence import load, unpack
from ilpsum.pipeline.terms import terms
from ilpsum.records import Correction
from ilpsum.resources import embeddings

# Maximum share of the texts with a word that still counts as a typing error.
MOST_SLIPS = 1 / 4000

_TIMES_A_SLIP, _TIMES_A_RARE_SLIP = 200, 30
# Least number of texts in the background with each of two words that are written as one.
_FREQUENT = 160
_ASKING = ("what", "which", "when", "where", "does")
_SHORTEST, _TWO_ERRORS, _SHORTEST_NAME, _SHORTEST_CAPITALS = 6, 7, 7, 8
# The index has terms, not words: words are read from a few texts for each of the nearest terms.
_TERMS, _TEXTS = 20, 25
# Letters that a stemmer cuts off at most, and leaves at least; largest distance of near terms.
_ENDING, _BEGINNING, _FAR = 8, 4, 2
# Words with the same stem share this many first letters.
_ROOT = 3
# With one of these prefixes, a known word stays known.
_PREFIXES = tuple(
    "anti auto bi co counter de di dis down en extra hetero homo hyper hypo im immuno in inter "
    "intra iso macro mal "
    "mega meta micro mid mini mis mono multi nano neo neuro non out over para per peri photo poly "
    "post pre pro proto "
    "pseudo re retro semi sub super supra tele tetra trans tri ultra un under uni up".split()
)

_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»')
# Words joined by hyphens.
_JOINED = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
# In words with a digit: a part too long for a name without capitals or digits.
_LONG_PART = re.compile(r"(?<![^\W_])[a-z]{8,}(?![^\W_])")
# Sentence end between two words.
_END = re.compile(r"[.?!:]\s")
_LETTERS = re.compile(r"[^\W\d_]+")


def may_be_mistyped(text: str) -> frozenset[str]:
    """Return the words of a text, lower-cased, whose form does not suggest a name.

    >>> question = 'Does fomoterol help in "ashtma", COPDs, Askins, sestn-2 or interelukin-6?'
    >>> sorted(may_be_mistyped(question))
    ['fomoterol', 'interelukin']
    """
    quoted = frozenset(
        word.lower() for part in _QUOTED.findall(text) for word in _LETTERS.findall(folded(part))
    )
    found, last, text = set(), 0, folded(text)
    for match in _JOINED.finditer(text):
        # The first word is treated as within a sentence: many questions open with a name.
        opens = last and _END.search(text, last, match.start())
        last = match.end()
        if any(character.isdigit() for character in match[0]):
            found.update(_LONG_PART.findall(match[0]))
            continue
        for word in _LETTERS.findall(match[0]):
            named = word[0].isupper() and word == match[0] and not opens
            least = _SHORTEST_CAPITALS if word.isupper() else _SHORTEST_NAME if named else _SHORTEST
            if len(word) >= least and (word.isupper() or word[1:].islower()):
                found.add(word.lower())
    return frozenset(found - quoted)


def question_word(text: str) -> tuple[str, str] | None:
    """Return the mistyped question word that opens a text, lower-cased, and its correction.

    The two words differ by one transposition or one omitted letter; or `is` is added without its
    apostrophe.

    >>> question_word("Wich genes?"), question_word("Waht helps?"), question_word("Which genes?")
    (('wich', 'which'), ('waht', 'what'), None)
    >>> question_word("Whats is a newt?")
    ('whats', 'what')
    """
    opening = _LETTERS.match(folded(text).lstrip())
    word = opening[0].lower() if opening and opening[0][1:].islower() else ""
    if word.endswith("s") and word[:-1] in (*_ASKING, "who", "how", "why"):
        return word, word[:-1]
    if word in _ASKING or len(word) < min(map(len, _ASKING)):
        return None
    for other in _ASKING:
        is_swapped = sorted(word) == sorted(other)
        if distance(word, other) == 1 and (is_swapped or len(word) < len(other)):
            return None if _is_known(word) else (word, other)
    return None


def nearest(word: str, index: OpenIndex, *, capital: bool = False) -> str:
    """Return the index word, or two, that a lower-case mistyped word most likely stands for; empty
    if there is none.

    A capitalised word may be another name, so its correction must occur in the texts themselves.
    """
    if _is_known(word):
        return ""
    least = max(1, _TIMES_A_SLIP * index.holding(terms(word)[0]))
    sources = [_held(word, index)]
    if not capital:
        sources.append(_shipped(word, index))
    ranked = []
    for place, source in enumerate(sources):
        for other, count in source:
            if count >= least:
                ranked.append((distance(word, other), place, -count, other))
    return min(ranked)[-1] if ranked else _split(word)


def _split(word: str) -> str:
    """Return the two most frequent words that make up a word; empty if there are none."""
    frequent = []
    for length in range(_BEGINNING, len(word) - _BEGINNING + 1):
        beginning, rest = word[:length], word[length:]
        rarer = min(in_background(beginning), in_background(rest))
        if rarer >= _FREQUENT:
            frequent.append((rarer, f"{beginning} {rest}"))
    return max(frequent)[-1] if frequent else ""


def likely(word: str) -> str:
    """Return the included word, or two, that a lower-case word most likely stands for; empty if it
    is known.

    >>> likely("bacloffen"), likely("sideeffects"), likely("metformin"), likely("tirzepatide")
    ('baclofen', 'side effects', '', '')
    """
    if _is_known(word):
        return ""
    near = _near_included(word)
    return near[0] if near else _split(word)


def may_stand_for(word: str, other: str) -> bool:
    """Whether a word may be a misspelling of another.

    >>> may_stand_for("flaggelum", "flagellum"), may_stand_for("sestrin", "spectrin")
    (True, False)
    """
    errors = distance(word, other, _FAR)
    return errors == 1 or (errors == 2 and len(word) >= _TWO_ERRORS and set(word) == set(other))


def distance(one: str, other: str, most: int | None = None) -> int:
    """Return the Damerau-Levenshtein distance of two words, or `most` + 1 if it exceeds `most`.

    >>> distance("tetrology", "tetralogy"), distance("treatmnet", "treatment"), distance("newt",
    ...     "toad", 2)
    (1, 1, 3)
    """
    from rapidfuzz.distance import DamerauLevenshtein

    return int(DamerauLevenshtein.distance(one, other, score_cutoff=most))


def corrected(text: str, corrections: Sequence[Correction]) -> str:
    """Replace the mistyped words of a text, keeping an initial capital.

    >>> corrected("Proceedure?", [Correction("proceedure", "procedure")])
    'Procedure?'
    """
    searched = {each.written: each.searched for each in corrections}
    capitals = dict[str, bool]()

    def replaced(match: re.Match[str]) -> str:
        word = folded(match[0]).lower()
        if word not in searched:
            return match[0]
        right = searched[word]
        capital = capitals.setdefault(word, match[0][0].isupper())
        return right[0].upper() + right[1:] if capital else right

    return _LETTERS.sub(replaced, visible(text))


def _held(word: str, index: OpenIndex) -> Iterator[tuple[str, int]]:
    """Yield possible corrections from a few texts, each with the number of texts that contain its
    term.
    """
    letters = {word[0], terms(word)[0][0]}
    for term, count in _near_terms(word, index):
        for other in _words(term, letters, index):
            if may_stand_for(word, other):
                yield other, count


def _shipped(word: str, index: OpenIndex) -> Iterator[tuple[str, int]]:
    """Yield the included word that a word most likely stands for, with the number of texts that
    contain its term.

    A few texts lack most forms of a common word (`interacting`), and an index has no function words
    (`between`). The background decides, not the index: where no text has `aspirin`, those with
    `aspirate` don't make it `aspire`.
    """
    for likeliest in _near_included(word)[:1]:
        own = terms(likeliest)
        yield likeliest, index.holding(own[0]) if own else index.size


def _near_included(word: str) -> list[str]:
    """Return the included words that a word may stand for, the likeliest first."""
    ranked = []
    for other, errors in _near(word, _by_root().get(word[0], ()), _FAR):
        if may_stand_for(word, other):
            ranked.append((errors, -in_background(other), other))
    return [other for _, _, other in sorted(ranked)]


def _near_terms(word: str, index: OpenIndex) -> Iterable[tuple[str, int]]:
    """Return the index terms of possible corrections, each with its number of texts, the likeliest
    first.

    They are near the word's own term or near a prefix of the word: an error in the ending misleads
    the stemmer.
    """
    own = terms(word)[0]
    shortest = max(_BEGINNING, len(word) - _ENDING)
    counts = {term: count for term, count in index.vocabulary(own[0]) if len(term) >= shortest}
    least_errors = dict(_near(own, counts, _FAR))
    # The stemmer turns a final `y` into `i`.
    in_y = {f"{term[:-1]}y": term for term in counts if term.endswith("i")}
    for forms in ({term: term for term in counts}, in_y):
        for form, errors in _near_beginning(word, forms):
            term = forms[form]
            least_errors[term] = min(least_errors.get(term, _FAR), errors + 1)
    likeliest = sorted(least_errors, key=lambda t: (least_errors[t], -counts[t], t))
    return [(term, counts[term]) for term in likeliest[:_TERMS]]


def _near_beginning(word: str, forms: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the forms with fewer than `_FAR` errors in a beginning of the word, of the same length
    or a letter more or less.
    """
    for length, some in groupby(sorted(forms, key=len), key=len):
        same_length = list(some)
        for prefix in {word[: length - 1], word[:length], word[: length + 1]}:
            yield from _near(prefix, same_length, _FAR - 1)


def _near(word: str, others: Iterable[str], most: int) -> Iterator[tuple[str, int]]:
    """Yield the words at a distance of at most `most`, each with its distance."""
    from rapidfuzz import process
    from rapidfuzz.distance import DamerauLevenshtein

    scorer = DamerauLevenshtein.distance
    for other, errors, _ in process.extract_iter(
        word,
        list(others),
        scorer=scorer,
        score_cutoff=most,
    ):
        yield other, int(errors)


def _words(term: str, letters: set[str], index: OpenIndex) -> list[str]:
    """Return the words in a few texts that have a term and begin with one of the given letters."""
    entries = index.first(term_query(term), _TEXTS)
    beginning = re.compile(rf"(?<![^\W\d_])[{''.join(letters)}][^\W\d_]+")
    words = {word for entry in entries for word in beginning.findall(entry.document.text.lower())}
    return [word for word in words if terms(word) == [term]]


def _is_known(word: str) -> bool:
    """Whether the shipped vocabularies contain a word, in any spelling with the same first letters.

    They contain misspellings, too: one that swaps letters of a MeSH term and is
    `_TIMES_A_RARE_SLIP` times rarer is not known.
    """
    vocabulary, own = _vocabulary(), terms(word)
    if not known_terms().isdisjoint(own):
        return True
    if word in vocabulary:
        return not _is_slip(word)
    forms = [word]
    longest = len(word) - _SHORTEST + 1
    forms += [word.removeprefix(prefix) for prefix in _PREFIXES if len(prefix) <= longest]
    if any(form in vocabulary or singular(form) in vocabulary for form in forms):
        return True
    return any(terms(other) == own for other in _by_root().get(word[:_ROOT], ()))


def _is_slip(word: str) -> bool:
    least = _TIMES_A_RARE_SLIP * max(1, in_background(word))
    for other in _near_included(word):
        is_swapped = sorted(other) == sorted(word)
        in_mesh = not known_terms().isdisjoint(terms(other))
        if is_swapped and in_mesh and in_background(other) >= least:
            return True
    return False


@cache
def _vocabulary() -> frozenset[str]:
    """Return the words of the shipped vocabularies, as they are or in the singular."""
    vectors = load(embeddings(), "embeddings", 1).arrays
    return frozenset(load_idf().counts).union(unpack(vectors["words"]))


@cache
def _by_root() -> Mapping[str, Sequence[str]]:
    """Return the shipped words by prefix: their first letter, and their first `_ROOT` letters."""
    found = defaultdict(list)
    for word in _vocabulary():
        for length in (1, _ROOT):
            found[word[:length]].append(word)
    return found
