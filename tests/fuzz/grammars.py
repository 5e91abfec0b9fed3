"""Files that their format allows, or almost: what one parser accepts and another misreads.

Bytes flipped at random rarely get past the first check of a parser. These keep a file parsable, or
nearly so, and use the corners of each grammar: keys given twice, half surrogates, numbers beyond
every type; archives of several members; entities; delimiters, quotes and line ends of CSV; headers
of npy and zip; pages of an index; heads and chunks of HTTP.
"""

import csv
import gzip
import io
import json
import random
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from tests.fuzz.corners import arguments, file_names, header

Grammar = Callable[[bytes, random.Random], bytes]

_NUMBERS = (
    "NaN",
    "-Infinity",
    "1e400",
    "-0",
    "0e0",
    "1E+2",
    "9" * 400,
    "1." + "0" * 400,
    "1e-400",
    "01",
    "+1",
    ".5",
    "0x1",
)
_CODES = (
    "\\ud800",
    "\\udfff\\ud800",
    "\\u0000",
    "\\ud83d\\ude00",
    "\\u202e",
    "\\u00e9",
    "\\/",
    "\\x41",
    "\\u00",
)
_EMPTY_MEMBERS, _ZEROS = gzip.compress(b"") * 3000, gzip.compress(bytes(10**6))
# Each entity is nine of the one before.
_LAUGHS = '<!ENTITY b0 "b">' + "".join(f'<!ENTITY b{n} "{f"&b{n - 1};" * 9}">' for n in range(1, 9))


def json_corners(data: bytes, draw: random.Random) -> bytes:
    """Write a JSON document, or JSON lines, again, with corners of the grammar at a few places."""
    try:
        lines = [json.loads(line) for line in data.splitlines() if line.strip()]
    except ValueError:
        try:
            lines = [json.loads(data)]
        except ValueError:
            return data + b"\n"
    likely = 8 / (8 + data.count(b'"'))
    corners = (draw.random() < likely for _ in range(4000))
    text = draw.choice(("\n", "\n", "\r\n", "\n\n", " ", "\x1e")).join(
        _json(line, draw, corners) for line in lines
    )
    text = (
        draw.choice(("", "", "", "\ufeff", "\n\n", "// newts\n"))
        + text
        + draw.choice(("", "\n", ",", "\0", "\n \n"))
    )
    return text.encode(
        draw.choice(("utf-8",) * 6 + ("utf-16", "utf-8-sig", "utf-32", "latin-1")), "replace"
    )


def _json(value: Any, draw: random.Random, corners: Any) -> str:
    corner = next(corners, False)
    if isinstance(value, dict):
        members = [
            f"{_json(key, draw, corners)}:{_json(item, draw, corners)}"
            for key, item in value.items()
        ]
        if corner and members:
            again, other = draw.choice(members), draw.choice(members)
            # The same key with another value, before or after its own.
            twice = again.partition(":")[0] + ":" + other.partition(":")[2]
            members = draw.choice(
                (
                    [*members, twice],
                    [twice, *members],
                    [*members, again],
                    members * 2,
                    [*members, ""],
                )
            )
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        items = [_json(item, draw, corners) for item in value]
        return "[" + ",".join([*items, ""] if corner and draw.random() < 0.2 else items) + "]"
    if not corner:
        return json.dumps(value, ensure_ascii=draw.random() < 0.5)
    if isinstance(value, str):
        inside = json.dumps(value)[1:-1]
        at = draw.randrange(len(value) + 1) if inside == value else 0
        escaped = "".join(f"\\u{ord(c):04x}" for c in value if ord(c) < 65536)
        return '"' + draw.choice((inside[:at] + draw.choice(_CODES) + inside[at:], escaped)) + '"'
    return draw.choice((*_NUMBERS, "null", "true", '"1"', "[1]", "{}"))


