"""The frame of every page: its head, its style, its script, and a policy that forbids all else."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from string import Template

from ilpsum.report.markup import text


def framed(title: str, body: str, *, skip: str, styles: Sequence[str], script: str = "") -> str:
    """Return a complete page with the HTML `body`; `skip` is the text of the link that skips to its main part.

    Styles and script are names of files in `assets`. The page's content security policy allows no loading and no style
    or script but these, not even in an attribute.
    """
    style, code = "".join(map(_asset, styles)), _asset(script) if script else ""
    allowed = f"style-src {_digest(style)}; script-src " + (_digest(code) if code else "'none'")
    policy = f"default-src 'none'; img-src data:; {allowed}; base-uri 'none'; form-action 'none'"
    return Template(_asset("frame.html")).substitute(
        policy=text(policy),
        title=text(title),
        style=style,
        script=f"<script>{code}</script>\n" if code else "",
        skip=text(skip),
        body=body,
    )


def body_of(name: str, **parts: object) -> str:
    """Fill a template in `assets`; parts that are not markup are escaped."""
    return Template(_asset(name)).substitute({key: text(value) for key, value in parts.items()})


def _asset(name: str) -> str:
    return files("ilpsum.report").joinpath("assets", name).read_text("utf-8")


def _digest(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
