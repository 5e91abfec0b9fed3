"""Topics as function arguments, in memory or on disk, and the sources of their documents."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ilpsum.answers.sources import Sources
from ilpsum.errors import InputError, UsageError
from ilpsum.files.arguments import checked
from ilpsum.files.processes import Executor, Processes
from ilpsum.records import BrokenTopic, Incoming, Topic
from ilpsum.tasks import Input, ReaderOptions, distinct, form_of, loaded, resolve
from ilpsum.tasks.registry import FORMATS

if TYPE_CHECKING:
    from ilpsum.runs.summarising import Complete

READ, NONE = ReaderOptions(), Sources()
"""Default reader options, and sources without a search."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Topic files, resolved before any work, or topics in memory.

    Attributes:
        input: the files, their formats and reader options.
        search: sources to search for documents; None if topics have their own.
        in_memory: topics in memory, instead of files.
    """

    input: Input
    search: Sources | None = None
    in_memory: Iterable[Topic] | None = None

    @classmethod
    def of(
        cls,
        files: Sequence[str],
        form: str | None,
        reading: ReaderOptions,
        search: Sources,
        *,
        gold: bool = False,
    ) -> "Inputs":
        """Resolve topic files and the search for their documents; `gold` may be summaries alone.

        Raises:
            InputError: the format of an input cannot be guessed.
            UsageError: search options without a search, or a search without documents.
        """
        resolved = resolve(files, form, reading, gold=gold)
        if reading.pool == "searched" or FORMATS[resolved.form].reader.searched:
            if not search.documents:
                raise UsageError(
                    "--documents FILE... is needed for topics without documents: abstracts to "
                    "search"
                )
            return cls(resolved, search)
        if reading.pool == "abstracts":
            reading = replace(reading, retracted=search.wanted.retracted)
            wanted = msgspec.structs.replace(search.wanted, retracted=False)
            search = replace(search, wanted=wanted)
        if search != replace(NONE, documents=search.documents):
            raise UsageError(
                "--index, --pmids, --found, --coverage and the settings of sources need a search: "
                "--documents, with BioGen topics, --pool searched or `ilpsum ask`"
            )
        if search.documents:
            # The readers of abstracts load numpy, which `--help` should not wait for.
            from ilpsum.tasks.texts import files_in

            abstracts = files_in(search.documents)
            problems = (*search.problems, *abstracts.problems)
            reading = replace(reading, documents=abstracts.paths, problems=problems)
            resolved = resolve(files, form, reading)
        return cls(resolved)

    @property
    def documents(self) -> tuple[str, ...]:
        """Files of the abstracts that are searched or read, those in folders included."""
        from ilpsum.tasks.texts import files_in

        documents = self.search.documents if self.search else self.input.options.documents
        return tuple(map(str, files_in(documents).paths))

    def __iter__(self) -> Iterator[Topic | BrokenTopic]:
        """Yield the complete topics, lazily."""
        topics, complete = self.pending()
        return map(complete, topics)

    def pending(self) -> "tuple[Iterator[Incoming], Complete]":
        """Return lazy topics and a picklable function that completes each: reads it and searches
        for its documents.

        The first topic is read at once, to report wrong options early. `InputError` if there is
        none.
        """
        topics = self.input.pending() if self.in_memory is None else distinct(self.in_memory)
        complete: Complete = loaded
        if self.search:
            from ilpsum.answers.attaching import FOUND, Attaching
            from ilpsum.answers.retrieval import indexed

            complete = Attaching(
                indexed(self.search),
                most=self.search.found or FOUND,
                least_coverage=self.search.coverage,
                exact=self.search.exact,
            )
            topics = complete.warned(topics)
        first = list(islice(topics, 1))
        if not first:
            raise InputError(
                "no topics are in the input: expected questions, or papers with citances"
            )
        return chain(first, topics), complete


Topics = str | Path | Iterable[Topic | str | Path] | Inputs
"""Topics, or one or more paths of files and folders with topics."""


@checked
def topics_of(
    topics: Topics,
    form: str | None = None,
    options: ReaderOptions = READ,
    sources: Sources = NONE,
) -> tuple[Topic, ...]:
    """Return topics, reading those given as paths.

    Args:
        topics: topics, or paths.
        form: format of the files, as in `ilpsum summarize --from`; guessed by default.
        options: reader options, such as the pool of BioASQ questions.
        sources: abstracts to search for topics in files without documents
            (`Sources(documents=...)`).

    Raises:
        InputError: a file or a topic in it cannot be read; unlike the command line, the API skips
            no broken topics.
        UsageError: see `Inputs.of`.
    """
    return tuple(read(topics, form, options, sources))


def read(
    topics: Topics,
    form: str | None = None,
    options: ReaderOptions = READ,
    sources: Sources = NONE,
    *,
    gold: bool = False,
) -> Iterator[Topic]:
    """Yield the topics of `topics_of` lazily; `gold` may be summaries alone."""
    for item in [topics] if isinstance(topics, str | Path) else topics:
        of_item: Iterable[Topic | BrokenTopic]
        if isinstance(item, str | Path):
            of_item = Inputs.of([str(item)], form, options, sources, gold=gold)
        else:
            of_item = [item]
        for topic in of_item:
            if isinstance(topic, BrokenTopic):
                raise topic.error
            yield topic


def resolved(topics: Topics) -> Inputs:
    """Return topics and paths as inputs; files among topics in memory are read when their
    turn comes. The first topic in memory tells their format (`form_of`).
    """
    if isinstance(topics, Inputs):
        return topics
    items = [topics] if isinstance(topics, str | Path) else topics
    if isinstance(items, list | tuple) and items:
        paths = [str(item) for item in items if not isinstance(item, Topic)]
        if len(paths) == len(items):
            return Inputs.of(paths, None, READ, NONE)
    incoming = read(items)
    first = list(islice(incoming, 1))
    form = form_of(first[0]) if first else "jsonl"
    return Inputs(Input((), (form,)), in_memory=chain(first, incoming))


def pending(
    inputs: Inputs,
    workers: Executor,
    *,
    whole: bool,
) -> "tuple[Iterable[Incoming], Complete]":
    """Return the topics and what completes them in a worker.

    Workers without the files get complete topics. `whole` reads all topics at once, as folds need
    them.
    """
    has_files = isinstance(workers, Processes)
    topics, complete = inputs.pending() if has_files else (iter(inputs), loaded)
    return (list(workers.map(complete, topics)), loaded) if whole else (topics, complete)
