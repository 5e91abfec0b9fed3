"""JSON read item by item gives what `json.loads` gives, part by part."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.errors import InputError
from ilpsum.files import json_text
from ilpsum.files.json_text import list_document, read_json_lines, read_values, well_formed

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def elements_of(path, key=""):
    _, elements = list_document(path, key)
    return list(elements or ())


@settings(deadline=None, max_examples=200)
@given(
    value=st.dictionaries(st.sampled_from("abcl"), values, max_size=4)
    | st.lists(values, max_size=5)
    | st.integers(),
    indent=st.sampled_from([None, 1]),
    ascii_only=st.booleans(),
)
def test_equal_to_the_whole_document(tmp_path_factory, value, indent, ascii_only):
    path = tmp_path_factory.getbasetemp() / "x.json"
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        document, elements = list_document(path, "l")
        elements = None if elements is None else list(elements)
    except InputError:
        # Surrogates that stand alone are no UTF-8.
        assert text.encode("utf-8", "replace").decode() != text
        return
    listed = value.get("l") if isinstance(value, dict) else value
    if elements is None:
        assert document == value
        assert not (isinstance(listed, list) and any(isinstance(v, dict) for v in listed))
        return
    assert [element for _, element in elements] == listed
    if isinstance(value, dict):
        emptied = next(key for key in value if json.dumps(value[key]) == json.dumps(listed))
        assert document == value | {emptied: []}
    lines = [line for line, _ in elements]
    assert lines == sorted(lines)
    assert max(lines, default=1) <= text.count("\n") + 1


def test_equal_elements_have_their_own_lines(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"l": [\n{"a":\n {"b": 1}},\n{"b": 1},\n{"b": 1}, {"b": 1},\n{"b": 1}]}')
    assert [line for line, _ in elements_of(path, "l")] == [2, 4, 5, 5, 6]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ('{"a": 1', 1),
        ('{"a": [1,\n2,\n}', 3),
        ('{"a":\n\n1} x', 3),
        ('{"a": NaN}', 1),
        ('{"a": ' + "9" * 5000 + "}", 1),
        ('{"a": ' + "[" * 10**5, 1),
        ("{'a': 1}", 1),
        ('{"a" 1}', 1),
        ('{"a": "\n"}', 1),
        ('{"a": 1,}', 1),
        ("[1\n2]", 2),
    ],
)
def test_faults_have_their_line(tmp_path, text, line):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        elements_of(path)
    assert raised.value.line == line
    assert "not valid JSON: " in str(raised.value)


def test_bytes_that_are_no_utf8(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(b'[1,\n"\xff"]')
    with pytest.raises(InputError, match="not UTF-8"):
        elements_of(path)


def test_a_document_above_the_limit_costs_a_message(tmp_path, monkeypatch):
    monkeypatch.setattr(json_text, "MAX_DOCUMENT", 2**20)
    path = tmp_path / "x.json"
    path.write_text('["' + "x" * 3 * 2**20)
    with pytest.raises(InputError, match="got more than 1 MB"):
        elements_of(path)


def test_lines(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\n\n{\n"b"\n')
    (first, one), (second, broken), (third, b) = read_json_lines(path)
    assert (first, one, second, third, b) == (1, {"a": 1}, 3, 4, "b")
    assert isinstance(broken, InputError)


def test_well_formed():
    assert well_formed("a\ud800b\U0001f98ec") == "a�b\U0001f98ec"
    assert well_formed("\ud83e\udd8e") == "\U0001f98e"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [%s], "a": [2]}',
        '{"a": [1], "b": 2, "a": [%s]}',
        '{"b": 2, "a": [%s], "a": [3]}',
    ],
)
def test_a_key_that_occurs_twice_is_named(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text % ", ".join(map(str, range(100))))
    with pytest.raises(InputError, match=r'the key "[ab]" occurs twice in an object; exp'):
        elements_of(path, "a")


@pytest.mark.parametrize(
    "line", ['{"id": 1, "id": 2}', '{"id": 1, "id" : 2}', '{"a" : [{"id" :1, "b" :{}, "id" :{}}]}']
)
def test_a_key_that_occurs_twice_in_a_line_is_named(tmp_path, line):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"id": "a\\"", "b": ["\\":"]}}\n{line}\n{{":": ":"}}\n')
    first, second, third = read_json_lines(path)
    assert first == (1, {"id": 'a"', "b": ['":']})
    assert third == (3, {":": ":"})
    assert second[0] == 2
    assert 'the key "id" occurs twice in an object' in str(second[1])
    path.write_text(f'{{"list": [{line}]}}')
    with pytest.raises(InputError, match=r'a\.jsonl:1: .*the key "id" occurs twice in an object'):
        elements_of(path, "list")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}{"a": 2}', [(1, {"a": 1}), (1, {"a": 2})]),
        ('{"a":\n1}\n\n{"a":\n2}\n', [(1, {"a": 1}), (4, {"a": 2})]),
        ('{"a": NaN, "b": "NaN \\" NaN", "c": -Infinity}', [(1, {"a": None, "b": 'NaN " NaN', "c": None})]),
    ],
)  # fmt: skip
def test_values_one_after_the_other(tmp_path, text, expected):
    path = tmp_path / "x.json"
    path.write_text(text)
    assert list(read_values(path)) == expected


@pytest.mark.parametrize(("text", "line"), [('{"a": 1}\n{"a":\n}', 3), ('{"a": 1, "a": 2}', 1)])
def test_faults_among_values_have_their_line(tmp_path, text, line):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match="not valid JSON") as raised:
        list(read_values(path))
    assert raised.value.line == line
