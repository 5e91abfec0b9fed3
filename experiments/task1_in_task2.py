"""Measure what Task 1 predicts in Task 2, and the prior of papers: TAC 2014, leaving one topic out.

    python experiments/task1_in_task2.py [--data ../shared/data] [--work DIR] [--out experiments/results]

Spans come from rankers like those of the query `best`, facets from its SVM. Topics are in five groups; those that train
the summarizer of a topic, and the topic itself, have predictions of models trained outside its group and theirs, so the
annotations of the tested topic are never seen. Systems are as they ship, with the rules of coherence off and the SVR's
parameters of the shipped model. Predicted shares of spans are kept in --work.
"""

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
from concepts_trials import with_concepts

from features.arrays import Floats
from features.sets import FEATURES, Feature
from ilpsum.formats import read_topics
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.loading import load_model
from ilpsum.pipeline.ordering import arrange, facet_of, render
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.system import CoherenceTable, OrderTable, System
from ilpsum.pipeline.training.examples import Example, prepare
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Facet, Sentence, Span, Topic
from ilpsum.task1 import facets, ranker
from ilpsum.task1.facets import examples as facet_examples
from ilpsum.task1.facets import gold_examples
from ilpsum.task1.linker import votes
from ilpsum.task1.models import Query
from ilpsum.task1.retrieval import SpanIndex
from ilpsum.version import library_versions

WORDS, GROUPS = 250, 5
# The shipped ranker averages three networks of 1,000 units; that takes twenty times as long.
UNITS = 400
LINKS = Feature(("span-mean", "span-largest", "span-top"), lambda context: np.zeros((len(context), 3)))
TABLES = "## Tables\n"
BY_FACET, LABELLED = OrderTable(by="facet"), OrderTable(by="facet", labels=True)


@dataclass(frozen=True)
class Linked:
    """A topic with what Task 1 predicts of it.

    Attributes:
        topic: the topic.
        group: its group.
        shares: by group, the (citances, sentences) predicted shares of annotators who mark a sentence of the paper, by
            a ranker trained outside that group and the topic's own.
        marked: characters that an annotator marks for a citance, the mean over other topics.
        facets: predicted facet of each citance, by a classifier trained outside the topic's group.
    """

    topic: Topic
    group: int
    shares: Mapping[int, Floats]
    marked: float
    facets: Sequence[Facet]

    @cached_property
    def index(self) -> SpanIndex:
        """The sentences of the paper."""
        return SpanIndex.of(self.topic.reference)

    @cached_property
    def places(self) -> dict[tuple[int, int], int]:
        """The number of each sentence of the paper, by its span."""
        return {(s.start, s.end): n for n, s in enumerate(self.index.sentences)}

    def at(self, sentence: Sentence) -> int | None:
        """Return the number of a candidate among the sentences of the paper, or None."""
        here = self.topic.reference and sentence.document == self.topic.reference.id
        return self.places.get((sentence.start, sentence.end)) if here else None

    def features(self, candidates: Sequence[Sentence], group: int) -> Floats:
        """Return the (n, 3) mean share over citances, the largest, and the mean of the three largest."""
        shares = self.shares[group]
        table = np.column_stack([shares.mean(0), shares.max(0), np.sort(shares, axis=0)[-3:].mean(0)])
        at = [self.at(s) for s in candidates]
        return np.array([np.zeros(3) if n is None else table[n] for n in at])

    @cached_property
    def spans(self) -> list[list[tuple[int, int]]]:
        """The predicted spans of each citance, as pairs of sentence numbers."""
        lengths = np.array([s.end - s.start for s in self.index.sentences], dtype=float)
        rows = self.shares[self.group]
        return [ranker.best_spans(row, lengths, self.index.joins, self.marked) for row in rows]

    def predicted(self, candidates: Sequence[Sentence]) -> list[Counter[Facet]]:
        """Return for each candidate the predicted facets of the citances that cite it, or that it is part of."""
        paper, places = self.topic.reference.id, []
        for citance, spans, facet in zip(self.topic.citances, self.spans, self.facets, strict=True):
            places += [(paper, self.index.characters(*span), facet) for span in spans]
            places.append((citance.document, Span(citance.start, citance.end), facet))
        return votes(candidates, places)

    def annotated(self, candidates: Sequence[Sentence]) -> list[Counter[Facet]]:
        """Return for each candidate the facets that annotators gave to spans that contain it, or to its citance."""
        paper, places = self.topic.reference.id, []
        for c in self.topic.citances:
            for given in c.annotations:
                places += [(paper, span, facet) for span in given.spans for facet in given.facets]
                places += [(c.document, Span(c.start, c.end), facet) for facet in given.facets]
        return votes(candidates, places)


