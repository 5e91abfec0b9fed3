"""What users are shown of errors that libraries find in files."""

from typing import Annotated, Any

import msgspec
import pytest

from ilpsum.errors import InputError
from ilpsum.files.records import decode, encode, read_table


class Pond(msgspec.Struct, forbid_unknown_fields=True):
    newts: Annotated[int, msgspec.Meta(ge=0, le=9)]
    depth: float | None = None
    name: Annotated[str, msgspec.Meta(max_length=3)] = ""
    place: tuple[int, int] = (0, 0)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b'{"newts": "x"}', "newts: expected a whole number, got text"),
        (b'{"newts": -1}', "newts: expected a whole number of at least 0"),
        (b'{"newts": 10}', "newts: expected a whole number of at most 9"),
        (b'{"newts": 1, "depth": []}', "depth: expected a number or null, got a list"),
        (b'{"newts": 1, "depth": 1e999}', "depth: expected a number that fits in a double"),
        (b'{"newts": 1, "name": "olms"}', "name: expected text of at most 3 characters"),
        (b'{"newts": 1, "place": [1]}', "place: expected a list of 2 entries"),
        (b'{"newts": 1, "olms": 1}', "unknown key olms"),
        (b"{}", "the key newts is missing"),
        (b"[]", "expected an object, got a list"),
        (b"", "it is cut off"),
        (b"{newts}", "it is not JSON: object keys must be strings (byte 1)"),
    ],
)
def test_what_does_not_fit_is_said_in_our_words(data, what):
    with pytest.raises(InputError) as error:
        decode(data, Pond, ("a pond", "dig again"), "ponds.json", 3)
    assert str(error.value) == f"ponds.json:3: expected a pond, but {what}; dig again"


@pytest.mark.parametrize(
    ("value", "shown"), [("\ud800", "?"), ({"\ud800": 1}, {"?": 1}), (["\ud800"], ["?"])]
)
def test_lone_surrogates_are_encoded_as_question_marks(value, shown):
    assert msgspec.json.decode(encode(value)) == shown


def test_a_message_is_translated_before_it_is_shortened():
    with pytest.raises(InputError) as error:
        decode(
            b'{"newts": 1, "' + b"o" * 400 + b'": 1}', Pond, ("a pond", "dig again"), "ponds.json"
        )
    assert "but unknown key ooo" in str(error.value)
    assert "`" not in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 10_000, "nested too deeply"),
        ("a = " + "9" * 5000, "a whole number has more than 4,300 digits; see"),
        ("a = 1\n" * 20_000, "expected a short file of TOML, got more than 16 kB"),
        ("a = \ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "not UTF-8"),
    ],
)
def test_settings_are_short_and_flat(tmp_path, text, said):
    path = tmp_path / "mine.toml"
    path.write_text(text, "latin-1")
    with pytest.raises(InputError, match=rf"mine\.toml: not a system.*{said}"):
        read_table(path, dict[str, Any], "a system", "configs/")


def test_a_bom_before_toml_is_no_fault(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b'\xef\xbb\xbfdescription = "x"\nbase = "lead"\n')
    table = read_table(path, dict[str, str], "a system", "configs/")
    assert table == {"description": "x", "base": "lead"}
