"""Reproduce Table 4 of Cohan et al. (2014): cited spans by query (Task 1a).

    python -m experiments spans [--umls FILE]

Published on the 20 training topics of TAC 2014: F1 random .0401, baseline .1635, MeSH .1038, UMLS
.1782, noun phrases .1846, idf-wiki .1143, wiki-health-terms .0755, comb_1 .1957, comb_2 .1967. The
paper does not say how it weighs terms: the queries `published-*` are our inference, the others are
ours. --umls takes a thesaurus, such as `python -m experiments.task1_vocabularies` writes; without
it, MeSH stands in for UMLS, whose licence is personal.
"""

from collections.abc import Sequence
from pathlib import Path

from experiments.archives import unpacked
from experiments.odds_ratio import health_terms, reference_texts
from experiments.page import Page, Progress, markdown, parser
from experiments.task1_spans import DRAWS, linked, random_spans, score
from ilpsum.records import Topic
from ilpsum.task1.linker import Query
from ilpsum.task1.reformulation import Background
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
            rows.append(
                [f"{prefix}{name}", theirs, *cells, *published[:2], f"{published[2]} ({gain})"]
            )
        head = ["query", "published as", "recall", "precision", "F1"]
        table = markdown([*head, "published recall", "precision", "F1"], rows)
        blocks += [f"## {title}", table]
    blocks.append(f"Random: three spans a citance, {DRAWS} draws.")
    page.write("Table 4 of Cohan et al. (2014): cited spans by query", blocks, "seed 1")
