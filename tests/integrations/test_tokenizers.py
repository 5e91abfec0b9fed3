"""Costs by name, with the tokenizers of the libraries; `make integrations` installs them."""

import sys
from pathlib import Path

import pytest

from ilpsum import select
from ilpsum.errors import ArgumentError
from ilpsum.passages.costs import counted_by

TEXTS = ["Newts sing in May at night. Ponds freeze.", "Owls hear the newts sing. The pond is deep."]

# An encoding of single bytes, as another package would bring it.
ENCODING = """
def bytes_only():
    return {"name": "bytes_only", "pat_str": r"[\\s\\S]", "mergeable_ranks": {bytes([i]): i for i in range(256)},
            "special_tokens": {}}


def absent():
    from tiktoken.load import load_tiktoken_bpe

    return {"name": "absent", "pat_str": ".", "mergeable_ranks": load_tiktoken_bpe("https://example.org/absent.tiktoken"),
            "special_tokens": {}}


ENCODING_CONSTRUCTORS = {"bytes_only": bytes_only, "absent": absent}
"""


def test_tiktoken_counts_and_never_fetches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    (tmp_path / "tiktoken_ext").mkdir()
    (tmp_path / "tiktoken_ext" / "ours.py").write_text(ENCODING)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("tiktoken.registry.ENCODING_CONSTRUCTORS", None)
    for name in [name for name in sys.modules if name.startswith("tiktoken_ext")]:
        monkeypatch.delitem(sys.modules, name)
    assert counted_by("tiktoken:bytes_only")("caf\u00e9") == 5
    passages = select("When do newts sing?", TEXTS, 60, "tiktoken:bytes_only")
    assert passages.cost == len(passages.text.encode()) <= 60
    fetch = tiktoken.load.read_file
    with pytest.raises(ArgumentError, match=r"absent is not in .TIKTOKEN_CACHE_DIR; set it, and fetch the file once"):
        counted_by("tiktoken:absent")
    assert tiktoken.load.read_file is fetch
    with pytest.raises(ArgumentError, match="Unknown encoding"):
        counted_by("tiktoken:none_such")


def test_the_tokens_of_a_real_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    llama_index = pytest.importorskip("llama_index.core")
    # The package ships the file of this encoding.
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(Path(llama_index.__file__).parent / "_static" / "tiktoken_cache"))
    passages = select("When do newts sing?", TEXTS, 12, "tiktoken:cl100k_base")
    assert passages.cost == len(tiktoken.get_encoding("cl100k_base").encode(passages.text)) <= 12
    assert len(passages) > 0


def test_a_tokenizer_in_a_folder(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    words = {"[UNK]": 0, "newts": 1, "sing": 2, "Newts": 3}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert counted_by(f"hf:{tmp_path}")("Newts sing.") == 3
    passages = select("When do newts sing?", TEXTS, 8, f"hf:{tmp_path}")
    assert 0 < passages.cost <= 8
    with pytest.raises(ArgumentError, match=r"there is no .*tokenizer\.json; expected the folder"):
        counted_by(f"hf:{tmp_path / 'none'}")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "tokenizer.json").write_text("{")
    with pytest.raises(ArgumentError, match="not a tokenizer"):
        counted_by(f"hf:{tmp_path / 'bad'}")
