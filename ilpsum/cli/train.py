"""`ilpsum train`: train the model of a system on topics with gold summaries, or Task 1 models."""

import argparse
from collections.abc import Iterable, Sized
from pathlib import Path
from typing import Any, cast

from ilpsum.api.training import train, train_links
from ilpsum.cli.options import SEARCH, add_common, add_input, engine, positive, topics_of, whole
from ilpsum.cli.settings import add_set, settings_of
from ilpsum.cli.terminal import list_broken, notify, progress
from ilpsum.errors import UsageError, counted
from ilpsum.files.atomic import require_new
from ilpsum.formats.registry import default_output
from ilpsum.pipeline.system import Kind, System
from ilpsum.records import BrokenTopic


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add_input(parser, "--pool", "--answers", "--summaries", *SEARCH)
    add = parser.add_argument
    what = "system to train; for `concepts` and the like, the one for this kind of topic"
    add("--system", metavar="NAME|FILE.toml", help=what)
    add("--query", metavar="NAME|FILE.toml", help="train the models of a Task 1 query instead (see `ilpsum link`)")
    add("--out", required=True, metavar="MODEL", help="model file to write")
    add("--words", type=positive, help="word limit of summaries in tuning (default: that of the format)")
    add("--force", action="store_true", help="replace an existing file")
    add_set(parser)
    add_common(parser.add_argument_group("execution"), "--jobs", "--engine", "--quiet")


def run(options: argparse.Namespace) -> int:
    """Train the model and write it; exit status 1 if a topic cannot be read."""
    if (options.system is None) == (options.query is None):
        raise UsageError("give --system to train a summarizer, or --query to train the models of Task 1")
    if own := [key for key in settings_of(options) if not key.startswith("source.")]:
        raise UsageError(f"--set {own[0]}: a model depends on its system's file; change a copy of it and name that")
    out = Path(options.out)
    require_new(out, force=options.force)
    if options.query is not None and options.engine:
        raise UsageError("--engine requires --system: the models of Task 1 are trained on this machine")
    topics, broken = topics_of(options), list[BrokenTopic]()

    def shown(items: Iterable[Any], what: str) -> Iterable[Any]:
        total = len(items) if isinstance(items, Sized) else None
        return progress(items, what, total, quiet=options.quiet)

    if options.query is not None:
        links = train_links(shown(whole(topics, broken), "topics"), options.query)
        links.save(out)
        trained = counted(len(links.metadata["topics"]), "topic")
        citances = counted(links.metadata["citances"], "citance")
        notify(f"trained {links.metadata['query']} on {trained}, {citances}", options.quiet)
        return list_broken(broken)
    words = options.words or default_output(topics.input.form).words
    with engine(options) as workers:
        model = train(whole(topics, broken), options.system, words=words, engine=workers, progress=shown)
    model.save(out)
    # A recipe may tune several selectors; describe only the parameter of the system's own.
    selector = System.load(options.system).for_kind(cast(Kind, model.metadata.kind)).selection.selector
    for line in model.describe(selector.tunes).split("\n"):
        notify(line, options.quiet)
    return list_broken(broken)
