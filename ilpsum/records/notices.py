"""What the program says about its work: reasons, outcomes and warnings, each a record with its English.

A notice is made where the fact is known, and holds it in fields. It is a text, too, its English, which the terminal,
pages and files show as it is. Code that depends on a notice asks for its class, never for its words. A notice that is
read from a file is a plain text.
"""

from string import Formatter
from typing import Any, ClassVar, dataclass_transform

from ilpsum.errors import counted, ordinal


def _english(value: Any, form: str) -> str:
    """Put a field into English: `number:noun`, `rank:ordinal`, `word:quoted`, tuples `all`, or quoted `and`, `or`."""
    if isinstance(value, tuple):
        names = [value if form == "all" else f"'{value}'" for value in dict.fromkeys(value)]
        last = f" {'or' if form == 'or' else 'and'} "
        return last.join(filter(None, (", ".join(names[:-1]), names[-1])))
    if isinstance(value, int) and form.isalpha():
        return ordinal(value) if form == "ordinal" else counted(value, form)
    return repr(value) if form == "quoted" else format(value, form)


@dataclass_transform(frozen_default=True)
class Notice(str):
    """A record that is its own English: a template with the names of the fields."""

    _template: ClassVar[list[tuple[str, str | None, str | None, str | None]]]

    def __init_subclass__(cls, english: str) -> None:
        cls._template = list(Formatter().parse(english))

    def __new__(cls, *args: Any, **kwargs: Any) -> "Notice":
        """Create a notice from its fields, in order or by name."""
        fields = dict(zip(vars(cls).get("__annotations__", ()), args, strict=False)) | kwargs
        parts = (text + _english(fields[name], form or "") if name else text for text, name, form, _ in cls._template)
        notice = super().__new__(cls, "".join(parts))
        vars(notice).update(fields)
        return notice

    def __reduce__(self) -> tuple[type["Notice"], tuple[Any, ...]]:
        return type(self), tuple(vars(self).values())


class Several(Notice, english="{text}"):
    """Notices about one thing, in one line."""

    text: str
    parts: tuple[str, ...]

    @classmethod
    def of(cls, *parts: str) -> "Several":
        """Join notices; empty ones are left out."""
        return cls("; ".join(filter(None, parts)), parts)


# Why a sentence was chosen.


class Ranked(Notice, english="{rank:ordinal} of {of} in relevance"):
    rank: int
    of: int


class HasWords(Notice, english="has {words:all} from the {source}"):
    words: tuple[str, ...]
    source: str


class HasOtherForms(Notice, english="has {words:all} in another form"):
    words: tuple[str, ...]


class Mentions(Notice, english="mentions {phrases:all}"):
    phrases: tuple[str, ...]


class AloneMentions(Notice, english="it alone mentions {phrases:all}"):
    phrases: tuple[str, ...]


class IsBuiltOn(Notice, english="the sentence after it builds on it"): ...


class Pinned(Notice, english="pinned by you"): ...


class IsLead(Notice, english="one of the first sentences, which are kept"): ...


class AddedAfter(Notice, english="added after the rule {rule} was relaxed"):
    rule: str


class WithoutOpening(Notice, english="printed without its {opening:quoted}, which needs the sentence before it"):
    opening: str


class Supported(Notice, english="{others} the same"):
    others: str


# Why a sentence was left out.


class Excluded(Notice, english="excluded by you"): ...


class IsQuestion(Notice, english="a question"): ...


class AgainstRule(Notice, english="{why}"):
    why: str
    rule: str


AGAINST_RULE = {
    rule: AgainstRule(why, rule)
    for rule, why in {
        "statements": "states no finding: an aim, an announcement or a notice",
        "titles": "is a title",
        "fragments": "is not a complete sentence",
        "focus": "off topic: it or its abstract has much less of the question than the best",
        "anaphora": "depends on the sentence before it, which cannot be chosen",
        "repeats": "repeats several more relevant sentences",
        "relevance": "less to the point than the sentences chosen",
        "format": "the run format would not count it as exactly one sentence",
    }.items()
}
"""Why a rule excludes a sentence, by the rule."""


class Repeats(Notice, english="says the same as sentence {of}"):
    of: int


class TooClose(Notice, english="says the same as sentence {of} (cosine {cosine:.2f}, allowed {most:g})"):
    of: int
    cosine: float
    most: float


class NeedsPredecessor(
    Notice, english="needs the sentence before it, and this selector takes sentences one by one"
): ...


class SelectionEnded(Notice, english="a more relevant sentence that did not fit ended the selection"): ...


class OthersPreferred(Notice, english="this selector preferred others"): ...


class TooLong(Notice, english="no room: {it} {words:word}, more than the limit of {limit}"):
    it: str
    words: int
    limit: int


