"""Collects the content of a report from runs, provenance files and topics."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ilpsum.errors import InputError, UsageError, counted
from ilpsum.evaluation.scoring import Measure, Run, evaluate
from ilpsum.files.progress import Progress, no_progress
from ilpsum.metrics.rouge import RougeOptions
from ilpsum.pages.excerpts import locate
from ilpsum.pages.reading import answer_of_run, cites
from ilpsum.pages.settings import shared
from ilpsum.pages.view import Answer, AnswerLine, Report, ShownTopic
from ilpsum.records import BrokenTopic, Topic
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import LinkRun, SummaryRun


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
    sliders: bool = True,
    progress: Progress = no_progress,
) -> Report:
    """Collect the content of a report. Reads each topic once and keeps only the excerpts shown from its documents.

    Args:
        runs: runs with distinct names.
        provenance: provenance file by run name; a run without one is shown as plain text.
        topics: provide gold summaries for the scores and documents for the context of sentences.
        metrics: summary metrics; default ROUGE-2 and ROUGE-SU4.
        options: ROUGE options.
        references: `first` uses only the first gold summary of a topic.
        measure: measure used for confidence intervals and significance tests.
        seed: random seed of the tests.
        sliders: whether to compute the selections at other lambdas and word limits.
        progress: wraps the iteration over the provenance records of a run; gets the run's name.

    Raises `InputError` if a provenance file cannot be read, `UsageError` if a run contains links.
    """
    answers = {}
    for run in runs:
        if isinstance(run, LinkRun):
            raise UsageError(f"{run.name}: contains links, not summaries; score links with `ilpsum evaluate`")
        answers[run.name] = _answers(run, provenance.get(run.name), progress, steered=sliders)
    shown: dict[str, ShownTopic] = {}

    def watched() -> Iterator[Topic]:
        for topic in topics:
            gold = topic.summaries[: 1 if references == "first" else None]
            shown[topic.id] = shown_topic(replace(topic, summaries=gold), answers)
            yield topic

    evaluations = evaluate(runs, watched(), metrics, options or RougeOptions(), references)
    for id_ in dict.fromkeys(id_ for by_topic in answers.values() for id_ in by_topic if id_ not in shown):
        asked = (by_topic[id_].question for by_topic in answers.values() if id_ in by_topic)
        shown[id_] = shown_topic(Topic(id_, next(filter(None, asked), "")), answers)
    each = len(evaluations) // len(runs)
    return Report(
        tuple(answers),
        tuple(shown.values()),
        tuple(tuple(evaluations[i::each]) for i in range(each)) if evaluations[0].units else (),
        measure,
        seed,
        {run: shared(answer.settings for answer in by_topic.values()) for run, by_topic in answers.items()},
    )


def _answers(run: SummaryRun, provenance: Path | None, progress: Progress, *, steered: bool) -> dict[str, Answer]:
    """Return a run's answers by topic: first those with provenance, in file order, then the others."""
    answers: dict[str, Answer] = {}
    for record in progress(read_provenance(provenance), run.name) if provenance else ():
        if isinstance(record, BrokenTopic):
            answers.setdefault(record.id, Answer(text=run.texts.get(record.id, ""), error=str(record.error)))
        elif cites(record) and len(record.responses) != len(record.sentences):
            sentences = counted(len(record.sentences), "sentence")
            problem = f"topic {record.topic}: {counted(len(record.responses), 'response')} for {sentences}"
            raise InputError(f"{problem}; expected one for each, write the run again", provenance)
        elif record.topic in run.texts or (record.search and record.search.unanswered):
            # A run may leave unanswered questions out.
            answers.setdefault(record.topic, answer_of_run(record, run.texts.get(record.topic, ""), steered=steered))
    return answers | {topic: Answer(text=text) for topic, text in run.texts.items() if topic not in answers}


def shown_topic(topic: Topic, answers: Mapping[str, Mapping[str, Answer]]) -> ShownTopic:
    """Return the report's view of a topic, given all answers by run and topic."""
    of_topic = {run: by_topic[topic.id] for run, by_topic in answers.items() if topic.id in by_topic}
    documents = {document.id: document for document in topic.documents}

    def located(lines: Iterable[AnswerLine]) -> tuple[AnswerLine, ...]:
        places = ((line, documents.get(line.sentence.document)) for line in lines)
        return tuple(replace(o, excerpt=locate(o.sentence, of)) if of else o for o, of in places)

    shown = {
        run: replace(answer, lines=located(answer.lines), others=located(answer.others))
        for run, answer in of_topic.items()
    }
    return ShownTopic(topic.id, topic.query, topic.summaries, shown)
