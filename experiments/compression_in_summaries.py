"""Measure the effect of compressed variants on summaries: TAC Task 2 and BioASQ.

    python experiments/compression_in_summaries.py tac [--data ../shared/data]
    python experiments/compression_in_summaries.py bioasq [--data ../shared/data]

Every system is trained without compression, and the same model then selects with each set of rules. TAC: 14 topics,
leaving one out, ROUGE-2 and ROUGE-SU4 recall, `-m -l 250`. BioASQ: edition 3 after training on 1 and 2, questions whose
pool exceeds the limit of 200 words, recall against the first ideal answer. Prints Markdown, with intervals and p-values
of the paired bootstrap against the same system without compression.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import msgspec
import numpy as np
from bioasq import WORDS as ANSWER_WORDS
from bioasq import Case, Source, edition, train

from features.arrays import Floats
from ilpsum.compression.compressor import VARIANT_A
from ilpsum.formats import read_topics
from ilpsum.learning.models import SystemModel
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import CompressionTable, System
from ilpsum.pipeline.training.examples import example
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Sentence, Topic

WORDS = 250
SYSTEMS = {"tac": ("task2", "concepts"), "bioasq": ("ilp-sum-1", "concepts-snippets")}
RULES: dict[str, tuple[str, ...]] = {
    "whole sentences": (),
    "the default rules": CompressionTable().rules,
    "rules 1-6": VARIANT_A,
    "dt alone": ("dt",),
    "vbg alone": ("vbg",),
}


@dataclass(frozen=True)
class Outcome:
    """Results of a topic: recall of ROUGE-2 and ROUGE-SU4, words, chosen sentences, compressed sentences."""

    two: float
    four: float
    words: int
    sentences: int
    shortened: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", choices=["tac", "bioasq"])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--pool", default="merged", choices=["snippets", "merged"], help="BioASQ")
    options = parser.parse_args()
    source = Source(options.data)
    for name in SYSTEMS[options.corpus]:
        system = System.load(name).for_kind("papers")
        rows = tac(system, options.data) if options.corpus == "tac" else bioasq(system, source, options.pool)
        show(name, rows)


def compressing(system: System, rules: tuple[str, ...]) -> System:
    return msgspec.structs.replace(system, compression=CompressionTable(rules=rules) if rules else None)


def tac(system: System, data: Path) -> Iterator[tuple[str, list[Outcome], float]]:
    topics = [t for t in read_topics([data / "tac2014"], "tac") if isinstance(t, Topic)]
    examples = [example(system, topic) for topic in topics]
    models = [fit(system, [e for i, e in enumerate(examples) if i != k], words=WORDS) for k in range(len(topics))]
    references = [References(topic.summaries, stem=True, words=WORDS) for topic in topics]
    for name, rules in RULES.items():
        start, found = process_time(), []
        for topic, model, gold in zip(topics, models, references, strict=True):
            summary = Pipeline(compressing(system, rules), model)(topic, WORDS)
            found.append(outcome(gold, summary.text, summary.sentences))
        yield name, found, process_time() - start


def bioasq(system: System, source: Source, pool: str) -> Iterator[tuple[str, list[Outcome], float]]:
    model = train(system, source.cases(edition(1, 2), pool))
    test = [case for case in source.cases(edition(3), pool) if case.words > ANSWER_WORDS]
    for name, rules in RULES.items():
        start = process_time()
        yield name, [answer(compressing(system, rules), model, case) for case in test], process_time() - start


def answer(system: System, model: SystemModel, case: Case) -> Outcome:
    summarizer = Pipeline(system, model)
    prepared = case.prepared(summarizer)
    chosen = [prepared.sentences[i] for i in summarizer.select(prepared, ANSWER_WORDS).chosen]
    return outcome(References(case.topic.summaries[:1]), "\n".join(s.text for s in chosen), chosen)


def outcome(gold: References, text: str, chosen: Sequence[Sentence]) -> Outcome:
    scores = gold.score(text)
    two, four = scores["ROUGE-2"].recall, scores["ROUGE-SU4"].recall
    return Outcome(two, four, len(text.split()), len(chosen), sum(bool(s.original) for s in chosen))


def show(system: str, rows: Iterator[tuple[str, list[Outcome], float]]) -> None:
    """Print the Markdown table of a system, row by row."""
    base: Floats | None = None
    for name, found, seconds in rows:
        two = np.array([o.two for o in found])
        if base is None:
            base = two
            print(f"\n{system}, {len(found)} topics\n")
            print("| rules | ROUGE-2 | ROUGE-SU4 | gain in ROUGE-2 [95 %], p | better, worse | words |"
                  " shortened | processor s |")  # fmt: skip
            print("|---|---:|---:|---|---|---:|---:|---:|")
        test = paired_bootstrap(two, base, seed=1)
        gain = f"{test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}], {test.p_value:.3f}"
        better = f"{int((two > base + 1e-9).sum())}, {int((two < base - 1e-9).sum())}"
        sentences, shortened = sum(o.sentences for o in found), sum(o.shortened for o in found)
        print(
            f"| {name} | {two.mean():.4f} | {np.mean([o.four for o in found]):.4f} | "
            f"{gain if two is not base else ''} | {better if two is not base else ''} | "
            f"{np.mean([o.words for o in found]):.1f} | {shortened / max(sentences, 1):.0%} | {seconds:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
