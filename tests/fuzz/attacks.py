"""Inputs of a few kilobytes that ask for much work, or that claim what they do not hold.

Each was found by hand in a reader that passed every damaged file: trees that are no trees, sparse
members and totals of archives, junk between records, abstracts of many sections, articles of many
references, keys given twice, marks of encodings, parts of an index, and long questions.
"""

import gzip
import io
import json
import random
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ilpsum.files.persistence import _digest
from tests.fuzz.corners import numbers

Attack = Callable[[bytes, random.Random], bytes]

# How often something is repeated: mostly a few times, so that a thousand inputs take seconds.
_TIMES = (3,) * 12 + (40,) * 6 + (2000,)


def trees(data: bytes, draw: random.Random) -> bytes:
    """Lead the children of a model's trees to nodes that have a parent, to themselves or nowhere."""
    try:
        with np.load(io.BytesIO(data)) as archive:
            arrays = {name: archive[name] for name in archive.files}
        description = json.loads(arrays.pop("description").tobytes())
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile, zlib.error):
        return data
    sides = [name for name in arrays if name.endswith(("left", "right"))]
    if not sides or any(arrays[name].ndim != 2 or not arrays[name].size for name in sides):
        return data
    nodes = draw.choice((arrays[sides[0]].shape[1], 7, 27, 131, 1200))
    here = np.arange(nodes)
    to_next = np.minimum(here + 1, nodes - 1)
    kinds = to_next, np.zeros(nodes, int), here, here[::-1], (here + 1) % nodes, to_next + 1
    for name, array in arrays.items():
        if name.rpartition(".")[2] in ("feature", "threshold", "left", "right", "value"):
            arrays[name] = np.resize(array, (len(array), nodes))
    for name in sides:
        children = draw.choice(kinds)
        arrays[name] = np.tile(children, (len(arrays[name]), 1)).astype(arrays[name].dtype)
    description["digest"] = _digest(arrays)
    stream = io.BytesIO()
    described = np.frombuffer(json.dumps(description).encode(), np.uint8)
    np.savez(stream, **arrays, description=described)
    return stream.getvalue()


