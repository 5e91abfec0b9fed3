"""The index of abstracts and the search over it."""

import gzip
import hashlib
import itertools
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.answers import entries, indexing, open_index
from ilpsum.answers.asked import as_written
from ilpsum.answers.entries import IndexedFile
from ilpsum.answers.indexing import Watch, default_folder, index_files, opened
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.weights import smoothed_idf
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.files.idf import load_idf, singular
from ilpsum.pipeline.terms import terms
from ilpsum.records import Document
from tests.json_lines import lines_of

NEWTS = [
    ("12", "Newts of the tarn", "Grey newts sing in cold ponds. Toads hum."),
    ("7", "Toads", "Toads hum in warm ponds, and newts never do."),
    ("101", "Frost", "Frost ends the song of newts in ponds. Newts sing again in spring."),
    ("9", "Moths", "Moths shed their scales."),
]


XML = (
    "<PubmedArticle><MedlineCitation><PMID>{0}</PMID><Article><ArticleTitle>{1}</ArticleTitle>"
    "<Abstract><AbstractText>{2}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
)


def write(path, entries, form="jsonl"):
    if form == "jsonl":
        text = lines_of({"pmid": p, "title": t, "abstract": a} for p, t, a in entries)
    elif form == "articles":
        rows = [{"pmid": p, "title": t, "abstractText": a, "year": "2011"} for p, t, a in entries]
        text = json.dumps({"articles": rows})
    else:
        articles = "".join(XML.format(*entry) for entry in entries)
        text = f"<PubmedArticleSet>{articles}</PubmedArticleSet>"
    data = text.encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def index_file(path: Path, folder: Path, watch: Watch | None = None) -> IndexedFile:
    collection, index = index_files([path], folder, watch)
    return index.files[next(iter(collection.paths))]


def home(folder: Path) -> Path:
    """The folder of the library's files; there is one."""
    (found,) = (path for path in folder.iterdir() if path.is_dir())
    return found


def ranking(found):
    return [(hit.document, round(hit.bm25, 9)) for hit in found.result.found]


def naive(entries, query):
    """BM25 as the docstring has it, in loops."""
    texts = {pmid: Counter(terms(f"{title}\n{abstract}")) for pmid, title, abstract in entries}
    mean = sum(t.total() for t in texts.values()) / len(texts)
    table = load_idf()
    word = {term: each for each in query.lower().split() for term in terms(each)}
    scores = {}
    for pmid, text in texts.items():
        for term, times in Counter(terms(query)).items():
            having = sum(term in other for other in texts.values())
            # The background counts as 1,000 texts, except for numbers.
            size = len(texts) + 1000 * (not term.isdigit())
            having += table.counts.get(singular(word.get(term, term)), 0) * 1000 / table.documents
            if text[term]:
                idf = math.log(1 + (size - having + 0.5) / (having + 0.5))
                room = 1.2 * (1 - 0.75 + 0.75 * text.total() / mean)
                score = times * idf * text[term] * 2.2 / (text[term] + room)
                scores[pmid] = scores.get(pmid, 0) + score
    rounded = ((pmid, round(score, 9)) for pmid, score in scores.items())
    return sorted(rounded, key=lambda entry: (-entry[1], int(entry[0])))


@pytest.mark.parametrize("listed", [1, 3, 40])
def test_listed_abstracts_are_found_however_many_others_rank_above_them(tmp_path, listed):
    # More than the index nominates at first contain the word more often.
    others = [(str(n), "Song", "Newts newts newts sing.") for n in range(1000, 1600)]
    loud = [(str(2000 + n), "Song", f"Newts sing {'loud ' * n}") for n in range(50)]
    path = write(tmp_path / "a.jsonl", others + loud)
    wanted = frozenset(str(n) for n in range(2000, 2000 + listed))
    found = AbstractSearch([path], tmp_path / "index", only=wanted)("newts", 20)
    everything = AbstractSearch([path], tmp_path / "index")("newts", 1000)
    assert ranking(found) == [entry for entry in ranking(everything) if entry[0] in wanted][:20]
    assert len(found.documents) == min(20, listed)
    none = AbstractSearch([path], tmp_path / "index", only=frozenset({"7"}))
    assert none("newts", 20).documents == ()


