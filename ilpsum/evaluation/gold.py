"""Inputs of scoring: gold topics, run formats, run names and candidate texts."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.scoring import TEXT_METRICS, Evaluation, Run, is_gold
from ilpsum.formats import Input
from ilpsum.records import BrokenTopic, Document, Summary, Topic
from ilpsum.runs.formats import FORMATS, Format
from ilpsum.runs.provenance import earlier_provenance, read_provenance
from ilpsum.runs.reading import LinkRun, provenance_path

Topics = Iterable[Topic | BrokenTopic]

# Maximum ids listed in a message; further ones are only counted.
_MOST_LISTED = 20


@dataclass
class Gold:
    """The gold topics of runs, read once.

    Attributes:
        metrics: names of metrics; empty for the default.
        run_paths: paths of the runs; for topics without documents, JS uses the candidates in their provenance as the
            source text.
        every: whether to yield topics without gold, too.
        failed: unreadable topics; complete after iteration, as are `unscored` and `ids`.
        unscored: ids of topics without gold.
        ids: ids of all topics, in order.
    """

    input: Input
    runs: Sequence[Run]
    metrics: Sequence[str] = ()
    run_paths: Sequence[str] = ()
    every: bool = False
    progress: Callable[[Topics], Topics] = lambda topics: topics
    failed: list[BrokenTopic] = field(default_factory=list)
    unscored: list[str] = field(default_factory=list)
    ids: dict[str, None] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Topic]:
        sources = candidate_texts(self.run_paths) if "JS" in self.metrics else {}
        for topic in self.progress(self.input.topics()):
            self.ids[topic.id] = None
            if isinstance(topic, BrokenTopic):
                self.failed.append(topic)
                continue
            if not topic.documents and topic.id in sources:
                topic = replace(topic, documents=(Document("candidates", sources[topic.id]),))
            if not (scored := is_gold(topic, self.runs, self.metrics)):
                self.unscored.append(topic.id)
            if scored or self.every:
                yield topic

    def differences(self, evaluations: Sequence[Evaluation]) -> Iterator[str]:
        """Yield a line per mismatch between gold and runs; `InputError` if nothing can be scored."""
        each, place = len(evaluations) // len(self.runs), next(iter(self.input.files), None)
        for evaluation in evaluations[:each]:
            if not evaluation.units:
                expected = "topics with summaries, or with annotated citances for a Task 1 file"
                if evaluation.metric in TEXT_METRICS:
                    expected = f"topics with {TEXT_METRICS[evaluation.metric].gold}"
                raise InputError(f"no gold for {evaluation.metric}; expected {expected}", place)
        if self.unscored:
            yield f"not scored (no gold {self._kind()}): {_listed(self.unscored)}"
        for run, evaluation in zip(self.runs, evaluations[::each], strict=True):
            yield from unmatched(run, evaluation, self.ids.keys(), place)

    def _kind(self) -> str:
        """Return the kind of gold that the runs and metrics need."""
        if isinstance(self.runs[0], LinkRun):
            return "annotations"
        others = [TEXT_METRICS[name].gold for name in self.metrics if name in TEXT_METRICS]
        rouge = len(others) < len(self.metrics) or not self.metrics
        return " or ".join(dict.fromkeys((["summary"] if rouge else []) + others))


def unmatched(run: Run, evaluation: Evaluation, ids: Set[str], place: str | Path | None = None) -> Iterator[str]:
    """Yield lines about topics missing from the run or the gold; `InputError` if they have no topic in common."""
    if len(evaluation.missing) == len(evaluation.units):
        raise InputError(f"the run {run.name} has none of these topics; is this its gold?", place)
    if evaluation.missing:
        zero = TEXT_METRICS[evaluation.metric].absent if evaluation.metric in TEXT_METRICS else 0
        yield f"{run.name}: not in the run, scored {zero}: {_listed(evaluation.missing)}"
    answered = {topic for topic, _ in run.links} if isinstance(run, LinkRun) else set(run.texts)
    if extra := sorted(answered - ids):
        yield f"{run.name}: not in the gold, ignored: {_listed(extra)}"


def format_of(run_path: str) -> Format | None:
    """Return a run's format from the first intact line of its provenance; None for runs of other programs.

    `InputError` if all lines are damaged.
    """
    path, damaged = provenance_path(run_path), list[InputError]()
    name = ""
    for record in earlier_provenance(path) if path.is_file() else ():
        if isinstance(record, Summary):
            name = record.settings.format
            break
        damaged += [record] if isinstance(record, InputError) else []
    if damaged and not name:
        raise damaged[0]
    if name not in FORMATS:  # registered by a package that is not installed
        return None
    return FORMATS[name]


def named(runs: Sequence[Run], paths: Sequence[str]) -> list[Run]:
    """Return runs with distinct names; if two names are equal, all runs are named by path."""
    names = [run.name for run in runs]
    if len(set(names)) == len(names):
        return list(runs)
    if len({str(Path(path)) for path in paths}) < len(paths):
        raise UsageError(f"the same run is given twice: {', '.join(paths)}")
    return [replace(run, name=str(Path(path))) for run, path in zip(runs, paths, strict=True)]


def candidate_texts(run_paths: Sequence[str]) -> dict[str, str]:
    """Return the uncompressed candidates of each topic as text, from the provenance of all runs that have one."""
    sentences: dict[str, dict[tuple[str, int, int], str]] = {}
    for path in filter(Path.is_file, map(provenance_path, run_paths)):
        for summary in read_provenance(path):
            if isinstance(summary, Summary):
                whole = (s for s in summary.candidates if not s.original)
                sentences.setdefault(summary.topic, {}).update({s.place: s.text for s in whole})
    return {topic: "\n".join(texts.values()) for topic, texts in sentences.items()}


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return ", ".join(names[:_MOST_LISTED]) + more
