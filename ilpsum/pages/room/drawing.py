"""Renders the page of the room: the question, the sliders, and the answer beside its sources."""

from collections.abc import Iterable

import msgspec

from ilpsum.answers.finding import SERVICES, Finding
from ilpsum.errors import counted
from ilpsum.pages.answer import beside, place_name
from ilpsum.pages.forms import FORMS
from ilpsum.pages.markup import Markup, attributes, filled, join, tag, text
from ilpsum.pages.room.asking import SLIDER_WORDS, Ask
from ilpsum.pages.room.session import Session, Steered
from ilpsum.records import KINDS, Sentence
from ilpsum.version import __version__

# Number of rejected candidates shown, the most relevant first.
_LEFT_OUT = 10
LANGUAGES = {
    "eng": "English",
    "fre": "French",
    "ger": "German",
    "spa": "Spanish",
    "chi": "Chinese",
    "jpn": "Japanese",
}
"""Languages offered on the page, by their codes; the address takes any code."""


def page(session: Session, ask: Ask, steered: Steered | None, error: str = "") -> str:
    """Return the page of an answered question, of an error, or, without either, of an invitation to
    ask.
    """
    content = tag("p", error, class_="none") if error else _invitation(session)
    if steered:
        tools = _exports(ask) if steered.answer.lines else ""
        only = len(steered.findings) == 1
        found = join(
            *(_found(ask, finding, only=only) for finding in steered.findings), between=" "
        )
        answer = beside(
            steered.answer, lambda sentence: _steer(ask, sentence), tools, _LEFT_OUT, found
        )
        content = join(tag("p", ask.question, class_="printed query"), answer)
    lambda_ = (
        ask.lambda_ if ask.lambda_ is not None else steered.lambda_ if steered else session.lambda_
    )
    header = filled(
        "room-header.html", question=ask.question, focus=attributes(autofocus=not ask.question),
        words=ask.words, most=max(SLIDER_WORDS, ask.words),
        lambda_=f"{lambda_:.3f}".rstrip("0").rstrip(".") or "0",
        tuned=attributes(data_tuned="" if ask.lambda_ is None else None),
        searched=_searched(session, ask), filters=_filters(session, ask), hidden=_hidden(ask),
    )  # fmt: skip
    return filled(
        "frame.html",
        title=ask.question or "Ask the abstracts",
        head=filled("room-head.html"),
        header=header,
        main=content,
        footer=filled("room-footer.html", version=__version__, switches=filled("switches.html")),
        skip="Skip to the answer",
    )


def _steer(ask: Ask, sentence: Sentence) -> Markup:
    """Return the links that keep or bar a sentence, or undo that; they work without a script."""
    name, keep, bar = place_name(sentence), set(ask.keep), set(ask.bar)
    if name in bar or name in keep:
        return tag("span", _link(ask, keep - {name}, bar - {name}, "Undo"), class_="steer")
    links = _link(ask, keep | {name}, bar, "Pin"), " ", _link(ask, keep, bar | {name}, "Exclude")
    return tag("span", *links, class_="steer")


def _link(ask: Ask, keep: Iterable[str], bar: Iterable[str], label: str) -> Markup:
    other = msgspec.structs.replace(ask, keep=tuple(sorted(keep)), bar=tuple(sorted(bar)))
    return tag("a", label, href=f"/?{other.address}", class_="steers")


def _found(ask: Ask, finding: Finding, *, only: bool) -> Markup:
    """Say what a service found, with links that open the search there and, if no other has its own,
    edit it here.
    """
    name = SERVICES[finding.service].name
    fetched = f", of which {finding.number:,} were read" if finding.total > finding.number else ""
    edited = msgspec.structs.replace(ask, query=finding.query)
    links = [tag("a", f"Open this search in {name}", href=finding.page, rel="noreferrer")]
    links += [tag("a", "Edit this search", href=f"/?{edited.address}#query")] if only else []
    return join(
        f"{name} has {counted(finding.total, 'record')} for this question{fetched}. ",
        join(*links, between=" · "),
    )


def _exports(ask: Ask) -> Markup:
    forms = (FORMS[name] for name in ("markdown", "docx", "ris", "bibtex", "json"))
    links = (
        tag("a", form.title, href=f"/answer{form.suffix}?{ask.address}", download=True)
        for form in forms
        if form.available
    )
    return tag("span", "Export: ", join(*links, between=" · "))


def _invitation(session: Session) -> Markup:
    examples = [
        tag("li", tag("a", asked, href=f"/?{Ask(asked).address}")) for asked in session.examples
    ]
    return join(
        tag("p", "Ask a question: the answer is quoted, sentence by sentence, from what is found."),
        tag("section", tag("h2", "For example"), tag("ul", *examples), class_="examples")
        if examples
        else "",
    )


def _searched(session: Session, ask: Ask) -> str:
    """Describe what is searched, what is sent to which services, and which sources may be
    quoted.
    """
    own, services = session.search, session.services if ask.services or not session.search else ""
    where = " and ".join(
        filter(None, (counted(own.documents, "abstract") if own else "", services))
    )
    sent = f"; the words of your question are sent to {services}" if services else ""
    parts = (
        f"found by the search “{ask.query}”" if ask.query else "",
        f"since {ask.since}" if ask.since else "",
        f"up to {ask.until}" if ask.until else "",
        f"in {' or '.join(LANGUAGES.get(code, code) for code in ask.languages)}"
        if ask.languages
        else "",
        f"of the kinds {', '.join(KINDS[kind] for kind in ask.kinds)}" if ask.kinds else "",
        "not of animals or cells alone" if ask.humans else "",
        "" if ask.preprints else "no preprints",
        f"of journals named {ask.journal}" if ask.journal else "",
    )
    only = "; ".join(filter(None, parts))
    return f"Answers from {where}{sent}.{f' Only studies {only}.' if only else ''}"


def _filters(session: Session, ask: Ask) -> Markup:
    """Return the fields of the source filter, expanded if any is in use."""

    def box(name: str, value: str, label: str, *, checked: bool) -> Markup:
        field = attributes(type="checkbox", name=name, value=value, checked=checked)
        return tag("label", Markup(f"<input{field}> "), label)

    kinds = [
        box("kinds", kind, name, checked=kind in ask.kinds)
        for kind, name in KINDS.items()
        if kind != "preprint"
    ]
    boxes = [
        box("humans", "true", "no studies of animals or cells alone", checked=ask.humans),
        box("preprints", "false", "no preprints", checked=not ask.preprints),
    ]
    if session.services and session.search:
        label = f"only the abstracts here: nothing is sent to {session.services}"
        boxes.append(box("services", "false", label, checked=not ask.services))
    of_services = Markup()
    if session.services:
        languages = (
            box("languages", code, name, checked=code in ask.languages)
            for code, name in LANGUAGES.items()
        )
        fields = {"services": session.services, "until": ask.until or "", "query": ask.query}
        of_services = filled("room-services.html", languages=join(*languages), **fields)
    used = ask.searched != Ask(ask.question)
    return filled(
        "room-filters.html", opened=attributes(open=used), since=ask.since or "",
        journal=ask.journal,
        kinds=join(*kinds), boxes=join(*boxes), of_services=of_services,
    )  # fmt: skip


def _hidden(ask: Ask) -> Markup:
    values = [("keep", name) for name in ask.keep] + [("bar", name) for name in ask.bar]
    return Markup(
        "".join(
            f'<input type="hidden" name="{name}" value="{text(value)}">' for name, value in values
        )
    )
