"""The house as a whole: what texts name exists, and no room outgrows its budget."""

import ast
import importlib
import re
import tokenize
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAME = re.compile(r"(?<![\w./-])(?:ilpsum|features)(?:\.[A-Za-z_]\w*)+")
# What only looks like a dotted name: files, and Python's own names of a package.
ENDINGS = set("py md toml html json jsonl npz kv css svg txt data configs".split())
# Groups of entry points of other packages are no modules.
GROUPS = {"ilpsum.features", "ilpsum.formats", "ilpsum.selectors"}
TEXTS = [
    *sorted(
        path
        for folder in ("ilpsum", "features", "experiments")
        for path in (ROOT / folder).rglob("*.py")
    ),
    *sorted(
        path
        for folder in (".", "docs", "configs", "experiments")
        for path in (ROOT / folder).glob("**/*.md")
    ),
    *sorted((ROOT / "configs").rglob("*.toml")),
]


def written(parts: list[str]) -> bool:
    """Whether the file of a module of ours defines or imports a name."""
    files = (
        (ROOT.joinpath(*parts[:cut]).with_suffix(".py"), parts[cut:])
        for cut in range(len(parts), 0, -1)
    )
    file, rest = next((file, rest) for file, rest in files if file.is_file())
    body: list[ast.stmt] = ast.parse(file.read_text("utf-8")).body
    for part in rest:
        found = [node for node in body if part in defined(node)]
        if not found:
            return False
        body = getattr(found[0], "body", [])
    return True


