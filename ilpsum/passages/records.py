"""The input texts as one topic; the chosen passages with their proof of optimality."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import overload

from ilpsum.answers.attaching import as_found
from ilpsum.errors import ArgumentError
from ilpsum.files.arguments import encodable
from ilpsum.records import Document, Role, Topic

Text = str | Document | Mapping[str, object]
"""A string, a `Document`, or a mapping with a string `text` and perhaps an `id` and a `title`."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim sentence of a text.

    Attributes:
        text: exactly `texts[i][start:end]`.
        source: the index of a string, or the id of a document.
        start, end: offsets in the source's text, in Unicode code points, end exclusive.
        relevance: the model's prediction, or the value of `relevance`.
        cost: the value of `count` for the passage alone.
        why: the reason for choosing it; empty before the selection.
    """

    text: str
    source: int | str
    start: int
    end: int
    relevance: float
    cost: float
    why: str = ""


@dataclass(frozen=True)
class Passages(Sequence[Passage]):
    """The chosen passages as a sequence in source order, with their proof of optimality.

    Attributes:
        chosen: the passages, by text and by position in the text.
        cost: the value of `count` for `text`; never above `budget`.
        budget: as given.
        limit: limit on the sum of added costs in the solved program, to which the proof refers: at
            most `budget` less the largest excess of a passage's own cost over its added cost.
        objective: the value of the selection.
        bound: an upper bound on the value of every selection within `limit` and the constraints.
        gap: (bound - objective) / objective; 0 for a proved optimum.
        status: `optimal`, or `limit` if the proof was given up at the node limit.
        nodes: number of branch-and-bound nodes.
    """

    chosen: tuple[Passage, ...]
    cost: float
    budget: float
    limit: float
    objective: float = 0.0
    bound: float = 0.0
    gap: float = 0.0
    status: str = "optimal"
    nodes: int = 0
    separator: str = " "
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The passages joined by the separator; the budget applies to this text."""
        return self.separator.join(passage.text for passage in self.chosen)

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.chosen)

    @overload
    def __getitem__(self, index: int) -> Passage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Passage]: ...
    def __getitem__(self, index: int | slice) -> Passage | Sequence[Passage]:
        return self.chosen[index]


@dataclass(frozen=True)
class Sources:
    """The texts as a topic with text indices as document ids; `names` has the `Passage.source` of
    each document.
    """

    topic: Topic
    names: tuple[int | str, ...]

    def text(self, document: str) -> str:
        """Return the text of a document of the topic."""
        return self.topic.documents[int(document)].text

    def name(self, document: str) -> int | str:
        """Return the `Passage.source` of a document of the topic."""
        return self.names[int(document)]


def sources(question: str, texts: Iterable[Text]) -> Sources:
    """Return texts as a topic; `ArgumentError` if the question or a text has a wrong type, or two
    share an id.
    """
    if isinstance(texts, str | Document | Mapping) or not isinstance(texts, Iterable):
        raise ArgumentError(f"texts: expected a list of texts, got {type(texts).__name__}")
    query = _string("question", question)
    documents = list[Document]()
    names = list[int | str]()
    for i, text in enumerate(texts):
        document, name = _document(i, text)
        documents.append(document)
        names.append(name)
    first: dict[int | str, int] = {}
    for i, name in enumerate(names):
        if first.setdefault(name, i) != i:
            raise ArgumentError(
                f"texts[{first[name]}] and texts[{i}] have one id, {name!r}; give each its own"
            )
    topic = Topic(id="select", query=query, documents=tuple(documents))
    return Sources(as_found(topic), tuple(names))


def _document(index: int, text: Text) -> tuple[Document, int | str]:
    """Return a text as a document of the topic (a snippet keeps its role), and its id, by default
    its index.
    """
    where = f"texts[{index}]"
    if isinstance(text, Document):
        role: Role = "snippet" if text.role == "snippet" else "source"
        return replace(text, id=str(index), text=_string(where, text.text), role=role), text.id
    if isinstance(text, str):
        return Document(str(index), _string(where, text)), index
    if not isinstance(text, Mapping):
        raise ArgumentError(
            f"{where}: expected a string, a Document or a mapping, got {type(text).__name__}"
        )
    content = _string(where, text.get("text"), " under the key 'text'")
    title = _string(where, text.get("title") or "", " under the key 'title'")
    name = index if text.get("id") is None else text["id"]
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise ArgumentError(
            f"{where}: expected a string or a whole number as id, got {type(name).__name__}"
        )
    return Document(str(index), content, title), name


def _string(where: str, value: object, place: str = "") -> str:
    """Return a string that can be encoded."""
    if not isinstance(value, str):
        raise ArgumentError(f"{where}: expected a string{place}, got {type(value).__name__}")
    return encodable(where, value)
