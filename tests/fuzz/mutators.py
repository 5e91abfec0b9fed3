"""Damage to files: to their bytes, and to the structure of JSON, TOML, XML, zip and npy."""

import contextlib
import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from ilpsum.files.persistence import _digest
from tests.fuzz.attacks import attack
from tests.fuzz.grammars import rewrite

Mutator = Callable[[bytes, random.Random], bytes]

ESCAPES = "\x1b[2J\x1b]0;newts\x07\x9b31m\u202e"
_TEXTS = (
    "", " ", "\n", "\0", "a" * 5000, ESCAPES, "../../etc/x", "/dev/zero", "\ud800", "\U0010ffff", "é", "-", "NaN",
    "a\nb", "a\tb|c",
)  # fmt: skip
_NUMBERS = (
    0, -1, 1, 2, 2**31, -(2**31), 2**53, 2**63, 2**64, 10**400, 0.5, -0.0, 1e308, -1e308, 1e-320, float("nan"),
    float("inf"), float("-inf"),
)  # fmt: skip
_LITERALS = (
    "[" * 3000, "{" * 3000, '{"a":' * 2000, "9" * 5000, "-" + "9" * 400, "1e999", "NaN", "Infinity", "null", "true",
    '"\\ud800"', '"\\u001b[2J"', "{}", "[]", "[[]]", '""', "0x" + "f" * 99, "1979-05-27", "a." * 300 + "b",
)  # fmt: skip
_BYTES = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\x1b[2J", b"\n", b"\r", b" " * 999, b"\n" * 999, b"<" * 99, b"&a;", b'"',
    b"\\", b"|", b"PK\x03\x04", b"\x1f\x8b",
)  # fmt: skip


def damage(data: bytes, random_: random.Random) -> bytes:
    """Change some bytes: flipped, dropped, repeated, moved, cut off, or replaced by what parsers stumble over."""
    for _ in range(random_.choice((1, 1, 1, 2, 5))):
        data = _damage(data, random_)
    return data


def _damage(data: bytes, random_: random.Random) -> bytes:
    at = random_.randrange(len(data) + 1)
    end = min(len(data), at + random_.choice((1, 2, 8, 100, 5000)))
    how = random_.randrange(8)
    if how == 0 and data:
        at = min(at, len(data) - 1)
        return data[:at] + bytes([data[at] ^ (1 << random_.randrange(8))]) + data[at + 1 :]
    if how == 1:
        return data[:at] + data[end:]
    if how == 2:
        return data[:end] + data[at:end] * random_.choice((1, 1, 3, 50)) + data[end:]
    if how == 3:
        return data[:at]
    if how == 4:
        return data[:at] + random_.randbytes(end - at) + data[end:]
    if how == 5:
        return data[:at] + random_.choice(_BYTES) + data[at:]
    if how == 6:
        numbers = list(re.finditer(rb"\d+", data))
        if numbers:
            found = random_.choice(numbers)
            number = random_.choice((b"0", b"-1", b"9" * 30, b"9" * 5000, b"1e999", b"4294967296"))
            return data[: found.start()] + number + data[found.end() :]
    other = random_.randrange(len(data) + 1)
    return data[:at] + data[other : other + end - at] + data[end:]


