"""Files of scores: relevance that somebody else predicted, looked up by the place of a sentence.

A file has a record for each sentence: `topic`, `document`, `start`, `end` and `score`; other fields
are ignored, except `digest`, that of the document's text when the score was made. It is JSON lines,
or `.tsv` or `.csv` with the names of the fields in the first line, possibly gzipped.
"""

import hashlib
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import msgspec

from ilpsum.errors import IlpsumError, InputError, ScoresError, UsageError, counted, listed
from ilpsum.files.reading import digest_of
from ilpsum.files.records import Count, Number, reason
from ilpsum.files.rows import read_rows, separator_of
from ilpsum.files.work import Tell, silent
from ilpsum.learning.judging.judge import Judge
from ilpsum.learning.judging.replies import BEST
from ilpsum.pipeline.judged import JudgeScorer, by_grades, by_scores
from ilpsum.pipeline.relevance import Candidates, FunctionScorer, RelevanceFunction, Scorer, Scores
from ilpsum.pipeline.system import System
from ilpsum.records import Topic
from ilpsum.records.notices import Unscored

Grade = Annotated[int, msgspec.Meta(ge=0, le=BEST)]
Place = tuple[str, int, int]
"""Document, start and end of a sentence."""

RelevanceSource = RelevanceFunction | Judge | str | Path | Scorer
"""Where relevance comes from: a function, a judge, a file of scores, or a scorer."""

_EXPECTED = "expected the fields topic, document, start, end and score"


def text_digest(text: str) -> str:
    """Return the digest of a document's text that lines of candidates have: 16 hexadecimal
    digits.
    """
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


class _Row(msgspec.Struct, frozen=True):
    # Table libraries convert ids that look like numbers.
    topic: str | int
    document: str | int
    start: Count
    end: Count
    score: Number
    digest: str = ""
    grade: Grade | None = None
    judge: str = ""


class _Score(msgspec.Struct, frozen=True):
    """A score, its line in the file and, if given, the digest of the document, the grade and the
    judge.
    """

    value: float
    line: int
    digest: str = ""
    grade: int | None = None
    judge: str = ""


@dataclass(frozen=True, eq=False)
class ScoreFile(Scorer):
    """The scores of a file.

    Attributes:
        path: the file.
        name: its name without folders.
        digest: that of its content.
        scores: by topic id and place.
        reads_model: whether a judge made the scores: its answers depend on the model's, too.
    """

    path: str
    name: str = ""
    digest: str = ""
    scores: Mapping[str, Mapping[Place, _Score]] = field(default_factory=dict, repr=False)
    reads_model: bool = False

    @classmethod
    def read(cls, path: str | Path) -> "ScoreFile":
        """Read a file.

        Raises:
            InputError: it cannot be read, a line has no valid score, or a sentence has two.
        """
        return _read(str(path), digest_of(path))

    def score(self, candidates: Candidates) -> Scores:
        """Return the scores of the candidates.

        A candidate without a score is excluded, and has the least score of its topic. Scores of a
        document whose text is not the one that was scored are not used.

        Raises:
            IlpsumError: no candidate has a score.
            ScoresError: a score is of a place beyond the end of its document.
        """
        topic = candidates.topic
        scores = self.scores.get(topic.id, {})
        changed = self._changed(topic, scores)
        file_scores = []
        for sentence in candidates.sentences:
            score = scores.get(sentence.place)
            file_scores.append(None if sentence.document in changed else score)
        values = {i: score.value for i, score in enumerate(file_scores) if score}
        warnings = tuple[str, ...]()
        if changed:
            has_changed = f"the text of {listed(changed)} has changed since {self.name} was made"
            warnings = (f"{has_changed}: its scores are not used",)
        if not values:
            none = f"no candidate has a score in {self.name}"
            raise IlpsumError(warnings[0] if warnings else none)
        grades = {i: s.grade for i, s in enumerate(file_scores) if s and s.grade is not None}
        if grades:
            judge = next((score.judge for score in file_scores if score and score.judge), self.name)
            scored = by_grades(values, grades, len(file_scores), judge)
        else:
            scored = by_scores(values, len(file_scores), f"no score in {self.name}")
        # A judge grades the most relevant only.
        without = sum(score is None for score in file_scores)
        if without and not self.reads_model:
            warnings = (*warnings, Unscored(without, self.name))
        return replace(scored, warnings=warnings)

    def _changed(self, topic: Topic, scores: Mapping[Place, _Score]) -> list[str]:
        """Return the documents that were scored with another text; `ScoresError` for a place beyond
        the end of a document.
        """
        texts = {document.id: document.text for document in topic.documents}
        digests = dict[str, str]()
        changed = dict[str, None]()
        for (document, start, end), score in scores.items():
            text = texts.get(document)
            if text is None:
                continue
            if score.digest:
                if document not in digests:
                    digests[document] = text_digest(text)
                if score.digest != digests[document]:
                    changed[document] = None
                    continue
            if not start <= end <= len(text):
                where = f"document {document} of topic {topic.id}"
                raise ScoresError(
                    f"the place {start} to {end} is not in {where}, which has "
                    f"{counted(len(text), 'character')}; score the sentences that `ilpsum "
                    "candidates` writes",
                    self.path,
                    score.line,
                )
        return list(changed)


