"""Read XML element by element: a file of any size takes the memory of one element; entity definitions are refused."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from xml.etree.ElementTree import Element

from ilpsum.errors import InputError
from ilpsum.files.reading import open_bytes


def elements(path: str | Path, *tags: str) -> Iterator[Element]:
    """Yield the elements with these tags, each when complete; it is cleared when the next one is requested.

    Raises:
        InputError: the file cannot be read, is not well-formed, or defines entities.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, iterparse

    with open_bytes(path) as source:
        try:
            root: Element | None = None
            # With `read` alone, the parser can neither close nor name the stream.
            for event, element in iterparse(SimpleNamespace(read=source.read), events=("start", "end")):
                root = element if root is None else root
                if event == "end" and element.tag in tags:
                    yield element
                    # The root holds all elements read so far.
                    root.clear()
        except ParseError as error:
            reason = f"not well-formed XML ({str(error).partition(':')[0]}); download the file again"
            raise InputError(reason, path, error.position[0]) from None
        except DefusedXmlException as error:
            raise InputError(f"XML that defines entities is refused ({type(error).__name__})", path) from None
        except (LookupError, ValueError) as error:
            # The parser does not know the encoding.
            raise InputError(f"XML that cannot be decoded ({error})", path) from None