def defined(node: ast.stmt) -> list[str]:
    """The names that a statement binds."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return [target.id for target in targets if isinstance(target, ast.Name)]


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or what one holds."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError as error:
            if error.name and not name.startswith(error.name):
                # A module of ours that needs an extra: read it instead.
                return written(parts)
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
            if name.rpartition(".")[2] not in ENDINGS and name not in GROUPS:
                found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found


def test_every_dotted_name_in_our_texts_exists():
    missing = {name: sorted(set(files)) for name, files in names().items() if not exists(name)}
    assert missing == {}


def test_a_name_that_does_not_exist_is_noticed():
    assert exists("ilpsum.records.Topic.query")
    assert exists("ilpsum.files.atomic")
    assert not exists("ilpsum.records.Topic.none")
    assert not exists("ilpsum.none")
    assert exists("ilpsum.integrations.langchain.PassageCompressor.compress_documents")
    assert not exists("ilpsum.integrations.langchain.PassageCompressor.none")


def test_the_map_lists_every_room_from_the_ground_up():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(c["layers"] for c in contracts["contracts"] if c["type"] == "layers")
    height = {
        room.strip(): -depth
        for depth, layer in enumerate(layers)
        for room in re.split("[|:]", layer)
    }
    rows = re.findall(r"^\| `ilpsum/(\w+)/` \|", (ROOT / "docs/house.md").read_text("utf-8"), re.M)
    rooms = [path.parent.name for path in (ROOT / "ilpsum").glob("*/__init__.py")]
    assert sorted(rows) == sorted(rooms)
    assert [height[room] for room in rows] == sorted(height[room] for room in rows)


def test_every_documented_name_can_be_imported():
    text = (ROOT / "docs/reference/python.md").read_text("utf-8")
    table = re.findall(r"^\| `(ilpsum[\w.]*)` \| (.+) \|$", text, re.M)
    documented = {
        f"{module}.{name}" for module, names in table for name in re.findall(r"`(\w+)`", names)
    }
    documented |= set(re.findall(r"^::: (ilpsum[\w.]+)$", text, re.M))
    for place, members in re.findall(
        r"^::: (\S+)\n    options:\n      members: \[(.+)\]$", text, re.M
    ):
        documented |= {f"{place}.{name}" for name in re.findall(r'"(\w+)"', members)}
    assert len(documented) > 80
    assert sorted(name for name in documented if not exists(name)) == []


def test_every_file_in_the_notice_exists():
    named = re.findall(r"\b(?:ilpsum|experiments)/[\w./-]*\w", (ROOT / "NOTICE").read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


NETWORK = re.compile(
    r"^\s*(?:from|import) (?:asyncio|ftplib|http|httpx|requests|smtplib|socket|ssl|urllib\.request|urllib3)\b.*",
    re.M,
)


def test_only_the_rooms_that_serve_or_ask_a_service_know_a_network():
    allowed = (
        "ilpsum/literature/client.py",
        "ilpsum/pages/room/",
        "ilpsum/cli/serve.py",
        "ilpsum/files/processes.py",
    )
    found = {
        (path.relative_to(ROOT).as_posix(), match[0].strip())
        for folder in ("ilpsum", "features")
        for path in (ROOT / folder).rglob("*.py")
        for match in NETWORK.finditer(path.read_text("utf-8"))
    }
    assert found  # those of the server
    # The name of this machine, for a message.
    others = {place for place in found if not place[0].startswith(allowed)}
    assert others <= {("ilpsum/answers/open_index.py", "from socket import gethostname")}


RUNS_DATA = re.compile(
    r"^\s*(?:from|import) (?:_?pickle|cloudpickle|dill|joblib|marshal|shelve)\b.*"
    r"|\b(?:eval|exec)\(.*|allow_pickle=True",
    re.M,
)


def test_no_module_reads_what_could_run_code():
    """SECURITY.md: no pickle is loaded; numpy loads none unless told to."""
    found = {
        f"{path.relative_to(ROOT)}: {match[0].strip()}"
        for folder in ("ilpsum", "features")
        for path in (ROOT / folder).rglob("*.py")
        for match in RUNS_DATA.finditer(path.read_text("utf-8"))
    }
    assert not found


BUDGETS = tomllib.loads((ROOT / "tests" / "rooms.toml").read_text("utf-8"))
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def tokens_and_lines(path: Path) -> tuple[int, int]:
    """The tokens of code of a module, and the lines that hold one; docstrings do not count."""
    docstrings = set[int]()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        documented = isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        )
        if documented and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    tokens, lines = 0, set[int]()
    with tokenize.open(path) as stream:
        for token in tokenize.generate_tokens(stream.readline):
            if token.type in NO_CODE or token.start[0] in docstrings:
                continue
            tokens += 1
            lines.update(range(token.start[0], token.end[0] + 1))
    return tokens, len(lines)


def room_of(path: Path) -> str:
    top, *inner = path.relative_to(ROOT).parts
    return top if top == "features" else inner[0] if len(inner) > 1 else "top"


def test_no_room_outgrows_its_budget():
    modules = [path for top in ("ilpsum", "features") for path in (ROOT / top).rglob("*.py")]
    rooms, lines = Counter[str](), 0
    long_modules = []
    for path in modules:
        tokens, used = tokens_and_lines(path)
        rooms[room_of(path)] += tokens
        lines += used
        if tokens > BUDGETS["project"]["module"]:
            long_modules.append(path.name)
    assert set(rooms) == set(BUDGETS["rooms"])
    over = {
        room: (count, BUDGETS["rooms"][room])
        for room, count in rooms.items()
        if count > BUDGETS["rooms"][room]
    }
    assert over == {}, "take something out of the room (tests/rooms.toml)"
    assert rooms.total() <= BUDGETS["project"]["tokens"]
    assert rooms.total() <= BUDGETS["project"]["tokens_per_line"] * lines
    assert long_modules == []


def test_assets_of_pages_keep_their_budget():
    assets = ROOT / "ilpsum" / "pages" / "assets"
    kinds = (".js", ".css", ".html")
    written = [path for path in sorted(assets.rglob("*")) if path.suffix in kinds]
    assert written
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in written)
    assert lines <= BUDGETS["project"]["assets"]


def test_comments_and_docstrings_are_no_code(tmp_path):
    module = tmp_path / "newts.py"
    module.write_text(
        '"""Newts.\n\nSing.\n"""\n\n# At dusk.\nX = (\n    1,\n)\n\n\n'
        'def f():\n    """Hum."""\n    return """a\nb"""\n'
    )
    assert tokens_and_lines(module) == (13, 6)


def test_command_lines_of_tests_keep_paths_with_spaces_whole():
    """`$TMPDIR` may have a space: an f-string with options is split by `shlex`."""
    split = re.compile(r'f"[^"\n]*"\.split\(')
    for path in (ROOT / "tests").rglob("*.py"):
        lines = split.findall(path.read_text("utf-8"))
        assert not [line for line in lines if "--" in line and "{" in line], path
    assert split.search('f"summarize {x}"' + ".split()")
