"""Print the processor time of questions in a process that has index and model open, by stage.

    python experiments/benchmarks/warm_question.py ABSTRACTS QUESTIONS --index FOLDER

QUESTIONS is a BioASQ file; the first ten of its questions are asked before, the other ninety are measured.
"""

import argparse
from pathlib import Path
from time import process_time

import numpy as np

from ilpsum import Summarizer, Topic
from ilpsum.corpora import read_topics
from ilpsum.retrieval import AbstractSearch, with_documents


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("questions")
    parser.add_argument("--index", type=Path, required=True)
    options = parser.parse_args()
    search, rows = AbstractSearch([options.abstracts], options.index), []
    # Nobody sees reasons where `ask` prints an answer.
    summarizer = Summarizer.load("concepts", explained=False)
    for topic in read_topics(options.questions):
        began = process_time()
        found = with_documents(Topic(topic.id, topic.query), search)
        between = process_time()
        summary = summarizer(found, 200)
        rows.append((between - began, process_time() - between, process_time() - began, len(summary.candidates) / 1000))
    print("| | search, ms | summary, ms | both, ms | candidates |\n|---|---|---|---|---|")
    for name, share in (("median", 50), ("99th percentile", 99)):
        print(f"| {name} | {' | '.join(f'{1000 * value:.0f}' for value in np.percentile(rows[10:], share, axis=0))} |")


if __name__ == "__main__":
    main()