def linked(topics: Sequence[Topic], work: Path) -> list[Linked]:
    """Predict spans and facets of all topics, with rankers for every pair of groups."""
    file = work / "shares.npz"
    if not file.exists():
        np.savez_compressed(file, **_shares(topics))
    known = np.load(file)
    gold = [gold_examples(t) for t in topics]
    found = []
    for i, topic in enumerate(topics):
        shares = {group: known[f"{i} {group}"] for group in range(GROUPS)}
        marked = float(np.mean([known[f"{k} marked"] for k in range(len(topics)) if k % GROUPS != i % GROUPS]))
        own = Linked(topic, i % GROUPS, shares, marked, ())
        outside = [e for k, of_topic in enumerate(gold) if k % GROUPS != i % GROUPS for e in of_topic]
        model = facets.fit(outside, sections=Query.load("best").facets.sections)
        cited = [[own.index.characters(*s) for s in spans] for spans in own.spans]
        predicted = model.predict(facet_examples(topic.reference, topic.citances, cited))
        found.append(replace(own, facets=predicted))
    return found


def _shares(topics: Sequence[Topic]) -> dict[str, Floats]:
    """Return the shares of each topic by each group that is left out beside its own."""
    examples = [ranker.examples(t) for t in topics]
    found = {f"{i} marked": np.mean(e.marked) for i, e in enumerate(examples)}
    for a in range(GROUPS):
        for b in range(a, GROUPS):
            some = [e for i, e in enumerate(examples) if i % GROUPS not in (a, b)]
            values, marks = np.vstack([e.values for e in some]), np.concatenate([e.shares for e in some])
            weights = np.concatenate([e.lengths for e in some]) / np.mean([e.lengths.mean() for e in some])
            model = ranker.fit(values, marks, weights, 1, units=UNITS, bags=1)
            for i, e in enumerate(examples):
                if i % GROUPS in (a, b):
                    other = b if i % GROUPS == a else a
                    shares = np.clip(model(e.values), 0.0, 1.0)
                    found[f"{i} {other}"] = shares.reshape(len(topics[i].citances), -1)
            print(f"rankers without groups {a}, {b}", flush=True)
    return found


def systems() -> dict[str, System]:
    """Return the systems to train: without rules of coherence, with the parameters of the shipped models."""
    found = {}
    for name in ("concepts", "task2"):
        system = System.load(name).for_kind("papers")
        recipe = system.recipe
        if name == "task2":
            p = load_model(system).relevance.parameters
            recipe = msgspec.structs.replace(recipe, C=(p.C,), gamma=(p.gamma,), epsilon=(p.epsilon,))
        system = msgspec.structs.replace(system, recipe=recipe, coherence=CoherenceTable())
        found[name] = system
        if recipe.prior:
            without = msgspec.structs.replace(recipe, prior="")
            found[f"{name}, no prior"] = msgspec.structs.replace(system, recipe=without)
        wider = msgspec.structs.replace(system.relevance, features=f"{system.relevance.features} + spans")
        found[f"{name}, features"] = msgspec.structs.replace(system, relevance=wider)
    return found


Masks = Callable[[Linked, Prepared], Iterable[bool]]


