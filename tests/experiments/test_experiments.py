"""`python -m experiments`: the list, one run, and pages that say how they were made."""

import re
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest

from experiments.__main__ import main
from experiments.page import Page, command, markdown, parser
from experiments.registry import EXPERIMENTS, LIN, MALAKASIOTIS
from ilpsum.errors import UsageError
from ilpsum.version import __version__

ROOT = Path(__file__).parents[2]


def test_the_list_has_every_table_and_figure(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    items = [item for name in EXPERIMENTS for item in EXPERIMENTS[name].items.split(", ")]
    for number in range(1, 9):
        assert f"Table {number}" in items
    for name in EXPERIMENTS:
        experiment = EXPERIMENTS[name]
        assert experiment.items in shown
        assert experiment.page in shown
        assert callable(import_module(experiment.module).main)
    lin = [EXPERIMENTS[name] for name in EXPERIMENTS if EXPERIMENTS[name].paper == LIN]
    named = {item for experiment in lin for item in experiment.items.split(", ")}
    assert named == {*(f"Table {k}" for k in range(1, 9)), "Figure 3", "Figure 4"}
    bioasq = [EXPERIMENTS[name] for name in EXPERIMENTS if EXPERIMENTS[name].paper == MALAKASIOTIS]
    assert {"Figure 3", "Figure 4", "Table 1"} <= {experiment.items for experiment in bioasq}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_docstring_says_what_was_published(name):
    text = import_module(EXPERIMENTS[name].module).__doc__
    assert f"python -m experiments {name}" in text
    assert re.search(r"[Pp]ublished", text)


# Those that need files of the user's have no page; the guide says how to make it.
@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in ("ratings", "flips")])
def test_every_page_is_committed_and_names_its_command_and_run(name):
    page = ROOT / EXPERIMENTS[name].page
    text = page.read_text("utf-8")
    assert f"`python -m experiments {name}" in text
    assert re.search(r"\(\d{4}-\d\d-\d\d; ilpsum [\d.]+", text)
    for plot in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
        assert page.with_name(plot).is_file()


def test_an_unknown_experiment_is_one_line(capsys):
    assert main(["figur3"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "figure3" in error


def test_a_page_has_the_date_and_versions_of_its_run(tmp_path, capsys):
    argv = ["--out", str(tmp_path), "--data", str(tmp_path)]
    options = parser("experiments agreement", "").parse_args(argv)
    page = Page.begin(options, argv, packages=["pytest"])
    page.write("Title", ["text", markdown(["a"], [[0.12345]])], "seed 1")
    text = (tmp_path / "agreement.md").read_text("utf-8")
    assert text.startswith(
        f"# Title\n\n`python -m experiments agreement --data DATA` ({date.today()}; "
    )
    assert f"ilpsum {__version__}" in text
    assert f"pytest {pytest.__version__}; seed 1)" in text
    assert "| 0.1235 |" in text
    assert text in capsys.readouterr().out + "\n"


def test_nothing_is_overwritten_unasked(tmp_path):
    plot = tmp_path / "figure3-snippets.svg"
    plot.write_text("earlier", "utf-8")
    options = parser("experiments figure3", "").parse_args(["--out", str(tmp_path)])
    with pytest.raises(UsageError, match=r"figure3-snippets.svg exists; .* --overwrite"):
        Page.begin(options, [], plots=[plot.name])
    options.overwrite = True
    assert Page.begin(options, [], plots=[plot.name]).plots == (plot.name,)
    assert plot.read_text("utf-8") == "earlier"


def test_the_default_folder_is_not_that_of_the_committed_pages():
    assert (
        parser("experiments figure3", "").parse_args([]).out.resolve()
        != ROOT / "experiments" / "results"
    )


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["--out=/x/y", "--data=/z", "--pools", "snippets"], " --data DATA --pools snippets"),
        (["--data", "/z", "--overwrite"], " --data DATA"),
        (["--titles", "/home/me/dev.tsv", "test.tsv"], " --titles dev.tsv test.tsv"),
        (["--systems", "ilp-sum-2, clipped"], " --systems 'ilp-sum-2, clipped'"),
    ],
)
def test_a_command_names_no_place_of_the_machine(argv, shown):
    assert command("experiments figure3", argv) == f"python -m experiments figure3{shown}"


# What runs within about a minute, and the rows to compare: all, or those of one system.
QUICK = (
    ("agreement", (), ""),
    ("title-examples", (), ""),
    ("odds-ratio", (), ""),
    ("spans", (), ""),
    ("facets", ("--methods", "svm"), "svm"),
    ("table1", ("--pools", "snippets"), "ilp-sum-2"),
    ("figure4", ("--pools", "snippets"), "1-6"),
    ("figure3", ("--pools", "abstracts", "--systems", "ilp-sum-2"), "ilp-sum-2"),
)


@pytest.mark.long
@pytest.mark.parametrize(("name", "argv", "row"), QUICK, ids=[name for name, *_ in QUICK])
def test_a_run_gives_the_digits_of_the_committed_page(name, argv, row, real_data, tmp_path):
    assert main([name, *argv, "--data", str(real_data), "--out", str(tmp_path)]) == 0
    committed = (ROOT / EXPERIMENTS[name].page).read_text("utf-8").splitlines()
    made = (tmp_path / f"{name}.md").read_text("utf-8").splitlines()
    rows = [line for line in made if line.startswith(f"| {row}") and "---" not in line]
    assert rows
    for line in rows:
        assert line in committed
