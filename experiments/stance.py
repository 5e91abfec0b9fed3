"""How often the rules of the page are right: sides of sentences, items of lists, and facts that are given again.

    python experiments/stance.py FOLDER [--abstracts FILE...]     with BioASQ's *_golden.json.gz

Sentences are those of the experts' snippets. A side is right if it is the experts' answer; that counts a snippet that
contradicts the answer as a mistake of the rules. A name is right if it and an item of the experts contain each other. A
sentence gives a fact again if it holds the experts' answer, counted where the first sentence does.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from features.answers import asks_for_list
from features.sentences import split_sentences
from ilpsum.answers.points import items_of, repeating
from ilpsum.answers.stance import YesNo

# As many snippets as an answer has sources.
SNIPPETS = 6
# As many sentences as an answer has.
LINES = 7


def questions(folder: Path, editions: range = range(1, 99)) -> Iterator[dict[str, Any]]:
    """Yield each question of some editions once; the name of a file begins with its edition (`8B1_golden.json.gz`)."""
    seen = set()
    for path in sorted(folder.glob("*_golden.json.gz")):
        if int(path.name.partition("B")[0]) not in editions:
            continue
        for question in json.loads(gzip.decompress(path.read_bytes()))["questions"]:
            if question["body"] not in seen:
                seen.add(question["body"])
                yield question


def texts_of(paths: Sequence[Path]) -> dict[str, str]:
    """Return the abstracts of files of JSON lines, with their titles, by PMID."""
    lines = (json.loads(line) for path in paths for line in gzip.decompress(path.read_bytes()).splitlines())
    return {str(line["pmid"]): f"{line['title']} {line['abstract']}" for line in lines}


def sides(folder: Path, sources: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """Count sentences by the experts' answer and the side that the rules give them."""
    counts: Counter[tuple[str, str]] = Counter()
    for question in questions(folder):
        exact = question.get("exact_answer") or ""
        gold = str(exact[0] if isinstance(exact, list) else exact).lower().strip(". ")
        asked = YesNo.of(question["body"])
        if question["type"] != "yesno" or gold not in ("yes", "no"):
            continue
        counts[gold, "questions"] += 1
        for snippet in question["snippets"] if asked else ():
            text, title = snippet["text"], snippet.get("beginSection") == "title"
            source = sources.get(snippet["document"].rpartition("/")[2], "")
            said = (asked.read(text[a:b], title=title, source=source).value for a, b in split_sentences(text))
            counts.update((gold, side or "neither") for side in said)
    return counts


def names(folder: Path, editions: range) -> Counter[str]:
    """Count the names shown for questions for a list, and the experts' items among them."""
    counts: Counter[str] = Counter()
    for question in questions(folder, editions):
        listed = asks_for_list(question["body"])
        counts[f"{question['type']}, {'read as a list' if listed else 'not'}"] += 1
        if question["type"] != "list" or not question.get("exact_answer") or not listed:
            continue
        numbers: dict[str, int] = {}
        quoted = [
            (snippet["text"], numbers.setdefault(snippet["document"], len(numbers) + 1))
            for snippet in question["snippets"][:SNIPPETS]
        ]
        gold = [_listed(group) for group in question["exact_answer"]]
        shown = [item.name.lower() for item in items_of(question["body"], quoted)]
        counts["shown"] += len(shown)
        counts["right"] += sum(any(s in name or name in s for g in gold for s in g) for name in shown)
        counts["items"] += len(gold)
        counts["items in the snippets"] += sum(any(s in text.lower() for s in g for text, _ in quoted) for g in gold)
        counts["items shown"] += sum(any(s in name or name in s for s in g for name in shown) for g in gold)
    return counts


def again(folder: Path) -> Counter[str]:
    """Count sentences of snippets that are said to give the fact of the first one again, for questions for a fact."""
    counts: Counter[str] = Counter()
    for question in questions(folder):
        if question["type"] != "factoid" or not question.get("exact_answer"):
            continue
        exact = question["exact_answer"]
        named = [a for group in (exact if isinstance(exact, list) else [exact]) for a in _listed(group)]
        sentences: dict[str, None] = {}
        for text in (snippet["text"] for snippet in question["snippets"]):
            sentences.update((text[a:b], None) for a, b in split_sentences(text)[:2])
        texts = [*sentences][:LINES]
        _, found = repeating(question["body"], texts)
        counts["questions"] += 1
        counts["with a fact given again"] += bool(found)
        if found and any(name in texts[0].lower() for name in named):
            counts["sentences"] += len(found)
            counts["right"] += sum(any(name in texts[i].lower() for name in named) for i in found)
    return counts


def _listed(group: object) -> list[str]:
    return [str(name).lower() for name in (group if isinstance(group, list) else [group])]


def main() -> None:
    """Print all counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--abstracts", type=Path, nargs="+", default=[], help="texts that the snippets are from")
    options = parser.parse_args()
    folder = options.folder
    counts = sides(folder, texts_of(options.abstracts))
    for side in ("yes", "no"):
        right, all_ = counts[side, side], counts["yes", side] + counts["no", side]
        print(f"{side}: {right} of {all_} sentences, {right / all_:.3f}")
    print(dict(counts))
    for editions in (range(1, 12), range(4, 9)):
        found = names(folder, editions)
        shown, items = found["right"] / found["shown"], found["items shown"] / found["items in the snippets"]
        print(f"editions {editions[0]} to {editions[-1]}: right {shown:.3f}, items shown {items:.3f}, {dict(found)}")
    print(dict(again(folder)))


if __name__ == "__main__":
    main()
