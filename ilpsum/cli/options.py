"""Options shared by several verbs, and what they describe: inputs, sources, executors."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from ilpsum.answers.sources import Sources
from ilpsum.api.inputs import Inputs
from ilpsum.cli.terminal import Status, notify, progress
from ilpsum.errors import UsageError
from ilpsum.files.records import LARGEST
from ilpsum.tasks import GoldKind, Pool, ReaderOptions
from ilpsum.tasks.registry import READ

# Maximum digits of an integer, and maximum characters quoted in messages.
_LONGEST = 40


def number_type(
    kind: type[int | float],
    fits: Callable[[float], bool],
    expected: str,
) -> Callable[[str], Any]:
    """Return an argparse type for numbers that satisfy `fits`."""

    def parse(text: str) -> int | float:
        try:
            fit = fits(kind(text)) and (kind is float or len(text) <= _LONGEST)
        except ValueError:
            fit = False
        if not fit:
            shown = f"{text[:_LONGEST]}..." if len(text) > _LONGEST else text
            raise argparse.ArgumentTypeError(f"expected {expected}, got {shown}")
        return kind(text)

    return parse


def whole_from(least: int) -> Callable[[str], Any]:
    """Return an argparse type for whole numbers."""
    expected = f"a whole number from {least} to {LARGEST}"
    return number_type(int, lambda value: least <= value <= LARGEST, expected)


positive = whole_from(1)
share = number_type(float, lambda value: 0.0 <= value <= 1.0, "a number from 0 to 1")

ABSTRACTS = "exports of PubMed, Europe PMC and reference managers, articles (JATS, TEI)"
"""Formats of abstracts, for help texts."""


# What stands for a file or folder in the help of options.
_PLACES = ("DIR", "FILE", "MODEL", "VECTORS", "INPUT", "RUN", "GOLD", "TEXT", "NAME|FILE")


def _place(kind: Callable[[str], Any], text: str) -> Any:
    # An empty variable of a shell would read or write the working folder.
    if not text:
        raise argparse.ArgumentTypeError("is empty; name a file or folder")
    return kind(text)


def _value(value: str, text: str, **more: Any) -> dict[str, Any]:
    if value in _PLACES:
        more["type"] = partial(_place, more.get("type", str))
    return {"metavar": value, "help": text, **more}


def _choice(names: Sequence[str], text: str) -> dict[str, Any]:
    return {"choices": names, "help": text}


def _flag(text: str) -> dict[str, Any]:
    return {"action": "store_true", "help": text}


# Options with the same meaning in several verbs.
_COMMON = {
    "--from": _value("FORMAT", f"format: {', '.join(READ)} (default: guessed)", dest="form"),
    "--summaries": _choice(get_args(GoldKind), "CL-SciSumm: which gold summaries (default: all)"),
    "--pool": _choice(get_args(Pool), "BioASQ: documents of a question (default: snippets)"),
    "--answers": _value("FILE", "BioASQ: file with ideal answers, matched by id"),
    "--documents": _value("FILE", f"abstracts to search: {ABSTRACTS}, folders", nargs="+"),
    "--index": _value(
        "DIR",
        "folder of search indexes (default: ilpsum/index in the user's cache)",
    ),
    "--pmids": _value("FILE", "find only these PMIDs: one per line, or a JSON list", type=Path),
    "--found": _value("N", "abstracts to retrieve per question (default: 20)", type=positive),
    "--coverage": _value(
        "X",
        "answer if the abstracts cover at least this share of the question; 0 always answers "
        "(default: a model decides; 0 for BioGen)",
        type=share,
    ),
    "--pubmed": _flag("search PubMed, which receives terms of the question or query"),
    "--europepmc": _flag("search Europe PMC, which also has preprints"),
    "--query": _value(
        "TEXT",
        "query in the syntax of the service: 'valproate[tiab] AND pregnancy[mh]'",
    ),
    "--jobs": _value("N", "number of processes (default: 1)", type=positive),
    "--engine": _value("dask://HOST:PORT", "use the Dask cluster of this scheduler instead"),
    "--force": _flag("overwrite existing output"),
    "--json": {
        "dest": "output",
        "action": "store_const",
        "const": "jsonl",
        "help": "same as -o jsonl",
    },
    "--quiet": _flag("no progress or warnings on stderr"),
}
SEARCH = ("--documents", "--index", "--pmids", "--found", "--coverage")
SOURCES = ("--since", "--kinds", "--humans", "--retracted")
SERVICES = ("--pubmed", "--europepmc")


def add_value(
    group: "argparse._ActionsContainer",
    name: str,
    value: str,
    text: str,
    **more: Any,
) -> argparse.Action:
    """Add an argument or an option that takes a value: what stands for the value, and its help."""
    return group.add_argument(name, **_value(value, text, **more))


def add_flag(group: "argparse._ActionsContainer", name: str, text: str) -> None:
    """Add an option without a value."""
    group.add_argument(name, **_flag(text))


def add_common(group: "argparse._ActionsContainer", *names: str) -> None:
    """Add shared options by name."""
    for name in names:
        group.add_argument(name, **_COMMON[name])


def add_topics(parser: argparse.ArgumentParser, text: str) -> None:
    """Add --topics, also called --gold."""
    parser.add_argument("--topics", "--gold", **_value("INPUT", text, nargs="+", type=Path))


def add_input(parser: argparse.ArgumentParser, *names: str, texts: bool = False) -> None:
    """Add the positional INPUT, --from, and the named input options; `texts` allows plain texts as
    INPUT.
    """
    what = "topics: files, folders, .gz, or - for stdin"
    if texts:
        what += f"; or texts: {ABSTRACTS}, plain texts"
    add_value(
        parser,
        "input",
        "INPUT",
        what,
        nargs="*" if texts else "+",
        default=[],
    )
    add_common(parser.add_argument_group("input"), "--from", *names)


def add_execution(parser: argparse.ArgumentParser) -> None:
    """Add --jobs, --engine and --quiet."""
    add_common(parser.add_argument_group("execution"), "--jobs", "--engine", "--quiet")


def shown(options: argparse.Namespace) -> dict[str, Any]:
    """Return `progress` and `warn` of the API by --quiet."""
    return {
        "progress": partial(progress, quiet=options.quiet),
        "warn": partial(notify, quiet=options.quiet),
    }


@contextmanager
def work(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Provide `jobs`, `progress` and `warn` of the API by --jobs, --engine and --quiet; connects
    to a cluster at once.
    """
    from ilpsum.files.processes import connect

    if options.engine is None:
        yield {"jobs": options.jobs or 1, **shown(options)}
        return
    if options.jobs is not None:
        raise UsageError("--jobs is for this machine and --engine for a cluster; choose one")
    with connect(options.engine) as cluster:
        yield {"jobs": cluster, **shown(options)}


def reading(options: argparse.Namespace) -> ReaderOptions:
    """Return the reader options, without the documents, which are sources."""
    return replace(ReaderOptions.of(options), documents=())


def topics_of(options: argparse.Namespace) -> Inputs:
    """Resolve the topics described by options, before any work; raises as `Inputs.of` does."""
    return Inputs.of(options.input, options.form, reading(options), sources_of(options))


def sources_of(options: argparse.Namespace) -> Sources:
    """Return the sources described by options, without texts; a verb may lack some of the
    options.
    """
    from ilpsum.cli.setting_options import settings_of

    values = vars(options)
    names = ["index", "pmids", "found", "coverage"]
    if "pubmed" in values:  # `--query` of `link` and `train` names a query of Task 1
        names.append("query")
    fields = {name: values[name] for name in names if values.get(name) is not None}
    fields["services"] = tuple(name for name in ("pubmed", "europepmc") if values.get(name))
    if values.get("documents"):
        from ilpsum.tasks.texts import files_in

        files = files_in(values["documents"])
        fields |= {"documents": files.paths, "problems": files.problems}
    if not options.quiet:
        fields |= {"progress": progress, "tell": Status()}
    return Sources.of(settings_of(options), **fields)
