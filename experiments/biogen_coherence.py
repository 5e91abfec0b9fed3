"""Measure the cost in ROUGE of each rule of coherence and each order: BioASQ 8 after training on 1-6, in two pools.

python experiments/biogen_coherence.py [--data ../shared/data] [--out experiments/results]

The thresholds were chosen with `--editions 1 2 3 4 --test 5 6`, which does not use editions 7 and 8.
"""

import argparse
from collections.abc import Sequence

import msgspec
import numpy as np
from bioasq import WORDS, Case, Source, add_options, edition, train, write

from ilpsum.learning.models import SystemModel
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline import ordering
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import RULES, CoherenceTable, OrderTable, System

ALL = dict.fromkeys(RULES, True)
RULE_SETS = {"plain": {}, **{rule: {rule: True} for rule in RULES}, "all rules": ALL}
ORDERS = ("document", "score", "facet", "answer")


def systems(name: str) -> dict[str, System]:
    """Return the system with each set of rules, and with all rules in each order."""
    system = System.load(name)
    by_name = {n: msgspec.structs.replace(system, coherence=CoherenceTable(**rules)) for n, rules in RULE_SETS.items()}
    for order in ORDERS[1:]:
        ordered = msgspec.structs.replace(system, coherence=CoherenceTable(**ALL), order=OrderTable(by=order))
        by_name[f"all rules, order {order}"] = ordered
    return by_name


def answer(summarizer: Pipeline, case: Case) -> tuple[str, int]:
    """Return the text that `summarize` writes, and its number of sentences."""
    prepared = case.prepared(summarizer)
    chosen = summarizer.select(prepared, WORDS).chosen
    sentences = summarizer.arrange(prepared, chosen, [prepared.sentences[i] for i in chosen])
    return ordering.render(sentences, summarizer.system.order), len(chosen)


def measured(system: System, model: SystemModel, cases: Sequence[Case]) -> np.ndarray:
    """Return ROUGE-2 and ROUGE-SU4 recall, words and sentences, (cases, 4)."""
    summarizer, rows = Pipeline(system, model), []
    for case in cases:
        text, sentences = answer(summarizer, case)
        scores = References(case.topic.summaries[:1]).score(text)
        rows.append([scores["ROUGE-2"].recall, scores["ROUGE-SU4"].recall, len(text.split()), sentences])
    return np.array(rows)


def table(model: SystemModel, cases: Sequence[Case], name: str, only: Sequence[str] = ()) -> str:
    """Format a row for each set of rules: means, and the difference in ROUGE-SU4 from the plain system."""
    lines = ["| rules | ROUGE-2 | ROUGE-SU4 | words | sentences | SU4 over plain [95 %], p |", "|---" * 6 + "|"]
    plain = None
    for row, system in systems(name).items():
        if only and row not in only:
            continue
        found = measured(system, model, cases)
        plain = found if plain is None else plain
        over = paired_bootstrap(found[:, 1].tolist(), plain[:, 1].tolist())
        gain = f"{over.difference:+.4f} [{over.low:+.4f}, {over.high:+.4f}], {over.p_value:.4f}"
        gain = "" if found is plain else gain
        means = found.mean(axis=0)
        lines.append(f"| {row} | {means[0]:.4f} | {means[1]:.4f} | {means[2]:.0f} | {means[3]:.1f} | {gain} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--editions", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6], help="editions to train on")
    parser.add_argument("--test", type=int, nargs="+", default=[8], help="editions to answer")
    parser.add_argument("--system", default="concepts-snippets")
    parser.add_argument("--shipped", action="store_true", help="use the included model, which was trained on edition 8")
    parser.add_argument("--only", nargs="*", default=[], help="rows of the table (default: all)")
    options = parser.parse_args()
    source = Source(options.data)
    trained = "the included model" if options.shipped else f"trained on editions {options.editions}"
    blocks = [f"{options.system}, {trained}; recall, first ideal answer, no stemming, {WORDS} words."]
    for pool in ("snippets", "merged"):
        test = source.cases(edition(*options.test), pool)
        if options.shipped:
            model = Pipeline.load(options.system).model
        else:
            model = train(System.load(options.system), source.cases(edition(*options.editions), pool))
        blocks += [f"## {pool} ({len(test)} questions)", table(model, test, options.system, options.only)]
    title = f"Rules of coherence on BioASQ {', '.join(map(str, options.test))}"
    write(options, "biogen-coherence", title, "python experiments/biogen_coherence.py", blocks)


if __name__ == "__main__":
    main()
