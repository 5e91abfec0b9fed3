"""Gather a report from runs, their provenance and their topics."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import filterfalse
from pathlib import Path
from typing import Literal

from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.scoring import Measure, Run, evaluate
from ilpsum.metrics.counting import METRICS
from ilpsum.metrics.rouge import DEFAULT_METRICS, References, RougeOptions
from ilpsum.pipeline.citing import clean
from ilpsum.pipeline.programs import Programs
from ilpsum.records import BrokenTopic, Sentence, Summary, Topic
from ilpsum.report.content import Answer, Chosen, Report, ShownTopic
from ilpsum.report.contrasts import contrasts_of
from ilpsum.report.excerpts import among, locate
from ilpsum.report.reading import left_out
from ilpsum.report.steering import steering_of
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import LinkRun, SummaryRun
from ilpsum.training.fitting import Progress, no_progress


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
    """Gather the content of a report. Reads each topic once and keeps only what the report shows of its documents.

    Args:
        runs: runs of different names.
        provenance: provenance files by name of the run; a run without one is shown as plain text.
        topics: gold summaries, for the scores, and documents, for the surroundings of the sentences.
        metrics: of summaries; by default ROUGE-2 and ROUGE-SU4. Only those of ROUGE have curves.
        options: of ROUGE.
        references: `first` uses only the first gold summary of a topic.
        measure: the measure of the charts and significance tests.
        seed: random seed of the tests.
        curves: whether to compute what the runs would have chosen at other lambdas and word limits.
        progress: wraps the records of a run's provenance, with the run's name.

    Raises:
        InputError: a provenance file cannot be read.
        UsageError: a run holds links, not summaries.
    """
    options = options or RougeOptions()
    answers: dict[str, dict[str, Answer]] = {}
    for run in runs:
        if isinstance(run, LinkRun):
            raise UsageError(f"{run.name}: holds links; a report shows summaries (score links by `ilpsum evaluate`)")
        answers[run.name] = _answers(run, provenance.get(run.name), progress, curves=curves)
    shown: dict[str, ShownTopic] = {}
    of_rouge = [name for name in metrics or DEFAULT_METRICS if name in METRICS]

    def watched() -> Iterator[Topic]:
        for topic in topics:
            gold = topic.summaries[: 1 if references == "first" else None]
            scored = References(gold, of_rouge, **vars(options)) if gold and of_rouge and curves else None
            shown[topic.id] = _shown(replace(topic, summaries=gold), answers, scored)
            yield topic

    evaluations = evaluate(runs, watched(), metrics, options, references)
    for by_topic in answers.values():
        for id_ in filterfalse(shown.__contains__, by_topic):
            question = next((own[id_].question for own in answers.values() if id_ in own and own[id_].question), "")
            shown[id_] = _shown(Topic(id_, question), answers, None)
    each = len(evaluations) // len(runs)
    scores = tuple(tuple(evaluations[i::each]) for i in range(each)) if evaluations[0].units else ()
    return Report(tuple(answers), tuple(shown.values()), scores, measure, seed)


def _shown(topic: Topic, answers: Mapping[str, dict[str, Answer]], references: References | None) -> ShownTopic:
    """Return what a report shows of a topic; answers lose what only the comparison with the other runs needs."""
    of_topic = {run: by_topic[topic.id] for run, by_topic in answers.items() if topic.id in by_topic}
    shown = {}
    for run, answer in of_topic.items():
        sentences, others = (_located(chosen, topic) for chosen in (answer.sentences, answer.others))
        steering = answer.steering
        if steering and references:
            steering = steering.scored(references)
        shown[run] = replace(answer, sentences=sentences, others=others, steering=steering, programs=None)
    return ShownTopic(topic.id, topic.query, topic.summaries, shown, contrasts_of(of_topic))


def _located(several: Sequence[Chosen], topic: Topic) -> tuple[Chosen, ...]:
    """Return sentences with their surroundings in the topic's documents, if it has them."""
    known = {document.id: document for document in topic.documents}
    places = (known.get(chosen.sentence.document) for chosen in several)
    return tuple(
        replace(chosen, excerpt=locate(chosen.sentence, document)) if document else chosen
        for chosen, document in zip(several, places, strict=True)
    )


def _answers(run: SummaryRun, provenance: Path | None, progress: Progress, *, curves: bool) -> dict[str, Answer]:
    """Return the answers of a run: those of its provenance in its order, then those that only the run has."""
    answers: dict[str, Answer] = {}
    for record in progress(read_provenance(provenance), run.name) if provenance else ():
        if isinstance(record, BrokenTopic):
            answers.setdefault(record.id, Answer(run.texts.get(record.id, ""), error=str(record.error)))
        elif record.responses and len(record.responses) != len(record.sentences):
            problem = f"topic {record.topic}: {len(record.responses)} responses for {len(record.sentences)} sentences"
            raise InputError(f"{problem}; expected one for each, write the run again", provenance)
        elif record.topic in run.texts or (record.search and record.search.unanswered):
            # A run may leave unanswered questions out.
            answers.setdefault(record.topic, answer_of(record, run.texts.get(record.topic, ""), curves=curves))
    return answers | {topic: Answer(text) for topic, text in run.texts.items() if topic not in answers}


def answer_of(summary: Summary, text: str, *, curves: bool) -> Answer:
    """Return what a report shows of a summary whose text in the run's file is `text`."""
    warnings = list(summary.warnings)
    if text.split() != summary.text.split():
        warnings.append("The run's file differs from its provenance: scores are of the file, sentences of the other.")
    relevance = [s.relevance for s in summary.candidates if not s.original]
    predicted = all(map(math.isfinite, relevance)) and len(set(relevance)) > 1
    steering = steering_of(summary) if curves else None
    printed = {s.place: response.text for s, response in zip(summary, summary.responses, strict=False)}

    def shown(sentence: Sentence) -> Chosen:
        rank = 1 + sum(r > sentence.relevance for r in relevance) if predicted else 0
        own = printed.get(sentence.place, clean(sentence.text) if printed else sentence.text)
        return Chosen(sentence, own, rank, among(sentence, summary.candidates))

    return Answer(
        text=text,
        sentences=tuple(map(shown, summary.sentences)),
        others=tuple(map(shown, steering.sentences[len(summary) :])) if steering else (),
        candidates=len(relevance),
        settings=replace(summary.settings, system=summary.system),
        question=summary.question,
        responses=summary.responses,
        abstracts=summary.abstracts,
        left_out=left_out(summary),
        cites=bool(summary.responses) or summary.settings.support is not None,
        objective=summary.objective,
        gap=summary.gap,
        warnings=tuple(warnings),
        unanswered=summary.search.unanswered if summary.search else "",
        steering=steering,
        programs=Programs(summary) if summary.program else None,
    )
