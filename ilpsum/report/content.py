"""What a report shows, gathered from runs, their provenance and their topics."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from features.text import Passage
from ilpsum.errors import UsageError
from ilpsum.evaluation.scoring import Evaluation, Measure, Run, evaluate
from ilpsum.metrics.rouge import DEFAULT_METRICS, References, RougeOptions
from ilpsum.records import Sentence, Summary, Topic
from ilpsum.report.curves import Curve, curve_of
from ilpsum.report.excerpts import Excerpt, locate
from ilpsum.runs.provenance import Failure, read_provenance
from ilpsum.runs.reading import LinkRun, SummaryRun
from ilpsum.training.fitting import Progress, no_progress

Bigrams = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence of a summary.

    Attributes:
        sentence: as the provenance has it.
        rank: of its relevance among the candidates, from 1; 0 where the system predicts none.
        excerpt: its surroundings; None where no topics were given.
    """

    sentence: Sentence
    rank: int = 0
    excerpt: Excerpt | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run has for a topic.

    Attributes:
        text: the summary as the run's file has it; empty where there is none.
        sentences: the chosen ones in the order of the text; empty without provenance.
        candidates: how many sentences could have been chosen; the forms of one count once.
        system: name of the system.
        details: of the selection, JSON-ready.
        objective, gap: of the selection; nan where it has none.
        warnings: what fell back or was repaired, and what is odd.
        error: why there is no summary.
        curve: what it would be at other lambdas; None where that is not known.
    """

    text: str = ""
    sentences: tuple[Chosen, ...] = ()
    candidates: int = 0
    system: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    objective: float = math.nan
    gap: float = math.nan
    warnings: tuple[str, ...] = ()
    error: str = ""
    curve: Curve | None = None


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """A topic with the answers of all runs.

    Attributes:
        id: its name.
        query: the question, empty for a paper.
        gold: the gold summaries.
        answers: by the runs' names, in their order; a run without an answer is left out.
        covered: the gold's bigrams, of words or of stems.
    """

    id: str
    query: str = ""
    gold: tuple[str, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    covered: Bigrams = frozenset()


@dataclass(frozen=True)
class Report:
    """All that the page shows.

    Attributes:
        runs: names of the runs.
        topics: in the order of the gold, then of the runs.
        scores: for each metric the evaluations of the runs, in their order; empty without gold.
        measure: what the charts and tests compare.
        seed: of the tests.
        stems: whether bigrams are compared by their stems.
    """

    runs: tuple[str, ...]
    topics: tuple[ShownTopic, ...]
    scores: tuple[tuple[Evaluation, ...], ...] = ()
    measure: Measure = "recall"
    seed: int = 0
    stems: bool = False


def gather(
    runs: Sequence[Run],
    provenance: Mapping[str, Path],
    topics: Iterable[Topic] = (),
    *,
    metrics: Sequence[str] = (),
    options: RougeOptions | None = None,
    references: Literal["all", "first"] = "all",
    measure: Measure = "recall",
    seed: int = 0,
    curves: bool = True,
    progress: Progress = no_progress,
) -> Report:
    """Reads what a report shows; the topics pass by once, and of a document only what is shown is kept.

    Args:
        runs: of different names.
        provenance: the provenance of runs by their names; a run without one is shown as its bare text.
        topics: with gold summaries, for the scores, and documents, for the places of the sentences.
        metrics: of ROUGE; by default ROUGE-2 and ROUGE-SU4.
        options: of ROUGE; with `stem`, bigrams are compared by their stems too.
        references: `first` takes only the first gold summary of a topic.
        measure: what the charts and tests compare.
        seed: of the tests.
        curves: whether to compute what the runs would have chosen at other lambdas.
        progress: wraps the records of a run's provenance, with the run's name.

    Raises:
        InputError: a provenance cannot be read.
        UsageError: a run holds links.
    """
    stems = bool(options and options.stem)
    answers = {run.name: _answers(run, provenance.get(run.name), progress, curves=curves) for run in _summaries(runs)}
    score: Callable[[Sequence[str], Sequence[str]], References] = partial(
        References, **_as_arguments(options or RougeOptions())
    )
    shown: dict[str, ShownTopic] = {}

    def watched() -> Iterator[Topic]:
        for topic in topics:
            gold = topic.summaries[: 1 if references == "first" else None]
            scored = score(gold, metrics or DEFAULT_METRICS) if gold and curves else None
            shown[topic.id] = _shown(topic, gold, answers, scored, stems)
            yield topic

    evaluations = evaluate(runs, watched(), metrics, options, references)
    for found in answers.values():
        for id_ in found:
            there = {r: a[id_] for r, a in answers.items() if id_ in a}
            shown.setdefault(id_, ShownTopic(id_, _asked(there.values()), answers=there))
    each = len(evaluations) // len(runs)
    scores = tuple(tuple(evaluations[i::each]) for i in range(each)) if evaluations[0].units else ()
    return Report(tuple(answers), tuple(shown.values()), scores, measure, seed, stems)


def _asked(answers: Iterable[Answer]) -> str:
    """The question as the provenance of an answer with citations has it; empty where none has."""
    return next((str(a.details["question"]) for a in answers if "question" in a.details), "")


def _summaries(runs: Sequence[Run]) -> Iterator[SummaryRun]:
    for run in runs:
        if isinstance(run, LinkRun):
            raise UsageError(f"{run.name}: holds links, and a report shows summaries; `ilpsum evaluate` scores it")
        yield run


def bigrams(text: str, *, stems: bool) -> tuple[tuple[str, str], ...]:
    """The bigrams of a text, in order, as a report compares them."""
    passage = Passage(text)
    return passage.stem_bigrams if stems else passage.bigrams


def _shown(
    topic: Topic,
    gold: tuple[str, ...],
    answers: Mapping[str, Mapping[str, Answer]],
    references: References | None,
    stems: bool,
) -> ShownTopic:
    found = {
        run: replace(
            by_topic[topic.id],
            sentences=tuple(
                replace(chosen, excerpt=locate(chosen.sentence, topic.documents))
                for chosen in by_topic[topic.id].sentences
            ),
            curve=_scored(by_topic[topic.id].curve, references),
        )
        for run, by_topic in answers.items()
        if topic.id in by_topic
    }
    covered = frozenset(pair for text in gold for pair in bigrams(text, stems=stems))
    return ShownTopic(topic.id, topic.query, gold, found, covered)


def _scored(curve: Curve | None, references: References | None) -> Curve | None:
    return curve.scored(references) if curve else None


def _as_arguments(options: RougeOptions) -> dict[str, Any]:
    names = ("stem", "words", "multiple", "exceptions")
    return {name: getattr(options, name) for name in names}


def _answers(run: SummaryRun, provenance: Path | None, progress: Progress, *, curves: bool) -> dict[str, Answer]:
    """The answers of a run by their topics: those of its provenance in its order, then what only the run has."""
    found: dict[str, Answer] = {}
    for record in progress(read_provenance(provenance), run.name) if provenance else ():
        if isinstance(record, Failure):
            found.setdefault(record.topic, Answer(run.texts.get(record.topic, ""), error=record.error))
        elif record.topic in run.texts:
            found.setdefault(record.topic, _answer(record, run.texts[record.topic], curves=curves))
    return found | {topic: Answer(text) for topic, text in run.texts.items() if topic not in found}


def _answer(summary: Summary, text: str, *, curves: bool) -> Answer:
    warnings = list(summary.warnings)
    if text.split() != summary.text.split():
        warnings.append(
            "The run's file reads differently from its provenance: scores are of the file, sentences of the other."
        )
    relevance = [s.relevance for s in summary.candidates if not s.original]
    predicted = all(map(math.isfinite, relevance)) and len(set(relevance)) > 1
    return Answer(
        text,
        tuple(Chosen(s, 1 + sum(r > s.relevance for r in relevance) if predicted else 0) for s in summary.sentences),
        len(relevance),
        summary.system,
        summary.details,
        summary.objective,
        summary.gap,
        tuple(warnings),
        curve=curve_of(summary) if curves else None,
    )
