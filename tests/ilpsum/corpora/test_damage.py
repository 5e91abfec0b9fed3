"""Damaged topics: each gives one clear line with file and line, or a remark where the topic can be used; never more.

The rules are those in the heads of `ilpsum.corpora.tac` and `ilpsum.corpora.folders`.
"""

import gzip
import io
import os
import re
import sys
import tarfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

import ilpsum.corpora.files as files_module
from ilpsum.cli import main
from ilpsum.corpora import read_topics
from ilpsum.errors import InputError
from ilpsum.records import BrokenTopic, Topic

Write = Callable[..., Path]
A, B = "Annotation/D9001_TEST.A.ann.txt", "Annotation/D9001_TEST.B.ann.txt"
ORRIN, BASK = "Documents_Text/Orrin.txt", "Documents_Text/Bask.txt"


def edit(file: str, pattern: str, new: str, count: int = 1) -> Callable[[Path], object]:
    """Damage by a substitution, which must find something."""

    def damage(folder: Path) -> None:
        text, found = re.subn(pattern, new, (folder / file).read_text(encoding="utf-8"), count=count)
        assert found
        (folder / file).write_text(text, encoding="utf-8", newline="")

    return damage


def put(file: str, data: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / file).write_bytes(data)


def drop(*files: str) -> Callable[[Path], object]:
    return lambda folder: [(folder / file).unlink() for file in files]


def both(*damages: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda folder: [damage(folder) for damage in damages]


# What is done to a topic, where the line must say it is, and what it must say.
BROKEN: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "reference paper missing": (drop(ORRIN), f"{A}:1", "'Orrin.txt' is not in Documents_Text"),
    "no documents at all": (drop(ORRIN, BASK, "Documents_Text/Quill, O'Dea.txt"), f"{A}:1", "not in Documents_Text"),
    "no annotation": (drop(A, B), "D9001_TEST", "no annotation lines"),
    "empty annotation files": (both(put(A, b""), put(B, b"\n")), "D9001_TEST", "no annotation lines"),
    "citation offset out of range": (edit(A, r"Citation Offset:  \d+-\d+", "Citation Offset: 10-99999"), f"{A}:1",
                                     "10-99999 is beyond the end of Bask.txt at"),
    "reference offset out of range": (edit(B, r"\['\d+-\d+'", "['10-99999'"), f"{B}:1", "beyond the end of Orrin.txt"),
    "reversed offset": (edit(A, r"\['(\d+)-(\d+)'", r"['\2-\1'"), f"{A}:1", "START before END was expected"),
    "empty span": (edit(A, r"\['(\d+)-(\d+)'", r"['\1-\1'"), f"{A}:1", "does not end after it starts"),
    "negative offset": (edit(A, r"Citation Offset:  ", "Citation Offset:  -"), f"{A}:1", "is not START-END"),
    "offset of letters": (edit(A, r"Citation Offset:  \d+", "Citation Offset:  ten"), f"{A}:1", "is not START-END"),
    "offset too large for any document": (edit(A, r"Citation Offset:  \d+", "Citation Offset: " + "9" * 5000), f"{A}:1",
                                          "is not START-END"),
    "offset with exotic digits": (edit(A, r"Citation Offset:  \d+", "Citation Offset:  \u0663"), f"{A}:1",
                                  "is not START-END"),
    "offset list not closed": (edit(A, r"'\] \| Reference Text", "' | Reference Text"), f"{A}:1", "has one bracket"),
    "offset list empty": (edit(A, r"Reference Offset:  \[[^]]*\]", "Reference Offset: []"), f"{A}:1", "is empty"),
    "two citation spans": (edit(A, r"Citation Offset:  (\d+-\d+)", r"Citation Offset: \1, \1"), f"{A}:1", "2 spans"),
    "unknown facet": (edit(A, "Results_Citation", "Rumour_Citation"), f"{A}:1", "unknown facet 'Rumour_Citation'"),
    "facet without a value": (edit(A, "Results_Citation", ""), f"{A}:1", "Discourse Facet is empty"),
    "facet missing": (edit(A, r"Discourse Facet:  Results_Citation \| ", ""), f"{A}:1", "no `Discourse Facet: ...`"),
    "citation text missing": (edit(A, r"Citation Text: [^|]*\| ", ""), f"{A}:1", "no `Citation Text: ...`"),
    "citance number missing": (edit(A, r"Citance Number: 1 \| ", ""), f"{A}:1", "no `Citance Number: ...`"),
    "a field twice": (edit(A, r"(Citance Number: 1 \| )", r"\1\1"), f"{A}:1", "Citance Number stands twice"),
    "a number that is none": (edit(A, "Citance Number: 1", "Citance Number: one"), f"{A}:1", "'one' is not a number"),
    "a line of another topic": (edit(B, "Topic ID: D9001", "Topic ID: D9002"), f"{B}:1", "the topic 'D9002_TEST'"),
    "a line without the topic": (edit(A, r"Topic ID: D9001_TEST \| ", ""), f"{A}:1", "no `Topic ID: ...`"),
    "a line that is none": (edit(B, "\n\n", "\n\nsee above\n\n"), f"{B}:3", "'see above'"),
    "topic id with a slash": (both(edit(A, "D9001_TEST", "../D9001", 0), edit(B, "D9001_TEST", "../D9001", 0)),
                              f"{A}:1", "a plain name was expected"),
    "topic id of dots": (both(edit(A, "D9001_TEST", "..", 0), edit(B, "D9001_TEST", "..", 0)), f"{A}:1", "plain name"),
    "reference paper up the tree": (both(*(edit(f, "Orrin.txt", "../Orrin.txt", 0) for f in (A, B))), f"{A}:1",
                                    "Reference Article '../Orrin.txt'"),
    "citing paper with an absolute path": (edit(A, "Bask.txt", "/etc/passwd"), f"{A}:1", "a plain name"),
    "two reference papers": (edit(B, "Orrin.txt", "Bask.txt"), f"{B}:1", "before it was 'Orrin.txt'"),
    "a citance number twice": (edit(A, "Citance Number: 2", "Citance Number: 1"), f"{A}:3", "citance 1 of annotator A"),
    "a citance number for two papers": (edit(B, "Citance Number: 3", "Citance Number: 1"), f"{B}:5",
                                        "number each citance once"),
    "reference paper empty": (put(ORRIN, b"\xef\xbb\xbf \r\n"), ORRIN, "an empty document"),
    "citing paper empty": (put(BASK, b""), BASK, "an empty document"),
    "NUL bytes in a document": (put(BASK, b"ab\0c"), f"{BASK}", "NUL bytes"),
    "UTF-16 document": (lambda f: (f / ORRIN).write_text("a paper", encoding="utf-16"), ORRIN, "save UTF-16 as UTF-8"),
    "NUL bytes in an annotation": (edit(A, "Citance Number: 2", "Citance Number: \0"), f"{A}:3", "NUL bytes"),
    "NUL bytes in a summary": (put("Summary/D9001_TEST.A.summary.txt", b"\0"), ".A.summary.txt", "NUL bytes"),
}  # fmt: skip

