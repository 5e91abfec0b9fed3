"""Builds queries from citances: filters words and noun phrases, and expands them with a
thesaurus.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Literal

from features.text import STOP_WORDS, Passage, words
from ilpsum.errors import UsageError
from ilpsum.files.reading import text_lines
from ilpsum.files.records import Table
from ilpsum.learning import embeddings
from ilpsum.records import Citance
from ilpsum.task1.retrieval import Bag
from ilpsum.task1.terms import Analysis, without_markers
from ilpsum.task1.thesaurus import Thesaurus

ADDED_WEIGHT = 0.3
"""Weight of terms added by expansion; the citance's own terms weigh 1."""
LONGEST_PHRASE = 3
"""Maximum number of words in a phrase; longer phrases keep their last words, which include the
head.
"""
Terms = Literal["words", "mesh", "umls", "noun-phrases", "idf", "health-terms"]


class Reformulation(Table, frozen=True):
    """Which words of a citance are query terms.

    Attributes:
        keep: kinds of words to keep, any of which suffices; `words` keeps all.
        expand: whether to add related concepts from the thesaurus.
        idf: minimum IDF (exclusive) of words kept by `idf`.
        absent: whether `idf` keeps words missing from the background, as rarer than all others, or
            drops them.
        empty: the query if no word is kept: the whole `citance`, or `none`, which retrieves no
            spans.
    """

    keep: tuple[Terms, ...] = ("words",)
    expand: bool = False
    idf: float = 3.0
    absent: Literal["keep", "drop"] = "keep"
    empty: Literal["citance", "none"] = "citance"


# Maximum number of tokens tagged at once.
_LONGEST_TEXT = 250
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "FW"})
# Adjectives, participles, numbers and nouns, without determiners.
_INSIDE = _NOUNS | {"JJ", "JJR", "JJS", "VBN", "VBG", "CD"}


@dataclass(frozen=True)
class Background:
    """What queries need beside the topics; None if the user gave none.

    IDF defaults to the included vectors'.
    """

    mesh: Thesaurus | None = None
    umls: Thesaurus | None = None
    idf: Mapping[str, float] | None = None
    health: frozenset[str] | None = None

    @classmethod
    def read(
        cls,
        mesh: Sequence[str] | None = None,
        umls: Sequence[str] | None = None,
        vectors: str | None = None,
        health: str | None = None,
    ) -> "Background":
        """Read thesauri (files of `Thesaurus.read`), word vectors with IDF, and a list of health
        terms, one per line.

        Raises:
            InputError: a file cannot be read or has the wrong format.
        """
        terms = None
        if health:
            terms = frozenset(word for _, line in text_lines(health) for word in words(line))
        return cls(
            mesh=Thesaurus.read(mesh) if mesh else None,
            umls=Thesaurus.read(umls) if umls else None,
            idf=_idf(vectors) if vectors else None,
            health=terms,
        )

    def thesaurus(self, name: str) -> Thesaurus:
        """Return a thesaurus; `UsageError` if the user gave none."""
        thesaurus = self.mesh if name == "mesh" else self.umls
        if thesaurus is None:
            raise UsageError(
                f"the query needs {name.upper()}, which is not included; pass it with --{name} "
                "FILE..."
            )
        return thesaurus


@cache
def _idf(vectors: str | None = None) -> Mapping[str, float]:
    """Return the IDF of the words of a file of vectors, by default the included one."""
    table = embeddings.load(vectors or "")
    return {word: float(table.idf[row]) for word, row in table.index.items()}


