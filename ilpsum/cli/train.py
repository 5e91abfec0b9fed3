"""`ilpsum train`: train the model of a system on topics with gold summaries, or Task 1 models."""

import argparse
from functools import partial
from pathlib import Path

from ilpsum.api.training import train, train_links
from ilpsum.cli.options import (
    SEARCH,
    add_common,
    add_execution,
    add_input,
    add_value,
    positive,
    topics_of,
    work,
)
from ilpsum.cli.setting_options import add_set
from ilpsum.cli.terminal import list_broken, notify, progress
from ilpsum.errors import UsageError, counted
from ilpsum.files.atomic import require_place
from ilpsum.records import BrokenTopic
from ilpsum.tasks import readable
from ilpsum.tasks.registry import default_output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = partial(add_value, parser)
    what = "system to train; of a family of systems, the one for the kind of these topics"
    add("--system", "NAME|FILE.toml", what)
    add(
        "--query",
        "NAME|FILE.toml",
        "train the models of a Task 1 query instead, see `ilpsum link`",
    )
    add("--out", "MODEL", "model file to write", required=True)
    add(
        "--words",
        "N",
        "word limit of summaries in tuning (default: that of the format)",
        type=positive,
    )
    add_common(parser, "--force")
    add_set(parser, "source")
    add_input(parser, "--pool", "--answers", "--summaries", *SEARCH)
    add_execution(parser)


def run(options: argparse.Namespace) -> int:
    """Train the model and write it; exit status 1 if a topic cannot be read."""
    try:
        return _train(options)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("training keeps nothing, and begins again") from None


def _train(options: argparse.Namespace) -> int:
    if (options.system is None) == (options.query is None):
        raise UsageError(
            "give --system to train a summarizer, or --query to train the models of Task 1"
        )
    out = Path(options.out)
    require_place(out, force=options.force)
    if options.query is not None and options.engine:
        raise UsageError(
            "--engine requires --system: the models of Task 1 are trained on this machine"
        )
    topics, broken = topics_of(options), list[BrokenTopic]()
    if options.query is not None:
        shown = progress(readable(topics, broken), "topics", quiet=options.quiet)
        links = train_links(shown, options.query)
        links.save(out)
        trained = counted(len(links.metadata["topics"]), "topic")
        citances = counted(links.metadata["citances"], "citance")
        notify(f"trained {links.metadata['query']} on {trained}, {citances}", options.quiet)
        return list_broken(broken)
    words = options.words or default_output(topics.input.form).words
    with work(options) as how:
        model = train(
            readable(topics, broken),
            options.system,
            words=words,
            **how | {"warn": notify},
        )
    model.save(out)
    # The user's own system may share the model name of its base.
    name = Path(options.system).stem if options.system.endswith(".toml") else ""
    for line in model.describe(name=name).split("\n"):
        notify(line, options.quiet)
    return list_broken(broken)
