"""Summaries of news, without human summaries: what they hold of a further article on the same event.

    python experiments/news.py [--data FOLDER] [--out experiments/results] [--model FILE] [--part development]
    python experiments/news.py --leads 0 0.5 0.7 0.9 [--part development]      one article, of which the first are kept

The articles are the 300 of the Australian Broadcasting Corporation (Lee et al. 2005) that gensim installs for tests.
Those on one event form a cluster. Each of its articles is held out in turn: the others are summarised in 100 words, and
the summary is scored against the first three sentences of the article held out; or its first sentence is the question,
and the answer is scored against the next five. Or it is summarised alone, in 100 words or 50, and the summary is scored
against the first three sentences of each of the others. Every other cluster is for choosing, the rest for the report.
"""

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from bioasq import add_options, changed, write
from general import by_rank, lexrank, system_with
from gensim.test.utils import datapath
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer

from features.arrays import Floats
from features.evidence import unit_vectors
from features.sentences import split_sentences
from ilpsum.answers.steps import Summarizer
from ilpsum.metrics.divergence import jensen_shannon
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.system import CandidateTable
from ilpsum.records import Document, Topic

# The kinds of task, and the words of a summary.
KINDS = {"several articles": 100, "with a question": 100, "one article": 100, "one article, briefly": 50}
# Of clusters: the largest mean cosine distance of their articles, the fewest articles; the largest share of equal
# bigrams of two articles, above which one is a later edition of the other and is left out.
APART, FEWEST, SAME = 0.85, 4, 0.3
LEAD, NEXT = 3, 5

System = Callable[[Topic, int], str]


def sentences_of(text: str) -> list[str]:
    """Return the sentences of an article."""
    return [text[start:end] for start, end in split_sentences(text)]


def clusters() -> list[list[str]]:
    """Return the articles on each event, in the order of the file."""
    texts = Path(datapath("lee_background.cor")).read_text(encoding="utf-8").splitlines()
    matrix = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(texts).toarray()
    method = AgglomerativeClustering(n_clusters=None, metric="cosine", linkage="average", distance_threshold=APART)
    labels = method.fit_predict(matrix)
    found = []
    for label in dict.fromkeys(labels.tolist()):
        kept: list[str] = []
        for text in (text for text, of in zip(texts, labels.tolist(), strict=True) if of == label):
            if all(overlap(text, other) <= SAME for other in kept):
                kept.append(text)
        if len(kept) >= FEWEST:
            found.append(kept)
    return found


def overlap(text: str, other: str) -> float:
    """Return the share of the bigrams of the shorter article that the other holds."""
    first, second = (set(zip(t.split(), t.split()[1:], strict=False)) for t in (text, other))
    return len(first & second) / max(1, min(len(first), len(second)))


def topics(articles: Sequence[str], kind: str) -> Iterator[tuple[Topic, tuple[str, ...]]]:
    """Yield a topic for each article, made of the others or of it alone, and its references."""
    sentences = [sentences_of(text) for text in articles]
    documents = [Document(str(i), text) for i, text in enumerate(articles)]
    for held, own in enumerate(sentences):
        others = tuple(d for i, d in enumerate(documents) if i != held)
        if kind.startswith("one article"):
            leads = tuple(" ".join(s[:LEAD]) for i, s in enumerate(sentences) if i != held)
            yield Topic(f"{held} alone", "", (documents[held],), kind="texts"), leads
        elif kind == "with a question":
            yield Topic(f"without {held}", own[0], others, kind="texts"), (" ".join(own[1 : 1 + NEXT]),)
        else:
            yield Topic(f"without {held}", "", others, kind="texts"), (" ".join(own[:LEAD]),)


def lead(topic: Topic, words: int) -> str:
    """Return the first words of the first article."""
    return " ".join(" ".join(d.text for d in topic.documents).split()[:words])


def first_sentences(topic: Topic, words: int) -> str:
    """Return the first sentences of all articles, then their second ones, ..., whole, up to one that does not fit."""
    rows, chosen, left = [sentences_of(d.text) for d in topic.documents], list[str](), words
    for sentence in (row[k] for k in range(max(map(len, rows))) for row in rows if k < len(row)):
        left -= len(sentence.split())
        if left < 0:
            break
        chosen.append(sentence)
    return " ".join(chosen)


def shuffled(topic: Topic, words: int) -> str:
    """Return sentences in random order."""
    sentences = candidates(topic, CandidateTable())
    rank = np.array(random.Random(topic.documents[0].text).sample(range(len(sentences)), len(sentences)), dtype=float)
    return by_rank(sentences, np.eye(len(sentences)), rank, words)


