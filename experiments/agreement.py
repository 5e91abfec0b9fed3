"""Reproduce Tables 1, 2 and 3 of Cohan et al. (2014): how well the annotators of Task 1 agree.

    python -m experiments agreement

Published, on the 20 training topics of TAC 2014: of 313 citances none has the same span from all
four annotators, 66 have a span that overlaps for all (21.77 %), 104 one that overlaps for one
majority of three (19.08 %); all four name one facet for 45 citances; Fleiss' kappa .187. Here: the
14 topics in --data.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import mean, pstdev

from experiments.annotators import agreement, fleiss_kappa, marked, overlap_class
from experiments.page import Page, markdown, parser
from ilpsum.records import Citance, Topic
from ilpsum.tasks import read_topics

# Table 1: citances, mean and standard deviation of the overlap in percent.
SPANS = {
    "full, all": (0, "", ""),
    "partial, all": (66, "21.77", "15.44"),
    "full, majority": (1, "", ""),
    "partial, majority, 1 combination": (104, "19.08", "11.13"),
    "partial, majority, 2 combinations": (17, "21.27", "14.26"),
    "full, minority": (1, "", ""),
    "partial, minority, 1 combination": (45, "31.76", "17.79"),
    "partial, minority, 2 combinations": (46, "26.26", "16.55"),
    "partial, minority, 3 combinations": (19, "21.10", "12.56"),
    "partial, minority, 4 combinations": (3, "14.45", "5.27"),
    "no overlap": (11, "", ""),
}
# Table 2 and Table 3.
FACETS = {"all": 45, "majority": 123, "minority": 97, "tie": 45, "none": 4}
FACET_COUNTS = {
    "hypothesis": 21, "method": 155, "results": 490, "implication": 140, "discussion": 446,
}  # fmt: skip
KAPPA = 0.187


def spans_table(citances: Sequence[Citance]) -> str:
    """Return Table 1 as Markdown."""
    counts: Counter[str] = Counter()
    overlaps: dict[str, list[float]] = defaultdict(list)
    for citance in citances:
        name, shared = overlap_class([marked(a.spans) for a in citance.annotations])
        counts[name] += 1
        overlaps[name] += shared
    rows: list[list[object]] = [["total", len(citances), "", "", 313, "", ""]]
    for name in [*SPANS, *sorted(set(counts) - set(SPANS))]:
        values = overlaps[name] if name.startswith("partial") else []
        average = f"{100 * mean(values):.2f}" if values else ""
        spread = f"{100 * pstdev(values):.2f}" if values else ""
        rows.append(
            [name, counts[name], average, spread, *SPANS.get(name, ("not printed", "", ""))]
        )
    head = ["agreement on spans", "citances", "overlap, %", "standard deviation"]
    return markdown([*head, "published (20 topics)", "overlap, %", "standard deviation"], rows)


def facets_table(labels: Sequence[Sequence[str]]) -> str:
    """Return Table 2 as Markdown."""
    counts = Counter(agreement(names) for names in labels if names)
    rows = [[name, counts[name], published] for name, published in FACETS.items()]
    return markdown(["agreement on facets", "citances", "published (20 topics)"], rows)


def counts_table(labels: Sequence[Sequence[str]]) -> str:
    """Return Table 3 as Markdown."""
    counts = Counter(name for names in labels for name in names)
    published = sum(FACET_COUNTS.values())
    rows = []
    for facet, number in FACET_COUNTS.items():
        shares = f"{counts[facet] / counts.total():.1%}", f"{number / published:.1%}"
        rows.append([facet, counts[facet], shares[0], number, shares[1]])
    return markdown(["facet", "annotations", "share", "published (20 topics)", "share"], rows)


def main(argv: Sequence[str]) -> None:
    arguments = parser("experiments agreement", __doc__).parse_args(argv)
    page = Page.begin(arguments, argv)
    topics = [t for t in read_topics([arguments.data / "tac2014"]) if isinstance(t, Topic)]
    citances = [citance for topic in topics for citance in topic.citances]
    labels = [[a.facets[0] for a in c.annotations if a.facets] for c in citances]
    page.write(
        "Tables 1-3 of Cohan et al. (2014): agreement of the annotators",
        [
            f"{len(topics)} of the 20 training topics of TAC 2014, {len(citances)} citances of four "
            "annotators each. Overlap: common characters over those of the union. Mean and (population) "
            "standard deviation are over the combinations of annotators of all citances of a class: "
            "so the three citances with four combinations have the published figures to the digit.",
            f"## Table 1: spans\n\n{spans_table(citances)}",
            f"## Table 2: facets\n\n{facets_table(labels)}",
            f"Fleiss' kappa: {fleiss_kappa(labels):.3f} (published: {KAPPA}). The published facets "
            f"sum to {sum(FACETS.values())}, of 313 citances.",
            f"## Table 3: facets by count\n\n{counts_table(labels)}",
        ],
    )
