"""Measure answers to questions searched in a pile of whole abstracts: the tables of
results/evidence.md.

    python experiments/evidence.py TABLE... [--data ../shared/data] [--cache FOLDER]

Tables: `directions` (editions 4-7 by a model of 1-3 and 8, the reverse, and each edition),
`selection`, `rules`, `stop`, `calibration`, `claims`, `aspects`. A model is trained on questions
that share no document with those it answers. You can delete the folder of features and models at any
time; the features of 2,239 questions take about ten minutes of processor time, a model one or two.

A sentence is to the point if one of the experts' snippets holds at least half of its word trigrams.
"Exact" is the share of the exact answers of factoid and list questions; ROUGE-2 is recall of the
ideal answer. All questions are answered, with all the words except in the table `stop`. Questions
count if most of their documents are in the pile.
"""

import argparse
import hashlib
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace
from tqdm import tqdm

from experiments.scifact_pile import FIRST, lines_of, write_pile
from features.arrays import Floats
from features.context import Context
from features.retrieval import bm25
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.learning.models import SystemModel
from ilpsum.literature import intake
from ilpsum.metrics.answers import answer_recall, searchable
from ilpsum.metrics.rouge import rouge
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import Example, prepare
from ilpsum.pipeline.training.fitting import fit
from ilpsum.records import Sentence, Topic
from ilpsum.records.tables import CoherenceTable
from ilpsum.tasks import ReaderOptions, read_topics

LIMITS = (50, 100, 200)
EARLY = (1, 2, 3, 8)
LATE = (4, 5, 6, 7)
FOLDS = ((1, 7), (2, 5), (3, 4), (6, 8))
"""Editions that are judged by a model of the others."""
COVERED = 0.7
ASPECTS = {
    "treatment": r"treat|therap|manage|\bcure",
    "drug": r"\bdrug|medic|inhibitor|antibod|vaccin",
    "cause": r"\bcaus|etiolog",
    "symptoms": r"symptom|\bsigns?\b|manifest|characteri|feature",
    "mechanism": r"mechanism|mode of action|\bhow do",
    "function": r"function|\brole\b",
    "gene": r"\bgenes?\b|mutat|variant",
    "protein": r"protein|enzyme|receptor|hormone",
    "effect": r"\beffect|affect",
    "side effects": r"side.effect|adverse|toxic|\bsafe",
    "diagnosis": r"diagnos|\btests?\b|screen",
    "marker": r"marker",
    "number": r"prevalen|inciden|how many|percentage|\brate\b",
    "inheritance": r"inherit|autosomal",
    "target": r"\btarget",
    "place": r"\bwhere\b|locali|located|tissue|expressed",
    "method": r"method|tool|algorithm|package|databas",
    "association": r"associat|relat|linked|correlat",
    "definition": r"^(?:what|who) (?:is|are) (?!the\b)|^describe|defin",
    "whether": r"^(?:is|are|do|does|did|can|could|has|have|should|will|was|were)\b",
}
"""What a question asks about its subject, by its wording; a question may have several."""
SYSTEM = System.load("concepts-searched").for_reader(strict=True)


@dataclass(frozen=True)
class Case:
    """A question with its candidates and what experts say of them.

    Attributes:
        edition: of BioASQ; 0 for a claim of SciFact.
        covered: share of the question's documents that the pile holds.
    """

    edition: int
    topic: Topic
    example: Example
    covered: float

    @cached_property
    def bm25(self) -> Floats:
        """The (n,) places of the candidates by BM25 among themselves, the best highest."""
        scores = np.zeros(len(self.example.sentences))
        scores = bm25(Context.of_texts(self.topic.query, [s.text for s in self.example.sentences]))
        order = np.argsort(-scores, kind="stable").tolist()
        scores[order] = 1.0 - np.arange(len(order)) / max(len(order), 1)
        return scores


@dataclass(frozen=True)
class Measured:
    """The measures of an answer: sentences to the point and in all, exact answers, ROUGE-2, and whether the first
    sentence answers.
    """

    right: int
    sentences: int
    exact: float | None
    rouge: float | None
    first: bool
    used: float


Contestant = Callable[[Case], Callable[[int], list[Sentence]]]
"""A question to its answers: a word limit to the sentences, in their order."""


