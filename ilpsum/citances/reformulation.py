"""Queries from citances: the words to keep, and expansion by a thesaurus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from features.text import STOP_WORDS, Passage, words
from ilpsum.citances.chunker import noun_phrases
from ilpsum.citances.markers import without_markers
from ilpsum.citances.queries import Reformulation
from ilpsum.citances.retrieval import Bag
from ilpsum.citances.thesaurus import Thesaurus
from ilpsum.errors import UsageError
from ilpsum.records import Citance

NEVER_EXPANDED = frozenset({"T169", "T080", "T081", "T170", "ftcn", "qlco", "qnco", "inpr"})
"""Functional, qualitative and quantitative concepts and intellectual products: UMLS types, MetaMap abbreviations."""


@dataclass(frozen=True)
class Sources:
    """Thesauri and background counts; None for those the user did not give.

    Attributes:
        mesh: MeSH.
        umls: UMLS, or the output of MetaMap.
        idf: IDF of words in a background corpus; `Reformulation.absent` says what becomes of words not listed.
        odds: odds ratio of words in health texts against other texts.
    """

    mesh: Thesaurus | None = None
    umls: Thesaurus | None = None
    idf: Mapping[str, float] | None = None
    odds: Mapping[str, float] | None = None


def bags(citances: Sequence[Citance], terms: Reformulation, sources: Sources) -> list[Bag]:
    """Return the query of each citance as weighted content stems.

    If no word of a citance is kept, the whole citance is the query.

    Raises:
        UsageError: the query needs a thesaurus or background counts that are missing.
    """
    texts = [c.text if terms.markers else without_markers(c) for c in citances]
    thesauri = _thesauri(terms, sources)
    phrases = noun_phrases(texts) if "noun-phrases" in terms.keep else [()] * len(texts)
    queries: list[Bag] = []
    for text, chunks in zip(texts, phrases, strict=True):
        tokens = words(text)
        kept: list[str] = list(tokens) if "words" in terms.keep else [w for chunk in chunks for w in words(chunk)]
        added: list[str] = []
        for thesaurus, keep_matches in thesauri:
            for match in thesaurus.find(tokens):
                # Matches of stop words alone ("can", "was") are coincidences with abbreviations.
                if all(token in STOP_WORDS for token in tokens[match.start : match.end]):
                    continue
                if keep_matches:
                    kept += tokens[match.start : match.end]
                if terms.expand:
                    added += [term for c in match.concepts for term in thesaurus.expansion(c, NEVER_EXPANDED)]
        kept += [w for w in tokens if _by_background(w, terms, sources)]
        queries.append(_bag(kept if any(w not in STOP_WORDS for w in kept) else tokens, tokens, added, terms.weight))
    return queries


def _bag(kept: Sequence[str], tokens: Sequence[str], added: Sequence[str], weight: float) -> Bag:
    """Weight kept stems by their count in the citance, and added stems by `weight`."""
    keep = set(Passage(" ".join(kept)).content_stems)
    bag: dict[str, float] = {}
    for stem in filter(keep.__contains__, Passage(" ".join(tokens)).content_stems):
        bag[stem] = bag.get(stem, 0.0) + 1.0
    for stem in Passage(" ".join(added)).content_stems:
        bag.setdefault(stem, weight)
    return bag


def _thesauri(terms: Reformulation, sources: Sources) -> list[tuple[Thesaurus, bool]]:
    """Return the thesauri of a query, each with whether its matches are kept."""
    thesauri = []
    for name, thesaurus, option in (("mesh", sources.mesh, "--mesh FILE..."), ("umls", sources.umls, "--umls PATH")):
        if name in terms.keep:
            if thesaurus is None:
                raise UsageError(f"the query needs {name.upper()}, which is not included; pass it with {option}")
            thesauri.append((thesaurus, True))
    if terms.expand and not thesauri:
        expanding = sources.umls or sources.mesh
        if expanding is None:
            raise UsageError("the query needs a thesaurus for expansion; pass --umls PATH or --mesh FILE...")
        thesauri.append((expanding, False))
    tables = ("idf", sources.idf, "--vectors"), ("health-terms", sources.odds, "--health and --other")
    for name, table, option in tables:
        if name in terms.keep and table is None:
            raise UsageError(f"the query needs background counts; pass them with {option}")
    return thesauri


def _by_background(word: str, terms: Reformulation, sources: Sources) -> bool:
    """Return whether the query keeps a word for its background counts."""
    absent = float("inf") if terms.absent == "keep" else 0.0
    if "idf" in terms.keep and sources.idf is not None and sources.idf.get(word, absent) > terms.idf:
        return True
    return "health-terms" in terms.keep and sources.odds is not None and sources.odds.get(word, 0.0) > terms.odds
