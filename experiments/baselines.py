"""Score the baselines that papers report beside ILP-SUM-2, GR-SUM-2 and `concepts`, none of which
has seen the topics that it is scored on.

    python -m experiments.baselines [--settings tac snippets merged] [--train 6] [--test 4]
                                    [--data ../shared/data] [--out experiments/results]

TAC: models of six folds, each of which summarises the topics that it was not trained on. BioASQ
9-11: ILP-SUM-2 and GR-SUM-2 by the model that ships, trained on editions 1-8; `concepts` trained
here on every --train-th question of these. Every --test-th question of 9-11 is answered.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from experiments.bioasq import WORDS, Source, edition
from experiments.page import Page, parser
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import bootstrap_interval, paired_bootstrap
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.pipeline.system import Kind, System
from ilpsum.pipeline.training.examples import example
from ilpsum.pipeline.training.fitting import fit
from ilpsum.pipeline.training.folds import fit_folds, folds_of
from ilpsum.records import Topic
from ilpsum.selection import SELECTORS
from ilpsum.tasks import read_topics

METHODS = tuple(name for name in SELECTORS.own if not SELECTORS[name].needs_relevance)
REFERENCE, OF_TIME = "lead", "lexrank"
FOLDS = 6
TRAINED, TESTED = range(1, 9), (9, 10, 11)
METRICS = ("ROUGE-2", "ROUGE-SU4")

Summarise = Callable[[Topic], Pipeline]
"""Returns the pipeline that may summarise a topic."""


@dataclass
class Scores:
    """The scores of a system on each topic.

    Attributes:
        recalls: recall of ROUGE-2 and of ROUGE-SU4.
        words: length of each text.
        seconds: processor time of all summaries.
    """

    recalls: list[tuple[float, float]] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def means(self) -> list[float]:
        """The mean of both recalls, by topic."""
        return [sum(pair) / 2 for pair in self.recalls]


def baselines(kind: Kind) -> dict[str, Summarise]:
    """Return the methods without a model, with the candidates of the field."""
    found: dict[str, Summarise] = {}
    for method in METHODS:
        system = with_settings(System.load("concepts"), {"selection.method": method})
        pipeline = Pipeline(system.for_kind(kind), explained=False)
        found[method] = lambda _, pipeline=pipeline: pipeline
    return found


def of_papers(topics: Sequence[Topic]) -> dict[str, Summarise]:
    """Return the learned systems, each with a model per fold."""
    fold_of = dict(zip((topic.id for topic in topics), folds_of(topics, FOLDS), strict=True))
    found: dict[str, Summarise] = {}
    for trained, names in (
        ("ilp-sum-2-tuned", ("ilp-sum-2-tuned", "gr-sum-2-tuned")),
        ("concepts", ("concepts",)),
    ):
        system = System.load(trained).for_kind("papers")
        examples = {topic.id: part for topic in topics if (part := example(system, topic))}
        models = fit_folds(system, examples, fold_of)
        for name in names:
            pipelines = [
                Pipeline(System.load(name).for_kind("papers"), model, explained=False)
                for model in models
            ]
            found[name] = lambda topic, pipelines=pipelines: pipelines[fold_of[topic.id]]
        print(f"trained {trained} in {FOLDS} folds", flush=True)
    return found


def of_questions(source: Source, pool: Kind, share: int) -> dict[str, Summarise]:
    """Return the learned systems for a pool of documents of BioASQ's questions."""
    found: dict[str, Summarise] = {}
    for name in ("ilp-sum-2-tuned", "gr-sum-2-tuned"):
        pipeline = Summarizer.load(name, explained=False).for_kind(pool)
        found[name] = lambda _, pipeline=pipeline: pipeline
    system = System.load("concepts").for_kind(pool)
    topics = [topic for batch in edition(*TRAINED) for topic in source.topics(batch, pool)]
    examples = [part for topic in topics[::share] if (part := example(system, topic))]
    print(f"{pool}: training on {len(examples)} questions", flush=True)
    model = fit(system, examples, words=WORDS)
    concepts = Pipeline(system, model, explained=False)
    found["concepts"] = lambda _: concepts
    return found


def measured(
    systems: Mapping[str, Summarise],
    topics: Sequence[Topic],
    words: int,
    references: Callable[[Topic], References],
) -> dict[str, Scores]:
    """Return the scores of systems, run topic by topic so that all meet the same load."""
    scores = {name: Scores() for name in systems}
    for number, topic in enumerate(topics):
        # The first to read a topic fills caches of words: each system is first in its turn.
        turn = number % len(systems)
        names = list(systems)
        for name in names[turn:] + names[:turn]:
            pipeline = systems[name](topic)
            start = time.process_time()
            text = pipeline(topic, words).text
            scores[name].seconds += time.process_time() - start
            two, skip = references(topic).score(text).values()
            scores[name].recalls.append((two.recall, skip.recall))
            scores[name].words.append(len(text.split()))
    return scores


