"""What the writers of all formats share: a run that appears all at once, a lock, resuming, the provenance."""

import contextlib
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ilpsum.corpora.identity import topic_digest
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.io.atomic import Lock, write_atomically
from ilpsum.io.names import Seen, unsafe_name
from ilpsum.records import Summary, Topic
from ilpsum.runs.provenance import Failure, failure_line, read_provenance, summary_line
from ilpsum.runs.settings import GIVEN, KEPT, require_same

# Takes the files of an earlier run while the new ones move to their place.
_REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a run takes of a topic, ready to be written: little to send from the process that composed it.

    Attributes:
        topic: the topic's id.
        line: its line of provenance.
        answer: its part of the files of the format, in UTF-8.
    """

    topic: str
    line: bytes
    answer: bytes


class RunWriter(ABC):
    """A run of one format in the making; a context manager that closes it, or leaves it to be resumed on an error.

    The run is built in `OUT/.NAME.part` and moved to its place by `close`. A format says what its files are (`targets`)
    and implements `_answer`, `_put` and, where it has more to do at the beginning or the end, `_prepare` and `_finish`.

    A topic is written in two steps, of which another process may take the first: `compose` makes its entry, `add`
    puts that into the run; `write` does both.

    Args:
        out: the folder that takes the run; made if it is not there.
        name: the run's name.
        force: replace a run of this name, finished or not.
        resume: go on with a run of this name: the topics it has are kept (`topic in run.finished`), those that
            failed are to be written again.
        settings: what the topics are made with, see `ilpsum.runs.settings`; a run that is resumed must have had the
            same, and the provenance keeps them.

    Attributes:
        finished: the ids of the topics that the run has.
        kept: how many of them are of the earlier run.

    Raises:
        UsageError: a run to be resumed was begun with other settings; there is a run of this name and neither `force`
            nor `resume` is given; another process writes it; or `out` is no folder.
        IlpsumError: the folder cannot be written.
    """

    def __init__(
        self,
        out: str | Path,
        name: str,
        *,
        force: bool = False,
        resume: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        if why := unsafe_name(name):
            raise UsageError(f"the name of a run {why}: {name!r}")
        self.out, self.name = Path(out), name
        self.finished, self._given, self._first = Seen(), Seen(), Summary("", (), "")
        self._asked, self.kept = Seen(), 0
        self._settings = dict(settings or {})
        self._folder, self._files = self.out / f".{name}.part", contextlib.ExitStack()
        for folder in (self.out, *self.out.parents):
            if folder.exists() and not folder.is_dir():
                raise UsageError(f"{folder} is a file, a folder was expected; name another with --out")
        with _told(self.out):
            self.out.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(self.out / f".{name}.lock", "is writing this run")
        try:
            with _told(self.out):
                self._begin(force=force, resume=resume)
        except BaseException:
            self._files.close()
            self._lock.release()
            raise

    @property
    @abstractmethod
    def targets(self) -> tuple[str, ...]:
        """The files and folders of the run, by their names in `out`; the provenance is not among them."""

    @classmethod
    def _fitted(cls, summary: Summary) -> Summary:
        """The summary as this format has room for it.

        Raises:
            InputError: the summary has no place in this format.
        """
        return summary

    @classmethod
    @abstractmethod
    def _answer(cls, name: str, summary: Summary) -> bytes:
        """What the files of the run of this name take of a fitted summary."""

    @abstractmethod
    def _put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:
        """Writes one topic's answer into `self.folder`; one that `failed` may be answered later.

        Raises:
            InputError: the topic's id has no place in this format.
        """

    def _prepare(self) -> None:  # noqa: B027  # a hook, as `_finish`
        """Makes `self.folder` ready for the topics that are not finished."""

    def _finish(self) -> None:  # noqa: B027  # a hook: most formats have something to do, none must
        """Makes of what was put the files of the run in `self.folder`."""

    @property
    def folder(self) -> Path:
        """Where the run is built."""
        return self._folder

    @property
    def provenance(self) -> Path:
        """The provenance as far as it is written; `read_provenance` reads it."""
        return self._folder / self._provenance_name

    def has(self, topic: Topic) -> bool:
        """Whether a topic needs no work any more.

        Raises:
            UsageError: a resumed run has a topic of this id that says something else.
        """
        if topic.id not in self.finished:
            return False
        self._asked.add(topic.id)
        if len(self._given) and _given(topic.id, topic_digest(topic)) not in self._given:
            what = "give the same topics, another name (--run), or --force to begin anew"
            raise UsageError(f"the run {self.name} was begun with another topic {topic.id} (its texts differ); {what}")
        return True

    def unasked(self) -> tuple[int, Iterator[str]]:
        """The topics of the earlier run that `has` was not asked about: how many, and their ids in its order."""
        earlier = (summary.topic for summary in islice(self._earlier(), self.kept))
        return self.kept - len(self._asked), (name for name in earlier if name not in self._asked)

    @property
    def composer(self) -> Callable[[Summary], Entry]:
        """`compose` for this run; it can be pickled."""
        return partial(type(self).compose, self.name, self._settings)

    @classmethod
    def compose(cls, name: str, settings: Mapping[str, Any], summary: Summary) -> Entry:
        """What a run of this name and these settings takes of a topic.

        Raises:
            InputError: the summary has no place in the format.
        """
        if settings:
            summary = replace(summary, details={**summary.details, KEPT: settings})
        summary = cls._fitted(summary)
        return Entry(summary.topic, summary_line(summary), cls._answer(name, summary))

    def add(self, entry: Entry) -> None:
        """Adds one topic, as `composer` made it.

        Raises:
            InputError: the topic is in the run already, or its id has no place in the format.
            IlpsumError: the folder cannot be written.
        """
        if entry.topic in self.finished:
            raise InputError(f"{entry.topic}: is in the run {self.name} already; give each topic an id of its own")
        with _told(self.folder):
            self._put(entry.topic, entry.answer)
            self._record(entry.line)
        self.finished.add(entry.topic)

    def write(self, summary: Summary) -> None:
        """Adds one topic.

        Raises:
            InputError: the topic is in the run already, or has no place in the format.
            UsageError: a resumed run holds topics made with other settings.
            IlpsumError: the folder cannot be written.
        """
        self._first = self._first if self._first.topic else summary
        require_same(self.name, self._first, summary)
        self.add(self.composer(summary))

    def fail(self, topic: str, error: object) -> None:
        """Adds an empty answer for a topic that failed, unless the run has one of this name; the reason is kept."""
        with _told(self.folder):
            if topic not in self.finished:
                # A name that is no file's name can have no file; the provenance still tells of it.
                with contextlib.suppress(InputError):
                    self._put(topic, self._answer(self.name, Summary(topic, (), "")), failed=True)
            self._record(failure_line(topic, error))

    def close(self) -> None:
        """Completes the run and moves it to its place.

        Raises:
            IlpsumError: the folder cannot be written.
        """
        try:
            with _told(self.out):
                self._files.close()
                self._finish()
                self._publish()
        finally:
            self._lock.release()

    def abandon(self) -> None:
        """Leaves what is written for a later `resume`; nothing at all where nothing was."""
        self._files.close()
        # Of a run that was taken back to be gone on with, the one that is published stays as it is.
        if not self.provenance.stat().st_size or (self._fresh and not self._recorded):
            shutil.rmtree(self._folder)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    @property
    def _provenance_name(self) -> str:
        return f"{self.name}.provenance.jsonl"

    @property
    def _all_targets(self) -> tuple[str, ...]:
        return (*self.targets, self._provenance_name)

    def _begin(self, *, force: bool, resume: bool) -> None:
        there = [name for name in self._all_targets if os.path.lexists(self.out / name)]
        if there and not (force or resume):
            what = "choose another name (--run), go on with it (--resume) or replace it (--force)"
            raise UsageError(f"{self.out / there[0]} is there already; {what}")
        if self._folder.exists() and not (force or resume):
            what = "go on with it (--resume) or begin anew (--force)"
            raise UsageError(f"{self.out} holds an unfinished run {self.name}; {what}")
        if not resume and self._folder.exists():
            shutil.rmtree(self._folder)
        # A work folder goes on as it is; only a run that was published, in whole or in part, is taken back.
        self._fresh, self._recorded = not self._folder.exists(), False
        published = self._fresh or (self._folder / _REPLACED).exists()
        self._folder.mkdir(exist_ok=True)
        if resume and published:
            self._take_back()
        if resume:
            self._keep_finished()
            self.kept = len(self.finished)
            self._require_same()
        self._prepare()
        self._stream = self._files.enter_context(self.provenance.open("ab"))

    def _take_back(self) -> None:
        """Copies the run that is there into the work folder, unless a newer one is there in part."""
        shutil.rmtree(self._folder / _REPLACED, ignore_errors=True)
        for name in self._all_targets:
            source, target = self.out / name, self._folder / name
            if source.is_dir() and not target.exists():
                shutil.copytree(source, target, symlinks=True)
            elif source.is_file() and not target.exists():
                shutil.copyfile(source, target)

    def _keep_finished(self) -> None:
        """Keeps the provenance of the topics that did not fail."""
        with write_atomically(self.provenance) as stream:
            for summary in self._earlier():
                if isinstance(summary, Summary) and self._still_there(summary) and self.finished.add(summary.topic):
                    self._first = self._first if self._first.topic else summary
                    stream.write(summary_line(summary))
                    if GIVEN in summary.details:
                        self._given.add(_given(summary.topic, summary.details[GIVEN]))

    def _require_same(self) -> None:
        """Holds the settings against those of what is there, before any work; a finished run stays as it is."""
        if not (self._settings and self._first.topic):
            return
        try:
            require_same(self.name, self._first, self._settings)
        except UsageError:
            if self._fresh:
                shutil.rmtree(self._folder)
            raise

    def _earlier(self) -> Iterator[Summary | Failure]:
        if not self.provenance.exists():
            return
        # A process that was killed leaves half a line, which is the last.
        with contextlib.suppress(InputError):
            yield from read_provenance(self.provenance)

    def _still_there(self, summary: Summary) -> bool:
        """Whether the answer that the provenance tells of is in the work folder (a format may look)."""
        return bool(summary.topic)

    def _record(self, line: bytes) -> None:
        self._recorded = True
        self._stream.write(line)
        self._stream.flush()

    def _publish(self) -> None:
        old = self._folder / _REPLACED
        old.mkdir()
        for name in self._all_targets:
            if os.path.lexists(self.out / name):
                (self.out / name).rename(old / name)
            (self._folder / name).rename(self.out / name)
        shutil.rmtree(self._folder)


def _given(topic: str, digest: str) -> str:
    return f"{digest} {topic}"


@contextlib.contextmanager
def _told(place: Path) -> Iterator[None]:
    """Failures to write as one line."""
    try:
        yield
    except OSError as error:
        raise IlpsumError(f"{error.filename or place}: cannot be written ({error.strerror or error})") from None
