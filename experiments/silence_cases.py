"""Ask questions of collections with and without their abstracts.

    python experiments/silence_cases.py PILE... [--data ../shared/data] [--cache silence]

The questions are the factoid and list questions of BioASQ with an exact answer in one of their
abstracts. In each collection, half of the questions keep their abstracts (`kept`); all abstracts of
the other half are taken out (`gone`), and such a question counts only if no text found holds one of
its exact answers. The collections, each a file of cases:

    whole      13,400 whole abstracts (`bioasq`, `evidence`, SciFact's corpus), editions 1-8; then
               with halves swapped
    every      questions of any type, editions 1-11, in 8,739 whole abstracts that hold seven in ten
               of theirs; then with halves swapped
    snippets   a text for each PMID of editions 1-8, made of its snippets
    small      collections of 100, 1,000 and 5,000 whole abstracts
    everyday   questions of cooking, sport, law, ..., asked of `whole` and `snippets`
    later      editions 9-11, in `answers/pile.jsonl.gz` and whole abstracts: the pile of the
               acceptance check
    eleven     edition 11, in 14,282 whole abstracts, with their own abstracts and without

`experiments/silence.py` learns from the cases.
"""

import argparse
import gzip
import json
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from tqdm import tqdm

from features.registry import Registry
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.files.records import encode
from ilpsum.literature import intake
from ilpsum.records import Document, Topic

SEED = 5
# Questions kept in a small collection, as many taken out, and how many such collections there are.
SMALL = {100: (8, 12), 1000: (50, 2), 5000: (250, 1)}
# A question of a collection made of snippets counts if this share of its abstracts is there.
THERE = 0.7


@dataclass(frozen=True)
class Question:
    """A question of BioASQ: its exact answers and the PMIDs of its abstracts; other questions have neither."""

    id: str
    text: str
    edition: int
    answers: tuple[str, ...] = ()
    pmids: frozenset[str] = frozenset()


class Case(msgspec.Struct):
    """A question asked of a collection.

    Attributes:
        pile: name of the collection.
        kind: `kept`, `gone` or `everyday`.
        edition: of BioASQ; 0 for others.
        topic: with what was found.
    """

    pile: str
    kind: str
    edition: int
    topic: Topic


def cases(folder: Path, name: str) -> Iterator[Case]:
    """Yield the cases of a collection."""
    for line in gzip.decompress((folder / f"{name}.jsonl.gz").read_bytes()).splitlines():
        yield msgspec.json.decode(line, type=Case)


def normal(text: str) -> str:
    return f" {' '.join(re.findall('[a-z0-9]+', text.lower()))} "


def entries(file: Path, name: str = "") -> list[dict[str, Any]]:
    """Return the entries of a JSON file under a name, or of a file of JSON lines."""
    data = file.read_bytes()
    text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
    return (
        list(json.loads(text)[name]) if name else [json.loads(line) for line in text.splitlines()]
    )


class Data:
    """The questions and texts in a folder; `share` is that of the abstracts that must be there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def golden(self, editions: Iterable[int]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the questions of BioASQ as they are, each with its edition."""
        for edition in editions:
            for file in sorted((self.folder / "bioasq").glob(f"{edition}B[0-9]_golden*")):
                for entry in entries(file, "questions"):
                    yield edition, entry

    def questions(
        self, editions: Iterable[int], texts: Mapping[str, Document], share: float
    ) -> list[Question]:
        """Return the questions with an exact answer in one of their abstracts, where enough of these are there."""
        questions = []
        for edition, entry in self.golden(editions):
            exact = entry.get("exact_answer") or []
            if entry["type"] not in ("factoid", "list"):
                continue
            parts = [exact] if isinstance(exact, str) else exact
            answers = {
                normal(s) for part in parts for s in (part if isinstance(part, list) else [part])
            } - {"  "}
            linked = {_pmid(url) for url in entry.get("documents", [])}
            linked |= {_pmid(snippet["document"]) for snippet in entry.get("snippets", [])}
            pmids = linked & texts.keys()
            held = normal(" ".join(texts[pmid].text for pmid in pmids))
            if (
                pmids
                and len(pmids) >= share * len(linked)
                and any(answer in held for answer in answers)
            ):
                text = " ".join(str(entry["body"]).split())
                questions.append(
                    Question(
                        str(entry["id"]), text, edition, tuple(sorted(answers)), frozenset(pmids)
                    )
                )
        return questions

    def covered(self, editions: Iterable[int], texts: Mapping[str, Document]) -> list[Question]:
        """Return the questions of any type with seven in ten of their abstracts there."""
        questions = dict[str, Question]()
        for edition, entry in self.golden(editions):
            linked = {_pmid(url) for url in entry.get("documents", [])}
            linked |= {_pmid(snippet["document"]) for snippet in entry.get("snippets", [])}
            pmids = frozenset(linked & texts.keys())
            if entry.get("snippets") and len(pmids) >= THERE * len(linked):
                text = " ".join(str(entry["body"]).split())
                questions[entry["id"]] = Question(str(entry["id"]), text, edition, (), pmids)
        return [*questions.values()]

    @cached_property
    def whole(self) -> dict[str, Document]:
        """Whole abstracts, by PMID."""
        return self.abstracts("bioasq/abstracts.jsonl.gz") | self.abstracts(
            "evidence/abstracts-more.jsonl.gz"
        )

    @cached_property
    def later(self) -> dict[str, Document]:
        """The texts for editions 9-11, by PMID."""
        return self.abstracts("answers/pile.jsonl.gz") | self.whole

    def abstracts(self, name: str) -> dict[str, Document]:
        """Return the abstracts of a file, by PMID."""
        return {d.id: d for d in intake.documents(self.folder / name)}

    @cached_property
    def snippets(self) -> dict[str, Document]:
        """A text for each PMID with snippets in editions 1-8, made of these."""
        texts: dict[str, dict[str, None]] = {}
        for _, entry in self.golden(range(1, 9)):
            for snippet in entry.get("snippets", []):
                texts.setdefault(_pmid(snippet["document"]), {})[
                    " ".join(snippet["text"].split())
                ] = None
        return {pmid: Document(pmid, " ".join(parts)) for pmid, parts in texts.items()}

    @cached_property
    def scifact(self) -> dict[str, Document]:
        """SciFact's abstracts, by ids that no PMID equals."""
        documents = {}
        for entry in entries(self.folder / "evidence" / "scifact-corpus.jsonl.gz"):
            name, text = (
                f"s{entry['doc_id']}",
                " ".join(sentence.strip() for sentence in entry["abstract"]),
            )
            documents[name] = Document(name, f"{entry['title']}\n{text}", str(entry["title"]))
        return documents


