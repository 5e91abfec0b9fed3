"""HTML building with automatic escaping, so that input never becomes markup; tables; the frame of
all pages.

The frame has a head with a content security policy, a header, a main part and a footer.
"""

import math
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

# Characters that HTML forbids or browsers drop: controls except tab, LF and CR; lone surrogates;
# noncharacters.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane * 0x10000 + last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)


class Markup(str):
    """Escaped HTML."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Escape a value for use as text or attribute value; `Markup` is returned unchanged.

    Raises:
        TypeError: the value is an iterator, whose items the caller has forgotten to unpack.

    >>> text("a < b & 'c'")
    'a &lt; b &amp; &#x27;c&#x27;'
    """
    if isinstance(value, Iterator):
        raise TypeError(f"expected a value, got {type(value).__name__}; unpack it with *")
    return value if isinstance(value, Markup) else Markup(escape(printable(str(value))))


def printable(value: str) -> str:
    """Replace characters that HTML or XML forbid with U+FFFD; none of them is printable."""
    return value if value.isprintable() else _FORBIDDEN.sub("\ufffd", value)


def join(*pieces: object, between: str = "") -> Markup:
    """Join pieces with `between`, escaping all that are not `Markup`."""
    return Markup(between.join(map(text, pieces)))


def tag(name: str, /, *children: object, **more: str | float | bool | None) -> Markup:
    """Return an element with its children and attributes; `input` has no end.

    In attribute names `_` stands for `-`, and a final `_` is dropped (`class_`). None and False
    omit the attribute; True writes it without a value.

    >>> tag("p", "a < b", class_="note", aria_label='"x"', hidden=True, id=None)
    '<p class="note" aria-label="&quot;x&quot;" hidden>a &lt; b</p>'
    """
    end = "" if name == "input" else f"</{name}>"
    return Markup(f"<{name}{attributes(**more)}>{join(*children)}{end}")


def attributes(**named: str | float | bool | None) -> Markup:
    """Return attributes as in `tag`, each preceded by a space."""
    shown = ""
    for name, value in named.items():
        if value is None or value is False:
            continue
        shown += f" {name.rstrip('_').replace('_', '-')}"
        if value is not True:
            shown += f'="{text(value)}"'
    return Markup(shown)


def framed(
    title: str,
    *,
    about: object = "",
    main: object,
    footer: object,
    skip: str = "Skip to the content",
    scripts: Sequence[str] = ("page.js",),
    style: str,
) -> str:
    """Return a self-contained page; `skip` is the text of the link that skips to the main part,
    `style` its own rules.

    Parts other than `Markup` are escaped. The content security policy blocks all loading and allows
    only the page's own style sheet and script, no inline attributes.
    """
    style, script = asset("style.css") + style, "".join(map(asset, scripts))
    allowed = f"style-src {_digest(style)}; script-src {_digest(script)}"
    policy = f"default-src 'none'; img-src data:; {allowed}; base-uri 'none'; form-action 'none'"
    head = filled(
        "head.html",
        policy=policy,
        style=Markup(style),
        script=Markup(script),
    )
    header = join(tag("h1", title), about)
    return filled(
        "frame.html",
        title=title,
        head=head,
        header=header,
        main=main,
        footer=footer,
        skip=skip,
    )


def filled(template: str, /, **parts: object) -> Markup:
    """Fill in a template from `assets`; parts other than `Markup` are escaped.

    Every page is based on `frame.html`: `title`, `head`, `header`, `main`, `footer` and `skip`.
    """
    return Markup(
        Template(asset(template)).substitute({key: text(part) for key, part in parts.items()})
    )


@cache
def asset(name: str) -> str:
    """Return the text of a file in `assets`."""
    return files("ilpsum.pages").joinpath("assets", name).read_text("utf-8")


def _digest(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"


COLOURS = 8
"""Number of run colours in the style sheet; further runs reuse them."""


def table(
    caption: str,
    head: Sequence[Markup],
    rows: Sequence[Sequence[object]],
    **more: str,
) -> Markup:
    """Return a table with a caption; the first cell of each row is its header, the others are as
    `cell` returns them.

    The page's script makes columns sortable by `data-value`, or by text if there is none.
    """
    body = []
    for name, *cells in rows:
        body.append(tag("tr", tag("th", name, scope="row"), *cells))
    titles = tag("thead", tag("tr", *head))
    inner = tag("table", tag("caption", caption), titles, tag("tbody", *body), **more)
    # Focusable, so that the keyboard can scroll it sideways on a small screen.
    return tag(
        "div",
        inner,
        class_="scroll",
        role="region",
        aria_label=caption,
        tabindex="0",
    )


def head(*name: object, **more: str | None) -> Markup:
    """Return the head of a column."""
    return tag("th", *name, scope="col", **more)


def cell(value: float, shown: str, class_: str = "") -> Markup:
    """Return a cell with a number as shown, which sorts by its value."""
    return tag(
        "td",
        shown,
        data_value=round(value, 6),
        class_=f"number {class_}".strip(),
    )


def number(value: float, digits: int = 4) -> str:
    """Format a number with a minus sign (U+2212); non-finite values become a dash."""
    return f"{value:.{digits}f}".replace("-", "−") if math.isfinite(value) else "–"


def short(value: float, digits: int = 3, *, signed: bool = False) -> str:
    """Format a score without the zero before its point.

    >>> short(0.0123), short(-0.0123, signed=True), short(0.5, signed=True)
    ('.012', '−.012', '+.500')
    """
    shown = number(value, digits)
    sign = "+" if signed and value > 0 else ""
    return sign + (shown.replace("0.", ".", 1) if abs(value) < 1 else shown)


def run_name(name: str, index: int) -> Markup:
    """Return a run's name with its colour."""
    return join(tag("span", class_=f"key {colour(index)}", aria_hidden="true"), tag("bdi", name))


OWN_MARK = -1
"""The number of what is no run among others, such as the nested choice of a sweep."""


def colour(index: int) -> str:
    """Return the CSS class of a run's colour and mark."""
    return "own" if index == OWN_MARK else f"run{index % COLOURS}"
