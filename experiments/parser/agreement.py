"""Compare compression on predicted trees with compression on gold trees, on GENIA titles held out of training.

    python -m experiments.parser.agreement --data ../shared/data

Applies each rule alone to each title, once with the treebank's tree and once with the parser's (over the treebank's
words), and prints the share of titles with the same output, over all titles and over those where the rule fires on
either tree.
"""

import argparse
import os
import sys
from pathlib import Path

from experiments.parser.genia import TreebankSentence, read_pmids, read_treebank
from ilpsum.compression.compressor import VARIANT_A, VARIANT_B, Compressor
from ilpsum.compression.parser import load_parser
from ilpsum.compression.rules import CompressorOptions
from ilpsum.compression.trees import Tree, unescape
from ilpsum.files.idf import load_idf


def flat_text(tree: Tree) -> str:
    """Join the words of a tree by blanks, so that both trees cover the same words."""
    return " ".join(map(unescape, tree.leaves()))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    options.add_argument("--model", help="parser to evaluate (default: the one included)")
    options.add_argument("--show", metavar="RULE", help="print the titles whose outputs differ")
    options.add_argument("--abstracts", action="store_true", help="use abstract sentences instead of titles")
    arguments = options.parse_args()
    development = read_pmids(arguments.data / "genia/dev.pmids")
    treebank = read_treebank(arguments.data / "genia/GENIA_treebank_v1.tar.gz")
    sentences = [s for s in treebank if s.pmid in development and s.title != arguments.abstracts]
    parser = load_parser(arguments.model)
    predicted = parser.parse([s.tree.leaves() for s in sentences])
    print("rule\tagree\tof\tshare\tfired\tshare of fired")
    for name, rules in [(rule, (rule,)) for rule in VARIANT_B] + [("variant a", VARIANT_A), ("variant b", VARIANT_B)]:
        compressor = Compressor(CompressorOptions(rules, idf=load_idf()), parser)
        report(name, compressor, sentences, predicted, arguments.show == name)
    return 0


def report(
    name: str, compressor: Compressor, sentences: list[TreebankSentence], predicted: list[Tree | None], show: bool
) -> None:
    agree = fired = fired_agree = 0
    for sentence, tree in zip(sentences, predicted, strict=True):
        text = flat_text(sentence.tree)
        on_gold, on_predicted = compressor.compress(text, sentence.tree), compressor.compress(text, tree)
        same = on_gold.text == on_predicted.text
        agree += same
        if on_gold.firings or on_predicted.firings:
            fired += 1
            fired_agree += same
        if show and not same:
            print(f"  title     {text}\n  gold      {on_gold.text}\n  predicted {on_predicted.text}")
            print(f"  {sentence.tree}\n  {tree}\n")
    total = len(sentences)
    print(f"{name}\t{agree}\t{total}\t{agree / total:.4f}\t{fired}\t{fired_agree / max(fired, 1):.4f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
