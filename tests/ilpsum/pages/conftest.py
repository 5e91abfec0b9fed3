"""Reports of invented runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ilpsum.evaluation.comparison import Comparison
from ilpsum.evaluation.run_scores import Evaluation
from ilpsum.metrics.rouge import Score
from ilpsum.metrics.signature import Signature
from ilpsum.pages.gathering import Report, RunSummary, ShownTopic, gather
from ilpsum.records import (
    Document,
    ObjectiveSettings,
    RunSettings,
    Sentence,
    SolverSettings,
    Summary,
    SystemSettings,
    Topic,
)
from ilpsum.runs.provenance import failure_line, summary_line
from ilpsum.runs.reading import SummaryRun

DOCUMENT = "Ferns\nFerns need deep shade and water. They die in the sun. Moss grows on old walls.\nLichens are slow."
GOLD = ("Ferns need deep shade. Moss grows on walls.", "Lichens are slow to grow.")


def sentence(
    text: str,
    *,
    document: str = "d.txt",
    source: str = DOCUMENT,
    relevance: float = 0.0,
    **more: Any,
):
    start = source.index(text)
    return Sentence(
        text, document, start, start + len(text), len(text.split()), relevance=relevance, **more
    )


CANDIDATES = (
    sentence("Ferns need deep shade and water.", relevance=0.9, section="abstract", why="the most relevant"),
    sentence("They die in the sun.", relevance=0.1, why="4th of 4 in relevance"),
    sentence("Moss grows on old walls.", relevance=0.4, why="3rd of 4 in relevance"),
    sentence("Lichens are slow.", relevance=0.7),
)  # fmt: skip


@pytest.fixture
def topic() -> Topic:
    document = Document("d.txt", DOCUMENT, title="On ferns")
    return Topic("T1", "What do ferns need?", (document,), summaries=GOLD)


@pytest.fixture
def report_of(tmp_path: Path) -> Callable[..., Report]:
    """`report_of({"SYSA1": summaries, ...}, topics)`: the report of runs whose files agree with their provenance."""

    def make(runs: dict[str, list[Summary]], topics: list[Topic], **options: Any) -> Report:
        read = []
        for number, (name, summaries) in enumerate(runs.items()):
            provenance = tmp_path / f"{number}.provenance.jsonl"
            lines = [summary_line(summary) for summary in summaries] + [
                failure_line("T9", "it broke")
            ]
            provenance.write_bytes(b"".join(lines))
            texts = {summary.topic: summary.text for summary in summaries}
            read.append(SummaryRun(name, texts, provenance=provenance))
        return gather(read, topics, **options)

    return make


@pytest.fixture
def report(report_of: Callable[..., Report], topic: Topic) -> Report:
    """Two runs over one topic that share a sentence, with gold."""
    first = summary_of(topic, (0, 2), system="ilp")
    second = summary_of(topic, (0, 1), system="greedy")
    return report_of({"SYSA1": [first], "SYSB1": [second]}, [topic])


def summary_of(
    topic: Topic,
    chosen: tuple[int, ...],
    *,
    system: str,
    candidates: tuple[Sentence, ...] = CANDIDATES,
) -> Summary:
    sentences = tuple(candidates[i] for i in chosen)
    text = "\n".join(s.text for s in sentences)
    settings = RunSettings(
        words=20,
        system=SystemSettings("one", method="ilp"),
        objective=ObjectiveSettings(0.5),
        solver=SolverSettings("highs"),
    )
    return Summary(
        topic.id, sentences, text, candidates, chosen, system, 0.75, 0.75, 0.0, settings=settings
    )


@pytest.fixture
def summarised():
    """`summarised(topic, (0, 2), system="ilp")`: the summary of these candidates."""
    return summary_of


MEASURED = {"ilp": [0.5, 0.4, 0.3, 0.6], "greedy": [0.4, 0.45, 0.2, 0.1]}


def evaluation(name: str, topics: list[str], values: list[float]) -> Evaluation:
    """Scores of a run in ROUGE-2, its recall, precision and F1 the same."""
    scores = [(t, Score(v, v, v)) for t, v in zip(topics, values, strict=True)]
    return Evaluation(name, Signature("ROUGE-2", {}), scores)


@pytest.fixture
def measured():
    """Two selectors with scores, and the sentences of some topics."""
    ids = ["t1", "<t2>", "t3", "t4"]
    evaluations = tuple(evaluation(name, ids, values) for name, values in MEASURED.items())
    newts = Sentence("Newts <sing>.", "d", 0, 13, 2)
    ferns = Sentence("Ferns grow.", "d", 0, 11, 2)
    settings = RunSettings(objective=ObjectiveSettings(0.9))
    runs = {}
    for name, chosen in (("ilp", (newts, ferns)), ("greedy", (ferns,))):
        summary = Summary("t1", chosen, "...", settings=settings)
        runs[name] = {"t1": RunSummary("...", summary=summary)}
    topics = []
    for id_ in ids:
        of_topic = {name: by_topic[id_] for name, by_topic in runs.items() if id_ in by_topic}
        topics.append(ShownTopic(id_, "Do <newts> sing?", runs=of_topic))
    told = {"ilp": ("one", "lambda 0.9", "words 9; objective.lambda 0.9")}
    return Report(tuple(runs), tuple(topics), (Comparison(evaluations, "recall"),), settings=told)
