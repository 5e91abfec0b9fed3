"""Options and gold topics of the verbs that score runs: `evaluate`, `compare` and `report`."""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from ilpsum.cli.options import add_gold_kind, add_quiet, notify, number_type, progress
from ilpsum.corpora import FORMATS, ReaderOptions, resolve
from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.scoring import TEXT_METRICS, Evaluation, Run, is_gold
from ilpsum.io.records import LARGEST
from ilpsum.metrics.rouge import Multiple, RougeOptions
from ilpsum.metrics.wordnet import read_exceptions
from ilpsum.records import BrokenTopic, Document, Summary, Topic
from ilpsum.runs.formats import FORMATS as FORMATS_OF_RUNS
from ilpsum.runs.formats import Format
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import LinkRun, provenance_path, read_run

_CUT = number_type(int, lambda value: 0 <= value <= LARGEST, f"a whole number from 0 to {LARGEST}")


def add_scoring(parser: argparse.ArgumentParser, outputs: Sequence[str] = ()) -> None:
    """Add the options of scores, gold topics and output; `outputs` are its formats, the default first, if several."""
    add = parser.add_argument_group("scores").add_argument
    add(
        "--metrics",
        metavar="NAME,...",
        help="ROUGE-1 to -4, -L, -S4, -SU4, -S* and -SU* (default: ROUGE-2,ROUGE-SU4); exact-answer, the share of a "
        "question's exact answers in the text; without gold JS, the divergence from the source (lower is better), and "
        "readability, the share of sentences without a fault; for Task 1 files span-f1 and facet-accuracy (default: "
        "both), and CL-SciSumm's sentence-f1, span-ROUGE-2 and span-ROUGE-SU4",
    )
    default = "default: as the format of the run says: tac stems and cuts at 250, others do neither"
    add("--stem", action=argparse.BooleanOptionalAction, help=f"ROUGE and JS: compare word stems (-m) ({default})")
    add("--words", type=_CUT, metavar="N", help="cut every text to N words (ROUGE: references too, -l); 0: whole texts")
    add("--references", choices=["all", "first"], default="all", help="gold summaries to use (default: all)")
    add(
        "--multiple",
        choices=get_args(Multiple),
        default="average",
        help="ROUGE with several references: pool them (average, -f A), use the best (best, -f B), or average over "
        "leaving one out (jackknife) (default: average)",
    )
    add("--exceptions", metavar="DIR", help="ROUGE: folder of WordNet's *.exc, looked up before stemming")
    add("--seed", type=int, default=0, help="random seed for resampling (default: 0)")
    add = parser.add_argument_group("gold topics").add_argument
    add("--from", dest="form", metavar="FORMAT", help=f"{', '.join(FORMATS.own)} (default: guessed)")
    add("--answers", nargs="+", metavar="FILE", help="BioASQ: files with ideal answers, matched by question id")
    add_gold_kind(add)
    if outputs:
        what = f"output format (default: {outputs[0]})"
        parser.add_argument("-o", "--output", choices=outputs, default=outputs[0], help=what)
    add_quiet(parser)


def rouge_options(options: argparse.Namespace, run_paths: Sequence[str]) -> RougeOptions:
    """Return the options of ROUGE.

    Without --stem and --words they are those of the first format that the provenance of a run names. A run that ilpsum
    did not write names none, and is scored as ROUGE-1.5.5 does without options.
    """
    target = Format("")
    if options.stem is None or options.words is None:
        forms = dict.fromkeys(map(_format, run_paths))
        targets = [FORMATS_OF_RUNS[each] if each in FORMATS_OF_RUNS else Format("") for each in forms]
        target = next((each for each in targets if each.name), target)
        if len({(each.stem, each.cut) for each in targets}) > 1:
            what = f"the runs have different formats; all are scored as those of the format {target.name}"
            notify(f"{what} (--stem and --words decide otherwise)")
    stem = target.stem if options.stem is None else options.stem
    words = target.cut if options.words is None else options.words or None
    exceptions = read_exceptions(options.exceptions) if options.exceptions else None
    return RougeOptions(stem, words, options.multiple, exceptions)


def _format(run_path: str) -> str:
    """Return the format of a run, as its provenance names it; empty if there is none."""
    path = provenance_path(run_path)
    summaries = (record for record in read_provenance(path) if isinstance(record, Summary)) if path.is_file() else ()
    try:
        return next((summary.settings.format for summary in summaries), "")
    except InputError as error:
        remedy = "or decide --stem or --no-stem, and --words, which it would tell"
        raise InputError(f"{error.message}, {remedy}", error.file, error.line) from None


def metric_names(options: argparse.Namespace) -> list[str]:
    """Return the names in --metrics; empty without it."""
    return [name.strip() for name in (options.metrics or "").split(",") if name.strip()]


def read_runs(paths: Sequence[str], quiet: bool) -> list[Run]:
    """Read runs, and print their warnings on stderr."""
    runs = [read_run(path) for path in paths]
    for warning in (warning for run in runs for warning in run.warnings):
        notify(warning, quiet)
    return runs


