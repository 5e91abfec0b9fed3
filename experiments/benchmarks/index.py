"""Index and search many abstracts: time, memory, disk, questions, updates, readers beside a writer,
shards.

    python experiments/benchmarks/index.py make FOLDER --number 100000
    python experiments/benchmarks/index.py measure FOLDER [--shards]

The abstracts are BioASQ's, repeated for volume only: each copy has a PMID of its own, three words
in ten drawn from the words of all abstracts, and every tenth copy a word that no other has, so
lengths and frequencies stay those of real text and the vocabulary grows. `make` writes them as
PubMed does, 30,000 in a `pubmed26nNNNN.xml.gz`, the last 1 % in files of a folder of their own,
`update`. `measure` runs each step in a process of its own, whose processor time, peak memory and
memory without mapped files it prints; the questions are BioASQ's. `--shards` also indexes the same
abstracts as one file, and compares what both indexes find. Linux only (/proc).
"""

import argparse
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from ilpsum.answers.indexing import index_files
from ilpsum.answers.searching import AbstractSearch
from ilpsum.literature import intake
from ilpsum.literature.intake import Record
from ilpsum.records import Topic
from ilpsum.tasks import read_topics
from ilpsum.tasks.texts import files_in

SHARE = 0.3
ARTICLE = (
    "<PubmedArticle><MedlineCitation><PMID>{}</PMID><Article><ArticleTitle>{}</ArticleTitle><Abstract><AbstractText>{}"
    "</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>\n"
)


