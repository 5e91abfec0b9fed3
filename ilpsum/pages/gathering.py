"""Collects the content of a report from runs, provenance files and topics."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ilpsum.errors import InputError, UsageError, counted
from ilpsum.evaluation.scoring import Measure, Run, evaluate
from ilpsum.evaluation.steering import scored, steering_of
from ilpsum.files.progress import Progress, no_progress
from ilpsum.formats.papers.layout import title
from ilpsum.formats.papers.printed import clean
from ilpsum.metrics.rouge import RougeOptions
from ilpsum.pages.reading import answer_of_run
from ilpsum.pages.view import Report, RunLine, RunSummary, ShownTopic, cites
from ilpsum.records import BrokenTopic, Document, Topic
from ilpsum.runs.described import shared
from ilpsum.runs.excerpts import among, locate
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
    summaries = {}
    for run in runs:
        if isinstance(run, LinkRun):
            raise UsageError(f"{run.name}: contains links, not summaries; score links with `ilpsum evaluate`")
        summaries[run.name] = _summaries(run, provenance.get(run.name), progress, steered=sliders)
    shown: dict[str, ShownTopic] = {}

    def watched() -> Iterator[Topic]:
        for topic in topics:
            own = replace(topic, summaries=topic.summaries[: 1 if references == "first" else None])
            found = shown_topic(own, summaries)
            runs_of = {
                name: replace(each, steering=scored(each.steering, own, metrics, scoring, measure))
                for name, each in found.runs.items()
            }
            shown[topic.id] = replace(found, runs=runs_of)
            yield topic

    scoring = options or RougeOptions()
    evaluations = evaluate(runs, watched(), metrics, scoring, references)
    for id_ in dict.fromkeys(id_ for by_topic in summaries.values() for id_ in by_topic if id_ not in shown):
        of_topic = (by_topic[id_].answer for by_topic in summaries.values() if id_ in by_topic)
        shown[id_] = shown_topic(Topic(id_, next((a.question for a in of_topic if a and a.question), "")), summaries)
    each = len(evaluations) // len(runs)
    return Report(
        tuple(summaries),
        tuple(shown.values()),
        tuple(tuple(evaluations[i::each]) for i in range(each)) if evaluations[0].units else (),
        measure,
        seed,
        {
            run: shared([own.answer.summary.settings for own in by_topic.values() if own.answer])
            for run, by_topic in summaries.items()
        },
    )


def _summaries(run: SummaryRun, provenance: Path | None, progress: Progress, *, steered: bool) -> dict[str, RunSummary]:
    """Return a run's summaries by topic: first those with provenance, in file order, then the others."""
    found: dict[str, RunSummary] = {}
    for record in progress(read_provenance(provenance), run.name) if provenance else ():
        if isinstance(record, BrokenTopic):
            found.setdefault(record.id, RunSummary(run.texts.get(record.id, ""), error=str(record.error)))
        elif cites(record) and len(record.responses) != len(record.sentences):
            sentences = counted(len(record.sentences), "sentence")
            problem = f"topic {record.topic}: {counted(len(record.responses), 'response')} for {sentences}"
            raise InputError(f"{problem}; expected one for each, write the run again", provenance)
        elif record.topic not in found and (record.topic in run.texts or (record.search and record.search.unanswered)):
            # A run may leave unanswered questions out.
            answer, steering = answer_of_run(replace(record, program=None)), steering_of(record) if steered else None
            found[record.topic] = RunSummary(run.texts.get(record.topic, ""), answer=answer, steering=steering)
    return found | {topic: RunSummary(text) for topic, text in run.texts.items() if topic not in found}


def shown_topic(topic: Topic, summaries: Mapping[str, Mapping[str, RunSummary]]) -> ShownTopic:
    """Return the report's view of a topic, given all summaries by run and topic."""
    own = {run: by_topic[topic.id] for run, by_topic in summaries.items() if topic.id in by_topic}
    documents = {document.id: document for document in topic.documents}
    shown = {run: replace(each, lines=tuple(_lines(each, documents))) for run, each in own.items()}
    paper = topic.reference
    return ShownTopic(topic.id, topic.query, topic.summaries, shown, title(paper) if paper else "")


def _lines(own: RunSummary, documents: Mapping[str, Document]) -> Iterator[RunLine]:
    """Yield the sentences of a run, each in its document if that is known, else among the candidates around it."""
    if own.answer is None:
        return
    summary, answer = own.answer.summary, own.answer
    relevance = [s.relevance for s in summary.candidates]
    predicted = all(map(math.isfinite, relevance)) and len(set(relevance)) > 1
    further = own.steering.sentences[len(summary) :] if own.steering else ()
    texts = [(line.sentence, line.text) for line in answer.lines]
    texts += [(s, clean(s.text) if summary.responses else s.text) for s in further]
    for sentence, text in texts:
        rank = 1 + sum(other > sentence.relevance for other in relevance) if predicted else 0
        document = documents.get(sentence.document)
        excerpt = locate(sentence, document) if document else among(sentence, summary.candidates)
        yield RunLine(sentence, text, rank, excerpt)
