"""Claims: queries that state something and ask nothing, and the relevance of sentences to them."""

import re

from features.arrays import Floats
from features.context import Context
from ilpsum.pipeline.coherence.statements import states_finding

# 403 of BioASQ's 5,085 questions are claims without these words, 17 with them; the learned shares
# miss `enumerate` and `mention` (experiments/results/evidence.md).
_ASKS = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|has|have|should|will|what|which|who|whom|whose"
    r"|where|when|why|how"
    r"|list|name|describe|explain|define|enumerate|please|mention|elaborate|summari[sz]e|compare"
    r"|discuss)\b",
    re.IGNORECASE,
)


def is_claim(text: str) -> bool:
    """Whether a text is a statement, not a question, an instruction or keywords.

    >>> [is_claim(text) for text in ("Velin makes newts sing.", "Do newts sing?", "List newts.",
    ...     "newts and velin")]
    [True, False, False, False]
    """
    text = text.strip()
    return (
        not _ASKS.match(text) and "?" not in text and (text.endswith(".") or states_finding(text))
    )


def for_claim(text: str, relevance: Floats, context: Context, share: float) -> Floats:
    """Return (n,) relevance; if the query is a claim, background, aims and methods lose a share in
    [0,1] of theirs.

    The share is multiplied by the probability that a sentence has one of these roles. Relevance is
    unchanged for a question, or if roles are unknown.
    """
    if context.roles is None or not share or not is_claim(text):
        return relevance
    background, aim, method = context.roles[:, :3].T
    less: Floats = relevance * (1.0 - share * (background + aim + method))
    return less
