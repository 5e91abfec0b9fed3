"""Print the processor time of the features of searched questions, beside that of another version.

    python experiments/benchmarks/feature_time.py ABSTRACTS... --questions FILE --old CHECKOUT
    --index FOLDER

This version searches for the questions of a BioASQ file. Both versions then compute the set
`searched` for the same candidates, each in a process of its own, in turn. Stems and names that an
earlier topic had are remembered; the passages are new each time.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np

from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.records.tables import CandidateTable
from ilpsum.tasks import read_topics

_COMPUTING = """
import json, sys, time
import numpy as np
from features.context import Context, Evidence
from features.sets import SETS
from features.text import Passage
arrays = {"document": np.int64, "position": float, "is_citance": float, "roles": float}
for line in sys.stdin:
    seconds, number = 0.0, 0
    for topic in json.loads(line):
        texts = {name: tuple(map(Passage, topic[name])) for name in ("sentences", "documents")}
        values = {name: np.array(topic[name], dtype=kind) for name, kind in arrays.items()}
        evidence = Evidence(*(np.array(values, dtype=float).reshape(shape) for values, shape in topic["evidence"]))
        query, section = Passage(topic["query"]), tuple(topic["section"])
        context = Context(query=query, section=section, evidence=evidence, **texts, **values)
        began = time.process_time()
        SETS["searched"].matrix(context)
        seconds += time.process_time() - began
        number += 1
    print(seconds / number, flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("abstracts", nargs="+", type=Path)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--old", required=True, type=Path)
    parser.add_argument("--index", required=True, type=Path)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    search = AbstractSearch(options.abstracts, options.index)
    topics = [with_documents(topic, search) for topic in read_topics(options.questions)]
    contexts = [context(topic, candidates(topic, CandidateTable(clean=True))) for topic in topics]
    line = json.dumps([_written(each) for each in contexts if len(each)])
    versions = [_started(folder) for folder in (Path(__file__).parents[2], options.old)]
    times = np.array(
        [[_computed(version, line) for version in versions] for _ in range(options.repeat)]
    )
    for version in versions:
        version.terminate()
    sizes = f"{len(contexts)} questions, {statistics.mean(map(len, contexts)):.0f} candidates each"
    low, middle, high = np.quantile(times[:, 0] / times[:, 1], (0.0, 0.5, 1.0))
    print(
        f"{sizes}: {1000 * np.median(times[:, 0]):.1f} ms, {middle:.2f} ({low:.2f}, {high:.2f}) of the old"
    )


def _written(each: object) -> dict[str, object]:
    """Return a context as JSON."""
    values = {
        name: value.tolist() for name, value in vars(each).items() if isinstance(value, np.ndarray)
    }
    texts = {name: [p.text for p in getattr(each, name)] for name in ("sentences", "documents")}
    arrays = [
        getattr(each.evidence, name) for name in ("weights", "sentences", "documents", "bm25")
    ]
    evidence = [(array.tolist(), array.shape) for array in arrays]
    return {
        **values,
        **texts,
        "query": each.query.text,
        "section": each.section,
        "evidence": evidence,
    }


def _started(checkout: Path) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve()), "OMP_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", _COMPUTING]
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, env=environment, cwd=checkout
    )


def _computed(version: "subprocess.Popen[str]", line: str) -> float:
    print(line, file=version.stdin, flush=True)
    return float(version.stdout.readline()) if version.stdout else 0.0


if __name__ == "__main__":
    main()
