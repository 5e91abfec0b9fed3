"""The index of abstracts and the search over it."""

import gzip
import hashlib
import json
import math
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.corpora import pubmed
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.io import digests
from ilpsum.retrieval import AbstractSearch, default_folder, indexing
from ilpsum.retrieval.analysis import terms
from ilpsum.retrieval.checksums import is_intact
from ilpsum.retrieval.indexing import FileIndex, Watch, index_files, unwatched

NEWTS = [
    ("12", "Newts of the tarn", "Grey newts sing in cold ponds. Toads hum."),
    ("7", "Toads", "Toads hum in warm ponds, and newts never do."),
    ("101", "Frost", "Frost ends the song of newts in ponds. Newts sing again in spring."),
    ("9", "Moths", "Moths shed their scales."),
]


def write(path, entries, form="jsonl"):
    if form == "jsonl":
        text = "".join(json.dumps({"pmid": p, "title": t, "abstract": a}) + "\n" for p, t, a in entries)
    elif form == "articles":
        text = json.dumps(
            {"articles": [{"pmid": p, "title": t, "abstractText": a, "year": "2011"} for p, t, a in entries]}
        )
    else:
        body = "".join(
            f"<PubmedArticle><MedlineCitation><PMID>{p}</PMID><Article><ArticleTitle>{t}</ArticleTitle><Abstract>"
            f"<AbstractText>{a}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
            for p, t, a in entries
        )
        text = f"<PubmedArticleSet>{body}</PubmedArticleSet>"
    data = text.encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def index_file(path: Path, folder: Path, watch: Watch = unwatched) -> FileIndex:
    return index_files([path], folder, watch)[0][0]


def ranking(found):
    return [(hit.document.id, round(hit.score, 9)) for hit in found.hits]


def naive(entries, query):
    """BM25 as the docstring has it, in loops."""
    texts = {pmid: Counter(terms(f"{title}\n{abstract}")) for pmid, title, abstract in entries}
    mean = sum(t.total() for t in texts.values()) / len(texts)
    scores = {}
    for pmid, text in texts.items():
        for term, times in Counter(terms(query)).items():
            having = sum(term in other for other in texts.values())
            if text[term]:
                idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
                room = 1.2 * (1 - 0.75 + 0.75 * text.total() / mean)
                scores[pmid] = scores.get(pmid, 0) + times * idf * text[term] * 2.2 / (text[term] + room)
    return sorted(((p, round(s, 9)) for p, s in scores.items()), key=lambda entry: (-entry[1], int(entry[0])))


@pytest.mark.parametrize("listed", [1, 3, 40])
def test_listed_abstracts_are_found_however_many_others_rank_above_them(tmp_path, listed):
    # More than the index nominates at first contain the word more often.
    others = [(str(n), "Song", "Newts newts newts sing.") for n in range(1000, 1600)]
    entries = [*others, *((str(n), "Song", f"Newts sing {'loud ' * (n - 2000)}") for n in range(2000, 2050))]
    path, wanted = write(tmp_path / "a.jsonl", entries), [str(n) for n in range(2000, 2000 + listed)]
    found = AbstractSearch([path], tmp_path / "index", only=frozenset(wanted))("newts", 20)
    everything = AbstractSearch([path], tmp_path / "index")("newts", 1000)
    assert ranking(found) == [entry for entry in ranking(everything) if entry[0] in wanted][:20]
    assert len(found.hits) == min(20, listed)
    assert AbstractSearch([path], tmp_path / "index", only=frozenset({"7"}))("newts", 20).hits == ()


def test_it_ranks_as_the_formula_says(tmp_path):
    search = AbstractSearch([write(tmp_path / "a.jsonl", NEWTS)], tmp_path / "index")
    for query in ("Do newts sing in ponds?", "toads toads frost", "scales of moths"):
        assert ranking(search(query)) == naive(NEWTS, query)
    assert search("What of the?").hits == search("xylophone").hits == ()
    assert search("xylophone newts").coverage == pytest.approx(
        (w := search("xylophone newts").weights)["newt"] / sum(w.values())
    )


