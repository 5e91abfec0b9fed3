"""Compare rules of coherence and clean text by ROUGE and readability, with the shipped models or leaving topics out.

    python experiments/readability.py questions [--editions 9 10 11] [--pools snippets merged]
        [--part K/N] [--models DIR]
    python experiments/readability.py papers [--folds 5]

Questions: editions 9-11 of BioASQ, by the shipped models or those of a folder (`snippets.npz`, `merged.npz`); mean of
ROUGE-2 and ROUGE-SU4 recall against the first ideal answer, 200 words. Papers: TAC topics, each summarised by a model
trained on the other folds; ROUGE-2 recall with the options `-m -l 250`. Readability: `readability_faults`.
A variant is `default`, the system as it ships, `none`, or names of rules joined by `+`, after `@` the overlap of
redundant sentences, after `~` the rules that yield, before `:` the word `clean`.
"""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from experiments.readability_faults import faults
from ilpsum.formats import bioasq, read_topics
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import CoherenceTable, System
from ilpsum.pipeline.training.examples import example
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Topic

VARIANTS = (
    "none",
    "statements+redundancy",
    "anaphora+statements+redundancy",
    "anaphora+statements+redundancy~anaphora",
    "clean:none",
    "clean:anaphora+statements+redundancy~anaphora",
)
WORDS = 200
# Topic, pool or fold, and by variant ROUGE, and for each sentence whether it has a fault.
Row = tuple[str, str, dict[str, tuple[float, list[bool]]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["questions", "papers"])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--variants", nargs="+", default=VARIANTS)
    parser.add_argument("--editions", nargs="+", type=int, default=(9, 10, 11))
    parser.add_argument("--pools", nargs="+", default=("snippets", "merged"))
    parser.add_argument("--part", default="0/1", help="every Nth question of a file from the Kth on, K/N")
    parser.add_argument("--models", type=Path, help="folder of POOL.npz, models for the questions of each pool")
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    rows = list(questions(options) if options.what == "questions" else papers(options))
    print(f"| topics | {' | '.join(options.variants)} |")
    for group in dict.fromkeys(row[1] for row in rows):
        cells = [_cell([row[2][variant] for row in rows if row[1] == group]) for variant in options.variants]
        print(f"| {group} ({sum(row[1] == group for row in rows)}) | {' | '.join(cells)} |")


def changed(system: System, variant: str) -> System:
    """Return a system with the rules and the text of a variant."""
    if variant == "default":
        return system
    head, _, rest = variant.rpartition(":")
    names, _, yielding = rest.partition("~")
    names, _, overlap = names.partition("@")
    rules = {} if names == "none" else dict.fromkeys(names.split("+"), True)
    relax = tuple(filter(None, yielding.split("+")))
    table = CoherenceTable(**rules, overlap=float(overlap) if overlap else None, relax=relax)
    return msgspec.structs.replace(system.cleaned(head == "clean"), coherence=table)


def questions(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the scores of each question, and again in a group of those whose pool exceeds the word limit."""
    first, step = map(int, options.part.split("/"))
    for pool in options.pools:
        system = System.load("concepts").for_kind(pool)
        model = Pipeline.load(system, options.models and options.models / f"{pool}.npz").model
        tried = {name: Pipeline(changed(system, name), model) for name in options.variants}
        files = [(e, f) for e in options.editions for f in (options.data / "bioasq").glob(f"{e}B*_golden.json.gz")]
        pairs = ((e, t) for e, file in sorted(files) for t in list(bioasq.read(file, pool=pool))[first::step])
        for edition, topic in pairs:
            if isinstance(topic, Topic) and topic.summaries and topic.documents:
                scores = scored(topic, tried)
                yield topic.id, f"{pool}, edition {edition}", scores
                if sum(len(d.text.split()) for d in topic.documents) > WORDS:
                    yield topic.id, f"{pool}, edition {edition}, over 200 words", scores


def scored(topic: Topic, tried: Mapping[str, Pipeline]) -> dict[str, tuple[float, list[bool]]]:
    """Return the scores of a question's answer by each summarizer; the same candidates have their features once."""
    known, scores, references = {}, {}, References(topic.summaries[:1])
    for name, summarizer in tried.items():
        table, relevance = summarizer.system.candidates, summarizer.system.relevance
        if table not in known and relevance:
            found = candidates(topic, table)
            around = context(topic, found)
            known[table] = found, around, relevance.feature_set.matrix(around)
        prepared = summarizer.prepare(topic, known[table])
        text = summarizer.summary(*summarizer.fill(prepared, summarizer.select(prepared, WORDS), WORDS), WORDS).text
        recalls = [score.recall for score in references.score(text).values()]
        scores[name] = (sum(recalls) / 2, [bool(fault) for fault in faults(text, topic)])
    return scores


def papers(options: argparse.Namespace) -> Iterator[Row]:
    """Summarise each TAC topic by models trained on the other folds, with and without clean text."""
    topics = [t for t in read_topics([str(options.data / "tac2014")], "tac") if isinstance(t, Topic)]
    plain = System.load("concepts").for_kind("papers")
    scores: list[dict[str, tuple[float, list[bool]]]] = [{} for _ in topics]
    for clean in (False, True):
        system, variants = (
            plain.cleaned(clean),
            [v for v in options.variants if changed(plain, v).candidates.clean == clean],
        )
        examples = [example(system, topic) for topic in topics]
        for fold in range(options.folds):
            model = fit(system, [e for i, e in enumerate(examples) if i % options.folds != fold], words=250)
            for i in range(fold, len(topics), options.folds):
                for variant in variants:
                    text = Pipeline(changed(system, variant), model)(topics[i]).text
                    rouge = References(topics[i].summaries, stem=True, words=250).score(text)["ROUGE-2"].recall
                    scores[i][variant] = (rouge, [bool(f) for f in faults(text, topics[i])])
    yield from ((topic.id, "papers", found) for topic, found in zip(topics, scores, strict=True))


def _cell(found: Sequence[tuple[float, list[bool]]]) -> str:
    """Format mean ROUGE, and the share of all sentences without a fault."""
    judged = [fault for _, of_text in found for fault in of_text]
    return f"{np.mean([rouge for rouge, _ in found]):.4f}, {1 - np.mean(judged):.1%} of {len(judged)}"


if __name__ == "__main__":
    main()