# Damage that a topic survives, and what its remark must say.
REMARKED: dict[str, tuple[Callable[[Path], object], str]] = {
    "citing paper missing": (drop(BASK), "'Bask.txt' is not in Documents_Text: its quoted text is used"),
    "overlapping offsets": (edit(A, r"\['(\d+)-(\d+)'", r"['\1-\2', '\1-\2'"), "overlap"),
    "four spans": (edit(A, r"\['(\d+)-(\d+)'", r"['\1-\2', '0-5', '6-14'"), "4 spans in the Reference Offset"),
    "annotators disagree on the marker": (edit(B, r"Marker Offset:  \d+-\d+", "Marker Offset: 0-5"),
                                          "disagree on the marker"),
    "marker beyond the document": (both(*(edit(f, r"Marker Offset:  \d+-\d+", "Marker Offset: 90000-90005")
                                          for f in (A, B))), "beyond the end of Bask.txt: left out"),
    "marker missing": (both(*(edit(f, r"Citation Marker Offset:  \d+-\d+ \| ", "") for f in (A, B))),
                       "has no Citation Marker Offset"),
    "annotators mark different places": (edit(B, r"Citation Offset:  \d+-\d+", "Citation Offset: 0-10"),
                                         "stretches that do not touch"),
    "another text than quoted": (edit(A, "Citation Text:  The loss", "Citation Text:  The cause of"), "another text"),
    "annotation not UTF-8": (lambda f: (f / A).write_bytes((f / A).read_bytes().replace(b"moth", b"m\xf6th", 1)),
                             "not UTF-8: read as cp1252"),
    "empty document nobody cites from": (put("Documents_Text/Void.txt", b""), "an empty document"),
    "empty summary": (put("Summary/D9001_TEST.A.summary.txt", b"\xef\xbb\xbf\r"), "an empty summary, left out"),
    "another annotator than the file's": (edit(A, "Annotator:  A,", "Annotator:  C,"), "the annotator 'C'"),
    "a folder among the documents": (lambda f: (f / "Documents_Text" / "old").mkdir(), "a folder, not read"),
    "the folder is called otherwise": (both(*(edit(f, "D9001_TEST", "D9077_TEST", 0) for f in (A, B))),
                                       "name the topic D9077_TEST: that is its id"),
}  # fmt: skip


