"""`ilpsum compress`: compress titles or sentences, or print their parse trees."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from ilpsum.cli.options import add_common, add_flag, add_value, number_type, positive, whole_from
from ilpsum.cli.terminal import cell, notify, progress
from ilpsum.errors import UsageError

if TYPE_CHECKING:
    from ilpsum.api.shortening import Shortened
    from ilpsum.literature.titles import Title

RULE_NAMES = "subtitle, dt, vbg, nested-pp, serial-pp, conjoined-np, simple-np"
_FINITE = number_type(float, math.isfinite, "a number")
# Options passed unchanged to `ilpsum.compress`.
_SETTINGS = (
    "variant",
    "trees",
    "idf",
    "depth",
    "idf_threshold",
    "min_words",
    "max_chars",
    "strict",
)
COLUMNS = ("id", "text", "rules", "characters", "words", "parse", "fits")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_value(
        parser,
        "file",
        "FILE",
        "lines, JSON lines or PubMed XML, may be .gz (default: standard input)",
        nargs="?",
        default="-",
    )
    parser.add_argument(
        "-o",
        "--output",
        choices=_FORMS,
        default="text",
        help="output format (default: text)",
    )
    add_common(parser, "--json", "--jobs", "--quiet")
    _add_rules(parser.add_argument_group("rules"))
    group = parser.add_argument_group("input")
    forms = (
        "format of the input (default: guessed; tsv for files named .tsv: a header with the "
        "columns title or text, and id or pmid)"
    )
    group.add_argument(
        "--from",
        dest="form",
        choices=["lines", "jsonl", "tsv", "pubmed"],
        help=forms,
    )
    trees = "bracketed parse trees of the texts, one per line"
    add_value(group, "--trees", "FILE", trees)
    group = parser.add_argument_group("parsing")
    add_flag(group, "--parse", "print parse trees instead of compressing")
    add_flag(group, "--tokenized", "with --parse: words are separated by spaces")


def _add_rules(group: "argparse._ActionsContainer") -> None:
    """Add the options of the rules."""
    add = partial(add_value, group)
    group.add_argument(
        "--variant",
        choices=["a", "b"],
        default="a",
        help="a: rules 1-6 (default); b: all seven",
    )
    add("--rules", "NAME,...", f"apply only these: {RULE_NAMES}")
    add(
        "--depth",
        "N",
        "nested-pp: depth of nesting to cut (default: 3)",
        type=whole_from(3),
        default=3,
    )
    threshold = "simple-np: cut adjectives of heads with an IDF above X (default: 2)"
    add("--idf-threshold", "X", threshold, type=_FINITE, default=2.0)
    add("--idf", "FILE", "simple-np: your own IDF; a word, a tab and its IDF per line")
    add_flag(group, "--strict", "the rules as published, without our exceptions")
    add(
        "--min-words",
        "N",
        "leave at least N words (default: 2)",
        type=positive,
        default=2,
    )
    add(
        "--max-chars",
        "N",
        "stop once a text fits in N characters; warn about those that do not",
        type=positive,
    )


def run(options: argparse.Namespace) -> int:
    """Write one line for each line or record of the input."""
    from ilpsum.api.shortening import parse
    from ilpsum.literature.titles import read_titles

    if options.tokenized and not options.parse:
        raise UsageError("--tokenized needs --parse")
    if options.parse and options.trees:
        raise UsageError("use either --trees or --parse, not both")
    # The output is UTF-8 with LF, whatever the terminal and the platform.
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(encoding="utf-8", newline="\n")
    options.jobs = options.jobs or 1
    warn = partial(notify, quiet=options.quiet)
    titles = read_titles(options.file, options.form, warn)
    if options.parse:
        lines = parse(titles, tokenized=options.tokenized, jobs=options.jobs)
    else:
        lines = _compressed(titles, options)
    # No progress bar if the output goes to the terminal.
    quiet = options.quiet or sys.stdout.isatty() or not sys.stderr.isatty()
    for line in progress(lines, "texts", quiet=quiet):
        sys.stdout.write(line + "\n")
    return 0


def _compressed(titles: "Iterator[Title]", options: argparse.Namespace) -> Iterator[str]:
    """Yield the output line of each text; at the end, warn about texts that do not fit
    --max-chars.
    """
    from ilpsum.api.shortening import shortened

    names = [name.strip() for name in (options.rules or "").split(",") if name.strip()]
    compressed = shortened(
        titles,
        rules=names,
        jobs=options.jobs,
        **{name: getattr(options, name) for name in _SETTINGS},
    )
    if options.output == "tsv":
        yield "\t".join(COLUMNS)
    count = too_long = 0
    for title in compressed:
        yield _FORMS[options.output](title)
        count += 1
        too_long += not title.fits
    if too_long:
        problem = (
            f"{too_long} of {count} texts are longer than {options.max_chars} characters "
            "after compression"
        )
        notify(f"{problem}; see `fits` in -o tsv or -o jsonl", options.quiet)


def _row(shortened: "Shortened") -> str:
    cells = [cell(shortened.id), cell(shortened.text), ",".join(shortened.rules)]
    cells += [f"{shortened.characters:.6f}", f"{shortened.words:.6f}"]
    cells += [shortened.parse, str(shortened.fits).lower()]
    return "\t".join(cells)


_FORMS: dict[str, Callable[["Shortened"], str]] = {
    "text": lambda shortened: shortened.text,
    "tsv": _row,
    "jsonl": lambda shortened: json.dumps(asdict(shortened)),
}
