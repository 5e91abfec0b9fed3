"""Score answers to questions of BioASQ without a mechanism: relaxed rules, the price of a word.

    python -m experiments.leaving_out --snippets MODEL --merged MODEL --editions 11 [--data DIR]

Relaxing: mean recall of ROUGE-2 and ROUGE-SU4, and the share of chosen sentences that are not
whole. The price: mean F1 of the same. At most 200 words, first ideal answer, no stemming. A model
is a file, or the name of an included one, which has seen all editions.
"""

import sys
from collections.abc import Mapping, Sequence

import numpy as np

from experiments.bioasq import SEEDS, WORDS, Case, Row, Source, changed, difference, edition, score
from experiments.concepts_short import f1
from experiments.page import Page, parser
from features.sentences import is_whole
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.summarizer import load_model
from ilpsum.pipeline.system import System

SYSTEMS = {"snippets": "concepts-snippets", "merged": "concepts-merged"}
RULES: dict[str, dict[str, object]] = {
    "as it is": {},
    "no rule is relaxed": {"relax": ()},
    "no rule is relaxed, no `fragments`": {"relax": (), "fragments": False},
}
SHORT = {"lambda_": 0.02, "lead": 0.0}
LIMITS = (40, 50, 60, 80)


def answer(pipeline: Pipeline, case: Case, words: int) -> list[str]:
    """Return the sentences of an answer of at most this many words."""
    prepared = case.prepared(pipeline)
    prepared, selection = pipeline.fill(prepared, words)
    return [prepared.sentences[i].text for i in selection.chosen]


def table(rows: Mapping[str, Row], further: Mapping[str, str], heads: str) -> str:
    """Format the rows as Markdown, each with its difference from the first."""
    first = next(iter(rows.values()))
    lines = [f"| {heads} | difference from the first row [95 %], p |", "|---|---|---|---|"]
    for name, row in rows.items():
        less = "" if row is first else difference(row, first)
        lines.append(f"| {name} | {row.scores.mean():.4f} | {further[name]} | {less} |")
    return "\n".join(lines)


def relaxed(system: System, model: str, cases: Sequence[Case]) -> str:
    """Return the table of the rules that are relaxed."""
    rows, fragments = {}, {}
    for name, rules in RULES.items():
        pipeline = Pipeline(changed(system, coherence=rules), load_model(system, model))
        answers = [answer(pipeline, case, WORDS) for case in cases]
        scores = [score("\n".join(a), case) for a, case in zip(answers, cases, strict=True)]
        rows[name] = Row(name, np.array(scores))
        cut = [not is_whole(sentence) for sentences in answers for sentence in sentences]
        fragments[name] = f"{np.mean(cut):.3f}"
    return table(rows, fragments, "rules | recall | not whole")


def priced(system: System, model: str, cases: Sequence[Case]) -> str:
    """Return the table of short answers: with a price of a word, and by lower limits."""
    short = changed(system, selection={**SHORT, "word_cost": 0.15})
    variants = {"price .15": (short, WORDS)}
    for limit in LIMITS:
        variants[f"at most {limit} words"] = (system, limit)
    rows, words = {}, {}
    for name, (tried, limit) in variants.items():
        pipeline = Pipeline(tried, load_model(system, model))
        texts = ["\n".join(answer(pipeline, case, limit)) for case in cases]
        values = np.array([f1(text, case) for text, case in zip(texts, cases, strict=True)])
        rows[name] = Row(name, values[:, :2].mean(axis=1))
        words[name] = f"{values[:, 3].mean():.0f}"
    return table(rows, words, "answers | F1 | words")


def main(argv: Sequence[str]) -> None:
    """Write the page."""
    arguments = parser("experiments.leaving_out", __doc__)
    for pool in SYSTEMS:
        arguments.add_argument(f"--{pool}", required=True, help=f"a model for {pool}")
    arguments.add_argument("--editions", type=int, nargs="+", default=[11])
    options = arguments.parse_args(argv)
    page = Page.begin(options, argv, name="leaving-out")
    blocks = [f"{SEEDS}. Editions {', '.join(map(str, options.editions))}."]
    for pool, name in SYSTEMS.items():
        system, model = System.load(name), getattr(options, pool)
        source = Source(options.data, system.candidates)
        cases = source.cases(edition(*options.editions), pool)
        blocks += [f"## {pool}", f"{len(cases)} questions.", relaxed(system, model, cases)]
        if pool == "snippets":
            blocks.append(priced(system, model, cases))
    page.write("Left out", blocks)


if __name__ == "__main__":
    main(sys.argv[1:])