def _of(*kinds: str, gold: bool = False) -> Masks:
    """Return a function that says which candidates are spans, citances or in the abstract."""

    def mask(own: Linked, prepared: Prepared) -> Iterable[bool]:
        counts = own.annotated(prepared.sentences) if gold else own.predicted(prepared.sentences)
        for s, cited, citance in zip(prepared.sentences, counts, prepared.context.is_citance, strict=True):
            parts = {"spans": bool(cited) and not citance, "citances": citance, "abstract": s.section == "abstract"}
            yield any(parts[kind] for kind in kinds)

    return mask


CANDIDATES: dict[str, Masks] = {
    "candidates: predicted spans": _of("spans"),
    "candidates: predicted spans, citances": _of("spans", "citances"),
    "candidates: predicted spans, citances, abstract": _of("spans", "citances", "abstract"),
    "candidates: citances, abstract": _of("citances", "abstract"),
    "candidates: annotated spans, citances, abstract": _of("spans", "citances", "abstract", gold=True),
}
BONUSES = (0.3, 1.0, 3.0)
# Equal weights come with a lambda near 1, at which single bigrams hardly count.
OF_EQUAL = 100.0


class Table:
    """Scores of each row by topic, and the facets of chosen sentences."""

    def __init__(self) -> None:
        self.scores: dict[str, list[tuple[float, float]]] = {}
        self.labels: dict[tuple[str, str], list[tuple[str, dict[str, float]]]] = {}

    def add(self, row: str, topic: Topic, text: str) -> None:
        """Score a summary."""
        found = References(topic.summaries, stem=True, words=WORDS).score(text)
        self.scores.setdefault(row, []).append((found["ROUGE-2"].recall, found["ROUGE-SU4"].recall))

    def label(self, where: str, own: Linked, sentences: Sequence[Sentence]) -> None:
        """Compare the facets of sentences with the votes of annotators, for those that have some."""
        by_link = own.predicted(sentences)
        for s, given, counts in zip(sentences, own.annotated(sentences), by_link, strict=True):
            total = sum(given.values())
            rules = {"section and cue words": facet_of(s)} | {f"always {f}": f for f in ("results", "discussion")}
            rules["Task 1, else section and cue words"] = max(counts, key=counts.get) if counts else facet_of(s)
            rules["best possible"] = max(given, key=given.get) if given else ""
            for rule, facet in rules.items():
                if total:
                    shares = {f: given[f] / total for f in facets.FACETS}
                    self.labels.setdefault((where, rule), []).append((facet, shares))


def label_rows(table: Table) -> list[str]:
    """Format the accuracy of each rule for labels: mean share of votes, and the mean of it over the five facets."""
    lines = ["| sentences | facet by | share of votes | over the first [95 %], p | mean over facets |"]
    lines.append("|---|---|---|---|---|")
    for (where, rule), given in table.labels.items():
        shares = [votes_[facet] for facet, votes_ in given]
        first = [v[f] for f, v in table.labels[where, "section and cue words"]]
        test = paired_bootstrap(shares, first, seed=1)
        over = (
            f"{test.difference:+.3f} [{test.low:+.3f}, {test.high:+.3f}], {test.p_value:.4f}" if shares != first else ""
        )
        found = [sum(v[f] for x, v in given if x == f) / sum(v[f] for _, v in given) for f in facets.FACETS]
        title = f"{where} ({len(shares)})" if not over else ""
        lines.append(f"| {title} | {rule} | {np.mean(shares):.3f} | {over} | {np.mean(found):.3f} |")
    return lines