def test_it_ranks_as_the_formula_says(tmp_path):
    search = AbstractSearch([write(tmp_path / "a.jsonl", NEWTS)], tmp_path / "index")
    for query in ("Do newts sing in ponds?", "toads toads frost", "scales of moths"):
        assert ranking(search(query)) == naive(NEWTS, query)
    assert search("What of the?").documents == search("xylophone").documents == ()
    found = search("xylophone newts").result
    assert found.missing == ("xylophone",)
    newts = dict(found.weights)["newts"]
    assert found.coverage == pytest.approx(
        newts / (newts + smoothed_idf("xylophone", 0, found.searched))
    )


WORDS = st.lists(
    st.sampled_from("newt toad pond frost moth sing hum grey".split()), min_size=1, max_size=8
).map(" ".join)


@settings(deadline=None, max_examples=15)
@given(texts=st.lists(WORDS, min_size=2, max_size=9), query=WORDS, cut=st.integers(1, 8))
def test_several_files_rank_as_one(tmp_path_factory, texts, query, cut):
    folder = tmp_path_factory.mktemp("several")
    entries = [(str(n), "Title", text) for n, text in enumerate(texts, 1)]
    parts = [part for part in (entries[:cut], entries[cut:]) if part]
    files = [write(folder / f"{n}.jsonl", part) for n, part in enumerate(parts)]
    found = ranking(AbstractSearch(files, folder / "index")(query))
    assert found == naive(entries, query)
    assert found == ranking(
        AbstractSearch([write(folder / "all.jsonl", entries)], folder / "index")(query)
    )


QUERIES = (
    "Do newts sing in ponds?",
    "toads toads frost",
    "Is RNS loud?",
    "restless newt syndrome in moths",
)


def entries_of(number):
    """More of them than a search scores, in lengths that differ from file to file, with an abbreviation."""
    draw, words = random.Random(3), "newt toad pond frost moth sing hum grey loud".split()
    defined = "Restless newt syndrome (RNS) is rare."
    return [
        (
            str(n),
            "RNS" if n % 7 else "Moths",
            f"{defined if n % 3 else ''} {' '.join(draw.choices(words, k=n // 30))}",
        )
        for n in range(1, number + 1)
    ]


def test_many_files_rank_as_one(tmp_path):
    entries = entries_of(900)
    files = [write(tmp_path / f"{n}.jsonl", entries[n : n + 225]) for n in range(0, 900, 225)]
    one = AbstractSearch([write(tmp_path / "all.jsonl", entries)], tmp_path / "i")
    many, alone = AbstractSearch(files, tmp_path / "i"), AbstractSearch(files, tmp_path / "alone")
    for query in QUERIES:
        assert len(one(query).documents) == 20
        assert one(query) == many(query) == alone(query)
        assert one(query, 7) == many(query, 7) == alone(query, 7)


@settings(deadline=None, max_examples=15)
@given(
    texts=st.lists(WORDS, min_size=9, max_size=12),
    query=WORDS,
    draw=st.randoms(use_true_random=False),
)
def test_any_of_the_files_of_an_index_rank_as_if_they_were_alone(
    tmp_path_factory, texts, query, draw
):
    folder = tmp_path_factory.mktemp("subset")
    entries = [(str(n), "Title", text) for n, text in enumerate(texts, 1)]
    files = [write(folder / f"{n}.jsonl", [entry]) for n, entry in enumerate(entries)]
    AbstractSearch(files, folder / "index")
    chosen = draw.sample(range(len(files)), draw.randint(1, len(files)))
    some = AbstractSearch([files[n] for n in chosen], folder / "index")
    assert some.documents == len(chosen)
    assert ranking(some(query)) == naive([entries[n] for n in chosen], query)


