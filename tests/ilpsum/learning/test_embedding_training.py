"""Word vectors: trained, counted, saved, read in every form; nothing unpickled that could act."""

import gzip
import json
import os
import random
import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.embeddings import all_similarities
from features.text import Passage
from ilpsum import resources
from ilpsum.api import training as api
from ilpsum.cli import main
from ilpsum.errors import InputError, ModelError, UsageError
from ilpsum.files import persistence
from ilpsum.learning import embedding_training as training
from ilpsum.learning import embeddings

WORDS = "newts toads frogs olms sing hum croak whistle rain pond night choir".split()


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    rng = random.Random(4)
    lines = [" ".join(rng.choices(WORDS, k=9)).capitalize() + "." for _ in range(120)]
    plain, abstracts, topics = folder / "a.txt.gz", folder / "b.jsonl", folder / "c.jsonl"
    plain.write_bytes(gzip.compress("\n".join([*lines[:60], "", " "]).encode()))
    abstracts.write_text(
        "\n".join(
            json.dumps({"pmid": n, "title": "Newts.", "abstract": x})
            for n, x in enumerate(lines[60:90], 1)
        )
    )
    topics.write_text(
        "\n".join(
            json.dumps({"id": str(n), "documents": [{"id": "d", "text": x}]})
            for n, x in enumerate(lines[90:])
        )
    )
    return [str(plain), str(abstracts), str(topics)]


OPTIONS = ("--dimensions", "6", "--min-count", "2", "--quiet")


def embed(texts, out, *options):
    return main(["embed", *texts, "--out", str(out), *OPTIONS, *options])


def test_trained_vectors_are_read_and_not_overwritten_by_accident(texts, tmp_path, capsys):
    out = tmp_path / "v.npz"
    assert embed(texts, out) == 0
    assert "12 words, IDF over 120 documents of " in capsys.readouterr().err
    loaded = embeddings.load(out)
    assert (loaded.vectors.dtype, sorted(loaded.index), loaded.name) == (
        np.float16,
        sorted(WORDS),
        "v",
    )
    kept = out.read_bytes()
    assert embed(texts, out, "--seed", "2") == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert f"{out} exists" in told
    assert "--force" in told
    assert out.read_bytes() == kept
    assert embed(texts, out, "--seed", "2", "--force") == 0
    assert out.read_bytes() != kept


def test_idf_counts_documents(texts):
    documents = [set(document) for document in training.Texts(texts)]
    counts = training.count(training.Texts(texts))
    assert counts.documents == len(documents) == 120
    assert counts.counts["newts"] == sum("newts" in document for document in documents)
    assert counts.tokens == 120 * 9 + 30
    values = embeddings.idf(counts.documents, np.array([counts.counts["newts"], 0, 120]))
    assert values.tolist() == pytest.approx(
        [np.log(120 / counts.counts["newts"]), np.log(120), 0.0]
    )


def test_a_mark_of_utf8_before_topics_changes_no_word(tmp_path):
    topic = {"id": "t", "query": "Newts?", "documents": [{"id": "d", "text": "Newts sing."}]}
    plain, marked = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    plain.write_text(json.dumps(topic) + "\n", "utf-8")
    marked.write_text(json.dumps(topic) + "\n", "utf-8-sig")
    assert list(training.Texts([marked])) == list(training.Texts([plain]))


def test_one_worker_gives_the_same_bytes_whatever_the_hash_seed(texts, tmp_path):
    here, there = tmp_path / "here" / "v.npz", tmp_path / "there" / "v.npz"
    for out in (here, there):
        out.parent.mkdir()
    assert embed(texts, here) == 0
    another = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    command = [sys.executable, "-m", "ilpsum", "embed", *texts, "--out", str(there), *OPTIONS]
    subprocess.run(
        command, check=True, env={**os.environ, "PYTHONHASHSEED": another}, capture_output=True
    )
    assert here.read_bytes() == there.read_bytes()


def test_what_gensim_writes_is_read_unless_it_is_a_pickle(tmp_path):
    from gensim.models import KeyedVectors

    theirs = KeyedVectors(3)
    theirs.add_vectors(["b", "a"], np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32))
    for binary in (False, True):
        theirs.save_word2vec_format(str(tmp_path / "w"), binary=binary)
        words, vectors = embeddings.read_vectors(tmp_path / "w")
        assert (words, vectors.tolist()) == (["b", "a"], [[1, 2, 3], [4, 5, 6]])
    theirs.save(str(tmp_path / "w.kv"))
    for read, told in (
        (embeddings.read_vectors, "save_word2vec_format"),
        (embeddings.load, "ilpsum embed"),
    ):
        with pytest.raises(InputError, match=told):
            read(tmp_path / "w.kv")


