"""Words, stop words, stems and bigrams of a passage of text.

A word is a sequence of Unicode letters and digits, folded (`features.folding`) and lower-cased. On
ASCII text these are exactly the tokens of ROUGE-1.5.5 (`miR-372` gives `mir` and `372`), so
features and evaluation use the same tokens.
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from features.folding import folded

# Suffixes and their replacements; the first suffix that matches decides.
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive",
    "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}

_ENDINGS_2, _ENDINGS_3 = tuple(_STEP_2), tuple(_STEP_3)

# Suffixes that step 4 tries first, the longest match; `ment`, `ent` and `ion` are then tried on the
# result.
_STEP_4 = tuple("ement ance ence able ible ant ism ate iti ous ive ize al er ic ou".split())


# By Zipf's law, evicted words are rare; the cache stays below about 30 MB.
@lru_cache(maxsize=1 << 17)
def porter(word: str) -> str:
    """Return the stem of a lower-case word by Porter's algorithm, as ROUGE-1.5.5 computes it.

    Unlike in the paper, words of up to three characters are their own stems, and step 4 goes on
    after its first suffix: `agreements` gives `agreem`.

    The word may be of any script; every letter but Latin vowels counts as a consonant.

    >>> [porter(word) for word in ("treatments", "ages", "oxidation", "cas9")]
    ['treatment', 'ag', 'oxid', 'cas9']
    """
    if len(word) <= 3:
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _replaced(_replaced(word, _STEP_2, _ENDINGS_2), _STEP_3, _ENDINGS_3)
    return _step_5(_step_4(word))


_SHAPE = {code: "v" if chr(code) in "aeiou" else "c" for code in range(128)}


def _shape(stem: str) -> str:
    """Return `c` for each consonant and `v` for each vowel; y is a vowel after a consonant."""
    if "y" not in stem and stem.isascii():
        return stem.translate(_SHAPE)
    shape, last = [], "v"
    for letter in stem:
        last = "v" if letter in "aeiou" or (letter == "y" and last == "c") else "c"
        shape.append(last)
    return "".join(shape)


def _measure(stem: str) -> int:
    """Return the paper's m: the number of consonants that follow a vowel."""
    return _shape(stem).count("vc")


def _is_short(stem: str) -> bool:
    """Return the paper's *o: whether a stem ends in consonant, vowel, consonant, the last not w, x
    or y.
    """
    return stem[-1:] not in ("w", "x", "y") and _shape(stem).endswith("cvc")


def _replaced(word: str, suffixes: Mapping[str, str], endings: tuple[str, ...]) -> str:
    """Steps 2 and 3: replace the first suffix that matches, if the stem before it has a measure
    above 0.
    """
    # Most words have none of the suffixes; one call rules them out.
    if word.endswith(endings):
        suffix = next(filter(word.endswith, suffixes))
        stem = word.removesuffix(suffix)
        return stem + suffixes[suffix] if _measure(stem) > 0 else word
    return word


def _step_1a(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    suffix = "ed" if word.endswith("ed") else "ing" if word.endswith("ing") else ""
    stem = word.removesuffix(suffix)
    if not suffix or "v" not in _shape(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and stem[-1] != "y" and _shape(stem)[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _is_short(stem) else stem


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and "v" in _shape(word[:-1]) else word


def _step_4(word: str) -> str:
    if word.endswith(_STEP_4):
        word = _without(word, next(filter(word.endswith, _STEP_4)))
    if word.endswith("ment"):
        word = _without(word, "ment")
    if word.endswith("ent"):
        return _without(word, "ent")
    return _without(word, "ion") if word.endswith(("sion", "tion")) else word


def _without(word: str, suffix: str) -> str:
    """Remove a suffix that a word has if the stem before it has a measure above 1."""
    stem = word.removesuffix(suffix)
    return stem if _measure(stem) > 1 else word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _is_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


WORD = re.compile(r"[^\W_]+")
# Lower-cases letters and digits, and replaces all else by spaces.
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}

# Closed word classes of English, by class; contractions split into these and the fragments at the
# end.
STOP_WORDS = frozenset(
    """
    a an the this that these those each every either neither some any all both no none such same
    other another few many much more most several less least own i me my mine myself we us our ours
    ourselves you your yours yourself yourselves he him his himself she her hers herself it its
    itself they them their theirs themselves one oneself who whom whose which what whichever
    whatever whoever where when why how whether about above across after against along among amongst
    around as at before behind below beneath beside besides between beyond by despite down during
    except for from in inside into like near of off on onto out outside over per since through
    throughout till to toward towards under until unto up upon via with within without and but or
    nor so yet if because although though unless while whereas than then thus hence therefore
    however moreover furthermore am is are was were be been being do does did doing done have has
    had having can could may might must shall should will would ought cannot not only also just very
    too quite rather here there now again further once ever never always often already still almost
    even well etc s t d ll m re ve don doesn didn isn aren wasn weren won hasn haven hadn couldn
    wouldn shouldn needn mustn
    """.split()
)


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, lower-cased, in order.

    >>> words("The miR-372/373 cluster isn't silent.")
    ('the', 'mir', '372', '373', 'cluster', 'isn', 't', 'silent')
    """
    # Without the pattern it takes half the time, and most lines are ASCII once they are folded.
    if text.isascii():
        return tuple(text.translate(_ASCII).split())
    words = list[str]()
    for line in map(folded, text.splitlines()):
        words += line.translate(_ASCII).split() if line.isascii() else WORD.findall(line.lower())
    return tuple(words)


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
    def bigrams(self) -> tuple[tuple[str, str], ...]:
        """All bigrams of words."""
        return bigrams(self.words)

    @cached_property
    def stem_bigrams(self) -> tuple[tuple[str, str], ...]:
        """All bigrams of stems."""
        return bigrams(self.stems)


# Return the passage of a sentence. Recent ones are cached: features, coherence rules and later
# questions on the subject use the same sentences.
remembered = lru_cache(maxsize=1 << 11)(Passage)