def _pmid(url: object) -> str:
    return str(url).rstrip("/").rpartition("/")[2]


def everyday() -> Iterator[Question]:
    """Yield the everyday questions."""
    for line in Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield Question("everyday", line.strip(), 0)


def ask(
    pile: str, texts: Mapping[str, Document], asked: Iterable[tuple[str, Question]]
) -> Iterator[Case]:
    """Yield the cases of a collection, given its questions with their kinds."""
    search = AbstractSearch.of_documents(texts.values())
    for kind, question in tqdm([*asked], f"{pile}, {len(texts)} texts", disable=None):
        topic = with_documents(Topic(question.id, question.text), search)
        held = normal(" ".join(d.text for d in topic.documents))
        if kind != "gone" or not any(answer in held for answer in question.answers):
            yield Case(pile, kind, question.edition, topic)


def halves(
    pile: str, texts: Mapping[str, Document], asked: Sequence[Question], swapped: bool = False
) -> Iterator[Case]:
    """Yield the cases of a collection from which the abstracts of half of the questions were taken out."""
    chosen = random.Random(SEED).sample(list(asked), len(asked))
    gone, kept = chosen[swapped::2], chosen[not swapped :: 2]
    out = frozenset().union(*(q.pmids for q in gone)) - frozenset().union(*(q.pmids for q in kept))
    left = {name: text for name, text in texts.items() if name not in out}
    yield from ask(pile, left, [*(("gone", q) for q in gone), *(("kept", q) for q in kept)])


PILES: Registry[Callable[[Data], Iterator[Case]]] = Registry("collection")


@PILES.register("whole")
def _whole(data: Data) -> Iterator[Case]:
    texts = data.whole | data.scifact
    asked = data.questions(range(1, 9), texts, 0.0)
    yield from halves("whole", texts, asked)
    yield from halves("whole", texts, asked, swapped=True)


@PILES.register("every")
def _every(data: Data) -> Iterator[Case]:
    texts = data.whole | data.abstracts("evidence/abstracts-11.jsonl.gz")
    asked = data.covered(range(1, 12), texts)
    yield from halves("every", texts, asked)
    yield from halves("every", texts, asked, swapped=True)


@PILES.register("snippets")
def _snippets(data: Data) -> Iterator[Case]:
    yield from halves(
        "snippets", data.snippets, data.questions(range(1, 9), data.snippets, THERE)[::2]
    )


@PILES.register("small")
def _small(data: Data) -> Iterator[Case]:
    texts, draw = data.whole, random.Random(SEED)
    asked = data.questions(range(1, 9), texts, 0.0)
    for size, (number, times) in SMALL.items():
        for _ in range(times):
            chosen = draw.sample(asked, 2 * number)
            gone, kept = chosen[::2], chosen[1::2]
            out = frozenset().union(*(q.pmids for q in gone))
            pmids = sorted({pmid for q in kept for pmid in sorted(q.pmids)[:10]} - out)
            rest = draw.sample(
                [name for name in texts if name not in out and name not in pmids], size
            )
            names = [*pmids, *rest][:size]
            pairs = [
                *(("gone", q) for q in gone),
                *(("kept", q) for q in kept if q.pmids & {*names}),
            ]
            yield from ask(str(size), {name: texts[name] for name in names}, pairs)


@PILES.register("everyday")
def _everyday(data: Data) -> Iterator[Case]:
    asked = [("everyday", question) for question in everyday()]
    yield from ask("whole", data.whole | data.scifact, asked[::2])
    yield from ask("snippets", data.snippets, asked[1::2])


@PILES.register("later")
def _later(data: Data) -> Iterator[Case]:
    yield from halves("later", data.later, data.questions((9, 10, 11), data.later, THERE)[::2])


@PILES.register("eleven")
def _eleven(data: Data) -> Iterator[Case]:
    texts = data.whole | data.abstracts("evidence/abstracts-11.jsonl.gz") | data.scifact
    asked = data.questions((11,), texts, THERE)
    yield from halves("eleven", texts, asked)
    yield from halves("eleven", texts, asked, swapped=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("piles", nargs="+", metavar="PILE", choices=list(PILES))
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument("--cache", type=Path, default=Path("silence"), help="folder for the cases")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    data = Data(options.data)
    for pile in options.piles:
        with gzip.open(options.cache / f"{pile}.jsonl.gz", "wb", compresslevel=1) as file:
            for case in PILES[pile](data):
                file.write(encode(case) + b"\n")


if __name__ == "__main__":
    main()