def read(*paths: Path) -> list[Topic | BrokenTopic]:
    return list(read_topics(paths, "tac"))


def one_line(error: InputError) -> str:
    text = str(error)
    assert "\n" not in text
    assert text.isprintable()
    assert len(text) < 600
    return text


@pytest.mark.parametrize("damage", BROKEN)
def test_damage_that_breaks_a_topic(damage: str, tac_topic: Write) -> None:
    inflict, place, message = BROKEN[damage]
    root = tac_topic("D9000_TEST").parent
    folder = tac_topic("D9001_TEST")
    tac_topic("D9002_TEST")
    inflict(folder)
    before, broken, after = read(root)
    assert isinstance(broken, BrokenTopic)
    assert broken.id == "D9001_TEST"
    text = one_line(broken.error)
    assert text.startswith(f"{folder.parent}")
    assert f"{place}: " in text
    assert message in text
    # One damaged topic costs the others nothing.
    assert (before.id, after.id) == ("D9000_TEST", "D9002_TEST")
    assert isinstance(before, Topic)
    assert isinstance(after, Topic)


@pytest.mark.parametrize("damage", BROKEN)
def test_the_same_damage_in_an_archive(damage: str, tac_topic: Write, tmp_path: Path) -> None:
    inflict, place, message = BROKEN[damage]
    folder = tac_topic("D9001_TEST")
    inflict(folder)
    archive = tmp_path / "t.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, "D9001_TEST")
    (broken,) = read(archive)
    assert isinstance(broken, BrokenTopic)
    assert (
        f"t.tar.gz/D9001_TEST/{place}: " in (text := one_line(broken.error)) or place == "D9001_TEST" or place in text
    )
    assert message in text


@pytest.mark.parametrize("damage", REMARKED)
def test_damage_that_a_topic_survives(damage: str, tac_topic: Write) -> None:
    inflict, message = REMARKED[damage]
    folder = tac_topic("D9001_TEST")
    inflict(folder)
    (topic,) = read(folder)
    assert isinstance(topic, Topic)
    assert len(topic.citances) == 3
    assert all(c.text for c in topic.citances)
    assert [r for r in topic.remarks if message in r and str(folder) in r], topic.remarks


def test_a_document_in_another_encoding_is_read_as_cp1252(tac_topic: Write) -> None:
    folder = tac_topic()
    text = (folder / BASK).read_text(encoding="utf-8")
    (folder / BASK).write_bytes((text + "\u201cna\u00efve\u201d").encode("cp1252"))
    (topic,) = read(folder)
    assert isinstance(topic, Topic)
    assert topic.documents[1].text.endswith("\u201cna\u00efve\u201d")
    assert "Bask.txt: not UTF-8" in topic.remarks[0]


def test_a_line_of_a_hundred_megabytes(tac_topic: Write, tmp_path: Path) -> None:
    folder = tac_topic("D9001_TEST")
    with (folder / A).open("ab") as stream:
        for _ in range(100):
            stream.write(b"x" * 2**20)
    bare = tmp_path / "bare.txt"
    (folder / A).rename(bare)
    (folder / A).symlink_to(bare)
    tracemalloc.start()
    try:
        (broken,) = read(folder)
        assert isinstance(broken, BrokenTopic)
        with pytest.raises(InputError, match=r"bare.txt:6: a line of more than 16 MB"):
            read(bare)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "leads out of the topic" in one_line(broken.error)
    assert peak < 80 * 2**20
    (folder / A).unlink()
    bare.rename(folder / A)
    (broken,) = read(folder)
    assert isinstance(broken, BrokenTopic)
    assert "more than 32 MB" in one_line(broken.error)


