"""What the functions of this room take: topics in memory or on disk, and runs of either."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ilpsum.corpora import read_topics
from ilpsum.errors import UsageError
from ilpsum.evaluation.scoring import Run
from ilpsum.records import BrokenTopic, Summary, Topic
from ilpsum.runs.reading import SummaryRun, read_run

Topics = str | Path | Iterable[Topic | str | Path]
"""Topics, or a path or several of files and folders that hold topics."""
Texts = str | Path | Mapping[str, str] | Iterable[Summary]
"""A run: the path of one, texts by the id of their topic, or summaries."""


def topics_of(given: Topics, form: str | None = None) -> tuple[Topic, ...]:
    """Return topics as they are, and those in files.

    Args:
        given: topics, or paths.
        form: format of the files, as `ilpsum summarize --from` names it; by default guessed.

    Raises:
        InputError: a file or one of its topics cannot be read. The command line leaves broken topics out and says so;
            here nothing is left out.
    """
    return tuple(read(given, form))


def read(given: Topics, form: str | None = None) -> Iterator[Topic]:
    """Yield what `topics_of` returns, lazily."""
    for item in [given] if isinstance(given, str | Path) else given:
        for topic in (item,) if isinstance(item, Topic) else read_topics([str(item)], form):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            yield topic


def run_of(given: Texts, name: str) -> Run:
    """Return a run to score; one in memory gets the name.

    Raises:
        InputError: nothing is at the path, or it is no run.
        UsageError: two summaries are of one topic.
    """
    if isinstance(given, str | Path):
        return read_run(given)
    if isinstance(given, Mapping):
        return SummaryRun(name, dict(given))
    texts: dict[str, str] = {}
    for summary in given:
        if summary.topic in texts:
            raise UsageError(f"two summaries of the topic {summary.topic}; a run has one of each")
        texts[summary.topic] = summary.text
    return SummaryRun(name, texts)
