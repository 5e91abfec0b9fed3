"""Corpus BLEU (Papineni et al. 2002) with the tokens of mteval-v13a, as sacreBLEU computes it by default."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from ilpsum.metrics.signature import Signature
from ilpsum.version import __version__

LONGEST = 4
"""BLEU counts n-grams of 1 to 4 tokens."""

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SYMBOL = re.compile(r"""[!"#$%&()*+/:;<=>?@\[\\\]^_`{|}~]""")
# Between two digits, points and commas belong to a number. As in mteval, a match takes the character beside them, so of
# two in a row (`..1`) the second may stay with its digit.
_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_AFTER_DIGIT = re.compile(r"([0-9])(-)")


def tokens(text: str) -> list[str]:
    """Split a text into tokens: ASCII symbols are tokens, points and commas too, except within numbers.

    >>> tokens("Moss (0.5 mm), in ponds.")
    ['Moss', '(', '0.5', 'mm', ')', ',', 'in', 'ponds', '.']
    """
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    text = _SYMBOL.sub(r" \g<0> ", f" {text} ")
    text = _BEFORE_OTHER.sub(r" \1 \2", _AFTER_OTHER.sub(r"\1 \2 ", text))
    return _AFTER_DIGIT.sub(r"\1 \2 ", text).split()


def bleu(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return the BLEU of a corpus, from 0 to 1.

    The n-gram precisions of all texts together, clipped by the reference with the most occurrences, in their geometric
    mean, times the brevity penalty against the references closest in length. A precision without matches counts as
    1 / (2 total), the next one as 1 / (4 total), and so on.

    Args:
        texts: the texts.
        references: at least one reference for each text.

    Raises:
        ValueError: the lengths differ, or a text has no reference.
    """
    matches, totals = [0] * LONGEST, [0] * LONGEST
    length = closest = 0
    for text, own in zip(texts, references, strict=True):
        if not own:
            raise ValueError(f"expected at least one reference for each text, got none for {text!r}")
        words, others = tokens(text), [tokens(reference) for reference in own]
        length += len(words)
        closest += min((abs(len(other) - len(words)), len(other)) for other in others)[1]
        for n in range(1, LONGEST + 1):
            most: Counter[tuple[str, ...]] = Counter()
            for other in others:
                most |= _ngrams(other, n)
            matches[n - 1] += (_ngrams(words, n) & most).total()
            totals[n - 1] += max(len(words) - n + 1, 0)
    if not any(matches) or not all(totals):
        return 0.0
    missing = 1.0
    logarithms = 0.0
    for right, total in zip(matches, totals, strict=True):
        missing *= 1.0 if right else 2.0
        logarithms += math.log((right or 1 / missing) / total)
    return math.exp(min(0.0, 1 - closest / length) + logarithms / LONGEST)


def bleu_signature(references: Sequence[Sequence[str]]) -> Signature:
    """Return the signature of BLEU for these references."""
    numbers = sorted({len(own) for own in references})
    shown = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    fields = {"references": shown, "case": "mixed", "tokens": "13a", "smooth": "exp", "version": __version__}
    return Signature("BLEU", fields)


def _ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))
