"""References to the sources of an answer: RIS, BibTeX and CSL JSON for reference managers, and
Vancouver style.

Vancouver style follows the ICMJE recommendations (NLM's Citing Medicine): six authors, then `et
al.`; journal, year, volume, issue and pages; DOI and PMID. It is implemented here because
citeproc-py (0.11), which supports more styles, needs lxml and a style repository; reference
managers can format the output of `ris`, `bibtex` and `csl` in any style.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator

from ilpsum.pages.view import Source
from ilpsum.records import Author

# Escapes of LaTeX's special characters.
_SPECIAL = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": "{\\textasciitilde}",
    "^": "{\\textasciicircum}",
    "<": "{\\textless}",
}
_SPECIAL |= {">": "{\\textgreater}", "\\": "{\\textbackslash}"}
_IN_LATEX = frozenset(("journal", "url", "type", "keywords", "abstract", "note"))
# Characters removed from BibTeX keys, and from values that are not LaTeX, such as DOIs.
_NO_KEY, _NO_VALUE = re.compile(r"[^0-9A-Za-z]"), re.compile(r"[{}\\]")


def ris(sources: Iterable[Source], note: str = "") -> str:
    """Return sources in RIS, with their abstracts and a note."""
    return "".join(
        "".join(f"{tag}  - {_line(value)}\n" for tag, value in _ris(source, note) if value)
        + "ER  - \n\n"
        for source in sources
    )


def bibtex(sources: Iterable[Source], note: str = "") -> str:
    """Return sources in BibTeX, with their abstracts; keys combine first author, year and source
    number.
    """
    return "".join(f"@{_entry(source, note)}\n}}\n\n" for source in sources)


def csl(sources: Iterable[Source], note: str = "") -> str:
    """Return sources as a CSL JSON list, with their abstracts."""
    return (
        json.dumps([_csl(source, note) for source in sources], ensure_ascii=False, indent=1) + "\n"
    )


def vancouver(source: Source) -> str:
    """Return a reference in Vancouver style; unknown fields are omitted.

    >>> vancouver(Source("7", "7", "Song of newts", "2014"))
    'Song of newts. 2014. PMID: 7.'
    """
    known = source.publication
    volume = known.volume + (f"({known.issue})" if known.issue else "")
    where = (
        source.year + (f";{volume}" if volume else "") + (f":{known.pages}" if known.pages else "")
    )
    pmid = known.pmid or source.pmid
    ids = (
        known.doi and f"doi: {known.doi}",
        pmid and f"PMID: {pmid}",
        known.pmcid and f"PMCID: {known.pmcid}",
    )
    remark = known.notice and f"[{known.notice.capitalize()}]"
    parts = (source.authors(6), source.title or source.id, known.journal, where, *ids, remark)
    lines = [_line(part) for part in parts if part]
    return " ".join(line if line.endswith((".", "?", "!")) else f"{line}." for line in lines)


def _fields(source: Source, note: str = "") -> list[tuple[str, str, str, str]]:
    """Return field names in RIS, BibTeX and CSL, each with the value; "" where a format lacks or
    special-cases it.
    """
    known, pmid = source.publication, source.publication.pmid or source.pmid
    first, _, last = known.pages.partition("-")
    if first.isdecimal() and last.isdecimal() and len(last) < len(first):
        last = first[: -len(last)] + last  # 235-9 ends at 239
    return [
        ("TI", "title", "title", source.title),
        ("T2", "journal", "container-title", known.journal),
        ("PY", "year", "", source.year),
        ("VL", "volume", "volume", known.volume),
        ("IS", "number", "issue", known.issue),
        *(
            ("SP", "", "", first),
            ("EP", "", "", last),
            ("", "pages", "", known.pages.replace("-", "--")),
        ),
        ("", "", "page", known.pages),
        ("DO", "doi", "DOI", known.doi),
        *(("AN", "pmid", "PMID", pmid), ("DB", "", "", "PubMed" if pmid else "")),
        ("C2", "pmcid", "PMCID", known.pmcid),
        *(
            ("", "eprint", "", known.arxiv),
            ("", "archiveprefix", "", "arXiv" if known.arxiv else ""),
        ),
        ("LA", "language", "language", known.language),
        ("UR", "url", "URL", source.url),
        ("M3", "type", "genre", "; ".join(known.remarks)),
        ("KW", "keywords", "keyword", "; ".join(known.mesh)),
        ("N1", "note", "note", note),
        (
            "AB",
            "abstract",
            "abstract",
            " ".join(source.text.removeprefix(source.title).split()) * source.abstract,
        ),
    ]


def _ris(source: Source, note: str) -> Iterator[tuple[str, str]]:
    yield "TY", "UNPB" if "preprint" in source.publication.kinds else "JOUR"
    yield from (("AU", _inverted(author)) for author in source.publication.authors)
    for tag, _, _, value in _fields(source, note):
        yield from (
            (tag, each) for each in (value.split("; ") if tag in ("M3", "KW") else [value]) if tag
        )


def _entry(source: Source, note: str) -> str:
    authors = source.publication.authors
    plain = unicodedata.normalize("NFKD", authors[0].family.casefold()) if authors else ""
    family = "".join(
        letter for letter in plain.replace("ł", "l").replace("ø", "o") if "a" <= letter <= "z"
    )
    # Braces preserve capitals and keep group names whole.
    names = " and ".join(
        _latex(_inverted(a)) if a.given else f"{{{_latex(a.family)}}}" for a in authors
    )
    fields = {"title": f"{{{_latex(source.title)}}}", "author": names}
    for _, name, _, value in _fields(source, note):
        fields.setdefault(name, _latex(value) if name in _IN_LATEX else _NO_VALUE.sub("", value))
    lines = (
        f",\n  {name} = {{{_line(value)}}}"
        for name, value in fields.items()
        if name and value.strip("{}")
    )
    year = _NO_KEY.sub("", source.year)
    return f"article{{{family or 'source'}{year}-{source.number}{''.join(lines)}"


def _csl(source: Source, note: str) -> dict[str, object]:
    known = source.publication
    item: dict[str, object] = {
        name: value for _, _, name, value in _fields(source, note) if name and value
    }
    if known.authors:
        item["author"] = [
            {"family": a.family, "given": a.given} if a.given else {"literal": a.family}
            for a in known.authors
        ]
    if source.year.isdecimal():
        item["issued"] = {"date-parts": [[int(source.year)]]}
    kind = "article" if "preprint" in known.kinds else "article-journal"
    return {"id": known.pmid or source.id, "type": kind, **item}


def _inverted(author: Author) -> str:
    # Without the comma, programs would parse the last word of a group name as the family name.
    return f"{author.family}, {author.given}".rstrip()


def _latex(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


def _line(text: str) -> str:
    return " ".join(text.split())