def one_topic(
    table: Table, name: str, system: System, examples: Sequence[Example], found: Sequence[Linked], j: int
) -> None:
    """Train a system without a topic, and add all rows of that topic."""
    own = found[j]
    if name.endswith(", features"):
        wide = zip(examples, found, strict=True)
        examples = [replace(e, matrix=np.hstack([e.matrix, x.features(e.sentences, own.group)])) for e, x in wide]
    model = fit(system, [e for i, e in enumerate(examples) if i != j], words=WORDS)
    at = Pipeline(system, model)
    e = examples[j]
    prepared = at.prepare(own.topic, (e.sentences, e.around, e.matrix))
    chosen = at.select(prepared, WORDS).chosen
    table.add(name, own.topic, "\n".join(e.sentences[i].text for i in chosen))
    if "," in name:
        return
    table.label("chosen by both systems", own, [prepared.sentences[i] for i in chosen])
    if name == "concepts":
        table.label("all candidates", own, prepared.sentences)
    for row, mask in CANDIDATES.items():
        bar = tuple(i for i, keep in enumerate(mask(own, prepared)) if not keep)
        few = at.select(replace(prepared, bar=bar), WORDS).chosen
        table.add(f"{name}, {row}", own.topic, "\n".join(e.sentences[i].text for i in few))
    problem = at.problem(prepared, WORDS)
    bigram = 1.0 / WORDS if prepared.weights else float(problem.weights.max())
    for which, counts in (("predicted", own.predicted(e.sentences)), ("annotated", own.annotated(e.sentences))):
        for bonus in np.multiply(BONUSES, 1.0 if prepared.weights else OF_EQUAL):
            more = [[(f, bonus * bigram) for f in sorted(c)] for c in counts]
            covering = at.solve(with_concepts(problem, more)).chosen
            row = f"{name}, coverage of {which} facets, each worth {bonus:g} bigrams"
            table.add(row, own.topic, "\n".join(e.sentences[i].text for i in covering))
    for row, order in (("order by facet", BY_FACET), ("order by facet, labels", LABELLED)):
        ordered = Pipeline(msgspec.structs.replace(system, order=order), model)
        kept = [prepared.sentences[i] for i in ordered.select(prepared, WORDS).chosen]
        table.add(f"{name}, {row}", own.topic, render(arrange(kept, order), order))


def rows(table: Table) -> list[str]:
    """Format the table of scores: each row beside the system that it changes."""
    lines = ["| system | ROUGE-2 | ROUGE-SU4 | over the system [95 %], p | better, worse |", "|---|---|---|---|---|"]
    for name, scores in table.scores.items():
        two, four = (np.array([s[k] for s in scores]) for k in range(2))
        cells = [name, f"{two.mean():.4f}", f"{four.mean():.4f}"]
        if "," in name:
            base = np.array([s[0] for s in table.scores[name.partition(",")[0]]])
            test = paired_bootstrap(two.tolist(), base.tolist(), seed=1)
            interval = f"{test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}], {test.p_value:.4f}"
            cells += [interval, f"{(two > base + 1e-12).sum()}, {(two < base - 1e-12).sum()}"]
        lines.append(f"| {' | '.join([*cells, '', ''][:5])} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--work", type=Path, default=Path("task1-in-task2"), help="folder of shares")
    parser.add_argument("--out", type=Path, default=Path("experiments/results"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    FEATURES.add("spans", LINKS)
    topics = [t for t in read_topics([options.data / "tac2014"], "tac") if isinstance(t, Topic)]
    found = linked(topics, options.work)
    table = Table()
    for topic in topics:
        table.add("lead", topic, Pipeline.load("lead")(topic, WORDS).text)
    examples = {}
    for name, system in systems().items():
        if "," not in name:
            examples[name] = prepare(system, topics)[0]
        for j in range(len(topics)):
            one_topic(table, name, system, examples[name.partition(",")[0]], found, j)
        print(name, rows(table)[-1], flush=True)
    versions = ", ".join(f"{k} {v}" for k, v in library_versions("scikit-learn", "numpy", "highspy").items())
    page = options.out / "task1-in-task2.md"
    # What was written about the tables stays.
    text = [
        (page.read_text(encoding="utf-8") if page.exists() else "# Task 1 in Task 2\n\n").partition(TABLES)[0] + TABLES,
        f"`python experiments/task1_in_task2.py` (2026-11-22; {versions}; seed 1)\n",
        " ".join(__doc__.split("\n\n")[2].split()) + "\n",
        *rows(table),
        "\nFacets of the sentences that annotators gave one:\n",
        *label_rows(table),
    ]
    page.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
