"""Measure how much of an answer is to the point: BioGen's answers to BioASQ questions, from a search.

    python experiments/biogen_answers.py [--data ../shared/data] [--editions 5 6] [--train 1 2 3 4]

Each question with all its abstracts in the data is searched among all 6,272 abstracts and answered in 250 words, with
all rules of coherence. A sentence is to the point if it is in a snippet that BioASQ's experts marked for the question.
"""

import argparse
import itertools
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from bioasq import Source, add_options, edition, train

from ilpsum.answers.attaching import Attaching
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.steps import Summarizer
from ilpsum.files.reading import open_bytes
from ilpsum.formats import biogen
from ilpsum.formats.bioasq import snippets
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.coherence.redundancy import similarity
from ilpsum.pipeline.coherence.statements import ROLES, position_in, shipped
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import RULES, CoherenceTable, System
from ilpsum.records import Sentence, Topic

WORDS = 250
SYSTEM = "concepts-abstracts"


@dataclass(frozen=True)
class SearchedQuestion:
    """A question after the search: topic, marked snippets by PMID, ideal answers, PMIDs of the gold documents."""

    topic: Topic
    marked: dict[str, str]
    ideal: tuple[str, ...]
    gold: frozenset[str]

    def to_the_point(self, sentence: Sentence) -> bool:
        """Return whether a sentence is in a marked snippet of its abstract, or contains one."""
        text = _plain(sentence.text)
        return any(
            text in snippet or snippet in text
            for snippet in self.marked.get(sentence.document, "").split("\n")
            if snippet
        )


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def asked(data: Path, editions: Sequence[int], index: Path) -> Iterator[SearchedQuestion]:
    """Yield the questions of editions that have all their abstracts."""
    folder = data / "bioasq"
    rows = (folder / "questions_with_all_abstracts.tsv").read_text(encoding="utf-8").splitlines()
    complete = {field for row in rows for field in row.split("\t")}
    for batch in edition(*editions):
        path = folder / f"{batch.edition}B{batch.number}_golden.json.gz"
        with open_bytes(path) as file:
            known = {q["id"]: q for q in json.load(file)["questions"] if q["id"] in complete}
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as topics:
            listed = [{"id": i, "topic": "", "question": q["body"], "narrative": ""} for i, q in known.items()]
            json.dump({"topics": listed}, topics)
            topics.flush()
            search = AbstractSearch([folder / "abstracts.jsonl.gz"], index)
            for topic in map(Attaching(search, least_coverage=0.0), biogen.read(topics.name)):
                if isinstance(topic, Topic):
                    yield _asked(topic, known[topic.id], path)


def _asked(topic: Topic, question: dict, path: Path) -> SearchedQuestion:
    marked: dict[str, str] = {}
    for piece in snippets(question, (path, 0)):
        marked[piece.pmid] = f"{marked.get(piece.pmid, '')}\n{_plain(piece.text)}"
    ideal = question["ideal_answer"]
    gold = frozenset(url.rpartition("/")[2] for url in question["documents"])
    return SearchedQuestion(topic, marked, tuple([ideal] if isinstance(ideal, str) else ideal), gold)


def measured(summarizer: Pipeline, questions: Sequence[SearchedQuestion], words: int = WORDS) -> np.ndarray:
    """Return (questions, 8): sentences, to the point, methods, redundant, words, ROUGE-2, ROUGE-SU4, gold found."""
    rows = []
    for one in questions:
        summary = summarizer(one.topic, words)
        documents = {document.id: document for document in one.topic.documents}
        texts = [s.text for s in summary]
        probabilities = shipped()(texts, [position_in(documents[s.document], s.start) for s in summary])
        best = [ROLES[i] for i in probabilities.argmax(axis=1)] if texts else []
        scores = References(one.ideal[:1]).score(summary.text)
        found = len(one.gold & set(documents)) / max(1, len(one.gold))
        same = int((np.triu(similarity(texts, texts, 0.4), 1) > 0).any(axis=0).sum()) if texts else 0
        rows.append(
            [
                len(texts),
                sum(map(one.to_the_point, summary)),
                sum(role in ("method", "aim") for role in best),
                same,
                sum(s.words for s in summary),
                scores["ROUGE-2"].recall,
                scores["ROUGE-SU4"].recall,
                found,
            ]
        )
    return np.array(rows)


def line(name: str, rows: np.ndarray) -> str:
    """Format a row of the table."""
    n = rows[:, 0].sum()
    shares = [f"{rows[:, 0].mean():.1f}", *(f"{rows[:, i].sum() / n:.3f}" for i in (1, 2, 3))]
    means = [f"{rows[:, 4].mean():.0f}", *(f"{rows[:, i].mean():.4f}" for i in (5, 6, 7))]
    return f"| {name} | {' | '.join([*shares, *means])} |"


HEAD = (
    "| rules | sentences | to the point | method or aim | like another (.4) | words | ROUGE-2 | ROUGE-SU4 "
    "| gold abstracts found |\n" + "|---" * 9 + "|"
)


def variants() -> dict[str, CoherenceTable]:
    """Return the rules to compare: none, all, and all without one."""
    every = dict.fromkeys(RULES, True)
    without = {f"all but {rule}": CoherenceTable(**{**every, rule: False}) for rule in RULES}
    return {"none": CoherenceTable(), **without, "all": CoherenceTable(**every)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, systems=False)
    parser.add_argument("--editions", type=int, nargs="+", default=[7], help="editions to answer")
    parser.add_argument("--train", type=int, nargs="+", default=[1, 2, 3, 4], help="editions to train on (pool merged)")
    parser.add_argument("--index", type=Path, default=Path("index"), help="folder of the search index")
    parser.add_argument("--shipped", nargs="+", default=[], help="compare systems with their included models instead")
    parser.add_argument("--words", type=int, nargs="+", default=[WORDS], help="word limits of these systems")
    options = parser.parse_args()
    if options.shipped:
        questions = list(asked(options.data, options.editions, options.index))
        print(HEAD)
        for words, name in itertools.product(options.words, options.shipped):
            summarizer = Summarizer.load(System.load(name).for_reader(strict=True))
            print(line(f"{name}, {words} words", measured(summarizer, questions, words)), flush=True)
        return
    system = System.load(SYSTEM)
    model = train(system, Source(options.data).cases(edition(*options.train), "merged"))
    questions = list(asked(options.data, options.editions, options.index))
    print(f"editions {options.editions}: {len(questions)} questions, trained on {options.train}\n\n{HEAD}")
    for name, coherence in variants().items():
        variant = msgspec.structs.replace(system.for_reader(strict=True), coherence=coherence)
        print(line(name, measured(Pipeline(variant, model), questions)), flush=True)


if __name__ == "__main__":
    main()
