"""Output forms of an answer: one table for the command line, Python and the reading room."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ilpsum.errors import IlpsumError, UsageError
from ilpsum.files.atomic import require_place, write_errors, write_file
from ilpsum.files.reading import unsafe_name
from ilpsum.pages import answers, plain, references
from ilpsum.pages.markup import join, printable, tag
from ilpsum.pages.page import page
from ilpsum.pages.view import Answer, Report
from ilpsum.resources import installs


@dataclass(frozen=True, slots=True)
class Form:
    """An output form.

    Attributes:
        title: its name for readers.
        suffix: suffix of its files, which also names the form.
        media_type: its MIME type.
        write: returns an answer in this form.
        needs: the extra of ilpsum it needs, named like the module; empty for none.
        explains: whether it has the reasons for each sentence.
        is_utf8: whether the format is UTF-8 by definition, whatever the encoding of the terminal.
    """

    title: str
    suffix: str
    media_type: str
    write: Callable[[Answer], str | bytes]
    needs: str = ""
    explains: bool = False
    is_utf8: bool = True

    @property
    def available(self) -> bool:
        """Whether the module it needs is installed."""
        return not self.needs or find_spec(self.needs) is not None

    def written(self, answer: Answer) -> bytes:
        """Return an answer as the content of a file; `UsageError` if the module this form needs is missing."""
        if not self.available:
            raise UsageError(f"{self.title} files need a further library: {installs(self.needs)}")
        written = self.write(answer)
        return written.encode() if isinstance(written, str) else written


def word(answer: Answer) -> bytes:
    """Return an answer as a Word document: the question, the sentences as one paragraph, and the references."""
    from docx import Document

    made = Document()
    made.core_properties.title = printable(answer.question)[:255]
    made.add_heading(printable(answer.question or plain.UNASKED), level=1)
    if not answer.lines:
        made.add_paragraph(f"{printable(answer.silence)}.")
    paragraph = made.add_paragraph()
    for line in answer.lines or answer.nearest:
        paragraph.add_run(f"{printable(line.shown)} ")
        paragraph.add_run(f"{line.source.mark} ").font.superscript = True
    sources = answer.quoted
    if sources:
        made.add_heading("References", level=2)
    for source in sources:
        made.add_paragraph(f"{source.number}. {printable(references.vancouver(source))}")
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

FORMS = {
    "text": Form("text", ".txt", "text/plain", plain.text, is_utf8=False),
    "json": Form("JSON", ".json", "application/json", plain.to_json, explains=True),
    "markdown": Form("Markdown", ".md", "text/markdown", plain.markdown, is_utf8=False),
    "html": Form("page", ".html", "text/html", lambda a: answers.page(a, plain.UNASKED), explains=True),
    "docx": Form("Word", ".docx", _WORD, word, needs="docx"),
    "ris": Form("RIS", ".ris", "application/x-research-info-systems", lambda answer: references.ris(answer.quoted)),
    "bibtex": Form("BibTeX", ".bib", "application/x-bibtex", lambda answer: references.bibtex(answer.quoted)),
    "csl": Form("CSL JSON", ".csl.json", "application/vnd.citationstyles.csl+json", lambda a: references.csl(a.quoted)),
}
"""The forms by name. RIS, BibTeX and CSL JSON hold the quoted sources, for reference managers."""


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