def make(source: Path, folder: Path, number: int, size: int, seed: int) -> None:
    """Write `number` abstracts in files of `size`, and 1 % more to the folder `update`."""
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    real = [d.text.partition("\n") for d in intake.documents(source)]
    parts = [(title.split(), abstract.split()) for title, _, abstract in real]
    pool = [word for part in parts for words in part for word in words]
    (folder / "update").mkdir(parents=True)
    starts = [*range(0, number, size), number]
    for place, (first, last) in enumerate(
        zip(starts, [*starts[1:], number + number // 100], strict=True), 1
    ):
        path = folder / ("update" if first == number else "") / f"pubmed26n{place:04}.xml.gz"
        with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as stream:
            stream.write('<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n')
            for pmid in range(first + 1, last + 1):
                title, abstract = (list(words) for words in parts[pmid % len(parts)])
                for words in (title, abstract):
                    for place in np.flatnonzero(numbers.random(len(words)) < SHARE):
                        words[place] = pool[int(draw.random() * len(pool))]
                if pmid % 10 == 0:
                    abstract.append(f"{''.join(draw.choices('bcdfgklmnprst', k=4))}{pmid}")
                stream.write(
                    ARTICLE.format(pmid, escape(" ".join(title)), escape(" ".join(abstract)))
                )
            stream.write("</PubmedArticleSet>\n")


def step(name: str, files: list[Path], index: Path, data: Path) -> dict[str, object]:
    """Run a step in this process, and return its figures."""
    clock, processor = time.perf_counter(), time.process_time()
    if name == "index":
        texts: list[int] = []

        def watch(records: Iterable[Record]) -> Iterator[Record]:
            for record in records:
                document = record.document
                texts.append(len(document.text.encode()) if document else 0)
                yield record

        collection, built = index_files(files, index, watch)
        found = [built.files[digest] for digest in collection.paths]
        figures: dict[str, object] = {
            "documents": sum(each.documents for each in found),
            "text": sum(texts) / 1e6,
        }
        return figures | {
            "processor": time.process_time() - processor,
            "clock": time.perf_counter() - clock,
        }
    if name == "cold":
        evict(index)
        clock = time.perf_counter()
    search = AbstractSearch(files, index)
    opened, each, tops = time.perf_counter() - clock, [], []
    for query in questions(data):
        clock = time.perf_counter()
        hits = search(query).result.found
        each.append(1000 * (time.perf_counter() - clock))
        tops.append([[hit.document, hit.bm25] for hit in hits])
    median, late = np.quantile(each[1:], (0.5, 0.99))
    figures = {"opened": 1000 * opened, "first": each[0], "median": median, "p99": late}
    return figures | {
        "mean_processor": 1000 * (time.process_time() - processor) / len(each),
        "tops": tops,
    }


def evict(folder: Path) -> None:
    """Make the system forget what it keeps in memory of the files of a folder."""
    for path in (path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def questions(data: Path) -> list[str]:
    """Return the questions of the first batch of editions 5 to 11."""
    paths = [data / "bioasq" / f"{edition}B1_golden.json.gz" for edition in range(5, 12)]
    return [topic.query for topic in read_topics(paths) if isinstance(topic, Topic)]


def run(name: str, files: list[Path], index: Path, data: Path) -> dict[str, float]:
    """Run a step in a process of its own and return its figures."""
    return finished(started(name, files, index, data))


def started(name: str, files: list[Path], index: Path, data: Path) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        __file__,
        name,
        str(index),
        "--data",
        str(data),
        "--files",
        *map(str, files),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str]) -> dict[str, float]:
    output, _ = process.communicate()
    if process.returncode:
        sys.exit(process.returncode)
    return dict(json.loads(output))


def size(files: list[Path]) -> float:
    """Return the size of files, and of all files of folders, in MB."""
    inside = [
        file
        for path in files
        for file in ([path] if path.is_file() else path.rglob("*"))
        if file.is_file()
    ]
    return sum(file.stat().st_size for file in inside) / 1e6


def measure(folder: Path, data: Path, shards: bool) -> None:
    """Measure all steps on the abstracts of a folder."""
    index, update = folder / "index", sorted((folder / "update").iterdir())
    files = [Path(path) for path in files_in(sorted(folder.glob("*.xml.gz"))).paths]
    print(f"{len(files)} files of {size(files):.0f} MB; load {os.getloadavg()[0]:.1f}", flush=True)
    built = run("index", files, index, data)
    print_all("indexed", built)
    text, disk = built["text"], size([index])
    print(f"text {text:.0f} MB, index {disk:.0f} MB: {disk / text:.2f}", flush=True)
    before = run("search", files, index, data)
    print_all("searched", before)
    print_all("searched, read from disk", run("cold", files, index, data))
    readers = [started("search", files, index, data) for _ in range(2)]
    print_all("1 % more, beside two readers", run("index", update, index, data))
    for reader in map(finished, readers):
        print_all("a reader", reader)
        print(f"finds what it found before: {reader['tops'] == before['tops']}")
    print_all("searched with the new", run("search", [*files, *update], index, data))
    if not shards:
        return
    whole = folder / "whole.jsonl"
    with whole.open("w", encoding="utf-8") as stream:
        for document in (each for file in files for each in intake.documents(file)):
            title, _, abstract = document.text.partition("\n")
            stream.write(
                json.dumps({"pmid": document.id, "title": title, "abstract": abstract}) + "\n"
            )
    print_all("one file", run("index", [whole], folder / "one", data))
    one = run("search", [whole], folder / "one", data)
    print_all("searched", one)
    pairs = list(zip(before["tops"], one["tops"], strict=True))  # type: ignore[call-overload]
    same = sum(a == b for a, b in pairs)
    print(
        f"the same abstracts, places and scores for {same} of {len(pairs)} questions, the first ten for",
        end=" ",
    )
    print(sum(a[:10] == b[:10] for a, b in pairs))


def print_all(what: str, figures: dict[str, float]) -> None:
    """Print the figures of a step in a line."""
    cells = [f"{name} {value:.1f}" for name, value in figures.items() if name != "tops"]
    print(f"{what}: {', '.join(cells)}", flush=True)


def anonymous() -> float:
    """Return the memory of this process without mapped files, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("ILPSUM_TEST_DATA", "../shared/data")
    parser.add_argument("what", choices=["make", "measure", "index", "search", "cold"])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--data", type=Path, default=Path(data), help="folder that contains bioasq/"
    )
    parser.add_argument("--number", type=int, default=100_000)
    parser.add_argument("--size", type=int, default=30_000, help="abstracts of a file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shards", action="store_true")
    parser.add_argument("--files", nargs="*", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.what == "make":
        make(
            options.data / "bioasq" / "abstracts.jsonl.gz",
            options.folder,
            options.number,
            options.size,
            options.seed,
        )
    elif options.what == "measure":
        measure(options.folder, options.data, options.shards)
    else:
        figures = step(options.what, options.files, options.folder, options.data)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({**figures, "peak": peak, "anonymous": anonymous()}))


if __name__ == "__main__":
    main()
