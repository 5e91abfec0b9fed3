"""Options of sentence compression."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompressorOptions:
    """Options of title compression.

    Attributes:
        rules: rule names, applied in the order of `RULES`.
        depth: minimum nesting level of prepositional phrases to cut (rule 4).
        idf_threshold: heads with a larger IDF lose their adjectives (rule 7).
        idf: inverse document frequency of a word; only rule 7 needs it.
        min_words: minimum number of remaining words; cuts that leave fewer are skipped.
        max_chars: stop applying rules when the text is no longer than this; None applies all.
        strict: apply rules 2, 3, 6 and 7 as published, without exceptions.
    """

    rules: tuple[str, ...]
    depth: int = 3
    idf_threshold: float = 2.0
    idf: Callable[[str], float] | None = None
    min_words: int = 2
    max_chars: int | None = None
    strict: bool = False
