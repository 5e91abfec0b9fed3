"""Which output goes with which input, and the word limit of each."""

# The format that a run is written in unless another is named, by the format of its topics.
_OUTPUT_OF = {"tac": "tac", "scisumm": "tac", "bioasq": "bioasq", "biogen": "biogen-2025"}

# Words at most, as `str.split` counts them, unless another limit is named.
WORD_LIMITS = {"tac": 250, "bioasq": 200, "biogen-2024": 150, "biogen-2025": 250, "jsonl": 250}


def default_output(form: str) -> str:
    """The output format for topics of a format."""
    return _OUTPUT_OF.get(form, "jsonl")


def has_papers(form: str) -> bool:
    """Whether topics of a format are papers with their citances, not questions."""
    return form in ("tac", "scisumm")


def default_system(form: str) -> str:
    """The system for topics of a format: papers with citances have one of their own."""
    return "task2" if has_papers(form) else "ilp-sum-2"
