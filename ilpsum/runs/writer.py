"""Writes a run of any format: atomic publication, locking, resuming and provenance."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Self

from ilpsum.errors import InputError, UsageError
from ilpsum.files.atomic import Lock, require_folder, write_atomically, write_errors
from ilpsum.formats.identity import topic_digest
from ilpsum.formats.writing import FormatWriter
from ilpsum.records import BrokenTopic, RunSettings, Summary, Topic
from ilpsum.runs.provenance import earlier_provenance, failure_line, read_provenance, summary_line
from ilpsum.runs.settings import require_same

# Subfolder for the files of an earlier run while new ones replace them.
_REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Entry:
    """A topic ready to be written, small enough to send between processes.

    `line` is its provenance line, `answer` its part of the format's files in UTF-8.
    """

    topic: str
    settings: RunSettings
    line: bytes
    answer: bytes


class RunWriter:
    """A run being written; a context manager that completes it on success and leaves it resumable after an error.

    The run is built in the private folder `OUT/.NAME.part`; `close` moves it into place, the provenance last. A
    resumed run rebuilds its other files from the provenance, so no interruption loses a finished topic. Writers never
    edit a summary. The files are those of a `FormatWriter`.

    Writing a topic takes two steps: `composer` creates its entry, possibly in another process, and `add` appends it to
    the run; `write` does both.

    Args:
        out: folder for the run, created if missing.
        files: the writer of the run's files, which has the run's name.
        force: replace a run with this name, finished or not.
        resume: continue a run with this name: keep finished topics, redo failed ones.
        settings: returns the current settings for a kind of topic; a resumed run with other settings is then refused
            at once, otherwise when the first new topic is added.

    Attributes:
        folder: the folder in which the run is built.
        finished: ids of the topics in the run.
        kept: number of topics kept from the earlier run.
        lost: reasons why damaged topics of the earlier run are redone, one line each.

    Raises:
        UsageError: a resumed run was started with other settings; the run exists and neither `force` nor `resume` is
            given; another process is writing it; or `out` or the work folder is not a folder of a run.
        IlpsumError: the folder cannot be written; also raised by all methods that write.
    """

    def __init__(
        self,
        out: str | Path,
        files: FormatWriter,
        *,
        force: bool = False,
        resume: bool = False,
        settings: Callable[[str], RunSettings] | None = None,
    ) -> None:
        self.out, self.name, self.targets = Path(out), files.name, files.targets
        self.files, self.folder = files, self.out / f".{self.name}.part"
        self.finished, self.kept, self.lost = set[str](), 0, list[str]()
        self._digests, self._asked, self._settings = set[str](), set[str](), dict[str, RunSettings]()
        self._opened, self._lock = contextlib.ExitStack(), contextlib.ExitStack()
        require_folder(self.out)
        try:
            with write_errors(self.out):
                self.out.mkdir(parents=True, exist_ok=True)
                self._lock.enter_context(Lock(self.out / f".{self.name}.lock", "is writing this run"))
                self._begin(self._earlier(force=force, resume=resume), settings)
        except BaseException:
            self._lock.close()
            raise

    @property
    def provenance(self) -> Path:
        """Path of the provenance written so far."""
        return self.folder / self._all_targets[-1]

    def has(self, topic: Topic) -> bool:
        """Return whether a topic is finished; `UsageError` if the resumed run has this id with other texts."""
        if topic.id not in self.finished:
            return False
        self._asked.add(topic.id)
        if self._digests and f"{topic_digest(topic)} {topic.id}" not in self._digests:
            why = f"was started with another topic {topic.id} (its texts differ)"
            what = "use the same topics, another name (--run), or --force to start over"
            raise UsageError(f"the run {self.name} {why}; {what}")
        return True

    def unasked(self) -> tuple[int, Iterator[str]]:
        """Return the number and ids of kept topics that were never passed to `has`."""
        earlier = islice(read_provenance(self.provenance), self.kept)
        topics = (summary.topic for summary in earlier if isinstance(summary, Summary))
        return self.kept - len(self._asked), (topic for topic in topics if topic not in self._asked)

    @property
    def composer(self) -> Callable[[Summary], Entry]:
        """Returns a topic's entry, or raises `InputError` if the format cannot represent the summary; picklable."""
        return partial(_compose, partial(self.files.answer, self.name))

    def add(self, entry: Entry) -> None:
        """Add the entry of one topic, as returned by `composer`.

        Raises:
            InputError: the topic is in the run already, or the format cannot use its id.
            UsageError: the run has topics of this kind with other settings.
        """
        if entry.topic in self.finished:
            raise InputError(f"{entry.topic}: already in the run {self.name}; give each topic its own id")
        of_kind = self._settings.setdefault(entry.settings.system.kind, entry.settings)
        require_same(self.name, of_kind, entry.settings)
        with write_errors(self.folder):
            self.files.put(entry.topic, entry.answer)
            self._record(entry.line)
        self.finished.add(entry.topic)

    def write(self, summary: Summary) -> None:
        """Compose and add one topic; raises as `composer` and `add` do."""
        self.add(self.composer(summary))

    def fail(self, topic: str, error: object) -> None:
        """Record the error of a failed topic, with an empty answer unless the run has the topic."""
        with write_errors(self.folder):
            if topic not in self.finished:
                # A topic whose id is not a valid file name gets no file, only a provenance line.
                with contextlib.suppress(InputError):
                    self.files.put(topic, self.files.answer(self.name, Summary(topic, (), "")), failed=True)
            self._record(failure_line(topic, error))

    def close(self) -> None:
        """Complete the run and move it into place."""
        with self._lock, write_errors(self.out):
            self._opened.close()
            self.files.finish()
            self._publish()

    def abandon(self) -> None:
        """Stop, keeping finished topics for a later `resume`; remove the folder if there are none."""
        with self._lock, write_errors(self.out):
            self._opened.close()
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

    @property
    def _all_targets(self) -> tuple[str, ...]:
        return (*self.targets, f"{self.name}.provenance.jsonl")

    def _earlier(self, *, force: bool, resume: bool) -> Path | None:
        """Return the provenance of the run to resume, if any; `UsageError` if a run would be replaced by accident."""
        unfinished = os.path.lexists(self.folder)
        if unfinished:
            self._require_ours()
        existing = [place for name in self._all_targets if os.path.lexists(place := self.out / name)]
        if existing and not (force or resume):
            what = "choose another name (--run), continue it (--resume) or replace it (--force)"
            raise UsageError(f"{existing[0]} exists already; {what}")
        if unfinished and not (force or resume):
            what = "continue it (--resume) or start over (--force)"
            raise UsageError(f"{self.out} holds an unfinished run {self.name}; {what}")
        if not resume:
            if unfinished:
                shutil.rmtree(self.folder)
            return None
        # The work folder's is newer; it is missing if the process died before copying or after publishing it.
        places = (self.provenance, self.out / self.provenance.name)
        earlier = next((place for place in places if place.is_file()), None)
        if existing and earlier is None:
            what = "choose another name (--run) or replace it (--force)"
            raise UsageError(f"{existing[0]} has no provenance beside it, so it cannot be resumed; {what}")
        return earlier

    def _require_ours(self) -> None:
        """Refuse a work folder that is a link, or contains a link or an unknown file."""
        known = {*self._all_targets, *self.files.scratch, _REPLACED}
        if self.folder.is_symlink() or not self.folder.is_dir():
            raise UsageError(f"{self.folder}: expected the folder of an unfinished run; move it away")
        for entry in self.folder.iterdir():
            if entry.is_symlink() or (entry.name not in known and not entry.name.endswith(".part")):
                raise UsageError(f"{entry} is no file of an unfinished run; move {self.folder} away")

    def _begin(self, earlier: Path | None, settings: Callable[[str], RunSettings] | None) -> None:
        self._fresh, self._recorded = earlier != self.provenance, False
        self.folder.mkdir(0o700, exist_ok=True)
        try:
            self._clear()
            self.files.prepare(self.folder, self._opened)
            if earlier:
                self._keep_finished(earlier, settings)
        except BaseException:
            self._opened.close()
            if self._fresh:
                shutil.rmtree(self.folder)
            else:
                self._clear()
            raise
        self._stream = self._opened.enter_context(self.provenance.open("ab"))

    def _clear(self) -> None:
        """Remove everything except the provenance from the work folder."""
        for entry in self.folder.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry != self.provenance:
                entry.unlink()

    def _keep_finished(self, earlier: Path, settings: Callable[[str], RunSettings] | None) -> None:
        """Copy the successful topics of the earlier run, with their answers."""
        with write_atomically(self.provenance) as stream:
            for summary in earlier_provenance(earlier):
                if isinstance(summary, InputError):
                    self.lost.append(f"{earlier.name}:{summary.line}: {summary.message.rpartition(';')[0]}")
                elif isinstance(summary, BrokenTopic) or summary.topic in self.finished:
                    continue
                else:
                    # The first topic of a kind tells the settings of all.
                    if (kind := summary.settings.system.kind) not in self._settings:
                        self._settings[kind] = summary.settings
                        if settings:
                            require_same(self.name, summary.settings, settings(kind))
                    entry = self.composer(summary)
                    self.files.put(entry.topic, entry.answer)
                    stream.write(entry.line)
                    self.finished.add(entry.topic)
                    if summary.topic_digest:
                        self._digests.add(f"{summary.topic_digest} {summary.topic}")
        self.kept = len(self.finished)

    def _record(self, line: bytes) -> None:
        self._recorded = True
        self._stream.write(line)
        self._stream.flush()

    def _publish(self) -> None:
        replaced = self.folder / _REPLACED
        replaced.mkdir()
        for name in self._all_targets:
            made, place = self.folder / name, self.out / name
            # `Path.replace` can overwrite neither a folder nor a file with a folder.
            if os.path.lexists(place) and (made.is_dir() or place.is_dir()):
                place.rename(replaced / name)
            made.replace(place)
        shutil.rmtree(self.folder)


def _compose(answer: Callable[[Summary], bytes], summary: Summary) -> Entry:
    return Entry(summary.topic, summary.settings, summary_line(summary), answer(summary))
