"""Measure answers, refusals and labels by parts that have not seen the questions.

    python -m experiments.answered [--tables answers subjects grades] [--models FOLDER]
        [--decision NUMBER...] [--editions 9 10 11] [--set KEY=VALUE...] [--frame TEXT]
        [--data ../shared/data]

Every question that has seven in ten of its abstracts in `bioasq` and `evidence` is asked twice of
these whole abstracts: with its abstracts, and with all of them taken out. Halves of the questions
share a collection, as in the acceptance check `honest.py`. An answer is good if one of its
sentences is marked by the experts or holds an exact answer of a factoid or list question; without
its abstracts, only by an exact answer. It opens well if its first sentence is good.

Everyday questions (`experiments/everyday.txt`), questions for a name that no abstract has, and
questions with two of their abstracts are asked of all but edition 11's abstracts, as in
`abstain.py`. Sentences of edition 11 are graded in `answers/grades-11.jsonl.gz`
(`experiments/judge.py`).

`--models` has the files of `ilpsum/data/models`, some of them learned from other editions;
`--decision` the intercept, the six coefficients and the threshold that `experiments/silence.py`
prints (`ilpsum.answers.answering`); `--frame` what people say around a question, `{}`, such as
`Hi, can you tell me: {}? Thanks!`, in the table `subjects`. Answers have 100 words; intervals are
of 95 %, by resampling questions (seed 1).
"""

import argparse
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tqdm import tqdm

from experiments.judge import Question as GradedQuestion
from experiments.judge import answers, first, interval, point, read_grades
from experiments.silence_cases import Data, everyday, normal
from ilpsum import resources
from ilpsum.answers import answering
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.api.systems import summarizer
from ilpsum.pipeline.training.examples import trigrams
from ilpsum.records import Document, Outcome, Topic

WORDS = 100
# Order of the questions in halves, and number and order of the questions for absent names, as in
# the acceptance checks.
SHUFFLED, ABSENT, DRAWN = 11, 120, 3


@dataclass(frozen=True)
class Gold:
    """A question with its exact answers (normalised), the trigrams of each snippet, and the PMIDs
    of its abstracts.
    """

    text: str
    exact: tuple[str, ...]
    snippets: tuple[frozenset[tuple[str, ...]], ...]
    abstracts: frozenset[str]

    def is_marked(self, sentence: str) -> bool:
        """Whether half of the sentence's trigrams stand in one snippet."""
        own = trigrams(sentence)
        return bool(own) and any(len(own & snippet) >= len(own) / 2 for snippet in self.snippets)

    def is_named(self, sentence: str) -> bool:
        """Whether the sentence holds an exact answer."""
        text = normal(sentence)
        return any(answer in text for answer in self.exact)


@dataclass(frozen=True)
class Answered:
    """An answer: whether the collection had the question's abstracts, the outcome, whether the
    answer is good and opens well.
    """

    with_abstracts: bool
    outcome: Outcome
    is_good: bool = False
    opens_well: bool = False

    @property
    def is_given(self) -> bool:
        """Whether sentences were given as an answer, however weak."""
        return self.outcome.is_answer


Settings = dict[str, float]
"""Settings of the system, as `--set` of ilpsum."""
Pair = tuple[Answered, Answered]
"""A question's answers with its abstracts and without them."""


def golds(data: Data, editions: Sequence[int], texts: dict[str, Document]) -> list[Gold]:
    """Return the questions of editions that have seven in ten of their abstracts among the texts."""
    entries = {str(entry["id"]): entry for _, entry in data.golden(editions)}
    questions = {question.id: question for question in data.covered(editions, texts)}
    ids = sorted(questions)
    random.Random(SHUFFLED).shuffle(ids)
    result = []
    for name in ids:
        entry, question = entries[name], questions[name]
        snippets = tuple(trigrams(snippet["text"]) for snippet in entry["snippets"])
        result.append(Gold(question.text, exact_answers(entry), snippets, question.pmids))
    return result


