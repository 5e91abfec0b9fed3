"""Measure what a judge is worth: answers over grades of sentences, beside the built-in answers.

    python -m experiments.judge TABLE... [--data ../shared/data] [--grades FILE] [--index FOLDER]

Tables: `answers` (built in, an ideal judge, noisy judges), `sweep` (relevance of grade 2, lambda,
ties: chosen on half of the questions, said of the other), `papers` (TAC 2014) and `agreement` (of
another reader, in `--second`, with the grades). A judge is played by the grades of a file: of
edition 11, by a language model that saw the question and the sentence alone. Other sentences count
as graded 1. Noise is normal, added to the grades before they are rounded.

To the point: the share of chosen sentences graded 2 or 3. First: the share of answers, of questions
with a 3 among the candidates, that open with a 3. ROUGE-2 is recall of the ideal answer. Intervals
are of 95 %, by resampling questions.
"""

import argparse
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np

from features.arrays import Ints
from ilpsum.answers.retrieval import topic_of
from ilpsum.answers.sources import Sources
from ilpsum.api.systems import summarizer
from ilpsum.formats import read_topics
from ilpsum.learning.judging.judge import Graded, Judge
from ilpsum.metrics.rouge import rouge
from ilpsum.metrics.significance import bootstrap_interval
from ilpsum.pipeline.judged import JudgeScorer
from ilpsum.records import Topic

WORDS, WORDS_OF_PAPERS = 100, 250
FILES = (
    "bioasq/abstracts.jsonl.gz",
    "evidence/abstracts-more.jsonl.gz",
    "evidence/abstracts-11.jsonl.gz",
)
SECOND = Path(__file__).parent / "results" / "judge-second.tsv"
SEED = 1
NOISE = (0.5, 0.75, 1.0)
TWOS, LAMBDAS, TIES = (0.4, 0.6, 0.8), (0.6, 0.8, 0.9, 1.0), (0.0, 0.05, 0.1)
# An ideal judge of papers grades by the share of a sentence's bigrams in the human summaries.
SHARES = (0.15, 0.3, 0.5)

Grade = Callable[[str, str], float]
"""Returns the grade of a sentence for a question."""
Pair = tuple[Ints, Ints]
"""The (n,) grades that two readers give the n sentences of a question."""
Item = TypeVar("Item")


class PlayedJudge(Judge):
    """A judge played by a function."""

    def __init__(self, grade: Grade, top: int = 45) -> None:
        super().__init__("http://localhost/v1", "played", top=top)
        self.grade = grade

    def graded(self, question: str, sentences: Sequence[str], _tell: object = None) -> Graded:
        """Return the grades of the function."""
        return Graded(np.array([self.grade(question, s) for s in sentences], float), 1)


@dataclass(frozen=True)
class Question:
    """A graded question with its topic, its graded sentences and its ideal answers."""

    topic: Topic
    text: str
    sentences: list[str]
    ideal: tuple[str, ...]


@dataclass(frozen=True)
class Measured:
    """Sums of an answer: chosen sentences, those graded 2 or 3, whether the first is a 3 (None if
    no candidate is), ROUGE-2 recall.
    """

    chosen: int
    good: int
    first: bool | None
    recall: float


def key_of(question: str, sentence: str) -> tuple[str, str]:
    return tuple(" ".join(re.findall("[a-z0-9]+", text.lower())) for text in (question, sentence))


