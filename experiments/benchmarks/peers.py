"""Time and score other extractive summarizers beside ours, on the same topics: in process, and as
whole processes.

    python experiments/benchmarks/peers.py [--data ../shared/data] [--pool snippets] [--topics 100]
    [--rounds 3]

Topics are the questions of BioASQ 11. Every system gets the same documents and returns whole
sentences, in the order of the text, of at most 200 words. "BM25 sentences" takes those with the
highest BM25 for the question. sumy, the model of sume and BM25 get our sentences, since the
splitters of the first two need a download; summa gets a sentence a line, and pytextrank splits for
itself. sume is no package of the index: this is its published model, bigrams of stems weighted by
the number of documents (none pruned, since most occur in one snippet), solved by HiGHS through
PuLP. Peers that are not installed are left out; pytextrank needs a pipeline of spaCy (--spacy).

In process, all systems summarise each topic in turn; each is warmed up first. A whole process
starts, loads, reads the topics as JSON lines, summarises and writes them: ours by `ilpsum
summarize`, a peer by this script without ilpsum (the sentences are in the file). All times are of
the processor, as ratios to `concepts`.
"""

import argparse
import importlib.util
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilpsum.answers.steps import Summarizer

LIMIT = 200
OURS = ("lead", "ilp-sum-2-tuned", "concepts")
SUMY = {"LexRank": "lex_rank", "LSA": "lsa", "SumBasic": "sum_basic"}
PEERS = (
    "BM25 sentences",
    *(f"sumy {name}" for name in SUMY),
    "summa",
    "pytextrank",
    "sume's model",
)

Sentences = list[tuple[int, str]]
"""The sentences of a topic, each with the number of its document."""


def peer(name: str, spacy: str) -> Callable[[str, Sentences], Sequence[str]]:
    """Return a summarizer for a question, which returns sentences in the order in which they are to be taken."""
    if name == "BM25 sentences":
        return bm25
    if name.startswith("sumy"):
        run = sumy(name.partition(" ")[2])
    else:
        run = {"summa": summa, "pytextrank": lambda: textrank(spacy), "sume's model": sume}[name]()
    return lambda _, sentences: run(sentences)


def bm25(question: str, sentences: Sentences) -> Sequence[str]:
    """Rank sentences by BM25 (k1 1.2, b .75), with IDF over the sentences of the topic."""
    held = [Counter(re.findall(r"\w+", text.lower())) for _, text in sentences]
    lengths, within = (
        [sum(each.values()) for each in held],
        Counter(word for each in held for word in each),
    )
    mean, asked = sum(lengths) / len(held), set(re.findall(r"\w+", question.lower()))
    idf = {
        word: math.log(1 + (len(held) - within[word] + 0.5) / (within[word] + 0.5))
        for word in asked
    }

    def score(i: int) -> float:
        norm = 1.2 * (0.25 + 0.75 * lengths[i] / mean)
        return sum(idf[word] * 2.2 * held[i][word] / (held[i][word] + norm) for word in asked)

    return [sentences[i][1] for i in sorted(range(len(held)), key=lambda i: -score(i))]


def sumy(name: str) -> Callable[[Sentences], Sequence[str]]:
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence

    module = importlib.import_module(f"sumy.summarizers.{SUMY[name]}")
    summarizer = getattr(
        module, f"{name.replace('LSA', 'Lsa').replace('LexRank', 'LexRank')}Summarizer"
    )()

    class Split:
        """The tokenizer that sumy expects."""

        @staticmethod
        def to_words(text: str) -> tuple[str, ...]:
            return tuple(re.findall(r"\w+", text.lower()))

    def run(sentences: Sentences) -> Sequence[str]:
        document = ObjectDocumentModel(
            [Paragraph([Sentence(text, Split()) for _, text in sentences])]
        )
        mean = sum(len(text.split()) for _, text in sentences) / len(sentences)
        return [str(each) for each in summarizer(document, max(1, int(LIMIT / mean)))]

    return run