def named(runs: Sequence[Run], paths: Sequence[str]) -> list[Run]:
    """Return runs with distinct names: if two have the same name, all are named by their paths."""
    names = [run.name for run in runs]
    if len(set(names)) == len(names):
        return list(runs)
    if len({str(Path(path)) for path in paths}) < len(paths):
        raise UsageError(f"the same run is given twice: {', '.join(paths)}")
    return [replace(run, name=str(Path(path))) for run, path in zip(runs, paths, strict=True)]


def beside(runs: Sequence[Run], paths: Sequence[str], without: str, quiet: bool) -> dict[str, Path]:
    """Return the provenance of each run that has one, by the run's name; a warning says what is missing `without`."""
    places = {run.name: provenance_path(path) for run, path in zip(runs, paths, strict=True)}
    if missing := [name for name, path in places.items() if not path.is_file()]:
        notify(f"no provenance beside {', '.join(missing)}: {without}", quiet)
    return {name: path for name, path in places.items() if name not in missing}


def candidate_texts(run_paths: Sequence[str]) -> dict[str, str]:
    """Return the text of all candidates of each topic, whole sentences, from the provenance of runs that have one."""
    sentences: dict[str, dict[tuple[str, int, int], str]] = {}
    for path in filter(Path.is_file, map(provenance_path, run_paths)):
        for summary in read_provenance(path):
            if isinstance(summary, Summary):
                whole = (s for s in summary.candidates if not s.original)
                sentences.setdefault(summary.topic, {}).update({s.place: s.text for s in whole})
    return {topic: "\n".join(texts.values()) for topic, texts in sentences.items()}


@dataclass
class Gold:
    """The gold topics of files, read once.

    Attributes:
        options: the verb's options.
        paths: files or folders of topics.
        runs: the runs to score.
        run_paths: where the runs are; to JS, the candidates in their provenance are the source of topics without
            documents.
        every: whether to yield topics without gold, too.
        failed: topics that cannot be read; this and the following are complete after iteration.
        unscored: ids of topics without gold.
        ids: ids of all topics, in their order.
    """

    options: argparse.Namespace
    paths: Sequence[str]
    runs: Sequence[Run]
    run_paths: Sequence[str] = ()
    every: bool = False
    failed: list[BrokenTopic] = field(default_factory=list)
    unscored: list[str] = field(default_factory=list)
    ids: dict[str, None] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Topic]:
        metrics = metric_names(self.options)
        sources = candidate_texts(self.run_paths) if "JS" in metrics else {}
        quiet = self.options.quiet
        gold = resolve(self.paths, self.options.form, ReaderOptions.of(self.options))
        for topic in progress(gold.topics(), "topics", quiet, None if quiet else gold.count()):
            self.ids[topic.id] = None
            if isinstance(topic, BrokenTopic):
                self.failed.append(topic)
                continue
            if not topic.documents and topic.id in sources:
                topic = replace(topic, documents=(Document("candidates", sources[topic.id]),))
            if not (scored := is_gold(topic, self.runs, metrics)):
                self.unscored.append(topic.id)
            if scored or self.every:
                yield topic

    def _kind(self) -> str:
        """Return what a topic without gold lacks."""
        if isinstance(self.runs[0], LinkRun):
            return "annotations"
        names = metric_names(self.options)
        others = [TEXT_METRICS[name].gold for name in names if name in TEXT_METRICS]
        return " or ".join(dict.fromkeys((["summary"] if len(others) < len(names) or not names else []) + others))

    def notify_differences(self, evaluations: Sequence[Evaluation]) -> None:
        """Print on stderr which topics are only in the gold, or only in a run.

        Raises:
            InputError: there is no gold, or a run has no answer to any of its topics.
        """
        each = len(evaluations) // len(self.runs)
        for evaluation in evaluations[:each]:
            if not evaluation.units:
                raise InputError(_no_gold(evaluation.metric), self.paths[0])
        for broken in self.failed:
            notify(f"topic {broken.id} cannot be read and is not scored: {broken.error}")
        if self.unscored:
            notify(f"not scored (no gold {self._kind()}): {_listed(self.unscored)}", self.options.quiet)
        for run, evaluation in zip(self.runs, evaluations[::each], strict=True):
            if len(evaluation.missing) == len(evaluation.units):
                raise InputError(f"the run {run.name} has none of these topics; is this its gold?", self.paths[0])
            if evaluation.missing:
                zero = TEXT_METRICS[evaluation.metric].absent if evaluation.metric in TEXT_METRICS else 0
                absent = f"{run.name}: not in the run, scored {zero}: {_listed(evaluation.missing)}"
                notify(absent, self.options.quiet)
            if extra := sorted(_topics(run) - self.ids.keys()):
                notify(f"{run.name}: not in the gold, ignored: {_listed(extra)}", self.options.quiet)


def rounded(value: Any) -> Any:
    """Return a value for JSON: a number with six digits, or null if it is not finite."""
    if not isinstance(value, float):
        return value
    return round(value, 6) if math.isfinite(value) else None


def _no_gold(metric: str) -> str:
    expected = "topics with summaries, or with annotated citances for a Task 1 file"
    if metric in TEXT_METRICS:
        expected = f"topics with {TEXT_METRICS[metric].gold}"
    return f"no gold for {metric}; expected {expected}"


def _topics(run: Run) -> set[str]:
    return {topic for topic, _ in run.links} if isinstance(run, LinkRun) else set(run.texts)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return ", ".join(names[:20]) + more
