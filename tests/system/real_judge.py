"""A real server as the judge: llama.cpp with a tiny model of random weights, which this test makes.

    make judge

The model knows nothing, but the grammar that the server makes of the schema forces whole grades, so
the whole protocol is real: schema, seed, temperature, number of grades, parallel requests, names of
models, refusals.
"""

import json
import os
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ilpsum.learning.judging.judge import Judge
from ilpsum.literature.client import ServiceError

if TYPE_CHECKING:
    import xllamacpp

QUESTION = "Do newts sing?"
SENTENCES = [f"Newt {number} sings at dawn in pond {number * 7}." for number in range(20)]
# Of the model: sizes of its layers, and the longest text in tokens, which are bytes.
EMBEDDED, HEADS, FORWARD, LAYERS, CONTEXT = 32, 2, 64, 1, 16384
TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"


def write_model(path: Path) -> None:
    """Write a model of random weights whose tokens are bytes."""
    import gguf

    writer = gguf.GGUFWriter(str(path), "llama")
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * 256
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBEDDED)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(EMBEDDED // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    random = np.random.default_rng(1)

    def add(name: str, *shape: int) -> None:
        values = random.normal(0.0, 0.1, shape) if len(shape) > 1 else np.ones(shape)
        writer.add_tensor(name, values.astype(np.float32))

    add("token_embd.weight", len(tokens), EMBEDDED)
    add("output_norm.weight", EMBEDDED)
    add("output.weight", len(tokens), EMBEDDED)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{name}.weight", EMBEDDED, EMBEDDED)
        add(f"blk.{layer}.attn_norm.weight", EMBEDDED)
        add(f"blk.{layer}.ffn_norm.weight", EMBEDDED)
        add(f"blk.{layer}.ffn_gate.weight", FORWARD, EMBEDDED)
        add(f"blk.{layer}.ffn_up.weight", FORWARD, EMBEDDED)
        add(f"blk.{layer}.ffn_down.weight", EMBEDDED, FORWARD)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve(path: Path) -> "xllamacpp.Server":
    """Start a server of the model on a free port of this machine."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {"newt"}
    params.port, params.n_ctx, params.n_parallel = 0, CONTEXT, 2
    params.cpuparams.n_threads = 1
    params.warmup = False
    return xllamacpp.Server(params)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        path = Path(folder) / "newt.gguf"
        write_model(path)
        server = serve(path)
        url = f"{server.listening_address}/v1"
        with urllib.request.urlopen(f"{url}/models") as reply:
            print("models:", [model["id"] for model in json.load(reply)["data"]])
        judge = Judge(url, "newt", batch=7, refresh=True)
        graded = judge.graded(QUESTION, SENTENCES)
        assert len(graded.values) == len(SENTENCES)
        assert set(graded.values.tolist()) <= {0, 1, 2, 3}
        again = judge.graded(QUESTION, SENTENCES)
        assert again.values.tolist() == graded.values.tolist(), "the same request, other grades"
        print(f"{len(SENTENCES)} grades in {graded.requests} requests:", graded.values.astype(int))
        try:
            Judge(url, "newt", body='{"response_format": {"type": "nonsense"}}').graded(
                QUESTION, SENTENCES
            )
        except ServiceError as error:
            print("refused:", error)
        else:
            sys.exit("a request that the server cannot fulfil is no error")


if __name__ == "__main__":
    main()
