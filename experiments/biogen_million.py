"""Index and search a million abstracts: memory, disk, a new file, a killed build, and time against a small index.

The abstracts are copies of BioASQ's, each with its own PMID and three words in ten replaced by words drawn from all
abstracts by frequency, so lengths and frequencies are unchanged. Every step is a separate process, whose peak memory is
read at its end. Peak memory includes mapped pages of the index, which the system reclaims when needed; memory without
mapped files is printed separately. Times are ratios of processor times.

    python experiments/biogen_million.py --work /some/folder
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ilpsum.corpora import biogen, pubmed
from ilpsum.records import Document, Topic
from ilpsum.retrieval import AbstractSearch
from ilpsum.retrieval.indexing import index_file

SHARE = 0.3
PER_FILE = 100_000
WORD = re.compile(r"[A-Za-z]{4,}")


def make(source: Path, folder: Path, number: int) -> list[Path]:
    """Write `number` abstracts to files of `PER_FILE`, and 1,000 more to another file."""
    rng = random.Random(1)
    real = [d for d in pubmed.documents(source) if isinstance(d, Document)]
    pool = [word for d in real for word in WORD.findall(d.text)]
    files, pmid = [], 0
    for first in range(0, number + 1000, PER_FILE):
        files.append(folder / f"abstracts-{first // PER_FILE:02}.jsonl")
        with files[-1].open("w", encoding="utf-8") as stream:
            for _ in range(min(PER_FILE, number - first) if first < number else 1000):
                document = real[pmid % len(real)]
                pmid += 1
                text = WORD.sub(lambda m: rng.choice(pool) if rng.random() < SHARE else m[0], document.text)
                title, _, abstract = text.partition("\n")
                stream.write(json.dumps({"pmid": str(pmid), "title": title, "abstract": abstract}) + "\n")
    return files


def topics(data: Path) -> list[str]:
    """Return the queries of all topics of both years."""
    found = []
    for name in ("2024_BioGen2024topics-json.txt", "2025_taskB_topics.json"):
        read = biogen.read(data / "biogen" / name)
        found += [f"{topic.query} {topic.subject}" for topic in read if isinstance(topic, Topic)]
    return found


def step(name: str, files: Sequence[Path], index: Path, data: Path) -> dict[str, float]:
    """Run a step in this process."""
    start = time.process_time()
    if name == "index":
        for file in files:
            index_file(file, index)
        return {"seconds": time.process_time() - start}
    search = AbstractSearch(files, index)
    opened = time.process_time() - start
    queries = topics(data)
    start = time.process_time()
    found = sum(len(search(query).hits) for query in queries)
    return {"opened": opened, "seconds": (time.process_time() - start) / len(queries), "hits": found}


def anonymous() -> float:
    """Return the memory of this process without mapped files, in MB; 0 if the system does not report it."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")), 0.0)


def run(name: str, files: Sequence[Path], index: Path, data: Path) -> dict[str, float]:
    """Run a step in a separate process; return its measurements and its peak memory in MB."""
    command = [sys.executable, __file__, "--step", name, "--data", str(data), "--work", str(index), *map(str, files)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def kill(file: Path, index: Path, data: Path) -> int:
    """Kill the build of an index after its first commit; return the number of abstracts in it."""
    from tantivy import Index

    command = [sys.executable, __file__, "--step", "index", "--data", str(data), "--work", str(index), str(file)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            homes = [home for home in index.glob("*") if (home / "meta.json").exists()]
            if homes and Index.open(str(homes[0])).searcher().num_docs:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.05)
    return int(Index.open(str(homes[0])).searcher().num_docs)


def size(folder: Path) -> float:
    """Return the size of all files of a folder, in MB."""
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 2**20


def whole(options: argparse.Namespace) -> None:
    """Run all steps."""
    source = options.data / "bioasq" / "abstracts.jsonl.gz"
    folder = Path(options.work)
    folder.mkdir(parents=True)
    files = make(source, folder, options.number)
    megabytes = sum(f.stat().st_size for f in files) / 2**20
    print(f"{options.number + 1000} abstracts in {len(files)} files, {megabytes:.0f} MB")
    small = run("index", [source], folder / "small", options.data)
    made = run("index", files[:-1], folder / "index", options.data)
    rate = (made["seconds"] / options.number) / (small["seconds"] / 6272)
    disk = size(folder / "index")
    print(f"index: peak {made['peak']:.0f} MB (of the 6,272: {small['peak']:.0f}), disk {disk:.0f} MB;")
    print(f"  time an abstract over that of the 6,272: {rate:.2f}")
    added = run("index", files, folder / "index", options.data)
    share = added["seconds"] / made["seconds"]
    print(f"a file of 1,000 more: {share:.4f} of the time of the whole, the hashing of all files with it")
    few, many = (run("search", f, folder / i, options.data) for f, i in (([source], "small"), (files, "index")))
    print(f"search: peak {many['peak']:.0f} MB (of the 6,272: {few['peak']:.0f}), {many['hits']:.0f} hits;")
    print(f"  without pages of files {many['anonymous']:.0f} MB (of the 6,272: {few['anonymous']:.0f})")
    print(f"  time a question over that of the 6,272: {many['seconds'] / few['seconds']:.1f}")
    print(f"  opening, with the hashing of all files: {many['opened'] / made['seconds']:.4f} of the time of indexing")
    big = folder / "big.jsonl"
    with big.open("wb") as stream:
        for file in files[:2]:
            stream.write(file.read_bytes())
    there = kill(big, folder / "cut", options.data)
    rest, again = run("index", [big], folder / "cut", options.data), run("index", [big], folder / "fresh", options.data)
    share = rest["seconds"] / again["seconds"]
    print(f"killed with {there} of 200,000 committed: the rest took {share:.2f} of a fresh build")
    one, other = (run("search", [big], folder / i, options.data)["hits"] for i in ("cut", "fresh"))
    print(f"  hits then {one:.0f}, of a fresh build {other:.0f}")
    shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = os.environ.get("ILPSUM_TEST_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data), help="folder that contains bioasq/ and biogen/")
    parser.add_argument("--work", required=True, help="new folder to work in; needs 6 GB of disk")
    parser.add_argument("--number", type=int, default=1_000_000)
    parser.add_argument("--step", choices=["index", "search"], help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step is None:
        whole(options)
        return
    figures = step(options.step, options.files, Path(options.work), options.data)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**figures, "peak": peak, "anonymous": anonymous()}))


if __name__ == "__main__":
    main()
