"""Print the layout of every paper: sections, roles and, optionally, the lines that were left out.

    python experiments/layout_survey.py [--data ../shared/data] [--show NAME] [--role ROLE]
    python experiments/layout_survey.py --remove-headings

Prints one line per document: topic, file, prose sentences, sections with their sentences in text
order, blocks by role. The last line has the share of the gold spans' characters in candidate
sentences, and in each role.

`--remove-headings` reads every paper without the heading of its abstract, of its introduction, and
of both, and counts how often the abstract stays the same. Papers in several topics count once.
"""

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ilpsum.papers.headings import is_abstract_label, section_kind
from ilpsum.papers.layout import outline, sentences
from ilpsum.records import Document


def decode(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text.replace("\r", "")


def papers(folder: Path) -> Iterator[tuple[str, Document, list[tuple[int, int]]]]:
    """Yield topic, paper and gold spans of every paper of the TAC topics."""
    for topic in sorted(folder.iterdir()):
        spans: list[tuple[int, int]] = []
        reference = ""
        for annotations in sorted((topic / "Annotation").iterdir()):
            for line in decode(annotations.read_bytes()).split("\n"):
                fields = dict(part.split(":", 1) for part in line.split(" | ") if ":" in part)
                fields = {key.strip().lower(): value.strip() for key, value in fields.items()}
                reference = fields.get("reference article", reference)
                offsets = re.findall(r"(\d+)-(\d+)", fields.get("reference offset", ""))
                spans += [(int(a), int(b)) for a, b in offsets]
        for file in sorted((topic / "Documents_Text").iterdir()):
            is_reference = file.name == reference
            role = "reference" if is_reference else "citing"
            document = Document(file.name, decode(file.read_bytes()), role=role)
            yield topic.name, document, spans if is_reference else []


def abstract(document: Document, left_out: set[int] | None = None) -> list[str]:
    lines = document.text.split("\n")
    text = "\n".join(line for i, line in enumerate(lines) if i not in (left_out or ()))
    return [s.text for s in sentences(Document(document.id, text)) if s.section == "abstract"]


def remove_headings(folder: Path) -> None:
    same, papers_read = Counter[str](), Counter[str]()
    for document in {d.text: d for _, d, _ in papers(folder)}.values():
        lines = [line.strip("\ufeff \t\u00a0") for line in document.text.split("\n")]
        abstracts = [i for i, line in enumerate(lines) if section_kind(line) == "abstract"][:1]
        introductions = [i for i, line in enumerate(lines) if section_kind(line) == "introduction"][
            :1
        ]
        if not abstracts or not introductions:
            continue
        below = next(line for line in lines[abstracts[0] + 1 :] if line)
        cases = {"abstract": set(abstracts)}
        if not is_abstract_label(below):  # else the first "Background" is a label
            cases |= {"introduction": set(introductions), "both": {*abstracts, *introductions}}
        for name, left_out in cases.items():
            papers_read[name] += 1
            same[name] += abstract(document, left_out) == abstract(document)
    for name, number in papers_read.items():
        print(
            f"without the heading of {name}: the same abstract in {same[name]} of {number} papers"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument(
        "--show", help="print every line of the papers whose TOPIC/FILE contains this"
    )
    parser.add_argument("--role", help="print the lines of this role, of all papers")
    parser.add_argument(
        "--remove-headings",
        action="store_true",
        help="compare abstracts of papers without headings",
    )
    options = parser.parse_args()
    if options.remove_headings:
        remove_headings(options.data / "tac2014")
        return
    gold: Counter[str] = Counter()
    inside = 0
    for topic, document, spans in papers(options.data / "tac2014"):
        blocks, found = outline(document), sentences(document)
        name = f"{topic}/{document.id}"
        sections: dict[str, int] = {}
        for block in blocks:
            sections.setdefault(block.section, 0)
        for sentence in found:
            sections[sentence.section] = sections.get(sentence.section, 0) + 1
        roles = Counter(block.role for block in blocks)
        mark = "*" if document.role == "reference" else " "
        print(
            mark,
            name,
            len(found),
            *(f"{k}:{n}" for k, n in sections.items()),
            "|",
            *(f"{k}={n}" for k, n in roles.items()),
        )
        for block in blocks:
            text = document.text[block.start : block.end]
            if (options.show and options.show in name) or block.role == options.role:
                print(
                    f"    {block.section:12} {block.role:9} {block.heading[:25]:25} | {text[:90]} ~ {text[-20:]}"
                )
        for start, end in spans:
            for block in blocks:
                gold[block.role] += max(0, min(end, block.end) - max(start, block.start))
            inside += sum(max(0, min(end, s.end) - max(start, s.start)) for s in found)
    total = sum(gold.values())
    print(
        "gold characters:",
        total,
        {k: round(n / total, 4) for k, n in gold.most_common()},
        "candidates",
        inside / total,
    )


if __name__ == "__main__":
    main()