WORDS = st.lists(st.sampled_from("newt toad pond frost moth sing hum grey".split()), min_size=1, max_size=8).map(
    " ".join
)


@settings(deadline=None, max_examples=15)
@given(texts=st.lists(WORDS, min_size=2, max_size=9), query=WORDS, cut=st.integers(1, 8))
def test_several_files_rank_as_one(tmp_path_factory, texts, query, cut):
    folder = tmp_path_factory.mktemp("several")
    entries = [(str(n), "Title", text) for n, text in enumerate(texts, 1)]
    parts = [part for part in (entries[:cut], entries[cut:]) if part]
    files = [write(folder / f"{n}.jsonl", part) for n, part in enumerate(parts)]
    found = ranking(AbstractSearch(files, folder / "index")(query))
    assert found == naive(entries, query)
    assert found == ranking(AbstractSearch([write(folder / "all.jsonl", entries)], folder / "index")(query))


def test_many_files_rank_as_one_with_more_abstracts_than_are_scored_and_an_abbreviation(tmp_path):
    # Each file has more of them than the candidates of a search, in lengths that differ from file to file.
    draw, words = random.Random(3), "newt toad pond frost moth sing hum grey loud".split()
    defined = "Restless newt syndrome (RNS) is rare."
    entries = [
        (str(n), "RNS" if n % 7 else "Moths", f"{defined if n % 3 else ''} {' '.join(draw.choices(words, k=n // 30))}")
        for n in range(1, 901)
    ]
    files = [write(tmp_path / f"{n}.jsonl", entries[n : n + 225]) for n in range(0, 900, 225)]
    many = AbstractSearch(files, tmp_path / "i")
    one = AbstractSearch([write(tmp_path / "all.jsonl", entries)], tmp_path / "i")
    for query in ("Do newts sing in ponds?", "toads toads frost", "Is RNS loud?", "restless newt syndrome in moths"):
        assert ranking(many(query)) == ranking(one(query))
        assert many(query).alternatives == one(query).alternatives


@pytest.mark.parametrize("form", ["jsonl", "articles", "xml"])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_every_form(tmp_path, form, ending):
    search = AbstractSearch([write(tmp_path / f"a.{form}{ending}", NEWTS, form)], tmp_path / "index")
    (hit,) = search("scales").hits
    assert (hit.document.id, hit.document.title) == ("9", "Moths")
    assert hit.document.text == "Moths\nMoths shed their scales."
    assert [s.kind for s in hit.document.sections] == ["title", "abstract"]


def test_of_a_pmid_that_comes_twice_the_first_counts(tmp_path):
    one = write(tmp_path / "1.jsonl", [("5", "Old", "newts sing"), ("5", "Older", "newts sing newts")])
    two = write(tmp_path / "2.jsonl", [("5", "New", "newts newts newts")])
    assert [h.document.title for h in AbstractSearch([one, two], tmp_path / "i")("newts").hits] == ["Old"]
    assert [h.document.title for h in AbstractSearch([two, one], tmp_path / "i")("newts").hits] == ["New"]


def read_files(monkeypatch):
    """Names of the files that are read from now on."""
    read = []
    real = pubmed.documents
    monkeypatch.setattr(pubmed, "documents", lambda path, gone: (read.append(Path(path).name), real(path, gone))[1])
    return read


def test_a_new_file_leaves_what_is_there(tmp_path, monkeypatch):
    one, two = (write(tmp_path / f"{n}.jsonl", part) for n, part in enumerate((NEWTS[:2], NEWTS[2:])))
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
    assert search("scales").hits == ()
    assert ranking(search("wings")) == naive(changed, "wings")


def cut_after(number):
    def watch(documents, _):
        for place, document in enumerate(documents):
            if place == number:
                raise KeyboardInterrupt
            yield document

    return watch


