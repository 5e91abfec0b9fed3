"""Options of the services of the literature, shared by `ask`, `fetch` and `serve`."""

import argparse
import re

from ilpsum.cli.options import year


def add_services(group: "argparse._ActionsContainer") -> None:
    """Add the options that name a service; nothing is sent to one that is not named."""
    group.add_argument("--pubmed", action="store_true", help="ask PubMed: terms of the question are sent to it")
    group.add_argument("--europepmc", action="store_true", help="ask Europe PMC, which has preprints too")


def add_search(group: "argparse._ActionsContainer") -> None:
    """Add the options of a search in a service."""
    add = group.add_argument
    add("--query", metavar="TEXT", help="in the language of the service, such as 'valproate[tiab] AND pregnancy[mh]'")
    add("--until", type=year, metavar="YEAR", help="the last year of publication")
    add("--languages", type=_codes, default=(), metavar="CODE,...", help="codes of three letters, such as eng,ger")
    add("--fulltext", action="store_true", help="fetch the full texts of open articles too")
    add("--refresh", action="store_true", help="ask again what the cache has from the last 30 days")


def _codes(text: str) -> tuple[str, ...]:
    codes = tuple(text.lower().split(","))
    if not all(re.fullmatch("[a-z]{3}", code) for code in codes):
        raise argparse.ArgumentTypeError(f"expected codes of three letters, such as eng,ger, got {text[:40]}")
    return codes