def exact_answers(entry: dict[str, Any]) -> tuple[str, ...]:
    """Return the exact answers of a factoid or list question, normalised; short ones say little."""
    if entry["type"] not in ("factoid", "list"):
        return ()
    listed = entry.get("exact_answer") or []
    parts = listed if isinstance(listed, list) else [listed]
    names = [name for part in parts for name in (part if isinstance(part, list) else [part])]
    return tuple(sorted({normal(name) for name in names if len(normal(name)) > 4}))


def answered(
    questions: Sequence[Gold],
    texts: dict[str, Document],
    settings: Settings,
) -> list[Pair]:
    """Ask each question with its abstracts and without them."""
    system = summarizer("concepts", searched=True, may_stop_early=True, settings=settings)
    results: dict[tuple[int, bool], Answered] = {}
    for half in (0, 1):
        gone = frozenset[str]().union(*(q.abstracts for q in questions[half::2]))
        kept = frozenset[str]().union(*(q.abstracts for q in questions[1 - half :: 2]))
        left = [text for pmid, text in texts.items() if pmid not in gone - kept]
        search = AbstractSearch.of_documents(left)
        for i, question in enumerate(tqdm(questions, f"half {half + 1}", disable=None)):
            has_abstracts = i % 2 != half
            topic = with_documents(Topic("question", question.text), search)
            summary = system(topic, WORDS)
            if summary.search is None:
                raise ValueError("a searched topic keeps its search")
            good = [
                question.is_named(sentence.text)
                or (has_abstracts and question.is_marked(sentence.text))
                for sentence in summary.sentences
            ]
            results[i, has_abstracts] = Answered(
                has_abstracts, summary.search.outcome, any(good), bool(good and good[0])
            )
    return [(results[i, True], results[i, False]) for i in range(len(questions))]


def share(values: Sequence[bool]) -> float:
    return sum(values) / max(1, len(values))


def precision(pairs: Sequence[Pair]) -> float:
    return share([a.is_good for pair in pairs for a in pair if a.is_given])


def answered_well(pairs: Sequence[Pair]) -> float:
    return share([a.is_good for a, _ in pairs])


def opens_well(pairs: Sequence[Pair]) -> float:
    return share([a.opens_well for a, _ in pairs if a.is_given])


def refused(pairs: Sequence[Pair]) -> float:
    return share([not a.is_given for _, a in pairs])


def labelled_answer_good(pairs: Sequence[Pair]) -> float:
    return share([a.is_good for pair in pairs for a in pair if a.outcome is Outcome.ANSWER])


def good_labelled_weak(pairs: Sequence[Pair]) -> float:
    return share([a.outcome is Outcome.WEAK for pair in pairs for a in pair if a.is_good])


MEASURES: dict[str, Callable[[Sequence[Pair]], float]] = {
    "precision": precision,
    "answered well": answered_well,
    "opens well": opens_well,
    "labelled Answer, good": labelled_answer_good,
    "of the good ones, labelled Weak evidence": good_labelled_weak,
    "refused without their abstracts": refused,
}


def by_subject(
    data: Data, editions: Sequence[int], texts: dict[str, Document]
) -> dict[str, list[str]]:
    """Return the questions whose answer is surely absent, by kind, and those that have theirs."""
    vocabulary = set(re.findall("[a-z0-9]+", "\n".join(t.text for t in texts.values()).lower()))
    there, absent = [], []
    for _, entry in data.golden(editions):
        text = " ".join(str(entry["body"]).split())
        pmids = [str(url).rstrip("/").rpartition("/")[2] for url in entry.get("documents", [])]
        held = sum(pmid in texts for pmid in pmids)
        unknown = any(
            len(word) > 5 and vocabulary.isdisjoint({word, word.rstrip("s"), f"{word}s"})
            for word in re.findall("[a-z0-9]+", text.lower().partition(" ")[2])
        )
        if held >= 2 and not unknown:
            there.append(text)
        elif not held and unknown:
            absent.append(text)
    draw = random.Random(DRAWN)
    draw.shuffle(there)
    draw.shuffle(absent)
    return {
        "everyday questions, refused": [question.text for question in everyday()],
        "names that no abstract has, refused": absent[:ABSENT],
        "with their abstracts, answered": there[:ABSENT],
    }


