"""Writes a run of any format: atomic publication, locking, resuming and provenance."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ilpsum.errors import InputError, UsageError
from ilpsum.files.atomic import locked, require_folder, write_atomically, write_errors
from ilpsum.literature.identity import topic_digest
from ilpsum.records import BrokenTopic, RunSettings, Summary, Topic
from ilpsum.runs.provenance import (
    failure_line,
    read_provenance,
    summary_line,
    unfinished_provenance,
)
from ilpsum.runs.seen import Overlap
from ilpsum.tasks.submissions import PROVENANCE, RUN_ENDS, FormatWriter


@dataclass(frozen=True, slots=True)
class Entry:
    """A topic ready to be written: its provenance line, what its models saw, and its warnings.

    It is small enough to send between processes.
    """

    topic: str
    line: bytes
    seen: Overlap
    warnings: tuple[str, ...] = ()


def entry_of(files: FormatWriter, summary: Summary) -> Entry:
    """Return a topic's entry; `InputError` if the format cannot represent the summary."""
    files.require(summary)
    return Entry(summary.topic, summary_line(summary), summary.seen, summary.warnings)


class RunWriter:
    """A run being written; a context manager that completes it on success and leaves it resumable
    after an error.

    The private folder `OUT/.NAME.part` holds the provenance of the finished topics. `close` makes
    the run's other files from it and moves all into place, the provenance last, so no interruption
    loses a finished topic.

    Writing a topic takes two steps: `entry_of` makes its entry, possibly in another process, and
    `add` appends it to the run; `write` does both.

    Args:
        out: folder for the run, created if missing.
        files: the writer of the run's files, which has the run's name.
        force: replace a run with this name, finished or not.
        resume: continue a run with this name: keep finished topics, redo failed ones.

    Attributes:
        folder: the folder in which the run is built.
        provenance: path of the provenance written so far.
        finished: the topics in the run, by id, each with its digest if an earlier run wrote it.
        seen: for each of them, which models were trained on it.
        kept: number of topics kept from the earlier run.
        settings: those of the earlier run, one for each kind and fold of its topics.

    Raises:
        UsageError: the run exists and neither `force` nor `resume` is given; another process is
            writing it; or `out` or the work folder is not a folder of a run.
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
    ) -> None:
        self.out = Path(out)
        self.files = files
        self.name = files.name
        self.folder = self.out / f".{self.name}.part"
        self.provenance = self.folder / f"{self.name}{PROVENANCE}"
        self.finished = dict[str, str]()
        self.seen = dict[str, Overlap]()
        self.kept = 0
        self.settings = list[RunSettings]()
        self._targets = (*files.targets, self.provenance.name)
        self._opened = contextlib.ExitStack()
        require_folder(self.out)
        try:
            with write_errors(self.out):
                self.out.mkdir(parents=True, exist_ok=True)
                self._opened.enter_context(
                    locked(self.out / f".{self.name}.lock", "is writing this run")
                )
                self._begin(self._earlier(force=force, resume=resume))
        except BaseException:
            self._opened.close()
            raise

    def require_same(self, topic: Topic) -> None:
        """Raise `UsageError` if an earlier run finished another topic with this id."""
        digest = self.finished.get(topic.id)
        if digest and digest != topic_digest(topic):
            why = f"was started with another topic {topic.id} (its texts differ)"
            what = "use the same topics, another name (--run), or --force to start over"
            raise UsageError(f"the run {self.name} {why}; {what}")

    def add(self, entry: Entry) -> None:
        """Add the entry of one topic."""
        self._record(entry.line)
        self.finished[entry.topic] = ""
        self.seen[entry.topic] = entry.seen

    def write(self, summary: Summary) -> None:
        """Add one topic; `InputError` if the format cannot represent the summary."""
        self.add(entry_of(self.files, summary))

    def fail(self, topic: str, error: object) -> None:
        """Record the error of a failed topic, with an empty answer unless the run has the topic."""
        self._record(failure_line(topic, error))

    def close(self) -> None:
        """Complete the run and move it into place."""
        with self._opened, write_errors(self.out):
            self._stream.close()
            built = self.folder / "files"
            # An interrupted run may have left some.
            shutil.rmtree(built, ignore_errors=True)
            built.mkdir()
            self.files.write(built, self._answers())
            for made in (*(built / name for name in self.files.targets), self.provenance):
                place = self.out / made.name
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
            if self.provenance.stat().st_size <= self._copied:
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

    def _begin(self, earlier: Path | None) -> None:
        is_unfinished = earlier == self.provenance
        self.folder.mkdir(0o700, exist_ok=True)
        try:
            if earlier:
                self._keep_finished(earlier)
            self._stream = self._opened.enter_context(self.provenance.open("ab"))
        except BaseException:
            if not is_unfinished:
                shutil.rmtree(self.folder)
            raise
        # Bytes that are published, too.
        self._copied = 0 if is_unfinished else self._stream.tell()

    def _keep_finished(self, earlier: Path) -> None:
        """Copy the successful topics of the earlier run."""
        groups = dict[tuple[str, str], RunSettings]()
        with write_atomically(self.provenance) as stream:
            for summary in unfinished_provenance(earlier):
                if isinstance(summary, BrokenTopic) or summary.topic in self.finished:
                    continue
                # Topics of a kind and fold share all settings.
                system = summary.settings.system
                groups.setdefault((system.kind, system.fold), summary.settings)
                stream.write(summary_line(summary))
                self.finished[summary.topic] = summary.topic_digest
                self.seen[summary.topic] = summary.seen
        self.settings = list(groups.values())
        self.kept = len(self.finished)

    def _record(self, line: bytes) -> None:
        with write_errors(self.folder):
            self._stream.write(line)
            self._stream.flush()

    def _answers(self) -> Iterator[tuple[str, bytes]]:
        """Yield the topics of the provenance and their answers, empty for failed ones."""
        for summary in read_provenance(self.provenance):
            if isinstance(summary, BrokenTopic):
                if summary.id in self.finished:
                    continue
                summary = Summary(summary.id, (), "")
                try:
                    self.files.require(summary)
                except InputError:
                    continue  # a topic whose id cannot name a file has only a provenance line
            yield summary.topic, self.files.answer(summary)
