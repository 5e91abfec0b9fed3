"""Alternatives for the words of a query: abbreviations, MeSH synonyms."""

import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from ilpsum.pipeline.terms import terms_of_word, tokens
from ilpsum.records import Alternative
from ilpsum.resources import mesh

# Weight of an occurrence of an alternative; chosen on BioASQ editions 1-8
# (experiments/results/finding.md).
_ABBREVIATION, _SYNONYM = 0.4, 0.5
# Other forms of an abbreviation: maximum number, and minimum share of the definitions for each.
_MOST_FORMS, _LEAST_SHARE = 3, 0.3
# Maximum length, in terms, of a part of a query that may have alternatives.
_LONGEST = 8
# An abbreviation has a capital or a digit after its first character.
_MARKED = re.compile(r"(?<!\S)\S+[A-Z0-9]\S*")
_PARENTHESIS = re.compile(r"\(([^()]{2,100})\)")
# Limits of the text before a parenthesis that may define its abbreviation.
_BOUNDARY = re.compile(r"[.;:!?]\s|[()\[\]\n]")
# Shorthand of clinicians and patients, which abstracts write out.
_SHORTHAND = {
    "abx": "antibiotics",
    "bx": "biopsy",
    "chemo": "chemotherapy",
    "dx": "diagnosis",
    "gord": "gastroesophageal reflux disease",
    "hx": "history",
    "jab": "vaccination",
    "jabs": "vaccination",
    "kid": "child",
    "kids": "children",
    "meds": "medication",
    "mum": "mother",
    "od": "overdose",
    "peds": "pediatric",
    "preg": "pregnancy",
    "pts": "patients",
    "rehab": "rehabilitation",
    "rx": "treatment",
    "sc": "subcutaneous",
    "sx": "symptoms",
    "t1dm": "type 1 diabetes",
    "t2dm": "type 2 diabetes",
    "tummy": "abdominal",
    "tx": "treatment",
    "vit": "vitamin",
}
# Separator of the names on a line.
SEPARATOR = "|"

ABBREVIATIONS = mesh("abbreviations")
"""The file of `abbreviations`."""

