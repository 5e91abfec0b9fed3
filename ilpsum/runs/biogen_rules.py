"""The limits of the BioGen formats, as the track's pages and its validator state them."""

WORDS_2024 = 150
"""Words of an answer, citations not counted."""
SENTENCES_2024 = 10
"""Sentences of an answer."""
WORDS_2025 = 250
"""Words of all responses of a topic."""
EXAMPLE_EMAIL = "contact@example.org"
"""Stands where the address of contact belongs."""
