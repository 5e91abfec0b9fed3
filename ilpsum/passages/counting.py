"""What texts cost, by name: words, or the tokens of a model, from files on this machine."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from features.registry import Registry
from ilpsum.errors import ArgumentError

Count = Callable[[str], float]

COUNTS: Registry[Callable[[str], Count]] = Registry("count")
"""How a cost is counted, by the part of its name before the colon, given the rest."""


def counted_by(count: Count | str | None) -> Count:
    """Return what counts the cost of a text: a function as it is, or by its name; None counts words.

    Names are `words`, `tiktoken:ENCODING` and `hf:FOLDER`, a folder with the `tokenizer.json` of a model.

    Raises:
        ArgumentError: neither a function nor a name, or the tokenizer is not on this machine.
        UnknownNameError: no such name.
    """
    if isinstance(count, str):
        return _named(count)
    if count is not None and not callable(count):
        raise ArgumentError(f"count: expected a function from a text to its cost, or a name, got {count!r}")
    return count or words


@cache
def _named(name: str) -> Count:
    scheme, _, rest = name.partition(":")
    return COUNTS[scheme](rest)


def words(text: str) -> int:
    """Return the number of words of a text, as `str.split` finds them."""
    return len(text.split())


COUNTS.add("words", lambda _: words)


@COUNTS.register("tiktoken")
def _tiktoken(name: str) -> Count:
    """Count the tokens of an encoding of tiktoken, whose file must be in $TIKTOKEN_CACHE_DIR."""
    try:
        from tiktoken import get_encoding, load
    except ModuleNotFoundError:
        raise ArgumentError("count: tiktoken is not installed: pip install tiktoken") from None

    def refuse(_: str) -> bytes:
        fetched = f'python -c "import tiktoken; tiktoken.get_encoding({name!r})"'
        raise ArgumentError(f"count: {name} is not in $TIKTOKEN_CACHE_DIR; set it, and fetch the file once: {fetched}")

    # The library fetches what it lacks; nothing here asks a service that nobody named.
    fetch, load.read_file = load.read_file, refuse
    try:
        encode = get_encoding(name).encode_ordinary
    except ValueError as error:
        raise ArgumentError(f"count: {str(error).splitlines()[0]}") from None
    finally:
        load.read_file = fetch
    return lambda text: len(encode(text))


@COUNTS.register("hf")
def _hugging_face(folder: str) -> Count:
    """Count the tokens of a tokenizer of Hugging Face, special ones included, from its folder."""
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError:
        raise ArgumentError("count: tokenizers is not installed: pip install tokenizers") from None
    path = Path(folder, "tokenizer.json")
    if not path.is_file():
        raise ArgumentError(f"count: there is no {path}; expected the folder of a model's tokenizer")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise ArgumentError(f"count: {path}: not a tokenizer: {error}") from None
    return lambda text: len(tokenizer.encode(text))
