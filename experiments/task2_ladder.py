"""Papers: from ILP-SUM-2 to `concepts` step by step, figures 3 and 4, and what each part of `concepts` is worth.

    python experiments/task2_ladder.py PART... [--data ../shared/data] [--work DIR] [--out experiments/results]

The parts: `figures`, `ladder`, `without`, `sizes`, or single steps by their name. TAC 2014 in five folds over topics,
each summarised by models of the other folds, ROUGE-2 and -SU4 as in task2_leave_one_out.py. Lambda of the ILP and
the threshold of the greedy rule are chosen for each topic by ROUGE-2 of the other topics, each summarised by the model
of its own fold. Scores at all values are kept in task2-ladder.json, and a call continues where an earlier one ended; it
prints the tables of all that is there. --work keeps features and models. Nothing is random but the bootstrap over
topics (seed 1) and the topics of `sizes` (seed 1).
"""

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from plots import curves
from task2_leave_one_out import WORDS

from features.arrays import Floats
from features.sets import SETS
from ilpsum.formats import read_topics
from ilpsum.learning.models import SystemModel
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import CoherenceTable, RelevanceTable, System
from ilpsum.pipeline.training.examples import Example, prepare
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Topic

FOLDS = 5
TENTHS = tuple(k / 10 for k in range(11))
LAMBDAS, LEARNED = (0.5, 0.7, 0.8, 0.9, 0.95, 1.0), (0.05, 0.1, 0.2)
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
FIGURE = ("ilp-sum-0", "ilp-sum-1", "ilp-sum-2")
SIZES, SEED = (2, 4, 7, 10, 13), 1
TOPICS = 14
CONCEPTS = System.load("concepts").for_kind("papers")
SVR = {"C": (0.3,), "gamma": (0.01,), "epsilon": (0.05,)}
LEXICAL = "+".join(SETS["ilp-sum-1"].features)
PLACE = f"{LEXICAL}+section+position+position-in-section+is-citance"
NO_PRIOR = {"prior": "", "concept_penalty": 0.003}
NONE = CoherenceTable()


def changed(system: System, **tables: Any) -> System:
    """Return a system with other keys of its tables; what training would tune keeps the system's value."""
    for name, keys in {"recipe": {}, **tables}.items():
        table = getattr(system, name)
        if name == "recipe":
            keys = {**keys, "tune": (), "tune_threshold": ()}
        value = keys if isinstance(keys, msgspec.Struct) else msgspec.structs.replace(table, **keys)
        system = msgspec.structs.replace(system, **{name: value})
    return system


def ladder() -> dict[str, System]:
    """Return the steps, each with all before it, from ILP-SUM-2 as published to `concepts`."""
    paper = {**SVR, "C": (3.0,), "gamma": (0.1,), "sample": 0, "search_sample": 0}
    steps = {"as published": changed(System.load("ilp-sum-2-paper"), recipe=paper)}

    def step(name: str, **tables: Any) -> None:
        steps[name] = changed(list(steps.values())[-1], **tables)

    step("alpha stretched over the topic", selection={"alpha": "topic"})
    step("target precision; features scaled by topic", recipe={**SVR, "target": "precision", "scaling": "topic"})
    step("bigrams of stems", selection={"concepts": "stems"})
    step("without word vectors (2.1-2.4)", relevance=RelevanceTable(features="ilp-sum-1"))
    step("SVR with C 1, gamma .1, epsilon .02", recipe={"C": (1.0,), "gamma": (0.1,), "epsilon": (0.02,)})
    step("+ place in the paper", relevance=RelevanceTable(features=PLACE))
    step("+ support by citances, centrality", relevance=RelevanceTable(features="task2"))
    step("+ citances as candidates", candidates={"citances": True})
    step("+ features of answers", relevance=RelevanceTable(features="concepts"))
    step("+ learned weights of bigrams", selection={"weights": "learned"}, recipe=NO_PRIOR)
    step("+ prior from other papers", recipe={k: getattr(CONCEPTS.recipe, k) for k in NO_PRIOR})
    step("+ clean text", candidates={"clean": True})
    step("+ rules of coherence (`concepts`)", coherence=CONCEPTS.coherence)
    return steps