@settings(deadline=None, max_examples=8)
@given(steps=st.lists(st.tuples(st.integers(0, 3), WORDS), min_size=2, max_size=8), query=WORDS)
def test_files_that_change_again_and_again_rank_as_a_fresh_index(tmp_path_factory, steps, query):
    folder, now = tmp_path_factory.mktemp("changes"), {}
    for number, text in steps:
        now[number] = [
            (str(number * 10 + n + 1), "Title", f"{text} {'moth ' * n}") for n in range(2)
        ]
        write(folder / f"{number}.jsonl", now[number])
        files = [folder / f"{n}.jsonl" for n in now]
        changed = AbstractSearch(files, folder / "index")
        entries = [entry for each in now.values() for entry in each]
        assert ranking(changed(query)) == naive(entries, query)
        assert changed._index.size >= changed._index._searcher.num_docs
    assert changed(query) == AbstractSearch(files, folder / "fresh")(query)


def test_a_changed_file_leaves_no_trace_in_the_counts_of_the_others(tmp_path):
    # All files are in one segment, so what is deleted stays there until the library merges.
    entries = entries_of(900)
    files = [write(tmp_path / f"{n}.jsonl", entries[n : n + 225]) for n in range(0, 900, 225)]
    AbstractSearch(files, tmp_path / "i")
    entries[225:450] = [(pmid, "Newts", f"{text} newts RNS") for pmid, _, text in entries[225:450]]
    write(files[1], entries[225:450])
    changed = AbstractSearch(files, tmp_path / "i")
    assert changed._index.size > changed._index._searcher.num_docs == changed.documents + len(files)
    fresh = AbstractSearch(files, tmp_path / "fresh")
    for query in QUERIES:
        assert changed(query) == fresh(query)
    assert len(opened(tmp_path / "i").files) == 4


@pytest.mark.parametrize("form", ["jsonl", "articles", "xml"])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_every_form(tmp_path, form, ending):
    search = AbstractSearch(
        [write(tmp_path / f"a.{form}{ending}", NEWTS, form)], tmp_path / "index"
    )
    (hit,) = search("scales").documents
    assert (hit.id, hit.title) == ("9", "Moths")
    assert hit.text == "Moths\nMoths shed their scales."
    assert [s.kind for s in hit.sections] == ["title", "abstract"]


def test_of_a_pmid_that_comes_twice_the_fuller_record_counts_and_of_equals_the_first(tmp_path):
    one = write(tmp_path / "1.jsonl", [("5", "Old", "newts sing"), ("5", "Two", "newts sing")])
    two = write(tmp_path / "2.jsonl", [("5", "New", "newts hum?")])
    full = write(tmp_path / "3.jsonl", [("5", "Full", "newts sing in ponds")])
    assert [h.title for h in AbstractSearch([one, two], tmp_path / "i")("newts").documents] == [
        "Old"
    ]
    assert [h.title for h in AbstractSearch([two, one], tmp_path / "i")("newts").documents] == [
        "New"
    ]
    assert [
        h.title for h in AbstractSearch([two, one, full], tmp_path / "i")("newts").documents
    ] == ["Full"]


def read_files(monkeypatch):
    """Names of the files that are read from now on."""
    read = []
    real = indexing.read_records
    monkeypatch.setattr(
        indexing,
        "read_records",
        lambda path: (read.append(path.name), real(path))[1],
    )
    return read


def test_a_new_file_leaves_what_is_there(tmp_path, monkeypatch):
    one, two = (
        write(tmp_path / f"{n}.jsonl", part) for n, part in enumerate((NEWTS[:2], NEWTS[2:]))
    )
    AbstractSearch([one], tmp_path / "i")
    read = read_files(monkeypatch)
    both = AbstractSearch([one, two], tmp_path / "i")
    assert read == ["1.jsonl"]
    assert ranking(both("newts")) == naive(NEWTS, "newts")
    assert ranking(AbstractSearch([one], tmp_path / "i")("newts")) == naive(NEWTS[:2], "newts")
    moved = one.rename(tmp_path / "moved.jsonl")
    AbstractSearch([moved, two], tmp_path / "i")
    assert read == ["1.jsonl"]


def test_a_file_that_changed_is_indexed_anew(tmp_path):
    path = write(tmp_path / "a.jsonl", NEWTS)
    before = path.stat()
    AbstractSearch([path], tmp_path / "i")
    changed = [(p, t, a.replace("scales", "wings!")) for p, t, a in NEWTS]
    write(path, changed)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    search = AbstractSearch([path], tmp_path / "i")
    assert search("scales").documents == ()
    assert ranking(search("wings")) == naive(changed, "wings")


