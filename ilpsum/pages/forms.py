"""Output forms of an answer: one table for the command line, Python and the reading room."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from ilpsum.errors import UsageError
from ilpsum.pages import plain, references
from ilpsum.pages.answer import page
from ilpsum.pages.markup import printable
from ilpsum.pages.view import Answer
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
        answers: whether it has the answer, with its doubt, and not only the sources.
        is_utf8: whether the format is UTF-8 by definition, whatever the encoding of the terminal.
    """

    title: str
    suffix: str
    media_type: str
    write: Callable[[Answer], str | bytes]
    needs: str = ""
    explains: bool = False
    answers: bool = True
    is_utf8: bool = True

    @property
    def available(self) -> bool:
        """Whether the module it needs is installed."""
        return not self.needs or find_spec(self.needs) is not None

    @property
    def lacking(self) -> str:
        """What an installation that cannot write it lacks, without a full stop."""
        return f"{self.title} files need a further library: {installs(self.needs)}"

    def written(self, answer: Answer) -> bytes:
        """Return an answer as the content of a file; `UsageError` if the module this form needs is
        missing.
        """
        if not self.available:
            raise UsageError(self.lacking)
        written = self.write(answer)
        return written.encode() if isinstance(written, str) else written


def word(answer: Answer) -> bytes:
    """Return an answer as a Word document: the question, its label, the opening sentence, the
    others, the references, and where and when it was asked.
    """
    from docx import Document

    made = Document()
    made.core_properties.title = printable(answer.question)[:255]
    made.add_heading(printable(answer.question or plain.UNASKED), level=1)
    label = answer.opening or answer.outcome.degree
    made.add_paragraph(f"{printable(label)}.", style="Intense Quote")
    lines = answer.lines or answer.nearest
    for paragraph_of in (lines[:1], lines[1:]):
        if not paragraph_of:
            continue
        paragraph = made.add_paragraph()
        for line in paragraph_of:
            paragraph.add_run(printable(line.shown))
            paragraph.add_run(line.source.mark).font.superscript = True
            paragraph.add_run(" ")
    if answer.quoted:
        made.add_heading("References", level=2)
    for source in answer.quoted:
        made.add_paragraph(f"{source.number}. {printable(references.vancouver(source))}")
    made.add_paragraph(f"{printable(plain.colophon(answer))}.")
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def _note(answer: Answer) -> str:
    """Return the note of each reference: the question, and what kind of answer quotes it."""
    question = f"{answer.question} — " if answer.question else ""
    return f"Quoted by ilpsum: {question}{plain.colophon(answer)}."


FORMS = {
    "text": Form("text", ".txt", "text/plain", plain.text, is_utf8=False),
    "json": Form("JSON", ".json", "application/json", plain.to_json, explains=True),
    "html": Form("page", ".html", "text/html", page, explains=True),
    "docx": Form("Word", ".docx", _WORD, word, needs="docx"),
    "ris": Form(
        "RIS",
        ".ris",
        "application/x-research-info-systems",
        lambda answer: references.ris(answer.quoted, _note(answer)),
        answers=False,
    ),
    "bibtex": Form(
        "BibTeX",
        ".bib",
        "application/x-bibtex",
        lambda answer: references.bibtex(answer.quoted, _note(answer)),
        answers=False,
    ),
}
"""The forms by name. RIS and BibTeX hold the quoted sources, for reference managers."""
