"""experiments/papers.md: every row leads somewhere, and says how far it is the paper's."""

import ast
import re
from pathlib import Path

import pytest

from experiments.registry import EXPERIMENTS
from ilpsum.cli import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "experiments" / "papers.md"
STATUSES = (
    "as published", "inferred", "other data", "own files", "beyond", "nothing to run", "differs",
    "the submitter's", "their summaries are not public",
)  # fmt: skip
HEAD = ["section", "what", "file or command", "status"]


def tables():
    """The rows of each paper by its heading."""
    papers = {}
    for part in PAGE.read_text("utf-8").split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        lines = [line for line in body.splitlines() if line.startswith("|")]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        assert cells[0] == HEAD, title
        papers[title] = cells[2:]
    return papers


ROWS = [(paper, row) for paper, rows in tables().items() for row in rows]


def defined(path):
    """The names that a file defines, also those of classes."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def test_all_five_papers_are_there():
    assert len(tables()) == 5
    assert all(len(rows) > 5 for rows in tables().values())


@pytest.mark.parametrize(("paper", "row"), ROWS, ids=[f"{p[:12]}: {r[0]}" for p, r in ROWS])
def test_every_row_leads_somewhere(paper, row, capsys):
    section, what, place, status = row
    assert section
    assert what
    assert status.startswith(STATUSES), status
    named = re.findall(r"`([^`]+)`", f"{place} {status}")
    assert named or status in ("nothing to run", "the submitter's", "beyond, not done"), what
    for name in named:
        if name.startswith("--"):
            continue
        if name.startswith("python -m experiments "):
            assert name.split()[3] in EXPERIMENTS, name
        elif name.startswith("ilpsum "):
            with pytest.raises(SystemExit, match="0"):
                main([name.split()[1], "--help"])
            capsys.readouterr()
        else:
            file, _, symbol = name.partition(":")
            assert (ROOT / file).is_file(), name
            assert not symbol or symbol in defined(ROOT / file), name


def test_every_experiment_serves_a_requirement():
    text = PAGE.read_text("utf-8")
    for name in EXPERIMENTS:
        assert f"`python -m experiments {name}`" in text, name


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)", PAGE.read_text("utf-8")):
        assert (PAGE.parent / target).exists(), target