def read_grades(path: Path) -> tuple[dict[str, str], dict[str, list[str]], Grade]:
    """Return the questions and their graded sentences by id, and the grades."""
    questions, sentences, grades = {}, defaultdict[str, list[str]](list), {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            questions[row["question_id"]] = " ".join(row["question"].split())
            sentences[row["question_id"]].append(row["sentence"])
            grades[key_of(row["question"], row["sentence"])] = float(row["grade"])

    def grade(question: str, sentence: str) -> float:
        return grades.get(key_of(question, sentence), 1.0)

    return questions, sentences, grade


def read_ideal(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the ideal answers of all questions by id."""
    ideal = {}
    for path in sorted(folder.glob("*_golden.json.gz")):
        for question in json.loads(gzip.decompress(path.read_bytes()))["questions"]:
            texts = question.get("ideal_answer") or []
            ideal[question["id"]] = tuple([texts] if isinstance(texts, str) else texts)
    return ideal


def noisy(grade: Grade, deviation: float) -> Grade:
    """Return a grade with normal noise, the same for the same sentence."""

    def noised(question: str, sentence: str) -> float:
        noise = random.Random(f"{SEED} {question} {sentence}").gauss(0.0, deviation)
        return float(min(3, max(0, round(grade(question, sentence) + noise))))

    return noised


def right_pairs(questions: Sequence[Question], judge: Grade, grade: Grade) -> float:
    """Return the share of pairs of a question's sentences with different grades that a judge
    orders rightly, a tie half.
    """
    right = number = 0.0
    for question in questions:
        true = np.array([grade(question.text, s) for s in question.sentences])
        given = np.array([judge(question.text, s) for s in question.sentences])
        above = true[:, None] > true[None]
        right += (above * (given[:, None] > given[None])).sum()
        right += 0.5 * (above * (given[:, None] == given[None])).sum()
        number += above.sum()
    return right / number


def answers(
    questions: Sequence[Question],
    grade: Grade,
    scorer: JudgeScorer | None,
    settings: dict[str, float] | None = None,
) -> list[Measured]:
    """Answer the questions and measure the answers by the true grades."""
    system = summarizer(
        "concepts",
        searched=True,
        settings=settings or {},
        may_stop_early=True,
        relevance=scorer,
    )
    measured = []
    for question in questions:
        summary = system(question.topic, WORDS)
        grades = [grade(question.text, s.text) for s in summary.sentences]
        first = None
        if any(grade(question.text, s.text) == 3 for s in summary.candidates):
            first = bool(grades) and grades[0] == 3
        recall = 0.0
        if question.ideal:
            recall = rouge(str(summary), question.ideal)["ROUGE-2"].recall
        good = sum(value >= 2 for value in grades)
        measured.append(Measured(len(grades), good, first, recall))
    return measured


def point(measured: Sequence[Measured]) -> float:
    return sum(m.good for m in measured) / max(1, sum(m.chosen for m in measured))


def first(measured: Sequence[Measured]) -> float:
    return float(np.mean([m.first for m in measured if m.first is not None]))


def recall(measured: Sequence[Measured]) -> float:
    return float(np.mean([m.recall for m in measured]))


def interval(measured: Sequence[Item], statistic: Callable[[Sequence[Item]], float]) -> str:
    """Return a statistic with its interval, by resampling questions."""
    draws = np.random.default_rng(SEED).integers(0, len(measured), (2000, len(measured)))
    values = [statistic([measured[i] for i in draw]) for draw in draws]
    low, high = np.percentile(values, [2.5, 97.5])
    return f"{statistic(measured):.3f} [{low:.3f}, {high:.3f}]"


def row(name: str, measured: Sequence[Measured], *more: str) -> None:
    answered = sum(m.chosen > 0 for m in measured)
    cells = (interval(measured, point), interval(measured, first), interval(measured, recall))
    print("|", " | ".join([name, *more, *cells, f"{answered} of {len(measured)}"]), "|", flush=True)


def table_answers(questions: Sequence[Question], grade: Grade) -> None:
    print("| relevance | pairs in order | to the point | first | ROUGE-2 | answered |")
    print("|---|---|---|---|---|---|")
    row("built in", answers(questions, grade, None), "")
    row("ideal judge", answers(questions, grade, JudgeScorer(PlayedJudge(grade))), "1.000")
    for deviation in NOISE:
        judge = noisy(grade, deviation)
        measured = answers(questions, grade, JudgeScorer(PlayedJudge(judge)))
        row(f"noise of {deviation}", measured, f"{right_pairs(questions, judge, grade):.3f}")


def table_sweep(questions: Sequence[Question], grade: Grade) -> None:
    """Judges with some noise: an ideal one leaves nothing to choose."""
    halves = (questions[::2], questions[1::2])
    judge = PlayedJudge(noisy(grade, NOISE[0]))
    print("| grade 2 | lambda | ties | half | to the point | first | ROUGE-2 | answered |")
    print("|---|---|---|---|---|---|---|---|")
    for two, lambda_, ties in settings_swept():
        scorer = JudgeScorer(judge, grades=(0.0, 0.1, two, 1.0), ties=ties)
        for number, half in enumerate(halves, 1):
            measured = answers(half, grade, scorer, {"selection.lambda": lambda_})
            row(f"{two}", measured, f"{lambda_}", f"{ties}", f"{number}")


def settings_swept() -> Iterator[tuple[float, float, float]]:
    """Yield the values of each setting with the default of the others."""
    yield from ((two, 0.8, 0.05) for two in TWOS)
    yield from ((0.6, lambda_, 0.05) for lambda_ in LAMBDAS)
    yield from ((0.6, 0.8, ties) for ties in TIES)


def table_papers(folder: Path) -> None:
    print("| relevance | graded | ROUGE-2 | words |")
    print("|---|---|---|---|")
    topics = list(read_topics(folder))
    for name, top in (("built in", 0), ("ideal judge", 45), ("ideal judge", 10_000)):
        recalls, words = list[float](), list[int]()
        for topic in topics:
            gold = topic.summaries
            scorer = JudgeScorer(PlayedJudge(by_overlap(gold), top)) if top else None
            system = summarizer("concepts", searched=False, settings={}, relevance=scorer)
            text = str(system(topic, WORDS_OF_PAPERS))
            recalls.append(rouge(text, gold)["ROUGE-2"].recall)
            words.append(len(text.split()))
        mean = bootstrap_interval(recalls)
        graded = "all" if top > 1000 else f"{top}" if top else ""
        cell = f"{mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}]"
        print(f"| {name} | {graded} | {cell} | {np.mean(words):.0f} |", flush=True)


def table_agreement(
    questions: dict[str, str],
    sentences: dict[str, list[str]],
    grade: Grade,
    second: Path,
) -> None:
    """The file has, by question, the grades of its sentences in the order of the graded file."""
    pairs = list[Pair]()
    for line in second.read_text("utf-8").splitlines():
        name, digits = line.split("\t")
        first = np.array([int(grade(questions[name], s)) for s in sentences[name]])
        pairs.append((first, np.array([int(digit) for digit in digits])))
    print(f"{len(pairs)} questions, {sum(len(first) for first, _ in pairs)} sentences\n")
    print(
        "| kappa, quadratic weights | linear weights | 2 or 3 against 0 or 1 | equal | within 1 |"
    )
    print("|---|---|---|---|---|")
    statistics = (
        partial(kappa, power=2),
        partial(kappa, power=1),
        partial(kappa, least=2),
        partial(within, most=0),
        partial(within, most=1),
    )
    print("|", " | ".join(interval(pairs, statistic) for statistic in statistics), "|")


def kappa(pairs: Sequence[Pair], power: int = 1, least: int = 0) -> float:
    """Return Cohen's weighted kappa: of the grades, or of whether a grade is at least `least`.
    Weights are the distances of grades to a power.
    """
    one, other = (np.concatenate(grades) for grades in zip(*pairs, strict=True))
    if least:
        one, other = (one >= least).astype(int), (other >= least).astype(int)
    counts = np.zeros((4, 4))
    np.add.at(counts, (one, other), 1)
    weights = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) ** power
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(one)
    return float(1 - (weights * counts).sum() / (weights * expected).sum())


def within(pairs: Sequence[Pair], most: int) -> float:
    """Return the share of sentences whose two grades differ by at most `most`."""
    one, other = (np.concatenate(grades) for grades in zip(*pairs, strict=True))
    return float(np.mean(np.abs(one - other) <= most))


def by_overlap(gold: Sequence[str]) -> Grade:
    """Return grades by the share of a sentence's bigrams in the human summaries."""

    def bigrams(text: str) -> set[tuple[str, str]]:
        words = re.findall("[a-z0-9]+", text.lower())
        return set(pairwise(words))

    known = set().union(*map(bigrams, gold))

    def grade(_question: str, sentence: str) -> float:
        own = bigrams(sentence)
        share = len(own & known) / max(1, len(own))
        return float(sum(share >= least for least in SHARES))

    return grade


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("tables", nargs="+", choices=("answers", "sweep", "papers", "agreement"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--grades", type=Path)
    parser.add_argument("--index", help="folder of search indexes")
    parser.add_argument("--questions", type=int, help="only so many")
    parser.add_argument("--second", type=Path, default=SECOND, help="grades of another reader")
    options = parser.parse_args()
    if "papers" in options.tables:
        table_papers(options.data / "tac2014")
    asked, sentences, grade = read_grades(
        options.grades or options.data / "answers" / "grades-11.jsonl.gz"
    )
    if "agreement" in options.tables:
        table_agreement(asked, sentences, grade, options.second)
    if not {"answers", "sweep"}.intersection(options.tables):
        return
    ideal = read_ideal(options.data / "bioasq")
    files = [options.data / name for name in FILES]
    sources = Sources(documents=files, index=options.index)
    questions = [
        Question(topic_of(text, sources), text, sentences[name], ideal.get(name, ()))
        for name, text in sorted(asked.items())[: options.questions]
    ]
    if "answers" in options.tables:
        table_answers(questions, grade)
    if "sweep" in options.tables:
        table_sweep(questions, grade)


if __name__ == "__main__":
    main()
