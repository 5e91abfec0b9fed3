"""Titles and sentences made shorter by the rules of Lin and Wilbur (2007)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ilpsum.api.tables import Table
from ilpsum.compression.batches import compress_titles
from ilpsum.compression.compressor import VARIANT_A, VARIANT_B
from ilpsum.compression.options import CompressorOptions
from ilpsum.compression.rules import RULES
from ilpsum.corpora.titles import Title
from ilpsum.parallel.executor import Processes


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
    texts: Iterable[str],
    *,
    variant: Literal["a", "b"] = "a",
    rules: Sequence[str] = (),
    idf: str | Path | None = None,
    jobs: int = 1,
    **options: Any,
) -> Table[Shortened]:
    """Compress titles or sentences.

    Args:
        texts: one title or sentence each.
        variant: `a` applies the rules 1-6 of the paper, `b` all seven.
        rules: apply only these rules; see `ilpsum compress --help` for their names.
        idf: a file of IDF for the rule `simple-np`.
        jobs: number of processes.
        options: further fields of `ilpsum.compression.options.CompressorOptions`, such as `max_chars`.

    Raises:
        UnknownNameError: no such rule.
    """
    titles = ((Title(str(number), text), None) for number, text in enumerate(texts))
    chosen = CompressorOptions(rules_of(variant, rules), **options)
    own = (compressed for _, compressed in compress_titles(titles, chosen, idf, Processes(jobs)))
    return Table(Shortened, (Shortened(c.source, c.text, tuple(f.rule for f in c.firings)) for c in own))


def rules_of(variant: Literal["a", "b"], names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of rules, by default those of a variant.

    Raises:
        UnknownNameError: no such rule.
    """
    for name in names:
        RULES[name]
    return tuple(names) or {"a": VARIANT_A, "b": VARIANT_B}[variant]
