"""Writes the pages of a report to files."""

from collections.abc import Iterator
from pathlib import Path

from ilpsum.errors import IlpsumError
from ilpsum.files.atomic import require_place, write_errors, write_file
from ilpsum.files.reading import unsafe_name
from ilpsum.pages import answers
from ilpsum.pages.markup import join, tag
from ilpsum.pages.page import page
from ilpsum.pages.view import Answer, Report


def write(path: str | Path, report: Report) -> Iterator[Path]:
    """Write a report, and a page per answer with citations to the folder `STEM-answers`; yield the paths written.

    Raises `IlpsumError` if a page cannot be written; an existing file is then kept.
    """
    path = Path(path)
    if path.is_dir():
        raise IlpsumError(f"{path}: cannot be written: it is a folder; name a file in it, such as report.html")
    folder, pages = path.with_name(f"{path.stem}-answers"), _answers(report)
    links = {(run, topic): f"{folder.name}/{name}" for name, (run, topic, _) in pages.items()}
    with write_errors(path):
        write_file(path, page(report, links).encode())
    yield path
    with write_errors(folder):
        for name, (run, topic, answer) in pages.items():
            folder.mkdir(exist_ok=True)
            require_place(folder / name, "--out")
            back = tag("a", "All answers", href=f"../{path.name}")
            about = join(back, " · topic ", tag("bdi", topic), " · run ", tag("bdi", run))
            write_file(folder / name, answers.page(answer, topic, about).encode())
            yield folder / name


def _answers(report: Report) -> dict[str, tuple[str, str, Answer]]:
    """Return run, topic and answer of each answer with citations by the name of its file."""
    pages: dict[str, tuple[str, str, Answer]] = {}
    for topic in report.topics:
        for run, own in topic.runs.items():
            if own.answer and own.cites:
                name = f"{run}-{topic.id}.html"
                # A topic id may be an invalid file name, or clash with another on a case-insensitive file system.
                if unsafe_name(name) or name.casefold() in map(str.casefold, pages):
                    name = f"answer-{len(pages) + 1}.html"
                pages[name] = run, topic.id, own.answer
    return pages
