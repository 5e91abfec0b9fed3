"""Make the included table of abbreviations from texts that define them.

    python experiments/abbreviations.py TEXT... [--out ilpsum/data/mesh/abbreviations.txt.gz]

TEXT are plain texts (a paragraph a line) and JSON lines of abstracts, perhaps gzipped. A definition
is `long form (SHORT)` as in `ilpsum.answers.alternatives.definitions`; a text counts once for each.
A short form is kept if it has two to six letters, at least `LEAST` texts define it, `SHARE` of them
with the same long form (equal terms), and it is hardly ever printed in lower case: `MI` is, `CAN`
is not. The long form is the spelling that most texts have.
"""

import argparse
import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from ilpsum.answers.alternatives import ABBREVIATIONS, SEPARATOR, definitions
from ilpsum.pipeline.terms import UNSEARCHED, terms

LEAST, SHARE, LOWER = 5, 0.4, 0.02
# What clinicians type and papers do not define.
TYPED = {
    "afib": "atrial fibrillation",
    "aflutter": "atrial flutter",
    "dmii": "type 2 diabetes",
    "hpylori": "helicobacter pylori",
    "vfib": "ventricular fibrillation",
    "vtach": "ventricular tachycardia",
}
SHORT = re.compile(r"[A-Z][A-Za-z]{1,5}")
WORD = re.compile(r"[^\W\d_]+")


def texts(path: Path) -> Iterator[str]:
    """Yield the texts of a file."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            if ".jsonl" in path.name:
                record = json.loads(line)
                yield f"{record.get('title') or ''}\n{record['abstract'] or ''}"
            else:
                yield line


def abbreviations(paths: list[Path]) -> dict[str, str]:
    """Return the long form of each short form, in lower case."""
    spellings = defaultdict[str, Counter[str]](Counter)
    printed, lower = Counter[str](), Counter[str]()
    for path in paths:
        for text in texts(path):
            for word in WORD.findall(text):
                if len(word) <= 6:
                    printed[word.lower()] += 1
                    lower[word.lower()] += word.islower()
            for short, long in set(definitions(text)):
                if (
                    SHORT.fullmatch(short)
                    and not short.islower()
                    and short[1:] != short[1:].lower()
                ):
                    spellings[short.lower()][" ".join(long.lower().split())] += 1
    found = dict(TYPED)
    for short, forms in spellings.items():
        by_terms = defaultdict[tuple[str, ...], Counter[str]](Counter)
        for form, times in forms.items():
            by_terms[tuple(terms(form))][form] += times
        best = max(by_terms.values(), key=Counter.total)
        is_common = forms.total() >= LEAST and best.total() >= SHARE * forms.total()
        if is_common and lower[short] <= LOWER * printed[short] and short not in UNSEARCHED:
            found[short] = best.most_common(1)[0][0]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=ABBREVIATIONS)
    options = parser.parse_args()
    lines = [f"{short}{SEPARATOR}{long}" for short, long in abbreviations(options.texts).items()]
    options.out.write_bytes(gzip.compress("\n".join(sorted(lines)).encode(), 9, mtime=0))
    size = options.out.stat().st_size
    print(f"{options.out}: {len(lines)} lines, {size} bytes", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
