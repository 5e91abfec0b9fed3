"""Measure which share of exact answers is left in the context of a prompt, under budgets of tokens.

    pip install ".[experiments]"
    python experiments/context.py [--data ../shared/data] [--editions 9 10 11] [--pile FILE...] [--model FILE]

Each factoid and list question of BioASQ gets texts from two sources: the top 20 of a search in the pile of abstracts,
and the snippets that experts marked. Every contestant reduces the same texts to the budget; what counts is the share of
the exact answers that the joined text holds, and that the budget is kept. Tokens are those
of cl100k_base, whose vocabulary ships with llama-index-core. No model is downloaded, nothing runs on a GPU.

Contestants that only rank sentences get the sentences of `features.sentences`, and fill the budget: in the order of
their ranking, each sentence that still fits. Packages with a budget of their own are given the joined texts.
"""

import argparse
import math
import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from tqdm import tqdm

from features.context import Context
from features.retrieval import bm25
from features.sentences import split_sentences
from features.text import words
from ilpsum import Document, Summarizer, Topic, select
from ilpsum.answers.attaching import with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.formats import bioasq, pubmed
from ilpsum.metrics import answers
from ilpsum.metrics.significance import paired_bootstrap

PACKAGES = ("ilpsum", "tiktoken", "trimwise", "sumy", "summa", "lede")
SEPARATOR = "\n"
OURS = "ilpsum.select"

Reducer = Callable[[str, Sequence[str], int], str]
"""Question, texts and budget to the text of a context."""

Ranking = Callable[[str, Sequence[str]], Sequence[int]]
"""Question and sentences to the indices of the sentences, best first."""


@lru_cache(maxsize=200_000)
def tokens(text: str) -> int:
    """Return the number of tokens of cl100k_base."""
    return len(_encoding().encode(text, disallowed_special=()))


@lru_cache
def _encoding():
    spec = find_spec("llama_index.core")
    if spec is None or spec.origin is None:
        raise SystemExit("no tokenizer: pip install llama-index-core, which ships the vocabulary of cl100k_base")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(spec.origin).parent / "_static" / "tiktoken_cache")
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")


