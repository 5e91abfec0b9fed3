"""Tables for a paper: LaTeX, Markdown and CSV of compared runs.

A table has a row per run and a column per metric, with means, intervals and marks of significance.
Its notes say what the marks mean, and have the signature of every score.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from string import ascii_lowercase

from ilpsum.errors import counted
from ilpsum.evaluation.comparison import FEWEST_TESTED, SIGNIFICANT, Comparison, Pair

_MARK = "*"
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "|": r"\textbar{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        '"': r"\textquotedbl{}",
        "−": "$-$",
    }
)
# Characters that Markdown would read as markup in the middle of a cell.
_MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|~"})


def _table(
    compared: Sequence[Comparison],
    superscript: Callable[[str], str],
) -> list[tuple[str, list[str]]]:
    """Return the label of each run and its mean in each metric, with its marks as the format shows
    them and its interval.
    """
    letters = _letters(compared[0])
    rows = []
    for i, evaluation in enumerate(compared[0].evaluations):
        run = evaluation.run
        cells = []
        for comparison in compared:
            interval = comparison.interval(comparison.evaluations[i])
            marks = _marks(comparison, run, letters)
            shown = superscript(marks) if marks else ""
            cells.append(f"{interval.mean:.4f}{shown} [{interval.low:.4f}, {interval.high:.4f}]")
        rows.append((f"{letters[run]} {run}" if run in letters else run, cells))
    return rows


def latex(compared: Sequence[Comparison]) -> str:
    """Return a `tabular` that needs no package, with its notes below."""
    heads = ["run", *(comparison.name for comparison in compared)]
    lines = [rf"\begin{{tabular}}{{l{'r' * len(compared)}}}", r"\hline"]
    lines += [_latex_row(_escaped(name, _LATEX) for name in heads), r"\hline"]
    for run, cells in _table(compared, lambda marks: f"$^{{{marks}}}$"):
        lines.append(_latex_row([_escaped(run, _LATEX), *cells]))
    lines += [r"\hline", r"\end{tabular}"]
    lines += [rf"\par{{\footnotesize {_escaped(note, _LATEX)}}}" for note in _notes(compared)]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def markdown(compared: Sequence[Comparison]) -> str:
    """Return a table in Markdown, with its notes below."""
    heads = ["run", *(comparison.name for comparison in compared)]
    lines = [_markdown_row(_escaped(name, _MARKDOWN) for name in heads)]
    lines.append(_markdown_row(["---", *["---:"] * len(compared)]))
    for run, cells in _table(compared, lambda marks: f"<sup>{_escaped(marks, _MARKDOWN)}</sup>"):
        shown = [cell.replace("[", "\\[").replace("]", "\\]") for cell in cells]
        lines.append(_markdown_row([_escaped(run, _MARKDOWN), *shown]))
    for note in _notes(compared):
        lines += ["", _escaped(note, _MARKDOWN)]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str, markup: Mapping[int, str]) -> str:
    """Return a text on one line, with markup characters escaped."""
    return " ".join(text.split()).translate(markup)


_CSV_COLUMNS = (
    "run", "metric", "measure", "mean", "low", "high", "baseline", "difference",
    "difference_low", "difference_high", "p_value", "holm", "also_differ", "signature",
)  # fmt: skip


def comma_separated(compared: Sequence[Comparison]) -> str:
    """Return a row per run and metric, with the test against the baseline where there is one."""
    rows: list[Sequence[object]] = [_CSV_COLUMNS]
    for comparison in compared:
        pairs = {pair.first: pair for pair in comparison.pairs if comparison.reference.baseline}
        for evaluation in comparison.evaluations:
            interval = comparison.interval(evaluation)
            row: list[object] = [evaluation.run, comparison.metric, comparison.measure]
            row += [f"{number:.6f}" for number in (interval.mean, interval.low, interval.high)]
            rows.append([*row, *_tested(pairs.get(evaluation.run)), str(evaluation.signed)])
    return csv_text(rows)


def _tested(pair: Pair | None) -> list[object]:
    if pair is None:
        return [""] * 7
    numbers = (pair.difference, pair.low, pair.high, pair.p_value, pair.holm)
    shown = ["" if number is None else f"{number:.6f}" for number in numbers]
    return [pair.second, *shown, pair.also_differ]


def csv_text(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as CSV with line feeds."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


TABLES: dict[str, Callable[[Sequence[Comparison]], str]] = {
    ".tex": latex,
    ".md": markdown,
    ".csv": comma_separated,
}
"""Writers of tables by the suffix of their file; each takes compared runs."""


def _letters(comparison: Comparison) -> dict[str, str]:
    """Return the letters of runs that are all compared with each other; none with a baseline."""
    tested = [run for run in comparison.scores if run not in comparison.reference.oracles]
    if comparison.reference.baseline or len(tested) < 2 or len(tested) > len(ascii_lowercase):
        return {}
    return dict(zip(tested, ascii_lowercase, strict=False))


def _marks(comparison: Comparison, run: str, letters: Mapping[str, str]) -> str:
    """Return the marks of a run: one if it differs from the baseline, or the runs it is above."""
    marks = []
    for pair in comparison.pairs:
        if not pair.is_significant:
            continue
        if comparison.reference.baseline:
            marks += [_MARK] if pair.first == run else []
        elif pair.first == run and pair.difference > 0:
            marks.append(letters.get(pair.second, ""))
        elif pair.second == run and pair.difference < 0:
            marks.append(letters.get(pair.first, ""))
    return "".join(sorted(marks))


def _notes(compared: Sequence[Comparison]) -> Iterator[str]:
    first = compared[0]
    drawn = f"{first.samples} samples, seed {first.seed}"
    yield f"Means over {first.units}, each with its 95% bootstrap interval ({drawn})."
    if first.pairs:
        yield _test_note(compared)
    yield from run_notes(first)
    for comparison in compared:
        yield str(comparison.evaluations[0].signature)


def run_notes(comparison: Comparison) -> Iterator[str]:
    """Yield which runs are not tested, whether the scores of each are held out, and what else each
    tested pair differs in.
    """
    for oracle in comparison.reference.oracles:
        yield f"{oracle} has seen the gold summaries: an upper bound, which is not tested."
    for evaluation in comparison.evaluations:
        if evaluation.training_note:
            yield f"{evaluation.run}: {evaluation.training_note}."
    yield from comparison.design_notes.values()


def _test_note(compared: Sequence[Comparison]) -> str:
    comparison = compared[0]
    number = len(comparison.evaluations[0].units)
    if number < FEWEST_TESTED:
        return f"No tests: {number} topics, and a test needs {FEWEST_TESTED}."
    pairs = counted(len(comparison.pairs), "comparison")
    baseline = comparison.reference.baseline
    if not any(pair.is_significant for test in compared for pair in test.pairs):
        what = f"no run differs from {baseline or 'another'} at"
    elif baseline:
        what = f"{_MARK} differs from {baseline}:"
    else:
        what = "letters: above these runs:"
    return (
        f"{what} p < {SIGNIFICANT}, two-sided paired randomisation test, Holm's correction for "
        f"{pairs} of a metric."
    )
