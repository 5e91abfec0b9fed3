"""The messages that code recognises by their class, and the reasons of rules.

All other messages are plain text, written where they arise; so are messages read from a file.
"""


class NoDocument(str):
    """A topic has no document, and an empty answer."""


class AnotherKind(str):
    """The model was trained on another kind of topic."""


class Unscored(str):
    """Candidates have no score in a file of scores; a run tells their number once."""

    number: int
    name: str

    def __new__(cls, number: int, name: str) -> "Unscored":
        """Return the notice of a number of candidates and the name of a file."""
        candidates = f"{number:,} candidate has" if number == 1 else f"{number:,} candidates have"
        notice = super().__new__(cls, f"{candidates} no score in {name}: not chosen")
        notice.number, notice.name = number, name
        return notice

    def __reduce__(self) -> tuple[type["Unscored"], tuple[int, str]]:
        return Unscored, (self.number, self.name)


class NothingNewer(str):
    """A search found nothing recent."""


class LeftOut(str):
    """A file found in a folder cannot be read, and is left out."""


class Excluded(str):
    """The reader excluded a sentence."""


AGAINST_RULE = {
    "statements": "states no finding: an aim, an announcement or a notice",
    "titles": "is a title",
    "fragments": "is not a complete sentence",
    "focus": "off topic: it or its abstract covers much less of the question than the best "
    "sentence",
    "anaphora": "depends on the sentence before it, which cannot be chosen",
    "repeats": "repeats several more relevant sentences",
    "less": "another sentence says this and more",
    "relevance": "less relevant than the sentences chosen",
    "format": "the run format would not count it as exactly one sentence",
}
"""Why a rule excludes a sentence, by the rule."""

MAY_NOT_ANSWER = "these sentences may not answer the question"

TRY_OTHER_WORDS = (
    "try other words: spell out abbreviations, or ask about the class of a drug, such as "
    "corticosteroids for prednisone"
)
"""Advice under a question that no text answers: articles may have it in other words."""