def table(scores: Mapping[str, Scores]) -> str:
    """Format scores as Markdown, the best mean first."""
    lines = [
        "| system | ROUGE-2 [95 %] | ROUGE-SU4 [95 %] | mean over `lead` [95 %], p | words | time |",
        "|---" * 6 + "|",
    ]
    for name, own in sorted(scores.items(), key=lambda item: -float(np.mean(item[1].means))):
        cells = [f"`{name}`"]
        for column in range(len(METRICS)):
            interval = bootstrap_interval([pair[column] for pair in own.recalls])
            cells.append(f"{interval.mean:.4f} [{interval.low:.4f}, {interval.high:.4f}]")
        difference = ""
        if name != REFERENCE:
            test = paired_bootstrap(own.means, scores[REFERENCE].means)
            difference = (
                f"{test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}], {test.p_value:.4f}"
            )
        ratio = own.seconds / scores[OF_TIME].seconds
        cells += [difference, f"{np.mean(own.words):.0f}", f"{ratio:.2g}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def kept(path: Path, measure: Callable[[], dict[str, Scores]]) -> dict[str, Scores]:
    """Return the scores in a file, or measure and write them, so that an interrupted run can resume."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.encode(measure()))
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Scores])


def tac(source: Source) -> dict[str, Scores]:
    """Return the scores on TAC 2014, Task 2."""
    read = read_topics([source.data / "tac2014"], "tac")
    topics = [topic for topic in read if isinstance(topic, Topic)]
    systems = {**baselines("papers"), **of_papers(topics)}
    return measured(systems, topics, 250, lambda t: References(t.summaries, stem=True, words=250))


def bioasq(source: Source, pool: Kind, training: int, test: int) -> dict[str, Scores]:
    """Return the scores on a pool of BioASQ 9-11."""
    every = [topic for batch in edition(*TESTED) for topic in source.topics(batch, pool)]
    topics = [topic for topic in every[::test] if topic.summaries and topic.documents]
    systems = {**baselines(pool), **of_questions(source, pool, training)}
    return measured(systems, topics, WORDS, lambda topic: References(topic.summaries[:1]))


def main(argv: Sequence[str]) -> None:
    options = parser("experiments.baselines", __doc__)
    options.add_argument("--settings", nargs="+", default=["tac", "snippets", "merged"])
    options.add_argument("--train", type=int, default=6, metavar="N")
    options.add_argument("--test", type=int, default=4, metavar="N")
    chosen = options.parse_args(argv)
    page = Page.begin(chosen, argv)
    source = Source(chosen.data)
    places = chosen.out / f"baselines-{chosen.train}-{chosen.test}"
    blocks = [TEXT]
    for setting in chosen.settings:
        if setting == "tac":
            scores = kept(places / "tac.json", lambda: tac(source))
            title = f"TAC 2014, Task 2 ({len(scores[REFERENCE].words)} topics)"
        else:
            pool: Kind = "merged" if setting == "merged" else "snippets"
            measure = partial(bioasq, source, pool, chosen.train, chosen.test)
            scores = kept(places / f"{pool}.json", measure)
            title = f"BioASQ 9-11, {pool} ({len(scores[REFERENCE].words)} questions)"
        blocks += [f"## {title}", table(scores)]
    page.write("Baselines", [*blocks, SUMY], "seed 0 of the bootstrap, 1 of training")


TEXT = """The baselines that papers report (`ilpsum/selection/centrality.py`, `coverage.py`,
`baselines.py`), with the parameters of their papers, beside ILP-SUM-2, GR-SUM-2 and `concepts`. The
baselines take the field's candidates, the sentences of the paper (without citances) or of the
question's texts, and no rules, as `--method NAME` does; the learned systems have their own.

No system was scored on topics that its model has seen:

* Baselines have no model. The word vectors of `centroid` and ILP-SUM-2 saw abstracts, no gold. The
  oracle, an upper bound, sees the gold: on BioASQ all ideal answers of a question, of which the
  first is scored.
* TAC: ILP-SUM-2, GR-SUM-2 and `concepts` are trained here in six folds that share no paper,
  and summarise the fold that they were not trained on, as by `ilpsum summarize --folds 6`.
* BioASQ 9-11: ILP-SUM-2 and GR-SUM-2 are the models that ship, trained on the 3,770 questions of
  BioASQ 1-8; `concepts` is trained here on every N-th of these (`--train`), with the recipe of the
  system that ships, and a model of all may be better. Every N-th question of 9-11 is answered
  (`--test`).

Recall against the gold. TAC: four summaries, stems, 250 words; BioASQ: the first ideal answer, no
stems, 200 words. Intervals are of the bootstrap over topics; differences are of the mean of both
metrics, with the paired bootstrap, not corrected for the number of rows. Time is the processor time
of a summary, candidates and features included, divided by LexRank's: all systems summarise each
topic in turn, each first in its turn."""

SUMY = """## Against sumy 0.13

On the same words, our scores are sumy's but for these differences, each held by a test
(`tests/ilpsum/selection/test_field_baselines.py`):

* LexRank: sumy divides the frequency of a word by the largest of the sentence, takes log(n / (1 +
  df)) for its IDF, never jumps (no damping), and ends at a change of .1. Ours are the paper's: tf,
  log(n / df), jumps of probability .15, and a walk to its end. With the paper's weights, sumy's
  links and, run to the end, its scores are ours without jumps. Of equal scores, sumy takes the
  first sentence of the text, ours the one most similar to all others.
* SumBasic: sumy takes the sentence of the best mean; the paper, and ours, the best of those with
  the most probable word. sumy squares the probability of a word for each occurrence in a sentence,
  ours once.
* KL-Sum: sumy adds up the words of the summary, a sum that may be negative; ours, as published,
  those of the source, with the frequencies of the summary smoothed by .1. Of .001, .01, .1 and .5,
  tried on TAC (ROUGE-2 F1 .117, .117, .130, .121), .1 is the best, which flatters its score there;
  BioASQ had no part in the choice."""

if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
