"""Shared parts of all readers: they fill a `Reference` with a source's fields and get a document
from it.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, TypeAlias

from msgspec import structs

from features.patterns import regex
from ilpsum.files.identifiers import ArticleIds, find_ids
from ilpsum.files.json_text import well_formed
from ilpsum.records import (
    IMPLIED,
    KINDS,
    UNPUBLISHED,
    Author,
    Document,
    Publication,
    Section,
    StudyKind,
)

# Publication types of PubMed, Europe PMC, JATS and reference managers, reduced to letters, in
# American spelling.
_TYPES: dict[StudyKind, str] = {
    "meta-analysis": "metaanalysis networkmetaanalysis",
    "systematic-review": "systematicreview",
    "guideline": "guideline practiceguideline consensusdevelopmentconference "
    "consensusdevelopmentconferencenih",
    "randomised": "randomizedcontrolledtrial equivalencetrial pragmaticclinicaltrial "
    "randomizedtrial",
    "trial": "clinicaltrial controlledclinicaltrial adaptiveclinicaltrial clinicaltrialphasei "
    "clinicaltrialphaseii "
    "clinicaltrialphaseiii clinicaltrialphaseiv",
    "cohort": "cohortstudy cohortstudies",
    "review": "review reviewarticle scopingreview",
    "case-report": "casereports casereport",
    "editorial": "editorial",
    "preprint": "preprint postedcontent",
}
_KIND_OF = {word: kind for kind, words in _TYPES.items() for word in words.split()}
_COHORTS = frozenset(
    (
        "cohort studies",
        "follow-up studies",
        "longitudinal studies",
        "prospective studies",
        "retrospective studies",
    )
)
_CELLS = frozenset(
    (
        "in vitro techniques",
        "cells, cultured",
        "cell line",
        "cell line, tumor",
        "tumor cells, cultured",
    )
)
# Kinds that MeSH headings of cohorts and cells do not change: a trial has a follow-up, too.
_SETTLED = frozenset(("meta-analysis", "review", "guideline", "trial", "case-report", "editorial"))
# Types of retracted articles, and of the notices that retract them.
_RETRACTED_TYPES = frozenset(("retractedpublication", "retracted", "retractedarticle", "withdrawn"))
_NOTICE_TYPES = frozenset(
    ("retraction", "retractionofpublication", "retractionnotice", "retractionnote")
)
# How publishers mark titles of retracted articles and notices. Cochrane's `WITHDRAWN:` marks an
# out-of-date review.
_RETRACTED_TITLE = regex(r"\W{0,2}retracted(?: article| paper)?\W{0,2}[:.—-]", re.IGNORECASE)
_NOTICE_TITLE = regex(
    r"\W{0,2}retraction(?:(?: to| of| for)?\s?:| (?:notice|note)\b)", re.IGNORECASE
)
# Preprint servers, as journals and in DOIs: exports of reference managers seldom name the type.
# Journals share the prefix 10.1101, but their DOIs have letters where those of preprints have a
# date or a number.
_PREPRINT_SERVER = regex(r"(?:\w*rxiv|research square|ssrn|preprints(?:\.org)?$)\b", re.IGNORECASE)
_PREPRINT_DOI = regex(
    r"10\.(?:1101/(?:20\d\d\.\d\d\.\d\d\.)?\d{6}(?:\d\d)?(?!\d)|64898/|21203/rs\.|2139/ssrn"
    r"|26434/chemrxiv|"
    r"20944/preprints|31234/osf|48550/arxiv)",
    re.IGNORECASE,
)
_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTHS = {name: f"{number:02}" for number, name in enumerate(_NAMES, 1)}
_DATE = regex(r"\s*(\d{4})(?:[-/](\d{1,2}))?(?:[-/](\d{1,2}))?")
_PMID = regex(r"(?:PMID:? *)?(\d{1,8})(?:\.0)?", re.IGNORECASE)
# Tags that publishers leave in their data: headings, inline markup, and others. Values may contain
# `<`.
_MORE = r"(?:\s{1,9}[\w:-]{1,30}=[^<>]{0,300})?\s?"
_HEADING = regex(
    rf"<(?:jats:)?(?:title|h[1-6]){_MORE}>([^<>]{{0,200}})</(?:jats:)?(?:title|h[1-6])>", re.I
)
_POWER = regex(rf"(?<=\d)\s?<(?:jats:)?sup{_MORE}>\s{{0,9}}(?=[-−–+]?\d)", re.I)
_INLINE = regex(
    rf"</?(?:jats:)?(?:i|b|u|em|strong|italic|bold|underline|sc|sub|sup|span){_MORE}/?>", re.I
)
_TAG = regex(
    rf"</?(?:(?:jats|mml):[a-z-]{{1,30}}|p|br|title|sec|h[1-6]|ul|ol|li|list|div){_MORE}/?>", re.I
)
# Possible labels of an abstract without tags; before a capital a label needs no colon.
_LABELS = (
    "background introduction context importance rationale object objective objectives "
    "study_objective aim aims purpose "
    "design setting settings participants patients subjects materials interventions methods "
    "main_outcome_measures "
    "main_outcomes measures results findings main_results conclusion conclusions interpretation "
    "discussion "
    "significance relevance unlabelled"
)
_NAME = "|".join(
    form.replace("_", " ")
    for each in _LABELS.split()
    for form in (each.upper(), each.capitalize(), each.title())
)
_LABEL = regex(
    rf"(?:^|(?<=[.?!)\]%]))\s*\b((?:{_NAME})(?:(?: (?:and|AND|&) |/)(?:{_NAME})\b){{0,2}})"
    r"(?:\s?[:.—–-]\s+|\s+(?=[A-Z][a-z]|[A-Z] [a-z]|\d)|(?<=[a-z])\s+(?=[A-Z]))"
)
_ABSTRACT = regex(r"\s*(?:Abstract(?:\s?[:.—–-]|\s*\n)|ABSTRACT\b[:.]?)\s*")
_YEAR = regex(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")
_GROUP = regex(
    r"the\b|.*\b(?:group|consorti(?:um|a)|committees?|collaborat(?:ion|ive|ors)|investigators"
    r"|network|organi[sz]ation|"
    r"society|association|initiative|team|trialists|agency|institutes?|federation|commission"
    r"|council|foundation|"
    r"alliance|panel|ministry|university|department|centers?|centres?)\b",
    re.IGNORECASE,
)
# Accession numbers of other databases consist of digits, too.
_OURS = regex(r"pubmed|medline|\bNLM\b", re.IGNORECASE)
_TEXTS = ("title", "date", "journal", "volume", "issue", "pages", "language")
_INITIALS = regex(r"(?:[^\W\d_a-zß-ÿ]\.?[- ]?){1,4}")


Keys: TypeAlias = Mapping[str, Sequence[str]]
"""Keys of a format for each field."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Bibliographic fields of an article as a source gives them; missing ones are empty.

    Attributes:
        id: document id; by default the best identifier, else one made from the text.
        date: year first; month and day are numbers.
        abstract: parts as (label, text) or (label, text, `NlmCategory`); a label may be empty.
        body: paragraphs of a full text as (section kind, heading, text).
        types, mesh: publication types; MeSH headings or keywords.
        retracted, concern: whether a linked notice says so; `retracted` may be set for the notice
            itself, too.
    """

    id: str = ""
    ids: ArticleIds = ArticleIds()  # noqa: RUF009  # immutable
    title: str = ""
    date: str = ""
    journal: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    language: str = ""
    abstract: Sequence[tuple[str, ...]] = ()
    body: Sequence[tuple[str, str, str]] = ()
    authors: Sequence[Author] = ()
    types: Sequence[str] = ()
    mesh: Sequence[str] = ()
    retracted: bool = False
    concern: bool = False

    @property
    def publication(self) -> Publication:
        """The publication.

        Study kinds are inferred from publication types and MeSH headings, preprints also from their
        server, and retractions also from the title.
        """
        named = [re.sub("[^a-z]", "", each.lower().replace("ised", "ized")) for each in self.types]
        if _PREPRINT_SERVER.match(self.journal.strip()) or _PREPRINT_DOI.match(self.ids.doi):
            named.append("preprint")
        headings = tuple(dict.fromkeys(filter(None, (_line(each) for each in self.mesh))))
        retracted = (
            self.retracted
            or not _RETRACTED_TYPES.isdisjoint(named)
            or _RETRACTED_TITLE.match(self.title)
        )
        notice = not _NOTICE_TYPES.isdisjoint(named) or (
            not retracted and _NOTICE_TITLE.match(self.title)
        )
        return Publication(
            **{name: getattr(self.ids, name) for name in ("pmid", "pmcid", "doi", "arxiv")},
            **{
                name: _line(getattr(self, name))
                for name in ("journal", "volume", "issue", "pages", "language")
            },
            authors=tuple(
                Author(_line(a.family), _line(a.given)) for a in self.authors if a.family.strip()
            ),
            kinds=_kinds(named, {heading.lower() for heading in headings}),
            mesh=headings,
            retracted=bool(retracted and not notice),
            retracts=bool(notice),
            concern=self.concern,
        )

    def document(self, number: int = 0) -> Document:
        """Build the document of the article, the `number`-th of its file."""
        pieces, sections, length = list[str](), list[Section](), 0
        abstract = (("abstract", *part) for part in self.abstract)
        for kind, label, text, *category in [("title", "", self.title), *abstract, *self.body]:
            if folded := _line(text):
                end = length + len(folded)
                sections.append(
                    Section(well_formed(label), kind, length, end, *map(well_formed, category))
                )
                pieces.append(folded)
                length = end + 1
        whole, published, date = "\n".join(pieces), self.publication, _DATE.match(self.date)
        when = (
            iso_date(*(part or "" for part in date.groups()))
            if date
            else "".join(_YEAR.findall(self.date)[:1])
        )
        if when and published != UNPUBLISHED:
            published = structs.replace(published, year=when[:4])
        # Exports other than PubMed's name a DOI rather than a PMCID.
        name = self.id or self.ids.pmid or self.ids.doi or self.ids.pmcid or self.ids.arxiv
        name = name or f"record-{number}-{blake2b(whole.encode(), digest_size=3).hexdigest()}"
        return Document(
            name, whole, _line(self.title), when, sections=tuple(sections), publication=published
        )


def keys(table: str) -> Keys:
    """Parse a format's keys for the fields of a `Reference`, from `field: KEY KEY; field: KEY`.

    Additional fields: `pmid` for PMIDs; `number` for values that are PMIDs if `database` is empty
    or PubMed's; `named` for values that may contain identifiers of any kind.
    """
    lines = (line.partition(":") for line in table.split(";"))
    return {field.strip(): names.split() for field, _, names in lines}


def reference(own: Keys, get: Callable[[str], Sequence[str]], **read: Any) -> Reference:
    """Build a reference from a record, given its format's keys and a function that returns the
    values of a key.

    The first non-empty key of a field is used; for `types`, `mesh` and `named` all are. `read` has
    fields that are read in another way.
    """

    def text(field: str) -> str:
        return next(
            (found for key in own.get(field, ()) if (found := "; ".join(get(key)).strip())), ""
        )

    def parts(field: str) -> tuple[str, ...]:
        return tuple(
            part
            for key in own.get(field, ())
            for value in get(key)
            for part in re.split("[;|]", value)
        )

    # Programs that treat the column as numeric write 23.0.
    number = text("number") if _OURS.search(text("database") or "PubMed") else ""
    pmids = map(_PMID.fullmatch, (text("pmid"), number))
    named = (f"{key} {value}" for key in own.get("named", ()) for value in get(key))
    given = {
        **{field: text(field) for field in _TEXTS},
        "ids": ids(
            number, *named, pmid=next((match[1].lstrip("0") for match in pmids if match), "")
        ),
        "abstract": [("", text("abstract"))],
        "types": parts("types"),
        "mesh": [heading.partition("/")[0].lstrip("*") for heading in parts("mesh")],
    }
    return Reference(**{**given, **read})


def exported(number: int, own: Keys, get: Callable[[str], Sequence[str]], **read: Any) -> Document:
    """Build the document of the `number`-th record of an export: without markup, with the labels of
    its abstract.
    """
    given = reference(own, get, **read)
    (_, abstract), *_ = given.abstract
    return replace(given, title=plain(given.title), abstract=parts_of(abstract)).document(number)


def tagged(
    lines: Iterable[tuple[int, str]], field: re.Pattern[str], first: str, last: str = ""
) -> Iterator[tuple[int, dict[str, list[str]]]]:
    """Yield the first line number and the fields, by tag, of each record in numbered lines; long
    values are wrapped.

    A record begins with the tag `first`; the tag `last`, alone on a line or with a value, may end
    it.
    """
    fields: dict[str, list[list[str]]] = {}
    value, begin = list[str](), 1
    for number, line in lines:
        match, text = field.match(line), line.strip()
        if match is None and (not last or text != last):
            value += [text] * bool(value and text)
            continue
        tag = match[1] if match else last
        if tag in (first, last):
            if fields:
                yield begin, {name: list(map(" ".join, values)) for name, values in fields.items()}
            fields, value, begin = {}, [], number
        if match and tag != last:
            value = [(match[2] or "").strip()]
            fields.setdefault(tag, []).append(value)
    if fields:
        yield begin, {name: list(map(" ".join, values)) for name, values in fields.items()}


def plain(text: str) -> str:
    """Remove the tags and entities that publishers leave in titles and abstracts.

    >>> water = "3 &#181;M H<sub>2</sub>O"
    >>> plain(f"CD4<sup>+</sup> cells, 10<sup>9</sup>/L, in <i>Danio rerio</i> at p<b of {water}")
    'CD4+ cells, 10^9/L, in Danio rerio at p<b of 3 µM H2O'
    """
    return html.unescape(
        _TAG.sub(" ", _INLINE.sub("", _POWER.sub("^", text))) if "<" in text else text
    )


def is_power(before: str, raised: str) -> bool:
    """Return whether raised text is an exponent of the number before it and needs a caret:
    `10^9`.
    """
    return before[-1:].isdigit() and re.match(r"\s*[-−–+]?\d", raised) is not None


def parts_of(abstract: str) -> list[tuple[str, str]]:
    """Split an abstract into (label, text) parts at headings or label words.

    Words count as labels only if at least two different ones occur, each before a capital at a
    sentence start.

    >>> (
    ...     parts_of("Objective To count newts. Results Forty newts sang."),
    ...     parts_of("<h4>Aim</h4>To sing.")
    ... )
    ([('Objective', 'To count newts.'), ('Results', 'Forty newts sang.')], [('Aim', 'To sing.')])
    """
    pieces = ["", *map(plain, _HEADING.split(abstract))]
    if len(pieces) == 2:
        heading = _ABSTRACT.match(pieces[1])
        text = pieces[1][heading.end() :] if heading else pieces[1]
        found = ["", *_LABEL.split(text)]
        pieces = found if len({label.lower() for label in found[2::2]}) > 1 else ["", text]
    parts = (
        (label.strip(), text.strip()) for label, text in zip(pieces[::2], pieces[1::2], strict=True)
    )
    return [
        ("" if label.lower() in ("abstract", "summary") else label, text)
        for label, text in parts
        if text
    ]


def iso_date(year: str = "", month: str = "", day: str = "") -> str:
    """Return a date in ISO format, as far as it is known: `2015-03-09`, `2015-03`, `2015`, or
    empty.
    """
    if not re.fullmatch(r"\d{4}", year):
        return ""
    number = month.zfill(2) if month.isdigit() else _MONTHS.get(month[:3].lower(), "")
    if not number:
        return year
    return (
        f"{year}-{number}-{day.zfill(2)}"
        if re.fullmatch(r"\d?[1-9]|[123]0", day)
        else f"{year}-{number}"
    )


def ids(*texts: str, pmid: str = "", pmcid: str = "") -> ArticleIds:
    """Return the identifiers in fields of a record; `pmid` and `pmcid` are digits, with or without
    a prefix.
    """
    own = (
        f"PMID {pmid}" if pmid.isascii() and pmid.isdigit() else pmid,
        f"PMC{pmcid}" if pmcid.isdigit() else pmcid,
    )
    return find_ids("\n".join((*own, *texts)))


def authors_of(text: str) -> Iterator[Author]:
    """Yield the authors of a list, separated by semicolons, by `and`, or by commas after initials.

    >>> (
    ...     [a.family for a in authors_of("Newt AB, van Eft C")],
    ...     [a.given for a in authors_of("Newt, Ann; Eft, Bo")]
    ... )
    (['Newt', 'van Eft'], ['Ann', 'Bo'])
    """
    parts = re.split(r";|\sand\s|\s&\s", text)
    if len(parts) == 1 and all(map(_ends_in_initials, text.split(","))):
        parts = text.split(",")
    return (author(part) for part in parts if part.strip())


def _ends_in_initials(name: str) -> bool:
    words = name.rstrip(". ").split()
    return (
        len(words) > 1
        and _INITIALS.fullmatch(words[-1]) is not None
        and not _INITIALS.fullmatch(words[0])
    )


def author(text: str) -> Author:
    """Parse an author: `Newt, Ann`, `Newt AB`, `Ann Newt` or a group; `others` gives an empty name.

    >>> (
    ...     author("van Eft C.B.").given, author("Ann van Eft").family,
    ...     author("The Newt Study Group").family
    ... )
    ('C.B.', 'van Eft', 'The Newt Study Group')
    """
    family, comma, given = text.strip().partition(",")
    words = family.split()
    if family.strip(".").lower() in ("others", "et al"):
        return Author("")
    if comma or len(words) < 2 or _GROUP.match(family):
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