@lru_cache(maxsize=64)
def sentences(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the distinct sentences of texts, in order."""
    return tuple(dict.fromkeys(text[start:end] for text in texts for start, end in split_sentences(text)))


def filled(order: Sequence[int], found: Sequence[str], budget: int) -> str:
    """Return the sentences that fit, taken in an order, joined in source order."""
    chosen: list[int] = []
    text = ""
    for i in order:
        joined = SEPARATOR.join(found[k] for k in sorted([*chosen, i]))
        if tokens(joined) <= budget:
            chosen.append(i)
            text = joined
    return text


def ranked(ranking: Ranking) -> Reducer:
    """Return the contestant that fills the budget by a ranking, which is computed once per question."""
    known = lru_cache(maxsize=4)(lambda question, found: tuple(ranking(question, found)))

    def reduce(question: str, texts: Sequence[str], budget: int) -> str:
        found = sentences(tuple(texts))
        return filled(known(question, found), found, budget)

    return reduce


def cut(question: str, texts: Sequence[str], budget: int) -> str:  # noqa: ARG001
    """The texts in order, cut after the last token that fits: what a plain splitter does."""
    encoding, joined = _encoding(), SEPARATOR.join(texts)
    for end in range(budget, 0, -1):
        text = encoding.decode(encoding.encode(joined, disallowed_special=())[:end], errors="ignore")
        if tokens(text) <= budget:
            return text
    return ""


def leads(texts: Sequence[str]) -> list[int]:
    """Return the first sentence of every text, then the second, and so on."""
    found = {sentence: i for i, sentence in enumerate(sentences(tuple(texts)))}
    places = [(k, i) for i, text in enumerate(texts) for k, _ in enumerate(split_sentences(text))]
    bounds = [split_sentences(text) for text in texts]
    return list(dict.fromkeys(found[texts[i][slice(*bounds[i][k])]] for k, i in sorted(places)))


def lead(question: str, texts: Sequence[str], budget: int) -> str:  # noqa: ARG001
    """First sentences first."""
    return filled(leads(texts), sentences(tuple(texts)), budget)


def by_bm25(question: str, found: Sequence[str]) -> Sequence[int]:
    """Rank by BM25 (`features.retrieval`), the sentences being the collection."""
    return np.argsort(-bm25(Context.of_texts(question, list(found))), kind="stable").tolist()


def by_mmr(question: str, found: Sequence[str], weight: float = 0.5) -> Sequence[int]:
    """Rank by maximal marginal relevance (Carbonell and Goldstein 1998), with cosines of TF-IDF."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    matrix = TfidfVectorizer(tokenizer=words, token_pattern=None).fit_transform([*found, question]).toarray()
    alike = matrix[:-1] @ matrix[:-1].T
    relevance, redundancy = matrix[:-1] @ matrix[-1], np.zeros(len(found))
    order: list[int] = []
    left = np.ones(len(found), dtype=bool)
    while left.any():
        best = int(np.argmax(np.where(left, weight * relevance - (1 - weight) * redundancy, -np.inf)))
        order.append(best)
        left[best] = False
        redundancy = np.maximum(redundancy, alike[best])
    return order


def by_sumy(name: str, question: str, found: Sequence[str]) -> Sequence[int]:  # noqa: ARG001
    """Rank by a summarizer of sumy, given the sentences."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.summarizers.lex_rank import LexRankSummarizer
    from sumy.summarizers.lsa import LsaSummarizer

    class Split:
        """The tokenizer that sumy expects."""

        @staticmethod
        def to_words(text: str) -> tuple[str, ...]:
            return words(text)

    document = ObjectDocumentModel([Paragraph([Sentence(text, Split) for text in found])])
    order: list[int] = []

    def all_of(infos):
        order.extend(info.order for info in infos)
        return infos

    {"lexrank": LexRankSummarizer, "lsa": LsaSummarizer}[name]()(document, all_of)
    return order


def by_summa(question: str, found: Sequence[str]) -> Sequence[int]:  # noqa: ARG001
    """Rank by summa's TextRank; it splits the texts itself, so its sentences are matched with ours."""
    from summa.summarizer import summarize

    scores = dict(summarize("\n".join(found), ratio=1.0, split=True, scores=True))
    return sorted(range(len(found)), key=lambda i: -max((scores[s] for s in scores if s in found[i]), default=0.0))


def by_lede(question: str, texts: Sequence[str], budget: int) -> str:
    """Return lede's summary, with the words of the question as hints, at the greatest length that fits."""
    from lede import summarize

    joined, hints = SEPARATOR.join(texts), [word for word in words(question) if len(word) > 3]
    low, high = 0, 12 * budget
    best = ""
    while low < high:
        middle = (low + high + 1) // 2
        text = summarize(joined, middle, hints=hints).summary
        if tokens(text) <= budget:
            low, best = middle, text
        else:
            high = middle - 1
    return best


def by_trimwise(question: str, texts: Sequence[str], budget: int) -> str:
    """Return trimwise's excerpt, with the question as query; by words, which needs no model."""
    from trimwise import Trimmer

    return (
        Trimmer().trim_context(list(texts), budget, query=question, token_counter=tokens, separator=SEPARATOR).text
        or ""
    )


def ours(question: str, texts: Sequence[str], budget: int, system: str | Summarizer = "concepts") -> str:
    """Return the passages of `ilpsum.select`."""
    return select(question, texts, budget, tokens, separator=SEPARATOR, system=system).text


def ours_with_bm25(question: str, texts: Sequence[str], budget: int) -> str:
    """Return the passages of `ilpsum.select` with BM25 in place of our model: equal relevance, exact selection."""
    found = sentences(tuple(texts))
    scores = dict(zip(found, bm25(Context.of_texts(question, list(found))).tolist(), strict=True))
    return select(question, texts, budget, tokens, separator=SEPARATOR, relevance=scores.__getitem__).text


def ours_with_cosine(question: str, texts: Sequence[str], budget: int) -> str:
    """Return the passages of `ilpsum.select` with a reranker of one's own: the TF-IDF cosine with the question."""
    held = [Counter(words(text)) for text in sentences(tuple(texts))]
    number = Counter(word for row in held for word in row)

    def weighed(text: str) -> dict[str, float]:
        found = {w: n * math.log((1 + len(held)) / number[w]) for w, n in Counter(words(text)).items() if number[w]}
        norm = math.sqrt(sum(x * x for x in found.values())) or 1.0
        return {word: x / norm for word, x in found.items()}

    asked = weighed(question)

    def cosine(sentence: str) -> float:
        own = weighed(sentence)
        return sum(x * own.get(word, 0.0) for word, x in asked.items())

    return select(question, texts, budget, tokens, separator=SEPARATOR, relevance=cosine).text


def contestants(systems: Sequence[str], model: Path | None) -> dict[str, Reducer]:
    """Return the contestants by name, those of packages that are not installed left out."""
    default = Summarizer.load("concepts-searched", model) if model else "concepts"
    named: dict[str, Reducer] = {OURS: partial(ours, system=default)}
    named |= {f"ilpsum.select, {system}": partial(ours, system=system) for system in systems}
    named |= {
        "ilpsum.select, relevance=BM25": ours_with_bm25,
        "ilpsum.select, relevance=cosine": ours_with_cosine,
        "BM25 sentences": ranked(by_bm25),
        "MMR": ranked(by_mmr),
        "lead of each text": lead,
        "in order, cut": cut,
    }
    packages: dict[str, tuple[str, Reducer]] = {
        "trimwise, lexical": ("trimwise", by_trimwise),
        "lede, hints": ("lede", by_lede),
        "sumy LexRank": ("sumy", ranked(partial(by_sumy, "lexrank"))),
        "sumy LSA": ("sumy", ranked(partial(by_sumy, "lsa"))),
        "summa TextRank": ("summa", ranked(by_summa)),
    }
    return named | {name: reducer for name, (package, reducer) in packages.items() if find_spec(package)}


@dataclass(frozen=True)
class Case:
    """A question with its texts."""

    topic: Topic
    texts: tuple[str, ...]


def questions(data: Path, editions: Sequence[int], known: Collection[str]) -> Iterator[Topic]:
    """Yield the questions with exact answers, with their snippets, of which at least one is of a known abstract."""
    for number in editions:
        for path in sorted((data / "bioasq").glob(f"{number}B[0-9]*_golden.json.gz")):
            for topic in bioasq.read(path):
                if not isinstance(topic, Topic) or not answers.searchable(topic.answers):
                    continue
                if any(document.source in known for document in topic.documents):
                    yield topic


def texts_of(topic: Topic) -> tuple[str, ...]:
    return tuple(document.text for document in topic.documents)


@dataclass(frozen=True)
class Result:
    """What a contestant did: (questions, budgets) recall and tokens, and its seconds."""

    recall: np.ndarray
    used: np.ndarray
    seconds: float


def measure(reducer: Reducer, cases: Sequence[Case], budgets: Sequence[int], name: str) -> Result:
    recall, used = np.zeros((len(cases), len(budgets))), np.zeros((len(cases), len(budgets)))
    start = time.perf_counter()
    for i, case in enumerate(tqdm(cases, name, disable=None)):
        for k, budget in enumerate(budgets):
            text = reducer(case.topic.query, case.texts, budget)
            recall[i, k] = answers.answer_recall(text, case.topic.answers)
            used[i, k] = tokens(text)
    return Result(recall, used, time.perf_counter() - start)


def table(results: dict[str, Result], cases: Sequence[Case], budgets: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a table."""
    whole = np.mean([answers.answer_recall(SEPARATOR.join(c.texts), c.topic.answers) for c in cases])
    size = np.mean([tokens(SEPARATOR.join(c.texts)) for c in cases])
    yield f"{len(cases)} questions. Their texts have {size:.0f} tokens on average and hold {whole:.3f} of the answers."
    yield ""
    heads = [f"{budget} tokens" for budget in budgets]
    yield f"| | {' | '.join(heads)} | mean | ours, better by | tokens used | over budget | time |"
    yield f"|---|{'---|' * (len(budgets) + 5)}"
    first = results[OURS]
    for name, result in results.items():
        mean = result.recall.mean(axis=1)
        test = paired_bootstrap(first.recall.mean(axis=1).tolist(), mean.tolist())
        gain = "" if name == OURS else f"{test.difference:+.3f} [{test.low:+.3f}, {test.high:+.3f}]"
        used = (result.used / np.array(budgets)).mean()
        over = int((result.used > np.array(budgets)).sum())
        scores = " | ".join(f"{value:.3f}" for value in result.recall.mean(axis=0))
        ratio = result.seconds / first.seconds
        yield f"| {name} | {scores} | {mean.mean():.3f} | {gain} | {used:.0%} | {over} | {ratio:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = os.environ.get("ILPSUM_TEST_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data), help="folder that contains bioasq/ and answers/")
    parser.add_argument("--editions", type=int, nargs="+", default=[9, 10, 11])
    parser.add_argument("--budgets", type=int, nargs="+", default=[64, 128, 256, 512])
    parser.add_argument(
        "--pile", type=Path, nargs="+", help="files of abstracts to search, by default answers/pile.jsonl.gz"
    )
    parser.add_argument("--model", type=Path, help="a model of concepts-searched in place of the one that ships")
    parser.add_argument("--systems", nargs="*", default=[], help="further systems for ilpsum.select")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth question only")
    parser.add_argument("--index", type=Path, help="folder for the index of the pile")
    parser.add_argument("--own", action="store_true", help="leave out contestants that are not ilpsum.select")
    args = parser.parse_args()
    # summa's regular expressions warn of themselves.
    warnings.simplefilter("ignore", SyntaxWarning)
    pile = args.pile or [args.data / "answers" / "pile.jsonl.gz"]
    known = {found.id for file in pile for found in pubmed.documents(file) if isinstance(found, Document)}
    topics = list(questions(args.data, args.editions, known))[:: args.every]
    search = AbstractSearch(pile, args.index)
    sources = {
        "The top 20 of a search in the pile": [Case(t, texts_of(with_documents(t, search))) for t in topics],
        "The snippets that experts marked": [Case(t, texts_of(t)) for t in topics],
    }
    installed = ", ".join(f"{name} {version(name)}" for name in PACKAGES if name == "ilpsum" or find_spec(name))
    print(f"Versions: {installed}. Editions {args.editions}.\n")
    for title, cases in sources.items():
        reducers = contestants(args.systems, args.model)
        if args.own:
            reducers = {name: reducer for name, reducer in reducers.items() if name.startswith(OURS)}
        kept = [case for case in cases if case.texts]
        results = {name: measure(reducer, kept, args.budgets, name) for name, reducer in reducers.items()}
        print(f"## {title}\n")
        print("\n".join(table(results, kept, args.budgets)), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
