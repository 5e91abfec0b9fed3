"""`ilpsum summarize` without a run: a question answered, or texts summarised, with their sources."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from ilpsum.cli.options import abstract_search, expand_documents, notify
from ilpsum.cli.pages import require_place
from ilpsum.cli.system_options import load
from ilpsum.corpora import guess
from ilpsum.corpora.abstracts import has_abstract
from ilpsum.corpora.identity import topic_digest
from ilpsum.corpora.text import documents
from ilpsum.errors import InputError, UsageError
from ilpsum.io.atomic import write_errors, write_file
from ilpsum.io.files import real
from ilpsum.records import Topic
from ilpsum.runs.formats import FORMATS

# The most texts that one answer or summary is made from.
_MOST_TEXTS = 50

_OUTPUTS = ("html", "json", "markdown", "provenance")


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the form of an answer."""
    group = parser.add_argument_group("answer to a --question, or summary of texts")
    one = group.add_mutually_exclusive_group().add_argument
    one("--html", metavar="FILE", help="also write a page: the answer beside its sources, and what was left out")
    one("--json", action="store_true", help="print one JSON object instead of text")
    one("--markdown", action="store_true", help="print Markdown instead of text")
    group.add_argument("--provenance", metavar="FILE", help="also write the provenance of the answer")


def is_answer(options: argparse.Namespace) -> bool:
    """Whether there is a question, or there are texts to summarise without one, rather than topics for a run."""
    if options.question is not None:
        return True
    of_runs = options.out or options.to or options.form
    return bool(options.input) and not of_runs and not any(map(_is_topics, options.input))


def _is_topics(path: str) -> bool:
    try:
        return bool(guess(path))
    except InputError:
        return False


def refuse_answer_options(options: argparse.Namespace) -> None:
    """Raise a `UsageError` if topics are given options of an answer."""
    for name in _OUTPUTS:
        if getattr(options, name):
            raise UsageError(f"--{name} is for a --question; a run has its own files, see --to and `ilpsum report`")


def answer(options: argparse.Namespace) -> int:
    """Print the answer to one question, or the summary of texts, and write its page and provenance if asked."""
    from ilpsum.report import answers, plain
    from ilpsum.report.reading import reading_of
    from ilpsum.runs.provenance import summary_line

    _check(options)
    topic = _topic(options)
    summarizer = load(options, None, searched=topic.search is not None)
    summary = summarizer(topic, options.words or FORMATS["bioasq"].words)
    for line in summary.warnings:
        notify(line, options.quiet)
    reading = reading_of(summary, topic)
    form = plain.to_json if options.json else plain.markdown if options.markdown else plain.text
    print(form(reading), end="")
    if options.html:
        _write(options.html, answers.page(reading, plain.UNASKED).encode())
    if options.provenance:
        _write(options.provenance, summary_line(replace(summary, topic_digest=topic_digest(topic))))
    return 0


def _check(options: argparse.Namespace) -> None:
    if options.question is None:
        _refuse_search(options)
    elif not options.question.strip():
        raise UsageError("--question is empty; leave it out to summarise texts without one")
    if options.out or options.to:
        raise UsageError("--question prints its answer on standard output; --out and --to are for topics")
    for name in ("resume", "force", "pool", "answers", "summaries", "contact_email", "retrieved"):
        if getattr(options, name):
            raise UsageError(f"--{name.replace('_', '-')} is for topics; leave it out with --question")
    if options.input and options.documents:
        raise UsageError("a --question is answered from texts (FILE...) or from --documents FILE...: choose one")
    if not options.input and not options.documents and sys.stdin.isatty():
        raise UsageError("nothing to answer from: name texts, folders, - for standard input, or --documents FILE...")
    if (options.index or options.pmids) and not options.documents:
        raise UsageError("--index and --pmids are for --documents; texts are searched in memory")
    _check_places(options)


def _refuse_search(options: argparse.Namespace) -> None:
    for name in ("documents", "index", "pmids", "found", "coverage"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is for a --question; add one, or name texts alone to summarise them all")


def _check_places(options: argparse.Namespace) -> None:
    if options.html and options.provenance and real(options.html) == real(options.provenance):
        raise UsageError(f"--html and --provenance both name {options.html}; name two files")
    if options.html:
        require_place(Path(options.html), "--html")
    if options.provenance:
        require_place(Path(options.provenance), "--provenance", "provenance")


def _topic(options: argparse.Namespace) -> Topic:
    """Return the question with the documents that a search finds for it, among --documents or among the texts.

    Without a question all texts are taken.
    """
    from ilpsum.retrieval import FOUND, AbstractSearch, with_documents

    if options.question is None:
        return _unasked(options)
    expand_documents(options)
    warnings: list[str] = []
    kind = ""
    if options.documents:
        search = abstract_search(options)
        warnings += search.warnings
    else:
        texts = list(documents(options.input or ["-"], warnings))
        search = AbstractSearch.of_documents(texts)
        kind = "" if any(map(has_abstract, texts)) else "texts"
    if not search.documents:
        where = (options.documents or options.input or ["-"])[0]
        raise InputError("no record has an abstract; export the records again, with their abstracts", where)
    query = " ".join(options.question.split())
    found = options.found or (_MOST_TEXTS if kind else FOUND)
    topic = with_documents(Topic("question", query, kind=kind), search, found, options.coverage)
    return replace(topic, warnings=(*warnings, *topic.warnings))


def _unasked(options: argparse.Namespace) -> Topic:
    """Return a topic of all texts, or of those nearest to the subject of all if there are too many."""
    from ilpsum.pipeline.subject import nearest

    warnings: list[str] = []
    texts = tuple(documents(options.input, warnings))
    if len(texts) > _MOST_TEXTS:
        warnings.append(f"{len(texts)} texts: only the {_MOST_TEXTS} nearest to the subject of all are summarised")
        texts = nearest(texts, _MOST_TEXTS)
    return Topic("texts", documents=texts, kind="texts", warnings=tuple(warnings))


def _write(path: str, data: bytes) -> None:
    with write_errors(Path(path)):
        write_file(path, data)
