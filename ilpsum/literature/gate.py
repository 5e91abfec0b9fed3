"""The one gate from a raw record to a document with its publication.

Each property of an article is settled in one function that the records of every format pass
through: letters and markup, sections, placeholders, dates, identifiers, kinds of study,
retraction.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

from msgspec import structs

from features.patterns import regex
from ilpsum.files.identifiers import ArticleIds, find_ids
from ilpsum.files.numbers import whole_number
from ilpsum.literature.markup import PARAGRAPH, one_line, pieces, without_markup
from ilpsum.literature.raw import Raw
from ilpsum.literature.retraction import letters, status
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
# What titles say of records that name no design; the first group that a title names counts. The
# title of a protocol names a study to come, that of a review the studies that it reviews.
_NAMED: tuple[dict[StudyKind, str], ...] = (
    {
        "meta-analysis": r"\bmeta-?\s?analys[ei]s\b",
        "systematic-review": r"\bsystematic (?:literature )?review\b",
    },
    {"case-report": r"\bcase (?:report|series)\b"},
    {
        "review": r"\breview (?:of|article)\b|\b(?:scoping|narrative|literature) review\b"
        r"|\Aa review\b|: an? review\b|[:.] (?:[\w-]{1,30} ){0,2}review\W{0,3}\Z",
        "guideline": r"\bguidelines? (?:for|on)\b|\bpractice guidelines?\b",
    },
    {
        "randomised": r"\brandomi[sz]ed\b.{0,80}\b(?:trial|study)\b",
        "trial": r"\b(?:clinical|controlled) trial\b|\bphase (?:I{1,3}|IV|[1-4])\b",
        "cohort": r"\bcohort (?:study|analysis)\b",
    },
)
_NAMED_KINDS = tuple(
    {kind: regex(pattern, re.IGNORECASE) for kind, pattern in group.items()} for group in _NAMED
)
# Every pattern has one of these words: titles without any, most, are not searched.
_NAMING = ("analys", "case ", "cohort", "guideline", "phase ", "randomi", "review", "trial")
_PROTOCOL = regex(r"\bprotocol\b", re.IGNORECASE)
# Kinds that MeSH headings of cohorts and cells do not change: a trial has a follow-up, too.
_SETTLED = frozenset(("meta-analysis", "review", "guideline", "trial", "case-report", "editorial"))
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
_DATE = regex(
    r"\s*(\d{4})(?:\.0\b)?(?:[-/. ]{1,2}(\d{1,2}|[A-Za-z]{3,9}))?(?:[-/. ]{1,2}(\d{1,2}))?(?!\d)"
)
_COMPACT = regex(r"\s*(\d{4})(\d\d)(\d\d)(?!\d)")
# Programs that treat numbers as numeric write 23.0, and spreadsheets may guard one by quotes.
_PMID = regex(
    r"(?:PMID:? *)?['\"=\[]{0,4}0{0,9}([1-9]\d{0,7})(?:\.0{1,4})?['\";,\]]{0,2}(?: ?\[pmid\])?",
    re.IGNORECASE,
)
_TOLD_PMID = regex(
    r"(?:\b(?:PUBMED|MEDLINE|PMID)(?: ?ID)?[:#\s_-]{0,4}|pubmed\.ncbi\.nlm\.nih\.gov/|/pubmed/)"
    r"0{0,9}([1-9]\d{0,7})(?![\d-])",
    re.IGNORECASE,
)
_DATABASE = regex(r"[?&]db=(\w{1,20})", re.IGNORECASE)
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
    for label in _LABELS.split()
    for form in (label.upper(), label.capitalize(), label.title())
)
_LABEL = regex(
    rf"(?:^|(?<=[.?!)\]%{PARAGRAPH}]))\s*\b"
    rf"((?:{_NAME})(?:(?: (?:and|AND|&) |/)(?:{_NAME})\b){{0,2}})"
    r"(?:\s?[:.—–-]\s+|\s+(?=[A-Z][a-z]|[A-Z] [a-z]|\d)|(?<=[a-z])\s+(?=[A-Z]))"
)
# Searching for a character first takes a sixth of the time of the pattern.
_LATER_LABEL = regex(rf"[.?!)\]%{PARAGRAPH}]\s*\b(?:{_NAME})")
_ABSTRACT = regex(rf"\s*(?:Abstract(?:\s?[:.—–-]|\s*[\n{PARAGRAPH}])|ABSTRACT\b[:.]?)\s*")
_YEAR = regex(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")
# Accession numbers of other databases consist of digits, too.
_OURS = regex(r"pubmed|medline|\b(?:NLM|MED|cmedm|mdc|mdl|mnh)\b", re.IGNORECASE)
# What programs write where they have nothing.
_NOTHING = regex(
    r"[\W_]*(?:nan|none|null|n\s?/?\s?a|nil|unknown|not available|unavailable"
    r"|(?:there is )?no (?:abstract|summary)(?: is)?(?: available| provided| present)?"
    r"(?: for this \w+)?"
    r"|(?:this|the) (?:article|paper|record|item) (?:has no|does not have an|contains no|lacks an)"
    r" abstract(?: available)?"
    r"|(?:an |the )?(?:abstract|summary)(?: is)? (?:(?:not|un)\s?(?:available|provided)|missing)"
    r"(?: for this \w+)?(?: so [^.]{0,40})?"
    r"|(?:an |the |this )?abstract (?:is )?(?:available|unavailable|can be found)[^.]{0,40}"
    r"|(?:an |the )?abstract (?:of|for) this \w+ is (?:not |un)available[^.]{0,30}"
    r"|(?:see|click|please see|for)[^.]{0,30} (?:full[ -]text|abstract|pdf)[^.]{0,30}"
    r"|abstract (?:from author|by author)|without abstract)[\W_]*|[-‐‑–—−._\s]*",
    re.IGNORECASE,
)
# Longer texts are no placeholders.
_PLACEHOLDER = 80
_NOTICE_WORDS = (
    "TRUNCATED", "runcated", "hortened", "FROM AUTHOR", "Database Rec", "property of", " abstract)",
    " abstract]", " ABSTRACT]",
)  # fmt: skip
# Notices of databases within an abstract or after it, and paragraphs that are one.
_APPENDED = regex(
    # From the first white space alone: each of a run of thousands would read the whole run.
    r"(?<!\s)\s*(?:"
    r"[(\[]\s?abstract (?:truncated|shortened|from author)[^()\[\]]{0,60}[)\]]"
    r"|[(\[](?:journal|author|original|publication) abstract[)\]]|(?-i:ABSTRACT FROM AUTHOR)"
    r"|\(?\bABSTRACT TRUNCATED(?: AT \d{1,4} WORDS)?\)?"
    r"|\(Psyc ?INFO Database Record[^()]{0,20}(?:\(c\))?[^()]{0,80}\)"
    r"|(?:Copyright of|The copyright of) [^.]{1,200}? is the property of (?s:.{0,900}))",
    re.IGNORECASE,
)
_NOTE = regex(
    r"\s*(?:(?:PMID|PubMed ID|PMCID|PMC|DOI|arXiv)\s?:?\s?\S{1,200}[;,.]?\s*){1,4}",
    re.IGNORECASE,
)


def to_document(raw: Raw, number: int = 0) -> Document:
    """Return the document of a raw record, the `number`-th of its file.

    Its text is the title and, from the next line on, the paragraphs of abstract and body, one
    section per labelled part. A record without any text gives an empty document.
    """
    text, sections, title = list[str](), list[Section](), title_of(raw)
    length = 0
    for kind, label, paragraphs, *category in _sections(raw, title):
        whole = "\n".join(paragraphs)
        end = length + len(whole)
        sections.append(Section(one_line(label), kind, length, end, *map(one_line, category)))
        text.append(whole)
        length = end + 1
    content, date, published = "\n".join(text), iso_date_in(raw.date), publication(raw, title)
    if date and published != UNPUBLISHED:
        published = structs.replace(published, year=date[:4])
    # Exports other than PubMed's name a DOI rather than a PMCID.
    best = (published.pmid, published.doi, published.pmcid, published.arxiv)
    name = raw.id or next(filter(None, best), "")
    name = name or f"record-{number}-{blake2b(content.encode(), digest_size=3).hexdigest()}"
    return Document(
        name,
        content,
        title,
        date,
        sections=tuple(sections),
        publication=published,
    )


def _sections(raw: Raw, title: str) -> Iterator[tuple[str, str, list[str], *tuple[str, ...]]]:
    """Yield kind, label, paragraphs and category of each section that has text."""
    if title:
        yield "title", "", [title]
    for label, text, *category in raw.abstract:
        for heading, paragraphs in parts_of(text, labelled=raw.labelled):
            yield "abstract", label or heading, paragraphs, *category
    for kind, label, text in raw.body:
        if paragraphs := paragraphs_of(without_markup(text)):
            yield kind, label, paragraphs


def publication(raw: Raw, title: str | None = None) -> Publication:
    """Return the publication of a raw record.

    Study kinds are inferred from publication types and MeSH headings, preprints also from their
    server, and retractions also from the title.
    """
    ids = ids_of_record(raw)
    lines = [line for note in raw.notes for line in note.splitlines()]
    # Some types have a comma, and some programs list types with commas.
    types = [letters(part) for kind in raw.types for part in (kind, *kind.split(","))]
    types += map(letters, lines)
    if _PREPRINT_SERVER.match(raw.journal.strip()) or _PREPRINT_DOI.match(ids.doi):
        types.append("preprint")
    headings = _headings(raw.mesh)
    title = title_of(raw) if title is None else title
    kinds = _kinds(types, {heading.lower() for heading in headings}, title)
    notices = status(raw, title, types, lines)
    return Publication(
        authors=_authors(raw.authors),
        journal=clean_field(raw.journal),
        volume=clean_field(raw.volume),
        issue=clean_field(raw.issue),
        pages=clean_field(raw.pages),
        pmid=ids.pmid,
        pmcid=ids.pmcid,
        doi=ids.doi,
        arxiv=ids.arxiv,
        kinds=kinds,
        language=clean_field(raw.language),
        mesh=headings,
        retracted=notices.retracted,
        retracts=notices.retracts,
        concern=notices.concern,
    )


def _headings(mesh: Sequence[str]) -> tuple[str, ...]:
    """Return MeSH headings without qualifiers and the asterisks of major topics."""
    return tuple(dict.fromkeys(filter(None, map(_heading, mesh))))


@lru_cache(4096)
def _heading(text: str) -> str:
    return clean_field(text.partition("/")[0].strip().lstrip("*"))


def _authors(authors: Sequence[Author]) -> tuple[Author, ...]:
    people = (Author(clean_field(author.family), clean_field(author.given)) for author in authors)
    return tuple(person for person in people if person.family)


def title_of(raw: Raw) -> str:
    """Return the title of a raw record, with its subtitle."""
    title, subtitle = clean_field(raw.title), clean_field(raw.subtitle)
    if not subtitle or subtitle in title:
        return title
    return f"{title.rstrip(' :.')}: {subtitle}" if title else subtitle


def clean_field(text: str) -> str:
    """Return a field as one line; empty if it is a placeholder such as `n/a`."""
    if not text:
        return ""
    line = one_line(text)
    return "" if _is_placeholder(line) else line


def _is_placeholder(line: str) -> bool:
    return 0 < len(line) <= _PLACEHOLDER and _NOTHING.fullmatch(line) is not None


def paragraphs_of(text: str) -> list[str]:
    """Return the paragraphs of a plain text, each on one line, without placeholders."""
    # Searching for words takes a tenth of the time of the pattern.
    if any(word in text for word in _NOTICE_WORDS):
        text = _APPENDED.sub("", text)
    parts = text.split(PARAGRAPH) if PARAGRAPH in text else (text,)
    lines = [" ".join(part.split()) for part in parts]
    return [line for line in lines if line and not _is_placeholder(line)]


def ids_of_record(raw: Raw) -> ArticleIds:
    """Return the identifiers of a raw record's article.

    A note names one only on a line of its own: its prose may name other articles.
    """
    pmid = _pmid_of(raw)
    if not (raw.pmcid or raw.doi or raw.accession or raw.named or raw.notes or raw.numbers):
        return ArticleIds(pmid=pmid)
    pmcid = f"PMC{raw.pmcid}" if raw.pmcid.isdigit() else raw.pmcid
    doi = f"doi {raw.doi}" if raw.doi else ""
    lines = (line for note in raw.notes for line in note.splitlines())
    notes = [line for line in lines if _NOTE.fullmatch(line)]
    first = (f"PMID {pmid}" if pmid else "", pmcid, doi)
    stated = (*first, *raw.accession, *raw.numbers, *raw.named, *notes)
    return find_ids("\n".join(filter(None, stated)))


def _pmid_of(raw: Raw) -> str:
    """Return the PMID in the fields that have one, or have one in some databases."""
    # In an address, EBSCO names the database of its accession number.
    databases = _DATABASE.findall(" ".join(raw.named)) or raw.database
    ours = all(_OURS.search(database) for database in databases)
    accession = [number for number in raw.accession if ours or not number.strip().isdigit()]
    for value in (raw.pmid, *raw.numbers, *accession):
        if match := value and (_PMID.fullmatch(value.strip()) or _TOLD_PMID.search(value)):
            return match[1]
    return ""


@lru_cache(4096)
def iso_date_in(text: str) -> str:
    """Return the date in a text in ISO format, as far as it is known.

    >>> [iso_date_in(text) for text in ("2015 Mar 9", "2015/03", "Winter 2016", "20150309")]
    ['2015-03-09', '2015-03', '2016', '2015-03-09']
    """
    if not text:
        return ""
    match = _COMPACT.match(text) or _DATE.match(text)
    if match and (date := iso_date(*(part or "" for part in match.groups()))):
        return date
    return "".join(_YEAR.findall(text)[:1])


def iso_date(year: str = "", month: str = "", day: str = "") -> str:
    """Return a date in ISO format, as far as it is known and in the calendar: `2015-03-09`,
    `2015-03`, `2015`, or empty.
    """
    if not re.fullmatch(r"[1-9]\d{3}", year):
        return ""
    number = whole_number(_MONTHS.get(month[:3].lower(), month), 2) or 0
    if not 1 <= number <= 12:
        return year
    _, days = monthrange(whole_number(year) or 0, number)
    of_month = whole_number(day, 2) or 0
    return f"{year}-{number:02}" + (f"-{of_month:02}" if 1 <= of_month <= days else "")


def parts_of(abstract: str, *, labelled: bool = True) -> list[tuple[str, list[str]]]:
    """Split an abstract into (label, paragraphs) at headings and, if `labelled`, at label words.

    Words count as labels only if at least two different ones occur, each before a capital at a
    sentence start.

    >>> parts_of("Objective To count newts. Results Forty newts sang.")
    [('Objective', ['To count newts.']), ('Results', ['Forty newts sang.'])]
    >>> parts_of("<h4>Aim</h4>To sing.")
    [('Aim', ['To sing.'])]
    """
    cut = ["", *pieces(abstract)]
    if len(cut) == 2 and labelled:
        heading = _ABSTRACT.match(cut[1])
        text = cut[1][heading.end() :] if heading else cut[1]
        at_labels = ["", *_LABEL.split(text)] if _LATER_LABEL.search(text) else []
        several = len({label.lower() for label in at_labels[2::2]}) > 1
        cut = at_labels if several else ["", text]
    parts = []
    for label, text in zip(cut[::2], cut[1::2], strict=True):
        name = " ".join(label.split()).rstrip(":. ") if label else ""
        if text and (paragraphs := paragraphs_of(text)):
            parts.append(("" if name.lower() in ("abstract", "summary") else name, paragraphs))
    return parts


def _kinds(types: Sequence[str], mesh: set[str], title: str) -> tuple[StudyKind, ...]:
    kinds = {_KIND_OF[name] for name in types if name in _KIND_OF}
    if kinds.isdisjoint(_SETTLED | {"randomised"}):
        kinds |= _named(title)
    kinds |= {IMPLIED[kind] for kind in kinds if kind in IMPLIED}
    if kinds.isdisjoint(_SETTLED):
        if mesh & _COHORTS:
            kinds.add("cohort")
        elif mesh & _CELLS and "cohort" not in kinds:
            kinds.add("in-vitro")
    if "animals" in mesh and "humans" not in mesh:
        kinds.add("animal")
    return tuple(kind for kind in KINDS if kind in kinds)


def _named(title: str) -> set[StudyKind]:
    """Return the kinds of study that a title names.

    >>> sorted(_named("Velin for pox: a systematic review of randomised trials"))
    ['systematic-review']
    """
    lowered = title.lower()
    if not any(word in lowered for word in _NAMING) or _PROTOCOL.search(title):
        return set()
    for group in _NAMED_KINDS:
        if kinds := {kind for kind, pattern in group.items() if pattern.search(title)}:
            return kinds
    return set()
