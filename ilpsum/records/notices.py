"""What the program says about its work: reasons, outcomes and warnings, each a record with its
English.

A notice is made where the fact is known, and holds it in fields. It is a text, too, its English,
which the terminal, pages and files show as it is. Code that depends on a notice asks for its class,
never for its words. A notice that is read from a file is a plain text.
"""

import types
from string import Formatter
from typing import TYPE_CHECKING, Any, ClassVar

from ilpsum.errors import counted, ordinal


def _english(value: Any, form: str) -> str:
    """Put a field into English: `number:noun`, `rank:ordinal`, `word:quoted`, tuples `all`, or
    quoted `and`, `or`.
    """
    if isinstance(value, tuple):
        names = [value if form == "all" else f"'{value}'" for value in dict.fromkeys(value)]
        last = f" {'or' if form == 'or' else 'and'} "
        return last.join(filter(None, (", ".join(names[:-1]), names[-1])))
    if isinstance(value, int) and form.isalpha():
        return ordinal(value) if form == "ordinal" else counted(value, form)
    return repr(value) if form == "quoted" else format(value, form)


class Notice(str):
    """A record that is its own English, a template in which `{field:form}` stands for a field; see
    `_english`.
    """

    _template: ClassVar[list[tuple[str, str | None, str | None, str | None]]]
    _fields: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, english: str, more: tuple[str, ...] = ()) -> None:
        cls._template = list(Formatter().parse(english))
        cls._fields = (*dict.fromkeys(name for _, name, _, _ in cls._template if name), *more)

    def __new__(cls, *args: Any, **kwargs: Any) -> "Notice":
        """Create a notice from its fields, in order or by name; `TypeError` if one is missing or
        unknown.
        """
        fields = dict(zip(cls._fields, args, strict=False)) | kwargs
        if len(args) > len(cls._fields) or fields.keys() != {*cls._fields}:
            raise TypeError(
                f"{cls.__name__}: expected the fields {cls._fields}, got {args} and {kwargs}"
            )
        parts = (
            text + _english(fields[name], form or "") if name else text
            for text, name, form, _ in cls._template
        )
        notice = super().__new__(cls, "".join(parts))
        vars(notice).update(fields)
        return notice

    if TYPE_CHECKING:

        def __getattr__(self, field: str) -> Any: ...

    def __reduce__(self) -> tuple[type["Notice"], tuple[Any, ...]]:
        return type(self), tuple(vars(self)[name] for name in self._fields)


class Several(Notice, english="{text}", more=("parts",)):
    """Notices about one thing, in one line."""

    @classmethod
    def of(cls, *parts: str) -> Notice:
        """Join notices; empty ones are left out."""
        return cls("; ".join(filter(None, parts)), parts)


def _notice(name: str, english: str, *more: str) -> type[Notice]:
    """Return a class of notices; its fields are those in its English, in order, and `more`."""
    made = types.new_class(name, (Notice,), {"english": english, "more": more})
    made.__module__ = __name__
    return made


# Why a sentence was chosen.
Ranked = _notice("Ranked", "{rank:ordinal} of {of} in relevance")
HasWords = _notice("HasWords", "has {words:all} from the {source}")
HasOtherForms = _notice("HasOtherForms", "has {words:all} in another form")
Mentions = _notice("Mentions", "mentions {phrases:all}")
AloneMentions = _notice("AloneMentions", "it alone mentions {phrases:all}")
IsBuiltOn = _notice("IsBuiltOn", "the sentence after it builds on it")
Pinned = _notice("Pinned", "pinned by you")
IsLead = _notice("IsLead", "one of the first sentences, which are kept")
AddedAfter = _notice("AddedAfter", "added after the rule {rule} was relaxed")
WithoutOpening = _notice(
    "WithoutOpening", "printed without its {opening:quoted}, which needs the sentence before it"
)
Supported = _notice("Supported", "{others} the same")

# Why a sentence was left out.
Excluded = _notice("Excluded", "excluded by you")
IsQuestion = _notice("IsQuestion", "a question")
AgainstRule = _notice("AgainstRule", "{why}", "rule")
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
Repeats = _notice("Repeats", "says the same as sentence {of}")
Overlaps = _notice("Overlaps", "shares most words with sentence {of}")
TooClose = _notice(
    "TooClose", "says the same as sentence {of} (cosine {cosine:.2f}, allowed {most:g})"
)
NeedsPredecessor = _notice(
    "NeedsPredecessor", "needs the sentence before it, and this selector takes sentences one by one"
)
SelectionEnded = _notice(
    "SelectionEnded", "a more relevant sentence that did not fit ended the selection"
)
OthersPreferred = _notice("OthersPreferred", "this selector preferred others")
TooLong = _notice("TooLong", "no room: {it} {words:word}, more than the limit of {limit}")
NoRoom = _notice("NoRoom", "no room: {it} {words:word}, {left} of {limit} are left")
NoRoomInFormat = _notice(
    "NoRoomInFormat", "no room: the format limits sentences or their length in its own count"
)
NoExchange = _notice("NoExchange", "{room}, even in place of any one chosen sentence{after}")
InPlaceOf = _notice("InPlaceOf", "{room}; in place of sentence {of} it would {change}")
WouldAdd = _notice("WouldAdd", "would add to the value of the answer, but {but}")
WordsCostMore = _notice("WordsCostMore", "adds less to the answer than its words cost")
AddsNothing = _notice("AddsNothing", "adds nothing to the answer")

