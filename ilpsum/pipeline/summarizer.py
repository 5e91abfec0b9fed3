"""The summarizer: the choice of a system by the kind of a topic."""

from pathlib import Path
from typing import Any

from ilpsum.learning.models import SystemModel
from ilpsum.pipeline import loading
from ilpsum.pipeline.pipeline import Pipeline, PipelineOptions
from ilpsum.pipeline.system import Kind, System
from ilpsum.records import Summary, Topic


class Summarizer:
    """Summarises topics one by one, each by the system of its kind.

    Args:
        system: the system; `load` takes one with a system for each kind of topic.
        model: its trained model; None for a system that needs none.
        options: see `PipelineOptions`.

    Raises:
        UsageError: no model for a system that needs one, or an option out of its range.
        SolverError: the solver is not installed (unless `fallback`).
    """

    def __init__(self, system: System, model: SystemModel | None = None, **options: Any) -> None:
        self.system, self._options = system, options
        PipelineOptions(**options)  # fails before any work
        self._model: str | Path | None = None
        self._of_kind: dict[Kind | None, Pipeline] = {}
        if system.kinds is None:
            self._of_kind[None] = Pipeline(system, model, **options)

    @classmethod
    def load(cls, system: str | Path | System, model: str | Path | None = None, **options: Any) -> "Summarizer":
        """Load a system by name or .toml file, with the model that ships for it or one of your own.

        If the system has one for each kind of topic, the kind is inferred from each topic, and a model is loaded with
        the first topic of its kind. Model files are written by `ilpsum train`; the options are those of the class.

        Raises:
            UsageError: no such system.
            ModelError: no model ships for the system, or the file does not fit it.
        """
        if not isinstance(system, System):
            system = System.load(system)
        if system.kinds is None:
            return cls(system, loading.load_model(system, model), **options)
        loading.require_model(system, model)
        summarizer = cls(system, **options)
        summarizer._model = model
        return summarizer

    def for_kind(self, kind: Kind) -> Pipeline:
        """Return the system that runs for topics of a kind: the only one unless there is one for each kind."""
        key = None if self.system.kinds is None else kind
        if key not in self._of_kind:
            system = self.system.for_kind(kind)
            self._of_kind[key] = Pipeline(system, loading.load_model(system, self._model), kind=kind, **self._options)
        return self._of_kind[key]

    def __call__(self, topic: Topic, words: int = 250) -> Summary:
        """Summarise a topic in at most `words` words, as `str.split` counts them.

        Raises:
            ModelError: the model does not fit the system of the topic's kind.
            SolverError: the solver is missing or failed.
            UsageError: a limit below one word, or the oracle was given a topic without gold summaries.
        """
        return self.for_kind(loading.kind_of(topic))(topic, words)
