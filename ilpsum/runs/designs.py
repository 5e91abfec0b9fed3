"""How the summaries of a run were made, so that a comparison can say what two runs differ in
apart from the selection.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ilpsum.records import Summary


@dataclass(frozen=True, slots=True)
class Design:
    """How a summary was made.

    Attributes:
        selection: the method, with its lambda or threshold, in words.
        features: the feature set of relevance; empty without a model, as are `target` and `model`.
        target: what relevance predicts.
        others: other settings of selection, coherence and order by name, as JSON.
        candidates: a number that tells apart what the summary was chosen from.
        model: digest of the model's training data.
    """

    selection: str
    features: str
    target: str
    others: Mapping[str, str]
    candidates: int
    model: str


Designs = Mapping[str, Design]
"""The designs of a run by topic id."""

_NAMED = ("selection", "features", "target")
_UNNAMED = ("candidates", "model")
# Keys of the table [selection] that `Design.selection` says.
_SAID = ("method", "lambda", "threshold")
# Methods of a query of Task 1.
_LINKERS = ("ranked", "learned")


class _System(msgspec.Struct):
    name: str = ""
    method: str = ""
    threshold: float | None = None
    target: str = ""
    model: str = ""


class _Objective(msgspec.Struct):
    lambda_: float | None = None


class _Relevance(msgspec.Struct):
    features: str = ""


class DesignSettings(msgspec.Struct):
    """The settings in a line of provenance that a design consists of."""

    system: _System = msgspec.field(default_factory=_System)
    objective: _Objective = msgspec.field(default_factory=_Objective)
    relevance: _Relevance | None = None
    selection: dict[str, msgspec.Raw] = {}
    coherence: dict[str, msgspec.Raw] = {}
    order: dict[str, msgspec.Raw] = {}


class Place(msgspec.Struct, frozen=True):
    """Where a candidate stands."""

    document: str
    start: int
    end: int


def design(summary: Summary) -> Design:
    """Return the design of a summary."""
    settings = msgspec.json.decode(msgspec.json.encode(summary.settings), type=DesignSettings)
    places = frozenset(Place(one.document, one.start, one.end) for one in summary.candidates)
    return design_of(settings, places)


def design_of(settings: DesignSettings, candidates: frozenset[Place]) -> Design:
    """Return the design of a summary with these settings and candidates."""
    system = settings.system
    # Of a run of Task 1, the query is what chooses.
    selection = f"query {system.name}" if system.method in _LINKERS else system.method
    if settings.objective.lambda_ is not None:
        selection += f", lambda {settings.objective.lambda_:g}"
    if system.threshold is not None:
        selection += f", threshold {system.threshold:g}"
    others = {key: value for key, value in settings.selection.items() if key not in _SAID}
    others |= settings.coherence | settings.order
    return Design(
        selection=selection,
        features=settings.relevance.features if settings.relevance else "",
        target=system.target,
        others={key: bytes(value).decode().strip('"') for key, value in others.items()},
        candidates=hash(candidates),
        model=system.model,
    )


def differing(first: Designs, second: Designs) -> dict[str, str] | None:
    """Return what two runs differ in on the topics of both, each with the values of both runs in
    words, or without values for candidates and models. None if the designs of a run are not known.
    """
    topics = sorted(first.keys() & second.keys())
    if not topics:
        return None
    differences = dict[str, str]()
    for name in _NAMED:
        sides = [[getattr(run[topic], name) for topic in topics] for run in (first, second)]
        if sides[0] != sides[1]:
            differences[name] = _in_words(sides)
    for name in _UNNAMED:
        if any(getattr(first[topic], name) != getattr(second[topic], name) for topic in topics):
            differences[name] = ""
    keys = dict.fromkeys(key for topic in topics for key in first[topic].others)
    for key in keys:
        sides = [[run[topic].others.get(key, "") for topic in topics] for run in (first, second)]
        if sides[0] != sides[1]:
            differences[key] = _in_words(sides)
    return differences


def _in_words(sides: Sequence[Sequence[str]]) -> str:
    """Return the values of two runs in words, those of topics with other values after a slash."""
    return "; ".join("/".join(dict.fromkeys(value or "none" for value in side)) for side in sides)
