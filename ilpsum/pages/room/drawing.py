"""Renders the page of the room: the question, its settings as chips, and the answer beside its
sources.
"""

from collections.abc import Iterable, Iterator

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
    ask. All addresses are relative, so that a server may stand under a path.
    """
    if error:
        content = tag("p", error, class_="none", role="alert")
    elif steered:
        content = _answered(session, ask, steered)
    else:
        content = _home(session, ask)
    header = filled(
        "room-header.html",
        question=ask.question,
        focus=attributes(autofocus=not ask.question),
        chips=_chips(session, ask, steered),
        hidden=_hidden(ask),
    )
    return filled(
        "frame.html",
        title=ask.question or "ilpsum: ask the abstracts",
        head=filled("room-head.html"),
        header=header,
        main=content,
        footer=filled(
            "room-footer.html",
            version=__version__,
            today=steered.answer.asked[-1] if steered else "",
            switches=filled("switches.html"),
        ),
        skip="Skip to the answer",
    )


def _answered(session: Session, ask: Ask, steered: Steered) -> Markup:
    only = len(steered.findings) == 1
    searched = [_searched(session, ask)]
    searched += [_found(ask, finding, only=only) for finding in steered.findings]
    answer = beside(
        steered.answer,
        lambda sentence: _steer(ask, sentence),
        join(*_exports(ask, "docx", "ris", "bibtex")),
        join(*_exports(ask, "markdown", "json"), between=", "),
        _LEFT_OUT,
        join(*searched, between=" "),
    )
    return join(tag("p", ask.question, class_="printed query"), answer)


def _home(session: Session, ask: Ask) -> Markup:
    """Return the examples, and one line on where answers come from."""
    examples = [tag("a", asked, href=f"?{Ask(asked).address}") for asked in session.examples]
    return tag(
        "section",
        tag("p", *examples, class_="examples", aria_label="Examples") if examples else "",
        tag("p", _searched(session, ask), class_="meta"),
        class_="home",
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
    return tag("a", label, href=f"?{other.address}", class_="steers")


def _found(ask: Ask, finding: Finding, *, only: bool) -> Markup:
    """Say what a service found, with links that open the search there and, if no other has its own,
    edit it here.
    """
    name = SERVICES[finding.service].name
    fetched = f", of which {finding.number:,} were read" if finding.total > finding.number else ""
    edited = msgspec.structs.replace(ask, query=finding.query)
    links = [tag("a", f"Open this search in {name}", href=finding.page, rel="noreferrer")]
    links += [tag("a", "Edit this search", href=f"?{edited.address}#query")] if only else []
    return join(
        f"{name} has {counted(finding.total, 'record')} for this question{fetched}. ",
        join(*links, between=" · "),
    )


def _exports(ask: Ask, *names: str) -> Iterator[Markup]:
    """Yield links to the answer in other forms, those that this installation can write."""
    for name in names:
        form = FORMS[name]
        if form.available:
            address = f"answer{form.suffix}?{ask.address}"
            yield tag("a", form.title, href=address, download=True)


def _searched(session: Session, ask: Ask) -> Markup:
    """Describe what is searched, and what is sent to which services."""
    search = session.search
    services = session.services if ask.services or not search else ""
    places = [counted(search.documents, "abstract")] if search else []
    if services:
        places.append(services)
    sent = f"; the words of your question are sent to {services}" if services else ""
    query = f" Found by the search “{ask.query}”." if ask.query else ""
    # The chips are not printed.
    only = [_years(ask)] if ask.since or ask.until else []
    only += [_kinds(ask)] if ask.kinds else []
    only += ["Humans"] if ask.humans else []
    only += [" or ".join(LANGUAGES.get(code, code) for code in ask.languages)]
    only += [f"journals named {ask.journal}"] if ask.journal else []
    only += [] if ask.preprints else ["no preprints"]
    filters = f" Only: {', '.join(filter(None, only))}." if any(only) else ""
    return text(f"Answers from {' and '.join(places)}{sent}.{query}{filters}")


def _chips(session: Session, ask: Ask, steered: Steered | None) -> Markup:
    """Return the settings: each a chip that says what is set and opens a small form."""
    lambda_ = ask.lambda_
    if lambda_ is None:
        lambda_ = steered.lambda_ if steered else session.lambda_
    length = filled("room-words.html", words=ask.words, most=max(SLIDER_WORDS, ask.words))
    until = filled("room-until.html", until=ask.until or "") if session.services else ""
    years = filled("room-years.html", since=ask.since or "", until=until)
    kinds = [
        _box("kinds", kind, name, checked=kind in ask.kinds)
        for kind, name in KINDS.items()
        if kind != "preprint"
    ]
    humans = _box("humans", "true", "no studies of animals or cells alone", checked=ask.humans)
    breadth = filled(
        "room-breadth.html",
        lambda_=f"{lambda_:.3f}".rstrip("0").rstrip(".") or "0",
        tuned=attributes(data_tuned="" if ask.lambda_ is None else None),
        journal=ask.journal,
    )
    further = [ask.lambda_ is not None, ask.journal, ask.query, ask.languages]
    further += [not ask.preprints, not ask.services]
    count = sum(map(bool, further))
    length_set = tag("span", f"{ask.words} words", id="words-value")
    return join(
        _chip(length_set, length, used=ask.words != Ask().words),
        _chip(_years(ask), years, used=bool(ask.since or ask.until)),
        _chip(_kinds(ask), *kinds, used=bool(ask.kinds)),
        _chip("Humans" if ask.humans else "Humans and animals", humans, used=ask.humans),
        _chip(
            f"Advanced: {count} set" if count else "Advanced",
            breadth,
            *_further(session, ask),
            used=bool(count),
        ),
    )


def _chip(label: object, *fields: object, used: bool) -> Markup:
    return tag(
        "details",
        tag("summary", label),
        tag("div", *fields, class_="pop"),
        class_="chip set" if used else "chip",
        name="chip",
    )


def _box(name: str, value: str, label: str, *, checked: bool) -> Markup:
    field = attributes(type="checkbox", name=name, value=value, checked=checked)
    return tag("label", Markup(f"<input{field}> "), label)


def _years(ask: Ask) -> str:
    if ask.since and ask.until:
        return f"{ask.since} to {ask.until}"
    if ask.since:
        return f"Since {ask.since}"
    return f"Up to {ask.until}" if ask.until else "Any year"


def _kinds(ask: Ask) -> str:
    if not ask.kinds:
        return "All kinds of study"
    first = KINDS[ask.kinds[0]].capitalize()
    return first if len(ask.kinds) == 1 else f"{first} and {len(ask.kinds) - 1} more"


def _further(session: Session, ask: Ask) -> Iterator[Markup]:
    """Yield what few set: preprints, and what only services can filter."""
    yield _box("preprints", "false", "no preprints", checked=not ask.preprints)
    if not session.services:
        return
    if session.search:
        label = f"only the abstracts here: nothing is sent to {session.services}"
        yield _box("services", "false", label, checked=not ask.services)
    languages = [
        _box("languages", code, name, checked=code in ask.languages)
        for code, name in LANGUAGES.items()
    ]
    fields = {"services": session.services, "query": ask.query}
    yield filled("room-services.html", languages=join(*languages), **fields)


def _hidden(ask: Ask) -> Markup:
    values = [("keep", name) for name in ask.keep] + [("bar", name) for name in ask.bar]
    return Markup(
        "".join(
            f'<input type="hidden" name="{name}" value="{text(value)}">' for name, value in values
        )
    )
