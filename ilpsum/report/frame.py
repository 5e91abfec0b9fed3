"""The frame of every page: its head, header, main part and footer, and a policy that forbids all else."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template

from ilpsum.report.markup import Markup, text

_STYLES, _SCRIPTS = ("style.css",), ("page.js", "report.js")


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
    style, script = ("".join(map(asset, names)) for names in (_STYLES, _SCRIPTS))
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
