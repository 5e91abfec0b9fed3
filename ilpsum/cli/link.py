"""`ilpsum link`: predict the cited spans and facet of every citance, and write a Task 1 file."""

import argparse
from functools import partial

from ilpsum.cli.options import (
    add_common,
    add_execution,
    add_input,
    add_value,
    positive,
    topics_of,
    work,
)
from ilpsum.cli.terminal import list_broken, notify
from ilpsum.errors import UsageError, counted
from ilpsum.records import BrokenTopic
from ilpsum.task1.linker import names
from ilpsum.tasks.registry import READ


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = partial(add_value, parser)
    queries = f"query that finds the spans (default: best); there are: {', '.join(names())}"
    add("--query", "NAME|FILE.toml", queries, default="best")
    add("--model", "MODEL", "model file (default: the query's included model)")
    add(
        "--folds",
        "K",
        "held-out run in K folds: link each topic by a model trained on the other folds",
        type=positive,
    )
    add("--out", "FILE", "Task 1 file to write", required=True)
    add("--run-id", "ID", "team and run number 1-5 (default: SYS1)", default="SYS1")
    add_common(parser, "--force")
    add_input(parser, "--summaries")
    group = parser.add_argument_group("thesauri and words, for queries that use them")
    add = partial(add_value, group)
    add("--mesh", "FILE", "MeSH: desc20XX.xml, or a table (.tsv)", nargs="+")
    add("--umls", "FILE", "UMLS or another thesaurus as a table (.tsv)", nargs="+")
    add("--vectors", "FILE", "word vectors with IDF, from `ilpsum embed`")
    add("--health", "FILE", "health terms, one word per line")
    add_execution(parser)


def run(options: argparse.Namespace) -> int:
    """Write the links; exit status 1 if a topic failed."""
    from ilpsum.api.training import link
    from ilpsum.task1.reformulation import Background

    failed, topics = list[BrokenTopic](), topics_of(options)
    if (form := topics.input.form) in READ and form not in ("tac", "scisumm"):
        raise UsageError(
            f"link needs TAC or CL-SciSumm topics, which have citances; the input is {form}"
        )
    background = Background.read(options.mesh, options.umls, options.vectors, options.health)
    with work(options) as how:
        links = link(
            topics,
            options.query,
            options.model,
            folds=options.folds,
            run=options.run_id,
            background=background,
            out=options.out,
            force=options.force,
            failed=failed.append,
            **how,
        )
    if unlinked := sum(not link.spans for link in links):
        citances = counted(unlinked, "citance has", "citances have")
        notify(f"{citances} no span, for the query found none; the task expects one to three")
    status = list_broken(failed, "failed and is left out")
    if links or not failed:
        notify(f"{counted(len(links), 'citance')} linked by {options.query}", options.quiet)
    return status