class Data:
    """The questions and claims with their features, kept in a folder."""

    def __init__(self, data: Path, folder: Path) -> None:
        self.data, self.folder = data, folder
        folder.mkdir(parents=True, exist_ok=True)

    @cached_property
    def pile(self) -> list[Path]:
        """The abstracts that are searched; those of SciFact only distract, but for its claims."""
        scifact = self.folder / "scifact.jsonl"
        write_pile(self.data / "evidence" / "scifact-corpus.jsonl.gz", scifact)
        return [
            self.data / "bioasq" / "abstracts.jsonl.gz",
            self.data / "evidence" / "abstracts-more.jsonl.gz",
            scifact,
        ]

    @cached_property
    def questions(self) -> list[Case]:
        """The questions of editions 1-8 of which an abstract was found."""
        held = {d.id for path in self.pile for d in intake.documents(path)}
        files = sorted((self.data / "bioasq").glob("[1-8]B[1-5]_golden.json.gz"))
        options = ReaderOptions(
            pool="searched", answers=(str(self.data / "bioasq" / "training2b.json.gz"),)
        )
        search, cases = AbstractSearch(self.pile, self.folder / "index"), dict[str, Case]()
        for path in tqdm(files, "questions", disable=None):
            for topic in read_topics([path], "bioasq", options):
                if (
                    not isinstance(topic, Topic)
                    or topic.id in cases
                    or held.isdisjoint(topic.relevant)
                ):
                    continue
                covered = len(held.intersection(topic.relevant)) / len(topic.relevant)
                for case in self._cases(int(path.name[0]), [topic], search, covered):
                    cases[topic.id] = case
        return list(cases.values())

    @cached_property
    def claims(self) -> list[Case]:
        """The training claims of SciFact with evidence, searched in its corpus."""
        source, topics = self.data / "evidence", []
        abstracts = {
            entry["doc_id"]: entry["abstract"]
            for entry in lines_of(source / "scifact-corpus.jsonl.gz")
        }
        for claim in lines_of(source / "scifact-claims-train.jsonl.gz"):
            marked = [
                (str(FIRST + int(document)), abstracts[int(document)][k])
                for document, parts in claim["evidence"].items()
                for part in parts
                for k in part["sentences"]
            ]
            snippets, known = (
                tuple(text for _, text in marked),
                tuple(sorted({document for document, _ in marked})),
            )
            topic = Topic(
                f"c{claim['id']}",
                claim["claim"],
                summaries=snippets,
                snippets=snippets,
                relevant=known,
            )
            topics += [topic] if marked else []
        search = AbstractSearch(self.pile[2:], self.folder / "index-claims")
        return list(self._cases(0, topics, search, 1.0))

    def _cases(
        self, edition: int, topics: Iterable[Topic], search: AbstractSearch, covered: float
    ) -> Iterator[Case]:
        for topic in topics:
            found = with_documents(topic, search, least_coverage=0.0)
            for example in prepare(SYSTEM, [found])[0]:
                yield Case(edition, found, example, covered)

    def trained(self, cases: Sequence[Case]) -> SystemModel:
        """Return a model of these questions, trained once."""
        key = hashlib.sha256(
            msgspec.json.encode((SYSTEM.recipe, [c.example.digest for c in cases]))
        ).hexdigest()
        path = self.folder / f"{key}.npz"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            fit(SYSTEM, [c.example for c in cases]).save(path)
        return SystemModel.load(path)


def ranked(score: Callable[[Case], Floats]) -> Contestant:
    """Return the contestant that takes each candidate, by falling score, that still fits."""

    def answers(case: Case) -> Callable[[int], list[Sentence]]:
        scores, sentences = score(case), case.example.sentences

        def answer(words: int) -> list[Sentence]:
            chosen = []
            for i in np.argsort(-scores, kind="stable").tolist():
                if sentences[i].words <= words:
                    chosen.append(sentences[i])
                    words -= sentences[i].words
            return chosen

        return answer

    return answers


def oracle(case: Case) -> Floats:
    """Return scores that put the sentences of the experts' snippets first."""
    return case.example.targets + case.bm25 / 2


def answering(model: SystemModel, system: System = SYSTEM, **options: object) -> Contestant:
    """Return the contestant that a system with a model is; it always answers."""
    pipeline = Pipeline(system, model, kind="searched", explained=False, **options)

    def answers(case: Case) -> Callable[[int], list[Sentence]]:
        e = case.example
        prepared = pipeline.prepare(case.topic, (e.sentences, e.around, e.matrix))

        def answer(words: int) -> list[Sentence]:
            filled, selection = pipeline.fill(prepared, words)
            chosen = [filled.sentences[i] for i in selection.chosen]
            return list(pipeline.arrange(filled, selection.chosen, chosen))

        return answer

    return answers


def predicted(model: SystemModel, case: Case) -> Floats:
    """Return the (n,) probabilities of a question's candidates."""
    e = case.example
    return model.predict(e.matrix, e.around)


