"""What was tried for papers: each TAC 2014 topic summarised by `concepts` trained on the others, variant by variant.

    python experiments/task2_papers.py [--variants NAME ...] [--out experiments/results]

Writes the scores of every topic (task2-papers.tsv) and prints the table of all variants there, those of earlier calls
included. ROUGE-2 and -SU4 recall as in task2_leave_one_out.py; intervals by paired bootstrap over topics, seed 1.
"""

import argparse
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import msgspec
import numpy as np
from task2_leave_one_out import WORDS, one_fold

from features.arrays import Floats
from features.context import Context
from features.sets import FEATURES, Feature
from ilpsum.formats import read_topics
from ilpsum.formats.papers import prose
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training import fitting
from ilpsum.pipeline.training.examples import Example, example
from ilpsum.records import Sentence, Topic

Scores = dict[int, tuple[float, float]]
BAGS = 5
PARTS = (("abstract", "highlights"), ("introduction",), ("results",), ("discussion", "conclusion"))


def changed(
    system: System, *, lambda_: float = 0.1, clean: bool = False, recipe: Mapping[str, object] | None = None
) -> System:
    """Return a system with another lambda, with clean text or not, and with other settings of its recipe."""
    return msgspec.structs.replace(
        system.cleaned(clean),
        selection=msgspec.structs.replace(system.selection, lambda_=lambda_),
        recipe=msgspec.structs.replace(system.recipe, **(recipe or {})),
    )


def with_wording(system: System) -> System:
    """Return a system with the feature `wording`."""
    table = msgspec.structs.replace(system.relevance, features="concepts + wording")
    return msgspec.structs.replace(system, relevance=table)


BASE = "citations kept, lambda .1"
NO_PRIOR = {"prior": "", "concept_penalty": 0.003}
VARIANTS: dict[str, Callable[[System], System]] = {
    "citations kept, no prior, lambda .05": lambda s: changed(s, lambda_=0.05, recipe=NO_PRIOR),
    "citations kept, lambda .05": lambda s: changed(s, lambda_=0.05),
    BASE: changed,
    "clean, lambda .05": lambda s: changed(s, lambda_=0.05, clean=True),
    "clean, lambda .1 (ships)": lambda s: changed(s, clean=True),
    "bagging": changed,
    "wording": lambda s: with_wording(changed(s)),
    "foreign `we` kept": changed,
    "foreign `we` attributed": changed,
}


def wording(context: Context) -> Floats:
    """Return (n, 14) shares of wording: over each sentence's bigrams of stems, then over its content stems.

    The share of citances and of documents that hold one; log(1 + its occurrences among the candidates of the paper);
    and whether another sentence of the abstract, introduction, results or discussion holds it.
    """
    columns = []
    for items in ("stem_bigrams", "content_stems"):
        rows = [getattr(s, items) for s in context.sentences]
        for passages in (context.citances, context.documents):
            held = Counter(item for p in passages for item in set(getattr(p, items)))
            columns.append([_mean([held[item] / len(passages) for item in row]) for row in rows])
        count = Counter(item for row, cites in zip(rows, context.is_citance, strict=True) if not cites for item in row)
        columns.append([_mean([np.log1p(count[item]) for item in row]) for row in rows])
        for part in PARTS:
            inside = [section in part for section in context.section]
            held = Counter(item for row, own in zip(rows, inside, strict=True) if own for item in set(row))
            columns.append(
                [_mean([float(held[item] > own) for item in row]) for row, own in zip(rows, inside, strict=True)]
            )
    return np.array(columns, dtype=np.float64).T


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def bagged(system: System, topics: Sequence[Topic], examples: Sequence[Example], fold: int) -> Scores:
    """Summarise a topic by the mean relevance and weights of models trained on resampled other topics."""
    inside, rng = [e for i, e in enumerate(examples) if i != fold], np.random.default_rng(fold)
    parts: list[Prepared] = []
    for _ in range(BAGS):
        drawn = sorted(set(rng.choice(len(inside), len(inside)).tolist()))
        summarizer = Pipeline(system, fitting.fit(system, [inside[i] for i in drawn], words=WORDS))
        parts.append(summarizer.prepare(topics[fold]))
    relevance = np.mean([[s.relevance for s in p.sentences] for p in parts], axis=0).tolist()
    weights = {c: _mean([p.weights[c] for p in parts if p.weights]) for c in parts[0].weights or ()}
    sentences = tuple(replace(s, relevance=r) for s, r in zip(parts[0].sentences, relevance, strict=True))
    whole = replace(parts[0], sentences=sentences, weights=weights)
    text = summarizer.summary(whole, summarizer.select(whole, WORDS), WORDS).text
    scores = References(topics[fold].summaries, stem=True, words=WORDS).score(text)
    return {fold: (scores["ROUGE-2"].recall, scores["ROUGE-SU4"].recall)}


