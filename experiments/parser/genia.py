"""Reader of the GENIA Treebank: a tarball of XML files to trees.

`tok` elements hold words, `cons` elements hold phrases, nodes with `null` are traces and are
dropped, and the `sentence` element is itself the outermost S.
"""

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ilpsum.compression.trees import Tree, escape
from ilpsum.errors import InputError

TAGS = {
    "PERIOD": ".", "COMMA": ",", "COLON": ":", "LRB": "-LRB-", "RRB": "-RRB-", "PRPP": "PRP$", "WPP": "WP$",
    "LQT": "``", "RQT": "''",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TreebankSentence:
    """One sentence of the treebank.

    Attributes:
        pmid: the number of the article.
        title: whether the sentence belongs to the article's title.
        text: the sentence as printed.
        tree: the tree, `(S1 (S ...))`, without traces.
    """

    pmid: int
    title: bool
    text: str
    tree: Tree


def read_treebank(tarball: str | Path) -> Iterator[TreebankSentence]:
    """Yield every sentence of the treebank, by article number, titles first.

    Args:
        tarball: `GENIA_treebank_v1.tar.gz`; read in place, not unpacked.

    Raises:
        InputError: the file is not a tarball, or an article is not well-formed XML.
    """
    from defusedxml.ElementTree import fromstring

    try:
        with tarfile.open(tarball) as archive:
            members = {
                int(name.group(1)): m
                for m in archive
                if (name := re.search(r"(\d+)\.xml$", m.name))
            }
            for pmid in sorted(members):
                file = archive.extractfile(members[pmid])
                if file is not None:
                    yield from _article(fromstring(file.read()), pmid)
    except (OSError, tarfile.TarError, SyntaxError) as error:
        raise InputError(
            f"not a GENIA Treebank ({error}); expected GENIA_treebank_v1.tar.gz", tarball
        ) from error


def read_pmids(path: str | Path) -> frozenset[int]:
    """Read article numbers, one a line; leading zeros do not matter."""
    try:
        return frozenset(int(line) for line in Path(path).read_text(encoding="utf-8").split())
    except (OSError, ValueError) as error:
        raise InputError(f"not a list of PMIDs ({error}); expected one a line", path) from error


def _article(root: Any, pmid: int) -> Iterator[TreebankSentence]:
    for part in ("ArticleTitle", "AbstractText"):
        for element in root.iter(part):
            for sentence in element.iter("sentence"):
                children = tuple(
                    tree for child in sentence if (tree := _convert(child)) is not None
                )
                if children:
                    text = " ".join("".join(sentence.itertext()).split())
                    yield TreebankSentence(
                        pmid, part == "ArticleTitle", text, Tree("S1", [Tree("S", children)])
                    )


def _convert(element: Any) -> Tree | None:
    if element.tag == "tok":
        tag = TAGS.get(element.get("cat"), element.get("cat"))
        word = escape(element.text or "")
        return Tree(tag, [tag if tag in ("``", "''") else word]) if word else None
    if element.get("null"):
        return None
    children = tuple(tree for child in element if (tree := _convert(child)) is not None)
    return Tree(element.get("cat"), children) if children else None