def test_what_was_cut_off_goes_on_from_its_last_commit(tmp_path, monkeypatch):
    from tantivy import Index

    entries = [(str(n), "Newts", f"song number {n} of newts") for n in range(1, 12)]
    path = write(tmp_path / "a.jsonl", entries)
    monkeypatch.setattr(indexing, "_COMMIT_EVERY", 3)
    with pytest.raises(KeyboardInterrupt):
        index_file(path, tmp_path / "i", cut_after(8))
    (folder,) = (tmp_path / "i").iterdir()
    assert Index.open(str(folder)).searcher().num_docs == 6
    assert not (folder / "done.json").exists()
    search = AbstractSearch([path], tmp_path / "i")
    assert search.documents == 11
    assert ranking(search("newts number 7", 20)) == naive(entries, "newts number 7")


def test_what_is_damaged_or_of_another_version_is_built_again(tmp_path, monkeypatch):
    path = write(tmp_path / "a.jsonl", NEWTS)
    index = index_file(path, tmp_path / "i")
    for damage in ("store", "idx", "meta"):
        next(index.volume.folder.glob(f"*{damage}*")).unlink()
        assert ranking(AbstractSearch([path], tmp_path / "i")("newts")) == naive(NEWTS, "newts")
    (index.volume.folder / "done.json").write_text("{")
    assert AbstractSearch([path], tmp_path / "i").documents == 4
    monkeypatch.setattr(indexing, "_FORMAT", 0)
    again = index_file(path, tmp_path / "i")
    assert "rebuilt" in again.warnings[0]
    assert index_file(path, tmp_path / "i").warnings == ()


@pytest.mark.parametrize("how", ["flipped", "cut", "gone"])
@pytest.mark.parametrize("ending", ["store", "term", "fieldnorm", "idx", "pos", "fast", "meta.json", "done.json"])
def test_a_damaged_index_is_built_again_which_is_told(tmp_path, ending, how):
    path = write(tmp_path / "a.jsonl", NEWTS)
    whole = AbstractSearch([path], tmp_path / "i")
    expected = ranking(whole("newts sing in ponds"))
    assert whole.warnings == ()
    (damaged,) = [p for p in whole.files[0].volume.folder.iterdir() if p.name.endswith(ending)]
    data, middle = damaged.read_bytes(), damaged.stat().st_size // 2
    # Not in its place, which is mapped into memory.
    damaged.unlink()
    if how == "flipped":
        damaged.write_bytes(data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :])
    elif how == "cut":
        damaged.write_bytes(data[:middle])
    again = AbstractSearch([path], tmp_path / "i")
    assert again.warnings == ("a.jsonl: its index is damaged and is rebuilt",)
    assert ranking(again("newts sing in ponds")) == expected
    assert AbstractSearch([path], tmp_path / "i").warnings == ()


def test_an_index_that_is_damaged_during_a_search_is_told_in_a_line(tmp_path):
    search = AbstractSearch([write(tmp_path / "a.jsonl", NEWTS)], tmp_path / "i")
    (store,) = search.files[0].volume.folder.glob("*.store")
    store.chmod(0o600)
    with store.open("r+b") as stream:
        stream.write(b"\xff" * 64)
    with pytest.raises(InputError, match="run again to rebuild it"):
        search("newts")


def test_an_index_that_is_built_again_under_a_search_does_not_disturb_it(tmp_path):
    path = write(tmp_path / "a.jsonl", NEWTS)
    search = AbstractSearch([path], tmp_path / "i")
    (search.files[0].volume.folder / "begun.json").write_text("{}")
    again = AbstractSearch([path], tmp_path / "i")
    assert "rebuilt" in again.warnings[0]
    assert ranking(search("newts sing")) == ranking(again("newts sing")) == naive(NEWTS, "newts sing")
    modes = {p.suffix: p.stat().st_mode & 0o222 for p in again.files[0].volume.folder.iterdir() if p.name[0] != "."}
    assert {suffix for suffix, mode in modes.items() if mode} == {".json"}


