"""The house as a whole: what texts name exists."""

import importlib
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAME = re.compile(r"(?<![\w./-])(?:ilpsum|features)(?:\.[A-Za-z_]\w*)+")
# What only looks like a dotted name: files, and Python's own names of a package.
ENDINGS = {"py", "md", "toml", "html", "json", "jsonl", "npz", "kv", "css", "svg", "txt", "data", "configs"}
TEXTS = [
    *sorted(path for folder in ("ilpsum", "features", "experiments") for path in (ROOT / folder).rglob("*.py")),
    *sorted(path for folder in (".", "docs", "configs", "experiments") for path in (ROOT / folder).glob("**/*.md")),
    *sorted((ROOT / "configs").rglob("*.toml")),
]


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or what one holds."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError as error:
            if error.name and not name.startswith(error.name):
                pytest.skip(f"{error.name} is not installed")
            continue
        for part in parts[cut:-1]:
            value = getattr(value, part, None)
        last, annotated = parts[-1], getattr(value, "__annotations__", {})
        return cut == len(parts) or hasattr(value, last) or last in annotated
    return False


def prose(path: Path) -> str:
    """The text of a file; of Python its strings and comments."""
    if path.suffix != ".py":
        return path.read_text("utf-8")
    with tokenize.open(path) as stream:
        tokens = tokenize.generate_tokens(stream.readline)
        return "\n".join(t.string for t in tokens if t.type in (tokenize.STRING, tokenize.COMMENT))


def names() -> dict[str, list[str]]:
    """The dotted names in our texts, with the files that hold them."""
    found: dict[str, list[str]] = {}
    for path in TEXTS:
        if ".venv" in path.parts:
            continue
        for name in NAME.findall(prose(path)):
            if name.rpartition(".")[2] not in ENDINGS:
                found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found


def test_every_dotted_name_in_our_texts_exists() -> None:
    missing = {name: sorted(set(files)) for name, files in names().items() if not exists(name)}
    assert missing == {}


def test_a_name_that_does_not_exist_is_noticed() -> None:
    assert exists("ilpsum.records.Topic.query")
    assert exists("ilpsum.io.atomic")
    assert not exists("ilpsum.records.Topic.none")
    assert not exists("ilpsum.none")