def test_links_devices_and_what_cannot_be_read(
    tac_topic: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def error(change: Callable[[Path], object]) -> str:
        folder = tac_topic(root=tmp_path / str(len(list(tmp_path.iterdir()))))
        change(folder / "Documents_Text" / "New.txt")
        (broken,) = read(folder)
        assert isinstance(broken, BrokenTopic)
        return one_line(broken.error)

    assert "New.txt: a link that leads out of the topic" in error(lambda file: file.symlink_to("/etc/hostname"))
    assert "New.txt: a link that leads nowhere" in error(lambda file: file.symlink_to("nowhere.txt"))
    assert re.search(
        "New.txt: (a link that leads to itself|cannot be read)", error(lambda file: file.symlink_to("New.txt"))
    )
    assert "New.txt: a device or a pipe" in error(lambda file: os.mkfifo(file))
    assert "holds a slash, a backslash" in error(lambda file: file.with_name("a\\b.txt").write_text("x"))
    assert "control character" in error(lambda file: file.with_name("a\x1b[31m.txt").write_text("x"))
    assert "\\x1b" in error(lambda file: file.with_name("a\x1b[31m.txt").write_text("x"))
    folder = tac_topic(root=tmp_path / "unreadable")
    real = Path.open

    def refuse(self: Path, *args: object, **named: object) -> object:
        if self.name == "Bask.txt":
            raise PermissionError(13, "Permission denied")
        return real(self, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "open", refuse)
    (broken,) = read(folder)
    assert isinstance(broken, BrokenTopic)
    assert "Bask.txt: cannot be read (Permission denied)" in one_line(broken.error)


def test_a_link_within_the_topic_and_linked_topics_are_read(tac_topic: Write, tmp_path: Path) -> None:
    folder = tac_topic()
    (folder / "Documents_Text" / "Again.txt").symlink_to("Bask.txt")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "D9001_TEST").symlink_to(folder)
    (topic,) = read(tmp_path / "links")
    assert isinstance(topic, Topic)
    assert len(topic.documents) == 4


def test_folders_that_are_no_topics(tac_topic: Write, tmp_path: Path) -> None:
    root = tac_topic("D9001_TEST").parent
    (root / "D9002_TEST").mkdir()
    (root / "D9003_TEST" / "Documents_Text").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "LICENCE").write_text("a file beside the topics")
    good, empty, hollow = read(root)
    assert isinstance(good, Topic)
    assert isinstance(empty, BrokenTopic)
    assert isinstance(hollow, BrokenTopic)
    assert "D9002_TEST: no topic: no files in folders named annotation" in one_line(empty.error)
    assert hollow.id == "D9003_TEST"
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty: no topic in this folder; folders with annotation"):
        read(tmp_path / "empty")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "missing")


