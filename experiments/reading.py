"""Read answers to searched questions blind: draw them, judge each sentence by hand, count.

    python experiments/reading.py draw --model unseen.npz --out reading
    python experiments/reading.py tally reading/sheet.tsv --key reading/key.json --keep judged.tsv
    python experiments/reading.py tally judged.tsv

`draw` answers questions of edition 11 twice: by sentences ranked by BM25, and as `ilpsum ask` does
with a model that has not seen them. It writes `sheet.tsv`, the guide for readers and the answers in
random order without their systems, and `key.json`, which names the systems; readers must not open
it. In the sheet a reader replaces the `?` of each sentence by:

    A  answers the question, wholly or in part: this sentence alone gives a right answer
    P  is to the point: says something about what was asked, even if it does not answer (A implies P)
    T  repeats what an earlier sentence of the same answer said, in the same or other words
    H  hangs: refers to something that is not in the answer (`both trials`), or is a fragment
    M  misleads: a reader who trusts it learns something wrong about what was asked
    -  none of these

`tally` checks that no text was changed and prints the shares with intervals of 95 % (bootstrap over
the questions, seed 1). `--keep` writes the judgments with question, system and digest of each
sentence, without texts; `tally` also reads that file.
"""

import argparse
import csv
import json
import os
import random
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from features.context import Context
from features.retrieval import bm25
from ilpsum import Topic
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.steps import Summarizer
from ilpsum.literature import intake
from ilpsum.pipeline.candidates import candidates
from ilpsum.pipeline.system import System
from ilpsum.records.tables import CandidateTable
from ilpsum.tasks import ReaderOptions, read_topics

SYSTEMS = ("BM25 sentences", "new")
MARKS = "APTHM-"
COLUMNS = ("answer", "sentence", "marks", "text")
KEPT = ("question", "system", "sentence", "digest", "marks")
NOTHING = "(no answer)"
COVERED = 0.7
"""Share of a question's documents that the pile must hold."""


@dataclass(frozen=True)
class Judged:
    """The judgment of one sentence of an answer; an answer without sentences has one, numbered 0."""

    question: str
    system: str
    sentence: int
    digest: str
    marks: str


def digest(text: str) -> str:
    """Return the first 12 digits of the SHA-256 of a text."""
    return sha256(text.encode()).hexdigest()[:12]


def piles(data: Path) -> list[Path]:
    """Return the files of whole abstracts."""
    return [
        data / "bioasq" / "abstracts.jsonl.gz",
        *sorted((data / "evidence").glob("abstracts-*.jsonl.gz")),
    ]


def questions(options: argparse.Namespace) -> list[Topic]:
    """Return the questions of the editions."""
    files = [
        f
        for n in options.editions
        for f in sorted((options.data / "bioasq").glob(f"{n}B[0-9]_golden.json.gz"))
    ]
    return [
        t
        for t in read_topics(files, "bioasq", ReaderOptions(pool="searched"))
        if isinstance(t, Topic)
    ]


