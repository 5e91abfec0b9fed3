"""What a query keeps of a citance, and what it is expanded with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from features.text import STOP_WORDS, Passage, words
from ilpsum.citances.markers import without_markers
from ilpsum.citances.queries import Reformulation
from ilpsum.citances.retrieval import Bag
from ilpsum.citances.thesaurus import Thesaurus
from ilpsum.errors import UsageError
from ilpsum.records import Citance

NEVER_EXPANDED = frozenset({"T169", "T080", "T081", "T170", "ftcn", "qlco", "qnco", "inpr"})
"""Functional, qualitative and quantitative concepts, intellectual products: by UMLS number and MetaMap abbreviation."""


@dataclass(frozen=True)
class Sources:
    """What the queries look things up in; None for what the user did not hand over.

    Attributes:
        mesh: MeSH.
        umls: UMLS, or what MetaMap found.
        idf: IDF of words over a background corpus; words that it lacks are rarer than all that it has.
        odds: odds ratio of words, health texts against others.
    """

    mesh: Thesaurus | None = None
    umls: Thesaurus | None = None
    idf: Mapping[str, float] | None = None
    odds: Mapping[str, float] | None = None


def bags(citances: Sequence[Citance], terms: Reformulation, sources: Sources) -> list[Bag]:
    """The query of each citance: weights of content stems.

    A citance of which nothing is kept is its own query, since some answer is better than none.

    Raises:
        UsageError: the query needs a thesaurus or background counts that are not there.
    """
    texts = [c.text if terms.markers else without_markers(c) for c in citances]
    needed = _needed(terms, sources)
    phrases = _phrases(texts) if "noun-phrases" in terms.keep else [()] * len(texts)
    found: list[Bag] = []
    for text, chunks in zip(texts, phrases, strict=True):
        tokens = words(text)
        kept: list[str] = list(tokens) if "words" in terms.keep else [w for chunk in chunks for w in words(chunk)]
        added: list[str] = []
        for thesaurus, reduces in needed:
            for match in thesaurus.find(tokens):
                # A term of stop words alone ("can", "was") is an accident of abbreviations.
                if all(token in STOP_WORDS for token in tokens[match.start : match.end]):
                    continue
                if reduces:
                    kept += tokens[match.start : match.end]
                if terms.expand:
                    added += [term for c in match.concepts for term in thesaurus.expansion(c, NEVER_EXPANDED)]
        kept += [w for w in tokens if _by_background(w, terms, sources)]
        found.append(_bag(kept if any(w not in STOP_WORDS for w in kept) else tokens, tokens, added, terms.weight))
    return found


def _bag(kept: Sequence[str], tokens: Sequence[str], added: Sequence[str], weight: float) -> Bag:
    """A stem weighs as often as it stands in the citance, if it is kept at all; those of expansion weigh less."""
    keep = set(Passage(" ".join(kept)).content_stems)
    bag: dict[str, float] = {}
    for stem in Passage(" ".join(tokens)).content_stems:
        if stem in keep:
            bag[stem] = bag.get(stem, 0.0) + 1.0
    for stem in Passage(" ".join(added)).content_stems:
        bag.setdefault(stem, weight)
    return bag


def _needed(terms: Reformulation, sources: Sources) -> list[tuple[Thesaurus, bool]]:
    """The thesauri of a query, each with whether its matches are kept."""
    needed = []
    for name, thesaurus, option in (("mesh", sources.mesh, "--mesh FILE..."), ("umls", sources.umls, "--umls PATH")):
        if name in terms.keep:
            if thesaurus is None:
                raise UsageError(f"the query needs {name.upper()}, which does not ship: hand it over with {option}")
            needed.append((thesaurus, True))
    if terms.expand and not needed:
        given = sources.umls or sources.mesh
        if given is None:
            raise UsageError("the query is expanded with a thesaurus: hand one over with --umls PATH or --mesh FILE...")
        needed.append((given, False))
    for name, table, option in (
        ("idf", sources.idf, "--vectors"),
        ("health-terms", sources.odds, "--health and --other"),
    ):
        if name in terms.keep and table is None:
            raise UsageError(f"the query needs background counts: hand them over with {option}")
    return needed


def _by_background(word: str, terms: Reformulation, sources: Sources) -> bool:
    """Whether background counts keep a word."""
    if "idf" in terms.keep and sources.idf is not None and sources.idf.get(word, float("inf")) > terms.idf:
        return True
    return "health-terms" in terms.keep and sources.odds is not None and sources.odds.get(word, 0.0) > terms.odds


def _phrases(texts: Sequence[str]) -> list[tuple[str, ...]]:
    from ilpsum.citances.chunker import noun_phrases

    return noun_phrases(texts)
