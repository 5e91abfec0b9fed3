"""Count the titles that each trimming rule shortens, with ilpsum's exceptions and as published (--strict).

    python -m experiments.compression_rules [--data ../shared/data] [--titles N]

The paper's 450 titles are not public. These are the N (450) titles of our PubMed abstracts whose PMIDs are closest to
10,950,000, the middle of those that the paper prints (10.57 to 11.22 million), so of the same years. Prints Markdown
with the published counts on its 200 test titles.
"""

import argparse
import gzip
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

from experiments.parser.evaluation import CachingParser, Study
from ilpsum.compression.compressor import VARIANT_A, VARIANT_B
from ilpsum.compression.parser import load_parser
from ilpsum.compression.rules import RULES, CompressorOptions
from ilpsum.files.idf import load_idf

MIDDLE = 10_950_000
PUBLISHED = {"subtitle": 38, "dt": 109, "vbg": 26, "serial-pp": 42, "nested-pp": 36, "conjoined-np": 54}
PUBLISHED_LEFT = {"variant A": 0.687, "variant B": 0.563}
FILES = ("bioasq/abstracts.jsonl.gz", "pubmed-text/other_abstracts.jsonl.gz")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--titles", type=int, default=450)
    options = parser.parse_args()
    texts, pmids = titles(options.data, options.titles)
    print(f"{len(texts)} titles, PMIDs {min(pmids)} to {max(pmids)}, ", end="")
    print(f"{mean(map(len, texts)):.1f} characters and {mean(len(t.split()) for t in texts):.1f} words on average.\n")
    settings = CompressorOptions((), idf=load_idf())
    lenient = Study(texts, (None,) * len(texts), settings, CachingParser(load_parser()))
    studies = (lenient, replace(lenient, options=replace(settings, strict=True)))
    print("| rule | titles | strict | published, of 200 | characters left of those | strict |")
    print("|---|---:|---:|---:|---:|---:|")
    for rule in RULES:
        shares, left = zip(*(_changed(study, (rule,)) for study in studies), strict=True)
        published = f"{PUBLISHED[rule] / 200:.3f}" if rule in PUBLISHED else ""
        print(f"| {rule} | {shares[0]:.3f} | {shares[1]:.3f} | {published} | {left[0]:.3f} | {left[1]:.3f} |")
    deeper = [_changed(replace(s, options=replace(s.options, depth=4)), ("nested-pp",))[0] for s in studies]
    print(f"| nested-pp, a level deeper | {deeper[0]:.3f} | {deeper[1]:.3f} | | | |")
    print("\n| all titles | characters left | strict | published |\n|---|---:|---:|---:|")
    for name, rules in (("variant A", VARIANT_A), ("variant B", VARIANT_B)):
        ratios = [mean(c.character_ratio for c in study.compressed(rules)) for study in studies]
        print(f"| {name} | {ratios[0]:.3f} | {ratios[1]:.3f} | {PUBLISHED_LEFT[name]:.3f} |")


def titles(data: Path, count: int) -> tuple[tuple[str, ...], list[int]]:
    """Return the titles closest to the paper's in PMID, by PMID, and their PMIDs."""
    found: dict[int, str] = {}
    for name in FILES:
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                if record["title"].strip():
                    found.setdefault(int(record["pmid"]), " ".join(record["title"].split()))
    pmids = sorted(sorted(found, key=lambda pmid: (abs(pmid - MIDDLE), pmid))[:count])
    return tuple(found[pmid] for pmid in pmids), pmids


def _changed(study: Study, rules: Sequence[str]) -> tuple[float, float]:
    """Return the share of titles that the rules shorten, and the mean share of characters left of these."""
    compressions = study.compressed(tuple(rules))
    fired = [c for c in compressions if c.firings]
    return len(fired) / len(compressions), mean(c.character_ratio for c in fired) if fired else 1.0


if __name__ == "__main__":
    main()
