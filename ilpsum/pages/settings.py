"""Describes the settings of a run in words."""

from collections.abc import Iterable

from ilpsum.errors import counted
from ilpsum.records import KINDS, RunSettings, SolverSettings, SourceFilter, SystemSettings
from ilpsum.selection import SELECTORS, Limits

_ORDERS = {
    "document": "in the order of the documents",
    "score": "by descending relevance",
    "facet": "by facet",
    "answer": "what answers first, then by document",
}
_SCALES = {"clip": "clipped to 0 to 1", "topic": "scaled to 0 to 1 in each topic"}


def described(settings: RunSettings) -> tuple[str, ...]:
    """Return short phrases for the key settings and for those that differ from the defaults.

    >>> described(RunSettings(words=250, system=SystemSettings(method="greedy", threshold=0.4)))
    ('greedy selection, cosine at most 0.4', 'at most 250 words')
    """
    s, system, objective, text = settings, settings.system, settings.objective, settings.text
    solver, given = settings.solver, settings.input
    labels, strict = " with labels" if text.labels else "", ", strict" if text.strict else ""
    phrases = (
        system.method and _method(system, solver),
        objective.lambda_ is not None and f"lambda {objective.lambda_:g}",
        objective.concepts and f"bigrams of {objective.concepts}",
        objective.lists and f"names at {objective.lists:g} for list questions",
        objective.alpha and f"relevance {_SCALES.get(objective.alpha, objective.alpha)}",
        objective.word_cost and f"word cost {objective.word_cost:g}",
        objective.maximise == "f1" and "expected F1 maximised",
        objective.lead and f"the first sentences kept, up to {objective.lead:.0%} of the words",
        system.features and f"features {system.features}",
        system.model and f"model {system.model}",
        s.words and f"at most {counted(s.words, 'word')}",
        text.coherence and f"coherence rules {', '.join(text.coherence)}{strict}",
        text.overlap is not None and f"redundant above an overlap of {text.overlap:g}",
        (text.order != "document" or text.labels) and f"sentences {_ORDERS.get(text.order, text.order)}{labels}",
        text.compression and f"compression by {', '.join(text.compression)}",
        s.support is not None and f"cites other abstracts above a similarity of {s.support:g}",
        s.format and f"format {s.format}",
        solver.node_limit not in (None, Limits().nodes) and f"proofs of at most {solver.node_limit} nodes",
        solver.time_limit is not None and f"proofs of at most {solver.time_limit:g} s",
        solver.fallback and "greedy if the solver fails",
        given.pool and f"pool {given.pool}",
        given.found is not None and f"{counted(given.found, 'abstract')} retrieved per question",
        sources_in_words(given.sources),
        given.exact and "typing errors of questions uncorrected",
        given.coverage is not None and f"questions below a coverage of {given.coverage:g} unanswered",
    )
    return tuple(phrase for phrase in phrases if isinstance(phrase, str) and phrase)


def sources_in_words(wanted: SourceFilter) -> str:
    """Describe a source filter in words; empty for the default filter, which drops only retracted sources."""
    parts = (
        wanted.since is not None and f"since {wanted.since}",
        wanted.kinds and f"of the kinds {', '.join(KINDS[kind] for kind in wanted.kinds)}",
        wanted.humans and "not of animals or cells alone",
        not wanted.preprints and "no preprints",
        wanted.retracted and "retracted ones too",
        wanted.journal != "" and f"of journals named {wanted.journal}",
    )
    given = [part for part in parts if isinstance(part, str)]
    return f"sources {'; '.join(given)}" if given else ""


def _method(system: SystemSettings, solver: SolverSettings) -> str:
    title = SELECTORS[system.method].title if system.method in SELECTORS else ""
    title = "the ILP as published" if solver.formulation == "paper" else title or f"baseline {system.method}"
    title += f", solved by {solver.name}" if solver.name else ""
    title += "" if system.threshold is None else f", cosine at most {system.threshold:g}"
    return title + ("" if system.seed is None else f", random seed {system.seed}")


def shared(settings: Iterable[RunSettings | None]) -> str:
    """Describe the settings that several summaries share, ignoring those without provenance (None)."""
    phrases = [described(own) for own in settings if own]
    common = (phrase for phrase in phrases[0] if all(phrase in own for own in phrases)) if phrases else ()
    return "; ".join(common) if phrases else "no provenance"
