"""Check the files of an index that changed after they were written.

tantivy ends each file with a footer: JSON with the CRC-32 of what precedes it, the length of
this JSON, and a magic number. Its Python interface never compares the CRC, and a damaged file then
gives wrong results or a Rust panic, which prints lines of its own.
"""

import zlib
from contextlib import suppress
from pathlib import Path

import msgspec

# The length of the footer's JSON and the magic number, as little-endian integers of 32 bits.
_END = 8
_LONGEST_FOOTER = 1 << 12
_BLOCK = 1 << 20


class _Footer(msgspec.Struct):
    crc: int


def verify(home: Path) -> None:
    """Compare the checksum of each file that is newer than the index's description.

    The description, `meta.json`, is written last, and no file that it names changes after it. So an
    index that nobody touched is not read here, whatever its size.

    Raises:
        ValueError: a file was changed, or has no footer.
        OSError: a file cannot be read.
    """
    description = home / "meta.json"
    committed = description.stat().st_mtime_ns
    listed = description.read_text("utf-8", errors="replace").replace("-", "")
    for file in home.glob("*.*"):
        is_listed = len(file.stem) >= 32 and file.stem[:32] in listed
        # Another process may have merged a file into another one; tantivy reports what is missing.
        with suppress(FileNotFoundError):
            if is_listed and file.stat().st_mtime_ns > committed:
                _verify_file(file)


def _verify_file(file: Path) -> None:
    size = file.stat().st_size
    with file.open("rb") as stream:
        stream.seek(max(0, size - _END))
        length = int.from_bytes(stream.read(4), "little")
        covered = size - _END - length
        if covered < 0 or length > _LONGEST_FOOTER:
            raise ValueError(f"{file.name} has no footer")
        stream.seek(covered)
        footer = msgspec.json.decode(stream.read(length), type=_Footer)
        stream.seek(0)
        checksum = 0
        while covered:
            block = stream.read(min(_BLOCK, covered))
            if not block:
                raise ValueError(f"{file.name} was cut off")
            checksum = zlib.crc32(block, checksum)
            covered -= len(block)
    if checksum != footer.crc:
        raise ValueError(f"{file.name} was changed")
