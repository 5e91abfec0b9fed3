"""The base of all writers: a run that appears all at once, a lock, resuming, the provenance."""

import contextlib
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from ilpsum.corpora.identity import topic_digest
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.io.atomic import Lock, write_atomically
from ilpsum.io.names import Seen, unsafe_name
from ilpsum.records import RunSettings, Summary, Topic
from ilpsum.runs.provenance import Failure, failure_line, read_provenance, summary_line
from ilpsum.runs.settings import of_kind, require_same

# Holds the files of an earlier run while the new ones move into place.
_REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Entry:
    """A topic ready to be written: little to send from the process that composed it.

    Attributes:
        topic: the topic's id.
        line: its line of provenance.
        answer: its part of the format's files, in UTF-8.
    """

    topic: str
    line: bytes
    answer: bytes


class RunWriter(ABC):
    """A run being written; a context manager that completes it, or leaves it to be resumed after an error.

    The run is built in `OUT/.NAME.part` and moved into place by `close`. A format names its files (`targets`) and
    implements `_answer`, `_put` and, if it has more to do at the start or the end, `_prepare` and `_finish`. Writers
    never edit a summary: what was selected is what they write.

    A topic is written in two steps, the first of which may run in another process: `compose` makes its entry, `add`
    puts it into the run; `write` does both.

    Args:
        out: the folder for the run; created if missing.
        name: the run's name.
        force: replace a run of this name, finished or not.
        resume: continue a run of this name: finished topics are kept, failed ones are written again.
        settings: of all topics of the run, for each kind of topic if the system has one for each; none if each summary
            brings its own. A resumed run must have the same.

    Attributes:
        finished: ids of the topics in the run.
        kept: how many of them come from the earlier run.

    Raises:
        UsageError: a resumed run was started with other settings; a run of this name exists and neither `force` nor
            `resume` is given; another process is writing it; or `out` is not a folder.
        IlpsumError: the folder cannot be written.
    """

    def __init__(
        self,
        out: str | Path,
        name: str,
        *,
        force: bool = False,
        resume: bool = False,
        settings: Sequence[RunSettings] = (),
    ) -> None:
        if why := unsafe_name(name):
            raise UsageError(f"the name of a run {why}: {name!r}")
        self.out, self.name = Path(out), name
        self.finished, self._given, self._first = Seen(), Seen(), Summary("", (), "")
        self._asked, self.kept = Seen(), 0
        self._settings = tuple(settings)
        self._folder, self._files = self.out / f".{name}.part", contextlib.ExitStack()
        for folder in (self.out, *self.out.parents):
            if folder.exists() and not folder.is_dir():
                raise UsageError(f"{folder} is a file, expected a folder; name another with --out")
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
    @abstractmethod
    def _answer(cls, name: str, summary: Summary) -> bytes:
        """Return a topic's part of the files of the run of this name.

        Raises:
            InputError: the format cannot hold the summary.
        """

    @abstractmethod
    def _put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:
        """Write one topic's answer into `self.folder`; a `failed` one may be replaced later.

        Raises:
            InputError: the format cannot hold the topic's id.
        """

    def _prepare(self) -> None:  # noqa: B027  # a hook, as `_finish`
        """Prepare `self.folder` for the unfinished topics."""

    def _finish(self) -> None:  # noqa: B027  # a hook: most formats have something to do, none must
        """Make the files of the run in `self.folder`."""

    @property
    def folder(self) -> Path:
        """Where the run is built."""
        return self._folder

    @property
    def provenance(self) -> Path:
        """The provenance written so far."""
        return self._folder / self._provenance_name

    def has(self, topic: Topic) -> bool:
        """Whether a topic is finished.

        Raises:
            UsageError: a resumed run has a topic of this id with other texts.
        """
        if topic.id not in self.finished:
            return False
        self._asked.add(topic.id)
        if len(self._given) and _given(topic.id, topic_digest(topic)) not in self._given:
            what = "use the same topics, another name (--run), or --force to start over"
            raise UsageError(
                f"the run {self.name} was started with another topic {topic.id} (its texts differ); {what}"
            )
        return True

    def unasked(self) -> tuple[int, Iterator[str]]:
        """Return the number and the ids of the earlier run's topics that `has` was not asked about."""
        earlier = (summary.topic for summary in islice(self._earlier(), self.kept))
        return self.kept - len(self._asked), (name for name in earlier if name not in self._asked)

    @property
    def composer(self) -> Callable[[Summary], Entry]:
        """`compose` for this run; it can be pickled."""
        return partial(type(self).compose, self.name, self._settings)

    @classmethod
    def compose(cls, name: str, settings: Sequence[RunSettings], summary: Summary) -> Entry:
        """Return the entry of a topic in a run of this name and these settings.

        Raises:
            InputError: the format cannot hold the summary.
        """
        if settings:
            summary = replace(summary, settings=of_kind(settings, summary.settings.kind))
        return Entry(summary.topic, summary_line(summary), cls._answer(name, summary))

    def add(self, entry: Entry) -> None:
        """Add one topic, as `composer` made it.

        Raises:
            InputError: the topic is in the run already, or the format cannot hold its id.
            IlpsumError: the folder cannot be written.
        """
        if entry.topic in self.finished:
            raise InputError(f"{entry.topic}: already in the run {self.name}; give each topic its own id")
        with _told(self.folder):
            self._put(entry.topic, entry.answer)
            self._record(entry.line)
        self.finished.add(entry.topic)

    def write(self, summary: Summary) -> None:
        """Add one topic.

        Raises:
            InputError: the topic is in the run already, or the format cannot hold it.
            UsageError: the run holds topics made with other settings.
            IlpsumError: the folder cannot be written.
        """
        if not self._settings:
            self._first = self._first if self._first.topic else summary
            require_same(self.name, self._first.settings, summary.settings)
        self.add(self.composer(summary))

    def fail(self, topic: str, error: object) -> None:
        """Add an empty answer for a failed topic, unless the run has a topic of this id; the reason is kept."""
        with _told(self.folder):
            if topic not in self.finished:
                # An id that cannot name a file has no file, but the provenance records it.
                with contextlib.suppress(InputError):
                    self._put(topic, self._answer(self.name, Summary(topic, (), "")), failed=True)
            self._record(failure_line(topic, error))

    def close(self) -> None:
        """Complete the run and move it into place.

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
        """Leave what is written for a later `resume`; remove the folder if there is nothing."""
        self._files.close()
        # A published run that was taken back to be continued stays as it is.
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
            what = "choose another name (--run), continue it (--resume) or replace it (--force)"
            raise UsageError(f"{self.out / there[0]} exists already; {what}")
        if self._folder.exists() and not (force or resume):
            what = "continue it (--resume) or start over (--force)"
            raise UsageError(f"{self.out} holds an unfinished run {self.name}; {what}")
        if not resume and self._folder.exists():
            shutil.rmtree(self._folder)
        # An unfinished folder continues as it is; only a published run, whole or in part, is taken back.
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
        """Copy the published run into the work folder, except for parts that are newer there."""
        shutil.rmtree(self._folder / _REPLACED, ignore_errors=True)
        for name in self._all_targets:
            source, target = self.out / name, self._folder / name
            if source.is_dir() and not target.exists():
                shutil.copytree(source, target, symlinks=True)
            elif source.is_file() and not target.exists():
                shutil.copyfile(source, target)

    def _keep_finished(self) -> None:
        """Keep the provenance of the topics that did not fail."""
        with write_atomically(self.provenance) as stream:
            for summary in self._earlier():
                if isinstance(summary, Summary) and self._still_there(summary) and self.finished.add(summary.topic):
                    self._first = self._first if self._first.topic else summary
                    stream.write(summary_line(summary))
                    if summary.topic_digest:
                        self._given.add(_given(summary.topic, summary.topic_digest))

    def _require_same(self) -> None:
        """Compare the settings with those of the earlier run, before any work; a finished run stays as it is."""
        if not (self._settings and self._first.topic):
            return
        try:
            require_same(self.name, self._first.settings, of_kind(self._settings, self._first.settings.kind))
        except UsageError:
            if self._fresh:
                shutil.rmtree(self._folder)
            raise

    def _earlier(self) -> Iterator[Summary | Failure]:
        if not self.provenance.exists():
            return
        # A killed process leaves half a line at the end.
        with contextlib.suppress(InputError):
            yield from read_provenance(self.provenance)

    def _still_there(self, summary: Summary) -> bool:
        """Whether the answer of a topic in the provenance is in the work folder; a format may check."""
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
    """Report failures to write in one line."""
    try:
        yield
    except OSError as error:
        raise IlpsumError(f"{error.filename or place}: cannot be written ({error.strerror or error})") from None
