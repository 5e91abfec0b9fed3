"""The Porter stemmer as ROUGE-1.5.5 has it."""

from functools import cache


@cache
def porter(word: str) -> str:
    """The stem of a lower-case word."""
    return _stemmer().stem(word) if len(word) > 3 else word


@cache
def _stemmer():  # type: ignore[no-untyped-def]
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS)
