"""What is written counts, wherever it is written; see `ilpsum.pipeline.settings`."""

from pathlib import Path

import pytest

from ilpsum.errors import ArgumentError, InputError, UsageError
from ilpsum.pipeline.settings import row_of, table_of_settings, value_of, with_settings
from ilpsum.pipeline.system import KINDS, System
from ilpsum.selection import SELECTORS
from ilpsum.selection.centrality import LexRankParameters


def load(folder: Path, text: str) -> System:
    """Load a system from the text of its file."""
    file = folder / "mine.toml"
    file.write_text(f'description = "x"\n{text}')
    return System.load(file)


def test_a_selectors_parameters_are_settings(tmp_path: Path) -> None:
    text = 'base = "lead"\n[selection]\nmethod = "lexrank"\n[lexrank]\ndamping = 0.3\n'
    system = load(tmp_path, text)
    assert system.parameters_of("lexrank") == LexRankParameters(damping=0.3)
    changed = with_settings(system, {"lexrank.continuous": "true", "lexrank.damping": ".4"})
    assert changed.parameters_of("lexrank") == LexRankParameters(damping=0.4, continuous=True)
    origins = dict(changed.origins)
    assert (origins["selection.method"], origins["lexrank.damping"]) == ("mine.toml", "option")
    for name in SELECTORS.own:
        fields = SELECTORS[name].parameters.__struct_fields__
        assert {f"{name}.{field}" for field in fields} <= table_of_settings().keys()


def test_parameters_of_a_file_with_kinds_are_those_of_all_kinds(tmp_path: Path) -> None:
    system = load(tmp_path, 'base = "concepts"\n[lexrank]\ndamping = 0.3\n')
    system = with_settings(system, {"selection.method": "lexrank"})
    for kind in KINDS:
        assert value_of(system.for_kind(kind), "lexrank.damping") == 0.3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[lexrank]\ndamping = 2.0\n", "lexrank: damping: expected a number of at most 1.0"),
        ("[lexrank]\ndampin = 0.2\n", "lexrank: unknown key dampin"),
        ("[lexrang]\ndamping = 0.2\n", "unknown key lexrang"),
        ("parameters = 3\n", "unknown key parameters"),
        ("origins = 3\n", "unknown key origins"),
    ],
)
def test_wrong_parameters_in_a_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(tmp_path, f'base = "lead"\n{text}')


def test_an_unknown_key_lists_those_of_its_table() -> None:
    with pytest.raises(ArgumentError, match=r"there are: lexrank\.damping, .*did you mean"):
        row_of("lexrank.dampin")
    with pytest.raises(ArgumentError, match=r"keys of the tables candidates, .* and of selectors"):
        row_of("nothing")
    with pytest.raises(ArgumentError, match=r"lexrank\.damping: expected a number of at most 1"):
        with_settings(System.load("lead"), {"lexrank.damping": 2})
    with pytest.raises(UsageError, match="the system lead has no model; leave out relevance"):
        with_settings(System.load("lead"), {"relevance.claims": 0.5})
