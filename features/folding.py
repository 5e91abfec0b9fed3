"""Fold a text for matching: letters that look the same to readers become the same characters.

Quotations are never folded: they stay as their source prints them.
"""

import re
import unicodedata
from functools import lru_cache

# Letters that Unicode does not decompose, and signs that look alike.
_ALIKE = str.maketrans(
    {
        "æ": "ae", "œ": "oe", "Æ": "AE", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
        "đ": "d", "Đ": "D", "ß": "ss", "ı": "i", "ð": "d", "þ": "th", "⁄": "/", "∕": "/",
    }
    | dict.fromkeys("‐‑‒–−", "-")
)  # fmt: skip

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")

# The characters of Unicode's category Cf (format).
_FORMAT = re.compile(
    "[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)


def folded(text: str) -> str:
    r"""Return a text in the form in which words are matched.

    Compatibility forms become plain (NFKC: `CO₂`, full width, the micro sign); invisible format
    characters and accents are removed; hyphens, the minus sign and the en dash become one
    character. Case stays.

    >>> texts = "Sjögren", "CO₂", "Ca²⁺", "ＩＬ－６", "IL−6", "tavo\u00adlene"
    >>> [folded(text) for text in texts]
    ['Sjogren', 'CO2', 'Ca2+', 'IL-6', 'IL-6', 'tavolene']
    """
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return _BEYOND_ASCII.sub(lambda run: _folded_letters(run[0]), apart)


@lru_cache(1 << 12)
def _folded_letters(letters: str) -> str:
    """Return a run of letters beyond ASCII, which NFKD took apart, as `folded` matches them."""
    kept = [letter for letter in letters if unicodedata.category(letter) not in ("Mn", "Cf")]
    return unicodedata.normalize("NFC", "".join(kept)).translate(_ALIKE)


def visible(text: str) -> str:
    r"""Return a text without invisible format characters, such as soft hyphens and zero-width
    spaces; a letter and its accent become one character (NFC).

    >>> visible("tavo\u00adlene\ufeff"), visible("e\u0301")
    ('tavolene', 'é')
    """
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text)
    # Format characters are not printable, and most texts have none: this takes a fifth of the time.
    return composed if composed.isprintable() else _FORMAT.sub("", composed)