def are_answered(
    questions: Sequence[str],
    search: AbstractSearch,
    settings: Settings,
) -> list[bool]:
    """Return whether each question is answered."""
    system = summarizer("concepts", searched=True, may_stop_early=True, settings=settings)
    topics = (with_documents(Topic("question", text), search) for text in questions)
    return [bool(system(topic, WORDS).sentences) for topic in topics]


def row(name: str, number: int, value: str) -> None:
    print(f"| {name} | {number} | {value} |", flush=True)


def table_answers(data: Data, editions: Sequence[int], settings: Settings) -> None:
    """Print the measures of questions with their abstracts and without them."""
    texts = data.whole | data.abstracts("evidence/abstracts-11.jsonl.gz")
    pairs = answered(golds(data, editions, texts), texts, settings)
    for name, measure in MEASURES.items():
        row(name, len(pairs), interval(pairs, measure))


def table_subjects(
    data: Data, editions: Sequence[int], settings: Settings, frame: str = ""
) -> None:
    """Print how many questions are refused, or answered, as they should be."""
    search = AbstractSearch.of_documents(data.whole.values())
    for name, questions in by_subject(data, editions, data.whole).items():
        if frame:
            questions = [frame.format(question.rstrip(" ?.")) for question in questions]
        given = are_answered(questions, search, settings)
        outcomes = [not answer for answer in given] if name.endswith("refused") else given
        row(name, len(outcomes), interval(outcomes, share))


def table_grades(data: Data, _editions: Sequence[int], settings: Settings) -> None:
    """Print the measures by the grades of edition 11."""
    texts = data.whole | data.abstracts("evidence/abstracts-11.jsonl.gz")
    asked, sentences, grade = read_grades(data.folder / "answers" / "grades-11.jsonl.gz")
    search = AbstractSearch.of_documents(texts.values())
    questions = [
        GradedQuestion(with_documents(Topic("question", text), search), text, sentences[name], ())
        for name, text in sorted(asked.items())
    ]
    measured = answers(questions, grade, None, settings)
    row("chosen sentences graded 2 or 3", len(measured), interval(measured, point))
    row("first sentence graded 3", len(measured), interval(measured, first))


TABLES = {"answers": table_answers, "subjects": table_subjects, "grades": table_grades}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--models", type=Path, default=resources.models())
    shipped = (answering.INTERCEPT, *answering.COEFFICIENTS, answering.ANSWERED)
    parser.add_argument("--decision", type=float, nargs=8, default=shipped, metavar="NUMBER")
    parser.add_argument("--editions", type=int, nargs="+", default=[9, 10, 11])
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="settings")
    parser.add_argument("--frame", default="", metavar="TEXT", help="with {} for the question")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    pairs = (setting.split("=") for setting in options.set)
    settings = {key: float(value) for key, value in pairs}
    intercept, *coefficients, threshold = options.decision
    decision: dict[str, Any] = {
        "INTERCEPT": intercept,
        "COEFFICIENTS": tuple(coefficients),
        "ANSWERED": threshold,
    }
    print("| measure | questions | |\n|---|---|---|")
    models = patch.object(resources, "models", return_value=options.models)
    with models, patch.multiple(answering, **decision):
        tables = TABLES | {"subjects": partial(table_subjects, frame=options.frame)}
        for name in options.tables:
            tables[name](Data(options.data), options.editions, settings)


if __name__ == "__main__":
    main()