@pytest.mark.parametrize("step", ["add", "add_record", "_add_file"])
def test_an_interrupted_build_continues_after_the_files_that_were_committed(
    tmp_path, monkeypatch, step
):
    entries = [(str(n), "Newts", f"song number {n} of newts") for n in range(1, 13)]
    files = [write(tmp_path / f"{n}.jsonl", entries[n : n + 3]) for n in range(0, 12, 3)]
    monkeypatch.setattr(indexing, "_COMMIT_EVERY", 3)
    before, again, real = AbstractSearch(files[:1], tmp_path / "i"), [], getattr(indexing, step)
    calls = iter(range(8 if step == "add" else 2))

    def interrupted(*given):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return real(*given)

    with monkeypatch.context() as patch:
        patch.setattr(indexing, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            AbstractSearch(files, tmp_path / "i")
    assert ranking(before("newts number")) == naive(entries[:3], "newts number")
    assert AbstractSearch(files[:3], tmp_path / "i").documents == 9
    search = AbstractSearch(files, tmp_path / "i", lambda found: watched(again, found))
    assert [document.id for document in again] == ["10", "11", "12"]
    assert ranking(search("newts number 7", 20)) == naive(entries, "newts number 7")


def watched(seen, records):
    for record in records:
        seen += [record.document] if record.document else []
        yield record


# The description, `meta.json`, has no checksum.
@pytest.mark.parametrize(
    ("ending", "how"),
    [
        *itertools.product(
            ["store", "term", "fieldnorm", "idx", "fast", "meta.json"], ["emptied", "cut", "gone"]
        ),
        *itertools.product(["store", "term", "fieldnorm", "idx", "fast"], ["changed"]),
    ],
)
def test_a_damaged_index_is_built_again_which_is_told(tmp_path, capfd, ending, how):
    path = write(tmp_path / "a.jsonl", NEWTS)
    expected = ranking(AbstractSearch([path], tmp_path / "i")("newts sing in ponds"))
    (damaged,) = home(tmp_path / "i").glob(f"*{ending}")
    data = damaged.read_bytes()
    # Not in its place, which is mapped into memory.
    damaged.unlink()
    half = len(data) // 2
    if how == "cut":
        damaged.write_bytes(data[:half])
    elif how == "changed":
        damaged.write_bytes(data[:half] + bytes([data[half] ^ 1]) + data[half + 1 :])
    elif how == "emptied":
        damaged.write_bytes(b"")
    again = AbstractSearch([path], tmp_path / "i")
    assert again.warnings == (f"{tmp_path / 'i'}: the index is damaged and is rebuilt",)
    assert ranking(again("newts sing in ponds")) == expected
    assert AbstractSearch([path], tmp_path / "i").warnings == ()
    assert capfd.readouterr().err == ""  # no backtrace of the search library


@pytest.mark.parametrize("left", [(), ("meta.json",), (".tantivy-writer.lock", ".managed.json")])
def test_a_build_that_was_interrupted_as_it_began_is_no_damage(tmp_path, left):
    path = write(tmp_path / "a.jsonl", NEWTS)
    AbstractSearch([path], tmp_path / "i")
    for file in home(tmp_path / "i").iterdir():
        file.unlink()
    for name in left:
        (home(tmp_path / "i") / name).write_bytes(b"")
    assert AbstractSearch([path], tmp_path / "i").warnings == ()


@pytest.mark.parametrize("most", [4, 4_000_000_000])
def test_an_index_that_declares_other_numbers_is_built_again(tmp_path, most):
    path = write(tmp_path / "a.jsonl", NEWTS)
    expected = ranking(AbstractSearch([path], tmp_path / "i")("newts sing in ponds"))
    meta = home(tmp_path / "i") / "meta.json"
    known = json.loads(meta.read_text())
    known["segments"][0]["max_doc"] = most
    meta.write_text(json.dumps(known))
    again = AbstractSearch([path], tmp_path / "i")
    assert again.warnings == (f"{tmp_path / 'i'}: the index is damaged and is rebuilt",)
    assert ranking(again("newts sing in ponds")) == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields[::-1],
        lambda fields: fields[:-1],
        lambda fields: fields[:-2],
        lambda fields: [*fields[:-1], fields[-1] | {"name": "newts"}],
    ],
)
def test_an_index_with_other_fields_is_built_again(tmp_path, capfd, change):
    path = write(tmp_path / "a.jsonl", NEWTS)
    AbstractSearch([path], tmp_path / "i")
    meta = home(tmp_path / "i") / "meta.json"
    known = json.loads(meta.read_text())
    meta.write_text(json.dumps(known | {"schema": change(known["schema"])}))
    assert AbstractSearch([path], tmp_path / "i").warnings == (
        f"{tmp_path / 'i'}: the index is damaged and is rebuilt",
    )
    assert capfd.readouterr().err == ""


