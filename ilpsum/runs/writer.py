"""Writes a run of any format: atomic publication, locking, resuming and provenance."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from ilpsum.errors import InputError, UsageError
from ilpsum.files.atomic import locked, require_folder, write_atomically, write_errors
from ilpsum.literature.identity import topic_digest
from ilpsum.records import BrokenTopic, RunSettings, Summary, SystemSettings, Topic
from ilpsum.runs.provenance import (
    failure_line,
    read_provenance,
    summary_line,
    unfinished_provenance,
)
from ilpsum.runs.settings import require_same
from ilpsum.tasks.submissions import PROVENANCE, RUN_ENDS, FormatWriter


@dataclass(frozen=True, slots=True)
class Entry:
    """A topic ready to be written: its provenance line, and its warnings.

    It is small enough to send between processes.
    """

    topic: str
    settings: RunSettings
    line: bytes
    warnings: tuple[str, ...] = ()


class RunWriter:
    """A run being written; a context manager that completes it on success and leaves it resumable
    after an error.

    The private folder `OUT/.NAME.part` holds the provenance of the finished topics. `close` makes
    the run's other files from it and moves all into place, the provenance last, so no interruption
    loses a finished topic.

    Writing a topic takes two steps: `composer` creates its entry, possibly in another process, and
    `add` appends it to the run; `write` does both.

    Args:
        out: folder for the run, created if missing.
        files: the writer of the run's files, which has the run's name.
        force: replace a run with this name, finished or not.
        resume: continue a run with this name: keep finished topics, redo failed ones.
        settings: returns the current settings for the kind and fold of a topic; a resumed run with
            other settings is then refused at once, otherwise when the first new topic is added.

    Attributes:
        folder: the folder in which the run is built.
        provenance: path of the provenance written so far.
        finished: ids of the topics in the run.
        kept: number of topics kept from the earlier run.

    Raises:
        UsageError: a resumed run was started with other settings; the run exists and neither
            `force` nor `resume` is given; another process is writing it; or `out` or the work
            folder is not a folder of a run.
        InputError: the provenance of a resumed run is damaged.
        IlpsumError: the folder cannot be written; also raised by all methods that write.
    """

    def __init__(
        self,
        out: str | Path,
        files: FormatWriter,
        *,
        force: bool = False,
        resume: bool = False,
        settings: Callable[[SystemSettings], RunSettings] | None = None,
    ) -> None:
        self.out = Path(out)
        self.files = files
        self.name = files.name
        self.folder = self.out / f".{self.name}.part"
        self.provenance = self.folder / f"{self.name}{PROVENANCE}"
        self.finished = set[str]()
        self.kept = 0
        self._targets = (*files.targets, self.provenance.name)
        self._digests = set[str]()
        self._settings = dict[tuple[str, str], RunSettings]()
        self._opened = contextlib.ExitStack()
        require_folder(self.out)
        try:
            with write_errors(self.out):
                self.out.mkdir(parents=True, exist_ok=True)
                self._opened.enter_context(
                    locked(self.out / f".{self.name}.lock", "is writing this run")
                )
                self._begin(self._earlier(force=force, resume=resume), settings)
        except BaseException:
            self._opened.close()
            raise

    def has(self, topic: Topic) -> bool:
        """Return whether a topic is finished; `UsageError` if the resumed run has this id with
        other texts.
        """
        if topic.id not in self.finished:
            return False
        if self._digests and f"{topic_digest(topic)} {topic.id}" not in self._digests:
            why = f"was started with another topic {topic.id} (its texts differ)"
            what = "use the same topics, another name (--run), or --force to start over"
            raise UsageError(f"the run {self.name} {why}; {what}")
        return True

    @property
    def composer(self) -> Callable[[Summary], Entry]:
        """Returns a topic's entry, or raises `InputError` if the format cannot represent the
        summary; picklable.
        """
        return partial(_compose, self.files)

    def add(self, entry: Entry) -> None:
        """Add the entry of one topic, as returned by `composer`.

        Raises:
            InputError: the topic is in the run already.
            UsageError: the run has topics of this kind with other settings.
        """
        if entry.topic in self.finished:
            raise InputError(
                f"{entry.topic}: already in the run {self.name}; give each topic its own id"
            )
        of_kind = self._settings.setdefault(_group(entry.settings), entry.settings)
        require_same(self.name, of_kind, entry.settings)
        self._record(entry.line)
        self.finished.add(entry.topic)

    def write(self, summary: Summary) -> None:
        """Compose and add one topic; raises as `composer` and `add` do."""
        self.add(self.composer(summary))

    def fail(self, topic: str, error: object) -> None:
        """Record the error of a failed topic, with an empty answer unless the run has the topic."""
        self._record(failure_line(topic, error))

    def close(self) -> None:
        """Complete the run and move it into place."""
        with self._opened, write_errors(self.out):
            self._stream.close()
            self.files.write(self.folder, self._answers())
            for name in self._targets:
                made = self.folder / name
                place = self.out / name
                # `Path.replace` can overwrite neither a folder nor a file with a folder.
                if place.is_dir() and not place.is_symlink():
                    shutil.rmtree(place)
                elif made.is_dir():
                    place.unlink(missing_ok=True)
                made.replace(place)
            shutil.rmtree(self.folder)

    def abandon(self) -> None:
        """Stop, keeping finished topics for a later `resume`; remove the folder if there are
        none.
        """
        with self._opened, write_errors(self.out):
            self._stream.close()
            # Without new topics, the copy of a published run is not needed.
            if not self._recorded and (self._fresh or not self.provenance.stat().st_size):
                shutil.rmtree(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def _earlier(self, *, force: bool, resume: bool) -> Path | None:
        """Return the provenance of the run to resume, if any; `UsageError` if a run would be
        replaced by accident.
        """
        unfinished = os.path.lexists(self.folder)
        if self.folder.is_symlink() or (unfinished and not self.folder.is_dir()):
            raise UsageError(
                f"{self.folder}: expected the folder of an unfinished run; move it away"
            )
        places = [self.out / name for name in self._targets]
        existing = [place for place in places if os.path.lexists(place)]
        if not (force or resume):
            if existing:
                what = "choose another name (--run), continue it (--resume) or replace it (--force)"
                raise UsageError(f"{existing[0]} exists already; {what}")
            if unfinished:
                what = "continue it (--resume) or start over (--force)"
                raise UsageError(f"{self.out} holds an unfinished run {self.name}; {what}")
        for end in RUN_ENDS if existing else ():
            other = self.out / f"{self.name}{end}"
            if other not in places and os.path.lexists(other):
                what = "move it away, or choose another name (--run)"
                raise UsageError(f"{other} is of a run {self.name} in another format; {what}")
        if not resume:
            if unfinished:
                shutil.rmtree(self.folder)
            return None
        # The work folder's is newer; it is missing if the process died before copying or after
        # publishing it.
        published = self.out / self.provenance.name
        earlier = next((path for path in (self.provenance, published) if path.is_file()), None)
        if existing and earlier is None:
            what = "choose another name (--run) or replace it (--force)"
            raise UsageError(
                f"{existing[0]} has no provenance beside it, so it cannot be resumed; {what}"
            )
        return earlier

    def _begin(
        self,
        earlier: Path | None,
        settings: Callable[[SystemSettings], RunSettings] | None,
    ) -> None:
        self._fresh = earlier != self.provenance
        self._recorded = False
        self.folder.mkdir(0o700, exist_ok=True)
        try:
            for entry in self.folder.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                elif entry != self.provenance:
                    entry.unlink()
            if earlier:
                self._keep_finished(earlier, settings)
            self._stream = self._opened.enter_context(self.provenance.open("ab"))
        except BaseException:
            if self._fresh:
                shutil.rmtree(self.folder)
            raise

    def _keep_finished(
        self,
        earlier: Path,
        settings: Callable[[SystemSettings], RunSettings] | None,
    ) -> None:
        """Copy the successful topics of the earlier run."""
        with write_atomically(self.provenance) as stream:
            for summary in unfinished_provenance(earlier):
                if isinstance(summary, BrokenTopic) or summary.topic in self.finished:
                    continue
                # All topics of a kind and fold have the settings of the first.
                group = _group(summary.settings)
                if group not in self._settings:
                    self._settings[group] = summary.settings
                    if settings:
                        now = settings(summary.settings.system)
                        require_same(self.name, summary.settings, now)
                stream.write(self.composer(summary).line)
                self.finished.add(summary.topic)
                if summary.topic_digest:
                    self._digests.add(f"{summary.topic_digest} {summary.topic}")
        self.kept = len(self.finished)

    def _record(self, line: bytes) -> None:
        self._recorded = True
        with write_errors(self.folder):
            self._stream.write(line)
            self._stream.flush()

    def _answers(self) -> Iterator[tuple[str, bytes]]:
        """Yield the topics of the provenance and their answers; failed ones once, with an empty
        answer.
        """
        failed = set[str]()
        for summary in read_provenance(self.provenance):
            if isinstance(summary, Summary):
                yield summary.topic, self.files.answer(summary)
            elif summary.id not in self.finished and summary.id not in failed:
                failed.add(summary.id)
                try:
                    answer = self.files.answer(Summary(summary.id, (), ""))
                except InputError:
                    continue  # a topic whose id cannot name a file has only a provenance line
                yield summary.id, answer


def _group(settings: RunSettings) -> tuple[str, str]:
    """Return the kind and fold whose topics share all settings."""
    return settings.system.kind, settings.system.fold


def _compose(files: FormatWriter, summary: Summary) -> Entry:
    files.answer(summary)  # raises if the format cannot represent it
    return Entry(summary.topic, summary.settings, summary_line(summary))
