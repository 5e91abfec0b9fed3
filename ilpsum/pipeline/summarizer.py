"""The summarizer, which chooses a system by the kind of each topic, and the models of systems."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from msgspec.structs import replace

from ilpsum import resources
from ilpsum.errors import ModelError, UsageError
from ilpsum.files.arguments import checked
from ilpsum.files.records import Natural, Share
from ilpsum.files.work import silent
from ilpsum.learning.models import ModelMetadata, SystemModel, included_model, read_metadata
from ilpsum.pipeline.options import PipelineOptions
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.relevance import Candidates, Scorer
from ilpsum.pipeline.scores import given_scorer, scorer_of
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import KINDS, Kind, System, kind_of, names
from ilpsum.records import RunSettings, Summary, SystemSettings, Topic
from ilpsum.tasks import form_of
from ilpsum.tasks.registry import default_output


class Summarizer:
    """Summarises topics one by one, each with the system for its kind.

    Use `load` for a system with `kinds`. `words` is the word limit of calls that name none; by
    default it is that of the topic's task, as in a run. For options and errors see `Pipeline`.

    Attributes:
        pipeline: the class of its pipelines.
    """

    pipeline: type[Pipeline] = Pipeline

    def __init__(
        self,
        system: System,
        model: str | Path | SystemModel | None = None,
        *,
        words: int | None = None,
        **options: Any,
    ) -> None:
        PipelineOptions(**options)  # fails before any work
        self._relevance = options.pop("relevance", None)
        # Files are read before any work; processes elsewhere lack them.
        tell = options.get("tell", silent)
        self._scorers = {
            part.source: given_scorer(part, self._relevance, tell) for part in system.parts
        }
        # A given model is used for topics of all kinds.
        self.system = system if model is None else replace(system, papers_model="")
        self.words, self._options, self._model = words, options, model
        self._of_kind: dict[Kind | None, Pipeline] = {}
        self._changed: dict[tuple[str | None, float | None], Self] = {}

    @classmethod
    @checked
    def load(
        cls,
        system: str | Path | System,
        model: str | Path | SystemModel | None = None,
        *,
        method: str | None = None,
        lambda_: Share | None = None,
        words: Natural | None = None,
        **options: Any,
    ) -> Self:
        """Load a system by name or .toml file, with its included model or your own.

        If the system has `kinds`, the kind is inferred from each topic, and a kind's model is
        loaded with its first topic.

        With `relevance`, a model is loaded only for the weights of concepts; values that training
        tuned, such as lambda, are used only if it is loaded.

        Args:
            system: a name, a .toml file, or a system.
            model: a file written by `ilpsum train`, the name of an included model, or the result of
                `ilpsum.train`.
            method: a selector instead of the system's: `ilp`, `gain`, `greedy`, ...
            lambda_: the weight of relevance against coverage instead of the system's.
            words: word limit of calls that name none; default: that of the topic's task.
            options: see `PipelineOptions`, such as `solver` and `relevance`.

        Raises:
            UsageError: no such system, or it uses no relevance.
            InputError: the file of scores cannot be read.
            ArgumentError: lambda is not from 0 to 1.
            ModelError: no model is included for the system, or the given one does not fit it.
        """
        if not isinstance(system, System):
            system = System.load(system)
        values = {"selection.method": method, "selection.lambda": lambda_}
        settings = {key: value for key, value in values.items() if value is not None}
        system = with_settings(system, settings)
        relevance = options.get("relevance")
        require_model(system, model, None if relevance is None else scorer_of(relevance))
        return cls(system, model, words=words, **options)

    def for_kind(self, kind: Kind) -> Pipeline:
        """Return the pipeline for topics of a kind; all kinds share one unless the kind has its own
        system or model.
        """
        key = self.system.own_kind(kind)
        if key not in self._of_kind:
            system = self.system.for_kind(kind)
            scorer = self._scorers[system.source]
            self._of_kind[key] = self.pipeline(
                system,
                load_model(system, self._model, scorer),
                kind=key,
                relevance=scorer,
                **self._options,
            )
        return self._of_kind[key]

    def settings(self, words: int, like: SystemSettings) -> RunSettings:
        """Return the settings for the kind of topic of an earlier summary, whose model is loaded;
        for any kind if the summary names none.
        """
        kinds = [kind for kind in KINDS if (self.system.own_kind(kind) or "") == like.kind]
        return self.for_kind((*kinds, *KINDS)[0]).settings(words)

    @checked
    def __call__(
        self,
        topic: Topic,
        words: Natural | None = None,
        *,
        method: str | None = None,
        lambda_: Share | None = None,
    ) -> Summary:
        """Summarise a topic in at most `words` words (`str.split`), by default as many as its task
        allows (200 for questions of BioASQ, else 250); options apply to this summary only.

        Raises:
            ModelError: the model does not fit the system of the topic's kind.
            SolverError: the solver is missing or failed.
            UsageError: a limit below one word, or the oracle was given a topic without gold
                summaries.
        """
        changed = self if method is None and lambda_ is None else self._with(method, lambda_)
        words = self.words if words is None else words
        if words is None:
            words = default_output(form_of(topic)).words
        return changed.for_kind(kind_of(topic))(topic, words)

    def candidates(self, topic: Topic) -> Candidates:
        """Return the n candidate sentences of a topic with their features and relevance; errors as
        for a summary. Relevance is NaN if the system uses none.
        """
        return self.for_kind(kind_of(topic)).candidates(topic)

    def _with(self, method: str | None, lambda_: float | None) -> Self:
        """Return the summarizer with another selector or lambda, cached."""
        key = method, lambda_
        if key not in self._changed:
            self._changed[key] = self.load(
                self.system,
                self._model,
                method=method,
                lambda_=lambda_,
                words=self.words,
                relevance=self._relevance,
                **self._options,
            )
        return self._changed[key]


def require_model(
    system: System,
    model: str | Path | SystemModel | None = None,
    scorer: Scorer | None = None,
) -> None:
    """Check that a system with `kinds` has a model for each kind of topic, or that a given model
    fits some kind; a scorer may take a model's place.

    Raises:
        ModelError: no model is included for a kind, or the given one fits none.
    """
    misfits, parts = list[ModelError](), [system.for_kind(kind) for kind in KINDS]
    if model is None:
        for part in parts:
            _ = part.needs_model(scorer) and _shipped(part)
        return
    for part in parts:
        try:
            load_model(part, model, scorer)
        except ModelError as error:
            misfits.append(error)
        else:
            return
    raise misfits[0]


def load_model(
    system: System,
    model: str | Path | SystemModel | None = None,
    scorer: Scorer | None = None,
) -> SystemModel | None:
    """Load the model of a system without `kinds`; None if the system needs none, with a scorer in
    its place.

    `model` may be a file or the name of an included model; by default the system's own included
    model.

    Raises:
        UsageError: no model has this name.
        ModelError: no model is included for the system, or the given one does not fit it.
    """
    features = system.feature_set
    if features is None or not system.needs_model(scorer):
        return None
    path = None
    if not isinstance(model, SystemModel):
        path = model_file(system, model)
        is_included = path.parent == resources.models()
        model = included_model(path) if is_included else SystemModel.load(path)
    model.require(
        features.columns,
        weights=system.selection.weights == "learned",
        vectors=system.vectors_digest,
        path=path,
    )
    return model


def shipped_models() -> tuple[str, ...]:
    """Return the names of the included models of systems, sorted."""
    named = {*names(), *(System.load(name).papers_model for name in names())}
    return tuple(name for name in sorted(named) if (resources.models() / f"{name}.npz").is_file())


def shipped_metadata() -> Iterator[tuple[str, ModelMetadata]]:
    """Yield the name and metadata of each included model of a system."""
    for name in shipped_models():
        yield name, read_metadata(resources.models() / f"{name}.npz")


def model_file(system: System, model: str | Path | None) -> Path:
    """Return the file of a system's model; arguments and errors as for `load_model`."""
    path = Path(model or _shipped(system))
    if path.suffix or len(path.parts) > 1 or path.exists():
        return path
    if path.name not in (included := shipped_models()):
        raise UsageError(
            f"no model {path.name!r}: expected a file, or an included model: {', '.join(included)}"
        )
    return resources.models() / f"{path.name}.npz"


def _shipped(system: System) -> Path:
    if system.model.endswith(".npz"):
        return Path(system.model)
    path = resources.models() / f"{system.model or system.name}.npz"
    if path.exists():
        return path
    # A system of the user's is named by its file.
    name = system.name if system.name in names() else f"{system.name}.toml"
    command = f"`ilpsum train TOPICS --system {name} --out MODEL`, then pass it with --model MODEL"
    raise ModelError(
        f"the system {system.name!r} ({system.description}) has no included model; train one with "
        f"{command}"
    )
