"""Finds the file of a system and resolves `base` and `[kinds]`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from features.registry import suggested
from ilpsum import resources
from ilpsum.errors import InputError, UsageError
from ilpsum.files.records import read_table

# Tables in a file with [kinds] that override keys of its systems.
_PER_KIND = ("candidates", "relevance", "selection", "recipe")
# Fallback kinds for files older than a kind.
_OLDER_KINDS = {"general": "abstracts", "asked": "general", "answers": "abstracts", "single": "general"}
# Keys of [coherence] before 0.2 and their current names.
_RENAMED = {"yields": "relax", "spared": "fragments_after"}


def names() -> tuple[str, ...]:
    """Return the names of the included systems, sorted."""
    return tuple(sorted(path.stem for path in resources.configs().glob("*.toml")))


def path_of(name: str, folder: Path | None = None) -> Path:
    """Return the file of a system; a relative .toml path is resolved against the folder of the referring file."""
    if name.endswith(".toml"):
        return (folder or Path()) / name
    if name not in names():
        near = suggested(name, names())
        raise UsageError(f"unknown system {name[:100]!r}; there are: {', '.join(names())}; or name a .toml file{near}")
    return resources.configs() / f"{name}.toml"


def content_of(path: Path, above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Return the keys of a system's file, merged with its base, with the names in [kinds] replaced by contents."""
    if path in above:
        raise InputError("the systems that it names lead back to itself", path)
    above = (*above, path)
    content: dict[str, Any] = {**read_table(path, dict[str, Any], "a system", "the files in configs/")}
    _refuse_old_keys(content.get("coherence"), path)
    base = content.pop("base", "")
    if not isinstance(base, str):
        raise InputError("base: expected the name of a system", path)
    if base:
        inherited = content_of(path_of(base, path.parent), above)
        content = _merged(inherited | {"model": inherited.get("model") or inherited["name"]}, content)
    content["name"] = path.stem
    kinds = content.get("kinds")
    if isinstance(kinds, dict):
        own = {name: content.pop(name) for name in _PER_KIND if name in content}
        if "abstracts" in kinds:
            for kind, older in _OLDER_KINDS.items():
                kinds.setdefault(kind, kinds[older])
        content["kinds"] = {kind: _of_kind(system, path, above, own) for kind, system in kinds.items()}
    return content


def _refuse_old_keys(coherence: Any, path: Path) -> None:
    if isinstance(coherence, dict) and (old := [key for key in _RENAMED if key in coherence]):
        raise InputError(f"[coherence] {old[0]} is now called {_RENAMED[old[0]]}; rename the key", path)


def _of_kind(system: Any, path: Path, above: tuple[Path, ...], own: Mapping[str, Any]) -> Any:
    """Return the keys of a kind's system, given by name or as keys already loaded from the base."""
    if isinstance(system, str):
        system = content_of(path_of(system, path.parent), above)
        system["model"] = system.get("model") or system["name"]
    return _merged(system, {**own, "name": path.stem}) if isinstance(system, dict) else system


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge nested tables; keys of `above` override those of `below`."""
    tables = {key for key, value in above.items() if isinstance(value, dict) and isinstance(below.get(key), dict)}
    return {**below, **above, **{key: _merged(below[key], above[key]) for key in tables}}