class NoRoom(Notice, english="no room: {it} {words:word}, {left} of {limit} are left"):
    it: str
    words: int
    left: int
    limit: int


class NoRoomInFormat(Notice, english="no room: the format limits sentences or their length in its own count"): ...


class NoExchange(Notice, english="{room}, even in place of any one chosen sentence{after}"):
    room: str
    after: str


class InPlaceOf(Notice, english="{room}; in place of sentence {of} it would {change}"):
    room: str
    of: int
    change: str


class WouldAdd(Notice, english="would add to the value of the answer, but {but}"):
    but: str


class WordsCostMore(Notice, english="adds less to the answer than its words cost"): ...


class AddsNothing(Notice, english="adds nothing to the answer"): ...


# Whether a question is answered.


class LowCoverage(Notice, english="the best {what} covers {covered:.0%} of the question, below --coverage {least:g}"):
    what: str
    covered: float
    least: float


class NoWordToSearch(Notice, english="the question has no word to search for"): ...


class NoWordFound(Notice, english="no {what} contains a word of the question"):
    what: str


class NothingPasses(Notice, english="no {what} with a word of the question passes the source filters"):
    what: str


class NotMentioned(Notice, english="no {what} mentions {words:or}"):
    what: str
    words: tuple[str, ...]


class NoneMentions(Notice, english="none of the {what} mentions {words:or}"):
    what: str
    words: tuple[str, ...]


class NotTogether(Notice, english="none of the {what} found mentions {words:and} together"):
    what: str
    words: tuple[str, ...]


class MayNotAnswer(Notice, english="these sentences may not answer the question"): ...


class AnswerLacks(Notice, english="the answer does not mention {words:or}"):
    words: tuple[str, ...]


class NoSourceMentions(Notice, english="no source of the answer mentions {words:and} together"):
    words: tuple[str, ...]


class NotAnswered(Notice, english="the texts found mention the words of the question but do not answer it"): ...


class NothingFits(Notice, english="no sentence to the point fits the limits"): ...


class NoSentence(Notice, english="the texts have no sentence"): ...


# What a search found.


class Coverage(Notice, english="{where} has {covered:.0%} of the question's words, weighted by IDF{lacking}"):
    where: str
    covered: float
    lacking: str


class NothingFound(Notice, english="no abstract {why}{lacking}"):
    why: str
    lacking: str


class MissingMetadata(Notice, english="{number} of {of} records with words of the question {what}"):
    number: int
    of: int
    what: str


class Retracted(
    Notice, english="retracted, or a notice of it, so not quoted: {names} ({number} in all); --retracted quotes them"
):
    names: str
    number: int


class ArticlesNotFound(Notice, english="{number} of {of} listed articles not found: {names}{remedy}"):
    number: int
    of: int
    names: str
    remedy: str


class LeftOut(Notice, english="{error} (left out)"):
    error: str


# Warnings about a topic or a run.


class FewerWords(Notice, english="the format allows {most} words, not {words}"):
    most: int
    words: int


class AnotherKind(Notice, english="the model is for topics of the kind {trained}, this topic is of the kind {kind}"):
    trained: str
    kind: str


class TooManySentences(Notice, english="{sentences:sentence}: only {used}, the first of each document, are candidates"):
    sentences: int
    used: int


class TooManyTexts(Notice, english="{texts:text}: summarising only the {used} nearest to their centroid"):
    texts: int
    used: int


class TooManyRepeats(Notice, english="{sentences:sentence} left out, each a repeat of several more relevant ones"):
    sentences: int


class LeastLoss(Notice, english="every sentence scores below its length cost; kept the best"): ...


class NoDocument(Notice, english="no document: the answer is empty"): ...


class NoProse(Notice, english="no document contains prose: the answer is empty"): ...


class ShortRun(Notice, english="--words is {most}, not {words}: --to {format_} allows no more (--to jsonl does)"):
    most: int
    words: int
    format_: str


class WithoutCitations(
    Notice, english="--to {format_} has no citations: use --to biogen-2025 for answers that cite PMIDs"
):
    format_: str


class WillBeRedone(Notice, english="the run {run}: {damage}; damaged topics will be redone"):
    run: str
    damage: str


class NoLongerAsked(
    Notice,
    english="the run {run} has {topics:topic} no longer in the input ({names}); their answers are kept; --force starts "
    "over without them",
):
    run: str
    topics: int
    names: str


class NothingQuotable(
    Notice,
    english="{empty} of {of} answers are empty: no quotable abstract in --documents has a PMID that the question names",
):
    empty: int
    of: int


class MixedFormats(
    Notice,
    english="the runs have different formats; all are scored as those of the format {first} (--stem and --words decide "
    "otherwise)",
):
    first: str
