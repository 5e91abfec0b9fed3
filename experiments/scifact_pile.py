"""Write the abstracts of SciFact's corpus as a pile for `ilpsum train`, in which they only
distract.

    python experiments/scifact_pile.py evidence/scifact-corpus.jsonl.gz --out scifact.jsonl

Their ids become 90,000,000 and more, above those of PubMed, so that no question lists them.
"""

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIRST = 90_000_000


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a compressed JSONL file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def write_pile(corpus: Path, out: Path) -> None:
    """Write the abstracts of the corpus."""
    with out.open("w", encoding="utf-8") as stream:
        for entry in lines_of(corpus):
            text = " ".join(entry["abstract"])
            record = {
                "pmid": str(FIRST + entry["doc_id"]),
                "title": entry["title"],
                "abstract": text,
            }
            stream.write(json.dumps(record) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    write_pile(options.corpus, options.out)


if __name__ == "__main__":
    main()
