"""Score CL-SciSumm Task 2: summaries of 20 papers of computational linguistics, against three kinds of gold.

    python experiments/concepts_scisumm.py [--data ../shared/data] [--out experiments/results]

ROUGE-2 of at most 250 words, without stemming, against each kind of gold. `trained on TAC` is a model of papers of
biology, a different field; `own topics` trains on the human summaries of the other topics in five folds;
`concepts-linguistics` trains on 285 other papers of the field, those of ScisummNet whose names end in 0, 3 or 6. The
models of `concepts` that ship have seen the 20 topics through this prior, so here `concepts` has none. The abstract is
part of the paper, so systems that copy it score best against it.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from bioasq import Row, difference, write

from ilpsum.formats import ReaderOptions, read_topics
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import example, prepare
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Topic

WORDS, FOLDS = 250, 5
KINDS = ("abstract", "human", "community")


def texts(data: Path, topics: Sequence[Topic]) -> dict[str, list[str]]:
    """Return the summaries of each system, in the order of the topics."""
    found = {name: _texts(Pipeline.load(name), topics) for name in ("lead", "random", "greedy")}
    biology = [t for t in read_topics([data / "tac2014"], "tac") if isinstance(t, Topic)]
    for name in ("task2", "concepts"):
        system = System.load(name).for_kind("papers")
        system = msgspec.structs.replace(system, recipe=msgspec.structs.replace(system.recipe, prior=""))
        model = fit(system, prepare(system, biology)[0], words=WORDS)
        found[f"{name}, trained on TAC"] = _texts(Pipeline(system, model), topics)
        examples = [example(system, topic) for topic in topics]
        own = [""] * len(topics)
        for fold in range(FOLDS):
            model = fit(system, [e for i, e in enumerate(examples) if e and i % FOLDS != fold], words=WORDS)
            own[fold::FOLDS] = _texts(Pipeline(system, model), topics[fold::FOLDS])
        found[f"{name}, own topics"] = own
    system = System.load("concepts-linguistics")
    every = read_topics([data / "scisummnet.tar.gz"], "scisumm", ReaderOptions(summaries="human"))
    some = (t for t in every if isinstance(t, Topic) and t.id[-1] in "036")
    model = fit(system, prepare(system, some)[0], words=WORDS)
    found["concepts-linguistics"] = _texts(Pipeline(system, model), topics)
    # The oracle covers the bigrams of the human summary.
    found["oracle of human"] = _texts(Pipeline.load("oracle"), topics)
    return found


def _texts(summarizer: Pipeline, topics: Sequence[Topic]) -> list[str]:
    return [summarizer(topic, WORDS).text for topic in topics]


def table(found: dict[str, list[str]], golds: dict[str, list[Topic]]) -> str:
    """Format ROUGE-2 recall and F1 against each kind of gold, and the gain over the lead in human F1."""
    head = [f"{kind} {measure}" for kind in golds for measure in ("R", "F1")]
    lines = [f"| system | {' | '.join(head)} | human F1 over lead [95 %], p |", "|---" * (len(head) + 2) + "|"]
    rows: dict[str, Row] = {}
    for name, summaries in found.items():
        values = []
        for kind, topics in golds.items():
            scores = [
                References(t.summaries, ("ROUGE-2",), words=WORDS).score(text)["ROUGE-2"]
                for t, text in zip(topics, summaries, strict=True)
                if t.summaries
            ]
            values += [np.mean([s.recall for s in scores]), np.mean([s.f1 for s in scores])]
            if kind == "human":
                rows[name] = Row(name, np.array([s.f1 for s in scores]))
        over = "" if name == "lead" else difference(rows[name], rows["lead"])
        lines.append(f"| {name} | {' | '.join(f'{v:.4f}' for v in values)} | {over} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--out", type=Path, default=Path("experiments/results"), help="folder for the table")
    options = parser.parse_args()
    golds = {
        kind: [
            t
            for t in read_topics([options.data / "scisumm"], "scisumm", ReaderOptions(summaries=kind))
            if isinstance(t, Topic)
        ]
        for kind in KINDS
    }
    counts = ", ".join(f"{kind} {sum(bool(t.summaries) for t in topics)}" for kind, topics in golds.items())
    counted = f"{len(golds['human'])} topics; topics with each kind of gold: {counts}."
    title, command = "CL-SciSumm, Task 2", "python experiments/concepts_scisumm.py"
    write(options, "scisumm-task2", title, command, [counted, table(texts(options.data, golds["human"]), golds)])


if __name__ == "__main__":
    main()