def without() -> dict[str, System]:
    """Return `concepts` without one part each."""
    features = SETS["concepts"].features
    place = ("section", "position", "position-in-section", "is-title", "document-rank")
    support = ("citance-support", "centrality", "document-support")
    return {
        "without features of place": _with_features(f for f in features if f not in place),
        "without support by citances, centrality": _with_features(f for f in features if f not in support),
        "without citances as candidates": changed(CONCEPTS, candidates={"citances": False}),
        "without learned weights": changed(CONCEPTS, selection={"weights": "equal"}),
        "without the lexical features 1.1-1.8": _with_features(
            f for f in features if f not in SETS["ilp-sum-1"].features
        ),
    }


def _with_features(names: Any) -> System:
    return changed(CONCEPTS, relevance=RelevanceTable(features="+".join(names)))


def others() -> dict[str, System]:
    """Return the systems of figure 3 and the greedy ones, and the baselines."""
    return {
        "lead": System.load("lead"),
        **{name: changed(System.load(name)) for name in ("ilp-sum-0", "ilp-sum-1", "ilp-sum-2", "gr-sum-2")},
        "oracle": changed(System.load("oracle"), selection={"concepts": "stems"}),
    }


@dataclass(frozen=True)
class Data:
    """The topics."""

    topics: Sequence[Topic]

    def examples(self, system: System) -> list[Example]:
        """Return the examples of a system; none for a baseline."""
        return prepare(system, self.topics)[0] if system.relevance else []

    def fit(self, system: System, examples: Sequence[Example]) -> SystemModel | None:
        """Return a system's model; None for a baseline."""
        return fit(system, examples, words=WORDS) if system.relevance else None


def values_of(name: str, system: System) -> tuple[float, ...]:
    """Return the lambdas or thresholds to try; one that means nothing for a baseline."""
    if system.relevance is None:
        return (0.0,)
    if system.selection.selector.tunes == "threshold":
        return THRESHOLDS
    return LEARNED if system.selection.weights == "learned" else (*TENTHS, 0.95) if name in FIGURE else LAMBDAS


