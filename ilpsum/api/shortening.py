"""Titles and sentences made shorter by the rules of Lin and Wilbur (2007)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ilpsum.api.tables import Table
from ilpsum.compression.batches import compress_titles
from ilpsum.compression.compressor import VARIANT_A, VARIANT_B
from ilpsum.compression.options import CompressorOptions
from ilpsum.corpora.titles import Title


@dataclass(frozen=True, slots=True)
class Shortened:
    """A compressed text.

    Attributes:
        source: the text as it was.
        text: what is left.
        rules: the rules that cut something, in order.
    """

    source: str
    text: str
    rules: tuple[str, ...]


def compress(
    texts: Iterable[str], *, variant: Literal["a", "b"] = "a", max_chars: int | None = None, min_words: int = 2
) -> Table[Shortened]:
    """Compress titles or sentences.

    Args:
        texts: one title or sentence each.
        variant: `a` applies the rules 1-6 of the paper, `b` all seven.
        max_chars: stop when a text fits in so many characters; None applies all rules.
        min_words: cuts that leave fewer words are not made.
    """
    rules = {"a": VARIANT_A, "b": VARIANT_B}[variant]
    titles = ((Title(str(number), text), None) for number, text in enumerate(texts))
    options = CompressorOptions(rules, min_words=min_words, max_chars=max_chars)
    own = (compressed for _, compressed in compress_titles(titles, options))
    return Table(Shortened, (Shortened(c.source, c.text, tuple(f.rule for f in c.firings)) for c in own))
