"""Turn files into topics: the reader of a format (`ilpsum.tasks.registry`) is named, or
recognised from the files.

`-` is standard input for single-file formats; `.gz` is streamed, never unpacked.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from ilpsum.errors import InputError, SkippedTopicError, UsageError
from ilpsum.files.folders import is_archive
from ilpsum.files.reading import open_bytes, require_start
from ilpsum.files.start import Start
from ilpsum.records import BrokenTopic, Incoming, PendingTopic, Topic
from ilpsum.tasks.registry import FORMATS, READ, chosen

Pool = Literal["snippets", "merged", "abstracts", "searched"]
"""How the documents of a BioASQ question are chosen; see `ilpsum.tasks.bioasq`."""

GoldKind = Literal["all", "abstract", "community", "human"]
"""Which gold summaries of a CL-SciSumm topic are read; see `ilpsum.tasks.scisumm`."""

StrPath = str | Path

# Maximum unreadable topics whose errors one message has.
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """Reader options that the user set; an empty value means the reader's default.

    `pool`, `answers`, `documents`, `retracted` and `problems` are those of
    `ilpsum.tasks.bioasq.read`, `summaries` is that of `ilpsum.tasks.scisumm.read`.
    """

    pool: str = ""
    answers: tuple[StrPath, ...] = ()
    summaries: str = ""
    documents: tuple[StrPath, ...] = ()
    retracted: bool = False
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: object) -> "ReaderOptions":
        """Copy the options from the attributes of any object, such as parsed arguments or a
        sweep.
        """
        options: dict[str, Any] = {}
        for name in ("pool", "answers", "summaries", "documents"):
            if value := getattr(source, name, None):
                options[name] = paths(value) if name in ("answers", "documents") else value
        return cls(**options)

    @property
    def given(self) -> dict[str, object]:
        """The options that are set, by name."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}


def paths(value: StrPath | Sequence[StrPath]) -> tuple[StrPath, ...]:
    """Return a single path or a sequence of paths as a tuple."""
    return (value,) if isinstance(value, str | Path) else tuple(value)


_DEFAULTS = ReaderOptions()

# Types of BioASQ questions, which are the kinds of their topics.
_QUESTIONS = ("yesno", "factoid", "list", "summary")


def form_of(topic: Topic) -> str:
    """Return the format of a topic in memory: `tac` with citances or a reference paper, `bioasq` if
    its kind is a type of BioASQ's questions, else `jsonl`.
    """
    if topic.citances or topic.reference is not None:
        return "tac"
    return "bioasq" if topic.kind in _QUESTIONS else "jsonl"


def guess(path: StrPath, *, gold: bool = False) -> str:
    """Return the format name of a path; `gold` may be summaries alone. `InputError` if the path
    does not exist or matches no format.
    """
    if str(path) == "-":
        advice = f"name it with --from {'|'.join(READ)}"
        raise InputError(f"its format cannot be guessed; {advice}", path)
    start = Start.of(path)
    path = start.path
    if not path.is_dir():
        # Report a missing or unreadable file, or a pipe, here; the readers' `recognises` never
        # raises.
        with open_bytes(path) as stream:
            if not stream.read(1):
                raise InputError("the file is empty; expected topics", path)
    if name := _recognised(start, gold=gold):
        return name
    if path.is_dir() and not any(path.iterdir()):
        raise InputError("the folder is empty; expected topics", path)
    if not path.is_dir():
        _require_whole(start)
    if start.is_cut_off:
        raise InputError("JSON that is cut off, damaged or empty; expected topics", path)
    looks = "; ".join(f"{name}: {FORMATS[name].reader.looks}" for name in READ)
    what = f"not in a known format (looked for {looks})"
    raise InputError(f"{what}; name the format with --from", path)


def _recognised(start: Start, *, gold: bool) -> str:
    """Return the name of the format whose reader recognises a path; empty if none does."""
    for name, form in FORMATS.loadable():  # formats of other packages come last
        if (gold or not form.reader.gold) and form.reader.recognises(start):
            return name
    return ""


def _named(form: str, path: StrPath, *, gold: bool) -> str:
    """Return the format that the user named; `InputError` if the path has another one."""
    start = Start.of(path)
    found = "" if FORMATS[form].reader.recognises(start) else _recognised(start, gold=gold)
    if found:
        what = f"expected topics of {form} (--from), got those of {found}"
        raise InputError(f"{what}; name that one (--from {found}), or none", path)
    return form


