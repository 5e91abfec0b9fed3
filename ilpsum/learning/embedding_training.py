"""Training of word vectors with word2vec, and of document frequencies for IDF.

Texts are streamed, once to count and once per epoch to train, so they may be of any length. A
document is a line of a text file (a paragraph), an abstract in a PubMed file, or a document of a
topic in our JSON lines. Words are defined by `features.text.words`, as in the features.
"""

import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from features.text import words
from ilpsum.errors import InputError, UsageError, counted
from ilpsum.files.idf import DocumentFrequencies
from ilpsum.files.reading import read_lines
from ilpsum.files.start import Start
from ilpsum.files.work import Progress, no_progress
from ilpsum.literature import intake, named, pubmed, tagged
from ilpsum.records import BrokenTopic
from ilpsum.tasks import jsonl

# gensim silently truncates longer documents, so they are split.
_LONGEST = 10_000


@dataclass(frozen=True)
class EmbeddingOptions:
    """Training options of word vectors (word2vec, skip-gram with negative sampling; Mikolov et al.
    2013).

    Attributes:
        window: number of context words on each side that a word predicts.
        min_count: rarer words get no vector.
        max_words: vocabulary limit, the most frequent words; None for all.
        negative: noise words per word.
        sample: word2vec's downsampling threshold: words with a larger share of the text are dropped
            at random.
        workers: number of threads; the result is reproducible only with one.
    """

    dimensions: int = 200
    window: int = 5
    min_count: int = 5
    max_words: int | None = None
    epochs: int = 5
    negative: int = 5
    sample: float = 1e-4
    workers: int = 1
    seed: int = 1


@dataclass(frozen=True, slots=True)
class WordCounts(DocumentFrequencies):
    """Document frequencies of words, unnormalised, over the documents that have words; `tokens`
    counts all words.
    """

    tokens: int


class Texts:
    """The documents of files as word tuples. Each iteration reads the files again; `InputError` if
    one is damaged.
    """

    def __init__(self, files: Sequence[str | Path]) -> None:
        if any(str(file) == "-" for file in files):
            raise UsageError("texts are read more than once: name files, not standard input")
        self._files = [Path(file) for file in files]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        yield from filter(None, (words(text) for file in self._files for text in _texts(file)))


def count(texts: Iterable[tuple[str, ...]]) -> WordCounts:
    """Count the documents that contain each word, and all words."""
    documents = tokens = 0
    frequencies: Counter[str] = Counter()
    for document in texts:
        documents += 1
        tokens += len(document)
        # In text order, not set order, so that the table is reproducible.
        frequencies.update(dict.fromkeys(document, 1).keys())
    return WordCounts(documents, frequencies, tokens)


def train(
    texts: Iterable[tuple[str, ...]],
    options: EmbeddingOptions,
    progress: Progress = no_progress,
) -> tuple[list[str], NDArray[Any]]:
    """Train vectors with gensim on documents, given as word tuples and iterated several times.

    `progress` wraps each pass over the texts; its second argument names the pass.

    Returns:
        The words by descending frequency, and their (V, dimensions) vectors.

    Raises:
        InputError: no word reaches `min_count`.
    """
    from gensim.models import Word2Vec

    model = Word2Vec(
        vector_size=options.dimensions,
        window=options.window,
        min_count=options.min_count,
        max_final_vocab=options.max_words,
        negative=options.negative,
        sample=options.sample,
        workers=options.workers,
        seed=options.seed,
        sg=1,
    )
    passes = _Passes(texts, options.epochs, progress)
    model.build_vocab(passes)
    if not len(model.wv):
        remedy = "give more text or a lower --min-count"
        raise InputError(
            f"no word occurs {counted(options.min_count, 'time')} in the texts; {remedy}"
        )
    model.train(
        passes,
        total_examples=model.corpus_count,
        epochs=options.epochs,
    )
    return list(model.wv.index_to_key), model.wv.vectors


def metadata(
    options: EmbeddingOptions,
    counts: WordCounts,
    files: Sequence[str | Path],
) -> dict[str, Any]:
    """Return JSON-ready provenance of a set of vectors: options, names of the texts, versions."""
    from importlib.metadata import version

    names = [Path(file).name for file in files]
    return {
        "training": asdict(options),
        "texts": names,
        "tokens": counts.tokens,
        "python": platform.python_version(),
        "gensim": version("gensim"),
    }


class _Passes:
    """Named passes over the texts, split into parts that gensim does not truncate."""

    def __init__(self, texts: Iterable[tuple[str, ...]], epochs: int, progress: Progress) -> None:
        self._texts, self._progress = texts, progress
        self._names = iter(
            ["vocabulary", *(f"epoch {n} of {epochs}" for n in range(1, epochs + 1))]
        )

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        for document in self._progress(self._texts, next(self._names)):
            for begin in range(0, len(document), _LONGEST):
                yield document[begin : begin + _LONGEST]


def _texts(file: Path) -> Iterator[str]:
    """Yield the texts of a file: abstracts of PubMed, topics in JSON lines, or plain text, a line
    each.
    """
    start = Start.of(file)
    # First, since PubMed's records may be JSON, too.
    is_json = named.json_list(start) is not None
    if is_json or pubmed.is_article_set(start) or tagged.syntax_of(start):
        for record in intake.read(start, titles=True, strict=True):
            if record.document is not None:
                yield record.document.text
    elif start.text.startswith("{"):
        for topic in jsonl.read(file):
            if isinstance(topic, BrokenTopic):
                raise topic.error
            yield from (f"{document.title}\n{document.text}" for document in topic.documents)
    else:
        for _, line in read_lines(file):
            yield line.decode("utf-8", "replace")
