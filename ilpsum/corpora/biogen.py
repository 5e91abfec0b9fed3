"""TREC BioGen topics of 2024 and 2025: questions, whose documents are found among given abstracts by BM25.

2024: `{"topics": [{"id": 116, "topic", "question", "narrative"}]}`; 2025: a list of such objects; or an object a line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from features.text import words
from ilpsum.corpora.files import head
from ilpsum.errors import InputError, UsageError
from ilpsum.json_stream import read_json_lines, stream, well_formed
from ilpsum.records import BrokenTopic, Topic

if TYPE_CHECKING:
    from ilpsum.abstracts import Found, Search
    from ilpsum.abstracts.indexing import Watch

FIELDS = ("topic", "question", "narrative")

FOUND = 20
"""Abstracts of a topic."""

# The share of the best BM25 below which an abstract is beside the point.
_NEAR = 0.5

# What the search asks for: the topic's few words say in the terms of the literature what the question says at large.
_SEARCHED = ("question", "topic")


def recognises(path: Path) -> bool:
    """Whether a file begins like BioGen topics."""
    begin = head(path).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    return begin[:1] in ("{", "[") and '"question"' in begin and '"narrative"' in begin


def read(
    path: str | Path,
    *,
    fields: Sequence[str] = ("question",),
    documents: Sequence[str | Path] = (),
    index: str | Path | None = None,
    found: int = FOUND,
    coverage: float = 0.0,
    watch: "Watch" = iter,
) -> Iterator[Topic | BrokenTopic]:
    """The topics of a file, in its order; with `documents`, each has the abstracts that question and topic find.

    Args:
        path: JSON document or lines.
        fields: which of `FIELDS` make the query, in this order.
        documents: files of abstracts, see `ilpsum.abstracts.Search`.
        index: the folder that takes their indexes; by default one in the user's cache.
        found: abstracts at most of a topic; those with less than half the best one's BM25 are left out.
        coverage: where the best abstract covers less of the question, it has no documents; in [0,1].
        watch: passes on the abstracts that are indexed, to show how far it is.

    Yields:
        A topic's documents come by falling BM25; `facts["search"]` says how much of the topic they cover.

    Raises:
        InputError: a file cannot be read, or holds no topics.
        UsageError: a field that there is not.
    """
    for field in fields:
        if field not in FIELDS:
            raise UsageError(f"unknown field {field!r} of a topic; there are: {', '.join(FIELDS)}")
    search = None
    if documents:
        from ilpsum.abstracts import Search

        search = Search([documents] if isinstance(documents, str | Path) else documents, index, watch)
    remarks = search.remarks if search else ()
    for line, value in _entries(path):
        try:
            if isinstance(value, InputError):
                raise value
            topic = _topic(value, fields, path, line)
            if search:
                topic = with_documents(topic, search, _topic(value, _SEARCHED, path, line).query, found, coverage)
            # What could not be read of the files is told once.
            yield replace(topic, remarks=(*remarks, *topic.remarks))
            remarks = ()
        except InputError as error:
            named = value.get("id") if isinstance(value, dict) else None
            yield BrokenTopic(str(named) if isinstance(named, int | str) and named else f"line {line}", error)


def _entries(path: str | Path) -> Iterator[tuple[int, Any]]:
    if str(path) != "-" and _is_lines(path):
        yield from read_json_lines(path)
        return
    found = False
    for item in stream(path, lists=("topics",)):
        if item.key in ("topics", ""):
            found = True
            if not item.element and item.value != []:
                raise InputError('"topics" must be a list', path, item.line)
            if item.element:
                yield item.line, item.value
    if not found:
        raise InputError('no "topics"; {"topics": [...]}, a list, or an object a line was expected', path)


def _is_lines(path: str | Path) -> bool:
    """Whether the first line is a whole topic."""
    for _, value in read_json_lines(path):
        return isinstance(value, dict) and "question" in value
    return False


def _topic(value: Any, fields: Sequence[str], path: str | Path, line: int) -> Topic:
    if not isinstance(value, dict):
        raise InputError('an object with "id" and "question" was expected', path, line)
    name = value.get("id")
    if isinstance(name, bool) or not isinstance(name, int | str) or not str(name).strip():
        raise InputError('"id" must be a number or a text', path, line)
    if not isinstance(value.get("question"), str) or not value["question"].strip():
        raise InputError(f'topic {name}: "question" must be a text', path, line)
    parts = [value.get(field) for field in fields]
    if not all(isinstance(part, str | None) for part in parts):
        raise InputError(f"topic {name}: {', '.join(fields)} must be texts", path, line)
    query = " ".join(" ".join(well_formed(part).split()) for part in parts if part)
    return Topic(well_formed(str(name).strip()), query)


def with_documents(topic: Topic, search: "Search", query: str, most: int = FOUND, least: float = 0.0) -> Topic:
    """A topic with the abstracts that a query finds, by falling BM25, and what `facts["search"]` says of them.

    Args:
        topic: without documents.
        search: over the abstracts.
        query: what is searched for, the topic's question as a rule.
        most: abstracts at most; those with less than half the best one's BM25 are left out.
        least: where the best abstract covers less of the query, there are none; in [0,1].

    Raises:
        InputError: an index was damaged since it was opened.
    """
    found = search(query, most)
    hits = [hit for hit in found.hits if found.coverage >= least and hit.score >= _NEAR * found.hits[0].score]
    missing = [word for word, term in _words(query).items() if term not in found.known]
    facts = {
        "searched": search.documents,
        "query": query,
        "coverage": found.coverage,
        "missing": missing,
        "weights": {word: found.weights[term] for word, term in _words(query).items() if term in found.known},
        "found": [{"document": hit.document.id, "bm25": hit.score} for hit in hits],
    }
    told = (_told(found, len(hits), missing),)
    return replace(topic, documents=tuple(hit.document for hit in hits), facts={"search": facts}, remarks=told)


def _words(query: str) -> dict[str, str]:
    """The words of a query with their terms, the first word of each term, stop words left out."""
    from ilpsum.abstracts.analysis import terms

    first: dict[str, str] = {}
    for word in words(query):
        for term in terms(word):
            first.setdefault(term, word)
    return {word: term for term, word in first.items()}


def _told(found: "Found", kept: int, missing: Sequence[str]) -> str:
    """How well what was found covers its question, in a line."""
    if not found.hits:
        return "coverage 0%: no abstract holds a word of the question"
    abstracts = "1 abstract" if kept == 1 else f"{kept} abstracts"
    best = f"the best with BM25 {found.hits[0].score:.1f}"
    lacking = f"; in no abstract: {', '.join(missing)}" if missing else ""
    if not kept:
        return f"coverage {found.coverage:.0%} of the question, less than was asked for{lacking}"
    return f"coverage {found.coverage:.0%} of the question by the best of {abstracts}, {best}{lacking}"
