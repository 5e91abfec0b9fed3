"""The script that compares the services with the stand-in finds no difference in the stand-in, and finds one."""

import pytest

from tests.ilpsum.answers.standin import Fault
from tests.system.live_check import CHECKS, main

ARTICLE = ("--article", "90000001", "PMC9000001", "10.5555/invented(90000001)")


def test_the_stand_in_answers_as_expected(standin, capsys):
    standin.records |= {"90000099": record(standin)}
    assert main(["--query", "newts OR gentamicin", *ARTICLE]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 * (len(CHECKS) + 1)
    assert all(line.endswith(": as expected") for line in lines)


def record(standin):
    """A review, and a record for the question of valproate."""
    from dataclasses import replace

    return replace(
        standin.records["90000005"],
        pmid="90000099",
        title="Gentamicin and valproate in pregnancy",
        year=2015,
    )


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(only="esearch", raw=lambda body: body.replace(b'"count": "', b'"count": "9')), "PubMed: a search, page"),
        (Fault(400, b"", only="search?"), "Europe PMC: a search, page by page: DIFFERS: Europe PMC: refused"),
    ],
)  # fmt: skip
def test_a_difference_is_a_line(standin, capsys, fault, expected):
    standin.faults = [fault]
    assert main(["--query", "gentamicin", *ARTICLE]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if "DIFFERS" in line]
    assert any(line.startswith(expected) for line in lines)
