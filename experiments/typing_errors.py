"""Measure the correction of typing errors in questions (`ilpsum.answers.correcting`).

    python experiments/typing_errors.py [--data ../shared/data] [--editions 9 10 11] [--questions N] [--without list]

Searched are `answers/pile.jsonl.gz` and the whole abstracts of `bioasq` and `evidence`. The tables:

    injected   the rarest word of seven letters or more of each question gets one error (a letter left out, doubled,
               replaced or exchanged with the next), so that no text holds it: is the right word restored?
    real       words of the questions as written that are corrected, to be judged by a reader
    scifact    words of SciFact's corpus that no text holds in any form: each correction is a word lost
    absent     rare words of the texts, when the texts that hold them are left out: what is corrected is a name lost.
               Asked of the whole collection, and of piles of 300 texts.

`--without list` corrects known words too, `--without letter` changes the first letter too.
"""

import argparse
import gzip
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from silence_cases import Data

from ilpsum.answers import correcting
from ilpsum.answers.indexing import OpenIndex
from ilpsum.answers.searching import AbstractSearch
from ilpsum.pipeline.terms import terms
from ilpsum.records import Document

SEED = 3
PILE, PILES = 300, 10
ABSENT = 1000
# A rare word is in as many texts; errors and fragments are mostly in one.
RARE = range(2, 6)


def misspelt(question: str, counts: Mapping[str, int], draw: random.Random) -> tuple[str, str, str] | None:
    """Return the rarest long word of a question, the word with an error, and the question with that, if one fits."""
    words = [w for w in correcting._LETTERS.findall(question) if len(w) >= 7 and w.isascii() and counts[w.lower()]]
    if not words:
        return None
    word = min(words, key=lambda w: counts[w.lower()])
    for _ in range(20):
        k = draw.randrange(2, len(word) - 1)
        swapped = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
        replaced = word[:k] + draw.choice("aeiorst") + word[k + 1 :]
        new = draw.choice([word[:k] + word[k + 1 :], swapped, word[:k] + word[k : k + 1] + word[k:], replaced])
        if not counts[new.lower()] and new != word:
            return word, new, question.replace(word, new, 1)
    return None


def injected(asked: Sequence[str], search: AbstractSearch, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the table of errors made by us."""
    draw, outcomes = random.Random(SEED), Counter[str]()
    for question in asked:
        if not (changed := misspelt(question, counts, draw)):
            continue
        word, wrong, text = changed
        found = {each.written: each.searched for each in search.corrections(text)}
        outcome = "none" if wrong.lower() not in found else "wrong"
        if terms(found.get(wrong.lower(), "")) == terms(word):
            outcome = "right"
        outcomes[outcome] += 1
        if outcome != "right":
            yield f"{outcome}: {word} -> {wrong} -> {found.get(wrong.lower(), '')}"
    total = outcomes.total()
    yield f"{total} questions: " + ", ".join(f"{name} {n / total:.3f}" for name, n in sorted(outcomes.items()))


def real(asked: Sequence[str], search: AbstractSearch) -> Iterator[str]:
    """Yield the corrections of questions as written."""
    corrected = 0
    for question in asked:
        for each in search.corrections(question):
            corrected += 1
            yield f"{each.written} -> {each.searched}: {question}"
    yield f"{corrected} corrections in {len(asked)} questions"


def absent(words: Sequence[str], search: AbstractSearch) -> Iterator[str]:
    """Yield what words that no text holds are corrected to; then their number and the share corrected."""
    asked = [word for word in words if not search(word, 1).documents]
    lost = 0
    for word in asked:
        for each in search.corrections(f"What is {word}?"):
            lost += 1
            yield f"{each.written} -> {each.searched}"
    yield f"{len(asked)} absent words, {lost / max(1, len(asked)):.4f} corrected"


def scifact(data: Path, counts: Mapping[str, int]) -> list[str]:
    """Return the words of five letters or more in at least two texts of SciFact that no text searched holds."""
    held: Counter[str] = Counter()
    for line in gzip.decompress((data / "evidence" / "scifact-corpus.jsonl.gz").read_bytes()).decode().splitlines():
        entry = json.loads(line)
        held.update(set(correcting._LETTERS.findall(f"{entry['title']} {' '.join(entry['abstract'])}")))
    return sorted({w.lower() for w, n in held.items() if n >= 2 and len(w) >= 5 and not counts[w.lower()]})


def without(what: str) -> None:
    """Switch a guard off."""
    if what == "list":
        correcting._is_known = lambda _: False  # type: ignore[assignment]
    if what == "letter":
        own = OpenIndex.vocabulary
        OpenIndex.vocabulary = lambda self, _: own(self, "")  # type: ignore[method-assign]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--editions", type=int, nargs="+", default=[9, 10, 11])
    parser.add_argument("--questions", type=int, default=500, help="questions to put an error in")
    parser.add_argument("--without", choices=("list", "letter"), default="")
    parser.add_argument("--index", type=Path, help="folder of the indexes, to keep them")
    options = parser.parse_args()
    without(options.without)
    data = Data(options.data)
    texts = {pmid: document.text for pmid, document in data.later.items()}
    words = {pmid: set(correcting._LETTERS.findall(text)) for pmid, text in texts.items()}
    counts = Counter(word for held in words.values() for word in {w.lower() for w in held})
    entries = [entry for _, entry in data.golden(options.editions)]
    every = [" ".join(entry["body"].split()) for entry in entries]
    pairs = zip(every, entries, strict=True)
    asked = [q for q, entry in pairs if texts.keys() & {url.rpartition("/")[2] for url in entry["documents"]}]
    sampled = random.Random(SEED).sample(asked, min(options.questions, len(asked)))
    rare = sorted({w for held in words.values() for w in held if counts[w.lower()] in RARE and len(w) >= 5})
    draw = random.Random(SEED)
    chosen = draw.sample(rare, ABSENT)
    with tempfile.TemporaryDirectory() as folder:
        index = options.index or Path(folder) / "index"
        search = AbstractSearch.of_documents(data.later.values())
        print("\n".join(("injected", *injected(sampled, search, counts))), flush=True)
        print("\n".join(("real", *real(every, search))), flush=True)
        print("\n".join(("scifact", *absent(scifact(options.data, counts), search))), flush=True)
        gone = set(chosen)
        rest = [Document(p, text) for p, text in texts.items() if not words[p] & gone]
        file = Path(folder) / "rest.jsonl"
        file.write_text("\n".join(json.dumps({"pmid": d.id, "title": "", "abstract": d.text}) for d in rest), "utf-8")
        print("\n".join((f"absent from {len(rest)} texts", *absent(chosen, AbstractSearch([file], index)))), flush=True)
    lines: list[str] = []
    total = Counter[str]()
    for _ in range(PILES):
        pile = AbstractSearch.of_documents(Document(p, texts[p]) for p in draw.sample(sorted(texts), PILE))
        *found, line = absent(draw.sample(rare, ABSENT // PILES), pile)
        lines += found
        total["asked"] += int(line.split()[0])
    print(f"absent from piles of {PILE} texts", *lines, sep="\n")
    print(f"{total['asked']} absent words, {len(lines) / total['asked']:.4f} corrected")


if __name__ == "__main__":
    main()
