"""Gold topics, the options of ROUGE that follow from them, and how they differ from runs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path, PurePath

from ilpsum.errors import InputError, counted, listed
from ilpsum.evaluation.run_scores import LINK_METRICS, TEXT_METRICS, Evaluation, Run
from ilpsum.metrics.counting import METRICS
from ilpsum.metrics.rouge import Options, RougeOptions
from ilpsum.records import BrokenTopic, Topic
from ilpsum.runs.reading import LinkRun, SummaryRun
from ilpsum.tasks import readable, told
from ilpsum.tasks.registry import FORMATS

# Maximum ids listed in a message.
_MOST_LISTED = 20
# ROUGE-1.5.5 counts words of these characters.
_WORD = re.compile("[A-Za-z0-9]")
# Tags of HTML and of shared tasks, whose names ROUGE counts as words. `p<b of` is text.
_TAG = re.compile(
    r"</?(?:[A-Z]{1,12}|p|a|b|i|em|br|div|sup|sub|html|body|head|title|span|strong)"
    r"(?:\s+\w[^<>=]{0,20}=[^<>]{0,200})?\s?/?>"
)


@dataclass
class Gold:
    """The gold topics of runs, read once.

    Attributes:
        place: a file of the topics, for messages.
        failed: unreadable topics; complete after iteration, as are `ids` and `uncounted`.
        ids: ids of the other topics, in order.
        uncounted: ids of topics whose gold summaries have no word that ROUGE counts.
        tagged: ids of topics whose gold summaries contain tags.
    """

    topics: Iterable[Topic | BrokenTopic]
    place: str | Path | None = None
    failed: list[BrokenTopic] = field(default_factory=list)
    ids: dict[str, None] = field(default_factory=dict)
    uncounted: list[str] = field(default_factory=list)
    tagged: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Topic]:
        """Yield the readable topics; `InputError` if none can be read."""
        for topic in readable(self.topics, self.failed):
            self.ids[topic.id] = None
            if has_no_word(topic.summaries):
                self.uncounted.append(topic.id)
            if any(map(_TAG.search, topic.summaries)):
                self.tagged.append(topic.id)
            yield topic

    def matched(self, run: Run) -> Run:
        """Return a run with its texts by topic, if they are by file name (`TOPIC.txt`) and every
        stem is a topic here.
        """
        if not isinstance(run, SummaryRun):
            return run
        stems = {PurePath(name).stem: text for name, text in run.texts.items()}
        if len(stems) < len(run.texts) or not stems.keys().isdisjoint(run.texts):
            return run
        self.topics = list(self.topics)
        ids = {topic.id for topic in self.topics}
        return replace(run, texts=stems) if stems.keys() <= ids else run

    def differences(
        self,
        runs: Sequence[Run],
        evaluations: Sequence[Sequence[Evaluation]],
    ) -> Iterator[str]:
        """Yield a line per mismatch between gold and runs, evaluated in each metric; `InputError`
        if nothing can be scored.
        """
        scored = [of_metric for of_metric in evaluations if of_metric[0].units]
        for evaluation, *_ in evaluations:
            if evaluation.units:
                continue
            if not scored or evaluation.metric not in LINK_METRICS:
                raise self._without(evaluation.metric)
            # Task 1 metrics come in pairs, and some gold has only spans or only facets.
            expected = _expected(evaluation.metric)
            yield f"no gold for {evaluation.metric}, which is not scored; expected {expected}"
        topics = {topic for evaluation, *_ in scored for topic in evaluation.topics}
        if unscored := [topic for topic in self.ids if topic not in topics]:
            yield f"not scored, without gold: {listed(unscored, _MOST_LISTED)}"
        by_rouge = any(evaluation.metric in METRICS for evaluation, *_ in scored)
        if by_rouge and self.uncounted:
            yield told_uncounted("gold summaries", self.uncounted)
        if by_rouge and self.tagged:
            yield _told_tagged("gold summaries", self.tagged)
        for run, evaluation in zip(runs, scored[0], strict=True):
            yield from self._of_run(run, evaluation)
            texts = run.texts.items() if by_rouge and isinstance(run, SummaryRun) else ()
            written = [(id_, text) for id_, text in texts if id_ in topics and text.strip()]
            if uncounted := [id_ for id_, text in written if has_no_word([text])]:
                yield told_uncounted(f"{run.name}: texts", uncounted)
            if tagged := [id_ for id_, text in written if _TAG.search(text)]:
                yield _told_tagged(f"{run.name}: texts", tagged)

    def _without(self, metric: str) -> InputError:
        """Return the error for gold that no metric can use."""
        why = f"no gold for {metric}; expected {_expected(metric)}"
        if self.failed:
            why += f"; {counted(len(self.failed), 'topic')} cannot be read: {told(self.failed)}"
        return InputError(why, self.place)

    def _of_run(self, run: Run, evaluation: Evaluation) -> Iterator[str]:
        """Yield a line for topics that the run lacks, for those that the gold lacks, and for those
        that a model was trained on.
        """
        topics = [topic for topic, _ in run.links] if isinstance(run, LinkRun) else [*run.texts]
        if len(evaluation.missing) == len(evaluation.units):
            raise InputError(
                f"the run {run.name} has none of these topics (it has {_first(topics)}, the gold "
                f"{_first(self.ids)}); is this its gold?",
                self.place,
            )
        if evaluation.missing:
            yield (
                f"{run.name}: not in the run, scored as empty: "
                f"{listed(evaluation.missing, _MOST_LISTED)}"
            )
        ids = {*self.ids, *(topic.id for topic in self.failed)}
        if extra := sorted(set(topics) - ids):
            yield f"{run.name}: not in the gold, ignored: {listed(extra, _MOST_LISTED)}"
        yield from evaluation.training_lines


def _first(topics: Iterable[str]) -> str:
    return next((f"{topic:.60}" for topic in topics), "none")


def _expected(metric: str) -> str:
    """Return what a metric needs of the gold."""
    if metric in TEXT_METRICS:
        return f"topics with {TEXT_METRICS[metric].gold}"
    if metric in LINK_METRICS:
        return f"citances with annotated {LINK_METRICS[metric].gold}"
    return "topics with summaries, or with annotated citances for a Task 1 file"


def has_no_word(texts: Sequence[str]) -> bool:
    """Return whether there are texts, none of which has a word that ROUGE counts."""
    return bool(texts) and not any(map(_WORD.search, texts))


def told_uncounted(what: str, topics: Sequence[str]) -> str:
    """Return the warning about topics whose texts have no word that ROUGE counts."""
    return (
        f"{what} without a letter or digit that ROUGE counts (A-Z, 0-9), scored as 0: "
        f"{listed(topics, _MOST_LISTED)}"
    )


def _told_tagged(what: str, topics: Sequence[str]) -> str:
    """Return the warning about topics whose texts have tags."""
    return (
        f"{what} with tags such as <p>, whose names ROUGE counts as words; remove the tags: "
        f"{listed(topics, _MOST_LISTED)}"
    )


def rouge_options(gold: Gold, asked: Options) -> RougeOptions:
    """Return the ROUGE options for gold, which alone decides them: one run, one score.

    `stem` and `words` default to TAC's rules (stems, the first 250 words) where the first gold
    topic is about a paper, else to neither.
    """
    options = Options(**asked)
    if _about_papers(gold):
        options.setdefault("stem", FORMATS["tac"].stem)
        if not options.get("bytes"):
            options.setdefault("words", FORMATS["tac"].cut)
    return RougeOptions(**options)


def _about_papers(gold: Gold) -> bool:
    """Return whether the first readable topic is about a paper; the gold keeps its topics."""
    stream = iter(gold.topics)
    read: list[Topic | BrokenTopic] = []
    about_papers = False
    for topic in stream:
        read.append(topic)
        if isinstance(topic, Topic):
            about_papers = topic.reference is not None or bool(topic.citances)
            break
    gold.topics = chain(read, stream)
    return about_papers
