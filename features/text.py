"""Words, stop words, stems and bigrams of a passage of text.

A word is a sequence of Unicode letters and digits, lower-cased. On ASCII text these are exactly the tokens of
ROUGE-1.5.5 (`miR-372` gives `mir` and `372`), so features and evaluation use the same tokens.
"""

import itertools
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

from features.stemming import porter

WORD = re.compile(r"[^\W_]+")

# Closed word classes of English, by class; contractions split into these and the fragments at the end.
STOP_WORDS = frozenset(
    """
    a an the this that these those each every either neither some any all both no none such same other another few
    many much more most several less least own
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one oneself
    who whom whose which what whichever whatever whoever where when why how whether
    about above across after against along among amongst around as at before behind below beneath beside besides
    between beyond by despite down during except for from in inside into like near of off on onto out outside over per
    since through throughout till to toward towards under until unto up upon via with within without
    and but or nor so yet if because although though unless while whereas than then thus hence therefore however
    moreover furthermore
    am is are was were be been being do does did doing done have has had having can could may might must shall should
    will would ought cannot
    not only also just very too quite rather here there now again further once ever never always often already still
    almost even well etc
    s t d ll m re ve don doesn didn isn aren wasn weren won
    """.split()
)


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, lower-cased, in order.

    >>> words("The miR-372/373 cluster isn't silent.")
    ('the', 'mir', '372', '373', 'cluster', 'isn', 't', 'silent')
    """
    return tuple(WORD.findall(text.lower()))


def bigrams(tokens: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return pairs of neighbouring words, in order, with repetitions."""
    return tuple(itertools.pairwise(tokens))


@dataclass(frozen=True)
class Passage:
    """A text with its words, stems and bigrams, each computed once on first use."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words."""
        return words(self.text)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stems of all words."""
        return tuple(map(porter, self.words))

    @cached_property
    def content_words(self) -> tuple[str, ...]:
        """The words except stop words."""
        return tuple(itertools.filterfalse(STOP_WORDS.__contains__, self.words))

    @cached_property
    def content_stems(self) -> tuple[str, ...]:
        """The stems of the content words."""
        return tuple(map(porter, self.content_words))

    @cached_property
    def stem_counts(self) -> Counter[str]:
        """Frequency of each content stem, in order of first occurrence."""
        return Counter(self.content_stems)

    @cached_property
    def bigrams(self) -> tuple[tuple[str, str], ...]:
        """All bigrams of words."""
        return bigrams(self.words)

    @cached_property
    def stem_bigrams(self) -> tuple[tuple[str, str], ...]:
        """All bigrams of stems."""
        return bigrams(self.stems)


# The same sentence is used by features, by coherence rules, and by later questions on its subject.
# Return the passage of a sentence; recent passages are cached.
remembered = lru_cache(maxsize=1 << 11)(Passage)
