"""What the verbs that score runs share: runs, gold topics, and the options of the scores."""

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


def add_scoring(parser: argparse.ArgumentParser) -> None:
    """The options of ROUGE, of the gold, and --quiet."""
    parser.add_argument(
        "--metrics",
        metavar="NAME,...",
        help="ROUGE-1 to -4, -L, -S4, -SU4, -S* and -SU* (default: ROUGE-2,ROUGE-SU4); for a Task 1 file span-f1 and "
        "facet-accuracy (default: both), and CL-SciSumm's sentence-f1, span-ROUGE-2, span-ROUGE-SU4",
    )
    parser.add_argument("--stem", action="store_true", help="ROUGE: compare stems of words (-m)")
    parser.add_argument("--words", type=positive, metavar="N", help="ROUGE: cut every text to N words (-l)")
    parser.add_argument("--summaries", choices=get_args(GoldKind), help="CL-SciSumm: which kind of gold")
    parser.add_argument("--references", choices=["all", "first"], default="all", help="gold summaries that count")
    parser.add_argument(
        "--multiple",
        choices=get_args(Multiple),
        default="average",
        help="ROUGE: several references are pooled (-f A), or the best counts (-f B), or one at a time is left out",
    )
    parser.add_argument("--exceptions", metavar="DIR", help="ROUGE: WordNet's *.exc, looked up before stemming")
    parser.add_argument("--from", dest="form", choices=list(FORMATS), help="format of the gold (default: guessed)")
    parser.add_argument(
        "--answers", nargs="+", metavar="FILE", help="BioASQ: files whose ideal answers are joined by id"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of what is drawn")
    parser.add_argument("--quiet", action="store_true", help="no progress and no remarks on stderr")


def rouge_options(options: argparse.Namespace) -> RougeOptions:
    """The options of ROUGE."""
    exceptions = read_exceptions(options.exceptions) if options.exceptions else None
    return RougeOptions(options.stem, options.words, options.multiple, exceptions)


def metric_names(options: argparse.Namespace) -> list[str]:
    """The names after --metrics; none without it."""
    return [name.strip() for name in (options.metrics or "").split(",") if name.strip()]


def read_runs(paths: Sequence[str], quiet: bool) -> list[Run]:
    """The runs, with what is odd about them on stderr."""
    runs = [read_run(path) for path in paths]
    for line in (line for run in runs for line in run.warnings):
        notify(line, quiet)
    return runs


def named(runs: Sequence[Run], paths: Sequence[str]) -> list[Run]:
    """The runs under names that tell them apart: their paths, where two have one name."""
    names = [run.name for run in runs]
    if len(set(names)) == len(names):
        return list(runs)
    if len({str(Path(path)) for path in paths}) < len(paths):
        raise UsageError(f"{', '.join(paths)}: a run stands twice; a run is not compared with itself")
    return [replace(run, name=str(Path(path))) for run, path in zip(runs, paths, strict=True)]


@dataclass
class Gold:
    """The gold topics of some files, read once.

    Attributes:
        options: of the verb.
        paths: the files or folders.
        runs: what is to be scored against it.
        every: whether topics without gold are handed out too.
        failed: topics that could not be read; like what follows, complete once all topics are read.
        unscored: ids of topics without gold.
        ids: of all topics.
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
            scored = is_gold(topic, self.runs)
            if not scored:
                self.unscored.append(topic.id)
            if scored or self.every:
                yield topic

    def _total(self) -> int | None:
        if self.options.quiet or not self.paths:
            return None
        return count_topics(self.paths, self.options.form or guess(self.paths[0]))

    def tell(self, evaluations: Sequence[Evaluation]) -> None:
        """Says on stderr what gold and runs do not have in common.

        Raises:
            InputError: there was no gold, or a run answers nothing of it.
        """
        if not evaluations[0].units:
            what = "no gold in it; topics with summaries, or with annotated citances for a Task 1 file, were expected"
            raise InputError(what, self.paths[0])
        for broken in self.failed:
            notify(f"topic {broken.id} cannot be read and is not scored: {broken.error}")
        if self.unscored:
            notify(f"not scored, for want of gold: {_listed(self.unscored)}", self.options.quiet)
        each = len(evaluations) // len(self.runs)
        for run, evaluation in zip(self.runs, evaluations[::each], strict=True):
            if len(evaluation.missing) == len(evaluation.units):
                raise InputError(
                    f"the run {run.name} answers none of its topics; are the two of the same data?", self.paths[0]
                )
            if evaluation.missing:
                notify(f"{run.name}: not in the run, scored 0: {_listed(evaluation.missing)}", self.options.quiet)
            if extra := sorted(_topics(run) - self.ids):
                notify(f"{run.name}: in the run, not in the gold: {_listed(extra)}", self.options.quiet)


def _topics(run: Run) -> set[str]:
    return {topic for topic, _ in run.links} if isinstance(run, LinkRun) else set(run.texts)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return ", ".join(names[:20]) + more
