"""`ilpsum compress`: titles or sentences in, shorter ones out; or their parse trees."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, TypeVar

from ilpsum.cli.options import notify, progress
from ilpsum.errors import InputError, UsageError

if TYPE_CHECKING:
    from ilpsum.compression.compressor import Compressed, Compressor
    from ilpsum.compression.parser import Parser
    from ilpsum.compression.sources import Line
    from ilpsum.compression.trees import Tree

Item = TypeVar("Item")

# Texts that are parsed in one go. It is fixed, so that output doesn't depend on --jobs.
CHUNK = 128
RULE_NAMES = "subtitle, dt, vbg, nested-pp, serial-pp, conjoined-np, simple-np"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    add = parser.add_argument
    add("file", nargs="?", default="-", metavar="FILE", help="lines, JSON lines or PubMed XML, .gz or not (default: -)")
    add("--from", dest="form", choices=["lines", "jsonl", "pubmed"], help="form of the input (default: as it looks)")
    add("--field", metavar="NAME", help="field of JSON records that holds the text (default: title, else text)")
    add("--variant", choices=["a", "b"], default="a", help="a: rules 1-6 (default); b: all seven")
    add("--rules", metavar="NAME,...", help=f"only these rules, of {RULE_NAMES}")
    add("--depth", type=_from_three, default=3, metavar="N", help="level from which a PP is nested (default 3)")
    add(
        "--idf-threshold", type=float, default=2.0, metavar="X", help="simple-np: least idf of a heavy head (default 2)"
    )
    add("--min-words", type=_positive, default=2, metavar="N", help="never leave fewer words (default 2)")
    add(
        "--max-chars",
        type=_positive,
        metavar="N",
        help="apply rules only until the text fits into N characters; how many don't is said",
    )
    add("--trees", metavar="FILE", help="bracketed trees of any parser, one a line, for the lines of the input")
    add("--parse", action="store_true", help="print the tree of each line and compress nothing")
    add("--tokenized", action="store_true", help="with --parse: words are parted by blanks already")
    add("-o", "--output", choices=["text", "tsv", "jsonl"], default="text", help="form of the output (default text)")
    add("--jobs", type=_positive, default=1, metavar="N", help="processes (default 1)")
    add("--quiet", action="store_true", help="no progress on stderr")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return number


def _from_three(text: str) -> int:
    number = int(text)
    if number < 3:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 3")
    return number


def run(options: argparse.Namespace) -> int:
    """Writes one line for each line or record of the input."""
    if options.tokenized and not options.parse:
        raise UsageError("--tokenized goes with --parse")
    if options.parse and options.trees:
        raise UsageError("--trees gives the trees that --parse would make: use one of them")
    _as_given()
    from ilpsum.compression.sources import read_items
    from ilpsum.parallel.executor import Processes

    items = read_items(options.file, options.form, options.field)
    if options.parse:
        lines = Processes(options.jobs).map(_Parse(options.tokenized), _chunks(items))
    else:
        plan = Plan(
            _rules(options), options.depth, options.idf_threshold, options.min_words, options.max_chars, options.output
        )
        paired = _with_trees(items, options.trees) if options.trees else ((item, None) for item in items)
        lines = Processes(options.jobs).map(_Compress(plan), _chunks(paired))
        if options.output == "tsv":
            sys.stdout.write("\t".join(COLUMNS) + "\n")
    # Beside what goes to a terminal a bar would only be in the way; what takes no time needs none.
    quiet = options.quiet or sys.stdout.isatty() or not sys.stderr.isatty()
    count = too_long = 0
    for line, fits in progress(chain.from_iterable(lines), "texts", quiet, _total(options)):
        sys.stdout.write(line + "\n")
        count += 1
        too_long += not fits
    sys.stdout.flush()
    if too_long:
        texts = "1 text" if count == 1 else f"{count} texts"
        told = f"{too_long} of {texts} could not be cut to {options.max_chars} characters by these rules"
        notify(f"{told}; `fits` of -o tsv or jsonl names them", options.quiet)
    return 0


def _total(options: argparse.Namespace) -> int | None:
    """How many lines there are to write, where a file of lines tells it."""
    from ilpsum.corpora.counting import count_lines

    lines = options.form in (None, "lines", "jsonl") and not str(options.file).endswith((".xml", ".xml.gz"))
    return count_lines(options.file) if lines and not options.quiet else None


def _as_given() -> None:
    """Bytes that are no UTF-8 leave as they came."""
    reconfigure: Callable[..., None] | None = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")


COLUMNS = ("id", "text", "rules", "characters", "words", "parse", "fits")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a process needs to compress."""

    rules: tuple[str, ...]
    depth: int
    idf_threshold: float
    min_words: int
    max_chars: int | None
    output: str


