"""Files of systems for tests: baselines, and a greedy selector with a model."""

from pathlib import Path

_FOLDER = Path(__file__).parent / "data" / "systems"
LEAD = str(_FOLDER / "lead.toml")
RANDOM = str(_FOLDER / "random.toml")
ORACLE = str(_FOLDER / "oracle.toml")
GREEDY = str(_FOLDER / "greedy.toml")


def placed(text: str) -> str:
    """Return the text of a sweep or system in which `LEAD`, `GREEDY` are the paths of files."""
    return text.replace('"LEAD"', f'"{LEAD}"').replace('"GREEDY"', f'"{GREEDY}"')