def _require_whole(start: Start) -> None:
    """Raise an `InputError` if the start of a file is damaged, or the file is an archive."""
    require_start(start.path)
    if is_archive(start):
        raise InputError("an archive; unpack it, and name the folder of topics", start.path)


@dataclass(frozen=True, slots=True)
class Input:
    """Topic files (or folders, or `-`), the name of each one's format in `FORMATS`, and reader
    options.
    """

    files: tuple[Path, ...]
    forms: tuple[str, ...]
    options: ReaderOptions = _DEFAULTS

    @property
    def form(self) -> str:
        """The format of the first file."""
        return self.forms[0]

    def topics(self) -> Iterator[Topic | BrokenTopic]:
        """Yield the topics of all files, lazily, in file order: a `BrokenTopic` if one is
        unreadable or repeats an id.

        Raises:
            InputError: a file cannot be read or has another format; the topics of earlier files
                have been yielded.
        """
        return map(loaded, self.pending())

    def pending(self) -> Iterator[Incoming]:
        """Yield the same as `topics`, but leave topics that another process can read as
        `PendingTopic`s.
        """
        seen = set[str]()
        for path, form in zip(self.files, self.forms, strict=True):
            yield from distinct(FORMATS[form].reader.read(path, **self.options.given), seen, path)


def distinct(
    topics: Iterable[Incoming],
    seen: set[str] | None = None,
    path: Path | None = None,
) -> Iterator[Incoming]:
    """Yield topics, as broken ones those whose id is in `seen` or repeats; adds the ids to
    `seen`.
    """
    seen = set() if seen is None else seen
    for number, topic in enumerate(topics, 1):
        if isinstance(topic, BrokenTopic) and topic.is_skipped:
            yield topic
            continue
        if topic.id in seen:
            what = f"topic {number} here is a second topic with this id, {topic.id}"
            advice = "give each topic its own id, or leave one out"
            topic = BrokenTopic(topic.id, SkippedTopicError(f"{what}; {advice}", path))
        seen.add(topic.id)
        yield topic


def resolve(
    inputs: StrPath | Sequence[StrPath],
    form: str | None = None,
    options: ReaderOptions = _DEFAULTS,
    *,
    gold: bool = False,
) -> Input:
    """Determine the format of each input (files, folders or `-`) once, before any topic is read.

    `form` is a name in `FORMATS` that applies to all inputs; if None, the format of each is
    guessed. `gold` may be summaries alone.

    Raises:
        InputError: an input does not exist or matches no format.
        UsageError: a reader does not accept one of the options.
        UnknownNameError: there is no such format.
    """
    files = tuple(map(Path, paths(inputs)))
    if form:
        chosen(form, READ)
    forms = tuple(
        _named(form, path, gold=gold) if form else guess(path, gold=gold) for path in files
    )
    for name in dict.fromkeys(forms):
        reader_options = FORMATS[name].reader.options
        for option in options.given:
            if option not in reader_options:
                names = ", ".join(f"--{one}" for one in reader_options) or "no such options"
                raise UsageError(f"--{option} is not for topics of {name}, which have {names}")
    return Input(files, forms, options)


def read_topics(
    inputs: StrPath | Sequence[StrPath],
    form: str | None = None,
    options: ReaderOptions = _DEFAULTS,
) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of all inputs, lazily: `resolve(...).topics()`."""
    return resolve(inputs, form, options).topics()


def loaded(topic: Incoming) -> Topic | BrokenTopic:
    """Load a pending topic; return any other unchanged."""
    return topic.load() if isinstance(topic, PendingTopic) else topic


def readable(topics: Iterable[Topic | BrokenTopic], broken: list[BrokenTopic]) -> Iterator[Topic]:
    """Yield the topics that could be read, and append the others to `broken`.

    `InputError` with the errors of the topics if none could be read.
    """
    count = 0
    for topic in topics:
        if isinstance(topic, BrokenTopic):
            broken.append(topic)
        else:
            count += 1
            yield topic
    if broken and not count:
        raise InputError(f"no topic can be read: {told(broken)}")


def told(broken: Sequence[BrokenTopic]) -> str:
    """Return the errors of topics in one line; of more than five, those of the first."""
    errors = "; ".join(
        f"{'' if topic.is_skipped else 'topic '}{topic.id}: {topic.error}"
        for topic in broken[:_MOST_TOLD]
    )
    more = len(broken) - _MOST_TOLD
    return f"{errors}; and {more} more" if more > 0 else errors
