"""Many small indexes in one folder become a few, and rank as one."""

import json
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.io.atomic import Lock
from ilpsum.retrieval import AbstractSearch, volumes
from ilpsum.retrieval.searching import rounded
from tests.ilpsum.retrieval.test_abstract_search import WORDS, naive, ranking, write

QUERIES = ("Do newts sing in ponds?", "toads toads frost", "Is RNS loud?", "restless newt syndrome in moths")


def entries_of(number, seed=3):
    draw, words = random.Random(seed), "newt toad pond frost moth sing hum grey loud".split()
    defined = "Restless newt syndrome (RNS) is rare."
    return [
        (
            str(n),
            "RNS" if n % 7 else "Moths",
            f"{defined if n % 3 else ''} {' '.join(draw.choices(words, k=1 + n // 30))}",
        )
        for n in range(1, number + 1)
    ]


def files_of(folder, entries, number):
    size = -(-len(entries) // number)
    return [write(folder / f"{n}.jsonl", entries[n * size : (n + 1) * size]) for n in range(number)]


def folders(search):
    return {each.volume.folder.name for each in search.files}


def left(folder):
    return {path.name for path in folder.iterdir() if path.is_dir()}


def test_many_small_files_share_an_index_and_find_the_same_with_the_same_scores(tmp_path, monkeypatch):
    # Each file has more of them than the candidates of a search, in lengths that differ from file to file.
    entries = entries_of(1200)
    files = files_of(tmp_path, entries, 10)
    one = AbstractSearch([write(tmp_path / "all.jsonl", entries)], tmp_path / "one")
    merged = AbstractSearch(files, tmp_path / "merged")
    monkeypatch.setattr(volumes, "MANY", 100)
    apart = AbstractSearch(files, tmp_path / "apart")
    assert (len(folders(merged)), len(folders(apart))) == (1, 10)
    assert left(tmp_path / "merged") == folders(merged)
    assert merged.segments < 10 == apart.segments
    for query in QUERIES:
        assert len(one(query).hits) == 20
        assert merged(query) == apart(query) == one(query)
        assert merged(query, 7) == apart(query, 7) == one(query, 7)


@settings(deadline=None, max_examples=15)
@given(texts=st.lists(WORDS, min_size=9, max_size=12), query=WORDS, draw=st.randoms(use_true_random=False))
def test_any_of_the_files_of_an_index_rank_as_if_they_were_alone(tmp_path_factory, texts, query, draw):
    folder = tmp_path_factory.mktemp("subset")
    entries = [(str(n), "Title", text) for n, text in enumerate(texts, 1)]
    files = files_of(folder, entries, len(entries))
    assert len(folders(whole := AbstractSearch(files, folder / "index"))) == 1
    chosen = draw.sample(range(len(files)), draw.randint(1, len(files)))
    some = AbstractSearch([files[n] for n in chosen], folder / "index")
    assert folders(some) == folders(whole)
    assert some.documents == len(chosen)
    assert ranking(some(query)) == naive([entries[n] for n in chosen], query)


def test_a_file_that_changed_and_files_that_were_added_count_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(volumes, "FULL", 100)
    entries = entries_of(90)
    files = files_of(tmp_path, entries, 9)
    first = AbstractSearch(files, tmp_path / "i")
    expected = ranking(first("newts"))
    # The index of all is above the half of a full one, so it stays; the changed file and new ones are small.
    entries[30:40] = [(pmid, "Newts", f"{text} newts") for pmid, _, text in entries[30:40]]
    write(files[3], entries[30:40])
    changed = AbstractSearch(files, tmp_path / "i")
    assert len(folders(changed)) == 2
    assert ranking(changed("newts")) == naive(entries, "newts")[:20]
    assert ranking(first("newts")) == expected
    later = [(str(n), "Newts", "newts sing") for n in range(100, 108)]
    files += [write(tmp_path / f"later{n}.jsonl", [entry]) for n, entry in enumerate(later)]
    seven = AbstractSearch(files[:-1], tmp_path / "i")
    assert len(folders(seven)) == 2  # eight small ones, with that of the changed file
    more = AbstractSearch(files, tmp_path / "i")
    assert len(folders(more)) == 3
    assert ranking(more("newts")) == naive([*entries, *later], "newts")[:20]
    assert ranking(seven("newts")) == naive([*entries, *later[:-1]], "newts")[:20]


def test_an_index_has_no_more_abstracts_than_a_full_one(tmp_path, monkeypatch):
    monkeypatch.setattr(volumes, "FULL", 45)
    entries = entries_of(120)
    search = AbstractSearch(files_of(tmp_path, entries, 12), tmp_path / "i")
    assert sorted(each.documents for each in {e.volume.folder: e.volume for e in search.files}.values()) == [40, 40, 40]
    assert ranking(search("newts")) == naive(entries, "newts")[:20]


@pytest.mark.parametrize("last", ["begun.json", "meta.json", ".managed.json", "done.json", "remove"])
def test_a_merge_that_is_killed_at_any_step_leaves_all_that_was_there(tmp_path, monkeypatch, last):
    entries = entries_of(90)
    files = files_of(tmp_path, entries, 9)
    with monkeypatch.context() as patch:
        write_file, finished = volumes.write_file, []

        def killed(path, data):
            write_file(path, data)
            if path.name == last:
                raise KeyboardInterrupt

        def removing(self, name):
            finished.extend([name] * (name[0] != "."))
            if len(finished) > 4:
                raise KeyboardInterrupt
            remove(self, name)

        remove = volumes.Folder.remove
        patch.setattr(volumes, "write_file", killed)
        if last == "remove":
            patch.setattr(volumes.Folder, "remove", removing)
        if last in ("begun.json", "done.json"):  # those of the files are written too
            patch.setattr(volumes, "MANY", 100)
            patch.setattr(volumes, "write_file", write_file)
            AbstractSearch(files, tmp_path / "i")
            patch.setattr(volumes, "MANY", 8)
            patch.setattr(volumes, "write_file", killed)
        with pytest.raises(KeyboardInterrupt):
            AbstractSearch(files, tmp_path / "i")
    again = AbstractSearch(files, tmp_path / "i")
    assert again.warnings == ()
    assert ranking(again("newts")) == naive(entries, "newts")[:20]
    assert len(folders(again)) == 1
    assert left(tmp_path / "i") == folders(again)


def test_who_has_small_indexes_open_keeps_them_when_they_are_merged(tmp_path):
    entries = entries_of(90)
    files = files_of(tmp_path, entries, 9)
    seven = AbstractSearch(files[:7], tmp_path / "i")
    expected = ranking(seven("newts"))
    assert len(folders(AbstractSearch(files, tmp_path / "i"))) == 1
    assert not folders(seven) & left(tmp_path / "i")
    assert ranking(seven("newts")) == expected == naive(entries[:70], "newts")[:20]


def test_small_indexes_are_searched_where_they_cannot_be_merged(tmp_path, monkeypatch):
    entries = entries_of(90)
    files = files_of(tmp_path, entries, 9)
    AbstractSearch(files[:7], tmp_path / "i")
    with Lock(tmp_path / "i" / ".merging.lock", "merges indexes"):
        search = AbstractSearch(files, tmp_path / "i")
    assert (len(folders(search)), search.warnings) == (9, ())
    assert ranking(search("newts")) == naive(entries, "newts")[:20]

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(volumes, "_link", full)
        search = AbstractSearch(files, tmp_path / "i")
    (line,) = search.warnings
    assert line.startswith("indexes were not merged (")
    assert "No space left on device" in line
    assert ranking(search("newts")) == naive(entries, "newts")[:20]
    monkeypatch.setattr(os, "link", full)  # a file system without second names
    search = AbstractSearch(files, tmp_path / "i")
    assert (len(folders(search)), search.warnings) == (1, ())
    assert ranking(search("newts")) == naive(entries, "newts")[:20]


@pytest.mark.parametrize("ending", ["store", "term", "dictionary", "meta.json", "done.json", "begun.json"])
def test_a_damaged_index_of_many_files_is_built_again_which_is_told_once(tmp_path, ending):
    entries = entries_of(90)
    files = files_of(tmp_path, entries, 9)
    (home,) = folders(AbstractSearch(files, tmp_path / "i"))
    damaged = next(p for p in (tmp_path / "i" / home).iterdir() if p.name.endswith(ending))
    data = damaged.read_bytes()
    damaged.unlink()
    damaged.write_bytes(data[: len(data) // 2])
    again = AbstractSearch(files, tmp_path / "i")
    reason = "was built by another version" if ending == "begun.json" else "is damaged"
    # Without its record nobody knows what it has.
    assert again.warnings == (() if ending == "done.json" else (f"9 files: their index {reason} and is rebuilt",))
    assert ranking(again("newts")) == naive(entries, "newts")[:20]
    assert left(tmp_path / "i") == folders(again)
    assert AbstractSearch(files, tmp_path / "i").warnings == ()


def test_processes_that_build_and_merge_at_once_all_find_the_same(tmp_path):
    entries = entries_of(90)
    files = files_of(tmp_path, entries, 9)
    AbstractSearch(files[:7], tmp_path / "i")
    AbstractSearch(files[7:], tmp_path / "i")
    code = (
        "import sys; from ilpsum.retrieval import AbstractSearch\n"
        "print([h.document.id for h in AbstractSearch(sys.argv[2:], sys.argv[1])('newts').hits])"
    )
    command = [sys.executable, "-c", code, *map(str, (tmp_path / "i", *files))]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    wanted = str([pmid for pmid, _ in naive(entries, "newts")[:20]])
    assert [process.communicate()[0].strip() for process in running] == [wanted] * 3
    assert len(left(tmp_path / "i")) == 1


def pubmed_file(path, records, deleted=()):
    articles = "".join(
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>{title}</ArticleTitle><Abstract>"
        f"<AbstractText>{text}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
        for pmid, title, text in records
    )
    gone = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deleted)
    gone = f"<DeleteCitation>{gone}</DeleteCitation>" if deleted else ""
    path.write_text(f"<PubmedArticleSet>{articles}{gone}</PubmedArticleSet>")
    return path


@pytest.mark.parametrize("many", [2, 100])
def test_of_pubmeds_files_the_newest_record_counts_and_withdrawn_ones_are_not_found(tmp_path, monkeypatch, many):
    monkeypatch.setattr(volumes, "MANY", many)
    texts = (("1", "Old", "newts sing"), ("2", "Gone", "newts sing"), ("3", "Old", "newts hum"), ("4", "Kept", "newts"))
    base = pubmed_file(tmp_path / "pubmed26n0001.xml", texts)
    first = pubmed_file(
        tmp_path / "pubmed26n1335.xml", [("1", "New", "newts newts sing"), ("3", "New", "toads")], ["2"]
    )
    second = pubmed_file(tmp_path / "pubmed26n1336.xml", [("2", "Back", "newts sing"), ("1", "Newest", "newts")], ["4"])

    def titles(*files, query="newts"):
        search = AbstractSearch(files, tmp_path / "i")
        return {hit.document.id: hit.document.title for hit in search(query).hits}

    assert titles(base) == {"1": "Old", "2": "Gone", "3": "Old", "4": "Kept"}
    # The new record of 3 has no newts, and its old one is not found either.
    assert titles(base, first) == titles(first, base) == {"1": "New", "4": "Kept"}
    assert titles(base, first, query="hum") == {}
    assert titles(base, first, second) == titles(second, base, first) == {"1": "Newest", "2": "Back"}
    # Of files with other names, the first counts.
    own = pubmed_file(tmp_path / "own.xml", [("1", "Own", "newts sing"), ("9", "Own", "newts")])
    assert titles(own, base, first) == {"1": "Own", "9": "Own", "4": "Kept"}
    assert titles(base, first, own) == {"1": "New", "4": "Kept", "9": "Own"}


def test_lengths_are_rounded_as_an_index_rounds_them(tmp_path):
    from tantivy import Document, Index, Query, SchemaBuilder

    schema = SchemaBuilder().add_text_field("terms", tokenizer_name="whitespace", index_option="freq").build()
    lengths = [1, 5, 23, 24, 39, 40, 41, 42, 55, 56, 57, 59, 60, 100, 200, 333, 1000, 4321]
    index = Index(schema)
    writer = index.writer(heap_size=15_000_000, num_threads=1)
    for length in lengths:
        document = Document()
        document.add_text("terms", "newt " + "toad " * (length - 1))
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher, mean = index.searcher(), sum(lengths) / len(lengths)
    scores = {place.doc: score for score, place in searcher.search(Query.term_query(schema, "terms", "newt"), 50).hits}
    weight = scores[0] * (1 + 1.2 * (0.25 + 0.75 * lengths[0] / mean))
    for place, length in enumerate(lengths):
        assert scores[place] == pytest.approx(weight / (1 + 1.2 * (0.25 + 0.75 * rounded(length) / mean)), rel=1e-5)


def test_an_index_of_the_version_before_is_built_again_in_a_line(tmp_path):
    files = files_of(tmp_path, entries := entries_of(30), 3)
    for each in AbstractSearch(files, tmp_path / "i").files:
        record = each.volume.folder / "done.json"
        record.write_text(json.dumps({"documents": 10, "terms": 50, "warnings": [], "content": "0" * 64}))
        (each.volume.folder / "begun.json").write_text(json.dumps({"format": 5, "engine": "tantivy 0.27.0"}))
    again = AbstractSearch(files, tmp_path / "i")
    assert again.warnings == ("3 files: their index was built by another version and is rebuilt",)
    assert ranking(again("newts")) == naive(entries, "newts")[:20]
