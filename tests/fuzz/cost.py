"""Measure the worst inputs of each reader at two sizes: `python -m tests.fuzz.cost` prints a table.

Each is read in a process of its own, whose processor time and memory the system reports. Linear
time doubles; what is refused costs little at any size.
"""

import gzip
import io
import os
import struct
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from features.sentences import split_sentences
from ilpsum import resources
from ilpsum.answers.steps import Summarizer
from ilpsum.cli import main
from ilpsum.compression.compressor import read_word_idf
from ilpsum.compression.trees import read_tree
from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.sweeps.table import read_sweep
from ilpsum.learning import embeddings
from ilpsum.learning.models import SystemModel
from ilpsum.literature import intake
from ilpsum.papers.prose import without_pointers
from ilpsum.pipeline.system import System
from ilpsum.records import Topic
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import read_run
from ilpsum.task1.thesaurus import Thesaurus
from ilpsum.tasks import read_topics
from tests.fuzz.readers import asked
from tests.systems import LEAD

MB = 2**20
Make = Callable[[int], str | bytes]
Read = Callable[[Path], object]


def _all(items: object) -> None:
    for _ in items:  # type: ignore[attr-defined]
        pass


def _lead(path: Path) -> None:
    summarize = Summarizer(System.load(LEAD))
    for topic in read_topics([path]):
        if isinstance(topic, Topic):
            summarize(topic, 250)


def _duc(path: Path) -> None:
    _all(read_topics([path], "duc"))


def _abstracts(path: Path) -> None:
    _all(intake.documents(path))


def _provenance(path: Path) -> None:
    _all(read_provenance(path))


def _rows(path: Path) -> None:
    read_sweep(path.parent)


def _verb(*arguments: str) -> Read:
    """Return a call of the command line with a file in place of `FILE`; status 1 and 2 refuse it."""

    def call(path: Path) -> None:
        with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
            if main([word.replace("FILE", str(path)) for word in arguments]):
                raise InputError("refused")

    return call


def _clean(path: Path) -> None:
    text = path.read_text()
    without_pointers(text, paper=True)


def _annotation(size: int) -> str:
    return "Topic ID: D1 | Citance Number: 1 | Citation Text: " + "a " * (size // 2) + "|\n"


def _field(begin: str, size: int) -> str:
    return f"{begin}\nAB  - x\n" + "      a\n" * (size // 8)


def _split(path: Path) -> None:
    text = path.read_text()
    split_sentences(text)
    split_sentences(text, "space")


def _bioasq(text: str) -> str:
    snippet = f'{{"text": "{text}", "document": "http://www.ncbi.nlm.nih.gov/pubmed/1", "offsetInBeginSection": 0}}'
    return f'{{"questions": [{{"id": "q", "body": "Newts?", "snippets": [{snippet}]}}]}}'


def _jsonl(text: str) -> str:
    return f'{{"id": "D1", "query": "newts", "documents": [{{"id": "1", "text": "{text}"}}]}}\n'


def _bomb(size: int) -> bytes:
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({size},), }}"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        member = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + bytes(size)
        archive.writestr("description.npy", member)
    return stream.getvalue()


def _run(text: str) -> str:
    return f'{{"id": "D9001_DEMO", "summary": "{text}"}}\n'


def _topics(path: Path) -> None:
    _all(read_topics([path], "tac"))


def _mesh(path: Path) -> None:
    Thesaurus.read([path])


_GOLD = str(resources.demo() / "D9001_DEMO")
_EVALUATE = _verb("evaluate", "FILE", _GOLD)
_COMPRESS = _verb("compress", "FILE")
_EMBED = _verb(
    "embed", "FILE", "--out", "FILE.npz", "--min-count", "1", "--dimensions", "4", "--epochs", "1"
)

