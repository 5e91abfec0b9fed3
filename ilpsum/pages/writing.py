"""Writes the pages of a report to files."""

from collections.abc import Iterator
from pathlib import Path

from ilpsum.errors import IlpsumError
from ilpsum.files.atomic import require_place, write_errors, write_file
from ilpsum.pages import answers
from ilpsum.pages.page import page
from ilpsum.pages.view import Report


def write(path: str | Path, report: Report) -> Iterator[Path]:
    """Write a report, and a page per answer with citations to the folder `STEM-answers`; yield the paths written.

    Raises `IlpsumError` if a page cannot be written; an existing file is then kept.
    """
    path = Path(path)
    if path.is_dir():
        raise IlpsumError(f"{path}: cannot be written: it is a folder; name a file in it, such as report.html")
    folder = path.with_name(f"{path.stem}-answers")
    links = {key: f"{folder.name}/{name}" for key, name in answers.names(report).items()}
    with write_errors(path):
        write_file(path, page(report, links).encode())
    yield path
    with write_errors(folder):
        for name, answer in answers.pages(report, f"../{path.name}"):
            folder.mkdir(exist_ok=True)
            require_place(folder / name, "--out")
            write_file(folder / name, answer.encode())
            yield folder / name