def summa() -> Callable[[Sentences], Sequence[str]]:
    from summa import summarizer

    return lambda sentences: summarizer.summarize(
        "\n".join(text for _, text in sentences), words=LIMIT, split=True
    )  # type: ignore[no-any-return]


def textrank(pipeline: str) -> Callable[[Sentences], Sequence[str]]:
    import pytextrank  # noqa: F401  # registers its component
    import spacy

    model = spacy.load(pipeline)
    model.add_pipe("textrank")

    def run(sentences: Sentences) -> Sequence[str]:
        found = model(" ".join(text for _, text in sentences))
        return [
            each.text for each in found._.textrank.summary(limit_phrases=15, limit_sentences=20)
        ]

    return run


def sume() -> Callable[[Sentences], Sequence[str]]:
    from dataclasses import replace

    import numpy as np

    from features.text import Passage, bigrams
    from ilpsum.selection import Limits, Problem
    from ilpsum.selection.paper import solve_paper

    def run(sentences: Sentences) -> Sequence[str]:
        texts = [text for _, text in sentences]
        held, lengths = (
            [bigrams(Passage(text).stems) for text in texts],
            [len(text.split()) for text in texts],
        )
        problem = Problem.build(held, lengths, [0.0] * len(texts), LIMIT, lambda_=0.0)
        documents: list[set[int]] = [set() for _ in problem.weights]
        for place, (number, _) in enumerate(sentences):
            for concept in problem.concepts[problem.starts[place] : problem.starts[place + 1]]:
                documents[concept].add(number)
        problem = replace(
            problem, weights=np.array([len(each) for each in documents], dtype=np.float64)
        )
        return [texts[k] for k in sorted(solve_paper(problem, "highs-paper", Limits()).chosen)]

    return run


def fitting(sentences: Sequence[str]) -> str:
    """Return the sentences that fit the limit, each after those before it."""
    chosen, left = [], LIMIT
    for text in sentences:
        if len(text.split()) <= left:
            chosen.append(text)
            left -= len(text.split())
    return "\n".join(chosen)


def alone(name: str, path: Path, out: Path, spacy: str) -> None:
    """Summarise a file of topics in this process."""
    run = peer(name, spacy)
    with path.open(encoding="utf-8") as stream, out.open("w", encoding="utf-8") as written:
        for line in stream:
            topic = json.loads(line)
            text = fitting(
                run(topic["query"], [(number, sentence) for number, sentence in topic["sentences"]])
            )
            written.write(json.dumps({"id": topic["id"], "summary": text}) + "\n")