def test_too_much(tac_topic: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tac_topic()
    monkeypatch.setattr("ilpsum.corpora.folders.MAX_FILES", 5)
    (broken,) = read(folder)
    assert isinstance(broken, BrokenTopic)
    assert "or 5 files" in one_line(broken.error)


# --- archives ---------------------------------------------------------------------------------------------------------


def add(tar: tarfile.TarFile, name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> None:
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.size = kind, link, len(data)
    tar.addfile(member, io.BytesIO(data))


def archive(path: Path, folder: Path, more: Callable[[tarfile.TarFile], object]) -> Path:
    """A topic with something more, and a topic after it."""
    with tarfile.open(path, "w:gz") as tar:
        tar.add(folder, "D9001_TEST")
        more(tar)
        tar.add(folder.parent / "D9002_TEST", "D9002_TEST")
    return path


MEMBERS: dict[str, tuple[Callable[[tarfile.TarFile], object], str]] = {
    "symbolic link": (lambda t: add(t, "D9001_TEST/Summary/x", kind=tarfile.SYMTYPE, link="/etc/passwd"), "a link; "),
    "hard link": (lambda t: add(t, "D9001_TEST/Summary/x", kind=tarfile.LNKTYPE, link=f"D9001_TEST/{A}"), "a link; "),
    "device": (lambda t: add(t, "D9001_TEST/Summary/x", kind=tarfile.CHRTYPE), "a device or a pipe"),
    "pipe": (lambda t: add(t, "D9001_TEST/Summary/x", kind=tarfile.FIFOTYPE), "a device or a pipe"),
    "sparse file": (lambda t: add(t, "D9001_TEST/Summary/x", kind=tarfile.GNUTYPE_SPARSE), "a device or a pipe"),
    "a file twice": (lambda t: add(t, f"D9001_TEST/{A}", b"x"), "stands twice in the archive"),
    "name with an escape": (lambda t: add(t, "D9001_TEST/Summary/\x1b[2J", b"x"), "\\x1b[2J: the name of a file"),
    "too long a file": (lambda t: add(t, "D9001_TEST/Summary/x", bytes(33 * 2**20)), "more than 32 MB"),
}  # fmt: skip


@pytest.mark.parametrize("damage", MEMBERS)
def test_archive_members_that_break_their_topic(damage: str, tac_topic: Write, tmp_path: Path) -> None:
    more, message = MEMBERS[damage]
    folder = tac_topic("D9001_TEST")
    tac_topic("D9002_TEST")
    broken, after = read(archive(tmp_path / "x.tar.gz", folder, more))
    assert isinstance(broken, BrokenTopic)
    assert message in one_line(broken.error)
    assert isinstance(after, Topic)


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("/etc/passwd", 1, "has an absolute path or `..`"),
        ("D9001_TEST/../../x", 1, "has an absolute path or `..`"),
        ("D9001_TEST/Summary/big", 600 * 2**20, "has 600 MB; texts of topics were expected"),
    ],
)
def test_members_that_end_the_archive(name: str, size: int, message: str, tac_topic: Write, tmp_path: Path) -> None:
    folder = tac_topic("D9001_TEST")
    tac_topic("D9002_TEST")
    path = tmp_path / "x.tar.gz"
    header = tarfile.TarInfo(name)
    header.size = size
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w") as tar:
        tar.add(folder, "D9001_TEST")
        tar.add(folder.parent / "D9002_TEST", "D9002_TEST")
        end = tar.offset
    path.write_bytes(gzip.compress(inner.getvalue()[:end] + header.tobuf() + bytes(1024)))
    topics = read_topics([path])
    first = next(topics)
    assert isinstance(first, Topic)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        list(topics)
    assert "x.tar.gz: " in one_line(caught.value)


def test_a_bomb_costs_a_message_and_no_memory(tac_topic: Write, tmp_path: Path) -> None:
    path = tmp_path / "bomb.tar.gz"
    header = tarfile.TarInfo("D9001_TEST/Documents_Text/x.txt")
    header.size = 400 * 2**20
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(header.tobuf())
        for _ in range(400):
            stream.write(bytes(2**20))
        stream.write(bytes(1024))
    tracemalloc.start()
    try:
        (broken,) = read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(broken, BrokenTopic)
    assert "more than 32 MB" in one_line(broken.error)
    assert peak < 20 * 2**20


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE])
def test_an_endless_name_is_refused(kind: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 2**30
    path.write_bytes(header.tobuf(format=tarfile.USTAR_FORMAT) + bytes(4096))
    with pytest.raises(InputError, match=r"x\.tar: a damaged tar archive: it has a name of 1073741824 bytes"):
        list(read_topics([path], "scisumm"))


@pytest.mark.parametrize("format_", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_archives_of_every_dialect(format_: int, tac_topic: Write, tmp_path: Path) -> None:
    folder = tac_topic()
    long = "Oleander, Mc\u00e9 and " + "d" * (60 if format_ == tarfile.USTAR_FORMAT else 120) + ".txt"
    (folder / "Documents_Text" / long).write_text("A paper that nobody cites.")
    with tarfile.open(tmp_path / "x.tar", "w", format=format_, encoding="utf-8") as tar:
        tar.add(folder, "topics/D9001_TEST")
    (topic,) = read(tmp_path / "x.tar")
    assert isinstance(topic, Topic)
    assert long in [d.id for d in topic.documents]


def test_an_archive_that_ends_in_the_middle(tac_topic: Write, tmp_path: Path) -> None:
    folder = tac_topic("D9001_TEST")
    tac_topic("D9002_TEST")
    whole = archive(tmp_path / "x.tar.gz", folder, lambda _: None).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[:-200])
    plain = gzip.decompress(whole)
    end = plain.index(b"D9002_TEST/Documents_Text/Bask")
    (tmp_path / "cut.tar").write_bytes(plain[: end - end % 512])
    (tmp_path / "bad.tar").write_bytes(plain[: end - end % 512] + b"no header" * 1000)
    for name, message in (("cut.tar.gz", "gzip data end in the middle"), ("cut.tar", "it ends in the middle"),
                          ("bad.tar", "a damaged tar archive")):  # fmt: skip
        topics = read_topics([tmp_path / name], "tac")
        first = next(topics)
        assert isinstance(first, Topic)
        with pytest.raises(InputError, match=message) as caught:
            list(topics)
        assert "the topic D9002_TEST and what comes after it are lost" in one_line(caught.value)


def test_what_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "x.tar.gz").write_bytes(gzip.compress(b"just text\n"))
    with pytest.raises(InputError, match=r"x.tar.gz:1: not a TAC topic folder, an archive of such, or a file of annot"):
        read(tmp_path / "x.tar.gz")
    (tmp_path / "y.tar.gz").write_bytes(b"\x1f\x8bnot gzip at all")
    with pytest.raises(InputError, match=r"y\.tar\.gz: not valid gzip data"):
        read(tmp_path / "y.tar.gz")
    (tmp_path / "z").write_bytes(b"")
    with pytest.raises(InputError, match="z: no annotation in it"):
        read(tmp_path / "z")
    with tarfile.open(tmp_path / "empty.tar.gz", "w:gz"):
        pass
    with pytest.raises(InputError, match=r"empty\.tar\.gz: no topic in this archive"):
        read(tmp_path / "empty.tar.gz")
    with tarfile.open(tmp_path / "other.tar.gz", "w:gz") as tar:
        add(tar, "notes/readme.txt", b"x")
    with pytest.raises(InputError, match=r"other\.tar\.gz: no topic in this archive"):
        read(tmp_path / "other.tar.gz")