def mutate_json(data: bytes, random_: random.Random) -> bytes:
    """Change values and keys anywhere in a JSON document."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return damage(data, random_)
    marks: list[str] = []
    for _ in range(random_.choice((1, 1, 2, 4))):
        value = _changed(value, random_, marks)
    text = json.dumps(value, ensure_ascii=random_.random() < 0.5)
    for number, literal in enumerate(marks):
        text = text.replace(f'"@{number}@"', literal)
    return text.encode("utf-8", "surrogatepass")


def _changed(value: Any, random_: random.Random, marks: list[str]) -> Any:
    inside = random_.random() < 0.85
    if isinstance(value, dict) and value and inside:
        return _changed_object(value, random_, marks)
    if isinstance(value, list) and value and inside:
        return _changed_list(value, random_, marks)
    how = random_.randrange(7)
    if how == 0:
        marks.append(random_.choice(_LITERALS))
        return f"@{len(marks) - 1}@"
    if how == 1 and isinstance(value, str):
        at = random_.randrange(len(value) + 1)
        return value[:at] + random_.choice(_TEXTS) + value[at:]
    if how == 2 and isinstance(value, int | float):
        return random_.choice((value + 1, -value, value * 2, value - 1, value % 7))
    options = (
        random_.choice(_TEXTS),
        random_.choice(_NUMBERS),
        None,
        True,
        [],
        {},
        [value],
        {"a": value},
        str(value),
    )
    return random_.choice(options)


def _changed_object(
    value: dict[str, Any], random_: random.Random, marks: list[str]
) -> dict[str, Any]:
    key, how = random_.choice(list(value)), random_.randrange(12)
    if how == 0:
        return {k: v for k, v in value.items() if k != key}
    if how == 1:
        return {(random_.choice(_TEXTS) if k == key else k): v for k, v in value.items()}
    if how == 2:
        return value | {random_.choice(_TEXTS): value[key]}
    return value | {key: _changed(value[key], random_, marks)}


def _changed_list(value: list[Any], random_: random.Random, marks: list[str]) -> list[Any]:
    at, how = random_.randrange(len(value)), random_.randrange(12)
    if how == 0:
        return value[:at] + value[at + 1 :]
    if how == 1:
        return value[:at] + value[at : at + 1] * random_.choice((2, 30)) + value[at + 1 :]
    if how == 2:
        return random_.sample(value, len(value))
    return [*value[:at], _changed(value[at], random_, marks), *value[at + 1 :]]


def mutate_lines(data: bytes, random_: random.Random) -> bytes:
    """Change the JSON of a line, or the lines themselves."""
    lines = data.split(b"\n")
    at = random_.randrange(len(lines))
    if random_.random() < 0.8:
        return b"\n".join([*lines[:at], mutate_json(lines[at], random_), *lines[at + 1 :]])
    return b"\n".join(
        random_.choice((lines[:at], lines[:at] + lines[at:] * 2, lines[::-1], [*lines, lines[at]]))
    )


def mutate_toml(data: bytes, random_: random.Random) -> bytes:
    """Change values, keys and tables of a TOML document."""
    lines = data.decode("utf-8", "replace").split("\n")
    at = random_.randrange(len(lines))
    key, equals, value = lines[at].partition("=")
    literal = random_.choice(
        (*_LITERALS, "inf", "nan", '"x"', "[1, 'a']", "{a = 1}", "1_000_000_000", "1e300", "-5")
    )
    how = random_.randrange(8)
    if equals and how < 4:
        lines[at] = f"{key}= {literal}"
    elif equals and how == 4:
        lines[at] = random_.choice(
            (f"{key.strip()}.a.b = {value}", f"newt ={value}", f"{key}= [{value}]")
        )
    elif how == 5:
        lines.insert(at, lines[random_.randrange(len(lines))])
    elif how == 6:
        lines[at] = random_.choice(
            (f"[{'a.' * 500}a]", "[[recipe]]", "[selection]", "[kinds]", 'base = "../x.toml"')
        )
    else:
        return damage(data, random_)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def mutate_xml(data: bytes, random_: random.Random) -> bytes:
    """Change elements, attributes and entities of XML or SGML."""
    tags = list(re.finditer(rb"<[^<>]*>", data))
    if not tags:
        return damage(data, random_)
    tag, other = random_.choice(tags), random_.choice(tags)
    head, rest = data[: tag.start()], data[tag.end() :]
    bomb = b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "' + b"&b;" * 99 + b'">]>'
    options = (
        head + rest,
        head + other[0] + rest,
        head + tag[0] * 50 + rest,
        head + tag[0].replace(b">", b' id="' + b"9" * 500 + b'">') + rest,
        head + b"<a>" * 3000 + rest,
        head + b"&c;&#0;&#x110000;&lt" + tag[0] + rest,
        bomb + data,
        head + b"<![CDATA[" + rest,
        head + b"<!--" + rest,
        head + tag[0] + random_.choice((b"\0", b" " * 3000, ESCAPES.encode(), b"\xff\xfe")) + rest,
        data[: min(tag.start(), other.start())] + data[max(tag.end(), other.end()) :],
        b'<?xml version="1.0" encoding="'
        + random_.choice((b"utf-7", b"x", b"utf-16"))
        + b'"?>'
        + data,
    )
    return random_.choice(options)


def mutate_gzip(data: bytes, random_: random.Random) -> bytes:
    """Change packed bytes, or what is packed."""
    if random_.random() < 0.5:
        return damage(data, random_)
    return gzip.compress(damage(gzip.decompress(data), random_), 1, mtime=0)


def mutate_npz(data: bytes, random_: random.Random) -> bytes:
    """Change the archive, the headers, the description or the arrays of a model; most keep a matching digest."""
    how = random_.randrange(10)
    if how == 0:
        return damage(data, random_)
    if how == 1:
        return _patched(data, random_)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    name = random_.choice(list(members))
    if how == 2:
        members[name] = _header(members[name], random_)
    elif how == 3:
        members[name] = damage(members[name], random_)
    elif how == 4 and random_.random() < 0.5:
        del members[name]
    elif how == 4:
        members[random_.choice(("../x.npy", name + "x", "x\x1b.npy", "relevance.dual.npy"))] = (
            members[name]
        )
    else:
        return _with_arrays(members, name, random_)
    return _zipped(members)


def _with_arrays(members: dict[str, bytes], name: str, random_: random.Random) -> bytes:
    """Change numbers, types and shapes, or the description, and give the result its own digest."""
    arrays = {
        key.removesuffix(".npy"): np.load(io.BytesIO(member)) for key, member in members.items()
    }
    description = arrays.pop("description").tobytes()
    key = name.removesuffix(".npy")
    if key in arrays:
        arrays[key] = _array(arrays[key], random_)
    else:
        description = mutate_json(description, random_)
    with contextlib.suppress(ValueError, RecursionError, TypeError):
        plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        known = json.loads(description)
        known["digest"] = _digest(plain)
        description = json.dumps(known).encode()
    arrays["description"] = np.frombuffer(description, np.uint8)
    stream = io.BytesIO()
    # Packing takes longer than everything else.
    random_.choice((np.savez, np.savez, np.savez, np.savez_compressed))(stream, **arrays)
    return stream.getvalue()


def _array(array: Any, random_: random.Random) -> Any:
    values = (np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0, 1e-320, 2.0**31)
    with np.errstate(all="ignore"):
        options: tuple[Callable[[], Any], ...] = (
            lambda: array[..., :-1] if array.ndim else array,
            lambda: array[:0],
            lambda: np.concatenate([array, array]),
            lambda: array.reshape(-1),
            lambda: array[None],
            lambda: array.T,
            lambda: array.astype(
                random_.choice(["f2", "f4", "f8", "i1", "u2", "i8", "?", "U3", "c8", "M8[s]"])
            ),
            lambda: np.full_like(array, random_.choice(values)),
            lambda: _with_one(array, random_.choice(values), random_),
            lambda: np.zeros(random_.choice([(0,), (1,), (0, 3), (3, 0), (2, 2, 2), ()])),
            lambda: array[::-1],
        )
        try:
            return np.asarray(random_.choice(options)())
        except (ValueError, TypeError, OverflowError):
            return np.zeros(0)


def _with_one(array: Any, value: float, random_: random.Random) -> Any:
    changed = array.copy().reshape(-1)
    if changed.size:
        changed[random_.randrange(changed.size)] = value
    return changed.reshape(array.shape)


def _header(member: bytes, random_: random.Random) -> bytes:
    """Change what an array claims to be."""
    shape = random_.choice(
        (b"(1000000000000,)", b"(4, -1)", b"(10**9,)", b"()", b"(1,2,3,4,5,6)", b"((((", b"('a',)")
    )
    kind = random_.choice(
        (b"'|O'", b"'<f8'", b"'<c16'", b"'|V99999'", b"'<U9'", b"[('a','<f8')]", b"'<M8[s]'", b"1")
    )
    changed = random_.choice((
        re.sub(rb"'shape': \([^)]*\)", b"'shape': " + shape, member[:128]),
        re.sub(rb"'descr': '[^']*'", b"'descr': " + kind, member[:128]),
        member[:6] + random_.choice((b"\2\0", b"\3\0", b"\x09\0")) + member[8:128],
        member[:8] + b"\xff\xff" + member[10:128],
        damage(member[:128], random_),
    ))  # fmt: skip
    # The length of a header is in two bytes.
    return (
        changed[:128].ljust(128) + member[128:]
        if random_.random() < 0.7
        else changed + member[128:]
    )


def _patched(data: bytes, random_: random.Random) -> bytes:
    """Change fields of the archive's headers: flags, method, sizes, offsets."""
    places = [m.start() for m in re.finditer(rb"PK\x01\x02|PK\x03\x04|PK\x05\x06", data)]
    at = random_.choice(places) + random_.choice((6, 8, 10, 16, 18, 20, 22, 24, 28, 30, 42))
    value = random_.choice((b"\1", b"\xff\xff\xff\xff", b"\x63", b"\xff\xff\xff\x7f", b"\0\0"))
    return data[:at] + value + data[at + len(value) :]


def _zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


BY_SUFFIX: dict[str, Mutator] = {
    ".json": mutate_json,
    ".jsonl": mutate_lines,
    ".toml": mutate_toml,
    ".xml": mutate_xml,
    ".sgml": mutate_xml,
    ".npz": mutate_npz,
    ".gz": mutate_gzip,
}


def mutate(name: str, data: bytes, random_: random.Random) -> bytes:
    """Damage a file by an attack on it, by its grammar or structure, which its name tells, or by
    its bytes.
    """
    if random_.random() < 0.15:
        return attack(name, data, random_)
    if random_.random() < 0.4 and (written := rewrite(name, data, random_)) is not None:
        return written
    structural = BY_SUFFIX.get("." + name.rpartition(".")[2], damage)
    return (structural if random_.random() < 0.8 else damage)(data, random_)