CASES: tuple[tuple[str, str, str, int, Make, Read], ...] = (
    ("sentences", "one word", "t.txt", 5 * MB, lambda n: "a" * n, _split),
    ("sentences", "one sentence, many times", "t.txt", MB, lambda n: "Newts sing at dusk. " * (n // 20), _split),
    ("sentences", "blanks", "t.txt", 5 * MB, lambda n: "Newts." + " " * n, _split),
    ("sentences", "stops", "t.txt", MB, lambda n: ". " * (n // 2), _split),
    ("sentences", "blank lines", "t.txt", MB, lambda n: "\n " * (n // 2), _split),
    ("JSON lines, lead", "one word", "t.jsonl", 5 * MB, lambda n: _jsonl("a" * n), _lead),
    ("JSON lines, lead", "one sentence", "t.jsonl", MB // 4, lambda n: _jsonl("Newts sing. " * (n // 12)), _lead),
    ("JSON lines", "nesting", "t.jsonl", 100_000, lambda n: "[" * n, _lead),
    ("BioASQ, lead", "blanks in a snippet", "t.json", MB, lambda n: _bioasq("a" + " " * n + "b"), _lead),
    ("BioASQ, lead", "line ends in a snippet", "t.json", MB, lambda n: _bioasq("\\n" * (n // 2)), _lead),
    ("BioASQ", "gzip of zeros", "t.json.gz", 50 * MB, lambda n: gzip.compress(b'{"questions": [' + b" " * n), _lead),
    ("DUC", "open tags", "topics.sgml", MB // 8, lambda n: "<topic><doc " * (n // 12), _duc),
    ("DUC", "an id of blanks", "topics.sgml", MB, lambda n: f"<topic id = {' ' * n}>", _duc),
    ("PubMed XML", "nesting", "a.xml", 100_000, lambda n: f"<PubmedArticleSet>{'<a>' * n}", _abstracts),
    ("MEDLINE", "one field of many lines", "a.nbib", 4 * MB, lambda n: _field("PMID- 1", n), _abstracts),
    ("RIS", "one field of many lines", "a.ris", 4 * MB, lambda n: _field("TY  - JOUR", n), _abstracts),
    ("TOML", "nesting", "a.toml", 15_000, lambda n: "a = " + "[" * n, System.load),
    ("models", "an array of zeros", "m.npz", 100 * MB, _bomb, lambda p: SystemModel.load(p)),
    ("provenance", "nesting", "p.jsonl", 100_000, lambda n: '{"version": 4, "a": ' + "[" * n, _provenance),
    ("provenance", "one word", "p.jsonl", 5 * MB, lambda n: f'{{"version": 4, "topic": "{"a" * n}"}}', _provenance),
    ("runs", "gzip of zeros", "r.jsonl.gz", 50 * MB, lambda n: gzip.compress(b'{"id": ' + bytes(n)), read_run),
    ("runs, evaluate", "one sentence", "r.jsonl", MB // 4, lambda n: _run("Newts sing. " * (n // 12)), _EVALUATE),
    ("runs, check", "brackets", "r.jsonl", MB, lambda n: _run("[" * n), _verb("check", "FILE", "--as", "biogen-2025")),
    ("--clean", "brackets", "t.txt", MB, lambda n: "(see " * (n // 5), _clean),
    ("--clean", "one sentence", "t.txt", MB, lambda n: "Newts sing (Fig. 2; see [3, 4]). " * (n // 33), _clean),
    ("TAC annotations", "one field", "a.ann.txt", MB, _annotation, _topics),
    ("CSV", "one field", "a.csv", 4 * MB, lambda n: f'PMID,Title,Abstract\n1,x,"{"a " * (n // 2)}"', _abstracts),
    ("CSV", "open quotes", "a.csv", MB, lambda n: "PMID,Title,Abstract\n" + '1,"x\n' * (n // 5), _abstracts),
    ("MeSH (table)", "one field", "d.tsv", 4 * MB, lambda n: "ui\tname\nD1\t" + "a " * (n // 2), _mesh),
    ("word2vec (text)", "one line", "v.txt", 4 * MB, lambda n: "1 2\na " + "1 " * (n // 2), embeddings.read_vectors),
    ("IDF table", "one word", "t.tsv", 4 * MB, lambda n: "a" * n + "\t1\n", read_word_idf),
    ("titles, compress", "one word", "t.txt", 2 * MB - 1, lambda n: "a" * n, _verb("compress", "FILE")),
    ("titles, compress", "one sentence", "t.txt", MB // 16, lambda n: "Newts sing, " * (n // 12), _COMPRESS),
    ("trees", "nesting", "t.txt", 100_000, lambda n: "(S " * n, lambda p: read_tree(p.read_text())),
    ("texts, embed", "one word", "t.txt", 4 * MB, lambda n: "a" * n, _EMBED),
    ("serve", "one word", "a.txt", 1000, lambda n: "question=" + "a" * n, asked),
    ("serve", "a number", "a.txt", 8000, lambda n: "question=newts&words=" + "9" * n, asked),
    ("sweep rows", "nesting", "sweep.jsonl", 100_000, lambda n: '{"run": ' + "[" * n + "\n", _rows),
)  # fmt: skip


def measure(read: Read, path: Path) -> tuple[float, float, bool]:
    """Return seconds of processor time, megabytes of growth, and whether the file was refused."""
    child = os.fork()
    if not child:
        status = 3
        try:
            read(path)
            status = 0
        except (InputError, UsageError):
            status = 2
        finally:
            os._exit(status)
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 2):
        raise SystemExit(f"{path.name}: neither read nor refused ({code})")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, code == 2


def rows() -> Iterator[str]:
    """Yield the lines of the table."""
    base = measure(lambda _: None, Path())
    yield "| reader | input | size | seconds | at twice the size | memory (MB) | |"
    yield "|---|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as home:
        for number, (reader, what, name, size, make, read) in enumerate(CASES):
            found = []
            for times in (1, 2):
                path = Path(home) / f"{number}-{times}" / name
                path.parent.mkdir()
                content = make(size * times)
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
                found.append(measure(read, path))
            (once, _, _), (twice, memory, refused) = found
            shown = f"{size / MB:.1f} M" if size >= MB // 8 else str(size)
            seconds = f"{max(0.0, once - base[0]):.2f} | {max(0.0, twice - base[0]):.2f}"
            end = "refused" if refused else "read"
            yield f"| {reader} | {what} | {shown} | {seconds} | {max(0.0, memory - base[1]):.0f} | {end} |"


if __name__ == "__main__":
    for line in rows():
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
