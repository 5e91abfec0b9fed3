"""Topics that the functions of this room take: in memory or on disk."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from ilpsum.api.sources import SEARCH, SOURCES, Sources
from ilpsum.corpora import Input, ReaderOptions, loaded, resolve
from ilpsum.errors import UsageError
from ilpsum.records import BrokenTopic, Incoming, Topic

if TYPE_CHECKING:
    from ilpsum.corpora.abstracts import Damaged
    from ilpsum.runs.summarising import Complete

Topics = str | Path | Iterable[Topic | str | Path]
"""Topics, or a path or several of files and folders that hold topics."""
READ, NONE = ReaderOptions(), Sources()
"""How topics are read unless asked otherwise; no search."""


def topics_of(
    given: Topics, form: str | None = None, options: ReaderOptions = READ, sources: Sources = NONE
) -> tuple[Topic, ...]:
    """Return topics as they are, and those in files.

    Args:
        given: topics, or paths.
        form: format of the files, as `ilpsum summarize --from` names it; by default guessed.
        options: what is read of the files, such as the pool of BioASQ's questions.
        sources: abstracts to search for the documents of topics in files that have none (`Sources(documents=...)`).

    Raises:
        InputError: a file or one of its topics cannot be read. The command line leaves broken topics out and says so;
            here nothing is left out.
        UsageError: see `Inputs.of`.
    """
    return tuple(read(given, form, options, sources))


def read(
    given: Topics, form: str | None = None, options: ReaderOptions = READ, sources: Sources = NONE
) -> Iterator[Topic]:
    """Yield what `topics_of` returns, lazily."""
    for item in [given] if isinstance(given, str | Path) else given:
        for topic in (item,) if isinstance(item, Topic) else Inputs.of([str(item)], form, options, sources):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            yield topic


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files of topics, resolved before any work.

    Attributes:
        input: the files, their formats and what is asked of their readers.
        search: how the documents of a topic are found; None if topics have their own.
        damaged: gets the files in folders of abstracts that cannot be read.
    """

    input: Input
    search: Sources | None
    damaged: "Damaged | None"

    @classmethod
    def of(cls, files: Sequence[str], form: str | None, reading: ReaderOptions, search: Sources) -> "Inputs":
        """Return the topics of files, and how their documents are found.

        Raises:
            InputError: the format of an input cannot be guessed.
            UsageError: options of a search without a search, or the other way round.
        """
        found = resolve(files, form, reading)
        if reading.pool == "searched" or found.form == "biogen":
            if not search.documents:
                raise UsageError("--documents FILE... is needed for topics without documents: abstracts to search")
            return cls(found, search, search.damaged)
        if reading.pool == "abstracts":
            reading = replace(reading, retracted=search.wanted.retracted)
            search = replace(search, wanted=replace(search.wanted, retracted=False))
        if replace(search, documents=()) != NONE:
            problem = "need a search: --documents, with BioGen topics, --pool searched or `ilpsum ask`"
            raise UsageError(f"{', '.join((*SEARCH, *SOURCES))} {problem}")
        if search.documents:
            reading = replace(reading, documents=tuple(search.documents), damaged=search.damaged)
            found = resolve(files, form, reading)
        return cls(found, None, search.damaged)

    @property
    def documents(self) -> tuple[str, ...]:
        """The files of abstracts that are searched or read."""
        return tuple(map(str, self.search.documents if self.search else self.input.options.documents))

    def __iter__(self) -> Iterator[Topic | BrokenTopic]:
        """Yield the complete topics, lazily."""
        topics, complete = self.pending()
        return map(complete, topics)

    def pending(self) -> "tuple[Iterator[Incoming], Complete]":
        """Return the topics, lazily, and a function that completes each: reads it, searches for its documents.

        The function can be sent to the process that needs the topic. The first topic is read at once, so that wrong
        options are reported first.
        """
        topics = self.input.pending()
        complete: Complete = loaded
        if self.search:
            from ilpsum.retrieval import FOUND, Attaching

            where = self.search
            complete = Attaching(where.open(), where.found or FOUND, where.coverage, where.exact)
            topics = complete.warned(topics)
        return chain(list(islice(topics, 1)), topics), complete
