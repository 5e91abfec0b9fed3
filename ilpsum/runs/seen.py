"""How many topics of a run its models were trained on: scores on those are not held out."""

from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from ilpsum.files.reading import read_lines
from ilpsum.files.records import UNFIT
from ilpsum.runs.provenance import MAX_LINE

Marks = Mapping[str, bool | None]
"""For each model that a summary used, whether its topic was in the model's training; None if the
model does not say."""

REMEDY = "--folds 5 makes a run that is"
# The model of rhetorical roles learned from the labels of abstracts, not from gold answers.
_ROLES = "roles"
_NOT_GOLD = "of roles, which learned from labels of sections, not from answers"
# The trees that find answer words are always the included ones.
_ANSWER_WORDS = "answer-words"
_STAYS = "--folds does not train it again"


class _System(msgspec.Struct):
    name: str = ""
    model: str = ""


class _Settings(msgspec.Struct):
    system: _System = msgspec.field(default_factory=_System)


class _Line(msgspec.Struct):
    """What a line of provenance says of the models that a summary used."""

    topic: str
    settings: _Settings = msgspec.field(default_factory=_Settings)
    seen: dict[str, bool | None] | None = None
    error: str = ""

    @property
    def marks(self) -> Marks:
        """Provenance of ilpsum 0.3 names the system of a model, and no topics."""
        system = self.settings.system
        if self.seen is None:
            return {system.name: None} if system.model else {}
        return self.seen


def read_marks(provenance: Path) -> dict[str, Marks]:
    """Return the marks of a run's topics from its provenance; a damaged line has none."""
    marks = dict[str, Marks]()
    if not provenance.is_file():
        return marks
    for _, line in read_lines(provenance, MAX_LINE):
        try:
            read = msgspec.json.decode(line, type=_Line)
        except UNFIT:
            continue
        if not read.error:
            marks[read.topic] = read.marks
    return marks


def training_lines(
    marks: Mapping[str, Marks], scored: Collection[str] = (), remedy: str = REMEDY
) -> list[str]:
    """Return a line for each model that was trained on topics of a run, or does not say.

    `scored` limits the count to these topics; by default all topics of the run count. `remedy` says
    what gives held-out scores.
    """
    of_topics = [marks[topic] for topic in scored or marks if topic in marks]
    lines = []
    for model in dict.fromkeys(model for mark in of_topics for model in mark):
        answers = [mark[model] for mark in of_topics if model in mark]
        count = f"{answers.count(True)} of {len(of_topics)} topics"
        fix = _STAYS if model == _ANSWER_WORDS else remedy
        if True in answers and model == _ROLES:
            lines.append(f"{count} have abstracts that were in the training {_NOT_GOLD}")
        elif True in answers:
            lines.append(
                f"{count} were in the training of {model}: their scores are not held out; {fix}"
            )
        if None in answers:
            lines.append(
                f"whether the scores are held out is unknown: the model {model} does not list its "
                f"training topics; train it again, or {fix}"
            )
    return lines


def training_field(marks: Mapping[str, Marks], scored: Collection[str] = ()) -> dict[str, str]:
    """Return the field of a signature that tells how many topics were in the training of a model.

    It is empty if no model was used, `unknown` if one does not say.
    """
    of_topics = [marks[topic] for topic in scored or marks if topic in marks]
    if not any(of_topics):
        return {}
    of_gold = [[seen for model, seen in mark.items() if model != _ROLES] for mark in of_topics]
    if any(None in answers for answers in of_gold):
        return {"trained": "unknown"}
    seen = sum(map(any, of_gold))
    return {"trained": f"{seen}/{len(of_topics)}"}


def training_note(trained: str) -> str:
    """Return in words what the field `trained` of a signature says; empty without one."""
    if not trained:
        return ""
    seen, _, topics = trained.partition("/")
    if not topics:
        return "unknown whether held out: the model lists no training topics"
    held_out = "held out" if seen == "0" else "not held out"
    return f"{held_out}: {seen} of {topics} topics seen in training"
