"""Renders the page of the room: the question, the sliders, and the answer beside its sources."""

from collections.abc import Iterable
from contextlib import suppress

import msgspec

from ilpsum.errors import counted
from ilpsum.pages import answers
from ilpsum.pages.forms import FORMS, Form
from ilpsum.pages.markup import Markup, attributes, filled, join, tag, text
from ilpsum.pages.parts import RESEARCH, place_name
from ilpsum.pages.room.asking import SLIDER_WORDS, Ask
from ilpsum.pages.room.session import ForgottenError, Session, Steered
from ilpsum.records import ANY_BUT_RETRACTED, KINDS, Sentence, SourceFilter
from ilpsum.version import __version__

# Number of rejected candidates shown, the most relevant first.
_LEFT_OUT = 10


def page(session: Session, ask: Ask, steered: Steered | None, error: str = "") -> str:
    """Return the page of an answered question, of an error, or, without either, of an invitation to ask."""
    content = (
        _content(ask, steered) if steered else tag("p", error, class_="none") if error else _invitation(session, ask)
    )
    lambda_ = ask.lambda_ if ask.lambda_ is not None else steered.lambda_ if steered else session.lambda_
    header = filled(
        "room-header.html", question=ask.question, focus=attributes(autofocus=not ask.question),
        words=ask.words, most=max(SLIDER_WORDS, ask.words), lambda_=f"{lambda_:.3f}".rstrip("0").rstrip(".") or "0",
        tuned=attributes(data_tuned="" if ask.lambda_ is None else None),
        searched=_searched(session, ask), filters=_filters(session, ask), hidden=_hidden(ask),
    )  # fmt: skip
    switches = filled("switches.html", switches=RESEARCH)
    return filled(
        "frame.html",
        title=ask.question or "Ask the abstracts",
        head=filled("room-head.html"),
        header=header,
        main=content,
        footer=filled("room-footer.html", version=__version__, switches=switches),
        skip="Skip to the answer",
    )


def _content(ask: Ask, steered: Steered) -> Markup:
    exports = _exports(ask) if steered.answer.lines else ""
    question = tag("p", ask.question, class_="printed query")
    beside = answers.beside(steered.answer, lambda sentence: _steer(ask, sentence), exports, _LEFT_OUT)
    return join(question, _choices(ask, steered), beside)


def _steer(ask: Ask, sentence: Sentence) -> Markup:
    """Return the links that keep or bar a sentence, or undo that; they work without a script."""
    name, keep, bar = place_name(sentence), set(ask.keep), set(ask.bar)
    if name in bar:
        return Markup()
    if name in keep:
        return tag("p", _link(ask, keep - {name}, bar, "Pinned: undo", "keep"), class_="steer")
    kept = _link(ask, keep | {name}, bar, "Pin", "keep")
    return tag("p", kept, " ", _link(ask, keep, bar | {name}, "Exclude", "bar"), class_="steer")


def _link(ask: Ask, keep: Iterable[str], bar: Iterable[str], label: str, kind: str) -> Markup:
    other = msgspec.structs.replace(ask, keep=tuple(sorted(keep)), bar=tuple(sorted(bar)))
    return tag("a", label, href=f"/?{other.address}", class_=f"steers {kind}")


def _choices(ask: Ask, steered: Steered) -> Markup:
    """Return the barred sentences, each with a link that undoes it."""
    if not ask.bar:
        return Markup()
    barred = []
    for sentence in steered.barred:
        undo = _link(ask, ask.keep, set(ask.bar) - {place_name(sentence)}, "Undo", "undo")
        barred.append(tag("li", "Excluded: ", tag("q", sentence.text), " ", undo))
    return tag("section", tag("ul", *barred), class_="choices", aria_label="Your choices")


def _exports(ask: Ask) -> Markup:
    """Return the download links; only researchers see the format for programs."""

    def link(form: Form) -> Markup:
        return tag("a", form.title, href=f"/answer{form.suffix}?{ask.address}", download=True)

    for_readers = (FORMS[name] for name in ("markdown", "docx", "ris", "bibtex"))
    shares = "A link to this answer works while this server holds your texts, and opens them to whoever has it."
    return join(
        tag("span", "Export: ", join(*(link(form) for form in for_readers if form.available), between=" · ")),
        tag("span", link(FORMS["json"]), class_="research"),
        tag("span", shares, class_="facts") if ask.held else "",
    )


def _invitation(session: Session, ask: Ask) -> Markup:
    what = "Bring texts to answer from."
    if session.search:
        what = f"{counted(session.search.documents, 'abstract is', 'abstracts are')} open."
    what = _searched(session, ask) if ask.held else _services(session) or what
    examples = () if ask.held else session.examples
    entries = [tag("li", tag("a", asked, href=f"/?{Ask(asked).address}")) for asked in examples]
    return join(
        tag("p", f"{what} Ask a question; the answer is quoted from them, sentence by sentence."),
        tag("section", tag("h2", "For example"), tag("ul", *entries), class_="examples") if entries else "",
    )


def _searched(session: Session, ask: Ask) -> str:
    """Describe what is searched, what is sent to which services, and which sources may be quoted."""
    searched = f"Searching {counted(session.search.documents, 'abstract')}." if session.search else ""
    parts = [searched, _services(session) if ask.services or not searched else ""]
    if ask.held:
        parts = ["The server no longer holds your texts: bring them again."]
        with suppress(ForgottenError):
            parts = [f"Answering from your texts ({session.held(ask.held).documents})."]
    said = " ".join(filter(None, parts)) or "No abstracts: bring texts."
    return said + _sources_in_words(ask.within(ANY_BUT_RETRACTED))


def _sources_in_words(wanted: SourceFilter) -> str:
    """Describe a source filter in words; empty for the default filter, which drops only retracted sources."""
    parts = (
        wanted.since is not None and f"since {wanted.since}",
        wanted.kinds and f"of the kinds {', '.join(KINDS[kind] for kind in wanted.kinds)}",
        wanted.humans and "not of animals or cells alone",
        not wanted.preprints and "no preprints",
        wanted.journal != "" and f"of journals named {wanted.journal}",
    )
    given = [part for part in parts if isinstance(part, str)]
    return f" Only sources {'; '.join(given)}." if given else ""


def _services(session: Session) -> str:
    return f"Words of the question are sent to {session.services}." if session.services else ""


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
    values = [("held", ask.held)] if ask.held else []
    values += [("keep", name) for name in ask.keep] + [("bar", name) for name in ask.bar]
    return Markup("".join(f'<input type="hidden" name="{name}" value="{text(value)}">' for name, value in values))
