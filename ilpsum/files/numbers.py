"""Numbers in text from outside: `int` and `float` take other scripts' digits and underscores, read
superscripts as errors, and refuse more than 4,300 digits.
"""

import math

_DIGITS = 9
"""Maximum digits of a whole number: an offset, a year, the number of a sentence."""


def whole_number(text: str, digits: int = _DIGITS) -> int | None:
    """Return the whole number that a text is, in ASCII digits; None for any other text, and for
    more digits.

    >>> whole_number("017"), whole_number("-1"), whole_number("²"), whole_number("9" * 5000)
    (17, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def finite_number(text: str) -> float:
    """Return the finite number that a text is; NaN for any other text.

    >>> finite_number("1e-3"), finite_number("1e999"), finite_number("newt")
    (0.001, nan, nan)
    """
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan
