"""Lookup of features, formats, metrics and solvers by name."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Generic, TypeVar, cast

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class UnknownNameError(LookupError):
    """A name that is not registered; the message lists the names that exist."""


class BrokenPlugInError(UnknownNameError):
    """An entry of another package that cannot be loaded; the message names the package."""


def suggested(word: str, names: Iterable[str]) -> str:
    """Return a question that suggests the most similar name, or an empty string if none is similar.

    >>> suggested("lambada", ["lambda", "words"]), suggested("x", ["lambda"])
    (' (did you mean lambda?)', '')
    """
    import difflib

    near = difflib.get_close_matches(word[:100], names, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def unknown(what: str, name: str, names: Iterable[str], more: str = "") -> str:
    """Return the message for an unknown name, with the nearest of those that exist first.

    >>> unknown("shape", "squar", ["circle", "square"])
    "unknown shape 'squar' (did you mean square?); there are: circle, square"
    """
    names_there = list(names)
    there = ", ".join(names_there) or "none"
    return f"unknown {what} {name[:100]!r}{suggested(name, names_there)}; there are: {there}{more}"


class Registry(Generic[T]):
    """Named entries of one kind, in order of registration, followed by entries of other installed
    packages.

    Args:
        kind: what an entry is, for messages.
        group: entry-point group by which other packages add entries, read only if a name is not
            registered or all names are needed. Empty for none.
        load: creates an entry from an entry point; by default, loads the object that it refers to.

    >>> shapes: Registry[int] = Registry("shape")
    >>> shapes.add("square", 4)
    4
    >>> shapes["triangle"]
    Traceback (most recent call last):
    ...
    features.registry.UnknownNameError: unknown shape 'triangle'; there are: square
    """

    def __init__(
        self,
        kind: str,
        group: str = "",
        load: "Callable[[EntryPoint], T] | None" = None,
    ) -> None:
        self.kind = kind
        self._entries: dict[str, T | str] = {}
        self._group, self._load = group, load

    def add(self, name: str, entry: T) -> T:
        """Register an entry under an unused name and return it."""
        if name in self._entries:
            raise ValueError(f"{self.kind} {name!r} is already registered")
        self._entries[name] = entry
        return entry

    def add_lazily(self, name: str, path: str) -> None:
        """Register an entry by its path `module:object`, which is imported on first use."""
        self._entries[name] = path

    def register(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers the decorated object."""
        return lambda entry: self.add(name, entry)

    @property
    def own(self) -> tuple[str, ...]:
        """The registered names, without entries of other packages."""
        return tuple(self._entries)

    @cached_property
    def _points(self) -> "dict[str, EntryPoint]":
        """The entry points of other packages; a registered entry of the same name has priority."""
        if not self._group:
            return {}
        from importlib.metadata import entry_points

        return {point.name: point for point in sorted(entry_points(group=self._group))}

    def __getitem__(self, name: str) -> T:
        if name in self._entries:
            entry = self._entries[name]
            if isinstance(entry, str):
                entry = self._entries[name] = cast(T, resolve_name(entry))
            return entry
        if (point := self._points.get(name)) is None:
            raise UnknownNameError(unknown(self.kind, name, self))
        try:
            return self.add(name, self._load(point) if self._load else point.load())
        except Exception as error:  # whatever another package raises
            package = point.dist.name if point.dist else point.value
            raise BrokenPlugInError(
                f"the {self.kind} {name!r} of {package} cannot be loaded: {error}; update or "
                f"uninstall {package}"
            ) from error

    def loadable(self) -> Iterator[tuple[str, T]]:
        """Yield names and entries, without those of other packages that cannot be loaded, which are
        an error only where they are wanted.
        """
        for name in self:
            try:
                entry = self[name]
            except BrokenPlugInError:
                continue
            yield name, entry

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._points

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._entries, *self._points]))

    def __len__(self) -> int:
        return len(self._entries.keys() | self._points.keys())
