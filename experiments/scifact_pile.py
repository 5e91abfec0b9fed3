"""Write the abstracts of SciFact's corpus as a pile for `ilpsum train`, in which they only distract.

    python experiments/scifact_pile.py evidence/scifact-corpus.jsonl.gz --out scifact.jsonl

Their ids become 90,000,000 and more, above those of PubMed, so that no question lists them.
"""

import argparse
import gzip
import json
from pathlib import Path

FIRST = 90_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with gzip.open(options.corpus, "rt", encoding="utf-8") as lines, options.out.open("w", encoding="utf-8") as out:
        for entry in map(json.loads, lines):
            text = " ".join(entry["abstract"])
            record = {"pmid": str(FIRST + entry["doc_id"]), "title": entry["title"], "abstract": text}
            out.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
