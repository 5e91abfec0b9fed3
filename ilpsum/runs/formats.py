"""Which output goes with which input, and the limits of each."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ilpsum.pipeline.coherence import Room
    from ilpsum.pipeline.system import System

# The format that a run is written in unless another is named, by the format of its topics.
_OUTPUT_OF = {"tac": "tac", "scisumm": "tac", "bioasq": "bioasq", "biogen": "biogen-2025"}

# The system unless another is named: the best we know, on papers, snippets and abstracts alike.
DEFAULT_SYSTEM = "concepts"

# Words at most, as `str.split` counts them, unless another limit is named.
WORD_LIMITS = {"tac": 250, "bioasq": 200, "biogen-2024": 150, "biogen-2025": 250, "jsonl": 250}


def default_output(form: str) -> str:
    """The output format for topics of a format."""
    return _OUTPUT_OF.get(form, "jsonl")


def room(to: str) -> "Room | None":
    """What an output format has room for beside its words."""
    if to != "biogen-2024":
        return None
    from ilpsum.pipeline.coherence import Room
    from ilpsum.runs.biogen_rules import SENTENCES_2024, WORDS_2024
    from ilpsum.runs.citations import clean, count_words

    return Room(lambda text: count_words(clean(text)), WORDS_2024, SENTENCES_2024)


def is_read(to: str) -> bool:
    """Whether an output format is an answer with citations, for a reader."""
    return to.startswith("biogen")


def for_readers(system: "System") -> "System":
    """The system with all rules of coherence, unless its file sets some itself."""
    import msgspec

    from ilpsum.pipeline.system import RULES, CoherenceTable

    if system.coherence != CoherenceTable() or system.selection.method not in ("ilp", "greedy"):
        return system
    return msgspec.structs.replace(system, coherence=CoherenceTable(**dict.fromkeys(RULES, True)))
