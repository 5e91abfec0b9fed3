"""The house as a whole: what texts name exists, and what is too long to read."""

import ast
import importlib
import re
import tokenize
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAME = re.compile(r"(?<![\w./-])(?:ilpsum|features)(?:\.[A-Za-z_]\w*)+")
# What only looks like a dotted name: files, and Python's own names of a package.
ENDINGS = set("py md toml html json jsonl npz kv css svg txt data configs".split())
# Groups of entry points of other packages are no modules.
GROUPS = {"ilpsum.features", "ilpsum.formats", "ilpsum.metrics", "ilpsum.selectors"}
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


# Who reads a function or a module should see it whole: lines of a function (with its docstring), of a
# module, and of all assets of pages.
LONGEST_FUNCTION, LONGEST_MODULE, ASSETS = 80, 550, 1200


def test_no_function_and_no_module_is_too_long():
    long_functions, long_modules = list[str](), list[str]()
    for folder in ("ilpsum", "features"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            if text.count("\n") > LONGEST_MODULE:
                long_modules.append(str(path.relative_to(ROOT)))
            for node in ast.walk(ast.parse(text)):
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    long_functions.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert long_functions == []
    assert long_modules == []


def test_assets_of_pages_keep_their_size():
    assets = ROOT / "ilpsum" / "pages" / "assets"
    kinds = (".js", ".css", ".html")
    written = [path for path in sorted(assets.rglob("*")) if path.suffix in kinds]
    assert written
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in written)
    assert lines <= ASSETS
