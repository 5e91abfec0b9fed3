"""`ilpsum ask`: answer a question from texts or searched abstracts, with the sources."""

import argparse
import sys
from dataclasses import replace

from ilpsum.api.asking import WORDS, ask
from ilpsum.cli.answer import Output, add_output
from ilpsum.cli.options import ABSTRACTS, IN_SERVICES, SEARCH, SERVICES, SOURCES, add_common, positive, sources_of
from ilpsum.cli.settings import add_set, add_settings, add_system, load
from ilpsum.cli.terminal import list_damaged


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("question", metavar="QUESTION", help="in quotes")
    texts = f"texts: {ABSTRACTS}, plain texts, folders, - for stdin (default: -); or a list of PMIDs, PMCIDs and DOIs"
    parser.add_argument("files", nargs="*", default=[], metavar="FILE", help=texts)
    add_common(parser.add_argument_group("a collection of abstracts, instead of FILE"), *SEARCH)
    literature = parser.add_argument_group("the literature, alone or beside FILE and --documents")
    add_common(literature, *SERVICES, *IN_SERVICES)
    quotable = parser.add_argument_group("sources that may be quoted (default: all but retracted ones)")
    add_settings(quotable, *SOURCES, "--exact")
    group = parser.add_argument_group("answer")
    add = group.add_argument
    add("--words", type=positive, default=WORDS, metavar="N", help="word limit (default: %(default)s)")
    add("--fill", action="store_true", help="fill the word limit, even with less relevant sentences")
    add_system(group)
    add_settings(group, "--lambda", "--coherence")
    add_set(parser)
    add_output(parser, "output (default: text, with the sources)")
    add_common(parser, "--quiet")


def run(options: argparse.Namespace) -> int:
    """Print the answer; exit status 1 for a damaged file in a folder, not for an unanswered question."""
    sources = replace(sources_of(options), texts=options.files)
    if not (sources.texts or sources.documents or sources.services or sys.stdin.isatty()):
        sources = replace(sources, texts=["-"])
    output = Output(options)
    output.require_other(options.files)
    summarizer = load(options, None, searched=True, explained=output.explained, ends=not options.fill)
    output.write(ask(options.question, sources, words=options.words, system=summarizer))
    return list_damaged(sources.damaged)
