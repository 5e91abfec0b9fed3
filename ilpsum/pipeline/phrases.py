"""Words that explain a choice of sentence: question words in it, and phrases unique to it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise, product
from typing import NamedTuple

from features.concepts import Concept, ConceptKind, concepts_of
from features.stemming import porter
from features.text import STOP_WORDS, Passage

# Maximum number of question words and of phrases in a reason, and of words in a phrase.
_MOST_ASKED, _MOST_PHRASES, _MOST_WORDS = 5, 3, 3

_PART = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W_]+(?:[-‐–/'’&][^\W_]+)*")
# Stems of words common to all papers, uninformative about any one.
_COMMON = frozenset(
    map(
        porter,
        """
        accordingly addition additional additionally al although apparently approximately aim analyze article assess
        consider considered conclude conclusion conclusions data demonstrate demonstrated describe described due
        especially et evaluate evidence examine example fig figure finally find finding findings following found
        general generally identify identified importantly include included includes including indeed indicate
        interestingly investigate know known mainly moreover new next note novel number objective observe observed
        obtain obtained paper particular particularly perform performed possible possibly potential potentially
        present presented previous previously probably propose proposed recent recently report reported respectively
        result resulted results reveal revealed second several show showed shown significant significantly similar
        similarly specific specifically studied studies study suggest suggested suggesting suggests suggestion table
        test tested third thought total use used useful using various whole work
        """.split(),
    )
)

# Verbs, which end a phrase (`zinc precedes death`).
_VERBS = frozenset(
    """
    accumulate achieve affect allow appear arise base become begin cause compare confer contain contribute correlate
    decrease define depend derive die differ enable encode enhance exceed exhibit express fail force form give have
    improve increase induce inhibit involve keep kill lead lie link lose maintain make mediate need occur play precede
    predict prevent produce promote protect prove provide raise reach receive reduce regard regulate remain require
    restore rise suffer support suppress take turn undergo
    """.split()
)
_VERB_STEMS = frozenset(map(porter, _VERBS))
_INFLECTED = re.compile(r"[a-z]+(?:s|ed|ing)")
# Words that are not a phrase on their own: participles, adjectives, adverbs.
_INCOMPLETE = re.compile(r"[a-z]+(?:ed|ing|ive|ous|able|ible|ly)|important|different|sufficient|high(?:er)?|low(?:er)?")


class _Word(NamedTuple):
    """A word, hyphens included: its parts as printed, their stems, whether phrases may contain it, its offsets."""

    parts: tuple[str, ...]
    stems: tuple[str, ...]
    telling: bool
    start: int
    end: int


class Words:
    """The words of a text, with their offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = [_Word(*_read(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]

    def printed(self, first: int, last: int) -> str:
        """Return the text from one word to another, both included."""
        return self.text[self.words[first].start : self.words[last].end]

    def joined(self, first: int) -> tuple[str, str] | None:
        """Return the stems on both sides of the space after a word; None unless phrases may contain both words."""
        a, b = self.words[first], self.words[first + 1]
        near = a.telling and b.telling and self.text[a.end : b.start] == " "
        return (a.stems[-1], b.stems[0]) if near else None

    def shared(self, query: Passage, asked: Sequence[str]) -> list[str]:
        """Return the words shared with the query, as printed, in the order of the stems `asked`.

        Words adjacent in both texts form one name (`lateral sclerosis`).
        """
        pairs, stems, printed = set(query.stem_bigrams), frozenset(asked), dict[str, str]()
        known, first = stems.union(query.stems), 0
        while first < len(self.words):
            last = first
            # Most words are not in the query.
            if self.words[first].telling and not known.isdisjoint(self.words[first].stems):
                while last + 1 < len(self.words) and self.joined(last) in pairs:
                    last += 1
                run = self.words[first : last + 1]
                if any(not stems.isdisjoint(word.stems) for word in run):
                    # Only the queried part of a compound word.
                    whole = all(stems.issuperset(word.stems) for word in run)
                    name = self.printed(first, last) if whole else ""
                    for word in run:
                        for stem, part in zip(word.stems, word.parts, strict=True):
                            if not part.isdigit():
                                printed.setdefault(stem, name or part)
            first = last + 1
        return list(dict.fromkeys(printed[stem] for stem in asked if stem in printed))[:_MOST_ASKED]


def different(held: Iterable[str], query: str, text: str) -> list[str]:
    """Return the query words, as printed in the query, that a text contains only in other forms (synonyms)."""
    stems, lower = set(Passage(text).stems), text.lower()
    words = (word for word in held if word not in lower and not stems.issuperset(Passage(word).stems))
    printed = (re.search(rf"\b{re.escape(word)}\b", query, re.IGNORECASE) for word in words)
    return [match[0] for match in printed if match][:_MOST_ASKED]


class Phrases:
    """Phrases that occur in only one of the chosen sentences and add to the question.

    `asked` has the stems of the question; `weights` the learned weights of concepts, if any.
    """

    def __init__(
        self, chosen: Sequence[Passage], asked: Iterable[str], weights: Mapping[Concept, float], kind: ConceptKind
    ) -> None:
        self._chosen, self._asked, self._weights, self._kind = chosen, frozenset(asked), weights, kind
        self._pairs = Counter(chain.from_iterable(set(s.stem_bigrams) for s in chosen))
        self._stems = Counter(chain.from_iterable(set(s.stems) for s in chosen))

    def only_in(self, number: int, words: Words) -> list[str]:
        """Return the heaviest phrases of a chosen sentence that no other chosen sentence contains."""
        sentence = self._chosen[number]
        held = dict.fromkeys(concepts_of(sentence, self._kind))
        heaviest: dict[str, float] = {}
        for concept in held:
            weight = self._weights.get(concept, 0.0)
            heaviest.update((word, max(weight, heaviest.get(word, 0.0))) for word in concept)
        found: dict[str, tuple[float, int, int]] = {}
        for first, last in self._new(sentence, words):
            phrase, printed = words.words[first : last + 1], words.printed(first, last)
            of_question = all(self._asked.issuperset(word.stems) for word in phrase)
            if printed not in found and not of_question and not _INCOMPLETE.fullmatch(printed):
                found[printed] = (-self._weight(phrase, held, heaviest), first - last, first)
        return sorted(found, key=lambda printed: found[printed])[:_MOST_PHRASES]

    def _new(self, sentence: Passage, words: Words) -> Iterator[tuple[int, int]]:
        """Yield the first and last word of each phrase that is new compared with the other sentences.

        Such a phrase is a run of telling words none of whose bigrams is in another sentence, or a single word with an
        unshared bigram or, if not compound, an unshared stem.
        """
        # The counts include this sentence.
        own, stems = frozenset(sentence.stem_bigrams), frozenset(sentence.stems)

        def held(pair: tuple[str, str]) -> bool:
            return self._pairs[pair] > (pair in own)

        first, every = 0, words.words
        while first < len(every):
            last = first
            while last + 1 < min(first + _MOST_WORDS, len(every)):
                pair = words.joined(last)
                if pair is None or held(pair):
                    break
                last += 1
            # A participle at the end is the verb of the phrase (`preferences based`, `patients died`).
            while last > first and every[last].parts[-1].endswith("ed"):
                last -= 1
            if last > first:
                yield first, last
            elif every[first].telling:
                of_word = every[first].stems
                known = self._stems[of_word[0]] > (of_word[0] in stems)
                if any(not held(pair) for pair in pairwise(of_word)) if len(of_word) > 1 else not known:
                    yield first, last
            first = last + 1

    def _weight(self, phrase: Sequence[_Word], held: Collection[Concept], heaviest: Mapping[str, float]) -> float:
        """Return the total weight of a phrase's concepts; `held` are the concepts of its sentence.

        `heaviest` has the largest weight of a concept with each word.
        """
        weight = self._weights
        if self._kind == "stems":
            keys = [stem for word in phrase for stem in word.stems]
        else:
            keys = [part.lower() for word in phrase for part in word.parts]
        inner = dict.fromkeys(keys)
        # A compound word may have thousands of parts.
        few = len(inner) ** 2 <= len(held)
        pairs = product(inner, inner) if few else (pair for pair in held if inner.keys() >= set(pair))
        if inside := [pair for pair in pairs if pair in held]:
            return sum(weight.get(pair, 0.0) for pair in inside)
        # A single word weighs as much as its heavier bigram.
        return heaviest.get(keys[0], 0.0)


@lru_cache(maxsize=1 << 14)
def _read(word: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return the first three attributes of a `_Word`."""
    parts = tuple(_PART.findall(word))
    return parts, tuple(porter(part.lower()) for part in parts), any(map(_is_telling, parts))


def _is_telling(part: str) -> bool:
    """Return whether a phrase may contain a part of a word."""
    word = part.lower()
    stem = porter(word)
    if len(part) < 2 or part.isdigit() or word in STOP_WORDS or stem in _COMMON:
        return False
    return not (part in _VERBS or (stem in _VERB_STEMS and _INFLECTED.fullmatch(part)))


def listed(names: Sequence[str]) -> str:
    """Join names as an English enumeration."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
