r"""Read BibTeX with abstracts, as exported by Zotero, Mendeley, JabRef and publishers.

An entry begins with `@type{` at the start of a line and ends before the next, so an unclosed brace costs one entry.
Accents (`{\"u}`), Greek letters (`$\beta$`) and common symbols become characters, formatting commands are dropped, and
other commands are kept as written: dropping a symbol could change a value.
(bibtexparser, measured at 2.1, loses entries with a duplicate key or a missing comma, and takes superlinear time on
hostile files: `experiments/results/exports.md`.)
"""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.files.reading import decode, head, read_bytes
from ilpsum.formats.publishing import author, keys, reference
from ilpsum.formats.references import exported
from ilpsum.records import Author, Document

_MOST_BYTES = 256 * 2**20
_ENTRY = re.compile(r"^[^\S\n]*@([a-z]+)[^\S\n]*[{(]", re.IGNORECASE | re.MULTILINE)
_FIELD = re.compile(r"([A-Za-z][\w-]{0,40})\s{0,50}=\s{0,50}")
_STOPS = {"{": re.compile(r"\\.|[{}]", re.DOTALL), '"': re.compile(r'\\.|[{}"]', re.DOTALL)}
_BARE = re.compile(r"[^\s,{}\"#]{1,200}")
_JOINED = re.compile(r"\s{0,50}#\s{0,50}")

_KEYS = keys(
    "title: title; abstract: abstract; date: year date; pmid: pmid; named: doi pmcid pmc url note annote eprint; "
    "journal: journal journaltitle booktitle publisher school institution; volume: volume; issue: number issue; "
    "language: language langid; "
    "types: type; mesh: keywords mesh"
)
# Combining characters for accents.
_MARKS = "\u0300 \u0301 \u0302 \u0303 \u0308 \u0304 \u0307 \u0306 \u030c \u030b \u0327 \u0328 \u030a \u0323".split()
_ACCENTS = dict(zip("`'^~\"=.uvHckrd", _MARKS, strict=True))
_ACCENT = re.compile(r"\\(?:([`'^~\"=.])\s?|([uvHckrd])(?:\s|(?=\{)))(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))")
_SYMBOLS = dict(
    pair.split("=", 1)
    for pair in """
        ss=ß o=ø O=Ø l=ł L=Ł ae=æ AE=Æ oe=œ aa=å AA=Å i=i textless=< textgreater=> textendash=– textemdash=—
        times=× pm=± minus=− onehalf=½ onesuperior=¹ twosuperior=² threesuperior=³ perthousand=‰
        leq=≤ le=≤ geq=≥ ge=≥ mu=µ approx=≈ sim=~ textquoteright=’ rightarrow=→ infty=∞
        textasciitilde=~ textasciicircum=\1 textbackslash=\\
        cdot=· circ=° textdegree=° textsuperscript=^ bullet=• bar=| registered=® trademark=™ copyright=©
        quotedblleft=“ quotedblright=” quoteleft=‘
        """.split()
)
# Formatting commands, in text and in formulas.
_STYLES = frozenset(
    "emph em it bf rm sf tt sc sl text textit textbf textrm textsf texttt textsc textsl textup textmd textnormal"
    " mathrm mathbf mathit mathsf mathtt mathcal ensuremath mbox hbox operatorname underline url href protect"
    " left right small large footnotesize par newline linebreak quad noopsort natexlab subscript textsubscript".split()
)
_MATH = re.compile(r"\$([^$]{0,300})\$")
# Superscripts that are not exponents of a number.
_NO_POWER = re.compile(r"(?<!\d)\^|\^(?![-−–+]?\d)")
_COMMAND = re.compile(r"\\([A-Za-z]{1,30})\*?\s?|\\([^A-Za-z])")


def is_bibtex(path: Path) -> bool:
    """Return whether a file starts like BibTeX, possibly after comments."""
    text = decode(head(path))[0].removeprefix("\ufeff")
    entry = re.search(r"^\s{0,20}@(\w{1,30})\s{0,20}[{(][^{}=]{0,300}[,=]", text, re.MULTILINE)
    return entry is not None and not text.lstrip().startswith(("<", "{", "["))


