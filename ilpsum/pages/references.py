"""References to the sources of an answer: RIS and BibTeX for reference managers, and Vancouver
style.

Vancouver style follows the ICMJE recommendations (NLM's Citing Medicine): six authors, then
`et al.`; journal, year, volume, issue and pages; DOI and PMID. We write it ourselves because
citeproc-py (0.11), which has more styles, needs lxml and a repository of styles. For other styles,
give the output of `ris` or `bibtex` to a reference manager.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ilpsum.pages.view import Source
from ilpsum.records import Author

# The fields of a source by their names in BibTeX, and what RIS calls them.
_RIS = {
    "title": "TI",
    "journal": "T2",
    "year": "PY",
    "volume": "VL",
    "number": "IS",
    "first": "SP",
    "last": "EP",
    "doi": "DO",
    "pmid": "AN",
    "database": "DB",
    "pmcid": "C2",
    "language": "LA",
    "url": "UR",
    "type": "M3",
    "keywords": "KW",
    "note": "N1",
    "abstract": "AB",
}
_SPECIAL = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": "{\\textasciitilde}",
    "^": "{\\textasciicircum}",
    "<": "{\\textless}",
    ">": "{\\textgreater}",
    "\\": "{\\textbackslash}",
}
_LATEX = str.maketrans(_SPECIAL)
# Letters that lose no accent when they are decomposed.
_LETTERS = str.maketrans("łø", "lo")
_IN_LATEX = frozenset(("journal", "url", "type", "keywords", "abstract", "note"))
# Characters removed from BibTeX keys, and from values that are not LaTeX, such as DOIs.
_NO_KEY, _NO_VALUE = re.compile(r"[^0-9A-Za-z]"), re.compile(r"[{}\\]")


def ris(sources: Iterable[Source], note: str = "") -> str:
    """Return sources in RIS, with their abstracts and a note."""
    lines: list[str] = []
    for source in sources:
        lines += [f"{tag}  - {_line(value)}\n" for tag, value in _ris(source, note) if value]
        lines.append("ER  - \n\n")
    return "".join(lines)


def bibtex(sources: Iterable[Source], note: str = "") -> str:
    """Return sources in BibTeX, with their abstracts; keys combine first author, year and source
    number.
    """
    return "".join(_entry(source, note) for source in sources)


def vancouver(source: Source) -> str:
    """Return a reference in Vancouver style; unknown fields are omitted.

    >>> vancouver(Source("7", "7", "Song of newts", "2014"))
    'Song of newts. 2014. PMID: 7.'
    """
    publication = source.publication
    volume = publication.volume + (f"({publication.issue})" if publication.issue else "")
    where = source.year
    if volume:
        where += f";{volume}"
    if publication.pages:
        where += f":{publication.pages}"
    pmid = publication.pmid or source.pmid
    ids = (
        publication.doi and f"doi: {publication.doi}",
        pmid and f"PMID: {pmid}",
        publication.pmcid and f"PMCID: {publication.pmcid}",
    )
    remark = publication.notice and f"[{publication.notice.capitalize()}]"
    parts = (source.authors(6), source.title or source.id, publication.journal, where, *ids, remark)
    lines = [_line(part) for part in parts if part]
    return " ".join(line if line.endswith((".", "?", "!")) else f"{line}." for line in lines)


def _fields(source: Source, note: str) -> dict[str, str]:
    """Return the fields of a source; unknown ones are empty."""
    publication = source.publication
    abstract = source.text.removeprefix(source.title) if source.abstract else ""
    return {
        "title": source.headline,
        "journal": publication.journal,
        "year": source.year,
        "volume": publication.volume,
        "number": publication.issue,
        "pages": publication.pages,
        "doi": publication.doi,
        "pmid": publication.pmid or source.pmid,
        "pmcid": publication.pmcid,
        "eprint": publication.arxiv,
        "archiveprefix": "arXiv" if publication.arxiv else "",
        "language": publication.language,
        "url": source.url,
        "type": "; ".join(publication.remarks),
        "keywords": "; ".join(publication.mesh),
        "note": note,
        "abstract": _line(abstract),
    }


def _ris(source: Source, note: str) -> Iterator[tuple[str, str]]:
    """Yield the tags of RIS with their values."""
    yield "TY", "UNPB" if "preprint" in source.publication.kinds else "JOUR"
    for author in source.publication.authors:
        yield "AU", _inverted(author)
    fields = _fields(source, note)
    fields["first"], _, last = fields["pages"].partition("-")
    missing = len(fields["first"]) - len(last)
    if missing > 0 and last.isdecimal() and fields["first"].isdecimal():
        last = fields["first"][:missing] + last  # 235-9 ends at 239
    fields["last"] = last
    fields["database"] = "PubMed" if fields["pmid"] else ""
    for name, tag in _RIS.items():
        values = fields[name].split("; ") if name in ("type", "keywords") else [fields[name]]
        for value in values:
            yield tag, value


def _entry(source: Source, note: str) -> str:
    """Return a source as an entry of BibTeX."""
    # Braces preserve capitals and keep group names whole.
    names = []
    for author in source.publication.authors:
        name = _inverted(author) if author.given else author.family
        name = name.translate(_LATEX)
        names.append(name if author.given else f"{{{name}}}")
    fields = {"title": f"{{{source.headline.translate(_LATEX)}}}", "author": " and ".join(names)}
    for name, value in _fields(source, note).items():
        escaped = value.translate(_LATEX) if name in _IN_LATEX else _NO_VALUE.sub("", value)
        fields.setdefault(name, escaped)
    fields["pages"] = fields["pages"].replace("-", "--")
    lines = [f"@article{{{_key(source)}"]
    for name, value in fields.items():
        if value.strip("{}"):
            lines.append(f"  {name} = {{{_line(value)}}}")
    return ",\n".join(lines) + "\n}\n\n"


def _key(source: Source) -> str:
    authors = source.publication.authors
    family = authors[0].family.casefold().translate(_LETTERS) if authors else ""
    decomposed = unicodedata.normalize("NFKD", family)
    letters = "".join(letter for letter in decomposed if "a" <= letter <= "z")
    return f"{letters or 'source'}{_NO_KEY.sub('', source.year)}-{source.number}"


def _inverted(author: Author) -> str:
    # Without the comma, programs would parse the last word of a group name as the family name.
    return f"{author.family}, {author.given}".rstrip()


def _line(text: str) -> str:
    return " ".join(text.split())