def centroid(topic: Topic, words: int) -> str:
    """Return the sentences nearest to the centroid of all (Radev et al. 2004), without near repetitions."""
    sentences = candidates(topic, CandidateTable())
    vectors = unit_vectors(context(topic, sentences).sentences)
    return by_rank(sentences, vectors @ vectors.T, vectors @ vectors.mean(axis=0), words)


def systems(model: Path | None, features: str | None, leads: Sequence[float]) -> dict[str, System]:
    """Return the systems by name; the first is the baseline of the differences.

    With `leads`, shares of the word limit, the others are the model of texts that keeps the first sentences up to each.
    """
    found: dict[str, System] = {"lead": lead, "first sentences": first_sentences}
    for share in leads:
        keeping = Summarizer.load(
            changed(system_with(features), selection={"lead": share}), model or "concepts-general"
        )
        found[f"lead {share:g}"] = lambda topic, words, summarizer=keeping: summarizer(topic, words).text
    if leads:
        return found
    found |= {"random": shuffled, "centroid": centroid, "LexRank": lexrank}
    general = Summarizer.load(system_with(features), model)
    for name in ("ilp-sum-2", "concepts-abstracts", "concepts-general"):
        summarizer = general if name == "concepts-general" else Summarizer.load(name)
        found[name] = lambda topic, words, summarizer=summarizer: summarizer(topic, words).text
    return found


def scores(chosen: Sequence[Sequence[str]], by_name: dict[str, System], kind: str) -> dict[str, Floats]:
    """Return (clusters, 2) means of ROUGE-2 recall and of the divergence from the sources, by system."""
    rows: dict[str, list[Floats]] = {name: [] for name in by_name}
    for articles in chosen:
        of_cluster: dict[str, list[tuple[float, float]]] = {name: [] for name in by_name}
        for topic, golds in topics(articles, kind):
            references = References(golds, ("ROUGE-2",), stem=True, words=KINDS[kind])
            source = "\n".join(d.text for d in topic.documents)
            for name, system in by_name.items():
                text = system(topic, KINDS[kind])
                recall = references.score(text)["ROUGE-2"].recall
                of_cluster[name].append((recall, jensen_shannon(text, source, stem=True)))
        for name, found in of_cluster.items():
            rows[name].append(np.array(found).mean(axis=0))
    return {name: np.array(found) for name, found in rows.items()}


def table(found: dict[str, dict[str, Floats]]) -> str:
    """Return a row for each system, with its differences from the first words and from the first sentences."""
    lines = ["| system | " + " | ".join(f"{kind}, ROUGE-2 | JS" for kind in found) + " |"]
    lines.append("|---" * (2 * len(found) + 1) + "|")
    for name in next(iter(found.values())):
        cells = []
        for by_name in found.values():
            recall, divergence = by_name[name].mean(axis=0)
            over = ""
            for base in ("lead", "first sentences"):
                if name not in ("lead", base):
                    test = paired_bootstrap(by_name[name][:, 0].tolist(), by_name[base][:, 0].tolist())
                    over += f"; {test.difference:+.3f} [{test.low:+.3f}, {test.high:+.3f}]"
            cells += [f"{recall:.4f}{over}", f"{divergence:.3f}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, systems=False)
    parser.add_argument("--model", type=Path, help="score this model instead of the one that ships")
    parser.add_argument("--features", help="other features than those of the system, for a model that reads them")
    parser.add_argument(
        "--leads", nargs="+", type=float, default=(), help="shares of the words for the first sentences"
    )
    parser.add_argument("--part", choices=("development", "report"), default="report")
    options = parser.parse_args()
    every = clusters()
    chosen = every[options.part == "report" :: 2]
    by_name = systems(options.model, options.features, options.leads)
    kinds = [kind for kind in KINDS if kind.startswith("one article") or not options.leads]
    found = {kind: scores(chosen, by_name, kind) for kind in kinds}
    size = f"{len(chosen)} of {len(every)} clusters, {sum(map(len, chosen))} articles ({options.part})"
    words = ", ".join(f"{kind} {most} words" for kind, most in KINDS.items())
    blocks = [f"{size}; stemmed, means of clusters. Limits: {words}.", table(found)]
    write(options, "news-leads" if options.leads else "news", "News", "python experiments/news.py", blocks)


if __name__ == "__main__":
    main()
