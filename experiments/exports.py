"""Irregular exports of reference managers: what our readers of RIS and BibTeX, rispy and bibtexparser keep of them.

`python -m experiments.exports` prints the table of `experiments/results/exports.md`; it needs `pip install rispy
bibtexparser`. Every export holds two records with an abstract.
"""

import logging
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

from ilpsum.errors import InputError
from ilpsum.formats import abstracts

A, B = "TY  - JOUR\nTI  - A\nAB  - Newts sing.\n", "TY  - JOUR\nTI  - B\nAB  - Toads hum.\nER  - \n"
RIS = {
    "as the format says": f"{A}ER  - \n{B}",
    "CRLF, fields over several lines": f"{A}ER  - \n{B}".replace("sing", "sing\nat dusk").replace("\n", "\r\n"),
    "one space after tags": f"{A}ER  - \n{B}".replace("  -", " -"),
    "a record without ER": f"{A}{B}",
    "the last record without ER": f"{A}ER  - \n{B.removesuffix('ER  - ' + chr(10))}",
    "ER without a dash": f"{A}ER\n{B}",
    "a header of the database": f"Provider: X\nContent: text/plain\n\n{A}ER  - \n{B}",
    "paragraphs in an abstract": f"{A}ER  - \n{B}".replace("sing.", "sing.\n\nThey do."),
}
C, D = "@article{a,\n title={A},\n abstract={Newts sing.}\n}\n", "@article{b,\n title={B},\n abstract={Toads hum.}\n}\n"
BIBTEX = {
    "as the format says": C + D,
    "a key twice": C + D.replace("{b,", "{a,"),
    "a field twice": C.replace(" abstract", " title={AA},\n abstract") + D,
    "a comma missing": C.replace("{A},", "{A}") + D,
    "no key": C.replace("{a,", "{,") + D,
    "round brackets": C.replace("{a,", "(a,").replace("\n}\n", "\n)\n") + D,
    "a comment and a preamble": "% newts\n@comment{x}\n@preamble{\"x\"}\n" + C + D,
    "names in capitals": C.upper().replace("NEWTS", "Newts") + D,
    "a brace left open before them": "@article{o,\n title={Open\n}\n" + C + D,
}  # fmt: skip


def _ours(text: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        path.write_bytes(text.encode())
        try:
            found = [d for d in abstracts.documents(path) if not isinstance(d, InputError)]
        except InputError:
            return 0
        return sum(abstracts.has_abstract(document) and bool(document.title) for document in found)


def _rispy(text: str) -> int:
    import rispy

    records = rispy.loads(text.replace("\r\n", "\n"))
    return sum(bool(record.get("abstract") and record.get("title")) for record in records)


def _bibtexparser(text: str) -> int:
    import bibtexparser

    entries = bibtexparser.parse_string(text).entries
    fields = [{field.key.lower(): field.value for field in entry.fields} for entry in entries]
    return sum(bool(each.get("abstract") and each.get("title")) for each in fields)


def _seconds(read: Callable[[str], int], text: str) -> float:
    began = process_time()
    read(text)
    return process_time() - began


def main() -> None:
    """Print the table."""
    logging.disable(logging.CRITICAL)
    print("| format | export | ours | library |\n|---|---|---|---|")
    for form, exports, library in (("RIS", RIS, _rispy), ("BibTeX", BIBTEX, _bibtexparser)):
        for name, text in exports.items():
            try:
                theirs = str(library(text))
            except Exception as error:  # whatever it raises is the finding
                theirs = type(error).__name__
            print(f"| {form} | {name} | {_ours(text)} | {theirs} |")
    for size in (100_000, 200_000):
        text = "@a{" * (size // 3)
        ours, theirs = _seconds(_ours, C + text), _seconds(_bibtexparser, C + text)
        print(f"`@a{{` over {size:,} characters: bibtexparser takes {theirs / max(ours, 1e-3):.0f} times our time.")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
