"""The sources of an answer as references: RIS, BibTeX and CSL JSON for reference managers, a list in Vancouver style.

Vancouver style is that of the ICMJE's recommendations (NLM's Citing Medicine): six authors, then `et al.`; journal,
year, volume, issue and pages; DOI and PMID. It is written here: citeproc-py (0.11) would do it and other styles, but
brings lxml and a repository of styles; reference managers format what `ris`, `bibtex` and `csl` give in any style.
"""

import json
import re
import unicodedata
from collections.abc import Iterable

from ilpsum.records import Author
from ilpsum.report.view import Source, initials

_MOST_AUTHORS = 6
# What LaTeX takes for a command.
_SPECIAL = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": "{\\textasciitilde}",
    "^": "{\\textasciicircum}",
    "<": "{\\textless}",
}
_SPECIAL |= {">": "{\\textgreater}", "\\": "{\\textbackslash}"}
# What a key of BibTeX may not have, and what ends a value that programs take as it is.
_NO_KEY, _NO_VALUE = re.compile(r"[^0-9A-Za-z]"), re.compile(r"[{}\\]")


def ris(sources: Iterable[Source]) -> str:
    """Return sources in RIS, with their abstracts."""
    return "".join(
        "".join(f"{tag}  - {_line(value)}\n" for tag, value in _ris(source) if value) + "ER  - \n\n"
        for source in sources
    )


def bibtex(sources: Iterable[Source]) -> str:
    """Return sources in BibTeX, with their abstracts; the key is the first author, the year and the number."""
    return "".join(f"@{_entry(source)}\n}}\n\n" for source in sources)


def csl(sources: Iterable[Source]) -> str:
    """Return sources as a list of CSL JSON, with their abstracts."""
    return json.dumps([_csl(source) for source in sources], ensure_ascii=False, indent=1) + "\n"


def vancouver(source: Source) -> str:
    """Return a reference in Vancouver style; what is unknown is left out.

    >>> vancouver(Source("7", "7", "Song of newts", "2014"))
    'Song of newts. 2014. PMID: 7.'
    """
    known = source.publication
    authors = [f"{a.family} {initials(a.given)}".strip() for a in known.authors[:_MOST_AUTHORS]]
    authors += ["et al"] if len(known.authors) > _MOST_AUTHORS else []
    volume = known.volume + (f"({known.issue})" if known.issue else "")
    where = source.year + (f";{volume}" if volume else "") + (f":{known.pages}" if known.pages else "")
    pmid = known.pmid or source.pmid
    ids = (known.doi and f"doi: {known.doi}", pmid and f"PMID: {pmid}", known.pmcid and f"PMCID: {known.pmcid}")
    remark = known.notice and f"[{known.notice.capitalize()}]"
    parts = (", ".join(authors), source.title or source.id, known.journal, where, *ids, remark)
    return " ".join(_stopped(_line(part)) for part in parts if part)


def _ris(source: Source) -> list[tuple[str, str]]:
    known = source.publication
    first, _, last = known.pages.partition("-")
    return [
        ("TY", "UNPB" if "preprint" in known.kinds else "JOUR"),
        ("TI", source.title),
        *(("AU", _inverted(author)) for author in known.authors),
        ("T2", known.journal),
        ("PY", source.year),
        *(("VL", known.volume), ("IS", known.issue), ("SP", first), ("EP", last)),
        *(("DO", known.doi), ("AN", known.pmid or source.pmid), ("DB", "PubMed" if known.pmid or source.pmid else "")),
        *(("C2", known.pmcid), ("LA", known.language), ("UR", source.url)),
        *(("M3", remark) for remark in known.remarks),
        *(("KW", heading) for heading in known.mesh),
        ("AB", _abstract(source)),
    ]


def _entry(source: Source) -> str:
    known = source.publication
    plain = unicodedata.normalize("NFKD", known.authors[0].family.casefold()) if known.authors else ""
    family = "".join(letter for letter in plain.replace("ł", "l").replace("ø", "o") if "a" <= letter <= "z")
    year, volume, number, pages = map(_verbatim, (source.year, known.volume, known.issue, known.pages))
    ids = {"doi": known.doi, "pmid": known.pmid or source.pmid, "pmcid": known.pmcid, "eprint": known.arxiv}
    fields = (
        ("title", f"{{{_latex(source.title)}}}"),
        (
            "author",
            " and ".join(f"{{{_latex(a.family)}}}" if not a.given else _latex(_inverted(a)) for a in known.authors),
        ),
        ("journal", _latex(known.journal)),
        *(("year", year), ("volume", volume), ("number", number), ("pages", pages.replace("-", "--"))),
        *((name, _verbatim(value)) for name, value in ids.items()),
        ("archiveprefix", "arXiv" if known.arxiv else ""),
        *(
            ("language", _verbatim(known.language)),
            ("url", _latex(source.url)),
            ("type", _latex("; ".join(known.remarks))),
        ),
        ("keywords", _latex("; ".join(known.mesh))),
        ("abstract", _latex(_abstract(source))),
    )
    lines = "".join(f",\n  {name} = {{{_line(value)}}}" for name, value in fields if value.strip("{}"))
    return f"article{{{family or 'source'}{_NO_KEY.sub('', year)}-{source.number}{lines}"


def _csl(source: Source) -> dict[str, object]:
    known = source.publication
    item: dict[str, object] = {
        "id": known.pmid or source.id,
        "type": "article" if "preprint" in known.kinds else "article-journal",
        "title": source.title,
        "author": [{"family": a.family, "given": a.given} if a.given else {"literal": a.family} for a in known.authors],
        "issued": {"date-parts": [[int(source.year)]]} if source.year.isdecimal() else None,
        "container-title": known.journal,
        "volume": known.volume,
        "issue": known.issue,
        "page": known.pages,
        "DOI": known.doi,
        "PMID": known.pmid or source.pmid,
        "PMCID": known.pmcid,
        "URL": source.url,
        "language": known.language,
        "genre": "; ".join(known.remarks),
        "keyword": "; ".join(known.mesh),
        "abstract": _abstract(source),
    }
    return {name: value for name, value in item.items() if value}


def _abstract(source: Source) -> str:
    return " ".join(source.text.removeprefix(source.title).split()) if source.abstract else ""


def _inverted(author: Author) -> str:
    # Without a comma a program would take the last word of a group's name for a family name.
    return f"{author.family}, {author.given}".rstrip()


def _latex(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


def _verbatim(text: str) -> str:
    """Return a value that programs take as it is, such as a DOI, without what would end it."""
    return _NO_VALUE.sub("", text)


def _line(text: str) -> str:
    return " ".join(text.split())


def _stopped(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."