def attributed(sentence: Sentence, *, paper: bool = False) -> Sentence:
    """Return a mended citance that speaks of its own paper after the name of that paper's file, its first author."""
    found = MENDED(sentence, paper=paper)
    if found.section != "citance" or not SPEAKS(found.text):
        return found
    author = re.split(r"[^\w-]", Path(found.document).stem)[0]
    return replace(found, text=f"{author} et al.: {found.text}", words=found.words + 3)


MENDED, SPEAKS = prose.mended, prose.speaks_of_itself


def run(name: str, topics: Sequence[Topic]) -> list[tuple[float, float]]:
    """Return ROUGE-2 and ROUGE-SU4 of each topic, summarised by a model trained on the others."""
    system = VARIANTS[name](System.load("concepts").for_kind("papers"))
    with (
        patch.object(prose, "speaks_of_itself", (lambda _: False) if name.startswith("foreign") else SPEAKS),
        patch.object(prose, "mended", attributed if name.endswith("attributed") else MENDED),
    ):
        examples = [found for topic in topics if (found := example(system, topic))]
        found: Scores = {}
        for fold in range(len(topics)):
            one = bagged(system, topics, examples, fold) if name == "bagging" else None
            found |= one or one_fold(system, topics, examples, fold, len(topics))
    return [found[i] for i in range(len(topics))]


def table(rows: dict[str, Floats]) -> str:
    """Return a row for each variant: means, and the difference from the base."""
    lines = [f"| variant | ROUGE-2 | ROUGE-SU4 | ROUGE-2 over {BASE} [95 %], p |", "|---|---|---|---|"]
    for name in (name for name in VARIANTS if name in rows):
        two, four = rows[name].mean(axis=0)
        over = ""
        if name != BASE and BASE in rows:
            test = paired_bootstrap(rows[name][:, 0].tolist(), rows[BASE][:, 0].tolist(), seed=1)
            over = f"{test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}], {test.p_value:.2f}"
        lines.append(f"| {name} | {two:.4f} | {four:.4f} | {over} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--variants", nargs="+", choices=tuple(VARIANTS), default=tuple(VARIANTS))
    parser.add_argument("--out", type=Path, default=Path("experiments/results"))
    options = parser.parse_args()
    FEATURES.add("wording", Feature(tuple(f"wording-{k}" for k in range(14)), wording))
    topics = [t for t in read_topics([str(options.data / "tac2014")], "tac") if isinstance(t, Topic)]
    path, rows = options.out / "task2-papers.tsv", dict[str, list[list[float]]]()
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        name, _, *scores = line.split("\t")
        rows.setdefault(name, []).append([float(score) for score in scores])
    for name in options.variants:
        rows[name] = [list(scores) for scores in run(name, topics)]
        lines = [
            f"{name}\t{topic.id}\t{two:.6f}\t{four:.6f}\n"
            for name, found in rows.items()
            for topic, (two, four) in zip(topics, found, strict=True)
        ]
        path.write_text("".join(lines), encoding="utf-8")
    print(table({name: np.array(found) for name, found in rows.items()}))


if __name__ == "__main__":
    main()
