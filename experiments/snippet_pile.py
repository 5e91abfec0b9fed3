"""Write a pile of texts to search, made of the snippets of BioASQ questions: one text for each PMID.

python experiments/snippet_pile.py ../shared/data/bioasq/[1-8]B*_golden.json.gz --out pile-1-8.jsonl
"""

import argparse
import json
from pathlib import Path

from ilpsum.corpora import ReaderOptions, read_topics
from ilpsum.io.atomic import write_atomically
from ilpsum.records import Topic


def pile(files: list[str]) -> dict[str, str]:
    """Return the text of each PMID: the distinct texts that the questions' snippets cover, in their order."""
    texts: dict[str, list[str]] = {}
    for topic in read_topics(files, "bioasq", ReaderOptions(pool="merged")):
        for document in topic.documents if isinstance(topic, Topic) else ():
            text = " ".join(document.text.split())
            known = texts.setdefault(document.id, [])
            if document.id.isdecimal() and not any(text in other for other in known):
                known[:] = [*(other for other in known if other not in text), text]
    return {pmid: " ".join(parts) for pmid, parts in texts.items() if parts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("golden", nargs="+", help="official JSON of BioASQ")
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    with write_atomically(options.out) as stream:
        for pmid, text in pile(options.golden).items():
            stream.write(json.dumps({"pmid": pmid, "title": "", "abstract": text}).encode() + b"\n")


if __name__ == "__main__":
    main()
