"""Print the processor time of questions in a process that has index and model open, beside that of another version.

    python experiments/benchmarks/warm_question.py ABSTRACTS... --questions FILE --old CHECKOUT --index FOLDER

The questions of a BioASQ file are answered in 200 words by both versions, each in a process of its own with an index of
its own. They take turns, and the first ten questions do not count. Each question is asked twice: the second time shows
what a version remembers. The ratios are those of the medians, of the sums, and by question with quartiles.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from ilpsum.corpora import read_topics

# Uses only what old versions have; nobody sees reasons where `ask` prints an answer.
_ANSWERING = """
import json, sys, time
from importlib.util import find_spec
from ilpsum import Summarizer, Topic
from ilpsum.retrieval import AbstractSearch, with_documents
*files, index = sys.argv[1:]
options = {"explained": False} if find_spec("ilpsum.pipeline.pipeline") else {}
search, summarizer = AbstractSearch(files, index), Summarizer.load("concepts", **options)
for line in sys.stdin:
    times = []
    for _ in range(2):
        began = time.process_time()
        found = with_documents(Topic("q", json.loads(line)), search)
        between = time.process_time()
        summarizer(found, 200)
        times.append((between - began, time.process_time() - between))
    print(json.dumps(times), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", nargs="+", type=Path)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--old", required=True, type=Path)
    parser.add_argument("--index", required=True, type=Path)
    options = parser.parse_args()
    files = [str(path.resolve()) for path in options.abstracts]
    versions = [_started(Path(__file__).parents[2], files, options.index / "new")]
    versions.append(_started(options.old, files, options.index / "old"))
    asked = [topic.query for topic in read_topics(options.questions)]
    # (questions, versions, times asked, stages)
    times = np.array([[_answered(version, query) for version in versions] for query in asked])[10:]
    for version in versions:
        version.terminate()
    print("| | this version, median, ms | medians | sums | by question |\n|---|---|---|---|---|")
    for number, again in enumerate(("asked", "asked again")):
        new, old = (np.column_stack([t, t.sum(axis=1)]) for t in times[:, :, number].swapaxes(0, 1))
        for k, stage in enumerate(("search", "summary", "both")):
            low, middle, high = np.quantile(new[:, k] / old[:, k], (0.25, 0.5, 0.75))
            median, total = (of(new[:, k]) / of(old[:, k]) for of in (np.median, np.sum))
            spread = f"{middle:.2f} ({low:.2f}, {high:.2f})"
            print(f"| {again}: {stage} | {1000 * np.median(new[:, k]):.0f} | {median:.2f} | {total:.2f} | {spread} |")


def _started(checkout: Path, files: list[str], index: Path) -> "subprocess.Popen[str]":
    """Start a version, which reads questions and prints its seconds."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve()), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _ANSWERING, *files, str(index.resolve())]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment, cwd=checkout)


def _answered(version: "subprocess.Popen[str]", query: str) -> list[list[float]]:
    """Return the (times asked, stages) seconds of a question."""
    print(json.dumps(query), file=version.stdin, flush=True)
    return json.loads(version.stdout.readline()) if version.stdout else []


if __name__ == "__main__":
    main()
