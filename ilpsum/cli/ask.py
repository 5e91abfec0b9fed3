"""`ilpsum ask`: answer a question from texts, or from abstracts that a search finds, with the sources."""

import argparse
import sys
from dataclasses import replace

from ilpsum.cli.answer import MOST_TEXTS, WORDS, Output, add_output
from ilpsum.cli.literature import Literature, add_search, add_services
from ilpsum.cli.options import ABSTRACTS, SEARCH, SOURCES, Search, add_common, positive
from ilpsum.cli.system_options import add_settings, add_system, load
from ilpsum.corpora.abstracts import split_lists
from ilpsum.errors import InputError, UsageError
from ilpsum.records import Topic


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, by subject."""
    parser.add_argument("question", metavar="QUESTION", help="in quotes")
    texts = f"texts: {ABSTRACTS}, plain texts, folders, - for stdin (default: -); or a list of PMIDs, PMCIDs and DOIs"
    parser.add_argument("files", nargs="*", default=[], metavar="FILE", help=texts)
    add_common(parser.add_argument_group("a collection of abstracts, instead of FILE"), *SEARCH)
    group = parser.add_argument_group("the literature, alone or beside FILE and --documents")
    add_services(group)
    add_search(group)
    add_common(parser.add_argument_group("sources that may be quoted (default: all but retracted ones)"), *SOURCES)
    add = parser.add_argument_group("answer").add_argument
    add("--words", type=positive, default=WORDS, metavar="N", help="word limit (default: %(default)s)")
    add("--fill", action="store_true", help="use the words, also where only less relevant sentences are left")
    add_system(add)
    add_settings(add, "--lambda", "--order", "--coherence", "--overlap", "--clean", "--compress")
    add_output(parser, "output (default: text, with the sources)")
    add_common(parser, "--quiet")


def run(options: argparse.Namespace) -> int:
    """Print the answer; a question that the texts cannot answer has none, which is no failure."""
    question = " ".join(options.question.split())
    if not question:
        raise UsageError("the question is empty; to summarise texts without one: ilpsum summarize FILE...")
    if options.documents and split_lists(options.files)[1]:
        raise UsageError("a question is answered from texts (FILE...) or from --documents FILE...: choose one")
    if not options.documents and (options.index or options.pmids):
        raise UsageError("--index and --pmids are for --documents; texts are searched in memory")
    literature = Literature.of(options)
    if not (options.files or options.documents or literature.services):
        if sys.stdin.isatty():
            raise UsageError(
                "nothing to answer from: name texts, folders, - for standard input, --documents or --pubmed"
            )
        options.files = ["-"]
    output = Output.of(options)
    topic = _topic(question, options.files, Search.of(options), literature)
    summarizer = load(options, None, searched=True, explained=output.explained, ends=not options.fill)
    output.write(summarizer(topic, options.words), topic)
    return 0


def _topic(question: str, files: list[str], where: Search, literature: Literature) -> Topic:
    """Return the question with the documents that a search finds for it, among abstracts or among texts."""
    from ilpsum.retrieval import FOUND, with_documents

    search, kind, warnings = literature.pile(question, files, where)
    if not search.documents and not literature.services:
        where_from = (where.files or files)[0]
        raise InputError("no record has an abstract; export the records again, with their abstracts", where_from)
    most = where.found or (MOST_TEXTS if kind else FOUND)
    topic = with_documents(Topic("question", question, kind=kind), search, most, where.coverage, where.exact)
    return replace(topic, warnings=(*warnings, *topic.warnings))
