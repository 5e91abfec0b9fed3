"""`ilpsum compress`: compress titles or sentences, or print their parse trees."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from ilpsum.cli.options import add_common, notify, number_type, positive, progress
from ilpsum.cli.terminal import cell
from ilpsum.errors import InputError, UsageError

if TYPE_CHECKING:
    from ilpsum.compression.compressor import Compressed
    from ilpsum.compression.trees import Tree
    from ilpsum.corpora.titles import Title

RULE_NAMES = "subtitle, dt, vbg, nested-pp, serial-pp, conjoined-np, simple-np"
_DEPTH = number_type(int, lambda value: value >= 3, "an integer of at least 3")
COLUMNS = ("id", "text", "rules", "characters", "words", "parse", "fits")


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
    group = parser.add_argument_group("output").add_mutually_exclusive_group()
    group.add_argument(
        "-o", "--output", choices=["text", "tsv", "jsonl"], default="text", help="output format (default: text)"
    )
    add_common(group, "--json")
    add_common(parser, "--jobs", "--quiet")


def run(options: argparse.Namespace) -> int:
    """Write one line for each line or record of the input."""
    if options.tokenized and not options.parse:
        raise UsageError("--tokenized needs --parse")
    if options.parse and options.trees:
        raise UsageError("use either --trees or --parse, not both")
    _keep_bytes()
    count = too_long = 0
    # No progress bar if the output itself shows on the terminal.
    quiet = options.quiet or sys.stdout.isatty() or not sys.stderr.isatty()
    for line, fits in progress(_lines(options), "texts", _total(options), quiet=quiet):
        sys.stdout.write(line + "\n")
        count += 1
        too_long += not fits
    sys.stdout.flush()
    if too_long:
        problem = f"{too_long} of {count} texts are longer than {options.max_chars} characters after compression"
        notify(f"{problem}; see `fits` in -o tsv or -o jsonl", options.quiet)
    return 0


def _lines(options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Yield the output line of each text, and whether the text fits --max-chars."""
    from ilpsum.api.shortening import rules_of
    from ilpsum.compression.batches import compress_titles, parse_titles
    from ilpsum.compression.options import CompressorOptions
    from ilpsum.corpora.titles import read_titles
    from ilpsum.parallel.executor import Processes

    titles, workers = read_titles(options.file, options.form, options.field), Processes(options.jobs or 1)
    if options.parse:
        yield from ((tree, True) for tree in parse_titles(titles, tokenized=options.tokenized, workers=workers))
        return
    names = [name.strip() for name in (options.rules or "").split(",") if name.strip()]
    rules, limits = rules_of(options.variant, names), (options.min_words, options.max_chars)
    if options.idf and "simple-np" not in rules:
        raise UsageError("--idf is for the rule simple-np; add --variant b, or the rule to --rules")
    settings = CompressorOptions(rules, options.depth, options.idf_threshold, None, *limits, options.strict)
    paired = _with_trees(titles, options.trees) if options.trees else ((title, None) for title in titles)
    compressed = compress_titles(paired, settings, options.idf, workers)
    if options.output == "tsv":
        sys.stdout.write("\t".join(COLUMNS) + "\n")
    line = {"text": _text, "tsv": _row, "jsonl": _record}[options.output]
    for name, own in compressed:
        fits = options.max_chars is None or len(own.text) <= options.max_chars
        yield line(name, own, fits), fits


def _text(_name: str, own: "Compressed", _fits: bool) -> str:
    return own.text


def _row(name: str, own: "Compressed", fits: bool) -> str:
    rules = ",".join(firing.rule for firing in own.firings)
    shares = (f"{share:.6f}" for share in (own.character_ratio, own.word_ratio))
    return "\t".join((cell(name), cell(own.text), rules, *shares, own.parse, str(fits).lower()))


def _record(name: str, own: "Compressed", fits: bool) -> str:
    record = {
        "id": name,
        "source": own.source,
        "text": own.text,
        "rules": [firing.rule for firing in own.firings],
        "cuts": [{"rule": firing.rule, "text": cut} for firing in own.firings for cut in firing.cuts],
        "characters": round(own.character_ratio, 6),
        "words": round(own.word_ratio, 6),
        "parse": own.parse,
        "fits": fits,
    }
    return json.dumps(record)


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


def _with_trees(titles: "Iterable[Title]", path: str) -> "Iterator[tuple[Title, Tree | None]]":
    """Pair each title with the tree on its line; an empty line or `()` is a failed parse."""
    from ilpsum.compression.trees import read_tree
    from ilpsum.corpora.titles import read_titles

    if path == "-":
        raise UsageError("--trees needs a file; standard input is for the texts")
    for number, (title, tree) in enumerate(zip_longest(titles, read_titles(path, "lines")), start=1):
        if title is None or tree is None:
            shorter = "the input" if title is None else "the file of trees"
            raise InputError(f"{shorter} ends at line {number}; expected a tree for each text", path, number)
        text = tree.text.strip()
        yield title, read_tree(text, path, number) if text.strip("() ") else None
