"""Finds the model of a system, and the kind of a topic."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from ilpsum import resources
from ilpsum.errors import ModelError, UsageError
from ilpsum.learning.models import ModelMetadata, SystemModel, read_metadata
from ilpsum.pipeline.system import KINDS, Kind, System, names
from ilpsum.records import ANSWERS, GENERAL, Topic

TRAINED_FOR: dict[Kind, Kind] = {"asked": "merged", "answers": "general", "single": "general"}
"""Kinds of topic whose included model was trained on topics of another kind."""


def kind_of(topic: Topic) -> Kind:
    """Return the kind of a topic.

    `answers` has answers to a consumer question. News and plain texts are `asked` if several with a question, `single`
    if one without, else `general`. Other topics are `searched` with retrieved documents, `papers` with a paper or
    citances, `snippets` with a snippet, `merged` with the merged snippets of a document, else `abstracts`.
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
    """Return the kind of the first topic with documents or a search, and all topics as a lazy iterator."""
    stream, head = iter(topics), list[Topic]()
    for topic in stream:
        head.append(topic)
        if topic.documents or topic.search:
            return kind_of(topic), chain(head, stream)
    return "abstracts", iter(head)


def require_model(system: System, model: str | Path | SystemModel | None = None) -> None:
    """Check that a system with `kinds` has a model for each kind of topic, or that a given model fits some kind.

    Raises:
        ModelError: no model is included for a kind, or the given one fits none.
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
    """Load the model of a system without `kinds`; None if the system needs none.

    `model` may be a file or the name of an included model; by default the system's own included model.

    Raises:
        UsageError: no model has this name.
        ModelError: no model is included for the system, or the given one does not fit it.
    """
    if system.relevance is None:
        return None
    columns, weights = system.relevance.feature_set.columns, system.selection.weights == "learned"
    if isinstance(model, SystemModel):
        model.require(columns, weights=weights)
        return model
    path = _file(model or _shipped(system))
    if path.parent != resources.models():
        return SystemModel.load(path, columns, weights=weights)
    return included_model(path, columns, weights)


@cache
def included_model(path: Path, columns: tuple[str, ...], weights: bool) -> SystemModel:
    """Load an included model, once per process."""
    return SystemModel.load(path, columns, weights=weights)


def shipped_models() -> tuple[str, ...]:
    """Return the names of the included models of systems, sorted."""
    named = {*names(), *(System.load(name).papers_model for name in names())}
    return tuple(name for name in sorted(named) if (resources.models() / f"{name}.npz").is_file())


def shipped_metadata() -> Iterator[tuple[str, ModelMetadata]]:
    """Yield the name and metadata of each included model of a system."""
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
