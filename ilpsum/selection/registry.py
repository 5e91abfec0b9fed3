"""The selectors by name."""

from features.registry import Registry
from ilpsum.selection.base import Selector
from ilpsum.selection.baselines import Lead, Oracle, Random
from ilpsum.selection.gain import Gain
from ilpsum.selection.greedy import Greedy
from ilpsum.selection.selector import Ilp

# The entry point of another package names a subclass of `Selector`.
SELECTORS: Registry[Selector] = Registry("selector", group="ilpsum.selectors", load=lambda point: point.load()())

for _selector in (Ilp(), Gain(), Greedy(), Lead(), Random(), Oracle()):
    SELECTORS.add(_selector.name, _selector)


def by_relevance() -> tuple[str, ...]:
    """Return the names of the selectors that choose by predicted relevance, and so can share a model."""
    return tuple(name for name in SELECTORS if SELECTORS[name].needs_relevance)
