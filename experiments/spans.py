"""Reproduce Table 4 of Cohan et al. (2014): cited spans by query (Task 1a).

    python -m experiments spans [--umls FILE]

Published on the 20 training topics of TAC 2014: F1 random .0401, baseline .1635, MeSH .1038, UMLS
.1782, noun phrases .1846, idf-wiki .1143, wiki-health-terms .0755, comb_1 .1957, comb_2 .1967. The
paper does not say how it weighs terms: the queries `published-*` are our inference, the others are
ours. How much of a citance a vocabulary must keep: the same query with random vocabularies. --umls takes a thesaurus, such as `python -m experiments.task1_vocabularies` writes; without
it, MeSH stands in for UMLS, whose licence is personal.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.archives import unpacked
from experiments.odds_ratio import health_terms, reference_texts
from experiments.page import Page, Progress, markdown, parser
from experiments.task1_spans import DRAWS, linked, random_spans, score
from features.text import STOP_WORDS, words
from ilpsum.records import Citance, Topic
from ilpsum.task1.linker import Query
from ilpsum.task1.reformulation import Background, bags
from ilpsum.task1.terms import without_markers
from ilpsum.task1.thesaurus import Thesaurus
from ilpsum.tasks import read_topics

# Table 4 by the names of our queries: the paper's name, recall, precision, F1.
PUBLISHED = {
    "random": ("random", 0.0421, 0.0449, 0.0401),
    "citance": ("baseline", 0.166, 0.1593, 0.1635),
    "mesh": ("MeSH_terms", 0.105, 0.1075, 0.1038),
    "umls": ("UMLS_concepts", 0.1887, 0.173, 0.1782),
    "noun-phrases": ("noun_phrases", 0.209, 0.1689, 0.1846),
    "idf": ("idf-wiki", 0.1285, 0.1051, 0.1143),
    "health-terms": ("wiki-health-terms", 0.0793, 0.0753, 0.0755),
    "comb-1": ("comb_1", 0.2139, 0.1842, 0.1957),
    "comb-2": ("comb_2", 0.2147, 0.1855, 0.1967),
}

SHARES = (0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
VOCABULARIES = 3


def content_words(citance: Citance) -> set[str]:
    """Return the distinct words of a citance that are no stop words."""
    return set(words(without_markers(citance))) - STOP_WORDS


def share_kept(topics: Sequence[Topic], query: Query, sources: Background) -> float:
    """Return the share of the citances' distinct content words that a query of plain words keeps."""
    kept, total = 0, 0
    for topic in topics:
        own = bags(topic.citances, query.terms, sources, query.spans)
        for citance, bag in zip(topic.citances, own, strict=True):
            content = content_words(citance)
            kept += len(content & bag.keys())
            total += len(content)
    return kept / total


def by_coverage(topics: Sequence[Topic], baseline: float, progress: Progress) -> list[list[object]]:
    """Return a row per share of the words of all citances that a random vocabulary holds: the gain
    of the query of its words over the baseline, mean and range over the draws.
    """
    query = Query.load("published-health-terms")
    known = sorted(set().union(*(content_words(c) for topic in topics for c in topic.citances)))
    rows = list[list[object]]()
    for share in SHARES:
        progress(f"random vocabularies of {share:.0%}")
        gains = []
        for seed in range(VOCABULARIES if share < 1 else 1):
            drawn = np.random.default_rng(seed).random(len(known)) < share
            vocabulary = frozenset(word for word, held in zip(known, drawn, strict=True) if held)
            answers = linked(topics, query, Background(health=vocabulary))
            gains.append(score(topics, answers)[2] / baseline - 1)
        rows.append(
            [f"{share:.0%}", f"{np.mean(gains):+.1%}", f"{min(gains):+.1%}", f"{max(gains):+.1%}"]
        )
    return rows


def main(argv: Sequence[str]) -> None:
    options = parser("experiments spans", __doc__)
    options.add_argument("--umls", type=Path, metavar="FILE", help="a thesaurus (MeSH)")
    arguments = options.parse_args(argv)
    page = Page.begin(arguments, argv)
    progress = Progress()
    data = arguments.data
    topics = [t for t in read_topics([data / "tac2014"]) if isinstance(t, Topic)]
    papers = reference_texts(unpacked(data / "scisummnet.tar.gz"))
    abstracts = data / "pubmed-text" / "other_abstracts.jsonl.gz"
    mesh = data / "mesh" / "mesh2019_entry_terms.tsv.gz"
    thesauri = [Thesaurus.read([file]) for file in (mesh, arguments.umls or mesh)]
    sources = Background(*thesauri, health=health_terms(abstracts, papers, len(papers)))
    blocks = [
        f"{len(topics)} of the 20 training topics, the score of the task (equations 2 and 3). "
        f"{'UMLS: ' + arguments.umls.name if arguments.umls else 'MeSH stands in for UMLS'}. "
        "Compare the gains over the baseline, not the scores: the published random score is three "
        "times as high as three random spans have here."
    ]
    for prefix, title in (("published-", "As published, inferred"), ("", "Ours")):
        progress(title)
        scores = {}
        for name in PUBLISHED:
            if name == "random":
                answers = random_spans(topics, Query.load(f"{prefix}citance"))
            else:
                answers = linked(topics, Query.load(f"{prefix}{name}"), sources)
            scores[name] = score(topics, answers)
        baseline = scores["citance"]
        rows = []
        for name, (theirs, *published) in PUBLISHED.items():
            cells = [
                f"{value:.4f} ({value / base - 1:+.1%})"
                for value, base in zip(scores[name], baseline, strict=True)
            ]
            gain = f"{published[2] / PUBLISHED['citance'][3] - 1:+.1%}"
            row = [f"{prefix}{name}", theirs, *cells, *published[:2], f"{published[2]} ({gain})"]
            if prefix:
                query = Query.load(f"{prefix}{name}") if name != "random" else None
                row.append(f"{share_kept(topics, query, sources):.0%}" if query else "")
            rows.append(row)
        head = ["query", "published as", "recall", "precision", "F1"]
        head += ["published recall", "precision", "F1"]
        table = markdown([*head, *(["content words kept"] if prefix else [])], rows)
        blocks += [f"## {title}", table]
        if prefix:
            blocks += [
                "### How much a vocabulary must hold",
                f"The same query with random vocabularies ({VOCABULARIES} draws) of the content "
                "words of all citances: the gain over the baseline.",
                markdown(
                    ["words in the vocabulary", "gain", "lowest", "highest"],
                    by_coverage(topics, baseline[2], progress),
                ),
            ]
    blocks.append(f"Random: three spans a citance, {DRAWS} draws.")
    page.write("Table 4 of Cohan et al. (2014): cited spans by query", blocks, "seed 1")
