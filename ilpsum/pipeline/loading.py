"""Models for systems: which one ships, and which kind of topic a topic is."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from ilpsum import resources
from ilpsum.errors import ModelError, UsageError
from ilpsum.learning.models import ModelMetadata, SystemModel, read_metadata
from ilpsum.pipeline.system import KINDS, Kind, System, names
from ilpsum.records import ANSWERS, GENERAL, Topic

TRAINED_FOR: dict[Kind, Kind] = {"asked": "merged", "answers": "general", "single": "general"}
"""The kinds of topic whose model that ships was trained on topics of another kind."""


def kind_of(topic: Topic) -> Kind:
    """Return `answers` for answers to a consumer; of news and plain texts, `asked` for several with a question.

    Without a question several are `general` and one is `single`; one with a question is `general`. Other documents that
    a search found are `searched`. Otherwise `papers` for a topic with a paper or citances, `snippets` for one with a
    snippet, `merged` for one with the merged snippets of a document, else `abstracts`.
    """
    if topic.kind == ANSWERS:
        return "answers"
    if topic.kind in GENERAL:
        several = len(topic.documents) > 1
        if topic.query:
            return "asked" if several else "general"
        return "general" if several else "single"
    if topic.search is not None:
        return "searched"
    if topic.reference is not None or topic.citances:
        return "papers"
    roles = {document.role for document in topic.documents}
    return "snippets" if "snippet" in roles else "merged" if "merged" in roles else "abstracts"


def kind_of_all(topics: Iterable[Topic]) -> tuple[Kind, Iterator[Topic]]:
    """Return the kind of the first topic that has documents, and all topics, read no further than needed."""
    stream, head = iter(topics), list[Topic]()
    for topic in stream:
        head.append(topic)
        if topic.documents or topic.search:
            return kind_of(topic), chain(head, stream)
    return "abstracts", iter(head)


def require_model(system: System, model: str | Path | SystemModel | None = None) -> None:
    """Check that each kind of topic of a system with `kinds` has a model, or that a given model fits one of them.

    Raises:
        ModelError: no model ships for a kind, or the given one fits none.
    """
    misfit: ModelError | None = None
    for kind in KINDS:
        part = system.for_kind(kind)
        if model is None:
            _ = _shipped(part) if part.learns else None
            continue
        try:
            load_model(part, model)
        except ModelError as error:
            misfit = misfit or error
        else:
            return
    if misfit:
        raise misfit


def load_model(system: System, model: str | Path | SystemModel | None = None) -> SystemModel | None:
    """Load the model of a system without `kinds`, by default the one that ships; None if the system needs none.

    The model may also be a file, or the name of one that ships.

    Raises:
        UsageError: no model has this name.
        ModelError: no model ships for the system, or the given one does not fit it.
    """
    if system.relevance is None:
        return None
    columns, weights = system.relevance.feature_set.columns, system.selection.weights == "learned"
    if isinstance(model, SystemModel):
        model.require(columns, weights=weights)
        return model
    return SystemModel.load(_file(model or _shipped(system)), columns, weights=weights)


def shipped_models() -> tuple[str, ...]:
    """Return the names of the models that ship for systems, sorted."""
    named = {*names(), *(System.load(name).papers_model for name in names())}
    return tuple(name for name in sorted(named) if (resources.models() / f"{name}.npz").is_file())


def shipped_metadata() -> Iterator[tuple[str, ModelMetadata]]:
    """Yield the name and the metadata of each model that ships for a system."""
    for name in shipped_models():
        yield name, read_metadata(resources.models() / f"{name}.npz")


def _file(model: str | Path) -> Path:
    path = Path(model)
    if path.suffix or len(path.parts) > 1 or path.exists():
        return path
    if path.name not in (known := shipped_models()):
        raise UsageError(f"no model {path.name!r}: expected a file, or an included model: {', '.join(known)}")
    return resources.models() / f"{path.name}.npz"


def _shipped(system: System) -> Path:
    if system.model.endswith(".npz"):
        return Path(system.model)
    path = resources.models() / f"{system.model or system.name}.npz"
    if not path.exists():
        command = f"`ilpsum train TOPICS --system {system.name} --out MODEL`, then pass it with --model MODEL"
        raise ModelError(f"the system {system.name!r} has no included model; train one with {command}")
    return path
