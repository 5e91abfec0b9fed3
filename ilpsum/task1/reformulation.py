"""Builds queries from citances: filters words and noun phrases, and expands them with a thesaurus."""

from collections.abc import Callable, Sequence
from itertools import groupby

from features.text import STOP_WORDS, Passage, words
from ilpsum.errors import UsageError
from ilpsum.records import Citance
from ilpsum.task1.background import Background, included_idf
from ilpsum.task1.markers import without_markers
from ilpsum.task1.queries import Reformulation
from ilpsum.task1.retrieval import Bag
from ilpsum.task1.terms import Analysis
from ilpsum.task1.thesaurus import Thesaurus

NEVER_EXPANDED = frozenset({"T169", "T080", "T081", "T170", "ftcn", "qlco", "qnco", "inpr"})
"""Functional, qualitative and quantitative concepts and intellectual products: UMLS types, MetaMap abbreviations."""
ADDED_WEIGHT = 0.3
"""Weight of terms added by expansion; the citance's own terms weigh 1."""
LEAST_ODDS = 5.0
"""Odds ratio above which a word is a health term (Cohan et al. 2014)."""
LONGEST_PHRASE = 3
"""Maximum number of words in a phrase; longer phrases keep their last words, which include the head."""
# Maximum number of tokens tagged at once.
_LONGEST_TEXT = 250
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "FW"})
# Adjectives, participles, numbers and nouns, without determiners.
_INSIDE = _NOUNS | {"JJ", "JJR", "JJS", "VBN", "VBG", "CD"}


def bags(
    citances: Sequence[Citance], terms: Reformulation, background: Background, analysis: Analysis | None = None
) -> list[Bag]:
    """Return the query of each citance as weighted terms, by default content stems; markers are removed.

    If no content word of a citance is kept, the query is the whole citance or empty, depending on `terms.empty`.

    Raises:
        UsageError: the query needs a thesaurus or background counts that are missing.
    """
    texts = [without_markers(citance) for citance in citances]
    thesauri, keeps = _thesauri(terms, background), _word_tests(terms, background)
    phrases = noun_phrases(texts) if "noun-phrases" in terms.keep else [()] * len(texts)
    analysis, queries = analysis or Analysis(), list[Bag]()
    for text, chunks in zip(texts, phrases, strict=True):
        tokens = words(text)
        kept: list[str] = list(tokens) if "words" in terms.keep else [w for chunk in chunks for w in words(chunk)]
        added: list[str] = []
        for thesaurus, keep_matches in thesauri:
            for match in thesaurus.find(tokens):
                # Matches consisting of stop words ("can", "was") are accidental matches of abbreviations.
                if all(token in STOP_WORDS for token in tokens[match.start : match.end]):
                    continue
                if keep_matches:
                    kept += tokens[match.start : match.end]
                if terms.expand:
                    added += [term for c in match.concepts for term in thesaurus.expansion(c, NEVER_EXPANDED)]
        kept += [word for word in tokens if any(keep(word) for keep in keeps)]
        if not STOP_WORDS.issuperset(kept):
            queries.append(_bag(kept, tokens, added, analysis))
        else:
            queries.append({} if terms.empty == "none" else _bag(tokens, tokens, added, analysis))
    return queries


def _bag(kept: Sequence[str], tokens: Sequence[str], added: Sequence[str], analysis: Analysis) -> Bag:
    """Weight kept terms by their count in the citance, and added terms by `ADDED_WEIGHT`."""
    keep, own, more = (analysis.terms(Passage(" ".join(part))) for part in (kept, tokens, added))
    bag: dict[str, float] = {}
    for term in filter(set(keep).__contains__, own):
        bag[term] = bag.get(term, 0.0) + 1.0
    for term in more:
        bag.setdefault(term, ADDED_WEIGHT)
    return bag


def _thesauri(terms: Reformulation, background: Background) -> list[tuple[Thesaurus, bool]]:
    """Return the thesauri of a query, each with a flag whether its matches are kept."""
    thesauri = []
    for name, known, option in (("mesh", background.mesh, "--mesh FILE..."), ("umls", background.umls, "--umls PATH")):
        if name in terms.keep:
            if known is None:
                raise UsageError(f"the query needs {name.upper()}, which is not included; pass it with {option}")
            thesauri.append((known, True))
    if terms.expand and not thesauri:
        expanding = background.umls or background.mesh
        if expanding is None:
            raise UsageError("the query needs a thesaurus for expansion; pass --umls PATH or --mesh FILE...")
        thesauri.append((expanding, False))
    return thesauri


def _word_tests(terms: Reformulation, background: Background) -> list[Callable[[str], bool]]:
    """Return the tests on background counts; a word is kept if it passes any of them."""
    tests: list[Callable[[str], bool]] = []
    if "idf" in terms.keep:
        idf = included_idf() if background.idf is None else background.idf
        absent = float("inf") if terms.absent == "keep" else 0.0
        tests.append(lambda word: idf.get(word, absent) > terms.idf)
    if "health-terms" in terms.keep:
        if background.odds is None:
            raise UsageError("the query needs background counts; pass them with --health and --other")
        odds = background.odds
        tests.append(lambda word: odds.get(word, 0.0) > LEAST_ODDS)
    return tests


def noun_phrases(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the noun phrases of each text, in order, with at most `LONGEST_PHRASE` words."""
    from ilpsum.compression.parser import load_parser
    from ilpsum.compression.tokens import tokenize

    pieces: list[tuple[int, list[str]]] = []
    for i, text in enumerate(texts):
        tokens = [token.text for token in tokenize(text)]
        pieces += [(i, tokens[at : at + _LONGEST_TEXT]) for at in range(0, len(tokens), _LONGEST_TEXT)]
    by_text: list[tuple[str, ...]] = [()] * len(texts)
    for (i, tokens), tags in zip(pieces, load_parser().tag([tokens for _, tokens in pieces]), strict=True):
        by_text[i] += tuple(phrases(tokens, tags))
    return by_text


def phrases(tokens: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the noun phrases of tagged tokens: runs of tags in `_INSIDE`, up to their last noun."""
    found = []
    for inside, places in groupby(range(len(tags)), lambda i: tags[i] in _INSIDE):
        run = [*places] if inside else []
        last = max((k for k, i in enumerate(run, 1) if tags[i] in _NOUNS), default=0)
        if last:
            found.append(" ".join(tokens[i] for i in run[:last][-LONGEST_PHRASE:]))
    return found
