"""Relevance by a judge: grades of the most relevant candidates, as relevance on a fixed scale.

A grade of 3 or 2 becomes a relevance by `GRADES`; sentences with lower grades, or without one, are
not chosen. The relevance that the system's own model predicts chooses which sentences are graded,
and breaks ties. Scores of a reranker are taken as relevance unchanged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from features.arrays import Floats
from ilpsum.files.work import Tell, silent
from ilpsum.learning.judging.judge import Graded, Judge
from ilpsum.learning.judging.replies import BEST, GRADES
from ilpsum.pipeline.relevance import Candidates, Notes, Scorer, Scores
from ilpsum.records import Outcome

LEAST = 2
"""The least grade of sentences that may be chosen."""
TIES = 0.05
"""The weight of the relevance that the system's own model predicts, clipped to [0,1]."""

# How well a sentence opens an answer, by its grade; one of grade 2 does so only if none has 3.
_OPENING = (0.0, 0.0, 0.1, 1.0)


class JudgeScorer(Scorer):
    """A judge.

    Args:
        judge: the judge.
        tell: takes a line about once a second while the judge is waited for.
        grades: relevance by grade.
        ties: see `TIES`.
    """

    reads_model = True

    def __init__(
        self,
        judge: Judge,
        tell: Tell = silent,
        grades: Sequence[float] = GRADES,
        ties: float = TIES,
    ) -> None:
        self.judge, self.tell, self.name = judge, tell, judge.name
        self.grades, self.ties = grades, ties

    def score(self, candidates: Candidates) -> Scores:
        """Return the scores of the candidates; `ServiceError` if the judge gives none."""
        judge, n = self.judge, len(candidates)
        predicted = candidates.predicted.relevance if candidates.predicted else np.zeros(n)
        graded, values = of_most_relevant(
            judge,
            candidates.question,
            candidates.texts,
            predicted,
            self.tell,
        )
        if judge.protocol.grades:
            relevance = judged(values, predicted, self.grades, self.ties)
            scores = by_grades(relevance, values, n, judge.name)
        else:
            scores = by_scores(values, n, f"not graded by {judge.name}")
        notes: Notes = {
            "judge": judge.kind,
            "model": judge.table.model,
            "host": judge.host,
            "instructions": judge.version,
            "requests": graded.requests,
            "grades": " ".join(f"{values[i]:g}" if i in values else "-" for i in range(n)),
        }
        return replace(scores, notes=notes, warnings=graded.warnings)


def of_most_relevant(
    judge: Judge,
    question: str,
    texts: Sequence[str],
    predicted: Floats,
    tell: Tell,
) -> tuple[Graded, dict[int, float]]:
    """Return what a judge says of the most relevant of n candidates, and its grades or scores by
    index; `predicted` is the (n,) relevance that the system's model predicts.
    """
    rows = most_relevant(predicted, judge.table.top)
    graded = judge.graded(question, [texts[i] for i in rows], tell)
    return graded, dict(zip(rows, graded.values.tolist(), strict=True))


def most_relevant(relevance: Floats, top: int) -> list[int]:
    """Return the indices of the most relevant of n candidates, in the order of the candidates."""
    return sorted(np.argsort(-relevance, kind="stable")[:top].tolist())


def judged(
    grades: Mapping[int, float],
    predicted: Floats,
    relevance: Sequence[float] = GRADES,
    weight: float = TIES,
) -> dict[int, float]:
    """Return the relevance of graded candidates by index: that of the grade, and, as a tie-break,
    the weighted (n,) relevance `predicted` that the system's model predicts.
    """
    ties = weight * np.clip(predicted, 0.0, 1.0)
    return {i: relevance[int(grade)] + float(ties[i]) for i, grade in grades.items()}


def by_scores(scores: Mapping[int, float], number: int, without: str) -> Scores:
    """Return the scores of a number of candidates from those that have one, by index; the others
    are excluded, for the reason `without`, and get the lowest score.
    """
    least = min(scores.values())
    relevance = np.array([scores.get(i, least) for i in range(number)])
    excluded = {i: without for i in range(number) if i not in scores}
    return Scores(relevance, excluded)


def by_grades(
    relevance: Mapping[int, float],
    grades: Mapping[int, float],
    number: int,
    judge: str,
) -> Scores:
    """Return the scores of a number of candidates from the relevance and the grades of those that
    have one, by index.

    Candidates with a grade below `LEAST` are excluded; one with the best grade opens the answer.
    The highest grade given decides the outcome: the best one is an answer, `LEAST` weak evidence.
    """
    scores = by_scores(relevance, number, f"not graded by {judge}")
    why = {i: f"graded {grade:g} of {BEST} by {judge}" for i, grade in grades.items()}
    low = {i: why[i] for i, grade in grades.items() if grade < LEAST}
    best = max(grades.values())
    outcome, doubt = Outcome.ANSWER, ""
    if best < LEAST:
        outcome, doubt = Outcome.NOTHING, f"no sentence was graded {LEAST} or {BEST} by {judge}"
    elif best < BEST:
        outcome, doubt = Outcome.WEAK, f"no sentence was graded {BEST} by {judge}"
    opening = np.array([_OPENING[int(grades.get(i, 0))] for i in range(number)])
    return replace(
        scores,
        excluded={**scores.excluded, **low},
        why=why,
        opening=opening,
        outcome=outcome,
        doubt=doubt,
    )
