r"""Letters that programs spoiled on the way: text decoded wrongly (by ftfy), LaTeX, escapes of
spreadsheets and of R.
"""

import re
import unicodedata
from functools import lru_cache

from features.patterns import regex

# What UTF-8 looks like in a wrong encoding: a letter that begins a sequence, and what may follow.
_MOJIBAKE = regex(
    "[\u00c2-\u00f4\u0192\u221a\u2248\u0413\u0420\u0432]"
    "[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a"
    "\u20ac\u2122\u00c0-\u00ff\u2020\u2202\u222b\u03a9\u221e\u2264\u2265\u03bc\u03c0]"
)
_CODE = regex(r"<U\+([0-9A-Fa-f]{4,6})>|_x([0-9A-Fa-f]{4})_|\\u([0-9a-f]{4})(?![0-9a-f])")
_BYTES = regex(r"(?:<[89a-f][0-9a-f]>){2,4}")
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306",
    ".": "\u0307", '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "c": "\u0327",
    "k": "\u0328", "d": "\u0323", "b": "\u0331",
}  # fmt: skip
# Without the `text` before the names of some.
_SIGNS = {
    "circ": "°", "degree": "°", "pm": "±", "mp": "∓", "times": "×", "cdot": "·", "leq": "≤",
    "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "sim": "~",
    "rightarrow": "→", "to": "→", "leftarrow": "←", "infty": "∞", "ss": "ß", "ae": "æ",
    "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "mu": "µ", "micro": "µ",
    "registered": "®", "trademark": "™", "endash": "–", "emdash": "—", "ldots": "…", "dots": "…",
    "quoteright": "’", "quoteleft": "‘", "quotedblleft": "“", "quotedblright": "”", "ellipsis": "…",
    "less": "<", "greater": ">", "backslash": "\\",
    "asciitilde": "~", "asciicircum": "^", "uparrow": "↑", "downarrow": "↓", "langle": "<",
    "rangle": ">",
}  # fmt: skip
_STYLES = (
    "textit textbf textsc textsf texttt textrm textsuperscript textsubscript emph mathrm mathit "
    "mathbf mathsf mathcal text ensuremath underline uppercase mbox it bf em rm sc"
)
_TEX = regex(r"\$[_^]|\\(?:[A-Za-z]{1,20}|[`'^~=.\"%&_$#{}, ])")
_TEX_ACCENT = regex(r"\{?\\([`'^~=.\"]|[uvHcdbkr](?![A-Za-z]))\s?\{?(\\?[A-Za-z])\}?\}?")
_TEX_STYLE = regex(rf"\\(?:{'|'.join(_STYLES.split())})(?![A-Za-z])\s?")
_TEX_NAME = regex(r"\{?\\(?:text)?([A-Za-z]{1,20})(?:\{\}|(?![A-Za-z]) ?)\}?")
_TEX_BRACE = regex(r"(?<!\\)[{}]")
_TEX_ESCAPE = regex(r"\\([%&_$#{}])|\\[,;:! ]")
_MATH = regex(r"\$([^$]{1,200})\$")
_TEX_QUOTED, _TEX_TIE = regex(r"``([^`]{1,400}?)''"), regex(r"(?<=\w)~(?=[\w$\\])")
_BRACED = regex(r"(?<![\w\])}-])\{([A-Z][\w-]{0,40})\}")


def repaired(text: str) -> str:
    r"""Return a text with its letters as they were meant.

    >>> repaired("SjÃ¶gren, IFN-Î³, TNF-<U+03B1>, line_x000D_end")
    'Sjögren, IFN-γ, TNF-α, line end'
    >>> repaired(r"Sj{\"o}gren: TNF-$\alpha$ in 62\% at 37\,$^\circ$C of {RCT}s")
    'Sjögren: TNF-α in 62% at 37 °C of RCTs'
    """
    if "<" in text or "_x" in text or "\\u" in text:
        text = _BYTES.sub(_of_bytes, _CODE.sub(_of_code, text))
    if "\\" in text or "{" in text or "$" in text:
        text = without_tex(text) if _TEX.search(text) else _BRACED.sub(r"\1", text)
    if not text.isascii() and _MOJIBAKE.search(text):
        from ftfy import fix_encoding

        text = fix_encoding(text)
    return text


def _of_code(match: re.Match[str]) -> str:
    code = int(match[1] or match[2] or match[3], 16)
    is_sign = 0xA0 <= code < 0xD800 or 0xE000 <= code < 0x110000
    # Control characters of spreadsheets are line ends.
    return chr(code) if is_sign or 32 <= code < 127 else " "


def _of_bytes(match: re.Match[str]) -> str:
    """Return the letter that R prints as bytes: `<c3><b6>`."""
    data = bytes.fromhex(re.sub("[<>]", "", match[0]))
    return data.decode("utf-8", "replace") if b"\xbf" < data[:1] < b"\xf5" else match[0]


def without_tex(text: str) -> str:
    """Return a text without the commands of LaTeX that stand for letters and signs, and without
    braces; other commands stay.
    """
    text = _TEX_ACCENT.sub(_accented, text)
    text = _TEX_STYLE.sub("", _MATH.sub(_math, text))
    text = _TEX_BRACE.sub("", _TEX_NAME.sub(_named, text))
    return _TEX_ESCAPE.sub(lambda sign: sign[1] or " ", text)


def typeset(text: str) -> str:
    """Return a text with TeX's quotation marks, dashes and ties as characters.

    >>> typeset("``Ten~newts'' of 10--20 sang")
    '“Ten newts” of 10–20 sang'
    """
    text = _TEX_QUOTED.sub("“\\1”", text)
    text = _TEX_TIE.sub(" ", text)
    return text.replace("---", "—").replace("--", "–")


def _accented(match: re.Match[str]) -> str:
    letter = match[2].lstrip("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[match[1]])


def _math(match: re.Match[str]) -> str:
    r"""Return a formula without its dollars if it is one: `$50 and $60` are prices."""
    formula = match[1]
    is_formula = "\\" in formula or re.fullmatch(r"[\w^{}<>=.+\-*/,() ]{1,40}", formula)
    if not is_formula or re.match(r"\d[\d.,]*\s+[a-z]", formula):
        return match[0]
    formula = re.sub(r"\^\{?\\circ\}?", "°", formula)
    # A charge is no power, and what is below the line has no sign.
    is_power = match.string[: match.start()][-1:].isdigit()
    formula = re.sub(r"_(?=[\w{\\])", "", formula if is_power else formula.removeprefix("^"))
    return _TEX_NAME.sub(_named, formula)


def _named(match: re.Match[str]) -> str:
    return _sign(match[1]) or match[0]


@lru_cache(512)
def _sign(name: str) -> str:
    """Return what a command of LaTeX stands for; empty if it is unknown."""
    if name in _SIGNS:
        return _SIGNS[name]
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    spelled = {"lambda": "lamda"}.get(name.lower(), name.lower())
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {spelled.removeprefix('var')}")
    except KeyError:
        return ""
