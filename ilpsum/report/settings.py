"""The settings of a run, and the signature of a score, in words."""

from collections.abc import Iterable

from ilpsum.metrics.signature import Signature
from ilpsum.records import RunSettings
from ilpsum.selection import SELECTORS, Limits

_ORDERS = {
    "document": "in the order of the documents",
    "score": "by falling relevance",
    "facet": "by facet",
    "chain": "each after the most similar one",
}
_SCALES = {"clip": "clipped to 0 to 1", "topic": "scaled to 0 to 1 in each topic"}
# What a signature says in words; every score of this version has the fields without words in common.
_SCORED = {
    "stem": {"yes": "stems", "no": "words as they are"},
    "words": {"all": "whole texts", "": "the first {} words of each text"},
    "references": {"all": "all references", "first": "the first reference"},
    "multiple": {"average": "", "": "{}"},
    "exceptions": {"off": "", "": "exceptions {}"},
    **{name: {"": ""} for name in ("f", "tokens", "version")},
}


def described(settings: RunSettings) -> tuple[str, ...]:
    """Return the settings that differ from the defaults, or that every reader asks for, as short phrases.

    >>> described(RunSettings(method="greedy", words=250, threshold=0.4))
    ('greedy selection, cosine at most 0.4', 'at most 250 words')
    """
    s = settings
    labels, strict = " with labels" if s.labels else "", ", strict" if s.strict else ""
    phrases = (
        s.method and _method(s),
        s.lambda_ is not None and f"lambda {s.lambda_:g}",
        s.concepts and f"bigrams of {s.concepts}",
        s.alpha and f"relevance {_SCALES.get(s.alpha, s.alpha)}",
        s.word_cost and f"word cost {s.word_cost:g}",
        s.maximise == "f1" and "expected F1 maximised",
        s.lead and f"the first sentences kept, up to {s.lead:.0%} of the words",
        s.features and f"features {s.features}",
        s.model and f"model {s.model}",
        s.words and f"at most {s.words} words",
        s.coherence and f"coherence rules {', '.join(s.coherence)}{strict}",
        s.overlap is not None and f"redundant above an overlap of {s.overlap:g}",
        (s.order != "document" or s.labels) and f"sentences {_ORDERS.get(s.order, s.order)}{labels}",
        s.compression and f"compression by {', '.join(s.compression)}",
        s.support is not None and f"cites other abstracts above a similarity of {s.support:g}",
        s.format and f"format {s.format}",
        s.node_limit not in (None, Limits().nodes) and f"proofs of at most {s.node_limit} nodes",
        s.time_limit is not None and f"proofs of at most {s.time_limit:g} s",
        s.fallback and "greedy if the solver fails",
        s.pool and f"pool {s.pool}",
        s.found is not None and f"{s.found} abstracts searched for each question",
        s.coverage is not None and f"questions below a coverage of {s.coverage:g} unanswered",
    )
    return tuple(phrase for phrase in phrases if isinstance(phrase, str) and phrase)


def _method(s: RunSettings) -> str:
    title = SELECTORS[s.method].title if s.method in SELECTORS else ""
    title = "the ILP as published" if s.formulation == "paper" else title or f"baseline {s.method}"
    title += f", solved by {s.solver}" if s.solver else ""
    title += "" if s.threshold is None else f", cosine at most {s.threshold:g}"
    return title + ("" if s.seed is None else f", random seed {s.seed}")


def scored(signature: Signature) -> str:
    """Return the signature of a score in words, but for what every score of this version has in common.

    >>> scored(Signature("ROUGE-2", {"stem": "yes", "words": "250", "references": "all", "version": "1"}))
    'ROUGE-2: stems, the first 250 words of each text, all references'
    """
    parts = []
    for name, value in signature.fields.items():
        words = _SCORED.get(name, {})
        parts.append(words.get(value, words.get("", f"{name} {{}}")).replace("{}", value))
    return f"{signature.metric}: {', '.join(filter(None, parts))}"


def shared(settings: Iterable[RunSettings | None]) -> str:
    """Return what the settings of several summaries have in common, in words; those without provenance have none."""
    phrases = [described(own) for own in settings if own]
    common = (phrase for phrase in phrases[0] if all(phrase in own for own in phrases)) if phrases else ()
    return "; ".join(common) if phrases else "no provenance"
