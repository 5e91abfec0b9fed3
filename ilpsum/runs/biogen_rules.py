"""The limits of the BioGen formats, from the track's pages and its validator."""

import re

from features.sentences import split_sentences
from ilpsum.pipeline.citing import clean, is_sentence
from ilpsum.runs.citations import count_words

WORDS_2024 = 150
"""Most words of an answer, citations not counted."""
SENTENCES_2024 = 10
"""Most sentences of an answer."""
SAFE_SENTENCES_2024 = 8
"""Most sentences that we select: the validator's parser splits 2 % of our sentences."""
WORDS_2025 = 250
"""Most words of all responses to a topic."""
EXAMPLE_EMAIL = "contact@example.org"
"""The contact address unless one is given; the check warns about it."""
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
"""What counts as an e-mail address."""


def words_2024(text: str) -> int:
    """Return the length of a candidate in the words of the 2024 validator."""
    return count_words(clean(text))


def allows_2024(text: str) -> bool:
    """Return whether a candidate may be chosen: whether it is printed as one whole sentence."""
    return is_sentence(text) and len(split_sentences(clean(text))) == 1
