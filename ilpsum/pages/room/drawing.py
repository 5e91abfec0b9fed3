"""Renders the page of the room: the question, its settings as chips, and the answer beside its
sources.
"""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ilpsum.answers.finding import SERVICES, Finding
from ilpsum.errors import counted
from ilpsum.pages.answer import begun, beside, place_name
from ilpsum.pages.forms import FORMS
from ilpsum.pages.markup import Markup, attributes, filled, join, tag, text
from ilpsum.pages.room.asking import SLIDER_WORDS, Ask, latest_year
from ilpsum.pages.room.session import Answered, Session
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


def page(session: Session, ask: Ask, answered: Answered | None, error: str = "") -> str:
    """Return the page of an answered question, of an error, or, without either, of an invitation to
    ask. All addresses are relative, so that a server may stand under a path.
    """
    if error:
        content = _failed(session, ask, error)
    elif answered:
        content = _answered(session, ask, answered)
    else:
        content = _home(session, ask)
    header = filled("room-header.html", **_settings(session, ask))
    return filled(
        "frame.html",
        title=ask.question or "ilpsum: ask the abstracts",
        head=filled("room-head.html"),
        header=header,
        main=content,
        footer=filled("room-footer.html", version=__version__),
        skip="Skip to the answer",
    )


def _answered(session: Session, ask: Ask, answered: Answered) -> Markup:
    is_only = len(answered.findings) == 1
    searched = _searched(session, ask)
    for finding in answered.findings:
        searched = join(searched, " ", _found(ask, finding, is_only=is_only))
    answer = answered.answer
    shown = beside(
        answer,
        partial(_steer, ask),
        join(*_exports(ask, "docx", "ris", "bibtex")),
        _further(session, ask, answered),
        _LEFT_OUT,
        searched,
        _link("Search for what you wrote", msgspec.structs.replace(ask, exact=True)),
    )
    if ask != ask.unfiltered and not answer.lines:
        shown = join(tag("p", "The filters leave no answer. ", _unfiltered(ask)), shown)
    printed = tag("p", answer.asked[-1], " ", tag("span", class_="address"), class_="printed")
    return join(tag("p", ask.question, class_="printed query"), shown, printed)


def _failed(session: Session, ask: Ask, error: str) -> Markup:
    """Return an error, and what can be asked instead."""
    parts = [tag("p", begun(error), class_="none", role="alert")]
    if ask != ask.unfiltered:
        parts.append(tag("p", _unfiltered(ask)))
    if session.judged(ask):
        built_in = msgspec.structs.replace(ask, judge=False)
        parts.append(tag("p", _link("Answer with the built-in ranking", built_in)))
    return join(*parts)


def _unfiltered(ask: Ask) -> Markup:
    return _link("Clear the filters", ask.unfiltered)


def _further(session: Session, ask: Ask, answered: Answered) -> Markup:
    """Return what stands under how an answer was made: breadth, the judge, other forms."""
    is_tuned = ask.lambda_ is None
    has_judge = session.judge is not None
    return filled(
        "room-made.html",
        lambda_=f"{round(answered.lambda_, 3):g}",
        tuned=attributes(data_tuned="" if is_tuned else None),
        without_judge=attributes(hidden=has_judge),
        forms=join(*_exports(ask, "json")),
    )


def _home(session: Session, ask: Ask) -> Markup:
    """Return the examples, and one line on where answers come from."""
    parts = []
    examples = [tag("a", asked, href=f"?{Ask(asked).address}") for asked in session.examples]
    if examples:
        parts.append(tag("p", *examples, class_="examples", aria_label="Examples"))
    parts.append(tag("p", _searched(session, ask), class_="meta"))
    return tag("section", *parts, class_="home")


