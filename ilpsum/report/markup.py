"""HTML that is escaped unless it was made here: a text from input can never become markup."""

import re
from html import escape

# What HTML forbids or a browser would drop: controls but tab and line ends, lone surrogates, noncharacters.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane * 0x10000 + last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)


class Markup(str):
    """A piece of HTML that is safe to put into a page as it stands."""

    __slots__ = ()


def text(value: object) -> Markup:
    """A value as text of a page or of an attribute; markup stays as it is.

    >>> text("a < b & 'c'")
    'a &lt; b &amp; &#x27;c&#x27;'
    """
    if isinstance(value, Markup):
        return value
    return Markup(escape(_FORBIDDEN.sub("\ufffd", str(value))))


def join(*pieces: object) -> Markup:
    """Pieces one after the other, each escaped unless it is markup."""
    return Markup("".join(map(text, pieces)))


def tag(name: str, *children: object, **attributes: str | float | bool | None) -> Markup:
    """An element, which must not be one of those that HTML never closes (`br`, `img`, ...).

    Args:
        name: of the element.
        children: text or markup.
        attributes: by name, `_` for `-` and a trailing one for Python's own words; None and False leave one out, True
            gives one without a value.

    >>> tag("p", "a < b", class_="note", aria_label='"x"', hidden=True, id=None)
    '<p class="note" aria-label="&quot;x&quot;" hidden>a &lt; b</p>'
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")
