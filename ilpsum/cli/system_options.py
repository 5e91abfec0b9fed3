"""Options of `summarize` that choose a system, how it selects and how the text reads, and the summarizer they give."""

import argparse
from collections.abc import Callable
from typing import get_args, get_type_hints

from ilpsum.cli.options import positive, seconds, share
from ilpsum.errors import UsageError
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.pipeline.system import READING, RULES, SELECTORS, CompressionTable, OrderTable, System
from ilpsum.runs.formats import DEFAULT_SYSTEM, Format


def add_system_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the selection and of the text."""
    _add_selection(parser.add_argument_group("selection").add_argument)
    _add_text(parser.add_argument_group("text of the summary").add_argument)


def _add_selection(add: Callable[..., argparse.Action]) -> None:
    add("--model", metavar="NAME|FILE", help="a model that ships, or a file (default: the system's own)")
    add("--method", choices=SELECTORS, help="selector, with the same model (default: the system's)")
    add("--threshold", type=share, metavar="X", help="largest cosine that the selector greedy accepts, 0 to 1")
    add("--lambda", dest="lambda_", type=share, metavar="X", help="weight of relevance, 0 to 1")
    add("--solver", default="highs", metavar="NAME", help="highs (default); as published: highs-paper, glpk, cbc")
    add("--node-limit", type=positive, metavar="N", help="stop the proof after N nodes")
    add("--time-limit", type=seconds, metavar="SECONDS", help="stop the proof after this time (machine-dependent)")
    add("--fallback", action="store_true", help="select greedily if the solver is missing or fails, with a warning")
    add("--seed", type=int, default=1, help="random seed of the baseline `random`")


def _add_text(add: Callable[..., argparse.Action]) -> None:
    add(
        "--order",
        choices=get_args(get_type_hints(OrderTable)["by"]),
        help="order of the sentences (default: the system's, usually document)",
    )
    add("--labels", action="store_true", help="begin each facet with its name (with --order facet)")
    add(
        "--coherence",
        metavar="RULE,...",
        help=f"rules of coherence: {', '.join(RULES)}; all, none (BioGen: all; other searches: {', '.join(READING)}; "
        "otherwise those of the system)",
    )
    add(
        "--overlap",
        type=share,
        metavar="X",
        help="overlap above which a sentence is redundant (default: 0.75 for searched documents, otherwise 0.95)",
    )
    add(
        "--clean",
        action=argparse.BooleanOptionalAction,
        help="leave labels, citations and pointers (Fig. 2, data not shown) out of the text (default: of answers and "
        "of summaries of papers by `concepts`; other systems keep those of papers)",
    )
    add("--compress", action="store_true", help="allow compressed variants of sentences (see `ilpsum compress`)")


def load(options: argparse.Namespace, target: Format | None, *, searched: bool) -> Summarizer:
    """Return the summarizer that the options ask for.

    Args:
        options: with those of `add_system_options`, and `system` and `model`.
        target: the format of the run; None for an answer without a run.
        searched: whether the documents come from a search, so that all rules of coherence apply strictly.

    Raises:
        UsageError: options that exclude each other, or no such system.
        ModelError: the model cannot be read.
    """
    from ilpsum.selection import Limits

    system = System.load(options.system or DEFAULT_SYSTEM)
    if options.method:
        system = system.with_method(options.method)
    if options.labels and options.order != "facet":
        raise UsageError("--labels requires --order facet")
    if options.labels and target is not None and target.cites:
        raise UsageError(f"answers of the format {target.name} have no labels; leave out --labels")
    if options.model and not system.learns:
        raise UsageError(f"the system {system.name} has no model; leave out --model")
    if options.lambda_ is not None and not any(each.has_objective for each in system.selections):
        raise UsageError(f"the system {system.name} has no lambda; leave out --lambda")
    if options.threshold is not None and not any(each.method == "greedy" for each in system.selections):
        raise UsageError(f"the system {system.name} has no threshold; leave out --threshold, or add --method greedy")
    cited = target is not None and target.cites
    if searched or cited or target is None:
        system = system.for_reader(strict=searched, cited=cited)
    system = _changed(system, options)
    facets = {}
    if system.order.by == "facet":
        from ilpsum.citances.labels import facets_of

        facets["facets"] = facets_of
    limits = Limits(**({"nodes": options.node_limit} if options.node_limit else {}), seconds=options.time_limit)
    return Summarizer.load(
        system,
        options.model,
        lambda_=options.lambda_,
        threshold=options.threshold,
        solver=options.solver,
        limits=limits,
        fallback=options.fallback,
        seed=options.seed,
        format_limits=target.limits if target else None,
        **facets,
    )


def _changed(system: System, options: argparse.Namespace) -> System:
    """Return the system with the coherence, order and compression of the options."""
    import msgspec

    changed: dict[str, object] = {}
    if options.coherence is not None:
        # Rules that were asked for hold, also where they leave words unused.
        changed |= {**_rules(options.coherence), "yields": (), "spared": 0}
    elif options.compress:
        changed["anaphora"] = False  # a default, which excludes compression
    if options.overlap is not None:
        if not options.overlap:
            raise UsageError("--overlap 0 would make any two sentences redundant; give a value above 0")
        changed["overlap"] = options.overlap
    system = system.with_coherence(**changed)
    if options.order:
        order = msgspec.structs.replace(system.order, by=options.order, labels=options.labels)
        system = msgspec.structs.replace(system, order=order)
    if options.clean is not None:
        if options.clean and system.selection.method == "lead":
            raise UsageError(f"the system {system.name} copies its text as it is; leave out --clean")
        system = system.cleaned(options.clean)
    if options.compress:
        if system.selection.method not in SELECTORS:
            raise UsageError(f"the system {system.name} compresses no sentences; leave out --compress")
        system = msgspec.structs.replace(system, compression=system.compression or CompressionTable())
    return system


def _rules(text: str) -> dict[str, bool]:
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in (*RULES, "all", "none")]:
        raise UsageError(f"unknown coherence rule {unknown[0]!r}; there are: {', '.join(RULES)}; or all, none")
    if len(set(names)) > 1 and (other := {"all", "none"}.intersection(names)):
        raise UsageError(f"--coherence {min(other)} cannot be combined with rules")
    return {rule: rule in names or "all" in names for rule in RULES}
