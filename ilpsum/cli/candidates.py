"""`ilpsum candidates`: write the sentences that may be chosen, for relevance from elsewhere."""

import argparse
from pathlib import Path

from ilpsum.api.candidates import write_candidates
from ilpsum.cli.options import (
    SEARCH,
    add_common,
    add_flag,
    add_input,
    add_value,
    positive,
    topics_of,
)
from ilpsum.cli.setting_options import add_set, add_system, settings_of
from ilpsum.cli.terminal import list_broken, notify
from ilpsum.errors import counted
from ilpsum.files.atomic import require_place
from ilpsum.records.tables import SYSTEM


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add_value(
        parser,
        "-o",
        "FILE",
        "file to write: JSON lines, or a table by its suffix: .tsv, .csv",
        dest="out",
        type=Path,
        required=True,
    )
    add_system(parser)
    add_value(parser, "--top", "N", "only the N most relevant of each topic", type=positive)
    add_flag(parser, "--features", "also write the features of the system")
    add_value(parser, "--folds", "K", "add the fold of each topic, from 1 to K", type=positive)
    add_set(parser, *SYSTEM)
    add_input(parser, "--pool", "--answers", *SEARCH)
    add_common(parser, "--quiet")


def run(options: argparse.Namespace) -> int:
    """Write the candidates; exit status 1 if a topic failed."""
    require_place(options.out, "-o")
    written = write_candidates(
        topics_of(options),
        options.out,
        options.system,
        model=options.model,
        top=options.top,
        features=options.features,
        folds=options.folds,
        settings=settings_of(options),
    )
    notify(f"{counted(written.candidates, 'candidate')} in {written.path}", options.quiet)
    return list_broken(written.failed, "failed, its candidates are missing")