def gzip_members(data: bytes, draw: random.Random) -> bytes:
    """Pack what is packed into members, headers and ends of other kinds."""
    try:
        whole = gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        whole = data
    at = draw.randrange(len(whole) + 1)
    parts = [
        _member(part, draw)
        for part in draw.choice(([whole], [whole[:at], whole[at:]], [b"", whole], [whole, b""]))
    ]
    ends = b"", b"", b"\0" * 999, b"newts", b"\x1f\x8b", parts[0][:9], _ZEROS
    last = parts[-1]
    parts[-1] = draw.choice(
        (last, last, last, last[:-1], last[:-8] + draw.randbytes(8), last[: len(last) // 2])
    )
    return (
        gzip.compress(b"".join(parts))
        if draw.random() < 0.1
        else b"".join(parts) + draw.choice(ends)
    )


def _member(part: bytes, draw: random.Random) -> bytes:
    flags = draw.choice((0, 0, 1, 2, 4, 8, 16, 28, 224))
    extra = struct.pack("<H", draw.choice((3, 3, 65535))) + b"abc" if flags & 4 else b""
    named = (b"../x.json\0" if flags & 8 else b"") + (b"newts\x1b[2J\0" if flags & 16 else b"")
    packer = zlib.compressobj(draw.choice((0, 1, 9)), wbits=-15)
    body = packer.compress(part) + packer.flush()
    head = b"\x1f\x8b" + bytes([draw.choice((8, 8, 8, 8, 0)), flags]) + b"\0" * 6 + extra + named
    return head + body + struct.pack("<II", zlib.crc32(part), len(part) % 2**32)


def xml_entities(data: bytes, draw: random.Random) -> bytes:
    """Give XML a document type, references, instructions, sections or another encoding."""
    data = re.sub(rb"^\s*<\?xml[^>]*\?>\s*(<!DOCTYPE[^>]*>)?", b"", data)
    texts = [match for match in re.finditer(rb">([^<>]{2,})<", data) if match[1].strip()]
    tag = re.search(rb"<(\w+)", data)
    root = tag[1].decode() if tag else "a"
    kinds = (
        f'<!DOCTYPE {root} [<!ENTITY b "newts">]>',
        f'<!DOCTYPE {root} [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
        f'<!DOCTYPE {root} SYSTEM "http://127.0.0.1:9/x.dtd" [<!ENTITY b "x">]>',
        f'<!DOCTYPE {root} [<!ENTITY % p SYSTEM "file:///etc/hosts"> %p; <!ENTITY b "x">]>',
        f'<!DOCTYPE {root} [<!ENTITY c "&b;&b;"><!ENTITY b "&c;">]>',
        f'<!DOCTYPE {root} [<!ATTLIST {root} id CDATA "newt"><!ENTITY b "&#60;x&#62;">]>',
        f'<!DOCTYPE {root} PUBLIC "-//NLM//DTD" "https://dtd.nlm.nih.gov/x.dtd">',
        f"<!DOCTYPE {root} [{_LAUGHS}]>",
    )
    inner = (
        b"&b;",
        b"&b8;",
        b"&#x1F600;",
        b"&#0;",
        b"&amp;lt;",
        b"<![CDATA[<x>]]>",
        b"<!-- newts -->",
        b"<?php x ?>",
        b"]]>",
    )
    if texts:
        text = draw.choice(texts)
        at = draw.randrange(text.start(1), text.end(1) + 1)
        data = data[:at] + draw.choice(inner) + data[at:]
        if draw.random() < 0.2:
            depth = draw.choice((20, 190, 210, 1000, 20_000))
            data = (
                data[:at]
                + b"<i>" * depth
                + data[at : text.end(1)]
                + b"</i>" * depth
                + data[text.end(1) :]
            )
    whole = draw.choice((*kinds, "", "")).encode() + data
    if draw.random() < 0.2:
        whole = whole.replace(
            f"<{root}".encode(), f'<{root} xmlns="urn:newts" xmlns:x="u" x:id="1"'.encode(), 1
        )
    coding = draw.choice(("utf-8",) * 5 + ("utf-16", "latin-1", "utf-8-sig", "ascii"))
    head = draw.choice(
        (
            '<?xml version="1.0" encoding="{}"?>',
            "<?xml version='1.1'?>",
            "",
            "<?xml-stylesheet href='x'?>",
        )
    )
    return head.format(draw.choice((coding, "utf-8"))).encode(coding, "ignore") + whole.decode(
        "utf-8", "replace"
    ).encode(coding, "replace")


def csv_dialects(data: bytes, draw: random.Random) -> bytes:
    """Write a table again: with another delimiter, quoting, line end, order or number of columns."""
    text = data.decode("utf-8", "replace")
    sniffed = "\t" if text.count("\t") > text.count(",") else ","
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=sniffed) if row]
    except csv.Error:
        return data
    if rows:
        width, row = max(map(len, rows)), draw.choice(rows)
        order = draw.sample(range(width), width)
        at = draw.randrange(len(row)) if row else 0
        how = draw.randrange(8)
        if how == 0:
            rows = [[cells[i] for i in order if i < len(cells)] for cells in rows]
        elif how == 1:
            rows = [cells + cells[:1] for cells in rows]
        elif how == 2:
            rows.insert(draw.randrange(len(rows)), rows[0])
        elif how == 3 and row:
            row[at] = draw.choice(
                (
                    'new"ts',
                    "a\nb",
                    "a\r\nb",
                    "a,b;c\td",
                    "\0",
                    '"',
                    "=1+1",
                    "\ufeff",
                    " x ",
                    "9" * 400,
                    "",
                )
            )
        elif how == 4 and row:
            del row[at]
        elif how == 5:
            rows[0] = [
                draw.choice(
                    (str.upper, str.title, lambda cell: f" {cell} ", lambda cell: f"\ufeff{cell}")
                )(c)
                for c in rows[0]
            ]
    stream = io.StringIO(newline="")
    quoting = draw.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    end = draw.choice(("\n", "\r\n", "\r", "\n\n"))
    writer = csv.writer(
        stream,
        delimiter=draw.choice(",,;\t|"),
        quoting=quoting,
        lineterminator=end,
        doublequote=draw.random() < 0.8,
        escapechar="\\",
    )
    writer.writerows(rows)
    text = stream.getvalue()
    return text.encode(draw.choice(("utf-8",) * 5 + ("utf-8-sig", "utf-16", "latin-1")), "replace")


