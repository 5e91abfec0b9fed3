"""Archives as streams: what is damaged, cut off or endless is an error, never a shorter archive."""

import io
import tarfile

import pytest

from ilpsum.errors import InputError
from ilpsum.files.reading import members

NAMES = ("D1/a", "D1/" + "b" * 150, "D2/c")


def packed(form: int = tarfile.PAX_FORMAT, **headers: str) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=form) as tar:
        for name in NAMES:
            info = tarfile.TarInfo(name)
            info.size, info.pax_headers = 700, headers
            tar.addfile(info, io.BytesIO(name[-1].encode() * 700))
    return raw.getvalue()


def read(data: bytes) -> list[tuple[str, bytes]]:
    return [(member.name, held) for member, held in members(io.BytesIO(data), "x.tar", 1000)]


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_members_are_read_with_long_names(form):
    assert read(packed(form)) == [(name, name[-1].encode() * 700) for name in NAMES]


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_an_archive_that_is_cut_off_anywhere_is_an_error(form):
    data = packed(form)
    end = len(data.rstrip(b"\0")) // 512 * 512 + 512
    for cut in range(0, end, 256):
        with pytest.raises(
            InputError, match=r"x\.tar: not a tar archive, or a damaged one .*copy it again"
        ):
            read(data[:cut])


def test_a_damaged_header_is_an_error_not_the_end():
    data = bytearray(packed())
    data[data.index(b"D2/c")] = 0xFF
    with pytest.raises(InputError, match=r"a damaged one \(bad checksum"):
        read(bytes(data))


@pytest.mark.parametrize("first", [True, False])
def test_a_header_that_claims_more_than_any_memory_is_an_error(first):
    header = tarfile.TarInfo("x")
    header.type, claim = tarfile.XHDTYPE, b"9" * 30 + b" comment=a\n"
    header.size = len(claim)
    record = header.tobuf() + claim.ljust(512, b"\0")
    with pytest.raises(InputError, match=r"x\.tar: not a tar archive"):
        read(record + packed() if first else packed(tarfile.GNU_FORMAT)[:1536] + record + packed())


def test_endless_headers_are_refused():
    nested = tarfile.TarInfo("h")
    nested.type, nested.size = tarfile.XHDTYPE, 0
    with pytest.raises(InputError, match=r"x\.tar: "):
        read(nested.tobuf() * 2000)


def test_links_and_devices_have_no_contents():
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            info = tarfile.TarInfo("x")
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
    found = members(io.BytesIO(raw.getvalue()), "x.tar", 1000)
    assert [held for _, held in found] == [b""] * 4


def test_files_above_the_limit_are_not_read():
    found = members(io.BytesIO(packed()), "x.tar", 699)
    assert [(member.size, held) for member, held in found] == [(700, b"")] * 3
    sparse = packed(**{"GNU.sparse.map": "0,1", "GNU.sparse.size": str(2**40)})
    with pytest.raises(InputError, match="sparse"):
        list(members(io.BytesIO(sparse), "x.tar", 1000))


def test_an_archive_has_a_largest_size(monkeypatch):
    monkeypatch.setattr("ilpsum.files.reading.MAX_ARCHIVE", 1500)
    with pytest.raises(InputError, match="unpacked, got more"):
        list(members(io.BytesIO(packed()), "x.tar", 1000))
