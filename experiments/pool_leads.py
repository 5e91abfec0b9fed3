"""Score the lead of each BioASQ pool: its first 200 words against the expert's ideal answer.

    python experiments/pool_leads.py [--data ../shared/data] [--editions 12345678]

The score is the mean of ROUGE-2 and ROUGE-SU4 recall, without stemming, against the first ideal answer. Questions
without documents in a pool, or without an answer, are counted but not scored. `merged, searched` is the pool `merged`
with the overlap of snippets found by comparing letters instead of offsets. `abstracts` has the questions with all their
abstracts in the data.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from ilpsum.formats import bioasq
from ilpsum.metrics import rouge
from ilpsum.records import Topic

WORDS = 200
POOLS = ("snippets", "merged", "merged, searched", "abstracts")


@dataclass
class Row:
    """Counts of one edition and pool."""

    questions: int = 0
    scores: list[float] = field(default_factory=list)
    words: list[int] = field(default_factory=list)

    def add(self, topic: Topic) -> None:
        """Count and score one question."""
        text = " ".join(document.text for document in topic.documents).split()
        self.questions += 1
        if text and topic.summaries:
            found = rouge.rouge(" ".join(text[:WORDS]), topic.summaries[:1])
            self.scores.append((found["ROUGE-2"].recall + found["ROUGE-SU4"].recall) / 2)
            self.words.append(len(text))

    def line(self) -> str:
        """Format questions, scored questions, mean lead, mean words and share of short pools, tab-separated."""
        n = max(len(self.scores), 1)
        short = sum(count <= WORDS for count in self.words) / n
        mean = sum(self.words) / n
        return f"{self.questions}\t{len(self.scores)}\t{sum(self.scores) / n:.4f}\t{mean:.1f}\t{short:.3f}"


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def join_by_letters(pieces: Iterable[tuple[int, int, str]]) -> list[str]:
    """Join snippets like `ilpsum.formats.bioasq.join_overlapping`, but find the overlap by comparing letters."""
    passages: list[str] = []
    end = -1
    for start, stop, text in pieces:
        if not passages or start >= end:
            passages.append(text)
        else:
            passages[-1] = _joined(passages[-1], text, end - start, inside=stop <= end)
        end = max(end, stop)
    return passages


def _joined(before: str, text: str, overlap: int, *, inside: bool) -> str:
    old, new = letters(before), letters(text)
    if new in old:
        return before
    if old in new:
        return text
    for length in range(min(len(old), len(new)), min(12, overlap) - 1, -1):
        if old.endswith(new[:length]):
            places = [m.end() for m in re.finditer(r"[^\W_]", text)]
            return before + text[places[length - 1] :]
    return before if inside else f"{before} {text[overlap:]}"


def topics(data: Path, edition: str, pool: str, complete: set[str]) -> Iterator[Topic]:
    folder = data / "bioasq"
    options = {"pool": "merged" if pool.startswith("merged") else pool, "answers": folder / "training2b.json.gz"}
    if pool == "abstracts":
        options["documents"] = folder / "abstracts.jsonl.gz"
    for path in sorted(folder.glob(f"{edition}B*_golden.json.gz")):
        for topic in bioasq.read(path, **options):
            if pool != "abstracts" or topic.id in complete:
                yield topic


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    parser.add_argument("--editions", default="12345678", help="editions as digits (default: 12345678)")
    options = parser.parse_args()
    data = Path(options.data)
    listed = (data / "bioasq" / "questions_with_all_abstracts.tsv").read_text(encoding="utf-8").splitlines()
    complete = {line.split("\t")[2] for line in listed}
    print("edition\tpool\tquestions\tscored\tlead\twords\tat most 200 words")
    by_numbers = bioasq.join_overlapping
    total = Row()
    for edition in tqdm(options.editions, file=sys.stderr):
        for pool in POOLS:
            row = Row()
            bioasq.join_overlapping = join_by_letters if pool == "merged, searched" else by_numbers
            for topic in topics(data, edition, pool, complete):
                row.add(topic)
                if pool == "abstracts":
                    total.add(topic)
            print(f"{edition}\t{pool}\t{row.line()}")
    print(f"all\tabstracts\t{total.line()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
