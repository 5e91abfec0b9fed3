"""The Porter stemmer of ROUGE-1.5.5."""

from functools import cache, lru_cache
from typing import Any

# Suffixes that step 4 tries first, the longest match; `ment`, `ent` and `ion` are then tried on the result.
_STEP_4 = "ement ance ence able ible ant ism ate iti ous ive ize al er ic ou".split()


# By Zipf's law evicted words are rare; the table stays below about 30 MB.
@lru_cache(maxsize=1 << 17)
def porter(word: str) -> str:
    """Return the stem of a lower-case word; words of up to three characters are their own stems, as in ROUGE.

    No mode of NLTK's stemmer matches ROUGE: `MARTIN_EXTENSIONS` is closest but differs in step 4 and in words that
    contain `yy`. This function returns the original script's stems.

    Args:
        word: a lower-cased word of any script.

    Sources:
        Porter (1980), An algorithm for suffix stripping, Program 14(3); Lin (2004), ROUGE-1.5.5, whose step 4 is
        three successive tests, each on the result of the previous one.

    >>> [porter(word) for word in ("treatments", "ages", "oxidation", "cas9")]
    ['treatment', 'ag', 'oxid', 'cas9']
    """
    return str(_stemmer().stem(word)) if len(word) > 3 else word


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    class RougeStemmer(PorterStemmer):  # type: ignore[misc]
        """NLTK's stemmer with the two steps in which ROUGE-1.5.5 differs."""

        def _ends_double_consonant(self, word: str) -> bool:
            return bool(super()._ends_double_consonant(word)) and not word.endswith("y")

        def _step4(self, word: str) -> str:
            def strip(word: str, suffix: str) -> str:
                stem = word[: len(word) - len(suffix)]
                return stem if self._measure(stem) > 1 else word

            suffix = next((suffix for suffix in _STEP_4 if word.endswith(suffix)), "")
            word = strip(word, suffix) if suffix else word
            if word.endswith("ment"):
                word = strip(word, "ment")
            if word.endswith("ent"):
                return strip(word, "ent")
            return strip(word, "ion") if word.endswith(("sion", "tion")) else word

    return RougeStemmer(PorterStemmer.MARTIN_EXTENSIONS)
