"""Compare the time of ILP-SUM-2 on all of BioASQ 3 with that of sumy's LexRank on the same documents.

    python experiments/benchmarks/edition3.py [--data ../shared/data] [--pool snippets]

Both summarise every question in 200 words, in turn: ILP-SUM-2 from the documents (sentences, features with word
vectors, SVR, exact ILP), and LexRank, which ignores the question, from the sentences of the same documents, split by
ilpsum because sumy's splitter needs a download. A third variant gives LexRank the distinct sentences, already split,
although sumy itself ranks duplicates. Imports and models are loaded before timing. Prints ratios of total processor
time and total wall-clock time, and the median ratio per question. Finally it times a whole run of `ilpsum summarize`,
with start, reading, writing and progress bar, against LexRank alone.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contestants import installed, sumy_summary
from selection_instances import LIMIT, data_folder
from tqdm import tqdm

from ilpsum.answers.steps import Summarizer
from ilpsum.formats import bioasq
from ilpsum.formats.papers import layout
from ilpsum.pipeline.candidates import candidates
from ilpsum.pipeline.system import CandidateTable
from ilpsum.records import Topic


def now() -> tuple[float, float]:
    """Return processor seconds of this process and its finished children, and the clock."""
    usages = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in usages), time.perf_counter()


def lexrank(sentences: list[str]) -> None:
    """Run LexRank, unless there are no sentences."""
    if sentences:
        sumy_summary("lexrank", sentences, LIMIT)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--pool", choices=("snippets", "merged"), default="snippets")
    options = parser.parse_args()
    if not installed("lexrank"):
        parser.error('sumy is not installed: pip install ".[benchmark]"')
    files = sorted((options.data / "bioasq").glob("3B?_golden.json.gz"))
    topics = [topic for file in files for topic in bioasq.read(file, pool=options.pool) if isinstance(topic, Topic)]
    summarizer = Summarizer.load("ilp-sum-2")
    summarizer(topics[0], LIMIT)
    lexrank(["Some words to begin with.", "Other words that follow them."])
    found: dict[str, list[tuple[float, float]]] = {"ours": [], "same documents": [], "distinct sentences, split": []}
    for topic in tqdm(topics, file=sys.stderr):
        distinct = [s.text for s in candidates(topic, CandidateTable())]
        work = {
            "ours": lambda topic=topic: summarizer(topic, LIMIT),
            "same documents": lambda topic=topic: lexrank(
                [s.text for document in topic.documents for s in layout.sentences(document)]
            ),
            "distinct sentences, split": lambda distinct=distinct: lexrank(distinct),
        }
        for name, call in work.items():
            begin = now()
            call()
            found[name].append(tuple(b - a for a, b in zip(begin, now(), strict=True)))
    print(f"{len(topics)} questions, pool {options.pool}: sumy's LexRank over ILP-SUM-2")
    ours = found.pop("ours")
    for name, theirs in found.items():
        for k, what in enumerate(("processor", "clock")):
            total = sum(t[k] for t in theirs) / sum(o[k] for o in ours)
            median = statistics.median(t[k] / o[k] for o, t in zip(ours, theirs, strict=True))
            print(f"{name}, {what}: all {total:.2f}, median question {median:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        program = "import sys; from ilpsum.cli import main; sys.exit(main())"
        command = [sys.executable, "-c", program, "summarize", *map(str, files), "--pool", options.pool]
        begin = now()
        subprocess.run([*command, "--system", "ilp-sum-2", "--out", folder], check=True)
        end = now()
    for k, what in enumerate(("processor", "clock")):
        alone = sum(t[k] for t in found["same documents"])
        print(f"LexRank alone, same documents, over the whole run of ours, {what}: {alone / (end[k] - begin[k]):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