def read(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the references of a file, in file order; an entry with an unclosed brace or quote yields an error."""
    text = decode(read_bytes(path, _MOST_BYTES, "expected a library of references"))[0]
    entries = list(_ENTRY.finditer(text))
    macros, number, line, before = dict[str, str](), 0, 1, 0
    ends = [*(entry.start() for entry in entries), len(text)][1:]
    for entry, end in zip(entries, ends, strict=True):
        line, before = line + text.count("\n", before, entry.start()), entry.start()
        kind = entry[1].lower()
        if kind in ("comment", "preamble"):
            continue
        fields, is_open = _fields(text, entry.end(), end, macros)
        if kind == "string":
            macros |= fields
            continue
        number += 1
        if is_open:
            yield InputError("a brace or quote of this entry is never closed; close it", path, line)
        else:
            yield _document(fields, number)


def _fields(text: str, start: int, end: int, macros: dict[str, str]) -> tuple[dict[str, str], bool]:
    """Return the fields of an entry, the first of each name, and whether one is never closed."""
    fields: dict[str, str] = {}
    while field := _FIELD.search(text, start, end):
        value, start = [""], field.end()
        while True:
            opening = text[start : start + 1]
            if opening in _STOPS:
                close = _close(text, start + 1, end, opening)
                if close < 0:
                    return fields, True
                value.append(text[start + 1 : close])
                start = close + 1
            elif bare := _BARE.match(text, start, end):
                value.append(macros.get(bare[0].lower(), bare[0]))
                start = bare.end()
            joined = _JOINED.match(text, start, end)
            if joined is None:
                break
            start = joined.end()
        fields.setdefault(field[1].lower(), "".join(value))
    return fields, False


def _close(text: str, start: int, end: int, opening: str) -> int:
    """Return the index at which a value ends; -1 if it is never closed."""
    depth = 0
    for stop in _STOPS[opening].finditer(text, start, end):
        if stop[0] == "{":
            depth += 1
        elif stop[0] == '"' and not depth:
            return stop.start()
        elif stop[0] == "}":
            if not depth:
                return stop.start() if opening == "{" else -1
            depth -= 1
    return -1


def _document(fields: dict[str, str], number: int) -> Document:
    def get(name: str) -> list[str]:
        value = _decoded(fields.get(name, ""))
        if name == "eprint":
            return [f"arXiv:{value}"] if "arxiv" in "".join(get("archiveprefix") or get("eprinttype")).lower() else []
        return re.split("[;,]", value) if name in ("keywords", "mesh") else [value] if value else []

    authors = tuple(map(_author, filter(str.strip, re.split(r"\sand\s", fields.get("author", "")))))
    return exported(reference(_KEYS, get, authors=authors, pages="".join(get("pages")).replace("--", "-")), number)


def _author(text: str) -> Author:
    # Braces keep a group name in one piece.
    return Author(_decoded(text)) if text.strip().startswith("{") and "," not in text else author(_decoded(text))


def _decoded(text: str) -> str:
    r"""Convert LaTeX markup to plain characters.

    >>> _decoded(r"10 {\textmu}g/kg in 64 \textpm 5\% of 10$^{9}$ Zn\textsuperscript{2+}, IC$_{50}$, \unheard{of}")
    '10 µg/kg in 64 ± 5% of 10^9 Zn2+, IC50, \\unheardof'
    >>> _decoded(r"{TGF}-$\beta$ in M{\"u}ller's {\'{e}}tude \& \textit{x} \textless 5\%")
    "TGF-β in Müller's étude & x < 5%"
    """
    if "\\" in text:
        text = _ACCENT.sub(lambda m: unicodedata.normalize("NFC", (m[3] or m[4]) + _ACCENTS[m[1] or m[2]]), text)
        text = _COMMAND.sub(_symbol, text)
    text = _MATH.sub(lambda formula: formula[1].replace("_", ""), text)
    text = _NO_POWER.sub("", re.sub(r"[{}$]", "", text)).replace("\0", "$").replace("\1", "^")
    return " ".join(text.split())


def _symbol(command: re.Match[str]) -> str:
    if command[2]:
        return "\0" if command[2] == "$" else command[2]
    space = " " * command[0].endswith(" ")
    for name in (command[1], command[1].removeprefix("text")):
        greek = "GREEK SMALL LETTER " if name.islower() else "GREEK CAPITAL LETTER "
        try:
            return (_SYMBOLS.get(name) or unicodedata.lookup(greek + name.upper())) + space
        except KeyError:
            continue
    return "" if command[1] in _STYLES else command[0]