@pytest.mark.skipif(sys.platform == "win32", reason="no file that is mapped can be changed there")
@pytest.mark.parametrize("how", ["cut", "overwritten"])
def test_an_index_that_is_overwritten_while_it_is_open_does_not_end_the_process(tmp_path, how):
    path = write(tmp_path / "a.jsonl", [(str(n), "Newts", f"newts sing {n} songs " * 50) for n in range(1, 501)])
    search = AbstractSearch([path], tmp_path / "i")
    assert len(search("newts sing").hits) == 20
    for file in search.files[0].volume.folder.iterdir():
        file.chmod(0o600)
        with file.open("r+b") as stream:
            if how == "cut":
                stream.truncate(0)
            else:
                stream.write(bytes(file.stat().st_size))
    with pytest.raises(InputError, match="the index was damaged after it was opened; run again"):
        search("newts sing")
    again = AbstractSearch([path], tmp_path / "i")
    assert again.warnings == ("a.jsonl: its index was built by another version and is rebuilt",)
    assert len(again("newts sing").hits) == 20


def test_who_has_an_index_open_keeps_it_when_it_is_replaced_and_when_it_is_removed(tmp_path):
    path = write(tmp_path / "a.jsonl", NEWTS)
    search, expected = AbstractSearch([path], tmp_path / "i"), naive(NEWTS, "newts sing")
    (search.files[0].volume.folder / "done.json").unlink()
    assert AbstractSearch([path], tmp_path / "i").warnings
    assert ranking(search("newts sing")) == expected
    shutil.rmtree(tmp_path / "i")
    assert ranking(search("newts sing")) == expected


@pytest.mark.parametrize("kept", [0, 3, 8, 50, -1])
@pytest.mark.parametrize("suffix", ["fast", "fieldnorm", "idx", "pos", "store", "term"])
def test_no_file_of_an_interrupted_build_that_was_cut_off_is_opened(tmp_path, monkeypatch, capfd, suffix, kept):
    entries = [(str(n), "Newts", f"song number {n} of newts") for n in range(1, 12)]
    path, folder = write(tmp_path / "a.jsonl", entries), tmp_path / "i"
    monkeypatch.setattr(indexing, "_COMMIT_EVERY", 3)
    with pytest.raises(KeyboardInterrupt):
        index_file(path, folder, cut_after(8))
    (part,) = folder.iterdir()
    for file in part.glob(f"*.{suffix}"):  # also of what was not committed
        file.write_bytes(file.read_bytes()[:kept])
    assert not is_intact(part)
    assert ranking(AbstractSearch([path], folder)("newts number 7", 20)) == naive(entries, "newts number 7")
    assert capfd.readouterr().err == ""  # no backtrace of the search library


def test_an_interrupted_build_that_was_damaged_starts_over(tmp_path, monkeypatch):
    entries = [(str(n), "Newts", f"song number {n} of newts") for n in range(1, 12)]
    path = write(tmp_path / "a.jsonl", entries)
    monkeypatch.setattr(indexing, "_COMMIT_EVERY", 3)
    for name in ("meta.json", "*.term", "*.store", "begun.json"):
        folder = tmp_path / name.strip("*")
        with pytest.raises(KeyboardInterrupt):
            index_file(path, folder, cut_after(8))
        (part,) = folder.iterdir()
        assert is_intact(part)
        for file in part.glob(name):
            file.unlink()
        search = AbstractSearch([path], folder)
        assert ranking(search("newts number 7", 20)) == naive(entries, "newts number 7")


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need privileges there")
@pytest.mark.parametrize("inside", [False, True])
def test_a_build_follows_no_link(tmp_path, inside):
    path, digest = write(tmp_path / "a.jsonl", NEWTS), hashlib.sha256((tmp_path / "a.jsonl").read_bytes()).hexdigest()
    theirs, part = tmp_path / "theirs", tmp_path / "i" / f".{digest}.part"
    theirs.mkdir()
    (theirs / "meta.json").write_text("keep me")
    if inside:
        part.mkdir(parents=True)
        (part / "meta.json").symlink_to(theirs / "meta.json")
    else:
        part.parent.mkdir()
        part.symlink_to(theirs)
    with pytest.raises(UsageError, match="was expected here, got a link; move it away"):
        AbstractSearch([path], tmp_path / "i")
    assert [(file.name, file.read_text()) for file in theirs.iterdir()] == [("meta.json", "keep me")]