def test_vectors_that_are_there_get_an_idf_table(texts, tmp_path):
    (tmp_path / "vectors.txt").write_text("1 2\n3 4\n0.5 -7\n")
    (tmp_path / "types.txt").write_text("newts\ntoads\n")
    with pytest.raises(InputError, match="got 2 words and 3 vectors"):
        embeddings.read_vectors(tmp_path / "vectors.txt")
    (tmp_path / "types.txt").write_text("newts\ntoads\nunseen\n")
    with pytest.raises(
        InputError, match=r"vectors\.txt: expected word vectors with IDF .*ilpsum embed"
    ):
        embeddings.load(tmp_path / "vectors.txt")
    assert embed(texts, tmp_path / "v.npz", "--vectors", str(tmp_path / "vectors.txt")) == 0
    loaded = embeddings.load(tmp_path / "v.npz")
    assert loaded.vectors.tolist() == [[1, 2], [3, 4], [0.5, -7]]
    # Loaded once, however the file is named.
    assert embeddings.load(str(tmp_path / "v.npz")) is loaded
    assert embeddings.load("") is embeddings.load()
    # A word that no document holds is as rare as can be.
    assert loaded.idf[2] == pytest.approx(np.log(120))
    assert loaded.idf[0] < loaded.idf[2]


def test_words_with_capitals_are_counted_and_found(texts, tmp_path):
    (tmp_path / "v.txt").write_text("Newts 1 2\nTOADS 3 4\nnewts 5 6\nUnseen 7 8\n")
    assert embed(texts, tmp_path / "v.npz", "--vectors", str(tmp_path / "v.txt")) == 0
    loaded = embeddings.load(tmp_path / "v.npz")
    vectors = {word: loaded.vectors[row].tolist() for word, row in loaded.index.items()}
    assert vectors == {"newts": [5, 6], "toads": [3, 4], "unseen": [7, 8]}
    assert loaded.idf[loaded.index["toads"]] < loaded.idf[loaded.index["unseen"]]


def test_words_that_come_twice_count_once(tmp_path):
    (tmp_path / "v.txt").write_text("a 1 2\nb 3 4\na 5 6\n")
    words, vectors = embeddings.read_vectors(tmp_path / "v.txt")
    assert (words, vectors.tolist()) == (["a", "b"], [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"newts\t1\t2\ntoads\t3\t4\n", ["newts", "toads"]),
        (b"2 2\nnewts 1 2\ntoads 3 4\n", ["newts", "toads"]),
        (b"2\t2\r\nnewts\t1\t2 \r\ntoads\t3\t4\r\n", ["newts", "toads"]),
        (b"\xef\xbb\xbf2 2\nnewts 1 2\ntoads 3 4\n", ["newts", "toads"]),
        (b"newts 1 2\ngrey  newts 3 4\n", ["newts", "grey  newts"]),
        (b". . . 1 2\n. 3 4\n", [". . .", "."]),
        (b"newts 1 2\nat 7 ponds 3 4\n", ["newts", "at 7 ponds"]),
        (b"newts 1. 2.\n. . 3. 4.\n", ["newts", ". ."]),
        (b"newts 1 2\n7 3 4\n", ["newts", "7"]),
        ("grey\xa0newts 1 2\n\xa0 3 4\n".encode(), ["grey\xa0newts", "\xa0"]),
        ("newts\u20091 1 2\ntoads\x85 3 4\n".encode(), ["newts\u20091", "toads\x85"]),
    ],
)
def test_words_are_read_as_they_are(tmp_path, data, words):
    (tmp_path / "v.txt").write_bytes(data)
    read, vectors = embeddings.read_vectors(tmp_path / "v.txt")
    assert (read, vectors.tolist()) == (words, [[1, 2], [3, 4]])


