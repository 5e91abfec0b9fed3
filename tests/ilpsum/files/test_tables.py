"""Settings that no parser should follow."""

from pathlib import Path
from typing import Any

import pytest

from ilpsum.errors import InputError
from ilpsum.files.records import read_table


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 20_000, "nested too deeply"),
        ("a." * 40 + "a = 1", "nested too deeply"),
        ("a." * 32_000 + "a = 1", "nested too deeply"),
        ("'a'." * 40 + "a = 1", "nested too deeply"),
        ("a = " + "9" * 5000, "thousands of digits"),
        ("a = 1\n" * 20_000, "expected a short file of TOML, got more than 64 kB"),
        ("a = \ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "not UTF-8 \\(byte"),
    ],
)
def test_settings_are_short_and_flat(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, "latin-1")
    with pytest.raises(InputError, match=rf"mine\.toml: not a system.*{said}"):
        read_table(path, dict[str, Any], "a system", "configs/")
