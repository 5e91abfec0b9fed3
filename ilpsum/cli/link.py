"""`ilpsum link`: predict the cited spans and facet of every citance, and write a Task 1 file."""

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ilpsum.cli.options import add_common, add_input, engine, pending, topics_of
from ilpsum.cli.terminal import notify, progress
from ilpsum.errors import UsageError, counted
from ilpsum.formats.registry import READ, RUN_ID
from ilpsum.records import BrokenTopic, Document

if TYPE_CHECKING:
    from ilpsum.files.processes import Executor
    from ilpsum.formats.task1 import Link
    from ilpsum.task1.linker import Linker


class _NoLinksError(Exception):
    """All topics failed, so there is nothing to write."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input(parser, "--summaries")
    add = parser.add_argument_group("linking").add_argument
    add("--query", default="best", metavar="NAME|FILE.toml", help="named query (default: best)")
    add("--model", metavar="MODEL", help="model file (default: the query's included model)")
    add = parser.add_argument_group("output").add_argument
    add("--out", required=True, metavar="FILE", help="Task 1 file to write")
    add("--run-id", default="SYS1", metavar="ID", help="team and run number 1-5 (default: SYS1)")
    add("--force", action="store_true", help="replace an existing file")
    add = parser.add_argument_group("thesauri and words", "needed by some queries").add_argument
    add("--mesh", nargs="+", metavar="FILE", help="MeSH: desc20XX.xml, or a table (.tsv)")
    add("--umls", nargs="+", metavar="FILE", help="UMLS or another thesaurus as a table (.tsv)")
    add("--vectors", metavar="FILE", help="word vectors with IDF, from `ilpsum embed`")
    add("--health", metavar="FILE", help="health terms, one word per line")
    add_common(parser.add_argument_group("execution"), "--jobs", "--engine", "--quiet")


def run(options: argparse.Namespace) -> int:
    """Write the links; exit status 1 if a topic failed."""
    from ilpsum.formats import task1
    from ilpsum.task1.linker import Linker
    from ilpsum.task1.reformulation import Background

    if not RUN_ID.fullmatch(options.run_id):
        raise UsageError(f"--run-id {options.run_id}: expected a team name followed by a number 1-5, such as SYSX1")
    background = Background.read(options.mesh, options.umls, options.vectors, options.health)
    linker = Linker.load(options.query, options.model, background)
    failed: list[BrokenTopic] = []
    with engine(options) as workers, contextlib.suppress(_NoLinksError):
        task1.write(options.out, _links(options, workers, linker, failed), force=options.force)
    for topic in failed:
        notify(f"topic {topic.id} failed and was left out: {topic.error}")
    return 1 if failed else 0


def _links(
    options: argparse.Namespace, workers: "Executor", linker: "Linker", failed: list[BrokenTopic]
) -> "Iterator[tuple[Link, Document]]":
    """Yield the links of all topics, each with its reference paper."""
    from ilpsum.api.training import linked

    found = topics_of(options)
    if (form := found.input.form) in READ and form not in ("tac", "scisumm"):
        raise UsageError(f"link needs TAC or CL-SciSumm topics, which have citances; the input is {form}")
    topics, complete = pending(found, options)
    results = linked(linker, options.run_id, topics, workers, complete)
    citances = done = 0
    for result in progress(results, "topics", quiet=options.quiet):
        if isinstance(result, BrokenTopic):
            failed.append(result)
            continue
        citances, done = citances + len(result), done + 1
        yield from result
    if failed and not done:
        raise _NoLinksError
    notify(f"{counted(citances, 'citance')} linked by {linker.query.name}", options.quiet)
