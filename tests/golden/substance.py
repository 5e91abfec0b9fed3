"""What is compared of a file that a case wrote: its substance, as text, without wording, times and versions."""

import hashlib
import html
import json
import re
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

# Digits that are compared: libraries of linear algebra differ between processors in the last of a double, so that of ten
# thousand numbers of nine digits one now and then falls on the other side.
DIGITS = 6
# JSON: of an object in an answer or a provenance only these keys count.
SUBSTANCE = frozenset((
    "topic", "query", "question", "outcome", "answerable", "words", "text", "sentences", "left_out", "nearest",
    "sources", "source", "number", "document", "start", "end", "relevance", "chosen", "objective", "gap", "id", "pmid",
    "title", "date", "year", "url", "corrections", "passages", "candidates",
))  # fmt: skip
# JSON: rows of scores and the like have all their keys but these.
WORDING = frozenset((
    "signature", "drawn", "message", "description", "config", "warnings", "seconds", "versions", "version", "why",
    "needs", "unit",
))  # fmt: skip


def substance(out: Path, replaced: dict[str, str]) -> dict[str, str]:
    """Return the substance of every file below a folder by name; names that begin with `_` or `.`
    are not compared.

    Args:
        replaced: what stands for the paths of folders, in every text.
    """
    found = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if path.is_file() and not any(part.startswith(("_", ".")) for part in name.split("/")):
            try:
                text = _of_file(path, out)
            except ValueError as error:
                text = f"unreadable: {error}\n"
            for folder, stand_in in replaced.items():
                text = text.replace(folder, stand_in)
            found[name] = text
    return found


def _of_file(path: Path, out: Path) -> str:
    name = path.name
    if name.endswith(".tar.gz"):
        return _archive(path)
    if name.endswith(".npz"):
        return _arrays(path)
    text = path.read_text(encoding="utf-8", errors="replace")
    if name.endswith(".html"):
        return _page(text, out)
    if name.endswith(".tsv"):
        rows = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
        # The run of a sweep is a digest of its configuration, and of the version.
        for number, digest in enumerate(
            dict.fromkeys(re.findall(r"(?<=\t)[0-9a-f]{16}$", rows, re.MULTILINE)), 1
        ):
            rows = rows.replace(digest, f"run {number}")
        return rows
    if name.endswith(("provenance.jsonl", "answer.json", "answers.jsonl")):
        return _json(text, SUBSTANCE, frozenset())
    if name.endswith("rows.jsonl"):
        return _json(text, None, WORDING)
    return text


def _json(text: str, kept: frozenset[str] | None, dropped: frozenset[str]) -> str:
    records = [json.loads(line) for line in text.splitlines() if line.strip()]
    return "".join(_lines(_cleaned(record, kept, dropped)) for record in records)


def _cleaned(value: Any, kept: frozenset[str] | None, dropped: frozenset[str]) -> Any:
    """Return a value with rounded numbers and, of objects, only the keys that are kept, without empty values."""
    if isinstance(value, dict):
        items = {
            k: _cleaned(v, kept, dropped)
            for k, v in value.items()
            if (kept is None or k in kept) and k not in dropped
        }
        return {key: item for key, item in items.items() if item not in (None, "", [], {})}
    if isinstance(value, list):
        return [_cleaned(item, kept, dropped) for item in value]
    return round(value, DIGITS) + 0.0 if isinstance(value, float) else value


def _lines(value: Any) -> str:
    """Return an object with a line for every key, and for every element of its lists."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) + "\n"
    shown = ""
    for key, item in sorted(value.items()):
        elements = item if isinstance(item, list) else [item]
        shown += "".join(
            f"{key}: {json.dumps(each, ensure_ascii=False, sort_keys=True)}\n" for each in elements
        )
    return shown + "\n"


def _archive(path: Path) -> str:
    shown = ""
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member)
            shown += f"{member.name}\n" + (content.read().decode("utf-8") if content else "") + "\n"
    return shown


def _arrays(path: Path) -> str:
    """Return shape and digest of each array of numbers, rounded; texts and descriptions are bytes, and are left out."""
    shown = []
    with np.load(path, allow_pickle=False) as arrays:
        for array in map(arrays.__getitem__, arrays.files):
            if array.dtype.kind == "f" or (array.dtype.itemsize > 1 and array.dtype.kind in "iu"):
                rounded = np.round(array.astype(np.float64), 6) + 0.0
                shown.append(
                    f"{array.shape} {hashlib.sha256(rounded.tobytes()).hexdigest()[:16]}\n"
                )
    return "".join(sorted(shown))


def _page(text: str, out: Path) -> str:
    """Return the chosen sentences and the titles of sources that are visible on a page.

    Which texts to look for, the answers and provenances in the same folder say. On the page of an
    answer they come in the order of the page, elsewhere in that of the files.
    """
    text = re.sub(r"<(script|style|template)\b.*?</\1>", "", text, flags=re.DOTALL)
    visible = " ".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())
    places = {sought: visible.find(" ".join(sought.split())) for sought in _known(out)}
    found = [sought for sought, place in places.items() if place >= 0]
    if list(out.glob("answer.json")):
        found.sort(key=lambda sought: places[sought])
    return "".join(f"{sought}\n" for sought in found)


def _known(out: Path) -> Iterable[str]:
    for path in sorted((*out.rglob("*answer.json"), *out.rglob("*provenance.jsonl"))):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line) if line.strip() else {}
            for sentence in record.get("sentences", record.get("candidates", ())):
                if sentence.get("chosen", True):
                    yield sentence["text"]
            yield from (source["title"] for source in record.get("sources", ()) if source["title"])
