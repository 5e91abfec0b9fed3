"""Find regular expressions whose time grows faster than their text: the texts are made from the
expressions.

A repetition that can begin at every character, or that shares characters with what surrounds it,
takes time in the square of the text if what follows it is missing. So the text of each repetition
is what it repeats, many times, alone and after what precedes it.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from time import process_time
from types import ModuleType
from typing import Any

from features.patterns import LazyPattern

SIZE = 36_000
"""Characters of a text.

A linear search of so many takes up to .05 seconds, a quadratic one .8 or more.
"""
MOST = 0.3
"""Seconds of processor time that a search may take."""

_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
# Separated by tildes: what texts are made of.
ALWAYS = (
    *' ~\n~\t~ \n~\n\n ~a~A~a ~A ~.~. ~1~(~[1~<~<a ~</a~"~\\"~"a~&~|~-~,~a.~\\~et al ~a=~="'.split(
        "~"
    ),
)


def patterns() -> Iterator[tuple[str, re.Pattern[Any], bool]]:
    """Yield the name of every regular expression of the project, the expression, and whether it
    searches.

    One that is only matched at one place need not be linear from everywhere.
    """
    modules = list(_modules())
    sources = {module: inspect.getsource(module) for module in modules}
    seen: set[tuple[Any, int]] = set()
    for module in modules:
        for name, value in sorted(vars(module).items()):
            for at, each in _compiled(value):
                if (each.pattern, each.flags) not in seen:
                    seen.add((each.pattern, each.flags))
                    used = re.compile(rf"\b{name}(?:\[[^]]*\])?\.(\w+)")
                    uses = set(
                        used.findall(sources[module]) or used.findall("".join(sources.values()))
                    )
                    matched = bool(uses) and uses <= {"match", "fullmatch", "pattern", "flags"}
                    yield f"{module.__name__}.{name}{at}", each, not matched
        for line, how, pattern in _inline(module):
            yield f"{module.__name__}:{line}", pattern, how not in ("match", "fullmatch")


def _modules() -> Iterator[ModuleType]:
    for root in ("features", "ilpsum"):
        package = importlib.import_module(root)
        for found in pkgutil.walk_packages(package.__path__, f"{root}."):
            if "integrations" not in found.name and not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


def _inline(module: ModuleType) -> Iterator[tuple[int, str, re.Pattern[Any]]]:
    """Yield line, function and expression of calls such as `re.sub(r"...", ...)` with a literal."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            of, first = node.func.value, node.args[0]
            named = isinstance(of, ast.Name) and of.id == "re" and node.func.attr != "compile"
            if named and isinstance(first, ast.Constant):
                yield node.lineno, node.func.attr, re.compile(first.value)


def _compiled(value: Any) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, LazyPattern):
        value = value.compiled
    if isinstance(value, re.Pattern):
        yield "", value
    elif isinstance(value, dict):
        yield from (
            (f"[{key!r}]{at}", each)
            for key, inner in value.items()
            for at, each in _compiled(inner)
        )
    elif isinstance(value, tuple | list):
        yield from (
            (f"[{i}]{at}", each) for i, inner in enumerate(value) for at, each in _compiled(inner)
        )


def texts(pattern: re.Pattern[Any]) -> list[Any]:
    """Return texts of about SIZE characters: what each repetition repeats, and the usual pieces, many times."""
    binary = isinstance(pattern.pattern, bytes)
    source = pattern.pattern.decode("latin-1") if binary else pattern.pattern
    tree = parser.parse(source, pattern.flags & ~(re.LOCALE | re.UNICODE if binary else re.LOCALE))
    pieces = dict.fromkeys([*(("", piece) for piece in ALWAYS), *_pieces(tree)])
    whole = [f"{lead}{piece * (SIZE // len(piece))}" for lead, piece in pieces if piece]
    return [text.encode("latin-1", "replace") for text in whole] if binary else whole


def _pieces(tree: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield a beginning and what follows it many times, for each unbounded repetition of an expression."""
    for op, value in tree:
        if op in _REPEATS:
            low, high, body = value
            if high > 100:
                once = _sample(body)
                yield from (
                    ("", once),
                    ("", before + once),
                    ("", before[-1:] + once),
                    (before, once),
                )
            yield from _pieces(body, before)
            before += _sample(body) * max(1, min(low, 3))
        elif op is codes.SUBPATTERN:
            yield from _pieces(value[3], before)
            before += _sample(value[3])
        elif op is codes.BRANCH:
            for branch in value[1]:
                yield from _pieces(branch, before)
            before += _sample(value[1][0])
        elif op in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _pieces(value[1], before)
        elif op is codes.ATOMIC_GROUP:
            yield from _pieces(value, before)
            before += _sample(value)
        else:
            before += _sample([(op, value)])


def _sample(tree: Any) -> str:
    """Return a short text that a part of an expression matches, as far as it is easy to say."""
    text = ""
    for op, value in tree:
        if op is codes.LITERAL:
            text += chr(value)
        elif op is codes.IN:
            text += _member(value)
        elif op is codes.ANY or op is codes.NOT_LITERAL:
            text += "a"
        elif op in _REPEATS:
            text += _sample(value[2]) * min(max(value[0], 1), 4)
        elif op is codes.SUBPATTERN:
            text += _sample(value[3])
        elif op is codes.BRANCH:
            text += _sample(value[1][0])
        elif op is codes.ATOMIC_GROUP:
            text += _sample(value)
    return text


_CATEGORIES = {codes.CATEGORY_SPACE: " ", codes.CATEGORY_DIGIT: "1", codes.CATEGORY_WORD: "a"}


def _member(items: Any) -> str:
    if items[0][0] is codes.NEGATE:
        pattern = [(op, value) for op, value in items[1:]]
        taken = {chr(value) for op, value in pattern if op is codes.LITERAL}
        spaces = any(value is codes.CATEGORY_SPACE for _, value in pattern)
        words = any(value in (codes.CATEGORY_WORD, codes.CATEGORY_DIGIT) for _, value in pattern)
        options = ".,;(" if words else "a1.,(" if spaces else " a1.,("
        if any(value is codes.CATEGORY_NOT_WORD for _, value in pattern):
            options = "ab1"
        return next((c for c in options if c not in taken), "b")
    op, value = items[0]
    if op is codes.LITERAL:
        return chr(value)
    if op is codes.RANGE:
        return chr(value[0])
    return _CATEGORIES.get(value, ".")


def seconds(pattern: re.Pattern[Any], text: Any, *, searches: bool) -> float:
    """Return the processor time of matching a text, or of finding all matches in it, up to two seconds."""
    began = process_time()
    with limited(2.0):
        if searches:
            for _ in pattern.finditer(text):
                pass
        pattern.match(text)
        pattern.fullmatch(text)
    return process_time() - began


@contextmanager
def limited(most: float) -> Iterator[None]:
    """End what runs after some seconds of processor time."""

    class _EndError(BaseException):
        pass

    def end(*_: object) -> None:
        raise _EndError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    except _EndError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
