"""An answer as a Word document, by python-docx (the extra `docx`)."""

import io
from importlib.util import find_spec

from ilpsum.errors import UsageError
from ilpsum.report import plain, references
from ilpsum.report.markup import printable
from ilpsum.report.view import Answer

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def has_word() -> bool:
    """Return whether python-docx is installed."""
    return find_spec("docx") is not None


def document(answer: Answer) -> bytes:
    """Return an answer as a Word document: the question, the sentences as one paragraph, and the references."""
    if not has_word():
        raise UsageError("Word documents need python-docx; install ilpsum[docx], or download Markdown")
    from docx import Document

    made = Document()
    made.core_properties.title = printable(answer.question)[:255]
    made.add_heading(printable(answer.question or plain.UNASKED), level=1)
    lines = answer.lines or answer.nearest
    if not answer.lines:
        made.add_paragraph(f"{printable(answer.silence)}.")
    paragraph = made.add_paragraph()
    for line in lines:
        paragraph.add_run(f"{printable(line.shown)} ")
        paragraph.add_run(f"{line.source.mark} ").font.superscript = True
    sources = plain.quoted(answer)
    if sources:
        made.add_heading("References", level=2)
    for source in sources:
        made.add_paragraph(f"{source.number}. {printable(references.vancouver(source))}")
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()
