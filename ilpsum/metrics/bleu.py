"""Corpus BLEU (Papineni et al. 2002), as sacreBLEU computes it by default; the extra `bleu` installs sacreBLEU."""

from collections.abc import Sequence

from ilpsum.errors import UsageError
from ilpsum.metrics.signature import Signature
from ilpsum.version import __version__


def bleu(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return the BLEU of a corpus, from 0 to 1: n-grams of 1 to 4 tokens of mteval-v13a, smoothed exponentially.

    Args:
        texts: the texts.
        references: at least one reference for each text.

    Raises:
        UsageError: sacreBLEU is not installed.
        ValueError: the lengths differ, or a text has no reference.
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise UsageError("BLEU needs the package sacrebleu: pip install 'ilpsum[bleu]'") from None
    for text, own in zip(texts, references, strict=True):
        if not own:
            raise ValueError(f"expected at least one reference for each text, got none for {text!r}")
    most = max(map(len, references))
    # A reference given again changes nothing.
    by_number = [[own[min(k, len(own) - 1)] for own in references] for k in range(most)]
    return float(BLEU().corpus_score(list(texts), by_number).score) / 100


def bleu_signature(references: Sequence[Sequence[str]]) -> Signature:
    """Return the signature of BLEU for these references."""
    numbers = sorted({len(own) for own in references})
    shown = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    fields = {"references": shown, "case": "mixed", "tokens": "13a", "smooth": "exp", "version": __version__}
    return Signature("BLEU", fields)
