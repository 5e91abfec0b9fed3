"""The settings of a run in words."""

from collections.abc import Iterable, Iterator

from ilpsum.metrics.signature import Signature
from ilpsum.records import RunSettings
from ilpsum.selection import SELECTORS, Limits

_ORDERS = {
    "document": "in the order of the documents",
    "score": "by falling relevance",
    "facet": "by facet",
    "date": "by date",
    "chain": "each after the most similar one",
}
_STEMS = {"yes": "stems", "no": "words as they are"}
_SCALES = {"clip": "clipped to 0 to 1", "topic": "scaled to 0 to 1 in each topic"}


def described(settings: RunSettings) -> tuple[str, ...]:
    """Return the settings that differ from the defaults, or that every reader asks for, as short phrases.

    >>> described(RunSettings(method="greedy", words=250, threshold=0.4))
    ('greedy selection, cosine at most 0.4', 'at most 250 words')
    """
    return (*_method(settings), *_text(settings), *_limits(settings), *_input(settings))


def scored(signature: Signature) -> str:
    """Return the signature of a score in words, but for what every score of this version has in common.

    >>> scored(Signature("ROUGE-2", {"stem": "yes", "words": "250", "references": "all", "version": "1"}))
    'ROUGE-2: stems, the first 250 words of each text, all references'
    """
    fields = dict(signature.fields)
    parts = [_STEMS[stem]] if (stem := fields.pop("stem", "")) in _STEMS else []
    if words := fields.pop("words", ""):
        parts.append("whole texts" if words == "all" else f"the first {words} words of each text")
    if references := fields.pop("references", ""):
        parts.append("all references" if references == "all" else "the first reference")
    if (multiple := fields.pop("multiple", "average")) != "average":
        parts.append(multiple)
    if (exceptions := fields.pop("exceptions", "off")) != "off":
        parts.append(f"exceptions {exceptions}")
    parts += [f"{name} {value}" for name, value in fields.items() if name not in ("f", "tokens", "version")]
    return f"{signature.metric}: {', '.join(parts)}"


def shared(settings: Iterable[RunSettings | None]) -> str:
    """Return what the settings of several summaries have in common, in words; those without provenance have none."""
    phrases = [described(own) for own in settings if own]
    common = (phrase for phrase in phrases[0] if all(phrase in own for own in phrases)) if phrases else ()
    return "; ".join(common) if phrases else "no provenance"


def _method(settings: RunSettings) -> Iterator[str]:
    if settings.method:
        title = SELECTORS[settings.method].title if settings.method in SELECTORS else ""
        title = "the ILP as published" if settings.formulation == "paper" else title or f"baseline {settings.method}"
        title += f", solved by {settings.solver}" if settings.solver else ""
        title += "" if settings.threshold is None else f", cosine at most {settings.threshold:g}"
        yield title + ("" if settings.seed is None else f", random seed {settings.seed}")
        yield from _objective(settings)
    for name in ("features", "model"):
        if value := getattr(settings, name):
            yield f"{name} {value}"


def _objective(settings: RunSettings) -> Iterator[str]:
    if settings.lambda_ is not None:
        yield f"lambda {settings.lambda_:g}"
    if settings.concepts:
        yield f"bigrams of {settings.concepts}"
    if settings.alpha:
        yield f"relevance {_SCALES.get(settings.alpha, settings.alpha)}"
    if settings.word_cost:
        yield f"word cost {settings.word_cost:g}"
    if settings.maximise == "f1":
        yield "expected F1 maximised"
    if settings.lead:
        yield f"the first sentences kept, up to {settings.lead:.0%} of the words"


def _text(settings: RunSettings) -> Iterator[str]:
    if settings.words:
        yield f"at most {settings.words} words"
    if settings.coherence:
        strict = ", strict" if settings.strict else ""
        yield f"coherence rules {', '.join(settings.coherence)}{strict}"
    if settings.overlap is not None:
        yield f"redundant above an overlap of {settings.overlap:g}"
    if settings.order != "document" or settings.labels:
        labels = " with labels" if settings.labels else ""
        yield f"sentences {_ORDERS.get(settings.order, settings.order)}{labels}"
    if settings.compression:
        yield f"compression by {', '.join(settings.compression)}"
    if settings.support is not None:
        yield f"cites other abstracts above a similarity of {settings.support:g}"
    if settings.format:
        yield f"format {settings.format}"


def _limits(settings: RunSettings) -> Iterator[str]:
    if settings.node_limit not in (None, Limits().nodes):
        yield f"proofs of at most {settings.node_limit} nodes"
    if settings.time_limit is not None:
        yield f"proofs of at most {settings.time_limit:g} s"
    if settings.fallback:
        yield "greedy if the solver fails"


def _input(settings: RunSettings) -> Iterator[str]:
    if settings.pool:
        yield f"pool {settings.pool}"
    if settings.found is not None:
        yield f"{settings.found} abstracts searched for each question"
    if settings.coverage is not None:
        yield f"questions below a coverage of {settings.coverage:g} unanswered"