def draw(options: argparse.Namespace) -> None:
    """Answer a sample of questions by each system; write the sheet and the key."""
    pile = piles(options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    topics = sample(
        options,
        frozenset(d.id for f in pile for d in intake.documents(f)),
    )
    search = AbstractSearch(pile, options.out / "index")
    system = System.load("concepts-searched").for_reader(strict=True)
    new = Summarizer.load(system, options.model, may_stop_early=True)
    found = [with_documents(topic, search) for topic in topics]
    answers = {
        "BM25 sentences": [best_ranked(topic, options.words) for topic in found],
        "new": [[s.text for s in new(topic, options.words)] for topic in found],
    }
    write(topics, answers, options.out, options.seed)


def sample(options: argparse.Namespace, known: frozenset[str]) -> list[Topic]:
    """Return a random sample of the questions most of whose documents are in the pile, without those read before."""
    read = {entry.question for file in options.without for entry in judged(file, None)}
    fit = {
        t.id: t
        for t in questions(options)
        if t.id not in read
        and t.summaries
        and len(known & {*t.relevant}) >= max(1, COVERED * len(t.relevant))
    }
    return [
        fit[name] for name in random.Random(options.seed).sample(sorted(fit), options.questions)
    ]


def best_ranked(topic: Topic, words: int) -> list[str]:
    """Return the sentences of the found abstracts in the order of BM25, each that still fits."""
    texts, chosen = [s.text for s in candidates(topic, CandidateTable(clean=True))], []
    for i in np.argsort(-bm25(Context.of_texts(topic.query, texts)), kind="stable"):
        if len(texts[i].split()) <= words:
            chosen.append(texts[i])
            words -= len(texts[i].split())
    return chosen


def write(
    topics: Sequence[Topic], answers: Mapping[str, Sequence[Sequence[str]]], out: Path, seed: int
) -> None:
    """Write the sheet, with the answers to each question in random order, and the key."""
    dice = random.Random(seed)
    key: dict[str, dict[str, str]] = {}
    with (out / "sheet.tsv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter="\t", lineterminator="\n")
        rows.writerows(
            [f"# {line}"]
            for line in re.findall(r"^ {4}([APTHM-]  .+)", __doc__ or "", re.MULTILINE)
        )
        rows.writerow(COLUMNS)
        for number, place in enumerate(dice.sample(range(len(topics)), len(topics)), start=1):
            topic = topics[place]
            rows.writerow([f"# {topic.query}"])
            rows.writerow([f"# The experts: {' '.join(topic.summaries[0].split())}"])
            for letter, system in zip(
                "abc", dice.sample(sorted(answers), len(answers)), strict=False
            ):
                texts = answers[system][place]
                key[f"{number}{letter}"] = {"question": topic.id, "system": system}
                key[f"{number}{letter}"] |= {
                    str(n): digest(text) for n, text in enumerate(texts, start=1)
                }
                rows.writerows(
                    [f"{number}{letter}", n, "?", text] for n, text in enumerate(texts, start=1)
                )
                if not texts:
                    rows.writerow([f"{number}{letter}", 0, "-", NOTHING])
    (out / "key.json").write_text(json.dumps(key, indent=1) + "\n", encoding="utf-8")


def judged(sheet: Path, key: Path | None) -> list[Judged]:
    """Read a filled sheet with its key, or judgments that were kept.

    Raises:
        SystemExit: a sentence without a judgment, a wrong mark, or a text that is not the one
            drawn.
    """
    named = json.loads(key.read_text(encoding="utf-8")) if key else {}
    found = []
    for number, line in enumerate(sheet.read_text(encoding="utf-8").splitlines(), start=1):
        row = next(csv.reader([line], delimiter="\t"), [""])
        if row[0].startswith("#") or tuple(row) in (COLUMNS, KEPT):
            continue
        if key:
            answer, sentence, marks, text = row
            entry = Judged(
                named[answer]["question"],
                named[answer]["system"],
                int(sentence),
                digest(text),
                marks,
            )
            if entry.sentence and named[answer][sentence] != entry.digest:
                sys.exit(f"{sheet}:{number}: not the text that was drawn; restore it")
        else:
            entry = Judged(row[0], row[1], int(row[2]), row[3], row[4])
        if (
            not entry.marks
            or set(entry.marks) - set(MARKS)
            or ("-" in entry.marks and entry.marks != "-")
        ):
            sys.exit(
                f"{sheet}:{number}: expected letters of A, P, T, H and M, or -, found {entry.marks!r}"
            )
        found.append(entry)
    return found


def shares(answers: Iterable[Sequence[Judged]]) -> tuple[float, ...]:
    """Return the shares of answers that answer and that do so first, and of sentences with P, T, H and M."""
    answers = list(answers)
    marks = [j.marks.replace("A", "AP") for answer in answers for j in answer if j.sentence]
    answered = sum(any("A" in j.marks for j in answer) for answer in answers)
    first = sum("A" in min(answer, key=lambda j: j.sentence).marks for answer in answers)
    counts = (sum(letter in mark for mark in marks) / max(1, len(marks)) for letter in "PTHM")
    return answered / len(answers), first / len(answers), *counts


def table(found: Sequence[Judged]) -> Iterable[str]:
    """Yield the lines of the table: the shares of each system, with intervals."""
    yield "| | answers, sentences | answered | first answers | to the point | said twice | hanging | misleading |"
    yield f"|{'---|' * 8}"
    for system in dict.fromkeys(
        j.system for j in sorted(found, key=lambda j: SYSTEMS.index(j.system))
    ):
        answers: dict[str, list[Judged]] = {}
        for entry in found:
            if entry.system == system:
                answers.setdefault(entry.question, []).append(entry)
        dice, each = random.Random(1), [answers[name] for name in sorted(answers)]
        draws = np.array([shares(dice.choices(each, k=len(each))) for _ in range(2000)])
        low, high = np.quantile(draws, (0.025, 0.975), axis=0)
        cells = (
            f"{x:.2f} [{a:.2f}, {b:.2f}]" for x, a, b in zip(shares(each), low, high, strict=True)
        )
        yield f"| {system} | {len(each)}, {sum(j.sentence > 0 for a in each for j in a)} | {' | '.join(cells)} |"


def keep(found: Sequence[Judged], file: Path) -> None:
    """Write judgments without texts."""
    rows = [KEPT, *((j.question, j.system, j.sentence, j.digest, j.marks) for j in found)]
    file.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument("--editions", nargs="+", type=int, default=[11])
    steps = parser.add_subparsers(dest="step", required=True)
    add = steps.add_parser("draw").add_argument
    add("--model", type=Path, help="a model for concepts-searched that has not seen the questions")
    add(
        "--without",
        type=Path,
        nargs="+",
        default=[],
        help="judgments that were kept: their questions are not drawn",
    )
    add("--questions", type=int, default=24)
    add("--words", type=int, default=100)
    add("--seed", type=int, default=41)
    add("--out", type=Path, required=True)
    add = steps.add_parser("tally").add_argument
    add("sheet", type=Path)
    add("--key", type=Path, help="the key of the sheet; none for judgments that were kept")
    add("--keep", type=Path, help="write the judgments without texts")
    options = parser.parse_args()
    if options.step == "draw":
        draw(options)
        return
    found = judged(options.sheet, options.key)
    print("\n".join(table(found)))
    if options.keep:
        keep(found, options.keep)


if __name__ == "__main__":
    main()
