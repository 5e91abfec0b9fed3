"""The limits of the BioGen formats, from the track's pages and its validator."""

from features.sentences import split_sentences
from ilpsum.pipeline.citing import clean
from ilpsum.runs.citations import count_words

WORDS_2024 = 150
"""Most words of an answer, citations not counted."""
SENTENCES_2024 = 10
"""Most sentences of an answer."""
WORDS_2025 = 250
"""Most words of all responses to a topic."""
EXAMPLE_EMAIL = "contact@example.org"
"""Placeholder for the contact address, which the check warns about."""


def words_2024(text: str) -> int:
    """Return the length of a candidate in the words of the 2024 validator."""
    return count_words(clean(text))


def sentences_2024(text: str) -> int:
    """Return the number of sentences that the 2024 validator sees in a candidate."""
    return len(split_sentences(clean(text)))


def sentences_2025(text: str) -> int:
    """Return 1 if a candidate has text for a response, otherwise 0."""
    return 1 if clean(text) else 0
