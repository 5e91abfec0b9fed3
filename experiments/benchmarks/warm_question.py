"""Print the processor time of questions in a process that has index and model open, beside that of
another version.

    python experiments/benchmarks/warm_question.py ABSTRACTS... --questions FILE --old CHECKOUT
    --index FOLDER

The questions of a BioASQ file are answered in 200 words by both versions, each in a process of its
own with an index of its own. They take turns, and the first ten questions do not count. Each
question is asked twice: the second time shows what a version remembers. The ratios are those of the
medians, of the sums, and by question with quartiles. A version that refuses a question before it
reads sentences takes little time, so those that both answer have rows of their own.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from ilpsum.tasks import read_topics

# Uses only what old versions have; nobody sees reasons where `ask` prints an answer.
_ANSWERING = """
import json, sys, time
from importlib import import_module
from importlib.util import find_spec
from ilpsum import Summarizer, Topic
room = "answers" if find_spec("ilpsum.answers") else "retrieval"
AbstractSearch = import_module(f"ilpsum.{room}.searching").AbstractSearch
with_documents = import_module(f"ilpsum.{room}.attaching").with_documents
*files, index = sys.argv[1:]
options = {"explained": False} if find_spec("ilpsum.pipeline.pipeline") else {}
search, summarizer = AbstractSearch(files, index), Summarizer.load("concepts", **options)
for line in sys.stdin:
    times = []
    for _ in range(2):
        began = time.process_time()
        found = with_documents(Topic("q", json.loads(line)), search)
        between = time.process_time()
        summary = summarizer(found, 200)
        times.append((between - began, time.process_time() - between, float(bool(summary.sentences))))
    print(json.dumps(times), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("abstracts", nargs="+", type=Path)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--old", required=True, type=Path)
    parser.add_argument("--index", required=True, type=Path)
    options = parser.parse_args()
    files = [str(path.resolve()) for path in options.abstracts]
    versions = [_started(Path(__file__).parents[2], files, options.index / "new")]
    versions.append(_started(options.old, files, options.index / "old"))
    asked = [topic.query for topic in read_topics(options.questions)]
    # (questions, versions, times asked, stages and whether there is an answer)
    times = np.array([[_answered(version, query) for version in versions] for query in asked])[10:]
    for version in versions:
        version.terminate()
    print("| | this version, median, ms | medians | sums | by question |\n|---|---|---|---|---|")
    both = times[:, :, 0, 2].all(axis=1)
    for name, of, again in (
        ("all", both | True, 0),
        ("answered by both", both, 0),
        ("the same, asked again", both, 1),
    ):
        seconds = times[of, :, again, :2]
        for stage, by in (
            ("search", seconds[..., 0]),
            ("summary", seconds[..., 1]),
            ("together", seconds.sum(axis=2)),
        ):
            low, middle, high = np.quantile(by[:, 0] / by[:, 1], (0.25, 0.5, 0.75))
            median, total = (of[0] / of[1] for of in (np.median(by, axis=0), by.sum(axis=0)))
            spread = f"{middle:.2f} ({low:.2f}, {high:.2f})"
            ms = 1000 * np.median(by[:, 0])
            print(
                f"| {name} ({len(by)}): {stage} | {ms:.0f} | {median:.2f} | {total:.2f} | {spread} |"
            )


def _started(checkout: Path, files: list[str], index: Path) -> "subprocess.Popen[str]":
    """Start a version, which reads questions and prints its seconds."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve()), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _ANSWERING, *files, str(index.resolve())]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, env=environment, cwd=checkout
    )


def _answered(version: "subprocess.Popen[str]", query: str) -> list[list[float]]:
    """Return the (times asked, stages) seconds of a question."""
    print(json.dumps(query), file=version.stdin, flush=True)
    return json.loads(version.stdout.readline()) if version.stdout else []


if __name__ == "__main__":
    main()
