"""Builds summarizers from systems and settings, as the options of `ask` and `summarize` do."""

from pathlib import Path
from typing import Any, TypedDict, Unpack

import msgspec

from features.registry import suggested
from ilpsum.answers.steps import Summarizer
from ilpsum.errors import UsageError
from ilpsum.files import arguments
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.limits import FormatLimits
from ilpsum.pipeline.system import RULES, CompressionTable, OrderTable, System
from ilpsum.runs.formats import DEFAULT_SYSTEM, Format


class Settings(TypedDict, total=False):
    """Settings that override the system's; `ilpsum summarize --help` describes them.

    Attributes:
        coherence: comma-separated rule names, `all` or `none`.
        compress: whether compressed sentences are candidates.
    """

    method: str
    lambda_: float
    threshold: float
    order: str
    labels: bool
    coherence: str
    overlap: float
    clean: bool
    compress: bool


def summarizer(
    system: str | Path | System = DEFAULT_SYSTEM,
    model: str | Path | SystemModel | None = None,
    target: Format | None = None,
    *,
    searched: bool = False,
    options: dict[str, Any] | None = None,
    **settings: Unpack[Settings],
) -> Summarizer:
    """Return a summarizer for runs in a format, or for readers.

    Args:
        system: a name, a .toml file, or a system.
        model: a model, its file, or the name of a bundled model; default: the system's.
        target: the run format; None for an answer outside a run.
        searched: whether the documents come from a search; coherence rules are then strict.
        options: fields of `PipelineOptions`, such as `ends`.
        settings: see `Settings`.

    Raises:
        UsageError: settings conflict or do not apply to the system, or the system does not exist.
        ModelError: the model cannot be read.
    """
    settings = arguments.settings(dict(settings), Settings)
    loaded = system if isinstance(system, System) else System.load(system)
    if method := settings.get("method"):
        loaded = loaded.with_method(method)
    _check(loaded, settings, target, own_model=model is not None)
    cited = target is not None and target.cites
    if searched or cited or target is None:
        loaded = loaded.for_reader(strict=searched, cited=cited)
    loaded = _changed(loaded, settings)
    given: dict[str, Any] = {"format_limits": target.limits if target else FormatLimits(), **(options or {})}
    if loaded.order.by == "facet":
        from ilpsum.task1.linker import facets_of

        given["facets"] = facets_of
    return Summarizer.load(loaded, model, lambda_=settings.get("lambda_"), threshold=settings.get("threshold"), **given)


def _check(system: System, given: Settings, target: Format | None, *, own_model: bool) -> None:
    """Raise `UsageError` if a setting does not apply to the system, or settings conflict."""
    if given.get("labels") and given.get("order") != "facet":
        raise UsageError("--labels requires --order facet")
    if given.get("labels") and target is not None and target.cites:
        raise UsageError(f"answers of the format {target.name} have no labels; leave out --labels")
    if own_model and not system.learns:
        raise UsageError(f"the system {system.name} has no model; leave out --model")
    if "lambda_" in given and not any(each.selector.has_objective for each in system.selections):
        raise UsageError(f"the system {system.name} has no lambda; leave out --lambda")
    if "threshold" in given and not any(each.selector.tunes == "threshold" for each in system.selections):
        raise UsageError(f"the system {system.name} has no threshold; leave out --threshold, or add --method greedy")
    if given.get("clean") and system.selection.selector.copies:
        raise UsageError(f"the system {system.name} copies its text as it is; leave out --clean")
    if given.get("compress") and not system.selection.selector.needs_relevance:
        raise UsageError(f"the system {system.name} compresses no sentences; leave out --compress")
    if given.get("overlap") == 0.0:
        raise UsageError("--overlap 0 would make any two sentences redundant; give a value above 0")


def _changed(system: System, given: Settings) -> System:
    """Apply the settings for coherence, order, cleaning and compression to a system."""
    changed: dict[str, object] = {}
    if "coherence" in given:
        # Rules requested explicitly are never relaxed, even if words remain unused.
        changed |= {**_rules(given["coherence"]), "relax": (), "fragments_after": 0}
    elif given.get("compress"):
        changed["anaphora"] = False  # on by default, but incompatible with compression
    if "overlap" in given:
        changed["overlap"] = given["overlap"]
    system = system.with_coherence(**changed)
    if "order" in given:
        asked = {"by": given["order"], "labels": given.get("labels", False)}
        system = msgspec.structs.replace(system, order=arguments.typed("order", asked, OrderTable))
    if "clean" in given:
        system = system.cleaned(given["clean"])
    if given.get("compress"):
        system = msgspec.structs.replace(system, compression=system.compression or CompressionTable())
    return system


def _rules(text: str) -> dict[str, bool]:
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in (*RULES, "all", "none")]:
        known = f"there are: {', '.join(RULES)}; or all, none"
        raise UsageError(f"unknown coherence rule {unknown[0]!r}; {known}{suggested(unknown[0], RULES)}")
    if len(set(names)) > 1 and (other := {"all", "none"}.intersection(names)):
        raise UsageError(f"--coherence {min(other)} cannot be combined with rules")
    return {rule: rule in names or "all" in names for rule in RULES}