# Returns the (short, long) forms of definitions that contain a given form, terms separated by
# spaces.
Definitions = Callable[[str], Iterable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The terms of a text in order, with repetitions; the first lower-cased word of each; possible
    abbreviations.
    """

    terms: tuple[str, ...]
    words: dict[str, str]
    marked: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "SearchQuery":
        """Analyse a text."""
        terms = _terms(text)
        words: dict[str, str] = {}
        for word, term in terms:
            words.setdefault(term, word)
        marked = frozenset(term for _, term in _terms(" ".join(_MARKED.findall(text))))
        return cls(tuple(term for _, term in terms), words, marked)

    def alternatives(self, definitions: Definitions) -> Iterator[Alternative]:
        """Yield the alternatives of the query's parts, without duplicates or alternatives made of
        query terms only.
        """
        seen = set()
        for part in dict.fromkeys(self.parts()):
            forms = _other_forms(part, definitions, self.marked) or self._included_form(part)
            others = [(form, _ABBREVIATION) for form in forms]
            for name in synonyms(" ".join(part)):
                terms = tuple(name.split())
                # A name that adds words to the part is narrower in meaning.
                if not set(part) <= set(terms):
                    others.append((terms, _SYNONYM))
            words = tuple(dict.fromkeys(self.words[term] for term in part))
            for other, factor in others:
                if (part, other) not in seen and not set(other) <= self.words.keys():
                    seen.add((part, other))
                    yield Alternative(words, other, factor)

    def _included_form(self, part: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return the long form of an abbreviation, in any case, that no text defines."""
        long = abbreviations().get(self.words[part[0]], "") if len(part) == 1 else ""
        return [tuple(term for _, term in _terms(long))] if long else []

    def parts(self) -> Iterator[tuple[str, ...]]:
        """Yield the term sequences that may have alternatives."""
        for start in range(len(self.terms)):
            for end in range(start + 1, min(start + _LONGEST, len(self.terms)) + 1):
                yield self.terms[start:end]


def _terms(text: str) -> list[tuple[str, str]]:
    """Return (word, term) for the words of a text in order, without stop words."""
    return [(word, term) for word in tokens(text) for term in terms_of_word(word)]


def _other_forms(
    part: tuple[str, ...],
    definitions: Definitions,
    marked: frozenset[str],
) -> list[tuple[str, ...]]:
    """Return the common long forms of an abbreviation, and the common abbreviations of a long
    form.
    """
    phrase = " ".join(part)
    longs, shorts = Counter[str](), Counter[str]()
    for short, long in definitions(phrase):
        if long == phrase:
            shorts[short] += 1
        elif short == phrase and marked.intersection(part):
            longs[long] += 1
    return [
        tuple(form.split())
        for forms in (longs, shorts)
        for form, count in sorted(forms.items(), key=lambda item: (-item[1], item[0]))[:_MOST_FORMS]
        if count >= _LEAST_SHARE * forms.total()
    ]


def definitions(text: str) -> list[tuple[str, str]]:
    """Return the (short, long) form of each abbreviation that a text defines, in order.

    `restless newt syndrome (RNS)` or `RNS (restless newt syndrome)`. Source: Schwartz and Hearst
    (2003), A simple algorithm for identifying abbreviation definitions in biomedical text, Pacific
    Symposium on Biocomputing 8, 451-462.

    >>> definitions("Grey newt fever (GNF) is rare, unlike ATF (acute toad fever).")
    [('GNF', 'Grey newt fever'), ('ATF', 'acute toad fever')]
    """
    pairs = []
    for match in _PARENTHESIS.finditer(text):
        inside = re.split(r"[,;]\s", match[1].strip())[0].strip(" '\"“”")
        before = _BOUNDARY.split(text[max(0, match.start() - 250) : match.start()])[-1].rstrip()
        if not before:
            continue
        short, long = inside, before
        if len(inside.split()) > 2 or not _is_short(inside):
            # Reverse order: the short form is the word before the parenthesis.
            short, long = before.split()[-1], inside
        # The long form is within the last min(|A| + 5, 2 |A|) words, where |A| is the length of the
        # short form.
        words = long.split()[-min(len(short) + 5, 2 * len(short)) :]
        if _is_short(short) and (form := _long_form(short, " ".join(words))):
            pairs.append((short, form))
    return pairs


def _is_short(text: str) -> bool:
    """Whether a text may be a short form: 2 to 10 characters and at most 2 words, with a letter."""
    return (
        2 <= len(text) <= 10
        and len(text.split()) <= 2
        and text[0].isalnum()
        and any(c.isalpha() for c in text)
    )


def _long_form(short: str, text: str) -> str:
    """Return the shortest suffix of a text whose letters match the short form from right to left;
    empty if none does.

    The first character of the short form must match at the beginning of a word.
    """
    place = len(text)
    letters = [c for c in short.lower() if c.isalnum()]
    lower = text.lower()
    if len(lower) != len(text):
        return ""
    for number, letter in reversed(list(enumerate(letters))):
        place -= 1
        while place >= 0 and (
            lower[place] != letter or (number == 0 and place > 0 and lower[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return ""
    start = text.rfind(" ", 0, place + 1) + 1
    form = text[start:].strip(" '\"“”[],")
    words = form.split()
    if (
        len(form) <= len(short)
        or short in words
        or len(words) > min(len(short) + 5, 2 * len(short))
    ):
        return ""
    return form


def synonyms(name: str) -> list[str]:
    """Return the synonyms of a name; names are terms separated by spaces.

    They are MeSH entry terms (U.S. National Library of Medicine). The shipped file has one line per
    descriptor with at least two names that no other descriptor has; it is built by
    `experiments/mesh_synonyms.py`.

    >>> synonyms("heart attack")
    ['myocardi infarct', 'cardiovascular stroke']
    """
    return [other for other in _lines().get(name, "").split(SEPARATOR) if other not in ("", name)]


@cache
def known_terms() -> frozenset[str]:
    """Return the terms of the MeSH names that have synonyms."""
    return frozenset(term for name in _lines() for term in name.split())


@cache
def mesh_names() -> frozenset[str]:
    """Return the names of organisms, diseases, drugs and groups of people in MeSH, as terms; of
    those with several terms, only those without synonyms.
    """
    return frozenset(_read("names"))


@cache
def abbreviations() -> Mapping[str, str]:
    """Return the long forms of what clinicians type for short, both in lower case.

    The shipped file, learned from texts that define abbreviations, is built by
    `experiments/abbreviations.py`; `_SHORTHAND` has what texts never define.

    >>> abbreviations()["ckd"], abbreviations()["kids"]
    ('chronic kidney disease', 'children')
    """
    learned = dict(line.split(SEPARATOR) for line in _read("abbreviations"))
    return _SHORTHAND | learned


@cache
def _lines() -> Mapping[str, str]:
    """Return, for each name, the line of the file that lists it."""
    return {name: line for line in _read("synonyms") for name in line.split(SEPARATOR)}


def _read(name: str) -> list[str]:
    return gzip.decompress(mesh(name).read_bytes()).decode().splitlines()
