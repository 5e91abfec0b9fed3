"""What `int`, `float`, `urlsplit`, file systems and the gate for arguments stumble over: numbers,
headers, names and arguments.
"""

import json
import random
import re

NUMBERS = (
    b"9" * 4301, b"0" * 5000 + b"7", b"-" + b"9" * 5000, b"1" + b"0" * 400 + b".5", b"1e999", b"-1e400", b"1_000",
    "²".encode(), "１２".encode(), "٣".encode(), "Ⅻ".encode(), b"0x1f", b"+7", b" 7 ", b"7.", b".5", b"nan", b"-inf",
    b"infinity", b"00", b"-0", b"",
)  # fmt: skip
_HOSTS = (
    b"http://[", b"http://]", b"[", b"]", b"[::1", b"::1]", b"[::1]:x", b"http://[::1]:99999", b"//[v1.x]", b"null",
    b"http://localhost:\xc2\xb2", b"localhost:" + b"9" * 5000, b"http://\xe2\x84\x80", b"http://a\xef\xbc\x8fb",
    b"http://%zz", b"\xff\xfe", b"", b" ", b"a" * 5000, b"http://localhost\t@x", b"javascript:x", b"file:///x",
    b"http://localhost, http://evil.example",
)  # fmt: skip
# What the reading room, the server or its libraries read of a request, with values of their kind.
HEADERS: dict[bytes, tuple[bytes, ...]] = {
    **dict.fromkeys((b"Host", b"Origin", b"Referer", b"X-Forwarded-Host", b"Forwarded"), _HOSTS),
    b"Content-Length": NUMBERS,
    b"Range": (*(b"bytes=%s-%s" % (n, n) for n in NUMBERS), b"bytes=-", b"bytes=9-1", b"x=1-2"),
    b"If-Modified-Since": (b"x", *NUMBERS, b"Thu, 99 Jan 99999 99:99:99 GMT"),
    b"If-None-Match": (b'"', b"W/", b"*", b"\xff"),
    b"Sec-Fetch-Site": (b"", b"\xff", b"none, cross-site", b"SAME-ORIGIN"),
    b"Authorization": (b"Bearer", b"Bearer \xff", b"Basic =", b"\xc2\xb2", b"Bearer " * 99),
    b"Cookie": (b"ilpsum-token", b"ilpsum-token=\xff", b'ilpsum-token="\\', b"=;=;", b"a=" * 2000),
    b"Content-Type": (b"", b";", b"text/html; charset=\xff", b"multipart/form-data; boundary="),
    b"Accept-Encoding": (b"gzip;q=x", b"gzip;q=" + b"9" * 5000, b"\xff", b"*;q=0"),
    b"Transfer-Encoding": (b"x", b"chunked, chunked", b"\xff", b""),
    b"Expect": (b"x", b"100-continue, 100-continue"),
    b"Connection": (b"upgrade", b"\xff", b"close, keep-alive"),
}
NAMES = (
    b"n\xe9wts", b"\xff\xfe", b"\xed\xa0\x80", "a\u00a0b".encode(), b"a b", b" a", b"a ", b"a\tb", b"a\nb", b"\x1b[2J",
    b"-", b"--help", b"~", b"$HOME", b"a\\b", b"CON", b"a:b", b"a|b", b"a'b", b'a"b', b"<b>", b"&amp;", b"a..b", b"a.",
    "\u202enewt".encode(), "\u200b".encode(), "é".encode(), "e\u0301".encode(), "\ufeffx".encode(), b"x" * 240, "é".encode() * 120,
    b"%00", b"*", b"?", b"[a]", b"{0}", b"0", b"9" * 200, b"None", b"D9001_DEMO.A", b"PMC1",
)  # fmt: skip


def numbers(data: bytes, draw: random.Random) -> bytes:
    """Replace a number of a text by one that is none, or by one of thousands of digits."""
    found = list(re.finditer(rb"\d+(?:\.\d+)?", data))
    if not found:
        return data + draw.choice(NUMBERS)
    number = draw.choice(found)
    return data[: number.start()] + draw.choice(NUMBERS) + data[number.end() :]


def header(draw: random.Random) -> bytes:
    """Return a line of a header that is parsed, with a value that is malformed."""
    name = draw.choice(list(HEADERS))
    return name + b": " + draw.choice(HEADERS[name])


def file_names(data: bytes, draw: random.Random) -> bytes:
    """Return a name of a file."""
    return draw.choice(
        (*NAMES, *NAMES, data + draw.choice(NAMES), draw.randbytes(draw.randrange(1, 40)))
    )


_ARGUMENTS = (
    None, True, False, -1, 0, 1, 10**400, -(10**400), 2**63, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", " ", "20",
    "\ud800", "newts \udfff", "\0", "a" * 5000, "x/" * 3000, "~", [], [[]], [None], [float("nan")], {}, {"a": 1},
    {"@numpy": 20}, {"@numpy": 0.5}, {"@numpy": "newts"}, {"@numpy": [1, 2]}, {"@numpy": [[0.5]]}, {"@numpy": []},
    {"@bytes": "newts"}, {"@path": "newts.txt"}, {"@path": "\udcff"}, {"@iterator": ["Newts sing."]},
    {"@document": "Newts sing."}, {"@document": "\ud800"}, {"@document": 3},
)  # fmt: skip


def arguments(data: bytes, draw: random.Random) -> bytes:
    """Give a call another argument, or one of a list another item; leave one out, or add one."""
    try:
        call = json.loads(data)
        names = list(call)
    except (ValueError, TypeError):
        return data
    if not isinstance(call, dict) or not names:
        return data
    for _ in range(draw.choice((1, 1, 2))):
        name, how = draw.choice(names), draw.randrange(8)
        given = call.get(name)
        if how == 0:
            call.pop(name, None)
        elif how == 1:
            call[draw.choice((*names, "newts", "words", "budget", "settings"))] = draw.choice(
                _ARGUMENTS
            )
        elif how == 2 and isinstance(given, list) and given:
            given[draw.randrange(len(given))] = draw.choice(_ARGUMENTS)
        elif how == 3 and isinstance(given, dict) and given:
            given[draw.choice(list(given))] = draw.choice(_ARGUMENTS)
        else:
            call[name] = draw.choice(_ARGUMENTS)
    return json.dumps(call).encode()
