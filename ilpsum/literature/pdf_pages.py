"""Extract the text of each page of a PDF with pypdf: a separate program, so that a hostile file can
be given up.

It reads a PDF from standard input and writes JSON: a list of texts, or an error message. It is
independent of ilpsum; `ilpsum.literature.pdf` starts it. Its arguments are limits: seconds of CPU
time and bytes of memory. Where the system cannot enforce them (Windows), the caller ends the
process after a timeout.
"""

import contextlib
import io
import json
import logging
import sys
from typing import Any

_MOST_PAGES, _MOST_TEXT = 1000, 4 * 2**20


def pages(data: bytes) -> list[str] | str:
    """Return the text of each page, or an error message."""
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader: Any = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return "an encrypted PDF; save it without a password"
        if len(reader.pages) > _MOST_PAGES:
            return f"a PDF of {len(reader.pages)} pages; expected an article"
        texts, size = list[str](), 0
        for page in reader.pages:
            texts.append(page.extract_text() or "")
            size += len(texts[-1])
            if size > _MOST_TEXT:
                return (
                    f"a PDF with more than {_MOST_TEXT // 2**20} M characters; expected an article"
                )
        return texts
    except MemoryError:
        raise
    except Exception:  # pypdf raises errors of many kinds on damage
        return "not a valid PDF; download it again"


def _limit(seconds: int, memory: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


if __name__ == "__main__":
    _limit(*map(int, sys.argv[1:3]))
    json.dump(pages(sys.stdin.buffer.read()), sys.stdout)
