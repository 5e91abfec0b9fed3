"""Writes the abstracts retrieved for each topic of a run as a TREC run file."""

import re
from collections.abc import Iterator
from pathlib import Path

from ilpsum.errors import InputError, UsageError
from ilpsum.files.atomic import write_atomically, write_errors
from ilpsum.files.reading import head
from ilpsum.records import Summary
from ilpsum.runs.provenance import read_provenance

_LINE = re.compile(rb"\S+ Q0 \S+ \d+ ")


def require_writable(path: Path | None, *, searched: bool, replace: bool) -> None:
    """Check before any work that the file can be written, if `path` is given; `UsageError` if not."""
    if path is None:
        return
    if not searched:
        raise UsageError("--retrieved needs BioGen topics and --documents")
    if not path.parent.is_dir():
        raise UsageError(f"--retrieved {path}: no such folder {path.parent}; create it or name another file")
    if path.exists() and not (replace and path.is_file()):
        what = "name another file" + ("" if replace else ", continue a run (--resume) or replace it (--force)")
        raise UsageError(f"--retrieved {path} exists already; {what}")
    if path.exists() and path.stat().st_size and not _LINE.match(head(path)):
        raise UsageError(f"--retrieved {path} exists and is no TREC run file; name another file")


def write_retrieved(path: Path | None, provenance: Path, tag: str) -> None:
    """Write a TREC run file from a run's provenance, if `path` is given: `topic Q0 PMID rank BM25 tag` per abstract.

    Topics are in provenance order; failed topics and topics without results have no lines. `InputError` if the
    provenance cannot be read, or a topic id or the tag is empty or contains white space.
    """
    if path is None:
        return
    with write_errors(path), write_atomically(path) as stream:
        stream.writelines(line.encode() for line in _lines(provenance, tag))


def _lines(provenance: Path, tag: str) -> Iterator[str]:
    for summary in read_provenance(provenance):
        if not isinstance(summary, Summary) or summary.search is None:
            continue
        for name in (summary.topic, tag):
            if len(name.split()) != 1:
                raise InputError(f"{name!r} has white space, which a TREC run file cannot hold")
        for rank, found in enumerate(summary.search.found, 1):
            yield f"{summary.topic} Q0 {found.document} {rank} {found.bm25} {tag}\n"