@pytest.mark.parametrize("digest", ["../precious", "/precious", ""])
def test_the_remembered_digests_name_no_other_folder(tmp_path, digest):
    path = write(tmp_path / "a.jsonl", NEWTS)
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis").write_text("keep me")
    key = [*digests.state(path), digest.replace("/prec", f"{tmp_path}/prec") if digest[:1] == "/" else digest]
    (tmp_path / "i").mkdir()
    (tmp_path / "i" / "digests.json").write_text(json.dumps({"format": 1, "files": {str(path): key}}))
    assert AbstractSearch([path], tmp_path / "i").documents == 4
    assert (tmp_path / "precious" / "thesis").read_text() == "keep me"


_LONG = json.dumps({"format": 1, "files": {"a" * 5000: [1, 1, 1, 1, 1, "0" * 64], "\0": [1, 1, 1, 1, 1, "0" * 64]}})


@pytest.mark.parametrize(
    "text", [_LONG, "", "{", "[" * 100_000, '{"format": 1, "files": {"a": [1e999, 1, 1, 1, 1, "x"]}}', "null"]
)
def test_damaged_remembered_digests_count_as_none(tmp_path, text):
    (tmp_path / "i").mkdir()
    (tmp_path / "i" / "digests.json").write_text(text)
    assert AbstractSearch([write(tmp_path / "a.jsonl", NEWTS)], tmp_path / "i").documents == 4


_LIMITED = """
import resource, sys
from ilpsum.cli import main
from ilpsum.retrieval import indexing
indexing._HEAP = 15 * 2**20
if int(sys.argv[1]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
@pytest.mark.parametrize("limit", [1, 300, 5000])
def test_a_disk_that_fills_is_one_line_and_the_next_call_goes_on(tmp_path, limit):
    path = write(tmp_path / "a.jsonl", [(str(n), "Newts", f"newts sing {n} songs in w{n}") for n in range(1, 501)])

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
        with pytest.raises(UsageError, match=r"cannot be written \(.*\); name another folder with --index"):
            AbstractSearch([path], folder)


def test_two_processes_do_not_build_one_index(tmp_path):
    path = write(tmp_path / "a.jsonl", NEWTS)

    def watch(found, _):
        with pytest.raises(IlpsumError, match=r"another process .* is building this index"):
            index_file(path, tmp_path / "i")
        return found

    assert index_file(path, tmp_path / "i", watch).file.documents == 4
    assert [p.name for p in (tmp_path / "i").iterdir() if p.name.startswith(".")] == []
    assert index_file(path, tmp_path / "i").file.documents == 4


def test_what_cannot_be_read_is_said_each_time(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"pmid": p, "title": t, "abstract": a}) for p, t, a in NEWTS]
    path.write_text("\n".join([lines[0], '{"pmid": "x"}', "{", lines[1], '{"pmid": 4, "title": "No abstract"}']))
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
    with pytest.raises(InputError, match="cannot be read"):
        AbstractSearch([tmp_path / "none.jsonl"], tmp_path)
    (tmp_path / "x").write_text("no abstracts")
    with pytest.raises(InputError, match="plain text or topics, not abstracts"):
        AbstractSearch([tmp_path / "x"], tmp_path / "i")


def test_the_default_folder_is_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "ilpsum" / "index"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_folder() == Path.home() / ".cache" / "ilpsum" / "index"


def test_unchanged_files_are_not_read_again(tmp_path, monkeypatch):
    path = write(tmp_path / "a.jsonl", NEWTS)
    first = index_file(path, tmp_path / "i")
    read = []
    real = digests._digest
    monkeypatch.setattr(digests, "_digest", lambda path: (read.append(Path(path).name), real(path))[1])
    assert index_file(path, tmp_path / "i") == first
    assert read == []
    # A file with the same size and modification time, but other content, is read.
    times = path.stat()
    write(path, [(p, t, a.replace("scales", "wings!")) for p, t, a in NEWTS])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert index_file(path, tmp_path / "i").file.digest != first.file.digest
    assert read[0] == "a.jsonl"