def test_topics_mixed_in_an_archive(tac_topic: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tac_topic("D9001_TEST").parent
    tac_topic("D9002_TEST")
    with tarfile.open(tmp_path / "mixed.tar", "w") as tar:
        for file in sorted(root.rglob("*.txt"), key=lambda file: file.parts[-2]):
            tar.add(file, str(file.relative_to(root)))
        add(tar, "D9003_TEST", kind=tarfile.DIRTYPE)
    first, second, empty = read(tmp_path / "mixed.tar")
    assert isinstance(first, Topic)
    assert isinstance(second, Topic)
    assert first.documents == second.documents
    assert isinstance(empty, BrokenTopic)
    assert "D9003_TEST: no topic: an empty folder" in one_line(empty.error)
    monkeypatch.setattr("ilpsum.corpora.folders.BUFFER", 1000)
    with pytest.raises(InputError, match=r"D900[12]_TEST: its files stand far apart in the archive"):
        read(tmp_path / "mixed.tar")


def test_lines_of_a_bare_file(tac_topic: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join(
        (tac_topic(f"D900{n}_TEST", gold=False) / A.replace("9001", f"900{n}")).read_text() for n in (1, 2, 3)
    )
    bare = tmp_path / "bare.txt"
    bare.write_text(
        lines.replace("Citance Number: 2", "Citance Number: two", 1).replace("Topic ID: D9003_TEST |", "", 1)
    )
    first, second, third = read(bare)
    assert isinstance(first, BrokenTopic)
    assert "bare.txt:3: the Citance Number 'two' is not a number" in one_line(first.error)
    # The line without its topic stands after the second topic, whose it may be.
    assert isinstance(second, BrokenTopic)
    assert "bare.txt:11: no `Topic ID: ...`" in one_line(second.error)
    assert isinstance(third, Topic)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(lines.encode()))))
    assert [topic.id for topic in read(Path("-"))] == ["D9001_TEST", "D9002_TEST", "D9003_TEST"]


def test_the_command_line_tells_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "SYSX1").mkdir()
    (tmp_path / "broken.tar.gz").write_bytes(b"\x1f\x8b\x08\0 broken")
    status = main(["check", str(tmp_path / "SYSX1"), "--as", "tac", "--topics", str(tmp_path / "broken.tar.gz")])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith(f"ilpsum: {tmp_path / 'broken.tar.gz'}: not valid gzip data")
    assert err.count("\n") == 1


def test_bounds_are_as_stated() -> None:
    assert (files_module.MAX_LINE, files_module.MAX_TEXT) == (16 * 2**20, 32 * 2**20)
    assert len(BROKEN) + len(REMARKED) + len(MEMBERS) >= 30