# Whether a question is answered.
LowCoverage = _notice(
    "LowCoverage",
    "the best {what} covers {covered:.0%} of the question, below --coverage {least:g}",
)
NoWordToSearch = _notice("NoWordToSearch", "the question has no word to search for")
NoWordFound = _notice("NoWordFound", "no {what} contains a word of the question")
NothingPasses = _notice(
    "NothingPasses", "no {what} with a word of the question passes the source filters"
)
NotMentioned = _notice("NotMentioned", "no {what} mentions {words:or}")
NoneMentions = _notice("NoneMentions", "none of the {what} mentions {words:or}")
NotTogether = _notice("NotTogether", "none of the {what} found mentions {words:and} together")
MayNotAnswer = _notice("MayNotAnswer", "these sentences may not answer the question")
AnswerLacks = _notice("AnswerLacks", "the answer does not mention {words:or}")
WithoutAspect = _notice(
    "WithoutAspect", "the answer gives no {aspect}, which the question asks for"
)
NoSourceMentions = _notice(
    "NoSourceMentions", "no source of the answer mentions {words:and} together"
)
NotAnswered = _notice(
    "NotAnswered", "the texts found mention the words of the question but do not answer it"
)
NothingFits = _notice("NothingFits", "no sentence to the point fits the limits")
NoSentence = _notice("NoSentence", "the texts have no sentence")

# What a search found.
NothingNewer = _notice("NothingNewer", "nothing newer than {year} was found")
MissingMetadata = _notice(
    "MissingMetadata", "{number} of {of} records with words of the question {what}"
)
Retracted = _notice(
    "Retracted",
    "retracted, or a notice of it, so not quoted: {names} ({number} in all); --retracted quotes "
    "them",
)
LeftOut = _notice("LeftOut", "{error} (left out)")

# What a reader left out or repaired.
At = _notice("At", "{place}: {notice}")
Recoded = _notice("Recoded", "not UTF-8 (byte {byte}); read as cp1252")
ReadAsDrawn = _notice(
    "ReadAsDrawn",
    "a PDF: read in the order in which it is drawn, without running heads and references; check "
    "what you quote",
)
WithoutAbstract = _notice("WithoutAbstract", "skipped {records:record} without an abstract")
UnreadRecords = _notice(
    "UnreadRecords", "skipped {records:record} that cannot be read; the first: {first}"
)
OtherFiles = _notice("OtherFiles", "skipped {files:file} without abstracts: {names}")
SameText = _notice("SameText", "{document}: duplicate with the same text, read once")
Duplicates = _notice(
    "Duplicates", "duplicate records, using the fullest: {names} ({records} in all)"
)
StrayText = _notice("StrayText", "{characters:character} outside sentences left out")
RepeatedNumbers = _notice(
    "RepeatedNumbers", "{numbers:number} of several sentences; the first of each counts"
)

# Warnings about a topic or a run.
FewerWords = _notice("FewerWords", "the format allows {most} words, not {words}")
AnotherKind = _notice(
    "AnotherKind", "the model is for topics of the kind {trained}, this topic is of the kind {kind}"
)
TooManySentences = _notice(
    "TooManySentences",
    "{sentences:sentence}: only {used}, the first of each document, are candidates",
)
TooManyTexts = _notice(
    "TooManyTexts", "{texts:text}: summarising only the {used} nearest to their centroid"
)
TooManyRepeats = _notice(
    "TooManyRepeats", "{sentences:sentence} left out, each a repeat of several more relevant ones"
)
LeastLoss = _notice("LeastLoss", "every sentence scores below its length cost; kept the best")
NoDocument = _notice("NoDocument", "no document: the answer is empty")
NoProse = _notice("NoProse", "no document contains prose: the answer is empty")
ShortRun = _notice(
    "ShortRun", "--words is {most}, not {words}: --to {format_} allows no more (--to jsonl does)"
)
WithoutCitations = _notice(
    "WithoutCitations",
    "--to {format_} has no citations: use --to biogen-2025 for answers that cite PMIDs",
)
WillBeRedone = _notice("WillBeRedone", "the run {run}: {damage}; damaged topics will be redone")
NoLongerAsked = _notice(
    "NoLongerAsked",
    "the run {run} has {topics:topic} no longer in the input ({names}); their answers are kept; "
    "--force starts over "
    "without them",
)
NothingQuotable = _notice(
    "NothingQuotable",
    "{empty} of {of} answers are empty: no quotable abstract in --documents has a PMID that the "
    "question names",
)
# Warnings about a sweep.
WithoutGold = _notice("WithoutGold", "left out, without gold summaries: {topics:topic}")
AnotherModel = _notice(
    "AnotherModel", "{system}: the model is for topics of the kind {trained}, not {kind}"
)
