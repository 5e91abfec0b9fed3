"""How many topics of a run its models were trained on, or its settings chosen by: scores on those
are not held out.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ilpsum.files.reading import read_lines
from ilpsum.files.records import decode
from ilpsum.learning.seen import GIVEN, SETTINGS
from ilpsum.runs.designs import Design, Designs, DesignSettings, Place, design_of
from ilpsum.runs.provenance import EXPECTED, MAX_LINE

Overlap = Mapping[str, bool | None]
"""For each model that a summary used, whether its topic was in the model's training; None if the
model does not say."""

REMEDY = "--folds 5 makes a run that is"
# The model of rhetorical roles learned from the labels of abstracts, not from gold answers.
_ROLES = "roles"
_NOT_GOLD = "of roles, which learned from labels of sections, not from answers"
# Models of questions that are always the included ones.
_INCLUDED = ("answer-words", "question-words")
# Kinds of topics that have models of their own (`ilpsum.pipeline.system.Kind`), in words.
_KINDS = {
    "papers": "papers",
    "snippets": "snippets",
    "merged": "merged texts",
    "abstracts": "abstracts",
    "searched": "searched abstracts",
    "general": "questions about any texts",
}
_STAYS = "--folds does not train it again"
_CHOSE = (
    "chose the settings of the system, which favours it, with --folds too; a sweep with "
    "`nested = 5` gives a fair estimate"
)
_MAY_HAVE_CHOSEN = (
    "whether these topics chose the settings of the system is unknown: a sweep of many topics did"
)


class _Line(msgspec.Struct):
    """The models that a summary used, and its candidates, as in a line of provenance."""

    topic: str
    candidates: frozenset[Place] = frozenset()
    settings: DesignSettings = msgspec.field(default_factory=DesignSettings)
    seen: dict[str, bool | None] | None = None
    error: str = ""

    @property
    def overlap(self) -> Overlap:
        """Provenance of ilpsum 0.3 names the system of a model, and no topics."""
        system = self.settings.system
        if self.seen is None:
            return {system.name: None} if system.model else {}
        return self.seen


@dataclass(frozen=True, slots=True)
class Training:
    """What the summaries of a run have seen.

    Attributes:
        overlaps: by topic id, which models were trained on the topic.
        oracle: whether a summary was chosen by the gold summaries.
        designs: how each summary was made.
    """

    overlaps: dict[str, Overlap] = field(default_factory=dict)
    oracle: bool = False
    designs: Designs = field(default_factory=dict)


def read_training(provenance: Path) -> Training:
    """Read from a run's provenance what its models have seen; without a file, nothing.

    `InputError` if a line is invalid.
    """
    overlaps = dict[str, Overlap]()
    oracle = False
    designs = dict[str, Design]()
    if provenance.is_file():
        for number, data in read_lines(provenance, MAX_LINE):
            line = decode(data, _Line, EXPECTED, provenance, number)
            if not line.error:
                overlaps[line.topic] = line.overlap
                designs[line.topic] = design_of(line.settings, line.candidates)
                oracle = oracle or line.settings.system.method == "oracle"
    return Training(overlaps, oracle, designs)


def training_lines(
    overlaps: Mapping[str, Overlap],
    scored: Collection[str] = (),
    remedy: str = REMEDY,
) -> list[str]:
    """Return a line for each model that was trained on topics of a run, or does not say.

    `scored` limits the count to these topics; by default all topics of the run count. `remedy` says
    what gives held-out scores.
    """
    of_topics = [overlaps[topic] for topic in scored or overlaps if topic in overlaps]
    lines = []
    for model in dict.fromkeys(model for overlap in of_topics for model in overlap):
        answers = [overlap[model] for overlap in of_topics if model in overlap]
        count = f"{answers.count(True)} of {len(of_topics)} topics"
        fix = _STAYS if model in _INCLUDED else remedy
        name = _named(model)
        if model.startswith(GIVEN):
            lines.append(
                f"whether the scores are held out is unknown: the run has its {model}, whose maker "
                "may have seen the gold"
            )
            continue
        if True in answers and model == SETTINGS:
            lines.append(f"{count} {_CHOSE}")
        elif True in answers and model == _ROLES:
            lines.append(f"{count} have abstracts that were in the training {_NOT_GOLD}")
        elif True in answers:
            lines.append(
                f"{count} were in the training of {name}: their scores are not held out; {fix}"
            )
        if None in answers and model == SETTINGS:
            lines.append(_MAY_HAVE_CHOSEN)
        elif None in answers:
            lines.append(
                f"whether the scores are held out is unknown: {name} does not list its "
                f"training topics; train it again, or {fix}"
            )
    return lines


def _named(model: str) -> str:
    """Return the name of a model in messages: one for a kind of topic is named by its system."""
    system, kind = system_and_kind(model)
    return f"the model of system {system} for {kind}" if kind else f"the model {model}"


def system_and_kind(name: str) -> tuple[str, str]:
    """Split the name of a system or model for a kind of topic, which users do not type, into the
    name of the system that uses it and the kind in words; the kind is empty for other names.

    >>> system_and_kind("concepts-papers"), system_and_kind("ilp-sum-2-tuned-on-papers")
    (('concepts', 'papers'), ('ilp-sum-2-tuned', 'papers'))
    """
    system, _, kind = name.rpartition("-")
    # A model that is not of a system of its own, but of a system on this kind, has an `on`.
    system = system.removesuffix("-on")
    return (system, _KINDS[kind]) if system and kind in _KINDS else (name, "")


def training_field(overlaps: Mapping[str, Overlap], scored: Collection[str] = ()) -> dict[str, str]:
    """Return the fields of a signature: how many topics were in the training of a model
    (`trained`), and how many chose the settings (`chosen`).

    A field is empty if no model was used, or no settings were chosen; `unknown` if a model or a
    system does not say.
    """
    of_topics = [overlaps[topic] for topic in scored or overlaps if topic in overlaps]
    of_models, of_settings = [], []
    for overlap in of_topics:
        of_models.append([overlap[name] for name in overlap if name not in (_ROLES, SETTINGS)])
        of_settings.append([overlap[name] for name in overlap if name == SETTINGS])
    fields = {}
    for name, answers in (("trained", of_models), ("chosen", of_settings)):
        if any(None in of_topic for of_topic in answers):
            fields[name] = "unknown"
        elif any(answers):
            fields[name] = f"{sum(map(any, answers))}/{len(answers)}"
    return fields


def training_note(fields: Mapping[str, str]) -> str:
    """Return in words what the fields `trained` and `chosen` of a signature say; empty without
    them.
    """
    notes = []
    seen, _, topics = fields.get("trained", "").partition("/")
    if topics:
        held_out = "held out" if seen == "0" else "not held out"
        notes.append(f"{held_out}: {seen} of {topics} topics seen in training")
    elif seen:
        notes.append("unknown whether held out: what a model, or the maker of scores, has seen")
    chose, _, topics = fields.get("chosen", "").partition("/")
    if topics:
        notes.append(f"settings chosen by {chose} of {topics} topics")
    elif chose:
        notes.append("unknown which topics chose the settings")
    return "; ".join(notes)
