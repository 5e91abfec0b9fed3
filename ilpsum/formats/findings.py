"""Helpers shared by the checks of single-file runs: findings, and answered topics."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError, counted, listed
from ilpsum.files.json_text import Item, parts
from ilpsum.formats import paths, read_topics
from ilpsum.formats.registry import Finding, Paths
from ilpsum.records import BrokenTopic

MAX_FINDINGS = 10_000
"""Maximum findings listed individually; further ones are only counted, to bound memory."""

# Maximum unanswered topics listed by name.
_MAX_LISTED = 100


class Findings:
    """Collects the findings of a run, the first `MAX_FINDINGS` individually; `noun` is the format's word for a topic.

    `InputError` if the run does not exist, or the files of the topics to answer cannot be read.
    """

    def __init__(self, path: Path, topics: Paths | None, noun: str = "topic") -> None:
        if not path.is_file():
            raise InputError("expected a file, got a folder" if path.is_dir() else "no such run; expected a file", path)
        self._path, self._list, self._noun = path, list[Finding](), noun
        self._more = {False: 0, True: 0}
        self._files = [str(file) for file in paths(topics or ())]
        self._unanswered, self._answered = dict[str, None](), set[str]()
        for topic in read_topics(self._files):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            self._unanswered[topic.id] = None

    def add(self, place: str | int, message: str, *, warning: bool = False) -> None:
        """Add a finding; `place` is a line number or a description that starts with one, or 0 for the whole file."""
        if len(self._list) < MAX_FINDINGS:
            # A terminal could interpret unprintable characters.
            where, what = ("".join(c if c.isprintable() else "\ufffd" for c in text) for text in (str(place), message))
            self._list.append(Finding(f"{self._path}:{where}" if place else str(self._path), what, warning))
        else:
            self._more[warning] += 1

    def answered(self, topic: str, place: str) -> None:
        """Mark a topic as answered; add a finding if it is unknown or answered already."""
        if topic in self._answered:
            self.add(place, f"a second answer to the topic {topic!r}; expected one")
        elif self._files and topic not in self._unanswered:
            self.add(place, f"no topic {topic!r} in {listed(self._files)}")
        else:
            self._unanswered.pop(topic, None)
            self._answered.add(topic)

    def all(self) -> list[Finding]:
        """Return the findings, a warning about unanswered topics, and the counts of unlisted findings."""
        missing = list(map(repr, self._unanswered))
        if missing:
            several = f"{len(missing)} {self._noun}s:" if len(missing) > 1 else f"the {self._noun}"
            self.add(0, f"no answer to {several} {listed(missing, _MAX_LISTED)}", warning=True)
        more = [
            Finding(str(self._path), f"{counted(count, noun)} like these", warning)
            for (warning, count), noun in zip(self._more.items(), ("more error", "more warning"), strict=True)
            if count
        ]
        return [*self._list, *more]


def document_items(path: Path, name: str, findings: Findings, members: dict[str, tuple[int, Any]]) -> Iterator[Item]:
    """Yield the elements of a named list in a JSON document; adds errors outside the elements to the findings.

    Stores the document's other members in `members`, as (line, value).
    """
    found = False
    try:
        for item in parts(path, lists=(name,)):
            if not item.key:
                findings.add(item.line, f'expected an object with "{name}", got a list')
                return
            found = found or item.key == name
            if item.element:
                yield item
            elif item.key != name:
                members[item.key] = (item.line, item.value)
            elif item.value != []:
                findings.add(item.line, f'expected a list as "{name}", got {quoted(item.value)}')
    except InputError as error:
        findings.add(error.line or 0, error.message)
        return
    if not found:
        findings.add(0, f'no "{name}"; expected a list of that name')


def quoted(value: object) -> str:
    """Format a value for a message, truncated to 60 characters."""
    text = json.dumps(value, ensure_ascii=False, default=str) if not isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
