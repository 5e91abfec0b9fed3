"""Options and gold topics of the verbs that score runs: `evaluate`, `compare` and `report`."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

from ilpsum.cli.options import notify, positive, progress
from ilpsum.corpora import FORMATS, GoldKind, ReaderOptions, guess, read_topics
from ilpsum.corpora.counting import count_topics
from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.scoring import Evaluation, Run, is_gold
from ilpsum.metrics.rouge import Multiple, RougeOptions
from ilpsum.metrics.wordnet import read_exceptions
from ilpsum.records import BrokenTopic, Topic
from ilpsum.runs.reading import LinkRun, read_run


def add_scoring(parser: argparse.ArgumentParser, outputs: Sequence[str] = ()) -> None:
    """Add the options of scores, gold topics and output; `outputs` are its formats, the default first, if several."""
    add = parser.add_argument_group("scores").add_argument
    add(
        "--metrics",
        metavar="NAME,...",
        help="ROUGE-1 to -4, -L, -S4, -SU4, -S* and -SU* (default: ROUGE-2,ROUGE-SU4); for Task 1 files span-f1 and "
        "facet-accuracy (default: both), and CL-SciSumm's sentence-f1, span-ROUGE-2 and span-ROUGE-SU4",
    )
    add("--stem", action="store_true", help="ROUGE: compare word stems (-m)")
    add("--words", type=positive, metavar="N", help="ROUGE: cut every text to N words (-l)")
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
    add("--from", dest="form", choices=list(FORMATS), help="format of the topics (default: guessed)")
    add("--answers", nargs="+", metavar="FILE", help="BioASQ: files with ideal answers, matched by question id")
    add("--summaries", choices=get_args(GoldKind), help="CL-SciSumm: kind of gold summaries")
    add = parser.add_argument_group("output").add_argument
    if outputs:
        add("-o", "--output", choices=outputs, default=outputs[0], help=f"output format (default: {outputs[0]})")
    add("--quiet", action="store_true", help="no progress or warnings on stderr")


def rouge_options(options: argparse.Namespace) -> RougeOptions:
    """Return the options of ROUGE."""
    exceptions = read_exceptions(options.exceptions) if options.exceptions else None
    return RougeOptions(options.stem, options.words, options.multiple, exceptions)


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


@dataclass
class Gold:
    """The gold topics of files, read once.

    Attributes:
        options: the verb's options.
        paths: files or folders of topics.
        runs: the runs to score.
        every: whether to yield topics without gold, too.
        failed: topics that cannot be read; this and the following are complete after iteration.
        unscored: ids of topics without gold.
        ids: ids of all topics.
    """

    options: argparse.Namespace
    paths: Sequence[str]
    runs: Sequence[Run]
    every: bool = False
    failed: list[BrokenTopic] = field(default_factory=list)
    unscored: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def __iter__(self) -> Iterator[Topic]:
        topics = read_topics(self.paths, self.options.form, ReaderOptions.of(self.options))
        for topic in progress(topics, "topics", self.options.quiet, self._total()):
            self.ids.add(topic.id)
            if isinstance(topic, BrokenTopic):
                self.failed.append(topic)
                continue
            if not (scored := is_gold(topic, self.runs)):
                self.unscored.append(topic.id)
            if scored or self.every:
                yield topic

    def _total(self) -> int | None:
        if self.options.quiet or not self.paths:
            return None
        return count_topics(self.paths, self.options.form or guess(self.paths[0]))

    def notify_differences(self, evaluations: Sequence[Evaluation]) -> None:
        """Print on stderr which topics are only in the gold, or only in a run.

        Raises:
            InputError: there is no gold, or a run has no answer to any of its topics.
        """
        if not evaluations[0].units:
            expected = "expected topics with summaries, or with annotated citances for a Task 1 file"
            raise InputError(f"no gold; {expected}", self.paths[0])
        for broken in self.failed:
            notify(f"topic {broken.id} cannot be read and is not scored: {broken.error}")
        if self.unscored:
            kind = "annotations" if isinstance(self.runs[0], LinkRun) else "summary"
            notify(f"not scored (no gold {kind}): {_listed(self.unscored)}", self.options.quiet)
        each = len(evaluations) // len(self.runs)
        for run, evaluation in zip(self.runs, evaluations[::each], strict=True):
            if len(evaluation.missing) == len(evaluation.units):
                raise InputError(f"the run {run.name} has none of these topics; is this its gold?", self.paths[0])
            if evaluation.missing:
                notify(f"{run.name}: not in the run, scored 0: {_listed(evaluation.missing)}", self.options.quiet)
            if extra := sorted(_topics(run) - self.ids):
                notify(f"{run.name}: not in the gold, ignored: {_listed(extra)}", self.options.quiet)


def _topics(run: Run) -> set[str]:
    return {topic for topic, _ in run.links} if isinstance(run, LinkRun) else set(run.texts)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return ", ".join(names[:20]) + more
