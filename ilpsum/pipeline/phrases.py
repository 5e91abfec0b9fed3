"""Words that explain a choice of sentence: question words in it, and phrases unique to it."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from features.concepts import Concept, ConceptKind, concepts_of
from features.stemming import porter
from features.text import STOP_WORDS, Passage
from ilpsum.pipeline.coherence.redundancy import FRAME
from ilpsum.pipeline.coherence.statements import VERB

# Maximum number of question words and of phrases in a reason, and of words in a phrase.
_MOST_ASKED, _MOST_PHRASES, _MOST_WORDS = 5, 3, 3

_WORD = re.compile(r"[^\W_]+(?:[-‐–/'’&][^\W_]+)*")
# Participles, and adjectives and adverbs that are not a phrase on their own.
_PARTICIPLE = re.compile(r"[a-z]+ed")
_INCOMPLETE = re.compile(r"[a-z]+(?:ing|ive|ous|able|ible|ly)|important|different|sufficient|high(?:er)?|low(?:er)?")

Bigram = tuple[str, str]


def asked_in(text: str, query: Passage, asked: Sequence[str]) -> list[str]:
    """Return the words of a text that are in the query, as printed, in the order of the stems `asked`.

    Words adjacent in both texts form one name (`lateral sclerosis`).
    """
    printed, pairs, known = dict[str, str](), set(query.stem_bigrams), frozenset((*asked, *query.stems))
    for run in _runs(text, pairs.__contains__):
        if known.issuperset(stems := Passage(run).stems):
            printed = dict.fromkeys(stems, run) | printed
        else:  # only the queried part of a compound word
            parts = Passage(run).words
            printed = {stem: part for stem, part in zip(stems, parts, strict=True) if not part.isdigit()} | printed
    return list(dict.fromkeys(printed[stem] for stem in asked if stem in printed))[:_MOST_ASKED]


def different(held: Iterable[str], query: str, text: str) -> list[str]:
    """Return the query words, as printed in the query, that a text contains only in other forms (synonyms)."""
    stems, lower = set(Passage(text).stems), text.lower()
    words = (word for word in held if word not in lower and not stems.issuperset(Passage(word).stems))
    printed = (re.search(rf"\b{re.escape(word)}\b", query, re.IGNORECASE) for word in words)
    return [match[0] for match in printed if match][:_MOST_ASKED]


def phrases(
    text: str, others: Sequence[Passage], asked: Collection[str], weights: Mapping[Concept, float], kind: ConceptKind
) -> list[str]:
    """Return the heaviest phrases of a sentence of which none of the others has a word or bigram.

    A phrase weighs as much as its concepts, a single word as its heaviest concept. Phrases of question words (stems
    `asked`) only are left out.
    """
    pairs = set(chain.from_iterable(other.stem_bigrams for other in others))
    stems = set(chain.from_iterable(other.stems for other in others))
    heaviest = defaultdict[str, float](float)
    for concept in concepts_of(Passage(text), kind):
        for word in concept:
            heaviest[word] = max(heaviest[word], weights.get(concept, 0.0))
    found, of_question = dict[str, tuple[float, int]](), frozenset(asked)
    for run in _runs(text, lambda pair: pair not in pairs, _MOST_WORDS):
        phrase = Passage(run)
        known = stems.issuperset(phrase.stems) if len(phrase.stems) == 1 else pairs.issuperset(phrase.stem_bigrams)
        if known or of_question.issuperset(phrase.stems) or _INCOMPLETE.fullmatch(run):
            continue
        held = dict.fromkeys(concepts_of(phrase, kind))
        first = phrase.stems[0] if kind == "stems" else phrase.words[0]
        weight = sum(weights.get(c, 0.0) for c in held) if held else heaviest[first]
        found.setdefault(run, (-weight, -len(phrase.stems)))
    return sorted(found, key=found.__getitem__)[:_MOST_PHRASES]


def _runs(text: str, joins: Callable[[Bigram], bool], most: int | None = None) -> Iterator[str]:
    """Yield the telling words of a text, as printed; neighbours become one if the bigram of their stems joins them."""
    start, end, stem, size = 0, 0, "", 0
    for match in _WORD.finditer(text):
        stems = _telling(match[0])
        if size and stems and text[end : match.start()] == " " and size != most and joins((stem, stems[0])):
            size += 1
        else:
            if size:
                yield text[start:end]
            start, size = match.start(), 1 if stems else 0
        end, stem = match.end(), stems[-1] if stems else ""
    if size:
        yield text[start:end]


@lru_cache(maxsize=1 << 14)
def _telling(word: str) -> tuple[str, ...]:
    """Return the stems of a word, hyphens included; none if it says nothing about its sentence."""
    if VERB.fullmatch(word) or _PARTICIPLE.fullmatch(word):
        return ()
    parts = Passage(word).words
    stems = tuple(map(porter, parts))
    tells = any(
        len(part) > 1 and not part.isdigit() and part not in STOP_WORDS and stem not in FRAME
        for part, stem in zip(parts, stems, strict=True)
    )
    return stems if tells else ()