def test_a_lock_file_that_appears_while_a_damaged_index_is_removed_does_no_harm(
    tmp_path, monkeypatch
):
    path = write(tmp_path / "a.jsonl", NEWTS)
    expected = ranking(AbstractSearch([path], tmp_path / "i")("newts sing in ponds"))
    damaged = home(tmp_path / "i")
    (damaged / "meta.json").write_text("{}")
    rmdir = os.rmdir

    def watched(folder, **options):
        if damaged.exists():
            (damaged / ".tantivy-meta.lock").touch()
        rmdir(folder, **options)

    monkeypatch.setattr(os, "rmdir", watched)
    again = AbstractSearch([path], tmp_path / "i")
    assert ranking(again("newts sing in ponds")) == expected
    assert [p.name for p in (tmp_path / "i").iterdir() if p.is_dir()] == [damaged.name]


def test_indexes_of_other_versions_are_removed_and_nothing_else(tmp_path):
    path = write(tmp_path / "a.jsonl", NEWTS)
    AbstractSearch([path], tmp_path / "i")
    # Not a changed version of the program: the library may still read what has just been opened.
    home(tmp_path / "i").rename(tmp_path / "i" / "index-9-0.25.1")
    for name in ("0" * 64, f".{'1' * 64}.part", "thesis", "index-mine"):
        (tmp_path / "i" / name).mkdir(parents=True)
    search = AbstractSearch([path], tmp_path / "i")
    assert ranking(search("newts")) == naive(NEWTS, "newts")
    folders = {p.name for p in (tmp_path / "i").iterdir() if p.is_dir()}
    assert {"thesis", "index-mine", indexing._home(tmp_path / "i").name} == folders


