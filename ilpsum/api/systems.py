"""Builds summarizers from systems and settings, as `ask` and `summarize` do."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from features.registry import unknown
from ilpsum.answers.steps import Summarizer
from ilpsum.api.tables import Table
from ilpsum.errors import ArgumentError, ModelError, UsageError
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.pipeline import with_tuned
from ilpsum.pipeline.settings import (
    SHORT,
    SolverTable,
    Values,
    changed,
    table_of_settings,
    value_of,
    with_settings,
)
from ilpsum.pipeline.summarizer import load_model
from ilpsum.pipeline.system import KINDS, System
from ilpsum.records import Facet, Sentence, Topic
from ilpsum.records.tables import RULES, SYSTEM
from ilpsum.runs import DEFAULT_SYSTEM
from ilpsum.selection import SELECTORS, Limits
from ilpsum.tasks.registry import Format, FormatLimits


def summarizer(
    system: str | Path | System = DEFAULT_SYSTEM,
    model: str | Path | SystemModel | None = None,
    target: Format | None = None,
    *,
    searched: bool = False,
    settings: Values | None = None,
    **kwargs: Any,
) -> Summarizer:
    """Return a summarizer for runs in a format, or for readers.

    Args:
        system: as in `configured`.
        model: a model, its file, or the name of a bundled model; default: the system's.
        target: as in `configured`.
        searched: as in `configured`.
        settings: as in `configured`.
        kwargs: fields of `PipelineOptions`, such as `may_stop_early`.

    Raises:
        UsageError: as for `configured`, or the system has no model and one is given.
        ArgumentError: as for `configured`.
        ModelError: the model cannot be read.
    """
    final, options = configured(
        system,
        target,
        searched=searched,
        settings=settings,
    )
    return loaded(final, model, options | kwargs)


def loaded(
    system: System,
    model: str | Path | SystemModel | None,
    options: Mapping[str, Any],
) -> Summarizer:
    """Load the summarizer of a system with its settings applied; see `summarizer`."""
    if model is not None and not system.learns:
        raise UsageError(f"the system {system.name} has no model; leave out --model")
    return Summarizer.load(system, model, **options)


def configured(
    system: str | Path | System,
    target: Format | None,
    *,
    searched: bool,
    settings: Values | None,
) -> tuple[System, dict[str, Any]]:
    """Return a system with settings applied, and the pipeline's options.

    Args:
        system: a name, a .toml file, or a system.
        target: the run format; None for an answer outside a run.
        searched: whether the documents come from a search; coherence rules are then strict.
        settings: values by key or short name, see `ilpsum.pipeline.settings`.

    Raises:
        UsageError: settings conflict or do not apply to the system, or the system does not exist.
        ArgumentError: an unknown setting, or a value that does not fit.
    """
    values = {
        SHORT.get(name, name): value
        for name, value in (settings or {}).items()
        if value is not None
    }
    for key in values:
        if key.startswith(("source.", "run.", "recipe.")):
            raise UsageError(
                f"{key} is not a setting here: filters belong to `Sources`, run.* to `write_run`, "
                "recipe.* to the file of a system"
            )
    final = system if isinstance(system, System) else System.load(system)
    if "selection.method" in values:
        final = with_settings(final, {"selection.method": values.pop("selection.method")})
    _check(final, values)
    cited = target is not None and target.cites
    if searched or cited or target is None:
        final = final.for_reader(strict=searched, cited=cited)
    if "coherence" in values:
        # Rules requested explicitly are never relaxed, even if words remain unused.
        rules = _rules(values.pop("coherence"))
        values = {**rules, "coherence.relax": (), "coherence.fragments_after": 0, **values}
    solver = changed(SolverTable(), "solver", values)
    final = with_settings(final, values)
    if (target is None or cited) and any(part.order.labels for part in final.parts):
        raise UsageError(
            "order.labels: only for runs of summaries (tac, bioasq, jsonl); leave it out"
        )
    if any(key.startswith("judge.") for key in values) and not final.parts[0].judge.url:
        raise UsageError("the judge: name its address (--judge URL, judge.url)")
    options = {
        "solver": solver.name,
        "limits": Limits(nodes=solver.nodes),
        "format_limits": target.limits if target else FormatLimits(),
        "facets": _facets,
    }
    return final, options


@dataclass(frozen=True, slots=True)
class Resolved:
    """The value of a setting of a system, and who set it.

    Attributes:
        kind: the kind of topic; `all` if they share the system.
        origin: a file, `tuned in training`, `option` or `default`.
    """

    kind: str
    key: str
    value: Any
    origin: str


def resolved(system: str | Path | System) -> Table[Resolved]:
    """Return the value of every setting of a system, with those that training tuned if the system
    has an included model; errors as for `System.load`.
    """
    final = system if isinstance(system, System) else System.load(system)
    rows = list[Resolved]()
    for kind in KINDS if final.kinds else KINDS[:1]:
        part = final.for_kind(kind)
        with suppress(ModelError):  # not trained yet
            part = with_tuned(part, load_model(part))
        for key in table_of_settings():
            if key.startswith((*(f"{name}." for name in SYSTEM), f"{part.selection.method}.")):
                origin = part.origins.get(key, "default")
                name = kind if final.kinds else "all"
                rows.append(Resolved(name, key, value_of(part, key), origin))
    return Table(Resolved, rows)


def _facets(topic: Topic, sentences: Sequence[Sentence]) -> list[Facet]:
    """Predict facets by the models of Task 1, which only a text in the order of facets needs."""
    from ilpsum.task1.labels import facets_of

    return facets_of(topic, sentences)


def _check(system: System, given: Values) -> None:
    """Raise `UsageError` if a setting does not apply to the system, or settings conflict."""
    tuned = {part.selector.tunes for part in system.parts}
    for name, other in (("lambda", "ilp"), ("threshold", "greedy")):
        if f"selection.{name}" in given and name not in tuned:
            raise UsageError(
                f"the system {system.name} has no {name}, which --method {other} has; leave it out"
            )
    methods = {part.selection.method for part in system.parts}
    for key in given:
        table = key.partition(".")[0]
        if table in SELECTORS and table not in methods:
            raise UsageError(f"{key} is for the method {table}; leave it out, or add it as method")
    copied = {"candidates.clean", "order.labels"}.intersection(given)
    if copied and all(part.selector.copies for part in system.parts):
        raise UsageError(
            f"the system {system.name} copies its text as it is; leave out {min(copied)}"
        )


def _rules(text: object) -> dict[str, bool]:
    """Return the keys of the rules that a text names, and of those that it does not."""
    if not isinstance(text, str):
        raise ArgumentError(
            f"coherence: expected names of rules in a text, got {type(text).__name__}"
        )
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in (*RULES, "all", "none"):
            raise UsageError(unknown("coherence rule", name, RULES, "; or all, none"))
    if len(set(names)) > 1 and (other := {"all", "none"}.intersection(names)):
        raise UsageError(f"--coherence {min(other)} cannot be combined with rules")
    return {f"coherence.{rule}": rule in names or "all" in names for rule in RULES}
