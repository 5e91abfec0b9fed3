"""HTML in which all text is escaped: input can never become markup."""

import re
from html import escape

# Forbidden in HTML or dropped by browsers: controls except tab and line ends, lone surrogates, noncharacters.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane * 0x10000 + last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)


class Markup(str):
    """A piece of HTML, already escaped."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Escape a value for the text of a page or of an attribute; markup is left alone.

    >>> text("a < b & 'c'")
    'a &lt; b &amp; &#x27;c&#x27;'
    """
    return value if isinstance(value, Markup) else Markup(escape(printable(str(value))))


def printable(value: str) -> str:
    """Return a text with the replacement character for what neither HTML nor XML allows."""
    return _FORBIDDEN.sub("\ufffd", value)


def join(*pieces: object) -> Markup:
    """Concatenate pieces, escaping those that are not markup."""
    return Markup("".join(map(text, pieces)))


def tag(name: str, *children: object, **more: str | float | bool | None) -> Markup:
    """Return an element, which is not void (`br`, `img`, ...), with its attributes.

    Their names have `_` for `-` and end in `_` for Python's keywords. None and False omit one, True writes no value.

    >>> tag("p", "a < b", class_="note", aria_label='"x"', hidden=True, id=None)
    '<p class="note" aria-label="&quot;x&quot;" hidden>a &lt; b</p>'
    """
    return Markup(f"<{name}{attributes(**more)}>{join(*children)}</{name}>")


def attributes(**named: str | float | bool | None) -> Markup:
    """Return attributes as `tag` writes them, each after a space."""
    return Markup(
        "".join(
            f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(value)}"')
            for key, value in named.items()
            if value is not None and value is not False
        )
    )