@lru_cache(maxsize=4)
def _read(path: str, digest: str) -> ScoreFile:
    """Read a file of this content once per process."""
    scores = dict[str, dict[Place, _Score]]()
    is_table = bool(separator_of(path))
    for line, fields in read_rows(path):
        if is_table:
            # msgspec takes no `.5`.
            with suppress(KeyError, ValueError):
                fields["score"] = float(fields["score"])
        try:
            row = msgspec.convert(fields, _Row, strict=not is_table)
        except msgspec.ValidationError as error:
            raise InputError(f"{reason(error)}; {_EXPECTED}", path, line) from None
        if not math.isfinite(row.score):
            raise InputError(f"score: expected a finite number, got {row.score}", path, line)
        of_topic = scores.setdefault(str(row.topic), {})
        place = str(row.document), row.start, row.end
        if place in of_topic:
            raise InputError(
                f"the sentence has a score in line {of_topic[place].line}, too; expected one",
                path,
                line,
            )
        of_topic[place] = _Score(row.score, line, row.digest, row.grade, row.judge)
    if not scores:
        raise InputError(f"no scores; {_EXPECTED}", path)
    is_judged = any(score.judge for of_topic in scores.values() for score in of_topic.values())
    return ScoreFile(path, Path(path).name, f"sha256:{digest[:16]}", scores, is_judged)


def given_scorer(
    system: System,
    source: RelevanceSource | None,
    tell: Tell,
) -> Scorer | None:
    """Return the scorer that takes the place of a system's model: of a source, or else of the file
    or the judge that the system names; None if the model predicts relevance.

    `tell` takes a line about once a second while a judge is waited for. Errors as for `scorer_of`,
    and `UsageError` if the system uses no relevance, or names both.
    """
    if source is None and system.judge.url:
        source = _judge_of(system)
    if source and system.relevance is None:
        raise UsageError(
            f"the system {system.name} uses no relevance; name one that does, such as ilp-sum-2"
        )
    source = source or system.scores
    return scorer_of(source, tell) if source else None


def _judge_of(system: System) -> Judge:
    """Return the judge that a system names; `UsageError` if it names a file of scores, too."""
    if system.scores:
        raise UsageError(
            f"relevance comes from {system.scores} or from the judge {system.judge.url}; leave out "
            "one"
        )
    return Judge.of(system.judge)


def scorer_of(source: RelevanceSource, tell: Tell = silent) -> Scorer:
    """Return the scorer of a function, a judge, or a file of scores; for `tell` see
    `given_scorer`.

    Raises:
        ArgumentError: it is none of these.
        InputError: the file cannot be read; see `ScoreFile.read`.
    """
    if isinstance(source, Scorer):
        return source
    if isinstance(source, Judge):
        return JudgeScorer(source, tell)
    if isinstance(source, str | Path):
        return ScoreFile.read(source)
    return FunctionScorer(source)
