"""The texts to choose from: strings, documents or mappings, as one topic."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ilpsum.errors import ArgumentError
from ilpsum.records import Document, Topic
from ilpsum.retrieval import as_found

Text = str | Document | Mapping[str, object]
"""A string, a `Document`, or a mapping with a string `text` and perhaps an `id` and a `title`."""


@dataclass(frozen=True)
class Sources:
    """The texts as a topic, whose documents are named by their index.

    Attributes:
        names: what `Passage.source` calls each text.
    """

    topic: Topic
    names: tuple[int | str, ...]

    def text(self, document: str) -> str:
        """Return the text of a document of the topic."""
        return self.topic.documents[int(document)].text

    def name(self, document: str) -> int | str:
        """Return what `Passage.source` calls a document of the topic."""
        return self.names[int(document)]


def sources(question: str, texts: Iterable[Text]) -> Sources:
    """Return the texts of a question as a topic.

    Raises:
        ArgumentError: the question or a text is of another type, or two texts have one id.
    """
    if not isinstance(question, str):
        raise ArgumentError(f"question: expected a string, got {_kind(question)}")
    if isinstance(texts, str | Document | Mapping) or not isinstance(texts, Iterable):
        raise ArgumentError(f"texts: expected a list of texts, got {_kind(texts)}")
    _check_text("question", question)
    given = list(texts)
    documents = tuple(_document(i, text) for i, text in enumerate(given))
    names = tuple(_name(i, text) for i, text in enumerate(given))
    first: dict[int | str, int] = {}
    for i, name in enumerate(names):
        if first.setdefault(name, i) != i:
            raise ArgumentError(f"texts[{first[name]}] and texts[{i}] have one id, {name!r}; give each its own")
    return Sources(as_found(Topic(id="select", query=question, documents=documents)), names)


def _document(index: int, text: Text) -> Document:
    """Return a text as a document of the topic: a snippet where it says so, otherwise a source."""
    where = f"texts[{index}]"
    if isinstance(text, str):
        return Document(str(index), _check_text(where, text))
    if isinstance(text, Document):
        _check_text(where, text.text)
        return replace(text, id=str(index), role="snippet" if text.role == "snippet" else "source")
    if not isinstance(text, Mapping):
        raise ArgumentError(f"texts[{index}]: expected a string, a Document or a mapping, got {_kind(text)}")
    content, title = text.get("text"), text.get("title") or ""
    if not isinstance(content, str):
        raise ArgumentError(f"texts[{index}]: expected a string under the key 'text', got {_kind(content)}")
    if not isinstance(title, str):
        raise ArgumentError(f"texts[{index}]: expected a string under the key 'title', got {_kind(title)}")
    return Document(str(index), _check_text(where, content), _check_text(where, title))


def _check_text(where: str, text: str) -> str:
    """Return a text that can be encoded; half of a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{where}: expected Unicode text, got half of a surrogate pair at {error.start}") from None
    return text


def _name(index: int, text: Text) -> int | str:
    """Return the id of a text, by default its index."""
    name = text.id if isinstance(text, Document) else text.get("id") if isinstance(text, Mapping) else None
    if name is None:
        return index
    if not isinstance(name, str | int):
        raise ArgumentError(f"texts[{index}]: expected a string or a whole number as id, got {_kind(name)}")
    return name


def _kind(value: object) -> str:
    return type(value).__name__