@given(
    words=st.lists(
        st.text(
            st.characters(codec="utf-8", exclude_characters=" \t\r\n", exclude_categories=["Nd"]),
            min_size=1,
            max_size=5,
        ).filter(lambda word: not word.startswith("\ufeff")),
        min_size=1,
        max_size=5,
        unique=True,
    ),
    separator=st.sampled_from([" ", "\t", "  "]),
    header=st.booleans(),
    binary=st.booleans(),
)
def test_any_words_come_back(words, separator, header, binary, tmp_path_factory):
    path = tmp_path_factory.mktemp("vectors") / "v"
    rows = np.arange(2 * len(words), dtype="<f4").reshape(-1, 2) + 0.5
    lines = [f"{len(words)} 2".encode()] if header or binary else []
    for word, row in zip(words, rows, strict=True):
        numbers = separator.join(map(str, row.tolist()))
        lines.append(
            f"{word} ".encode() + row.tobytes()
            if binary
            else f"{word}{separator}{numbers}".encode()
        )
    path.write_bytes(b"\n".join(lines) + b"\n")
    read, vectors = embeddings.read_vectors(path)
    assert (read, vectors.tolist()) == (words, rows.tolist())


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("v.txt", b"", "not word vectors in word2vec's form"),
        (
            "v.txt",
            b"2 2\na 1 2\nb 1 x\n",
            r"v\.txt:3: expected 2 numbers after the word 'b', got b'x'",
        ),
        ("v.txt", b"a 1 2\nb 1\n", r"v\.txt:2: expected 2 numbers after the word 'b', got 1$"),
        ("v.txt", b"a 1 2\nb 1 2 3\n", r"v\.txt:2: expected 2 numbers after the word 'b', got 3$"),
        (
            "v.txt",
            b"2 3\na 1 2\nb 1 2\n",
            r"v\.txt:2: expected 3 numbers after the word 'a', got 2",
        ),
        ("v.txt", b"2 -2\na b c 1 2\n", "its first line claims no vectors"),
        ("v.txt", b"newts\n", r"v\.txt:1: expected numbers after the word 'newts', got 0"),
        (
            "v.txt",
            b"newts 1 2\nolms\n",
            r"v\.txt:2: expected 2 numbers after the word 'olms', got 0",
        ),
        ("v.txt", b"3 2\na 1 2\nb 1 2\n", r"v\.txt:1: the header says 3 words, but there are 2"),
        ("v.txt", b"1 2\na 1 2\nb 1 2\n", r"v\.txt:1: the header says 1 word, but there are 2"),
        ("v.txt", b"a 1 2\nb\xe9 1 2\n", r"v\.txt:2: the word b'b\\xe9' is not UTF-8"),
        ("v.txt", b"2 2\nb\xe9 1 2\na 1 2\n", r"v\.txt:2: the word b'b\\xe9' is not UTF-8"),
        ("v.bin", b"1 1\nb\xe9 \0\0\0\0", r"v\.bin: the word b'b\\xe9' is not UTF-8"),
        ("v.bin", b"1 1\na \0\0\0\0\nb \0\0\0\0", "it goes on after the 1 vector of its header"),
        ("v.txt", b"a 1 nan\n", "finite in half precision, not those of 'a'"),
        ("v.txt", b"b 1 1\na 1 70000\n", "finite in half precision, not those of 'a'"),
        ("v.txt", b"3000000000 300\na \x00\x00\n", "claims more vectors than the file has"),
        ("v.txt", b"99999999999999999999 0\na \x00\x00\n", "its first line claims no vectors"),
        ("v.txt", b"-99999999999999999999 4\na \x00\x00\n", "its first line claims no vectors"),
        (
            "v.bin",
            b"2 2\na " + struct.pack("<2f", 0, 1) + b"\nb " + struct.pack("<f", 1),
            "not word vectors",
        ),
        ("v.bin", b"2 2\n" + b"\x00" * 20000, "not word vectors"),
        ("v.npz", b"junk", "not an ilpsum model"),
    ],
)
def test_damaged_vectors(tmp_path, name, data, said):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises((InputError, ModelError), match=said):
        embeddings.load(path) if name.endswith("npz") else embeddings.read_vectors(path)


def _packed(change):
    """Vectors in word2vec's binary form, packed into more than is looked at first, with changed bytes."""
    rows = np.random.default_rng(1).normal(size=(2000, 12)).astype(np.float32)
    data = gzip.compress(
        b"2000 12\n" + b"".join(b"w%d %s\n" % (n, row.tobytes()) for n, row in enumerate(rows)),
        mtime=0,
    )
    assert len(data) > 2**16 + 8
    return change(bytearray(data))


