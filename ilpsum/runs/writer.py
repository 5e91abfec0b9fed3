"""The base of all writers: publishing a run in one step, locking, resuming, provenance."""

import contextlib
import os
import shutil
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import ClassVar, Self

from ilpsum.corpora.identity import topic_digest
from ilpsum.errors import InputError, UsageError
from ilpsum.io.atomic import Folder, Lock, is_part, part_name, require_folder, write_atomically, write_errors
from ilpsum.io.names import unsafe_name
from ilpsum.records import BrokenTopic, RunSettings, Summary, Topic
from ilpsum.runs.provenance import earlier_provenance, failure_line, read_provenance, summary_line
from ilpsum.runs.settings import require_same

# Holds the files of an earlier run while the new ones move into place. While it is there, published files count where
# the work folder has none.
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

    The work folder is never a link, nothing in it may be, and a folder with anything that ilpsum did not write is
    refused. At any moment of an interruption, what is published and in it make the run.

    A topic is written in two steps, the first of which may run in another process: `compose` makes its entry, `add`
    puts it into the run; `write` does both.

    Args:
        out: the folder for the run; created if missing.
        name: the run's name.
        force: replace a run of this name, finished or not.
        resume: continue a run of this name: finished topics are kept, failed ones are written again.
        settings: returns the settings of a kind of topic (empty for a system that has one for all); None if each
            summary brings its own. It can be pickled. A resumed run must have the same.

    Attributes:
        folder: the folder in which the run is built.
        finished: ids of the topics in the run.
        kept: number of them from the earlier run.
        lost: why topics of the earlier run are written again, one line each: damaged provenance, answers that are gone.

    Raises:
        UsageError: a resumed run was started with other settings; a run of this name exists and neither `force` nor
            `resume` is given; another process is writing it; or `out` or the work folder is not a folder of ours.
        IlpsumError: the folder cannot be written.
    """

    # Files that a format keeps in the work folder beside its targets.
    _scratch: ClassVar[tuple[str, ...]] = ()
    # The open work folder.
    _part: Folder

    def __init__(
        self,
        out: str | Path,
        name: str,
        *,
        force: bool = False,
        resume: bool = False,
        settings: Callable[[str], RunSettings] | None = None,
    ) -> None:
        self._require_name(name)
        self.out, self.name = Path(out), name
        self.finished, self._digests, self._first = set[str](), set[str](), Summary("", (), "")
        self._asked, self.kept, self.lost = set[str](), 0, list[str]()
        self._settings = settings
        self.folder, self._files = self.out / f".{name}.part", contextlib.ExitStack()
        self._held = contextlib.ExitStack()
        require_folder(self.out)
        try:
            with write_errors(self.out):
                self._out = Folder(self.out, create=True)
                self._held.enter_context(Lock(self.out / f".{name}.lock", "is writing this run"))
                self._begin(force=force, resume=resume)
        except BaseException:
            self._files.close()
            self._held.close()
            raise

    @property
    @abstractmethod
    def targets(self) -> tuple[str, ...]:
        """The names of the run's files and folders in `out`, without the provenance."""

    @classmethod
    @abstractmethod
    def _answer(cls, name: str, summary: Summary) -> bytes:
        """Return a topic's part of the files of the run of this name; `InputError` if the format cannot hold it."""

    @abstractmethod
    def _put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:
        """Write an answer, replaceable if `failed`, into `self.folder`; `InputError` if the id cannot be held."""

    @classmethod
    def _require_name(cls, name: str) -> None:
        if why := unsafe_name(name):
            raise UsageError(f"the name of a run {why}: {name!r}")

    def _prepare(self) -> None:  # noqa: B027  # a hook: formats may override it
        """Prepare `self.folder` for the unfinished topics."""

    def _finish(self) -> None:  # noqa: B027  # a hook: formats may override it
        """Make the files of the run in `self.folder`."""

    @property
    def provenance(self) -> Path:
        """The file of provenance written so far."""
        return self.folder / self._all_targets[-1]

    def has(self, topic: Topic) -> bool:
        """Whether a topic is finished.

        Raises:
            UsageError: the resumed run has a topic of this id with other texts.
        """
        if topic.id not in self.finished:
            return False
        self._asked.add(topic.id)
        if len(self._digests) and f"{topic_digest(topic)} {topic.id}" not in self._digests:
            why = f"was started with another topic {topic.id} (its texts differ)"
            what = "use the same topics, another name (--run), or --force to start over"
            raise UsageError(f"the run {self.name} {why}; {what}")
        return True

    def unasked(self) -> tuple[int, Iterator[str]]:
        """Return the number and the ids of the earlier run's topics that `has` was not asked about."""
        earlier = islice(read_provenance(self.provenance), self.kept)
        topics = (summary.topic for summary in earlier if isinstance(summary, Summary))
        return self.kept - len(self._asked), (topic for topic in topics if topic not in self._asked)

    @property
    def composer(self) -> Callable[[Summary], Entry]:
        """`compose` for this run; it can be pickled."""
        return partial(type(self).compose, self.name, self._settings)

    @classmethod
    def compose(cls, name: str, settings: Callable[[str], RunSettings] | None, summary: Summary) -> Entry:
        """Return the entry of a topic in a run of this name and these settings.

        Raises:
            InputError: the format cannot hold the summary.
        """
        if settings:
            summary = replace(summary, settings=settings(summary.settings.kind))
        return Entry(summary.topic, summary_line(summary), cls._answer(name, summary))

    def add(self, entry: Entry) -> None:
        """Add one topic, as `composer` made it.

        Raises:
            InputError: the topic is in the run already, or the format cannot hold its id.
            IlpsumError: the folder cannot be written.
        """
        if entry.topic in self.finished:
            raise InputError(f"{entry.topic}: already in the run {self.name}; give each topic its own id")
        with write_errors(self.folder):
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
        """Add an empty answer for a failed topic, unless the run has that topic; the provenance records the error."""
        with write_errors(self.folder):
            if topic not in self.finished:
                # A topic whose id cannot name a file gets no file, but the provenance records it.
                with contextlib.suppress(InputError):
                    self._put(topic, self._answer(self.name, Summary(topic, (), "")), failed=True)
            self._record(failure_line(topic, error))

    def close(self) -> None:
        """Complete the run and move it into place.

        Raises:
            IlpsumError: the folder cannot be written.
        """
        try:
            with write_errors(self.out):
                self._files.close()
                self._finish()
                self._publish()
        finally:
            self._held.close()

    def abandon(self) -> None:
        """Leave what is written for a later `resume`; remove the folder if there is nothing.

        Raises:
            IlpsumError: the folder cannot be written.
        """
        try:
            with write_errors(self.out):
                self._files.close()
                written = self._part.found(self.provenance.name)
                # A published run that was copied to be continued stays unchanged.
                if not (written and written.st_size) or (self._fresh and not self._recorded):
                    self._discard()
        finally:
            self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    @property
    def _all_targets(self) -> tuple[str, ...]:
        return (*self.targets, f"{self.name}.provenance.jsonl")

    def _begin(self, *, force: bool, resume: bool) -> None:
        part, provenance = self.folder.name, self.provenance.name
        absent = self._out.found(part) is None
        if not absent:
            self._open_part()
        existing = [name for name in self._all_targets if self._out.found(name)]
        if existing and not (force or resume):
            what = "choose another name (--run), continue it (--resume) or replace it (--force)"
            raise UsageError(f"{self.out / existing[0]} exists already; {what}")
        if resume and existing and not self._out.found(provenance) and (absent or not self._part.found(provenance)):
            what = "choose another name (--run) or replace it (--force)"
            raise UsageError(f"{self.out / existing[0]} has no provenance beside it, so it cannot be resumed; {what}")
        if not absent and not resume:
            if not force:
                what = "continue it (--resume) or start over (--force)"
                raise UsageError(f"{self.out} holds an unfinished run {self.name}; {what}")
            self._discard()
            absent = True
        if absent:
            self._out.make(part, 0o700)
            self._open_part()
        # An unfinished folder continues unchanged; a published run, complete or partly moved, is copied back.
        self._fresh, self._recorded = not self._part.names(), False
        if resume:
            if self._fresh:
                self._part.make(_REPLACED)
            if self._part.found(_REPLACED):
                self._take_back()
            self._keep_finished()
            self._require_same()
        self._prepare()
        handle = self._part.open(provenance, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._stream = self._files.enter_context(os.fdopen(handle, "ab"))

    def _open_part(self) -> None:
        """Open the work folder; refuse one with links, others' files or anything that no run has."""
        self._part = self._out.folder(self.folder.name)
        known = {*self._all_targets, *self._scratch, _REPLACED}
        for name in self._part.names():
            if name not in known and is_part(name) not in known:
                raise UsageError(f"{self.folder / name} is no file of an unfinished run; move {self.folder} away")
            if stat.S_ISDIR(self._part.own(name).st_mode) and name != _REPLACED:
                inner = self._part.folder(name)
                for entry in inner.names():
                    inner.own(entry)
        for name in self._part.names():
            if is_part(name):  # of a killed process
                self._part.remove(name)

    def _take_back(self) -> None:
        """Copy the published run into the work folder, except for files that exist there, which are newer."""
        for name in self._all_targets:
            if self._part.found(name) is None and self._out.found(name) is not None:
                self._copy(name)
        self._part.remove(_REPLACED)

    def _copy(self, name: str) -> None:
        if stat.S_ISREG(self._out.own(name).st_mode):
            with self._out.read(name) as source, write_atomically(self.folder / name) as target:
                shutil.copyfileobj(source, target)
            return
        temporary = part_name(name)
        self._part.make(temporary)
        published, copied = self._out.folder(name), self._part.folder(temporary)
        for entry in published.names():
            # Links and folders are no answers; they are not part of the run.
            if (found := published.found(entry)) and stat.S_ISREG(found.st_mode):
                with published.read(entry) as source, copied.create(entry) as target:
                    shutil.copyfileobj(source, target)
        self._part.rename(temporary, self._part, name)

    def _discard(self) -> None:
        """Remove the work folder. Its mark goes last, so that an interruption leaves the published run in force."""
        if self._part.found(_REPLACED) is None:
            self._part.make(_REPLACED)
        for name in self._part.names():
            if name != _REPLACED:
                self._part.remove(name)
        self._part.remove(_REPLACED)
        self._out.remove(self.folder.name)

    def _keep_finished(self) -> None:
        """Keep the provenance of the topics that did not fail."""
        with write_atomically(self.provenance) as stream:
            for summary in self._earlier():
                if isinstance(summary, InputError):
                    self.lost.append(f"{self.provenance.name}:{summary.line}: {summary.message.rpartition(';')[0]}")
                elif isinstance(summary, BrokenTopic):
                    continue
                elif not self._is_intact(summary):
                    self.lost.append(f"the answer to {summary.topic} is missing or damaged")
                elif summary.topic not in self.finished:
                    self.finished.add(summary.topic)
                    self._first = self._first if self._first.topic else summary
                    stream.write(summary_line(summary))
                    if summary.topic_digest:
                        self._digests.add(f"{summary.topic_digest} {summary.topic}")
        self.kept = len(self.finished)

    def _require_same(self) -> None:
        """Compare the settings with those of the earlier run, before any work; a finished run stays unchanged."""
        if not (self._settings and self._first.topic):
            return
        try:
            require_same(self.name, self._first.settings, self._settings(self._first.settings.kind))
        except UsageError:
            if self._fresh:
                self._discard()
            raise

    def _earlier(self) -> Iterator[Summary | BrokenTopic | InputError]:
        if self._part.found(self.provenance.name):
            yield from earlier_provenance(self.provenance)

    def _is_intact(self, summary: Summary) -> bool:
        """Whether the work folder has the answer that the provenance records; formats may override this."""
        return bool(summary.topic)

    def _record(self, line: bytes) -> None:
        self._recorded = True
        self._stream.write(line)
        self._stream.flush()

    def _publish(self) -> None:
        self._part.make(_REPLACED)
        old = self._part.folder(_REPLACED)
        for name in self._all_targets:
            if self._out.found(name):
                self._out.rename(name, old, name)
            self._part.rename(name, self._out, name)
        self._discard()
