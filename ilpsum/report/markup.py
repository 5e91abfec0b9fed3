"""HTML in which all text is escaped: input can never become markup; and the frame of every page.

The frame is its head, header, main part and footer, and a policy that forbids all else.
"""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

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


def join(*pieces: object, between: str = "") -> Markup:
    """Concatenate pieces, escaping those that are not markup."""
    return Markup(between.join(map(text, pieces)))


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


def framed(
    title: str,
    *,
    about: object = "",
    switches: Markup | str = "",
    navigation: object = "",
    main: object,
    footer: object,
    skip: str = "Skip to the content",
) -> str:
    """Return a page in one file; `skip` is the text of the link that skips to its main part.

    Parts that are not markup are escaped. The page's content security policy allows no loading and no style or script
    but its own, not even in an attribute.
    """
    style, script = ("".join(map(asset, names)) for names in (("style.css",), ("page.js", "report.js")))
    allowed = f"style-src {_digest(style)}; script-src {_digest(script)}"
    policy = f"default-src 'none'; img-src data:; {allowed}; base-uri 'none'; form-action 'none'"
    head = filled("head.html", policy=policy, style=Markup(style), script=Markup(script))
    controls = filled("switches.html", switches=switches)
    header = filled("header.html", title=title, about=about, switches=controls)
    nav = Markup(f'<nav aria-label="Contents">\n{text(navigation)}\n</nav>\n') if navigation else ""
    return filled(
        "frame.html", title=title, head=head, header=header, navigation=nav, main=main, footer=footer, skip=skip
    )


def filled(template: str, /, package: str = "ilpsum.report", **parts: object) -> Markup:
    """Return a template of a package's `assets` with its parts, those that are not markup escaped.

    Every page is `frame.html`, whose parts are `title`, `head`, `header`, `navigation`, `main`, `footer` and `skip`.
    """
    return Markup(Template(asset(template, package)).substitute({key: text(part) for key, part in parts.items()}))


@cache
def asset(name: str, package: str = "ilpsum.report") -> str:
    """Return the text of a file of a package's `assets`."""
    return files(package).joinpath("assets", name).read_text("utf-8")


def _digest(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
