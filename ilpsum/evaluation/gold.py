"""Inputs of scoring: gold topics and run names."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ilpsum.errors import InputError, UsageError, listed
from ilpsum.evaluation.scoring import TEXT_METRICS, Evaluation, Run
from ilpsum.records import BrokenTopic, Topic
from ilpsum.runs.reading import LinkRun

# Maximum ids listed in a message.
_MOST_LISTED = 20


@dataclass
class Gold:
    """The gold topics of runs, read once.

    Attributes:
        place: a file of the topics, for messages.
        failed: unreadable topics; complete after iteration, as is `ids`.
        ids: ids of all topics, in order.
    """

    topics: Iterable[Topic | BrokenTopic]
    place: str | Path | None = None
    failed: list[BrokenTopic] = field(default_factory=list)
    ids: dict[str, None] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Topic]:
        for topic in self.topics:
            self.ids[topic.id] = None
            if isinstance(topic, BrokenTopic):
                self.failed.append(topic)
                continue
            yield topic

    def differences(self, runs: Sequence[Run], evaluations: Sequence[Evaluation]) -> Iterator[str]:
        """Yield a line per mismatch between gold and runs; `InputError` if nothing can be
        scored.
        """
        each = len(evaluations) // len(runs)
        for evaluation in evaluations[:each]:
            if not evaluation.units:
                expected = "topics with summaries, or with annotated citances for a Task 1 file"
                if evaluation.metric in TEXT_METRICS:
                    expected = f"topics with {TEXT_METRICS[evaluation.metric].gold}"
                raise InputError(
                    f"no gold for {evaluation.metric}; expected {expected}", self.place
                )
        scored = {topic for evaluation in evaluations[:each] for topic in evaluation.topics}
        scored |= {topic.id for topic in self.failed}
        if unscored := [topic for topic in self.ids if topic not in scored]:
            yield f"not scored, without gold: {listed(unscored, _MOST_LISTED)}"
        for run, evaluation in zip(runs, evaluations[::each], strict=True):
            if len(evaluation.missing) == len(evaluation.units):
                raise InputError(
                    f"the run {run.name} has none of these topics; is this its gold?", self.place
                )
            if evaluation.missing:
                yield (
                    f"{run.name}: not in the run, scored as empty: "
                    f"{listed(evaluation.missing, _MOST_LISTED)}"
                )
            answered = (
                {topic for topic, _ in run.links} if isinstance(run, LinkRun) else set(run.texts)
            )
            if extra := sorted(answered - self.ids.keys()):
                yield f"{run.name}: not in the gold, ignored: {listed(extra, _MOST_LISTED)}"
            yield from evaluation.training_lines


def named(runs: Sequence[Run], paths: Sequence[str]) -> list[Run]:
    """Return runs with distinct names; if two names are equal, all runs are named by path."""
    if len({run.name for run in runs}) == len(runs):
        return list(runs)
    if len({str(Path(path)) for path in paths}) < len(paths):
        raise UsageError(f"the same run is given twice: {', '.join(paths)}")
    return [replace(run, name=str(Path(path))) for run, path in zip(runs, paths, strict=True)]
