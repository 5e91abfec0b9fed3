"""The page of the room: the question, the sliders, and the answer beside its sources."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace as changed
from importlib.resources import files
from string import Template

import msgspec

from ilpsum.records import Sentence
from ilpsum.report import answers
from ilpsum.report.markup import Markup, join, tag, text
from ilpsum.serve.asking import SLIDER_WORDS, Ask
from ilpsum.serve.room import Answered, Room, place
from ilpsum.version import __version__

# The reader sees the most relevant of the sentences that were left out.
_LEFT_OUT = 10


def page(room: Room, ask: Ask, answered: Answered | None, error: str = "") -> str:
    """Return the page of a question, or of an error in one line; without either it asks for a question."""
    title = ask.question or "Ask the abstracts"
    content = _content(ask, answered) if answered else tag("p", error, class_="none") if error else _invitation(room)
    return Template(files("ilpsum.serve").joinpath("assets", "room.html").read_text("utf-8")).substitute(
        title=text(title),
        question=text(ask.question),
        sliders=_sliders(ask, answered),
        searched=text(_searched(room, ask)),
        hidden=join(*(_hidden(ask))),
        content=content,
        version=text(__version__),
    )


def _sliders(ask: Ask, answered: Answered | None) -> Markup:
    most = max(SLIDER_WORDS, ask.words)
    lambda_ = _shown(ask.lambda_ if ask.lambda_ is not None else answered.lambda_ if answered else 0.1)
    return join(
        answers.slider("words", "words", "Words", str(ask.words), value=ask.words, low=10, high=most, step=5),
        answers.slider(
            "lambda", "lambda", "Lambda", lambda_, "(0 coverage, 1 relevance)",
            value=lambda_, low=0, high=1, step=0.005, data_tuned="" if ask.lambda_ is None else False,
        ),
    )  # fmt: skip


def _content(ask: Ask, answered: Answered) -> Markup:
    reading = changed(answered.reading, left_out=answered.reading.left_out[:_LEFT_OUT])

    def steer(document: str, start: int, end: int) -> Markup:
        return _steer(ask, place(document, start, end))

    answer = tag("div", answers.beside(reading, steer), class_="beside")
    return join(_steering(ask, answered), _exports(ask) if answered.reading.lines else "", answer)


def _steer(ask: Ask, name: str) -> Markup:
    """Return the links that keep and bar a sentence, or undo it; they work without a script."""
    keep, bar = set(ask.keep), set(ask.bar)
    if name in bar:
        return Markup()
    if name in keep:
        links = [_link(ask, keep - {name}, bar, "Kept: undo", "keep")]
    else:
        links = [
            _link(ask, keep | {name}, bar, "Keep this", "keep"),
            Markup(" "),
            _link(ask, keep, bar | {name}, "Not this", "bar"),
        ]
    return tag("p", *links, class_="steer")


def _link(ask: Ask, keep: Iterable[str], bar: Iterable[str], label: str, kind: str) -> Markup:
    other = msgspec.structs.replace(ask, keep=tuple(sorted(keep)), bar=tuple(sorted(bar)))
    return tag("a", label, href=f"/?{other.address}", class_=f"steers {kind}")


def _steering(ask: Ask, answered: Answered) -> Markup:
    """Return what the reader has kept and barred, and what it cost."""
    if not (ask.keep or ask.bar):
        return Markup()
    lost = "" if math.isnan(answered.cost) else f"Your choices cost {answered.cost:.1%} of the objective."
    return tag(
        "section",
        tag("p", lost, class_="facts"),
        tag("ul", *(_barred(ask, sentence) for sentence in answered.barred)) if answered.barred else "",
        class_="choices",
        aria_label="Your choices",
    )


def _barred(ask: Ask, sentence: Sentence) -> Markup:
    name = place(*sentence.place)
    undo = _link(ask, ask.keep, set(ask.bar) - {name}, "Undo", "undo")
    return tag("li", "Barred: ", tag("q", sentence.text), " ", undo)


def _exports(ask: Ask) -> Markup:
    kinds: Sequence[tuple[str, str]] = (("md", "Markdown"), ("json", "JSON"), ("jsonl", "BioGen line"))
    links = [
        join(" · " if i else "", tag("a", label, href=f"/answer.{kind}?{ask.address}", download=True))
        for i, (kind, label) in enumerate(kinds)
    ]
    return tag("p", "Export: ", *links, class_="exports")


def _invitation(room: Room) -> Markup:
    what = f"{room.search.documents:,} abstracts are open." if room.search else "Bring texts to answer from."
    return tag("p", f"{what} Ask a question; the answer is quoted from them, sentence by sentence.", class_="note")


def _searched(room: Room, ask: Ask) -> str:
    if ask.held:
        try:
            documents = room.held(ask.held).documents
        except Exception:
            return "Your texts are held no longer: bring them again."
        return f"Answering from your texts ({documents})."
    return f"Searching {room.search.documents:,} abstracts." if room.search else "No abstracts: bring texts."


def _hidden(ask: Ask) -> Iterable[Markup]:
    values = [("held", ask.held)] if ask.held else []
    values += [("keep", name) for name in ask.keep] + [("bar", name) for name in ask.bar]
    return [Markup(f'<input type="hidden" name="{name}" value="{text(value)}">') for name, value in values]


def _shown(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") or "0"
