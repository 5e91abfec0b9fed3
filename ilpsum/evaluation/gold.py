"""Inputs of scoring: gold topics, run formats, run names and candidate texts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ilpsum.errors import InputError, UsageError, listed
from ilpsum.evaluation.scoring import TEXT_METRICS, Evaluation, Run
from ilpsum.formats.registry import FORMATS, Format
from ilpsum.metrics.rouge import Options, RougeOptions
from ilpsum.records import BrokenTopic, Summary, Topic, notices
from ilpsum.runs.provenance import earlier_provenance
from ilpsum.runs.reading import LinkRun, likely_format, provenance_path

_MOST_DAMAGED = 100
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


def format_of(run_path: str | Path) -> Format | None:
    """Return a run's format from the first intact line of its provenance; None for runs of other
    programs.

    `InputError` if all lines are damaged, or the first hundred.
    """
    path, damaged = provenance_path(run_path), list[InputError]()
    for record in earlier_provenance(path) if path.is_file() else ():
        if isinstance(record, Summary):
            known = (
                record.settings.format in FORMATS
            )  # or registered by a package that is not installed
            return FORMATS[record.settings.format] if known else None
        damaged += [record] if isinstance(record, InputError) else []
        if len(damaged) == _MOST_DAMAGED:
            break
    if damaged:
        raise damaged[0]
    return None


def rouge_options(
    paths: Sequence[str | Path], options: Options, warn: Callable[[str], object]
) -> RougeOptions:
    """Return the ROUGE options for runs on disk; `warn` is called if these are in doubt.

    `stem` and `words` default to those of the first format named in the provenance of a run. Runs
    of other programs have none; without any format, scores are those of ROUGE-1.5.5 without
    options, with a warning if a run looks like TAC's.

    Raises:
        InputError: a provenance file is damaged.
    """
    chosen = Options(**options)
    if chosen.get("bytes"):
        chosen.setdefault("words", None)
    if not {"stem", "words"} <= chosen.keys():
        try:
            targets = list(map(format_of, paths))
        except InputError as error:
            remedy = "or decide --stem or --no-stem, and --words, which it would tell"
            raise InputError(f"{error.message}, {remedy}", error.file, error.line) from None
        first, tac = (
            next(filter(None, targets), None),
            [path for path in paths if likely_format(Path(path)) == "tac"],
        )
        if tac and not first:
            warn(notices.WithoutOptions(tac[0], FORMATS["tac"].cut))
        if (
            first
            and len({(each.stem, each.cut) if each else (False, None) for each in targets}) > 1
        ):
            warn(notices.MixedFormats(first.name))
        chosen.setdefault("stem", bool(first and first.stem))
        chosen.setdefault("words", first.cut if first else None)
    return RougeOptions(**chosen)


def named(runs: Sequence[Run], paths: Sequence[str]) -> list[Run]:
    """Return runs with distinct names; if two names are equal, all runs are named by path."""
    if len({run.name for run in runs}) == len(runs):
        return list(runs)
    if len({str(Path(path)) for path in paths}) < len(paths):
        raise UsageError(f"the same run is given twice: {', '.join(paths)}")
    return [replace(run, name=str(Path(path))) for run, path in zip(runs, paths, strict=True)]