def measured(case: Case, chosen: Sequence[Sentence], words: int) -> Measured:
    """Measure an answer, whose texts may differ from those of the candidates; their places do not."""
    places = ((s.document, s.start) for s in case.example.sentences)
    marked = dict(zip(places, case.example.targets.tolist(), strict=True))
    right, text = (
        [marked[s.document, s.start] > 0 for s in chosen],
        " ".join(s.text for s in chosen),
    )
    exact = answer_recall(text, case.topic.answers) if searchable(case.topic.answers) else None
    ideal = rouge(text, list(case.topic.summaries[:1]))["ROUGE-2"].recall if case.edition else None
    return Measured(
        sum(right), len(right), exact, ideal, bool(right and right[0]), len(text.split()) / words
    )


def measures(
    contestant: Contestant, cases: Sequence[Case], limits: Sequence[int]
) -> list[list[Measured]]:
    """Return what each answer of a contestant holds, a list for each question with one entry for each limit."""
    answers = (contestant(case) for case in tqdm(cases, leave=False, disable=None))
    return [
        [measured(c, answer(w), w) for w in limits]
        for c, answer in zip(cases, answers, strict=True)
    ]


def row(name: str, of_questions: Sequence[Sequence[Measured]]) -> None:
    """Print the means over the questions, at each limit."""
    by_limit = list(zip(*of_questions, strict=True))
    right = [sum(m.right for m in of) / max(1, sum(m.sentences for m in of)) for of in by_limit]
    values = [
        [[getattr(m, what) for m in of] for of in by_limit]
        for what in ("exact", "rouge", "first", "used")
    ]
    means = [
        [float(np.mean([v for v in of if v is not None] or [0.0])) for of in every]
        for every in values
    ]
    cells = (" / ".join(f"{v:.3f}".removeprefix("0") for v in part) for part in (right, *means))
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def table(
    rows: dict[str, Contestant],
    cases: Sequence[Case],
    limits: Sequence[int] = LIMITS,
    *,
    by_edition: bool = False,
) -> None:
    """Print a table of contestants; at 100 words also by edition, if asked for."""
    print("| | to the point | exact | ROUGE-2 | first | words used |\n|---|---|---|---|---|---|")
    found = {}
    for name, contestant in rows.items():
        found[name] = measures(contestant, cases, limits)
        row(name, found[name])
    for edition in sorted({c.edition for c in cases}) if by_edition else ():
        places = [i for i, c in enumerate(cases) if c.edition == edition]
        for name, of_questions in found.items():
            row(
                f"{edition} ({len(places)}): {name}",
                [[of_questions[i][limits.index(100)]] for i in places],
            )


def judged(cases: Sequence[Case], editions: Iterable[int], most: int = 300) -> list[Case]:
    """Return a sample of the questions of some editions that count."""
    chosen = sorted(
        (c for c in cases if c.edition in editions and c.covered >= COVERED),
        key=lambda c: c.topic.id,
    )
    random.Random(7).shuffle(chosen)
    return chosen[:most]


def unlike(cases: Sequence[Case], others: Sequence[Case]) -> list[Case]:
    """Return the cases that share no document with the others."""
    documents = {d for c in others for d in c.topic.relevant}
    return [c for c in cases if documents.isdisjoint(c.topic.relevant)]