def bags(
    citances: Sequence[Citance],
    terms: Reformulation,
    background: Background,
    analysis: Analysis | None = None,
) -> list[Bag]:
    """Return the query of each citance as weighted terms, by default content stems; markers are
    removed.

    If no content word of a citance is kept, the query is the whole citance or empty, depending on
    `terms.empty`.

    Raises:
        UsageError: the query needs something that the user did not give.
    """
    analysis = analysis or Analysis()
    texts = [without_markers(citance) for citance in citances]
    phrases = noun_phrases(texts) if "noun-phrases" in terms.keep else [()] * len(texts)
    named = [background.thesaurus(name) for name in ("mesh", "umls") if name in terms.keep]
    thesauri = named
    if terms.expand and not named:
        thesauri = [background.umls or background.thesaurus("mesh")]
    tests = _word_tests(terms, background)
    queries = list[Bag]()
    for text, chunks in zip(texts, phrases, strict=True):
        tokens = words(text)
        kept = list(tokens) if "words" in terms.keep else [*words(" ".join(chunks))]
        added = list[str]()
        for thesaurus in thesauri:
            matched, related = _concepts(tokens, thesaurus)
            kept += matched if named else []
            added += related if terms.expand else []
        kept += [word for word in tokens if any(test(word) for test in tests)]
        if not STOP_WORDS.issuperset(kept):
            queries.append(_bag(kept, tokens, added, analysis))
        elif terms.empty == "none":
            queries.append({})
        else:
            queries.append(_bag(tokens, tokens, added, analysis))
    return queries


def _concepts(tokens: Sequence[str], thesaurus: Thesaurus) -> tuple[list[str], list[str]]:
    """Return the words of a thesaurus's terms in a text, and the terms that expand them."""
    matched = list[str]()
    related = list[str]()
    for start, end, concepts in thesaurus.find(tokens):
        # Matches consisting of stop words ("can", "was") are accidental matches of abbreviations.
        if STOP_WORDS.issuperset(tokens[start:end]):
            continue
        matched += tokens[start:end]
        for concept in concepts:
            related += thesaurus.expansion(concept)
    return matched, related


def _bag(
    kept: Sequence[str],
    tokens: Sequence[str],
    added: Sequence[str],
    analysis: Analysis,
) -> Bag:
    """Weight kept terms by their count in the citance, and added terms by `ADDED_WEIGHT`."""

    def terms(words: Sequence[str]) -> tuple[str, ...]:
        return analysis.terms(Passage(" ".join(words)))

    is_kept = set(terms(kept))
    bag: dict[str, float] = {}
    for term in terms(tokens):
        if term in is_kept:
            bag[term] = bag.get(term, 0.0) + 1.0
    for term in terms(added):
        bag.setdefault(term, ADDED_WEIGHT)
    return bag


def _word_tests(terms: Reformulation, background: Background) -> list[Callable[[str], bool]]:
    """Return the tests of single words; a word is kept if it passes any of them."""
    tests: list[Callable[[str], bool]] = []
    if "idf" in terms.keep:
        idf = _idf() if background.idf is None else background.idf
        absent = float("inf") if terms.absent == "keep" else 0.0
        tests.append(lambda word: idf.get(word, absent) > terms.idf)
    if "health-terms" in terms.keep:
        if background.health is None:
            raise UsageError("the query needs a list of health terms; pass it with --health FILE")
        tests.append(background.health.__contains__)
    return tests


def noun_phrases(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the noun phrases of each text, in order, with at most `LONGEST_PHRASE` words."""
    from ilpsum.compression.parser import load_parser
    from ilpsum.compression.tokens import tokenize

    pieces = list[list[str]]()
    owners = list[int]()
    for i, text in enumerate(texts):
        tokens = [token.text for token in tokenize(text)]
        for start in range(0, len(tokens), _LONGEST_TEXT):
            pieces.append(tokens[start : start + _LONGEST_TEXT])
            owners.append(i)
    by_text: list[tuple[str, ...]] = [()] * len(texts)
    for i, piece, tags in zip(owners, pieces, load_parser().tag(pieces), strict=True):
        by_text[i] += tuple(phrases(piece, tags))
    return by_text


def phrases(tokens: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the noun phrases of tagged tokens: runs of tags in `_INSIDE`, up to their last
    noun.
    """
    phrases = []
    for inside, places in groupby(range(len(tags)), lambda i: tags[i] in _INSIDE):
        run = list(places) if inside else []
        while run and tags[run[-1]] not in _NOUNS:
            run.pop()
        if run:
            phrases.append(" ".join(tokens[i] for i in run[-LONGEST_PHRASE:]))
    return phrases
