"""Systems as TOML: what is refused, and the error messages."""

from pathlib import Path

import pytest

from ilpsum.errors import InputError
from ilpsum.pipeline.system import System

GOOD = 'description = "a system of one\'s own"\n[relevance]\nfeatures = "ilp-sum-1"\n'


def load(folder: Path, text: str) -> System:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return System.load(path)


def test_a_system_of_your_own(tmp_path: Path) -> None:
    system = load(tmp_path, GOOD + "[selection]\nlambda = 0.25\n")
    assert system.name == "mine"
    assert system.selection.lambda_ == 0.25
    assert system.relevance is not None
    assert system.relevance.features == "ilp-sum-1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "colour = 1\n", "unknown field `colour`"),
        (GOOD.replace("ilp-sum-1", "ilp-sum-9"), "unknown feature set 'ilp-sum-9'; there are: news"),
        (GOOD + '[selection]\nmethod = "magic"\n', "magic"),
        (GOOD + "[selection]\nlambda = 1.5\n", "lambda: expected a number from 0 to 1, got 1.5"),
        (GOOD + '[selection]\nmethod = "greedy"\nweights = "learned"\n', 'requires method "ilp"'),
        (GOOD + '[selection]\nmethod = "lead"\n[compression]\n', 'requires method "ilp" or "greedy"'),
        (GOOD + '[compression]\nrules = ["pp"]\n', "unknown rule 'pp'; there are: subtitle, dt"),
        (GOOD + "[compression]\nrules = []\n", "rules is empty"),
        (GOOD + "[compression]\nmin_words = 0\n", "min_words: expected 1 or more, got 0"),
        (GOOD + "[order]\nlabels = true\n", 'labels = true requires by = "facet"'),
        ('description = "no relevance"\n', "requires a table \\[relevance\\]"),
        ("description = \n", "Invalid value"),
        ("", "missing required field `description`"),
        ("description = '\udcff'\n".encode("utf-8", "surrogatepass").decode("latin-1"), "not a system"),
    ],
)
def test_errors_name_the_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"mine\.toml: .*{message}"):
        load(tmp_path, text)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: cannot be read: No such file"):
        System.load(tmp_path / "none.toml")
