"""Compare our ROUGE scores with those of the original script ROUGE-1.5.5.

    python experiments/rouge_original.py --rouge FOLDER [--data ../shared/data]

FOLDER is the script's distribution with ROUGE-1.5.5.pl and data/ (needs perl, DB_File and
XML::DOM). It is copied, and WordNet's exception list in the copy is empty, since ours has none. The
comparison covers ROUGE-1 to -4, -L, -S4, -SU4, -S* and -SU*, with and without stems, word limits
and both methods for several references, on human summaries (TAC 2014, each against one, two and
three others), answers (BioASQ, the first 200 words of the snippets against all ideal answers) and
generated noisy text. Prints the texts, the numbers compared, and the largest difference. The script
prints five digits and computes F1 from rounded numbers, so differences up to 0.000015 are rounding
errors.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from ilpsum.metrics.rouge import References
from ilpsum.records import Topic
from ilpsum.tasks import ReaderOptions, read_topics

Pair = tuple[str, Sequence[str]]

NEAR = ("ROUGE-1", "ROUGE-2", "ROUGE-3", "ROUGE-4", "ROUGE-L", "ROUGE-S4", "ROUGE-SU4")
FAR = ("ROUGE-S*", "ROUGE-SU*")
_FLAGS = {NEAR: "-n 4 -2 4 -U", FAR: "-2 -1 -U -x"}
_DIRT = [
    "\n",
    "\n\n",
    *"a A gene genes miR-372 \u00e9t\u00e9 \u212aelvin x\u00a0y \u2019s p<0.05 $5 _cn_ \ufeff \x00 \x0b \x1c \x85 "
    "\u2028 -- ... \U0001f600 yyying running 12.5% \u0130 \ufb01brin \u03b1 <b> &amp; \u3000 \r".split(
        " "
    ),
]


@dataclass
class Tally:
    """Results of the comparison for one setting."""

    numbers: int = 0
    largest: float = 0.0
    where: str = ""

    def add(self, ours: float, theirs: float, where: str) -> None:
        """Add one pair of numbers."""
        self.numbers += 1
        if abs(ours - theirs) > self.largest:
            self.largest, self.where = abs(ours - theirs), where


@dataclass
class Original:
    """The script, copied to a temporary folder, without WordNet's exception lists."""

    source: Path
    _scratch: Any = field(default_factory=lambda: tempfile.TemporaryDirectory(prefix="rouge-"))

    def __post_init__(self) -> None:
        self.home = Path(self._scratch.name) / "ROUGE-1.5.5"
        shutil.copytree(self.source, self.home)
        (self.home / "data" / "WordNet-2.0.exc.db").unlink(missing_ok=True)
        command = ["perl", "buildExeptionDB.pl", ".", "none", "../WordNet-2.0.exc.db"]
        subprocess.run(
            command,
            cwd=self.home / "data" / "WordNet-2.0-Exceptions",
            check=True,
            capture_output=True,
        )

    def __call__(self, pairs: Sequence[Pair], flags: str) -> str:
        """Return the script's output for pairs, numbered from 0."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            blocks = ['<ROUGE_EVAL version="1.5.5">']
            for n, (candidate, references) in enumerate(pairs):
                (folder / f"{n}.p").write_text(_lines(candidate), encoding="utf-8")
                for k, reference in enumerate(references):
                    (folder / f"{n}.{k}.m").write_text(_lines(reference), encoding="utf-8")
                models = "".join(f'<M ID="{k}">{n}.{k}.m</M>' for k in range(len(references)))
                blocks.append(
                    f'<EVAL ID="{n}"><PEER-ROOT>{folder}</PEER-ROOT><MODEL-ROOT>{folder}</MODEL-ROOT>'
                    f'<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT><PEERS><P ID="s">{n}.p</P></PEERS>'
                    f"<MODELS>{models}</MODELS></EVAL>"
                )
            (folder / "all.xml").write_text("\n".join([*blocks, "</ROUGE_EVAL>"]))
            command = [
                "perl",
                str(self.home / "ROUGE-1.5.5.pl"),
                "-e",
                str(self.home / "data"),
                *flags.split(),
            ]
            done = subprocess.run(
                [*command, "-a", "-d", str(folder / "all.xml")], capture_output=True, text=True
            )
            if done.returncode:
                sys.exit(f"ROUGE-1.5.5.pl {flags}: {done.stderr[:500]}")
            return done.stdout


def _lines(text: str) -> str:
    # The script reads some white space differently from how it splits words. Every sentence remains
    # one line.
    return "\n".join(" ".join(line.split()) for line in text.split("\n")) + "\n"


def compare(
    original: Original, pairs: Sequence[Pair], flags: str, names: Sequence[str], **options: Any
) -> Tally:
    """Compare every score of every pair."""
    printed = original(pairs, f"{_FLAGS[tuple(names)]} {flags} -r 1")
    found = re.findall(r"^s (ROUGE-\S+) Eval (\d+)\.s R:(\S+) P:(\S+) F:(\S+)", printed, re.M)
    theirs = {(int(n), name): tuple(map(float, numbers)) for name, n, *numbers in found}
    tally = Tally()
    for n, (candidate, references) in enumerate(pairs):
        for name, score in References(references, names, **options).score(candidate).items():
            for ours, their in zip(
                (score.recall, score.precision, score.f1), theirs[n, name], strict=True
            ):
                tally.add(ours, their, f"{name} of pair {n}: {ours} {their}")
    return tally


def human_summaries(data: Path) -> Iterator[Pair]:
    for topic in read_topics([data / "tac2014"], "tac"):
        texts = topic.summaries if isinstance(topic, Topic) else ()
        for i, text in enumerate(texts):
            others = [*texts[:i], *texts[i + 1 :]]
            yield from ((text, others[:k]) for k in range(1, len(others) + 1))


def answers(data: Path) -> Iterator[Pair]:
    files = sorted((data / "bioasq").glob("*_golden.json.gz"))
    joined = [data / "bioasq" / "training2b.json.gz"]
    for topic in read_topics(files, "bioasq", ReaderOptions(pool="snippets", answers=joined)):
        if isinstance(topic, Topic) and topic.summaries and topic.documents:
            first = " ".join(" ".join(document.text for document in topic.documents).split()[:200])
            yield first, topic.summaries


def dirt(seed: int) -> Iterator[Pair]:
    rng = random.Random(seed)

    def text() -> str:
        words = rng.choices(_DIRT, k=rng.choice([0, 0, 1, 1, 2, 3, 5, 10, 40]))
        return "".join(word + rng.choice([" ", " ", ""]) for word in words)

    for _ in range(1500):
        yield text(), [text() for _ in range(rng.randint(1, 4))]


def settings() -> Iterator[tuple[str, dict[str, Any]]]:
    for stem in (False, True):
        for words in (None, 250, 20, 1):
            for flag, multiple in (("A", "pool"), ("B", "best")):
                flags = f"-f {flag}{' -m' if stem else ''}{f' -l {words}' if words else ''}"
                yield flags, {"stem": stem, "words": words, "multiple": multiple}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rouge", type=Path, required=True, help="folder of ROUGE-1.5.5")
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    plain = Original(arguments.rouge)
    humans, answered = list(human_summaries(arguments.data)), list(answers(arguments.data))
    several = [pair for pair in answered if len(pair[1]) > 1]
    dirty = list(dirt(arguments.seed))
    print("texts\toptions\tpairs\tnumbers\tlargest difference")
    worst = 0.0

    def show(texts: str, flags: str, pairs: Sequence[Pair], tally: Tally) -> None:
        nonlocal worst
        worst = max(worst, tally.largest)
        where = tally.where if tally.largest > 2e-5 else ""
        print(
            texts,
            flags,
            len(pairs),
            tally.numbers,
            f"{tally.largest:.6f}",
            where,
            sep="\t",
            flush=True,
        )

    for flags, options in settings():
        for texts, pairs in (("human", humans), ("dirt", dirty)):
            show(texts, flags, pairs, compare(plain, pairs, flags, NEAR, **options))
    for flags, options in list(settings())[::8]:
        for texts, pairs in (("human", humans), ("dirt", dirty)):
            show(texts, f"{flags} S*", pairs, compare(plain, pairs, flags, FAR, **options))
        show("answers", flags, answered, compare(plain, answered, flags, NEAR, **options))
        best = options | {"multiple": "best"}
        show(
            "answers",
            flags.replace("A", "B"),
            several,
            compare(plain, several, flags.replace("A", "B"), NEAR, **best),
        )
    begin = perf_counter()
    plain(humans, "-n 2 -2 4 -u -x -m -r 1")
    between = perf_counter()
    for candidate, references in humans:
        References(references, stem=True).score(candidate)
    print(
        f"the script takes {(between - begin) / (perf_counter() - between):.0f} times as long as ilpsum (human, -m)"
    )
    return int(worst > 5e-5)


if __name__ == "__main__":
    sys.exit(main())
