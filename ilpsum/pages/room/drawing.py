"""Renders the page of the room: the question, the sliders, and the answer beside its sources."""

from collections.abc import Iterable

import msgspec

from ilpsum.errors import counted
from ilpsum.pages.answer import beside, place_name
from ilpsum.pages.forms import FORMS
from ilpsum.pages.markup import Markup, attributes, filled, join, tag, text
from ilpsum.pages.room.asking import SLIDER_WORDS, Ask
from ilpsum.pages.room.session import Session, Steered
from ilpsum.records import ANY_BUT_RETRACTED, KINDS, Sentence, SourceFilter
from ilpsum.version import __version__

# Number of rejected candidates shown, the most relevant first.
_LEFT_OUT = 10


def page(session: Session, ask: Ask, steered: Steered | None, error: str = "") -> str:
    """Return the page of an answered question, of an error, or, without either, of an invitation to ask."""
    content = tag("p", error, class_="none") if error else _invitation(session)
    if steered:
        tools = _exports(ask) if steered.answer.lines else ""
        answer = beside(steered.answer, lambda sentence: _steer(ask, sentence), tools, _LEFT_OUT)
        content = join(tag("p", ask.question, class_="printed query"), _choices(ask, steered), answer)
    lambda_ = ask.lambda_ if ask.lambda_ is not None else steered.lambda_ if steered else session.lambda_
    header = filled(
        "room-header.html", question=ask.question, focus=attributes(autofocus=not ask.question),
        words=ask.words, most=max(SLIDER_WORDS, ask.words), lambda_=f"{lambda_:.3f}".rstrip("0").rstrip(".") or "0",
        tuned=attributes(data_tuned="" if ask.lambda_ is None else None),
        searched=_searched(session, ask), filters=_filters(session, ask), hidden=_hidden(ask),
    )  # fmt: skip
    return filled(
        "frame.html",
        title=ask.question or "Ask the abstracts",
        head=filled("room-head.html"),
        header=header,
        main=content,
        footer=filled("room-footer.html", version=__version__, switches=filled("switches.html", switches="")),
        skip="Skip to the answer",
    )


def _steer(ask: Ask, sentence: Sentence) -> Markup:
    """Return the links that keep or bar a sentence, or undo that; they work without a script."""
    name, keep, bar = place_name(sentence), set(ask.keep), set(ask.bar)
    if name in bar:
        return Markup()
    if name in keep:
        return tag("span", _link(ask, keep - {name}, bar, "Pinned: undo"), class_="steer")
    links = _link(ask, keep | {name}, bar, "Pin"), " ", _link(ask, keep, bar | {name}, "Exclude")
    return tag("span", *links, class_="steer")


def _link(ask: Ask, keep: Iterable[str], bar: Iterable[str], label: str) -> Markup:
    other = msgspec.structs.replace(ask, keep=tuple(sorted(keep)), bar=tuple(sorted(bar)))
    return tag("a", label, href=f"/?{other.address}", class_="steers")


def _choices(ask: Ask, steered: Steered) -> Markup:
    """Return the barred sentences, each with a link that undoes it."""
    if not ask.bar:
        return Markup()
    barred = []
    for sentence in steered.barred:
        undo = _link(ask, ask.keep, set(ask.bar) - {place_name(sentence)}, "Undo")
        barred.append(tag("li", "Excluded: ", tag("q", sentence.text), " ", undo))
    return tag("section", tag("ul", *barred), class_="choices", aria_label="Your choices")


def _exports(ask: Ask) -> Markup:
    """Return the download links."""
    forms = (FORMS[name] for name in ("markdown", "docx", "ris", "bibtex", "json"))
    links = (
        tag("a", form.title, href=f"/answer{form.suffix}?{ask.address}", download=True)
        for form in forms
        if form.available
    )
    return tag("span", "Export: ", join(*links, between=" · "))


def _invitation(session: Session) -> Markup:
    examples = [tag("li", tag("a", asked, href=f"/?{Ask(asked).address}")) for asked in session.examples]
    return join(
        tag("p", "Ask a question: the answer is quoted, sentence by sentence, from what is found."),
        tag("section", tag("h2", "For example"), tag("ul", *examples), class_="examples") if examples else "",
    )


def _searched(session: Session, ask: Ask) -> str:
    """Describe what is searched, what is sent to which services, and which sources may be quoted."""
    own, services = session.search, session.services if ask.services or not session.search else ""
    where = " and ".join(filter(None, (counted(own.documents, "abstract") if own else "", services)))
    sent = f" Words of the question are sent to {services}." if services else ""
    return f"Searches {where}.{sent}{_sources_in_words(ask.within(ANY_BUT_RETRACTED))}"


def _sources_in_words(wanted: SourceFilter) -> str:
    """Describe a source filter in words; empty for the default filter, which drops only retracted sources."""
    parts = (
        f"since {wanted.since}" if wanted.since is not None else "",
        f"of the kinds {', '.join(KINDS[kind] for kind in wanted.kinds)}" if wanted.kinds else "",
        "not of animals or cells alone" if wanted.humans else "",
        "" if wanted.preprints else "no preprints",
        f"of journals named {wanted.journal}" if wanted.journal else "",
    )
    given = "; ".join(filter(None, parts))
    return f" Only sources {given}." if given else ""


def _filters(session: Session, ask: Ask) -> Markup:
    """Return the fields of the source filter, expanded if any is in use."""

    def box(name: str, value: str, label: str, *, checked: bool) -> Markup:
        field = attributes(type="checkbox", name=name, value=value, checked=checked)
        return tag("label", Markup(f"<input{field}> "), label)

    kinds = [box("kinds", kind, name, checked=kind in ask.kinds) for kind, name in KINDS.items() if kind != "preprint"]
    boxes = [
        box("humans", "true", "no studies of animals or cells alone", checked=ask.humans),
        box("preprints", "false", "no preprints", checked=not ask.preprints),
    ]
    if session.services and session.search:
        label = f"only the abstracts here: nothing is sent to {session.services}"
        boxes.append(box("services", "false", label, checked=not ask.services))
    used = ask.within(ANY_BUT_RETRACTED) != ANY_BUT_RETRACTED or not ask.services
    return filled(
        "room-filters.html", opened=attributes(open=used), since=ask.since or "", journal=ask.journal,
        kinds=join(*kinds), boxes=join(*boxes),
    )  # fmt: skip


def _hidden(ask: Ask) -> Markup:
    """Return the fields that remember what was pinned and excluded."""
    values = [("keep", name) for name in ask.keep] + [("bar", name) for name in ask.bar]
    return Markup("".join(f'<input type="hidden" name="{name}" value="{text(value)}">' for name, value in values))