def _steer(ask: Ask, sentence: Sentence) -> Markup:
    """Return the links that keep or bar a sentence, or undo that; they work without a script."""
    name = place_name(sentence)
    keep, bar = set(ask.keep), set(ask.bar)
    if name in keep:
        return tag("span", _marked(ask, keep - {name}, bar, "Unpin"), class_="pinned")
    if name in bar:
        return _marked(ask, keep, bar - {name}, "Undo")
    pin = _marked(ask, keep | {name}, bar, "Pin")
    return join(pin, _marked(ask, keep, bar | {name}, "Exclude"), between=" ")


def _marked(ask: Ask, keep: Iterable[str], bar: Iterable[str], label: str) -> Markup:
    """Return a link that keeps and bars these sentences."""
    keep, bar = tuple(sorted(keep)), tuple(sorted(bar))
    return _link(label, msgspec.structs.replace(ask, keep=keep, bar=bar))


def _link(label: str, ask: Ask) -> Markup:
    """Return a link to another question, which the script answers in place."""
    return tag("a", label, href=f"?{ask.address}", class_="steers")


def _found(ask: Ask, finding: Finding, *, is_only: bool) -> Markup:
    """Say what a service found, with links that open the search there and, if no other has its own,
    edit it here.
    """
    name = SERVICES[finding.service].name
    fetched = f", of which {finding.number:,} were read" if finding.total > finding.number else ""
    edited = msgspec.structs.replace(ask, query=finding.query)
    links = [tag("a", f"Open this search in {name}", href=finding.page, rel="noreferrer")]
    if is_only:
        links.append(tag("a", "Edit this search", href=f"?{edited.address}#query"))
    return join(
        f"{name} has {counted(finding.total, 'record')} for this question{fetched}. ",
        join(*links, between=" · "),
    )


def _exports(ask: Ask, *names: str) -> Iterator[Markup]:
    """Yield links to the answer in other forms; of those that this installation cannot write, how
    to get them.
    """
    for name in names:
        form = FORMS[name]
        if form.available:
            address = f"answer{form.suffix}?{ask.address}"
            yield tag("a", form.title, href=address, download=True)
        else:
            yield tag("details", tag("summary", form.title), tag("p", f"{form.lacking}."))


def _searched(session: Session, ask: Ask) -> Markup:
    """Describe what is searched, and what is sent to which services."""
    search = session.search
    services = session.services if ask.services or not search else ""
    places = [counted(search.documents, "abstract")] if search else []
    sent = query = filters = ""
    if services:
        places.append(services)
        sent = f"; the words of your question are sent to {services}"
    if session.judge and session.judged(ask):
        sent += f"; your question and the sentences found are sent to {session.judge.name}"
    if ask.query:
        query = f" Found by the search “{ask.query}”."
    if only := ", ".join(_filters(ask)):
        filters = f" Only: {only}."
    return text(f"Answers from {' and '.join(places)}{sent}.{query}{filters}")


def _filters(ask: Ask) -> Iterator[str]:
    """Yield the filters that are set: the chips, which say them, are not printed."""
    if ask.since or ask.until:
        yield _years(ask)
    if ask.kinds:
        yield _kinds(ask)
    if ask.evidence:
        yield "reviews and trials"
    if ask.humans:
        yield "humans"
    if ask.languages:
        yield " or ".join(LANGUAGES.get(code, code) for code in ask.languages)
    if ask.journal:
        yield f"journals named {ask.journal}"
    if not ask.preprints:
        yield "no preprints"


