"""What readers of every format share: they give the words of a source, and get a `Publication`."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ilpsum.io.identifiers import ArticleIds, find_ids
from ilpsum.io.json_stream import well_formed
from ilpsum.records import IMPLIED, KINDS, Author, Publication, StudyKind

# Publication types of PubMed, Europe PMC, JATS and reference managers: only letters, in American spelling.
_TYPES: dict[StudyKind, str] = {
    "meta-analysis": "metaanalysis networkmetaanalysis",
    "systematic-review": "systematicreview",
    "guideline": "guideline practiceguideline consensusdevelopmentconference consensusdevelopmentconferencenih",
    "randomised": "randomizedcontrolledtrial equivalencetrial pragmaticclinicaltrial randomizedtrial",
    "trial": "clinicaltrial controlledclinicaltrial adaptiveclinicaltrial clinicaltrialphasei clinicaltrialphaseii "
    "clinicaltrialphaseiii clinicaltrialphaseiv",
    "cohort": "cohortstudy cohortstudies",
    "review": "review reviewarticle scopingreview",
    "case-report": "casereports casereport",
    "editorial": "editorial",
    "preprint": "preprint postedcontent",
}
_KIND_OF = {word: kind for kind, words in _TYPES.items() for word in words.split()}
_COHORTS = frozenset(
    ("cohort studies", "follow-up studies", "longitudinal studies", "prospective studies", "retrospective studies")
)
_CELLS = frozenset(("in vitro techniques", "cells, cultured", "cell line", "cell line, tumor", "tumor cells, cultured"))
# Kinds that MeSH's headings of cohorts and cells do not change: a trial has a follow-up, too.
_SETTLED = frozenset(("meta-analysis", "review", "guideline", "trial", "case-report", "editorial"))
_RETRACTED_TYPES = frozenset(("retractedpublication", "retracted", "retractedarticle", "withdrawn"))
# How publishers mark the title of an article that they retracted. A notice of retraction names another article, and
# Cochrane's `WITHDRAWN:` marks a review that is out of date.
_RETRACTED_TITLE = re.compile(r"\W{0,2}retracted(?: article| paper)?\W{0,2}[:.—-]", re.IGNORECASE)
# Servers of preprints, as journals and in DOIs: a reference manager's export seldom names the type. The prefix 10.1101
# is also that of journals, whose DOIs have letters where those of preprints have a date or a number.
_PREPRINT_SERVER = re.compile(r"(?:\w*rxiv|research square|ssrn|preprints(?:\.org)?$)\b", re.IGNORECASE)
_PREPRINT_DOI = re.compile(
    r"10\.(?:1101/(?:20\d\d\.\d\d\.\d\d\.)?\d{6}(?:\d\d)?(?!\d)|64898/|21203/rs\.|2139/ssrn|26434/chemrxiv|"
    r"20944/preprints|31234/osf|48550/arxiv)",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:[^\W\d_a-zß-ÿ]\.?[- ]?){1,4}")


def publication(
    *,
    ids: ArticleIds = ArticleIds(),  # noqa: B008  # immutable
    authors: Iterable[Author] = (),
    types: Iterable[str] = (),
    mesh: Iterable[str] = (),
    title: str = "",
    journal: str = "",
    volume: str = "",
    issue: str = "",
    pages: str = "",
    language: str = "",
    retracted: bool = False,
    concern: bool = False,
) -> Publication:
    """Return a publication, given what its source says; `title` is that of the article.

    Kinds of study are read from publication types and MeSH headings, a preprint from its server too, a retraction from
    types and the title, too.
    """
    named = [re.sub("[^a-z]", "", each.lower().replace("ised", "ized")) for each in types]
    if _PREPRINT_SERVER.match(journal.strip()) or _PREPRINT_DOI.match(ids.doi):
        named.append("preprint")
    headings = tuple(dict.fromkeys(filter(None, (_line(each) for each in mesh))))
    marked = not _RETRACTED_TYPES.isdisjoint(named) or _RETRACTED_TITLE.match(title) is not None
    return Publication(
        authors=tuple(Author(_line(a.family), _line(a.given)) for a in authors if a.family.strip()),
        pmid=ids.pmid,
        pmcid=ids.pmcid,
        doi=ids.doi,
        arxiv=ids.arxiv,
        kinds=_kinds(named, {heading.lower() for heading in headings}),
        mesh=headings,
        journal=_line(journal),
        volume=_line(volume),
        issue=_line(issue),
        pages=_line(pages),
        language=_line(language),
        retracted=retracted or marked,
        concern=concern,
    )


def ids(*texts: str, pmid: str = "", pmcid: str = "") -> ArticleIds:
    """Return the identifiers that fields of a record name; `pmid` and `pmcid` are digits, with a prefix or without."""
    own = (f"PMID {pmid}" if pmid.isascii() and pmid.isdigit() else pmid, f"PMC{pmcid}" if pmcid.isdigit() else pmcid)
    return find_ids("\n".join((*own, *texts)))


def authors_of(text: str) -> Iterator[Author]:
    """Yield the authors of a list in one text: separated by semicolons, by `and`, or by commas after initials.

    >>> [a.family for a in authors_of("Newt AB, van Eft C")], [a.given for a in authors_of("Newt, Ann; Eft, Bo")]
    (['Newt', 'van Eft'], ['Ann', 'Bo'])
    """
    parts = re.split(r";|\sand\s|\s&\s", text)
    if len(parts) == 1 and all(map(_ends_in_initials, text.split(","))):
        parts = text.split(",")
    return (author(part) for part in parts if part.strip())


def _ends_in_initials(name: str) -> bool:
    words = name.rstrip(". ").split()
    return len(words) > 1 and _INITIALS.fullmatch(words[-1]) is not None and not _INITIALS.fullmatch(words[0])


def author(text: str) -> Author:
    """Return an author: `Newt, Ann`, `Newt AB` or `Ann Newt`.

    >>> author("van Eft C.B.").given, author("Ann van Eft").family
    ('C.B.', 'van Eft')
    """
    family, comma, given = text.strip().partition(",")
    words = family.split()
    if comma or len(words) < 2:
        return Author(family.strip(), given.strip())
    if _INITIALS.fullmatch(words[-1]):
        return Author(" ".join(words[:-1]), words[-1])
    small = next((i for i, word in enumerate(words[1:-1], 1) if word.islower()), len(words) - 1)
    return Author(" ".join(words[small:]), " ".join(words[:small]))


def _kinds(types: Sequence[str], mesh: set[str]) -> tuple[StudyKind, ...]:
    found = {_KIND_OF[each] for each in types if each in _KIND_OF}
    found |= {IMPLIED[each] for each in found if each in IMPLIED}
    if found.isdisjoint(_SETTLED):
        found |= {"cohort"} if mesh & _COHORTS else set()
        found |= {"in-vitro"} if mesh & _CELLS and "cohort" not in found else set()
    if "animals" in mesh and "humans" not in mesh:
        found.add("animal")
    return tuple(kind for kind in KINDS if kind in found)


def _line(text: str) -> str:
    return " ".join(well_formed(text).split())