def zip_and_npy(data: bytes, draw: random.Random) -> bytes:  # noqa: C901 - a list of corners
    """Write an archive of arrays again: other methods, names, headers of npy, orders of bytes and members."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    except (zipfile.BadZipFile, ValueError, EOFError):
        return data
    at, how = draw.randrange(len(members)), draw.randrange(9)
    name, member = members[at]
    if how == 0:
        members.append((name, draw.choice(members)[1]))
    elif how == 1:
        members.insert(
            at,
            (
                draw.choice(
                    ("/abs.npy", "a/../b.npy", "x" * 300 + ".npy", "", "é.npy", "C:\\x.npy")
                ),
                member,
            ),
        )
    elif how == 2:
        members[at] = name, member.replace(b"'fortran_order': False", b"'fortran_order': True ")
    elif how == 3:
        members[at] = name, re.sub(rb"'descr': '<", b"'descr': '>", member, count=1)
    elif how == 4:
        members[at] = name, member[:8] + b"\0" + member[9:]
    elif how == 5 and member[:6] == b"\x93NUMPY":
        length = int.from_bytes(member[8:10], "little")
        members[at] = name, member[:6] + b"\2\0" + length.to_bytes(4, "little") + member[10:]
    elif how == 6:
        members[at] = (
            name,
            re.sub(
                rb"'shape': \((\d+),", lambda m: b"'shape': (%d, 0, " % int(m[1]), member, count=1
            ),
        )
    elif how == 7:
        draw.shuffle(members)
    stream = io.BytesIO(draw.choice((b"", b"", b"#!/bin/sh\n")))
    stream.seek(0, io.SEEK_END)
    method = draw.choice(
        (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    )
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.simplefilter("ignore", UserWarning)  # of a name given twice
        for name, member in members:
            with archive.open(
                zipfile.ZipInfo(name or "x"), "w", force_zip64=draw.random() < 0.2
            ) as entry:
                entry.write(member)
        archive.comment = draw.choice((b"", b"PK\5\6" * 9, b"newts"))
    return stream.getvalue() + draw.choice((b"", b"", b"\0" * 99))


def index_pages(data: bytes, draw: random.Random) -> bytes:
    """Blank, swap or repeat blocks of a file, keep or drop its footer, or extend it."""
    size = draw.choice((1, 16, 128, 4096))
    count = max(1, len(data) // size)
    at, other = draw.randrange(count) * size, draw.randrange(count) * size
    one, two = data[at : at + size], data[other : other + size]
    blanked = data[:at] + b"\0" * len(one) + data[at + size :]
    swapped = bytearray(data)
    swapped[at : at + len(two)], swapped[other : other + len(one)] = two, one
    footer = data.rfind(b"{")
    options = (
        blanked,
        bytes(swapped),
        data + b"\0" * size,
        data + data[-size:],
        data[:at] + data[max(footer, 0) :],
        data[:footer],
        data[: len(data) - len(data) % 4096],
        re.sub(
            rb'"(crc|version|major|minor|num_docs|max_doc|opstamp)":(\d+)',
            lambda m: b'"%s":%d' % (m[1], int(m[2]) ^ 1),
            data,
        ),
    )
    return draw.choice(options)


def http_requests(data: bytes, draw: random.Random) -> bytes:  # noqa: C901 - a list of corners
    """Change the line, the heads or the framing of a request."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *fields = head.split(b"\r\n")
    method, _, rest = first.partition(b" ")
    how = draw.randrange(14)
    if how > 9:
        line = header(draw)
        named = line.partition(b":")[0] + b":"
        fields = [*(field for field in fields if not field.startswith(named)), line]
    elif how == 0:
        first = draw.choice((b"PUT ", b"GET  ", b"\0 ", b"CONNECT ", b"PRI ", b"get ")) + rest
    elif how == 1:
        first = draw.choice(
            (
                b"GET http://evil.example/ HTTP/1.1",
                b"GET * HTTP/1.1",
                b"GET /%ff%00%2e%2e/ HTTP/1.1",
                method + b" " + b"/a" * 40_000 + b" HTTP/1.1",
                first[:-3] + b"9.9",
            )
        )
    elif how == 2:
        fields.append(
            draw.choice(
                (
                    b"Content-Length: 1",
                    b"Content-Length: -1",
                    b"Content-Length: 9999999999999999999",
                    b"Content-Length: 1,1",
                    b"Content-Length: 0x5",
                )
            )
        )
    elif how == 3:
        size = draw.choice(
            (b"%x" % len(body), b"ffffffffffffffff", b"-1", b"5;x=" + b"y" * 999, b"g")
        )
        fields, body = (
            [f for f in fields if b"Length" not in f] + [b"Transfer-Encoding: chunked"],
            size + b"\r\n" + body + b"\r\n0\r\n\r\n",
        )
    elif how == 4:
        fields.append(
            draw.choice(
                (
                    b"Host: evil.example",
                    b"Origin: null",
                    b"Origin: http://[",
                    b"X: " + b"\xff" * 9,
                    b" folded: x",
                    b"Expect: 100-continue",
                    b"Upgrade: websocket\r\nConnection: Upgrade",
                    b"Connection: close",
                    b"X-Forwarded-For: 1, \x7f",
                    b": x",
                    b"Cookie: ilpsum-token=\xe9",
                    b"Authorization: Bearer \xff",
                )
            )
        )
    elif how == 5:
        fields = [
            f
            for f in fields
            if not f.startswith(draw.choice((b"Host", b"Content-Type", b"Content-Length")))
        ]
    elif how == 6:
        fields += [b"X-%d: newts" % n for n in range(draw.choice((50, 3000)))]
    elif how == 7:
        body = draw.choice(
            (body * 2, body[: len(body) // 2], body + data, json_corners(body, draw), b"")
        )
    elif how == 8:
        return data + data
    return (
        b"\r\n".join((first, *fields)) + draw.choice((b"\r\n\r\n",) * 5 + (b"\n\n", b"\r\n")) + body
    )


def http_responses(data: bytes, draw: random.Random) -> bytes:
    """Change the line, the heads or the framing of a service's response; what comes after its end is sent, too."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *fields = head.split(b"\r\n")
    fields = [field for field in fields if b"Length" not in field]
    how = draw.randrange(8)
    if how == 0:
        first = draw.choice(
            (
                b"HTTP/9.9 200 OK",
                b"HTTP/1.1 999",
                b"HTTP/1.1 2000 OK",
                b"ICY 200 OK",
                b"\xff" * 99,
                b"",
            )
        )
    elif how == 1:
        first = b"HTTP/1.1 103 Early\r\n\r\n" * draw.choice((1, 50, 3000)) + first
    elif how == 2:
        fields.append(
            draw.choice(
                (
                    b"X: " + b"y" * 10**6,
                    b" folded: x",
                    b": x",
                    b"X: \0",
                    b"X-\xff: 1",
                    b"X: 1\r\n" * 3000,
                )
            )
        )
    elif how == 3:
        fields.append(
            draw.choice(
                (b"Location: //x", b"Location: /", b"Location: http://[", b"Retry-After: 0")
            )
        )
        first = draw.choice(
            (b"HTTP/1.1 302 Found", b"HTTP/1.1 503 Busy", b"HTTP/1.1 204 None", b"HTTP/1.1 304 Old")
        )
    elif how == 4:
        size = draw.choice(
            (
                b"%x" % len(body),
                b"%x;%s" % (len(body), b"y" * 10**5),
                b"ffffffffffffffff",
                b"-1",
                b"g",
            )
        )
        fields, body = (
            [*fields, b"Transfer-Encoding: chunked"],
            size + b"\r\n" + body + b"\r\n0\r\n\r\n",
        )
        return b"\r\n".join((first, *fields)) + b"\r\n\r\n" + body
    elif how == 5:
        body = draw.choice((gzip_members(body, draw), _EMPTY_MEMBERS, _ZEROS, b"\x1f\x8b"))
        fields.append(
            draw.choice(
                (
                    b"Content-Encoding: gzip",
                    b"Content-Encoding: gzip, gzip",
                    b"Content-Encoding: br",
                )
            )
        )
    sizes = (len(body),) * 4 + (0, len(body) // 2, len(body) + 9, 10**30)
    fields.append(b"Content-Length: %d" % draw.choice(sizes))
    return (
        b"\r\n".join((first, *fields)) + draw.choice((b"\r\n\r\n",) * 5 + (b"\n\n", b"\r\n")) + body
    )


def pdf_strings(data: bytes, draw: random.Random) -> bytes:
    """Repeat the lines drawn by a PDF, or change what they say; its table of places need not fit."""
    drawn = re.findall(rb"BT .*? ET\n", data, re.S)
    line = draw.choice(drawn) if drawn else b"BT ET\n"
    how = draw.randrange(3)
    if how == 0:
        # pypdf takes a second for 4,000 lines: a few in a hundred inputs are enough to notice what
        # grows faster.
        return data.replace(line, line * draw.choice((2,) * 20 + (100,) * 10 + (4000,)), 1)
    texts = (
        b"",
        b"-",
        b"a- ",
        b"\\050",
        b"\\",
        b"(" * 99,
        b"x" * 10**5,
        b"\xfe\xff\xd8\x00",
        b"1. Moss A. 1999;3:1.",
    )
    new = re.sub(rb"\(.*\)", lambda _: b"(" + draw.choice(texts) + b")", line, flags=re.S)
    if how == 1:
        return data.replace(line, new, 1)
    return re.sub(
        rb"/(Length|Count|Size) \d+",
        lambda m: b"/%s %d" % (m[1], draw.choice((0, 1, -1, 10**9))),
        data,
    )


def repeated(data: bytes, draw: random.Random) -> bytes:
    """Repeat the records of an export: all are of the same articles."""
    return data * draw.choice((2,) * 10 + (20,) * 10 + (400,))


BY_SUFFIX: dict[str, Grammar] = {
    **dict.fromkeys((".nbib", ".ris"), repeated),
    ".pdf": pdf_strings,
    ".answer": http_responses,
    **dict.fromkeys((".json", ".jsonl"), json_corners),
    **dict.fromkeys((".xml", ".sgml"), xml_entities),
    **dict.fromkeys((".csv", ".tsv"), csv_dialects),
    **dict.fromkeys((".idx", ".store", ".term", ".pos", ".fast", ".fieldnorm"), index_pages),
    ".gz": gzip_members,
    ".npz": zip_and_npy,
    ".http": http_requests,
    ".name": file_names,
    ".call": arguments,
}


def rewrite(name: str, data: bytes, draw: random.Random) -> bytes | None:
    """Write a file again by the grammar that its name tells; None if none is known."""
    grammar = BY_SUFFIX.get("." + name.rpartition(".")[2])
    return grammar(data, draw) if grammar and data else None