@pytest.mark.parametrize("suffix", ["store", "idx"])
def test_an_index_that_is_damaged_unseen_gives_one_line(tmp_path, suffix):
    path = write(
        tmp_path / "a.jsonl",
        [(str(n), "Newts", f"newts sing {n} songs " * 50) for n in range(1, 501)],
    )
    AbstractSearch([path], tmp_path / "i")
    (file,) = home(tmp_path / "i").glob(f"*.{suffix}")
    data, written = file.read_bytes(), file.stat().st_mtime_ns
    file.unlink()
    file.write_bytes(bytes(len(data) // 2) + data[len(data) // 2 :])
    # As a failing disk does: the file keeps its time, so its checksum is not compared.
    os.utime(file, ns=(written, written))
    search = AbstractSearch([path], tmp_path / "i")
    with pytest.raises(
        InputError, match=r"the index is damaged; remove this folder and run again$"
    ):
        [search(word) for word in ("newts sing", "songs 7", "songs 499")]


def test_who_has_an_index_open_keeps_it_when_it_is_replaced_and_when_it_is_removed(tmp_path):
    path = write(tmp_path / "a.jsonl", NEWTS)
    search, expected = AbstractSearch([path], tmp_path / "i"), naive(NEWTS, "newts sing")
    (home(tmp_path / "i") / "meta.json").unlink()
    assert AbstractSearch([path], tmp_path / "i").warnings
    assert ranking(search("newts sing")) == expected
    # Under another name no thread of the library's leaves a lock file in it meanwhile.
    shutil.rmtree((tmp_path / "i").rename(tmp_path / "gone"))
    assert ranking(search("newts sing")) == expected


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need privileges there")
@pytest.mark.parametrize("name", ["index", "index-0-0", ".lock"])
def test_a_build_follows_no_link(tmp_path, name):
    path, theirs = write(tmp_path / "a.jsonl", NEWTS), tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "meta.json").write_text("keep me")
    (tmp_path / "i").mkdir()
    place = indexing._home(tmp_path / "i") if name == "index" else tmp_path / "i" / name
    place.symlink_to(theirs if name.startswith("index") else theirs / "meta.json")
    if name != "index-0-0":
        with pytest.raises(UsageError, match=r"move .* away|name another folder"):
            AbstractSearch([path], tmp_path / "i")
    else:
        assert AbstractSearch([path], tmp_path / "i").documents == 4
    assert [(file.name, file.read_text()) for file in theirs.iterdir()] == [
        ("meta.json", "keep me")
    ]


_LIMITED = """
import resource, sys
from ilpsum.cli import main
from ilpsum.answers import indexing
indexing._HEAP = 15 * 2**20
if int(sys.argv[1]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
@pytest.mark.parametrize("limit", [1, 300, 5000])
def test_a_disk_that_fills_is_one_line_and_the_next_call_goes_on(tmp_path, limit):
    path = write(
        tmp_path / "a.jsonl",
        [(str(n), "Newts", f"newts sing {n} songs in w{n}") for n in range(1, 501)],
    )

    def called(limit):
        question = ("ask", "Do newts sing w7?", "--documents", path, "--index", tmp_path / "i")
        command = [sys.executable, "-c", _LIMITED, limit, *question, "--quiet"]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    status, _, error = called(limit)
    assert status == 1
    assert len(error.splitlines()) == 1
    assert "cannot be written (" in error
    assert "run again" in error
    status, answer, error = called(0)
    assert (status, error) == (0, "")
    assert "newts sing 7 songs" in answer


def test_a_folder_of_indexes_that_cannot_be_made_is_wrong_usage(tmp_path):
    path = write(tmp_path / "a.jsonl", NEWTS)
    (tmp_path / "file").write_text("keep me")
    for folder in (tmp_path / "file", tmp_path / "file" / "i"):
        with pytest.raises(
            UsageError, match=r"cannot be written \(.*\); name another folder for the index"
        ):
            AbstractSearch([path], folder)


def test_two_processes_do_not_build_one_index_and_what_it_has_is_searched_meanwhile(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(indexing, "_PATIENCE", 0.0)
    path, other = write(tmp_path / "a.jsonl", NEWTS), write(tmp_path / "b.jsonl", NEWTS[:2])
    index_file(other, tmp_path / "i")

    def watch(found):
        with pytest.raises(IlpsumError, match=r"another process is building this index"):
            index_file(path, tmp_path / "i")
        assert ranking(AbstractSearch([other], tmp_path / "i")("newts")) == naive(
            NEWTS[:2], "newts"
        )
        return found

    assert index_file(path, tmp_path / "i", watch).documents == 4
    assert [p.name for p in (tmp_path / "i").iterdir() if p.name.startswith(".")] == []
    assert index_file(path, tmp_path / "i").documents == 4


def test_what_cannot_be_read_is_said_each_time(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"pmid": p, "title": t, "abstract": a}) for p, t, a in NEWTS]
    path.write_text(
        "\n".join([lines[0], '{"pmid": "x"}', "{", lines[1], '{"pmid": 4, "title": "No abstract"}'])
    )
    for _ in range(2):
        search = AbstractSearch([path], tmp_path / "i")
        assert search.documents == 2
        untitled, told = search.warnings
        assert untitled == "a.jsonl: skipped 1 record without an abstract"
        assert "skipped 2 records that cannot be read" in told
        assert "a.jsonl:2: " in told


def test_what_cannot_be_indexed(tmp_path):
    with pytest.raises(UsageError, match="standard input"):
        AbstractSearch(["-"], tmp_path)
    with pytest.raises(UsageError, match="nothing to search"):
        AbstractSearch([], tmp_path)
    with pytest.raises(InputError, match="no such file or folder; check the path"):
        AbstractSearch([tmp_path / "none.jsonl"], tmp_path)
    (tmp_path / "x").write_text("no abstracts")
    with pytest.raises(InputError, match="plain text or topics, not abstracts"):
        AbstractSearch([tmp_path / "x"], tmp_path / "i")


def test_the_default_folder_is_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "ilpsum" / "index"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_folder() == Path.home() / ".cache" / "ilpsum" / "index"


@pytest.fixture
def read(monkeypatch):
    """An entry for each time that the bytes of a file are read for its digest."""
    names = []
    real = hashlib.file_digest

    def digest(stream, name):
        names.append(name)
        return real(stream, name)

    monkeypatch.setattr(hashlib, "file_digest", digest)
    monkeypatch.setattr(indexing, "_FRESH", -1)
    return names


def test_unchanged_files_are_not_read_again(tmp_path, read):
    path = write(tmp_path / "a.jsonl", NEWTS)
    first = index_file(path, tmp_path / "i")
    read.clear()
    assert index_file(path, tmp_path / "i") == first
    assert read == []
    # A file with the same size and modification time, but other content, is read.
    times = path.stat()
    write(path, [(p, t, a.replace("scales", "wings!")) for p, t, a in NEWTS])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert index_file(path, tmp_path / "i").digest != first.digest
    assert read
    # So is one that another file of its size replaced.
    path.rename(tmp_path / "moved.jsonl")
    write(path, NEWTS)
    assert index_file(path, tmp_path / "i") == replace(first, state=indexing._state(path))


def test_the_place_of_a_large_file_that_was_moved_is_noted(tmp_path, read, monkeypatch):
    monkeypatch.setattr(indexing, "_LARGE", 1)
    path = write(tmp_path / "a.jsonl", NEWTS)
    first = index_file(path, tmp_path / "i")
    moved = path.rename(tmp_path / "moved.jsonl")
    read.clear()
    found = index_file(moved, tmp_path / "i")
    assert found == replace(first, path=str(moved), state=indexing._state(moved))
    assert len(read) == 1
    assert index_file(moved, tmp_path / "i") == found
    assert len(read) == 1
    assert ranking(AbstractSearch([moved], tmp_path / "i")("newts")) == naive(NEWTS, "newts")
    # Another process builds the index: the file is hashed again.
    again = moved.rename(path)
    with indexing.locked(tmp_path / "i" / ".lock", "is building it"):
        assert index_file(again, tmp_path / "i") == found
    assert len(read) == 2


def test_a_file_that_has_just_changed_is_not_trusted(tmp_path, read, monkeypatch):
    monkeypatch.setattr(indexing, "_FRESH", 10**18)
    path = write(tmp_path / "a.jsonl", NEWTS)
    first = index_file(path, tmp_path / "i")
    assert first.state == ()
    read.clear()
    monkeypatch.setattr(indexing, "_FRESH", -1)
    assert index_file(path, tmp_path / "i") == first
    assert len(read) == 1


def test_processes_that_search_at_once_all_find_the_same(tmp_path):
    entries = entries_of(90)
    files = [write(tmp_path / f"{n}.jsonl", entries[n : n + 10]) for n in range(0, 90, 10)]
    AbstractSearch(files, tmp_path / "i")
    code = (
        "import sys; from ilpsum.answers.searching import AbstractSearch\n"
        "print([h.id for h in AbstractSearch(sys.argv[2:], sys.argv[1])('newts').documents])"
    )
    command = [sys.executable, "-c", code, *map(str, (tmp_path / "i", *files))]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    wanted = str([pmid for pmid, _ in naive(entries, "newts")[:20]])
    assert [process.communicate()[0].strip() for process in running] == [wanted] * 2


def pubmed_file(path, records, deleted=()):
    articles = "".join(XML.format(*record) for record in records)
    gone = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deleted)
    gone = f"<DeleteCitation>{gone}</DeleteCitation>" if deleted else ""
    path.write_text(f"<PubmedArticleSet>{articles}{gone}</PubmedArticleSet>")
    return path


def test_of_pubmeds_files_the_newest_record_counts_and_withdrawn_ones_are_not_found(tmp_path):
    texts = (
        ("1", "Old", "newts sing"),
        ("2", "Gone", "newts sing"),
        ("3", "Old", "newts hum"),
        ("4", "Kept", "newts"),
    )
    base = pubmed_file(tmp_path / "pubmed26n0001.xml", texts)
    first = pubmed_file(
        tmp_path / "pubmed26n1335.xml",
        [("1", "New", "newts newts sing"), ("3", "New", "toads")],
        ["2"],
    )
    second = pubmed_file(
        tmp_path / "pubmed26n1336.xml",
        [("2", "Back", "newts sing"), ("1", "Newest", "newts")],
        ["4"],
    )

    def titles(*files, query="newts"):
        search = AbstractSearch(files, tmp_path / "i")
        return {hit.id: hit.title for hit in search(query).documents}

    assert titles(base) == {"1": "Old", "2": "Gone", "3": "Old", "4": "Kept"}
    # The new record of 3 has no newts, and its old one is not found either.
    assert titles(base, first) == titles(first, base) == {"1": "New", "4": "Kept"}
    assert titles(base, first, query="hum") == {}
    assert (
        titles(base, first, second) == titles(second, base, first) == {"1": "Newest", "2": "Back"}
    )
    # Of files with other names, the fuller record counts, and of equals the first.
    own = pubmed_file(
        tmp_path / "own.xml", [("1", "Own", "newts newts sing"), ("9", "Own", "newts")]
    )
    assert titles(own, base, first) == {"1": "Own", "9": "Own", "4": "Kept"}
    assert titles(base, first, own) == {"1": "New", "4": "Kept", "9": "Own"}


def test_a_second_process_waits_for_the_one_that_builds_the_index(tmp_path, caplog):
    path = write(tmp_path / "a.jsonl", NEWTS)
    second = threading.Thread(target=index_file, args=(path, tmp_path / "i"))
    calls = []

    def watch(found):
        calls.append(path)
        second.start()
        deadline = time.monotonic() + 60
        while not caplog.records and time.monotonic() < deadline:
            time.sleep(0.01)
        return found

    index_file(path, tmp_path / "i", watch)
    second.join(60)
    assert not second.is_alive()
    (record,) = caplog.records
    assert re.search(
        r"another process is building this index; waiting up to 600 seconds", record.getMessage()
    )
    assert AbstractSearch([path], tmp_path / "i").documents == len(NEWTS)
    assert calls == [path]


def test_an_index_that_is_cut_off_while_it_is_open_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(open_index, "_CHECKED", 0.0)
    path = write(tmp_path / "a.jsonl", NEWTS)
    search = AbstractSearch([path], tmp_path / "i")
    assert search("newts").documents
    cut = [
        file
        for file in (tmp_path / "i").rglob("*.*")
        if file.suffix in (".store", ".idx", ".term", ".pos")
    ]
    assert len(cut) == 4
    for file in cut:
        # A file cut in place would end this process (SIGBUS) if tantivy's watcher of the index,
        # which opens it once more in a thread, still reads it.
        file.unlink()
        file.touch()
    with pytest.raises(InputError, match="the index is damaged"):
        search("songs")
    assert AbstractSearch([path], tmp_path / "i").documents == len(NEWTS)


def test_an_entry_that_is_packed_to_fill_the_memory_is_damaged(monkeypatch):
    monkeypatch.setattr(entries, "_MOST_BYTES", 2**10)
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS, zdict=entries._USUAL)
    packed = packing.compress(b'"' + b"x" * 2**20 + b'"') + packing.flush()
    with pytest.raises(ValueError, match="truncated"):
        entries.stored({"stored": [packed]}, str)
    with pytest.raises(ValueError, match="invalid"):
        entries.stored({"stored": [b"\xff\xff\xff"]}, str)


def test_a_question_has_a_greatest_length_and_many_words_take_linear_time():
    search = AbstractSearch.of_documents([Document("1", "Newts sing.")])
    with pytest.raises(UsageError, match=r"at most 10,000 characters, got 10,001; shorten it"):
        search("n" * 10_001)
    # Each word of a long question is looked up once in a table of its words.
    words = [f"newt{i}x" for i in range(900)]
    assert [as_written(word, f"Do {', '.join(words)} sing?") for word in words] == words