def whole(name: str, topics: Path, split: Path, folder: Path, spacy: str) -> float:
    """Return the processor seconds of a whole process."""
    command = [sys.executable, __file__, "--alone", name, "--spacy", spacy, "--file", str(split)]
    if name in OURS:
        command = [
            sys.executable,
            "-m",
            "ilpsum",
            "summarize",
            str(topics),
            "--system",
            name,
            "--to",
            "jsonl",
        ]
        command += ["--words", str(LIMIT), "--force", "--quiet"]
    process = subprocess.Popen(
        [*command, "--out", str(folder / ("run" if name in OURS else "summaries"))]
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{name} ended with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data"))
    )
    parser.add_argument("--pool", choices=("snippets", "merged"), default="snippets")
    parser.add_argument("--topics", type=int, default=100, help="the first of edition 11")
    parser.add_argument("--rounds", type=int, default=3, help="of whole processes")
    parser.add_argument("--spacy", default="en_core_web_sm", help="pipeline for pytextrank")
    for hidden in ("--alone", "--file", "--out"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        alone(options.alone, Path(options.file), Path(options.out), options.spacy)
    else:
        compare(options)


def questions(options: argparse.Namespace) -> list[tuple[Any, Sentences]]:
    """Return the first topics of edition 11 with gold summaries, each with its sentences."""
    from ilpsum.papers import layout
    from ilpsum.records import Topic
    from ilpsum.tasks import bioasq

    topics = []
    for file in sorted((options.data / "bioasq").glob("11B?_golden.json.gz")):
        for topic in bioasq.read(file, pool=options.pool):
            if isinstance(topic, Topic) and topic.documents and topic.summaries:
                split = [
                    (n, s.text) for n, d in enumerate(topic.documents) for s in layout.sentences(d)
                ]
                topics.append((topic, split))
    return topics[: options.topics]


def contestants(options: argparse.Namespace) -> dict[str, Callable[[Any, Sentences], str]]:
    """Return a summarizer of a topic and its sentences for each of ours and each installed peer."""
    from ilpsum.answers.steps import Summarizer

    def ours(summarizer: "Summarizer", topic: Any, _: Sentences) -> str:
        return summarizer(topic, LIMIT).text

    def theirs(summarize: Any, topic: Any, sentences: Sentences) -> str:
        return fitting(summarize(topic.query, sentences))

    packages = {
        "BM25 sentences": "re",
        "summa": "summa",
        "pytextrank": "pytextrank",
        "sume's model": "pulp",
    }
    made: dict[str, Callable[[Any, Sentences], str]] = {
        name: partial(ours, Summarizer.load(name)) for name in OURS
    }
    for name in PEERS:
        if importlib.util.find_spec(packages.get(name, "sumy")):
            made[name] = partial(theirs, peer(name, options.spacy))
    return made


def in_process(
    asked: Sequence[tuple[Any, Sentences]],
    summarizers: Mapping[str, Callable[[Any, Sentences], str]],
) -> tuple[dict[str, list[float]], dict[str, list[tuple[float, ...]]]]:
    """Return seconds and scores (ROUGE-2 and ROUGE-SU4, recall and F1) of each summary, by name."""
    from ilpsum.metrics.rouge import References

    seconds: dict[str, list[float]] = {name: [] for name in summarizers}
    scores: dict[str, list[tuple[float, ...]]] = {name: [] for name in summarizers}
    for turn, (topic, sentences) in enumerate([asked[0], *asked]):
        references = References(topic.summaries, stem=False, words=LIMIT)
        for name, summarize in summarizers.items():
            began = time.process_time()
            text = summarize(topic, sentences)
            if turn:  # the first time warms up
                seconds[name].append(time.process_time() - began)
                score = references.score(text)
                two, su4 = score["ROUGE-2"], score["ROUGE-SU4"]
                scores[name].append((two.recall, two.f1, su4.recall, su4.f1))
    return seconds, scores


def whole_processes(
    asked: Sequence[tuple[Any, Sentences]], names: Iterable[str], options: argparse.Namespace
) -> list[dict[str, float]]:
    """Return the seconds of a process of each system, once a round."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        topics, split = folder / "topics.jsonl", folder / "split.jsonl"
        with topics.open("w") as with_documents, split.open("w") as with_sentences:
            for topic, sentences in asked:
                documents = [{"id": d.id, "text": d.text, "role": d.role} for d in topic.documents]
                about = {"id": topic.id, "query": topic.query}
                print(json.dumps(about | {"documents": documents}), file=with_documents)
                print(json.dumps(about | {"sentences": sentences}), file=with_sentences)
        return [
            {name: whole(name, topics, split, folder, options.spacy) for name in names}
            for _ in range(options.rounds)
        ]


def compare(options: argparse.Namespace) -> None:
    """Print the table."""
    asked = questions(options)
    seconds, scores = in_process(asked, contestants(options))
    runs = whole_processes(asked, seconds, options)
    print(
        f"{len(asked)} questions of BioASQ 11, {options.pool}; ratios of processor time to `concepts`"
    )
    print("| system | ROUGE-2 recall | F1 | ROUGE-SU4 recall | F1 | in process | whole process |")
    print("|---|---|---|---|---|---|---|")
    for name, spent in seconds.items():
        means = [f"{statistics.mean(column):.4f}" for column in zip(*scores[name], strict=True)]
        inside = sum(spent) / sum(seconds["concepts"])
        outside = statistics.median(run[name] / run["concepts"] for run in runs)
        cells = [name, *means, f"{inside:.2f}", f"{outside:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    print(
        f"concepts: {1000 * statistics.mean(seconds['concepts']):.1f} ms a question; load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