class Tables:
    """The tables of the page; a model is trained when a table first needs it."""

    def __init__(self, data: Data) -> None:
        self.data = data

    @cached_property
    def split(self) -> tuple[list[Case], list[Case]]:
        """The questions of early editions that share no document with later ones, and those of later editions."""
        late = [c for c in self.data.questions if c.edition in LATE]
        return unlike([c for c in self.data.questions if c.edition in EARLY], late), late

    @cached_property
    def model(self) -> SystemModel:
        """Trained on early editions."""
        return self.data.trained(self.split[0])

    @cached_property
    def test(self) -> list[Case]:
        """The questions of later editions that most tables answer."""
        return judged(self.split[1], LATE)

    def directions(self) -> None:
        """Later editions by a model of early ones, the reverse, and each edition."""
        early, late = self.split
        for name, train, test in (
            ("editions 4-7", early, late),
            ("editions 1-3 and 8", late, early),
        ):
            model = self.data.trained(train)
            rows = {
                "BM25 sentences": ranked(lambda c: c.bm25),
                "ilpsum": answering(model),
                "snippets": ranked(oracle),
            }
            cases = judged(test, (*EARLY, *LATE))
            print(f"\n{len(cases)} questions of {name}, a model of {len(train)} others\n")
            table(rows, cases, by_edition=True)

    def rules(self) -> None:
        """The price of each rule of coherence."""
        plain = replace(SYSTEM, coherence=CoherenceTable(strict=True))
        rows = {"none": plain, "the default": SYSTEM}
        rows |= {
            f"only {rule}": with_settings(plain, {f"coherence.{rule}": True})
            for rule in ("redundancy", "anaphora")
        }
        rows["all, for BioGen"] = cited = System.load("concepts-searched").for_reader(
            strict=True, cited=True
        )
        others = ("focus", "titles", "statements", "fragments")
        rows |= {
            f"all but {rule}": with_settings(cited, {f"coherence.{rule}": False}) for rule in others
        }
        table({name: answering(self.model, system) for name, system in rows.items()}, self.test)

    def selection(self) -> None:
        """The exact ILP beside gain per word and falling relevance, and its lambda, at 100 words."""
        pairs = (("ilp", 0.8), ("ilp", 0.9), ("ilp", 1.0), ("gain", 0.9))
        changes = {f"{method}, lambda {x}": {"method": method, "lambda_": x} for method, x in pairs}
        systems = {
            name: replace(SYSTEM, selection=replace(SYSTEM.selection, **of))
            for name, of in changes.items()
        }
        rows = {"falling relevance": ranked(partial(predicted, self.model))}
        rows |= {name: answering(self.model, system) for name, system in systems.items()}
        table(rows, self.test, (100,))

    def stop(self) -> None:
        """Words against sentences to the point, where an answer of 100 words may end early."""
        of = {
            x: replace(SYSTEM, selection=replace(SYSTEM.selection, stop=x))
            for x in (0.0, 0.1, 0.2, 0.3)
        }
        answers = {
            f"{x:g}": answering(self.model, system, may_stop_early=True) for x, system in of.items()
        }
        table(answers, self.test, (100,))

    def calibration(self) -> None:
        """Predicted probabilities and shares of marked sentences, by edition."""
        print(
            "| edition | sentences | expected error | "
            + " | ".join(f"{k / 10:.1f}" for k in range(8))
            + " |"
        )
        print("|---" * 11 + "|")
        for edition in LATE:
            cases = [c for c in self.split[1] if c.edition == edition and c.covered >= COVERED]
            p = np.clip(np.concatenate([predicted(self.model, c) for c in cases]), 0.0, 1.0)
            y = np.concatenate([c.example.targets for c in cases])
            bins = [np.minimum(p * 10, 7).astype(int) == k for k in range(8)]
            error = sum(abs(p[b].mean() - y[b].mean()) * b.mean() for b in bins if b.any())
            cells = [f"{p[b].mean():.2f}: {y[b].mean():.2f}" if b.any() else "" for b in bins]
            print(f"| {edition} | {len(p)} | {error:.3f} | {' | '.join(cells)} |")

    def claims(self) -> None:
        """Claims: the share of relevance that background, aims and methods lose."""
        claims, relevance = self.data.claims, SYSTEM.relevance
        if relevance is None:
            return
        systems = {
            x: replace(SYSTEM, relevance=replace(relevance, claims=x)) for x in (0.0, 0.5, 0.7, 0.9)
        }
        rows = {"BM25 sentences": ranked(lambda c: c.bm25)}
        rows |= {f"share {x:g}": answering(self.model, system) for x, system in systems.items()}
        table(rows | {"evidence first": ranked(oracle)}, claims, (60,))

    def aspects(self) -> None:
        """Sentences to the point in answers of at most 100 words, by the aspect of the question."""
        found = list[tuple[str, Measured]]()
        for editions in FOLDS:
            fold = [c for c in self.data.questions if c.edition in editions]
            model = self.data.trained(
                unlike([c for c in self.data.questions if c.edition not in editions], fold)
            )
            cases = [c for c in fold if c.covered >= COVERED]
            answers = measures(answering(model, may_stop_early=True), cases, (100,))
            found += [(c.topic.query.lower(), of[0]) for c, of in zip(cases, answers, strict=True)]
        print("| aspect | questions | to the point | first |\n|---|---|---|---|")
        for name, pattern in (ASPECTS | {"all": ""}).items():
            own = [m for query, m in found if re.search(pattern, query)]
            point = sum(m.right for m in own) / max(1, sum(m.sentences for m in own))
            print(f"| {name} | {len(own)} | {point:.3f} | {np.mean([m.first for m in own]):.3f} |")


def main() -> None:
    names = [
        name for name in vars(Tables) if not name.startswith("_") and callable(vars(Tables)[name])
    ]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="+", choices=names, metavar="TABLE")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path("evidence-cache"))
    options = parser.parse_args()
    tables = Tables(Data(options.data, options.cache))
    for name in options.tables:
        print(f"\n## {name}\n", flush=True)
        getattr(tables, name)()


if __name__ == "__main__":
    main()