def held_out(name: str, system: System, data: Data, found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what is found so far, by topic ROUGE-2 and -SU4 at each value, (values, 2), fold by fold."""
    examples = data.examples(system)
    for fold in range(FOLDS):
        inside = range(fold, len(data.topics), FOLDS)
        if str(fold) in found:
            continue
        model = data.fit(system, [e for i, e in enumerate(examples) if i not in inside])
        for k in inside:
            own = examples[k] if examples else None
            found[str(k)] = _scores(system, model, data.topics[k], own, values_of(name, system))
        yield found


def _scores(system: System, model: Any, topic: Topic, own: Example | None, values: Sequence[float]) -> list[Any]:
    references, prepared, rows = References(topic.summaries, stem=True, words=WORDS), None, []
    for value in values:
        name = "threshold" if system.selection.selector.tunes == "threshold" else "lambda_"
        pipeline = Pipeline(system, model, **({name: value} if system.relevance else {}))
        known = (own.sentences, own.around, own.matrix) if own else None
        prepared = prepared or pipeline.prepare(topic, known)
        text = pipeline.summary(*pipeline.fill(prepared, pipeline.select(prepared, WORDS), WORDS), WORDS).text
        scores = references.score(text)
        rows.append((scores["ROUGE-2"].recall, scores["ROUGE-SU4"].recall))
    return rows


def sizes(data: Data) -> dict[str, list[list[float]]]:
    """Return ROUGE-2 of each topic by models of some others, by system: a row for each of `SIZES`."""
    found: dict[str, list[list[float]]] = {"ilp-sum-2": [], "gr-sum-2": []}
    ilp, rule = (changed(System.load(name)) for name in found)
    examples, n = data.examples(ilp), len(data.topics)
    orders = [np.random.default_rng([SEED, k]).permutation([i for i in range(n) if i != k]) for k in range(n)]
    for size in SIZES:
        rows: dict[str, list[float]] = {name: [] for name in found}
        for k, topic in enumerate(data.topics):
            model = data.fit(ilp, [examples[i] for i in orders[k][:size]])
            for name, system in (("ilp-sum-2", ilp), ("gr-sum-2", rule)):
                own = (system.selection.lambda_ if name == "ilp-sum-2" else system.selection.threshold,)
                rows[name].append(_scores(system, model, topic, examples[k], own)[0][0])
        for name, row in rows.items():
            found[name].append(row)
    return found


def chosen(scores: Floats) -> Floats:
    """Return (topics, 2) scores, each at the value that is best for the other topics by ROUGE-2."""
    two = scores[:, :, 0]
    best = [int(np.argmax(np.delete(two, k, axis=1).mean(axis=1))) for k in range(two.shape[1])]
    return np.array([scores[value, k] for k, value in enumerate(best)])


def page(kept: Mapping[str, Any], out: Path) -> str:
    """Return the tables of all that is kept."""
    whole = {name: _whole(scores) for name, scores in kept.items() if name != "sizes"}
    scores = {name: found for name, found in whole.items() if found is not None}
    rows = {name: chosen(found) for name, found in scores.items()}
    lines = ["| step | ROUGE-2 | ROUGE-SU4 | over the step before [95 %], p | best value |", "|---|---|---|---|---|"]
    before = ""
    for name, system in ladder().items():
        if name in rows:
            lines.append(_row(name, scores, rows, before, system))
            before = name
    final = list(ladder())[-1]
    lines += [
        "",
        "| `concepts` | ROUGE-2 | ROUGE-SU4 | over `concepts` [95 %], p | best value |",
        "|---|---|---|---|---|",
    ]
    lines += [_row(name, scores, rows, final, s) for name, s in without().items() if name in rows and final in rows]
    lines += ["", "| system | ROUGE-2 | ROUGE-SU4 | over the lead [95 %], p | best value |", "|---|---|---|---|---|"]
    lines += [_row(name, scores, rows, "lead", s) for name, s in others().items() if name in rows and "lead" in rows]
    shown = [name for name in FIGURE if name in scores]
    means = {name: scores[name][: len(TENTHS)].mean(axis=(1, 2)).tolist() for name in shown}
    lines += ["", f"| lambda | {' | '.join(shown)} |", "|---" * (len(shown) + 1) + "|"]
    lines += [f"| {x:.1f} | {' | '.join(f'{means[n][i]:.4f}' for n in shown)} |" for i, x in enumerate(TENTHS)]
    curves(out / "task2-lambda.svg", TENTHS, means, "lambda", "mean of ROUGE-2 and ROUGE-SU4 recall")
    if "sizes" in kept:
        lines += ["", "| training topics | ilp-sum-2 | gr-sum-2 | difference [95 %], p |", "|---|---|---|---|"]
        for i, size in enumerate(SIZES):
            one, other = (kept["sizes"][name][i] for name in ("ilp-sum-2", "gr-sum-2"))
            lines.append(f"| {size} | {np.mean(one):.4f} | {np.mean(other):.4f} | {_over(one, other)} |")
    return "\n".join(lines)


def _whole(found: Mapping[str, Any]) -> Floats | None:
    """Return the (values, topics, 2) scores of a step, in the order of the topics; None while some are missing."""
    ordered = [found[name] for name in sorted(found, key=int)]
    return np.array(ordered).transpose(1, 0, 2) if len(ordered) == TOPICS else None


def _row(name: str, scores: Mapping[str, Floats], rows: Mapping[str, Floats], base: str, system: System) -> str:
    two, four = rows[name].mean(axis=0)
    over = _over(rows[name][:, 0].tolist(), rows[base][:, 0].tolist()) if base and base != name else ""
    values, means = values_of(name, system), scores[name][:, :, 0].mean(axis=1)
    best = f"{values[int(means.argmax())]:g}: {means.max():.4f}" if len(values) > 1 else ""
    return f"| {name} | {two:.4f} | {four:.4f} | {over} | {best} |"


def _over(one: Sequence[float], other: Sequence[float]) -> str:
    test = paired_bootstrap(list(one), list(other), seed=1)
    return f"{test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}], {test.p_value:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--work", type=Path, default=Path("work"), help="folder for features and models")
    parser.add_argument("--out", type=Path, default=Path("experiments/results"))
    options = parser.parse_args()
    topics = [t for t in read_topics([str(options.data / "tac2014")], "tac") if isinstance(t, Topic)]
    data, path = Data(topics), options.out / "task2-ladder.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    groups = {"figures": others(), "ladder": ladder(), "without": without()}
    systems = {name: system for group in groups.values() for name, system in group.items()}
    for name in [n for part in options.parts for n in groups.get(part, [part])]:
        if name == "sizes":
            kept[name] = kept.get(name) or sizes(data)
            path.write_text(json.dumps(kept) + "\n", encoding="utf-8")
            continue
        if len(kept.get(name, ())) == len(topics):
            continue
        for found in held_out(name, systems[name], data, kept.get(name, {})):
            path.write_text(json.dumps(kept | {name: found}) + "\n", encoding="utf-8")
            kept[name] = found
        print(name, "done", flush=True)
    print(page(kept, options.out))


if __name__ == "__main__":
    main()