def _flipped(data, place):
    data[place] ^= 0xFF
    return bytes(data)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (
            "v.bin.gz",
            _packed(lambda data: _flipped(data, -6)),
            "v.bin.gz: not valid gzip data (CRC check failed",
        ),
        (
            "v.bin.gz",
            _packed(lambda data: bytes(data[:-2000] + bytes(1992)) + data[-8:]),
            "v.bin.gz: not valid gzip data",
        ),
        (
            "v.bin.gz",
            _packed(lambda data: data[:-2000]),
            "v.bin.gz: the gzip data are cut off",
        ),
        ("v.bin", b"2 1\n " + bytes(4) + b"b\nc " + bytes(4), "is empty or has a line break"),
        ("v.bin", b"1 1\n " + bytes(4), "the word '' is empty"),
        ("v.txt.gz", gzip.compress(b"a 1 2\n" * 9, mtime=0)[:-3], "the gzip data are cut off"),
    ],
    # The data would be the name: 64 kB, with the second at which each process packed them.
    ids=["flipped", "zeros", "cut off", "an empty word", "only an empty word", "a cut text"],
)
def test_embed_refuses_damaged_vectors_in_one_line(texts, tmp_path, capsys, name, data, said):
    (tmp_path / name).write_bytes(data)
    assert embed(texts[:1], tmp_path / "out.npz", "--vectors", str(tmp_path / name)) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (
            lambda arrays, _: arrays.update(vectors=arrays["vectors"][:-1]),
            "do not match its digest",
        ),
        (lambda arrays, own: own(vectors=arrays["vectors"][:-1]), "arrays differ in their shapes"),
        (lambda arrays, own: own(vectors=arrays["vectors"].astype("U3")), "expected numbers"),
        (
            lambda arrays, own: own(frequencies=arrays["frequencies"].astype(float)),
            "expected whole numbers",
        ),
        (lambda arrays, own: own(words=arrays["words"] | 0x80), "damaged"),
        (None, "not an ilpsum model"),
    ],
    ids=["digest", "shape", "text", "type", "words", "cut off"],
)
def test_verbs_refuse_damaged_vectors_in_one_line(texts, tmp_path, capsys, damage, said):
    path = tmp_path / "v.npz"
    assert embed(texts, path) == 0
    if damage:
        with np.load(path) as stored:
            arrays = dict(stored)

        def own(**changed):
            arrays.update(changed)
            plain = {name: array for name, array in arrays.items() if name != "description"}
            known = json.loads(arrays["description"].tobytes()) | {
                "digest": persistence._digest(plain)
            }
            arrays["description"] = np.frombuffer(json.dumps(known).encode(), np.uint8)

        damage(arrays, own)
        np.savez(path, **arrays)
    else:
        path.write_bytes(path.read_bytes()[:-40])
    table = f'embeddings = "{path}"\n'
    (tmp_path / "s.toml").write_text(
        f'base = "ilp-sum-2-tuned"\n[relevance]\nfeatures = "embeddings"\n{table}'
    )
    topic = resources.demo() / "D9001_DEMO"
    capsys.readouterr()
    for call in (
        ["train", topic, "--system", tmp_path / "s.toml", "--out", tmp_path / "m.npz"],
        ["link", topic, "--vectors", path, "--out", tmp_path / "links.txt"],
    ):
        assert main([*map(str, call), "--quiet"]) == 2
        error = capsys.readouterr().err
        assert f"{path}: " in error
        assert said in error
        assert error.count("\n") == 1


def test_texts_without_words_are_named(tmp_path, capsys):
    (tmp_path / "empty.txt").write_text("")
    assert embed([str(tmp_path / "empty.txt")], tmp_path / "out.npz") == 2
    assert capsys.readouterr().err == f"ilpsum: no words in {tmp_path / 'empty.txt'}\n"


def test_wrong_use(texts, tmp_path, capsys):
    assert embed(texts, tmp_path / "v.txt") == 2
    assert embed(texts, tmp_path / "nowhere" / "v.npz") == 2
    assert embed(["-"], tmp_path / "v.npz") == 2
    assert embed([str(tmp_path / "nothing")], tmp_path / "v.npz") == 2
    assert embed(texts, tmp_path / "v.npz", "--min-count", "9999") == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_told_before_the_work(texts, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "count", None)  # would be called first
    with pytest.raises(UsageError, match=r"there is no folder .*nowhere"):
        api.embed(texts, tmp_path / "nowhere" / "v.npz")


def test_the_default_set_knows_its_words_and_is_small():
    assert resources.embeddings().stat().st_size < 6 * 2**20
    loaded = embeddings.load()
    assert len(loaded.index) > 20_000
    assert loaded.vectors.dtype == np.float16
    assert all(word in loaded.index for word in ("diabetes", "randomised", "insulin", "receptor"))
    question = Passage("Is insulin used to treat diabetes?")
    near, far = all_similarities(
        loaded, question, [Passage("Metformin lowers glucose."), Passage("Knee pain scores fell.")]
    )
    assert near[0] > far[0]
    assert near[1] > far[1]


def test_loading_the_default_set_imports_no_gensim():
    code = "import sys; from ilpsum.learning import embeddings; embeddings.load(); sys.exit('gensim' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_record_that_cannot_be_read_is_no_text_less(tmp_path, capsys):
    records = ['{"pmid": "1", "title": "Newts", "abstract": "Newts sing."}', '{"pmid": "2", "abs']
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(records) + "\n")
    assert embed([str(file)], tmp_path / "out.npz") == 2
    error = capsys.readouterr().err
    assert error.startswith(f"ilpsum: {file}:2: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()
