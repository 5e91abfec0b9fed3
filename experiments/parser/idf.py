"""Count the document frequencies that rule 7 uses, from titles with abstracts.

python -m experiments.parser.idf --data ../shared/data --out ilpsum/data/models/idf.npz
"""

import argparse
import gzip
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from ilpsum.files.idf import KIND, PROTOCOL, IdfTable, terms
from ilpsum.files.persistence import pack, save

ABSTRACTS = ("bioasq/abstracts.jsonl.gz", "pubmed-text/other_abstracts.jsonl.gz")


def texts(data: Path) -> Iterator[str]:
    """Yield title and abstract of every article once."""
    seen: set[str] = set()
    for name in ABSTRACTS:
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                if record["pmid"] not in seen:
                    seen.add(record["pmid"])
                    yield f"{record['title']} {record['abstract']}"


def count(texts: Iterable[str]) -> IdfTable:
    """Count the documents that contain each term."""
    documents = 0
    counts: Counter[str] = Counter()
    for text in texts:
        documents += 1
        counts.update(terms(text))
    return IdfTable(
        documents, {term: number for term, number in sorted(counts.items()) if number > 1}
    )


def save_idf(path: str | Path, table: IdfTable, metadata: Mapping[str, str]) -> None:
    """Write a table to a model file."""
    arrays = {
        "terms": pack(table.counts),
        "counts": np.array(list(table.counts.values()), np.uint32),
    }
    save(path, KIND, PROTOCOL, {"documents": table.documents, "facts": dict(metadata)}, arrays)


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    options.add_argument("--out", type=Path, required=True)
    arguments = options.parse_args()
    table = count(texts(arguments.data))
    digests = {
        name: hashlib.sha256((arguments.data / name).read_bytes()).hexdigest() for name in ABSTRACTS
    }
    save_idf(arguments.out, table, {"documents": "PubMed titles with abstracts", **digests})
    print(f"{table.documents} documents, {len(table.counts)} terms of two or more documents")
    return 0


if __name__ == "__main__":
    sys.exit(main())
