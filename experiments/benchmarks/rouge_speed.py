"""How fast ROUGE is, beside an earlier version of ilpsum and beside rouge-score, on the same pairs in the same run.

    git archive COMMIT ilpsum features | tar -x -C OLD
    python experiments/benchmarks/rouge_speed.py --old OLD [--rouge-score PYTHON] [--data ../shared/data]

PYTHON is an interpreter that has the package rouge-score. Each contestant is a process of its own that scores all pairs
once a round, in turn with the others; the best of the rounds counts, in processor time. Pairs: human summaries of TAC
2014 against each other (about 235 words on both sides), and the first 200 words of BioASQ snippets against the expert's
answer (156 and 35 words on average), every fifth question. `cold` is the first round, in which every stem is new.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Pair = tuple[str, list[str]]

NAMES = (["ROUGE-1"], ["ROUGE-2"], ["ROUGE-SU4"], ["ROUGE-1", "ROUGE-2", "ROUGE-SU4"])
ROUNDS = 5


def pairs(data: Path) -> dict[str, list[Pair]]:
    from ilpsum.formats import ReaderOptions, read_topics
    from ilpsum.records import Topic

    tac: list[Pair] = []
    for topic in read_topics([data / "tac2014"], "tac"):
        if isinstance(topic, Topic):
            texts = topic.summaries
            tac += [(a, [b]) for a in texts for b in texts if a is not b]
    bioasq: list[Pair] = []
    files = sorted((data / "bioasq").glob("*_golden.json.gz"))
    answers = [data / "bioasq" / "training2b.json.gz"]
    for topic in read_topics(files, "bioasq", ReaderOptions(pool="snippets", answers=answers)):
        if isinstance(topic, Topic) and topic.summaries and topic.documents:
            words = " ".join(document.text for document in topic.documents).split()
            bioasq.append((" ".join(words[:200]), [topic.summaries[0]]))
    return {"TAC": tac, "BioASQ": bioasq[::5]}


def scorer(contestant: str, names: list[str], *, stem: bool) -> Callable[[Sequence[Pair]], object]:
    """Return what a contestant does with pairs."""
    if contestant == "rouge-score":
        from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-not-found]

        scorer = RougeScorer([f"rouge{name[6:]}" for name in names], use_stemmer=stem)
        return lambda pairs: [scorer.score(references[0], text) for text, references in pairs]
    from ilpsum.metrics import rouge

    if contestant == "batch":
        return lambda pairs: list(rouge.rouge_batch(pairs, names, stem=stem))
    return lambda pairs: [rouge.rouge(text, references, names, stem=stem) for text, references in pairs]


def work(contestant: str) -> None:
    """Answer requests on stdin: time one round over the pairs of the first line."""
    data = json.loads(sys.stdin.readline())
    for line in sys.stdin:
        which, names, stem = json.loads(line)
        score = scorer(contestant, names, stem=stem)
        begin = time.process_time()
        score(data[which])
        print((time.process_time() - begin) / len(data[which]), flush=True)


class Worker:
    """The process of a contestant."""

    def __init__(self, contestant: str, python: str, path: str, data: dict[str, list[Pair]]) -> None:
        command = [python, __file__, "--work", contestant]
        pipe: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, **pipe)
        self._ask(data)

    def _ask(self, request: object) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def seconds(self, *request: object) -> float:
        """Return the seconds a pair of one round."""
        self._ask(request)
        assert self._process.stdout
        return float(self._process.stdout.readline())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--old", metavar="FOLDER", help="an earlier version of ilpsum")
    parser.add_argument("--rouge-score", metavar="PYTHON", help="an interpreter that has rouge-score")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.work)
        return 0
    data, here = pairs(arguments.data), str(Path(__file__).resolve().parents[2])
    workers = {name: Worker(name, sys.executable, here, data) for name in ("single", "batch")}
    if arguments.old:
        workers["old"] = Worker("old", sys.executable, arguments.old, data)
    if arguments.rouge_score:
        workers["rouge-score"] = Worker("rouge-score", arguments.rouge_score, "", data)
    print("pairs\tmetrics\tstems", *(f"{name} (cold), relative" for name in workers if name != "batch"), sep="\t")
    for which in data:
        # The first request is for stems, so that its first round is cold.
        for names in NAMES:
            for stem in (True, False):
                able = [name for name in workers if name != "rouge-score" or "ROUGE-SU4" not in names]
                times = {name: [workers[name].seconds(which, names, stem)] for name in able}
                for _ in range(ROUNDS):
                    for name in able:
                        times[name].append(workers[name].seconds(which, names, stem))
                base = times["batch"]
                ratios = (
                    f"{min(times[name]) / min(base):.2f} ({times[name][0] / base[0]:.2f})" if name in times else "-"
                    for name in workers
                    if name != "batch"
                )
                print(which, "+".join(names), "yes" if stem else "no", *ratios, sep="\t", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