def sparse_member(name: str, size: int) -> bytes:
    """Return a header of GNU tar for a file that is one hole of some bytes."""
    member = tarfile.TarInfo(name)
    member.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"%011o\0" % size + b"%011o\0" % 0
    header[483:495] = b"%011o\0" % size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def tar_members(data: bytes, draw: random.Random) -> bytes:
    """Put sparse, large, linked or oddly named members among those of a packed archive."""
    try:
        plain = gzip.decompress(data)
        with tarfile.open(fileobj=io.BytesIO(plain)) as archive:
            names = archive.getnames()
    except (OSError, EOFError, zlib.error, ValueError, OverflowError, tarfile.TarError):
        return data
    name = draw.choice(names or ["x"])
    other = draw.choice(
        (name, name + "x", "../x", "/x", "x" * 300, "é\udcff", "topics/\x1b[2J", "")
    )
    member = tarfile.TarInfo(other)
    kinds = tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE
    how, content = draw.randrange(5), b""
    if how == 0:
        size = draw.choice((10**5, 10**8, 6 * 10**9))
        return gzip.compress(sparse_member(other, size) + plain, 1, mtime=0)
    if how == 1:
        content = bytes(draw.choice((0, 1, 10**5, 5 * 10**6)))
    elif how == 2:
        member.type, member.linkname = draw.choice(kinds), draw.choice((name, "..", "/dev/zero"))
    elif how == 3:
        keys = "size", "path", "GNU.sparse.realsize", "GNU.sparse.map", "GNU.sparse.size", "mtime"
        member.pax_headers = {draw.choice(keys): draw.choice(("9" * 12, "-1", "0,9", "nan", "é"))}
    member.size = len(content)
    count = draw.choice(_TIMES) if how == 4 else 1
    extra = member.tobuf(draw.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)), "utf-8", "replace")
    extra += content + bytes(-len(content) % tarfile.BLOCKSIZE)
    packed = (extra * count + plain, plain[: len(plain) // 1024 * 512] + extra)
    return gzip.compress(draw.choice(packed), 1, mtime=0)


def xml_junk(data: bytes, draw: random.Random) -> bytes:
    """Repeat an element, or put junk between the elements of XML."""
    ends = [match.end() for match in re.finditer(rb"</[\w:.-]+>|/>", data)]
    if not ends:
        return data
    at = draw.choice(ends)
    name = data[data.rfind(b"<", 0, at) : at].strip(b"</>").split()[0]
    element = re.search(rb"<%s\b[^>]*>(?:(?!<%s\b).)*?</%s>$" % ((name,) * 3), data[:at], re.S)
    junk = [b"<a/>", b"<!-- -->", b"<?a?>", b"x ", b"<a><b/></a>", b"<![CDATA[ ]]>", b"&#65;"]
    if element:
        junk += [element[0]] * 7
    return data[:at] + draw.choice(junk) * draw.choice(_TIMES) + data[at:]


def json_junk(data: bytes, draw: random.Random) -> bytes:
    """Fill a list, a text or an object of JSON, or repeat lines of JSON that are no records."""
    junk = draw.choice(("1", "{}", "[]", "null", '""', "[[[]]]", '{"a":{}}', "-0.0"))
    times = draw.choice(_TIMES)
    text = data.decode("utf-8", "replace")
    how = draw.randrange(4)
    lists = [match.end() for match in re.finditer(r"\[(?=\s*[^\s\]])", text)]
    if how == 0 and lists:
        at = draw.choice(lists)
        return (text[:at] + f"{junk}," * times + text[at:]).encode()
    objects = [match.end() for match in re.finditer(r"\{(?=\s*\")", text)]
    if how == 1 and objects:
        at = draw.choice(objects)
        keys = re.findall(r'"\w+"(?=\s*:)', text)
        key = draw.choice((*keys, '"a"')) + (f"{draw.randrange(9)}" if draw.random() < 0.1 else "")
        return (text[:at] + f"{key}:{junk}," * draw.choice((1, 1, times)) + text[at:]).encode()
    if how == 2:
        return _lengthened(data, draw)
    return data + f"\n{junk}".encode() * times


def _lengthened(data: bytes, draw: random.Random) -> bytes:
    """Repeat a text of JSON: a question of many words, an abstract of many labelled parts."""
    texts = list(re.finditer(rb'"((?:[^"\\]|\\.)+)"(?!\s*:)', data))
    if not texts:
        return data
    text = draw.choice(texts)
    pieces: tuple[Callable[[int], bytes], ...] = (
        lambda number: b"%s " % text[1],
        lambda number: b"xq%dz " % number,
        lambda number: b"PART%d: Newts sing. " % number,
        lambda number: b"newts, (n%d) " % number,
        lambda number: b"newt's [%d]-" % number,
    )
    piece = draw.choice(pieces)
    longer = b"".join(map(piece, range(draw.choice(_TIMES))))
    return data[: text.end(1)] + longer + data[text.end(1) :]


def lines(data: bytes, draw: random.Random) -> bytes:
    """Repeat a line of a text many times: sections of an abstract, entries of lists, citances."""
    rows = data.split(b"\n")
    at = draw.randrange(len(rows))
    return b"\n".join([*rows[:at], *[rows[at]] * draw.choice(_TIMES), *rows[at + 1 :]])


def bom(data: bytes, draw: random.Random) -> bytes:
    """Begin with the mark of an encoding, or with several, or be in that encoding."""
    mark = draw.choice(
        (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf" * 3, b"\0\0\xfe\xff")
    )
    if draw.random() < 0.4:
        coding = draw.choice(("utf-16", "utf-16-be", "utf-32", "utf-7", "cp1252", "utf-8-sig"))
        return data.decode("utf-8", "replace").encode(coding, "replace")
    return mark + data


def index_parts(data: bytes, draw: random.Random) -> bytes:
    """Leave out the last fields or entries of an index's description, or all of a file."""
    try:
        value: Any = json.loads(data)
    except ValueError:
        return draw.choice((b"", data[: len(data) // 2], data[:-1], data + data, data[:-8]))
    part = value
    for _ in range(draw.randrange(4)):
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        nested = [each for each in inner if isinstance(each, dict | list) and each]
        if nested:
            part = draw.choice(nested)
    if isinstance(part, dict) and part:
        part.popitem()
    elif isinstance(part, list) and part:
        part.pop()
    return json.dumps(value).encode()


def _request(data: bytes, draw: random.Random) -> bytes:
    """Repeat a value of an address, or its parts."""
    parts = data.split(b"&")
    at = draw.randrange(len(parts))
    words = b"".join(b"+xq%dz" % number for number in range(draw.choice(_TIMES)))
    more = draw.choice((parts[at] + words, parts[at] + b"9" * 400, b"&".join([parts[at]] * 50)))
    return b"&".join([*parts[:at], more, *parts[at + 1 :]])


def kinds(name: str, data: bytes) -> list[Attack]:
    """Return the attacks that fit a file, by its name or, where that tells nothing, its start."""
    suffix = name.rpartition(".")[2]
    if name.endswith(".tar.gz"):
        return [tar_members]
    if suffix == "npz":
        return [trees]
    if suffix == "gz":
        return [tar_members] if b"ustar" in data else []
    if "meta" in name or suffix in ("idx", "store", "term", "pos", "fast", "fieldnorm"):
        return [index_parts]
    if name == "address.txt":
        return [_request, numbers]
    start = data.lstrip()[:1]
    if start == b"<":
        return [xml_junk, xml_junk, bom, numbers]
    if start in (b"{", b"["):
        return [json_junk, json_junk, json_junk, bom, numbers]
    if data.startswith((b"POST ", b"GET ", b"HTTP")):
        return [numbers]
    return [] if data.startswith((b"PK", b"%PDF")) else [lines, bom, numbers]


def attack(name: str, data: bytes, draw: random.Random) -> bytes:
    """Rewrite a file by one of the attacks that fit it; unchanged if none does."""
    fitting = kinds(name, data)
    return draw.choice(fitting)(data, draw) if fitting else data
