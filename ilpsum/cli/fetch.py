"""`ilpsum fetch`: save PubMed or Europe PMC records for a query or a list of identifiers."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ilpsum.cli.options import SERVICES, SOURCES, add_common, add_value, positive, sources_of
from ilpsum.cli.setting_options import add_set, add_settings
from ilpsum.cli.terminal import notify
from ilpsum.errors import InputError, UsageError
from ilpsum.files.atomic import require_place

if TYPE_CHECKING:
    from ilpsum.files.identifiers import ArticleIds

# Maximum articles named as not found.
_NAMED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add = partial(add_value, parser)
    add("--ids", "FILE", "PMIDs, PMCIDs and DOIs, or references that contain them, one per line")
    add("--out", "FILE", "file to write: PubMed's XML, or JSON of Europe PMC", required=True)
    add(
        "--most",
        "N",
        "fetch at most N records of a query (default: %(default)s)",
        type=positive,
        default=1000,
    )
    add_common(parser, "--force")
    group = parser.add_argument_group("service (default: PubMed) and query")
    add_common(group, *SERVICES, "--query")
    add_settings(group, *SOURCES[:-1])
    add_set(parser, "source")
    add_common(parser, "--quiet")


def run(options: argparse.Namespace) -> int:
    """Write the records; exit status 1 if the service lacks a requested article, or has none.

    Responses are cached, so repeating the call continues after a failure.
    """
    from ilpsum.answers.finding import Wanted, save
    from ilpsum.answers.retrieval import requested
    from ilpsum.literature.abstracts import read_list
    from ilpsum.literature.client import ServiceError

    if options.pubmed and options.europepmc:
        raise UsageError(
            "--pubmed and --europepmc have records of different formats; fetch from one at a time"
        )
    if bool(options.query) == bool(options.ids):
        raise UsageError("name what to fetch, by either --query TEXT or --ids FILE")
    options.pubmed = not options.europepmc
    out, sources = Path(options.out), sources_of(options)
    if sources.wanted.journal:
        raise UsageError("source.journal filters answers; name a journal to fetch in --query")
    require_place(out, force=options.force)
    doubts: list[str] = []
    ids = read_list(options.ids, doubts) if options.ids else ()
    if options.ids and not ids:
        raise InputError(
            "no PMID, PMCID or DOI; expected one per line, or references that contain them",
            options.ids,
        )
    wanted = Wanted(
        query=sources.query,
        ids=ids,
        most=options.most,
        restriction=sources.wanted,
    )
    try:
        finding = requested(wanted, sources)[0]
    except ServiceError as error:
        raise ServiceError(
            f"{error}; completed responses are cached; run the same command to continue"
        ) from None
    for line in (*finding.notes, *doubts):
        notify(line, options.quiet)
    if finding.number:
        save(finding, out)
    else:
        notify(f"nothing found, so {out} was not written")
    return _list_missing(finding.missing, options.ids) or not finding.number


def _list_missing(missing: "Sequence[ArticleIds]", file: str) -> bool:
    """Name the articles that were not found, and return whether there are any."""
    for identifier in missing[:_NAMED]:
        notify(
            f"{file}:{identifier.line}: not found: {identifier}; check the identifier, or try the "
            "other service"
        )
    if len(missing) > _NAMED:
        notify(f"{len(missing) - _NAMED} more were not found")
    return bool(missing)