def _settings(session: Session, ask: Ask) -> dict[str, object]:
    """Return the values of the header: the question, and chips that say what is set, each with a
    small form.
    """
    values = msgspec.structs.asdict(ask)
    values["hidden"] = join(*_steering(ask))
    values["focus"] = attributes(autofocus=not ask.question)
    values["most"] = max(SLIDER_WORDS, ask.words)
    values["since"] = ask.since or ""
    values["until"] = ask.until or ""
    values["latest"] = latest_year()
    values["evidence"] = _toggle("evidence", "Reviews and trials", checked=ask.evidence)
    values["humans"] = _toggle("humans", "Humans", checked=ask.humans)
    kinds = (kind for kind in KINDS if kind != "preprint")
    boxes = [_box("kinds", kind, KINDS[kind], checked=kind in ask.kinds) for kind in kinds]
    values["kinds"] = join(*boxes)
    values |= _chip("words", f"{ask.words} words", is_set=ask.words != Ask().words)
    values |= _chip("years", _years(ask), is_set=bool(ask.since or ask.until))
    values |= _chip("kinds", _kinds(ask), is_set=bool(ask.kinds))
    values |= _ranked(session, ask)
    values |= _advanced(session, ask)
    return values


def _steering(ask: Ask) -> Iterator[Markup]:
    """Yield the hidden fields of the sentences that the reader forces in or out."""
    for name, places in (("keep", ask.keep), ("bar", ask.bar)):
        for place in places:
            yield tag("input", type="hidden", name=name, value=place)


def _chip(name: str, label: str, *, is_set: bool) -> dict[str, object]:
    return {f"{name}_label": label, f"{name}_class": "chip set" if is_set else "chip"}


def _toggle(name: str, label: str, *, checked: bool) -> Markup:
    """Return a chip that is a box itself."""
    return tag("div", _box(name, "true", label, checked=checked), class_="chip toggle")


def _advanced(session: Session, ask: Ask) -> dict[str, object]:
    """Return the values of what few set: journals, preprints, spelling, and what only services can
    filter.
    """
    is_set = (
        ask.journal,
        ask.query,
        ask.languages,
        ask.exact,
        not ask.preprints,
        not ask.services,
    )
    count = sum(map(bool, is_set))
    languages = [
        _box("languages", code, name, checked=code in ask.languages)
        for code, name in LANGUAGES.items()
    ]
    label = f"Advanced: {count} set" if count else "Advanced"
    return {
        **_chip("few", label, is_set=bool(count)),
        "exact": _box("exact", "true", "search for the words as written", checked=ask.exact),
        "preprints": _box("preprints", "false", "no preprints", checked=not ask.preprints),
        "own": _own(session, ask),
        "services": session.services,
        "languages": join(*languages),
        "for_services": attributes(hidden=not session.services),
    }


def _ranked(session: Session, ask: Ask) -> dict[str, object]:
    """Return the values of the choice between the judge, if the server has one, and what is built
    in.
    """
    name = session.judge.name if session.judge else ""
    judged = session.judged(ask)
    choices = join(
        _box("judge", "", f"{name}, which receives the sentences", checked=judged, kind="radio"),
        _box("judge", "false", "the built-in ranking", checked=not judged, kind="radio"),
    )
    label = f"Ranked by: {name if judged else 'built in'}"
    return {
        "for_judge": attributes(hidden=not name),
        "ranked": choices if name else "",
        **_chip("ranked", label, is_set=bool(name) and not judged),
    }


def _own(session: Session, ask: Ask) -> Markup | str:
    """Return the box that sends nothing, if there is anything else to search."""
    if not session.services or not session.search:
        return ""
    label = f"only the abstracts here: nothing is sent to {session.services}"
    return _box("services", "false", label, checked=not ask.services)


def _box(name: str, value: str, label: str, *, checked: bool, kind: str = "checkbox") -> Markup:
    field = tag(
        "input",
        type=kind,
        name=name,
        value=value,
        checked=checked,
    )
    return tag("label", field, f" {label}")


def _years(ask: Ask) -> str:
    if ask.since and ask.until:
        return f"{ask.since} to {ask.until}"
    if ask.since:
        return f"Since {ask.since}"
    return f"Up to {ask.until}" if ask.until else "Any year"


def _kinds(ask: Ask) -> str:
    if not ask.kinds:
        return "Any study type"
    first = KINDS[ask.kinds[0]].capitalize()
    return first if len(ask.kinds) == 1 else f"{first} and {len(ask.kinds) - 1} more"
