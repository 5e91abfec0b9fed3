"""Score sentence splitting on the abstracts of the GENIA treebank.

    python experiments/sentence_boundaries.py [--data ../shared/data] [--errors]

The text of an abstract is its annotated sentences joined by single spaces, without the title. A
boundary is the end of a sentence that is not the last, as an offset in that text; a predicted
boundary is correct at exactly that offset. Precision, recall and F1 are over all boundaries of a
set of abstracts. The rules were developed on the abstracts that are not in `dev.pmids`.
"""

import argparse
import os
import re
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from defusedxml import ElementTree

from features.sentences import split_sentences

Splitter = Callable[[str], list[tuple[int, int]]]


@dataclass(frozen=True)
class Abstract:
    """An abstract of the treebank, sentence by sentence."""

    pmid: int
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentences, joined by single spaces."""
        return " ".join(self.sentences)

    @property
    def boundaries(self) -> set[int]:
        """Offsets of the ends of all sentences except the last."""
        ends, at = set(), 0
        for sentence in self.sentences[:-1]:
            ends.add(at + len(sentence))
            at += len(sentence) + 1
        return ends


def abstracts(archive: Path) -> Iterator[Abstract]:
    with tarfile.open(archive) as files:
        for member in sorted(files, key=lambda m: m.name):
            content = files.extractfile(member) if member.name.endswith(".xml") else None
            if content:
                root = ElementTree.parse(content).getroot()
                found = (
                    "".join(s.itertext()).strip() for s in root.iterfind(".//AbstractText/sentence")
                )
                yield Abstract(int(root.findtext(".//PMID")), tuple(found))


def stop_and_capital(text: str) -> list[tuple[int, int]]:
    """Split by the naive rule: a full stop, white space, a capital."""
    ends = [m.end() for m in re.finditer(r"[.?!](?=\s+[A-Z])", text)]
    return list(zip([0, *ends], [*ends, len(text)], strict=True))


def punkt(text: str) -> list[tuple[int, int]]:
    """Split by NLTK's Punkt without training."""
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    return list(PunktSentenceTokenizer().span_tokenize(text))


def counts(
    chosen: list[Abstract], splitter: Splitter, errors: bool = False
) -> tuple[int, int, int]:
    """Count correct, predicted and gold boundaries."""
    right = found = gold = 0
    for abstract in chosen:
        predicted = {end for _, end in splitter(abstract.text)[:-1]}
        expected = abstract.boundaries
        right, found, gold = (
            right + len(predicted & expected),
            found + len(predicted),
            gold + len(expected),
        )
        for end in sorted(predicted ^ expected) if errors else ():
            kind = "missed" if end in expected else "wrong"
            print(
                f"  {kind} {abstract.pmid}: {abstract.text[max(0, end - 50) : end]} | {abstract.text[end : end + 40]}"
            )
    return right, found, gold


def score(chosen: list[Abstract], splitter: Splitter, errors: bool = False) -> str:
    right, found, gold = counts(chosen, splitter, errors)
    f1 = 2 * right / (found + gold)
    measures = f"precision {right / found:.4f} recall {right / gold:.4f} F1 {f1:.4f}"
    return f"boundaries {gold} found {found} right {right} {measures}"


def processor_time(chosen: list[Abstract], splitter: Splitter) -> float:
    """Return the shortest of five runs over all texts, in seconds."""
    times = []
    for _ in range(5):
        begin = time.process_time()
        for abstract in chosen:
            splitter(abstract.text)
        times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument(
        "--errors", action="store_true", help="print all errors on the abstracts outside dev"
    )
    options = parser.parse_args()
    everything = list(abstracts(options.data / "genia" / "GENIA_treebank_v1.tar.gz"))
    held_out = {int(pmid) for pmid in (options.data / "genia" / "dev.pmids").read_text().split()}
    sets = {
        "all": everything,
        "not dev": [a for a in everything if a.pmid not in held_out],
        "dev": [a for a in everything if a.pmid in held_out],
    }
    splitters: dict[str, Splitter] = {
        "ilpsum": split_sentences,
        "Punkt, untrained": punkt,
        "stop and capital": stop_and_capital,
    }
    seconds = {name: processor_time(everything, splitter) for name, splitter in splitters.items()}
    for name, best in seconds.items():
        print(f"time of {name}, in that of ilpsum: {best / seconds['ilpsum']:.2f}")
    for name, chosen in sets.items():
        print(f"{name}: {len(chosen)} abstracts, {sum(len(a.sentences) for a in chosen)} sentences")
        for splitter_name, splitter in splitters.items():
            show = options.errors and name == "not dev" and splitter is split_sentences
            print(f"  {splitter_name:18}", score(chosen, splitter, show))


if __name__ == "__main__":
    main()