def _rules(options: argparse.Namespace) -> tuple[str, ...]:
    from ilpsum.compression.compressor import RULES, VARIANT_A, VARIANT_B

    if options.rules is None:
        return VARIANT_B if options.variant == "b" else VARIANT_A
    names = tuple(name.strip() for name in options.rules.split(",") if name.strip())
    for name in names:
        RULES[name]
    return names


def _chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    stream = iter(items)
    while chunk := list(islice(stream, CHUNK)):
        yield chunk


@cache
def _parser() -> "Parser":
    """Load the parser once per process."""
    from ilpsum.compression.storage import load_parser

    return load_parser()


@cache
def _compressor(plan: Plan) -> "Compressor":
    """Load the compressor once per process."""
    from ilpsum.compression.compressor import Compressor, CompressorOptions
    from ilpsum.compression.idf import load_idf

    idf = load_idf() if "simple-np" in plan.rules else None
    options = CompressorOptions(plan.rules, plan.depth, plan.idf_threshold, idf, plan.min_words, plan.max_chars)
    return Compressor(options, _parser())


@dataclass(frozen=True)
class _Parse:
    """Parses a chunk: the tree of each text, and that it fits."""

    tokenized: bool

    def __call__(self, items: "list[Line]") -> list[tuple[str, bool]]:
        from ilpsum.compression.compressor import parser_words
        from ilpsum.compression.tokens import tokenize
        from ilpsum.compression.trees import escape

        if self.tokenized:
            sentences = [[escape(word) for word in item.text.split()] for item in items]
        else:
            sentences = [parser_words([token.text for token in tokenize(item.text)]) for item in items]
        trees = _parser().parse(sentences)
        return [(str(tree) if tree else _flat(words), True) for tree, words in zip(trees, sentences, strict=True)]


@dataclass(frozen=True)
class _Compress:
    """Compresses a chunk: the output line of each text, and whether it fits."""

    plan: Plan

    def __call__(self, pairs: "list[tuple[Line, Tree | None]]") -> list[tuple[str, bool]]:
        texts, trees = [item.text for item, _ in pairs], [tree for _, tree in pairs]
        compressions = _compressor(self.plan).compress_all(texts, trees)
        return [_line(item.id, c, self.plan) for (item, _), c in zip(pairs, compressions, strict=True)]


def _flat(words: list[str]) -> str:
    """A sentence that is not parsed, as a tree that says nothing; an empty one as an empty line."""
    return f"(S1 (X {' '.join(f'(XX {word})' for word in words)}))" if words else ""


def _line(name: str, compression: "Compressed", plan: Plan) -> tuple[str, bool]:
    fits = plan.max_chars is None or len(compression.text) <= plan.max_chars
    if plan.output == "text":
        return compression.text, fits
    rules = [firing.rule for firing in compression.firings]
    shares = compression.character_ratio, compression.word_ratio
    if plan.output == "tsv":
        cells = (
            name,
            compression.text,
            ",".join(rules),
            *(f"{s:.6f}" for s in shares),
            compression.parse,
            str(fits).lower(),
        )
        return "\t".join(cells), fits
    record = {
        "id": name,
        "source": compression.source,
        "text": compression.text,
        "rules": rules,
        "cuts": [{"rule": firing.rule, "text": cut} for firing in compression.firings for cut in firing.cuts],
        "characters": round(shares[0], 6),
        "words": round(shares[1], 6),
        "parse": compression.parse,
        "fits": fits,
    }
    return json.dumps(record), fits


def _with_trees(items: "Iterable[Line]", path: str) -> "Iterator[tuple[Line, Tree | None]]":
    """Pairs each text with the tree on its line; an empty line or `()` is a tree that another parser failed to make."""
    from ilpsum.compression.sources import read_items
    from ilpsum.compression.trees import read_tree

    if path == "-":
        raise UsageError("--trees needs a file: standard input is the titles'")
    for number, (item, tree) in enumerate(zip_longest(items, read_items(path, "lines")), start=1):
        if item is None or tree is None:
            shorter = "the input" if item is None else "the file of trees"
            raise InputError(f"{shorter} ends at line {number}: expected a tree for each text", path, number)
        bracketed = tree.text.strip()
        yield item, read_tree(bracketed, path, number) if bracketed.strip("() ") else None
