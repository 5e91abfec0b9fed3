"""The frame of every page: its head, style, script and header, and a policy that forbids all else."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from string import Template

from ilpsum.report.markup import Markup, text


def framed(
    title: str,
    *,
    about: object = "",
    switches: Markup | str = "",
    navigation: object = "",
    main: object,
    footer: object,
    skip: str = "Skip to the content",
    scripts: Sequence[str] = ("answer.js", "script.js"),
) -> str:
    """Return a complete page; `skip` is the text of the link that skips to its main part.

    Parts that are not markup are escaped. Scripts are names of files in `assets`. The page's content security policy
    allows no loading and no style or script but its own, not even in an attribute.
    """
    style, script = "".join(map(_asset, ("style.css", "answer.css"))), "".join(map(_asset, scripts))
    allowed = f"style-src {_digest(style)}; script-src {_digest(script)}"
    policy = f"default-src 'none'; img-src data:; {allowed}; base-uri 'none'; form-action 'none'"
    parts = {"title": title, "about": about, "switches": switches, "main": main, "footer": footer, "skip": skip}
    escaped = {name: text(part) for name, part in parts.items()}
    nav = f'<nav aria-label="Contents">\n{text(navigation)}\n</nav>\n' if navigation else ""
    return Template(_asset("frame.html")).substitute(
        escaped, policy=text(policy), style=style, script=script, navigation=nav
    )


def _asset(name: str) -> str:
    return files("ilpsum.report").joinpath("assets", name).read_text("utf-8")


def _digest(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
