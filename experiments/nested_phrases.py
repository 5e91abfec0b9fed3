"""How many titles trigger the rules for nested and serial prepositional phrases, by hand-made trees
and by ours.

    python experiments/nested_phrases.py [--data ../shared/data]

The titles are the sentences of GENIA's development set that are a noun phrase without a verb
phrase; our parser was not trained on them. It reads the words with predicted tags.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from nltk.tree import Tree

from ilpsum.compression.parser import load_parser
from ilpsum.compression.published_rules import (
    CompressorOptions,
    nested_prepositional_phrases,
    serial_prepositional_phrases,
)
from ilpsum.compression.trees import numbered, read_tree

STRICT = CompressorOptions(rules=("nested-pp", "serial-pp"), strict=True)


def is_title(tree: Tree) -> bool:
    """Return whether a sentence is a noun phrase without a verb phrase."""
    labels = [part.label() for part in tree[0]]
    return labels[0] == "NP" and "VP" not in labels


def shares(trees: Sequence[Tree]) -> list[float]:
    """Return the shares of trees that trigger rule 4, rule 4 a level deeper, and rule 5."""
    deeper = replace(STRICT, depth=4)
    triggered = [0, 0, 0]
    for tree in trees:
        triggered[0] += any(nested_prepositional_phrases(numbered(tree, count()), STRICT))
        triggered[1] += any(nested_prepositional_phrases(numbered(tree, count()), deeper))
        triggered[2] += any(serial_prepositional_phrases(numbered(tree, count()), STRICT))
    return [number / len(trees) for number in triggered]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    lines = (parser.parse_args().data / "genia/dev.trees").read_text("utf-8").splitlines()
    titles = [tree for tree in map(read_tree, lines) if is_title(tree)]
    parsed = load_parser().parse([list(tree.leaves()) for tree in titles])
    print(f"{len(titles)} titles\ntrees\tnested\tdeeper\tserial")
    for name, trees in (("hand-made", titles), ("ours", [read_tree(str(t)) for t in parsed])):
        print(name, *(f"{share:.3f}" for share in shares(trees)), sep="\t")


if __name__ == "__main__":
    main()
