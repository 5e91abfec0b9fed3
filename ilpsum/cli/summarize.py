"""`ilpsum summarize`: summarise topics into a run, or texts to standard output."""

import argparse
from functools import partial

from ilpsum.api.asking import WORDS, summarize
from ilpsum.api.inputs import Inputs
from ilpsum.api.runs import write_run
from ilpsum.cli.ask import Output, add_output
from ilpsum.cli.options import (
    SEARCH,
    add_common,
    add_execution,
    add_flag,
    add_input,
    add_value,
    number_type,
    positive,
    reading,
    sources_of,
    work,
)
from ilpsum.cli.setting_options import (
    add_coherence,
    add_judge,
    add_set,
    add_settings,
    add_system,
    load,
    settings_of,
)
from ilpsum.cli.terminal import list_broken, notify
from ilpsum.errors import InputError, UsageError, counted
from ilpsum.tasks import guess
from ilpsum.tasks.registry import WRITTEN

# Options for topics only, and options for texts only.
_OF_TOPICS = (
    "folds",
    "resume",
    "force",
    "pool",
    "answers",
    "documents",
    "index",
    "pmids",
    "found",
    "coverage",
)
_OF_TEXTS = {"output": "-o", "json": "--json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, the most used first."""
    group = parser.add_argument_group("run")
    add = partial(add_value, group)
    add(
        "--out",
        "DIR",
        "folder for the run of topics; without it, texts are summarised on the terminal",
    )
    add_system(group)
    add(
        "--folds",
        "K",
        "held-out run in K folds: summarise each topic by a model trained on the other folds",
        type=positive,
    )
    add("--words", "N", "word limit (default: that of the format)", type=positive)
    runs = f"{', '.join(WRITTEN)} (default: by the input)"
    add("--to", "FORMAT", f"format of the run: {runs}; for texts, a form of `ilpsum ask`")
    add(
        "--team",
        "ID",
        "team id; the run is named ID, then N (default: SYS)",
        default="SYS",
    )
    add(
        "--run",
        "N",
        "run number, 1-5 (default: 1)",
        dest="number",
        type=number_type(int, lambda value: 1 <= value <= 5, "a whole number from 1 to 5"),
        default=1,
    )
    add_flag(group, "--resume", "continue the run: retry failed topics, append new ones")
    add_common(group, "--force")
    settings = parser.add_argument_group("settings (default: those of the system)")
    add_settings(settings, "--method", "--lambda", "--solver", "--order", "--relevance")
    add_coherence(settings)
    add_set(settings)
    add_input(parser, "--pool", "--answers", *SEARCH, texts=True)
    add_judge(parser)
    add_execution(parser)
    add_output(
        parser,
        "summary of texts (default: text with the sources, on the terminal)",
        to=False,
    )


def run(options: argparse.Namespace) -> int:
    """Write the run, or print the summary of texts; exit status 1 if a topic failed."""
    if not options.input:
        raise UsageError("nothing to summarise: give topics, or texts")
    if options.out is None and not (
        options.to in WRITTEN or options.form or any(map(_is_topics, options.input))
    ):
        return _summarise_texts(options)
    for name, option in _OF_TEXTS.items():
        if getattr(options, name):
            raise UsageError(
                f"{option} is for texts; a run has its own files, see --to and `ilpsum report`"
            )
    if options.out in (None, "-"):
        raise UsageError("--out DIR is needed for a run of topics, which is several files")
    return _summarise_topics(options)


def _is_topics(path: str) -> bool:
    try:
        return bool(guess(path))
    except InputError:
        return False


def _summarise_texts(options: argparse.Namespace) -> int:
    """Print one summary of all texts; if there are too many, of those nearest to their centroid."""
    for name in _OF_TOPICS:
        if (value := getattr(options, name)) is not None and value is not False:
            raise UsageError(
                f"--{name} is for topics, not for texts; `ilpsum ask` searches abstracts"
            )
    for key in settings_of(options):
        if key.startswith(("run.", "source.")) and key != "source.retracted":
            raise UsageError(
                f"--set {key} is for a run of topics, not for texts; --words limits their summary"
            )
    output, sources = Output(options, options.input), sources_of(options)
    summarizer = load(options, explained=output.explained, tell=sources.tell)
    words = options.words or WORDS
    retracted = sources.wanted.retracted
    return output.write(
        summarize(options.input, words=words, system=summarizer, retracted=retracted)
    )


def _summarise_topics(options: argparse.Namespace) -> int:
    """Write the run; return the exit status."""
    settings = {
        key: value for key, value in settings_of(options).items() if not key.startswith("source.")
    }
    sources = sources_of(options)
    inputs = Inputs.of(options.input, options.form, reading(options), sources)
    with work(options) as how:
        written = write_run(
            inputs,
            options.system,
            options.out,
            to=options.to or "",
            team=options.team,
            run=options.number,
            model=options.model,
            folds=options.folds,
            words=options.words,
            settings=settings,
            resume=options.resume,
            force=options.force,
            **how,
        )
    before = f", {written.kept} of them from before" if written.kept else ""
    summaries = counted(written.summaries, "summary", "summaries")
    method = settings.get("selection.method")
    system = written.system
    if method not in (None, system):
        system = f"{system} with the selector {method}"
    notify(f"{summaries} by {system} in {written.path}{before}", options.quiet)
    if written.unscored:
        notify(written.unscored)
    status = list_broken(written.failed, "failed, its answer is empty")
    return 1 if written.left_out else status
