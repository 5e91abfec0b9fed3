"""`ilpsum compress`: compress titles or sentences, or print their parse trees."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, TypeVar

from ilpsum.cli.options import notify, number_type, positive, progress
from ilpsum.errors import InputError, UsageError

if TYPE_CHECKING:
    from ilpsum.compression.compressor import Compressed, Compressor
    from ilpsum.compression.options import CompressorOptions
    from ilpsum.compression.parser import Parser
    from ilpsum.compression.trees import Tree
    from ilpsum.corpora.titles import Title

Item = TypeVar("Item")

# Texts parsed in one batch; fixed, so that the output doesn't depend on --jobs.
CHUNK = 128
RULE_NAMES = "subtitle, dt, vbg, nested-pp, serial-pp, conjoined-np, simple-np"
_DEPTH = number_type(int, lambda value: value >= 3, "an integer of at least 3")
COLUMNS = ("id", "text", "rules", "characters", "words", "parse", "fits")


EXAMPLE = "ilpsum compress titles.txt --variant b"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("file", nargs="?", default="-", metavar="FILE", help="lines, JSON lines or PubMed XML, may be .gz (default: -)")
    add = parser.add_argument_group("rules").add_argument
    add("--variant", choices=["a", "b"], default="a", help="a: rules 1-6 (default); b: all seven")
    add("--rules", metavar="NAME,...", help=f"apply only these rules, of {RULE_NAMES}")
    add("--depth", type=_DEPTH, default=3, metavar="N", help="nested-pp: level of nesting that is cut (default: 3)")
    threshold = "simple-np: cut adjectives of heads with an IDF above X (default: 2)"
    add("--idf-threshold", type=float, default=2.0, metavar="X", help=threshold)
    add("--idf", metavar="FILE", help="simple-np: IDF of your own, a word, a tab and its IDF a line")
    add("--strict", action="store_true", help="dt, vbg, conjoined-np, simple-np: no exceptions, as published")
    add("--min-words", type=positive, default=2, metavar="N", help="never leave fewer than N words (default: 2)")
    add("--max-chars", type=positive, metavar="N", help="stop when a text fits in N characters; warn if some don't")
    add = parser.add_argument_group("input").add_argument
    forms = "format of the input (default: guessed, but tsv: columns id, title, with a header)"
    add("--from", dest="form", choices=["lines", "jsonl", "tsv", "pubmed"], help=forms)
    add("--field", metavar="NAME", help="field of JSON records with the text (default: title, else text)")
    add("--trees", metavar="FILE", help="parse trees of the texts, bracketed, one a line")
    add = parser.add_argument_group("parsing").add_argument
    add("--parse", action="store_true", help="print parse trees instead of compressing")
    add("--tokenized", action="store_true", help="with --parse: the words are separated by blanks")
    add = parser.add_argument_group("output").add_argument
    add("-o", "--output", choices=["text", "tsv", "jsonl"], default="text", help="output format (default: text)")
    add("--jobs", type=positive, default=1, metavar="N", help="number of processes (default: 1)")
    add("--quiet", action="store_true", help="no progress or warnings on stderr")


def run(options: argparse.Namespace) -> int:
    """Write one line for each line or record of the input."""
    if options.tokenized and not options.parse:
        raise UsageError("--tokenized needs --parse")
    if options.parse and options.trees:
        raise UsageError("use either --trees or --parse, not both")
    _keep_bytes()
    from ilpsum.compression.options import CompressorOptions
    from ilpsum.compression.word_idf import read_word_idf
    from ilpsum.corpora.titles import read_titles
    from ilpsum.parallel.executor import Processes

    items = read_titles(options.file, options.form, options.field)
    processes = Processes(options.jobs)
    if options.parse:
        lines = processes.map(_ParseChunk(options.tokenized), _chunks(items))
    else:
        rules, limits = _rules(options), (options.min_words, options.max_chars)
        if options.idf and "simple-np" not in rules:
            raise UsageError("--idf is for the rule simple-np; add --variant b, or the rule to --rules")
        settings = CompressorOptions(rules, options.depth, options.idf_threshold, None, *limits, options.strict)
        if options.idf:
            read_word_idf(options.idf)  # An error in the file is reported before any work.
        paired = _with_trees(items, options.trees) if options.trees else ((item, None) for item in items)
        lines = processes.map(_CompressChunk(settings, options.output, options.idf), _chunks(paired))
        if options.output == "tsv":
            sys.stdout.write("\t".join(COLUMNS) + "\n")
    # No progress bar if the output itself shows on the terminal.
    quiet = options.quiet or sys.stdout.isatty() or not sys.stderr.isatty()
    count = too_long = 0
    for line, fits in progress(chain.from_iterable(lines), "texts", quiet, _total(options)):
        sys.stdout.write(line + "\n")
        count += 1
        too_long += not fits
    sys.stdout.flush()
    if too_long:
        problem = f"{too_long} of {count} texts are longer than {options.max_chars} characters after compression"
        notify(f"{problem}; see `fits` in -o tsv or -o jsonl", options.quiet)
    return 0


def _total(options: argparse.Namespace) -> int | None:
    """Return the number of output lines for the progress bar; None for XML."""
    from ilpsum.corpora.counting import count_lines

    lines = options.form in (None, "lines", "jsonl") and not str(options.file).endswith((".xml", ".xml.gz"))
    return count_lines(options.file) if lines and not options.quiet else None


def _keep_bytes() -> None:
    """Write bytes outside UTF-8 as they were read."""
    reconfigure: Callable[..., None] | None = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")


def _rules(options: argparse.Namespace) -> tuple[str, ...]:
    from ilpsum.compression.compressor import VARIANT_A, VARIANT_B
    from ilpsum.compression.rules import RULES

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
    """Load the parser, once per process."""
    from ilpsum.compression.storage import load_parser

    return load_parser()


@cache
def _compressor(options: "CompressorOptions", idf: str | None) -> "Compressor":
    """Load the compressor, once per process, with the IDF of a file or the included one."""
    from ilpsum.compression.compressor import Compressor
    from ilpsum.compression.word_idf import read_word_idf
    from ilpsum.io.idf import load_idf

    if "simple-np" not in options.rules:
        return Compressor(options, _parser())
    return Compressor(replace(options, idf=read_word_idf(idf) if idf else load_idf()), _parser())


@dataclass(frozen=True, slots=True)
class _ParseChunk:
    """Returns the tree of each text in a chunk, and True (trees always fit); runs in a worker process."""

    tokenized: bool

    def __call__(self, items: "list[Title]") -> list[tuple[str, bool]]:
        from ilpsum.compression.compressor import parser_words
        from ilpsum.compression.tokens import tokenize
        from ilpsum.compression.trees import bracketed, escape

        if self.tokenized:
            sentences = [[escape(word) for word in item.text.split()] for item in items]
        else:
            sentences = [parser_words([token.text for token in tokenize(item.text)]) for item in items]
        trees = _parser().parse(sentences)
        return [(bracketed(tree) if tree else _flat(words), True) for tree, words in zip(trees, sentences, strict=True)]


@dataclass(frozen=True, slots=True)
class _CompressChunk:
    """Returns the output line of each text in a chunk, and whether it fits; runs in a worker process."""

    options: "CompressorOptions"
    output: str
    idf: str | None

    def __call__(self, pairs: "list[tuple[Title, Tree | None]]") -> list[tuple[str, bool]]:
        texts, trees = [item.text for item, _ in pairs], [tree for _, tree in pairs]
        compressions = _compressor(self.options, self.idf).compress_all(texts, trees)
        return [self._line(item.id, c) for (item, _), c in zip(pairs, compressions, strict=True)]

    def _line(self, name: str, compression: "Compressed") -> tuple[str, bool]:
        fits = self.options.max_chars is None or len(compression.text) <= self.options.max_chars
        if self.output == "text":
            return compression.text, fits
        rules = [firing.rule for firing in compression.firings]
        shares = compression.character_ratio, compression.word_ratio
        if self.output == "tsv":
            numbers = (f"{share:.6f}" for share in shares)
            cells = (name, compression.text, ",".join(rules), *numbers, compression.parse, str(fits).lower())
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


def _flat(words: list[str]) -> str:
    """Return a flat tree for a sentence that cannot be parsed, or an empty line for an empty one."""
    return f"(S1 (X {' '.join(f'(XX {word})' for word in words)}))" if words else ""


def _with_trees(items: "Iterable[Title]", path: str) -> "Iterator[tuple[Title, Tree | None]]":
    """Pair each text with the tree on its line; an empty line or `()` is a failed parse."""
    from ilpsum.compression.trees import read_tree
    from ilpsum.corpora.titles import read_titles

    if path == "-":
        raise UsageError("--trees needs a file; standard input is for the texts")
    for number, (item, tree) in enumerate(zip_longest(items, read_titles(path, "lines")), start=1):
        if item is None or tree is None:
            shorter = "the input" if item is None else "the file of trees"
            raise InputError(f"{shorter} ends at line {number}; expected a tree for each text", path, number)
        text = tree.text.strip()
        yield item, read_tree(text, path, number) if text.strip("() ") else None
