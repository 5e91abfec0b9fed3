"""The experiments: a command for each published table and figure of the five papers."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from features.registry import Registry

MALAKASIOTIS = "Malakasiotis et al. (2015), ILSP and AUEB at BioASQ3"
COHAN = "Cohan et al. (2014), citation-based summarization of biomedical literature"
LIN = "Lin and Wilbur (2007), syntactic sentence compression"

WITHOUT = {
    MALAKASIOTIS: "Figures 1 and 2 show PubMed's growth and an example; there is nothing to run.",
    LIN: "Figures 1 and 2 show PubMed's page and TREC's templates; there is nothing to run.",
    "TAC 2014, task description": (
        "No table or figure. Its scores: `ilpsum evaluate`; its formats: `ilpsum check --as tac`."
    ),
    "TREC BioGen, submission format": (
        "No table or figure. Its rules: `ilpsum check --as biogen-2024`."
    ),
}
"""What papers have that no experiment makes."""


@dataclass(frozen=True)
class Experiment:
    """A command that makes the page of some tables or figures.

    Attributes:
        paper: the paper that has them.
        items: their numbers in the paper.
        what: what they show.
        data: folders of --data, or files of the user's, that it reads.
        minutes: about how long it takes on a processor of its own.
        name: name of the experiment and of its page; its module has underscores for hyphens.
    """

    name: str
    paper: str
    items: str
    what: str
    data: str
    minutes: int

    @property
    def page(self) -> str:
        """Path of the committed page."""
        return f"experiments/results/{self.name}.md"

    @property
    def module(self) -> str:
        """Name of the module whose `main` runs the experiment."""
        return f"experiments.{self.name.replace('-', '_')}"

    def run(self, argv: Sequence[str]) -> None:
        """Run the experiment with arguments of the command line.

        Raises:
            IlpsumError: the input is not as expected.
        """
        import_module(self.module).main(argv)


EXPERIMENTS: Registry[Experiment] = Registry("experiment")

for _experiment in (
    Experiment(
        "figure3", MALAKASIOTIS, "Figure 3",
        "the score over lambda, ILP-SUM-0, -1, -2", "bioasq/", 4,
    ),
    Experiment(
        "figure4", MALAKASIOTIS, "Figure 4",
        "the score over the training data, ILP-SUM-2 and GR-SUM-2", "bioasq/", 2,
    ),
    Experiment(
        "table1", MALAKASIOTIS, "Table 1",
        "BioASQ 3 by batch: ILP-SUM-2, GR-SUM-2, the baselines", "bioasq/", 1,
    ),
    Experiment(
        "full-abstracts", MALAKASIOTIS, "Table 1, its setting",
        "the same systems on the 580 questions with complete abstracts", "bioasq/", 15,
    ),
    Experiment(
        "agreement", COHAN, "Table 1, Table 2, Table 3",
        "agreement of the annotators on spans and facets; facets by count", "tac2014/", 1,
    ),
    Experiment(
        "spans", COHAN, "Table 4",
        "cited spans by query: recall, precision, F1", "tac2014/, mesh/, pubmed-text/, scisummnet.tar.gz", 1,
    ),
    Experiment(
        "odds-ratio", COHAN, "Equation 1",
        "the odds ratio of health terms, and the query that keeps them", "tac2014/, pubmed-text/, scisumm/, scisummnet.tar.gz", 1,
    ),
    Experiment(
        "facets", COHAN, "Table 5, Figure 1",
        "facet classifiers and both ensembles; the best three by topic", "tac2014/", 5,
    ),
    Experiment(
        "titles", LIN, "Table 1, Table 3, Table 4, Figure 3, Figure 4",
        "compressions: characteristics, BLEU between annotators, rules alone, threshold, ratio against BLEU",
        "--titles DEV.tsv TEST.tsv", 1,
    ),
    Experiment(
        "title-examples", LIN, "Table 2", "worked examples of the seven rules", "compression/", 1,
    ),
    Experiment(
        "ratings", LIN, "Table 5",
        "fluency and content ratings: mean and standard deviation", "--ratings FILE.tsv", 1,
    ),
    Experiment(
        "flips", LIN, "Table 6, Table 7, Table 8",
        "flips of interest judgments, contingency, precision and recall", "--judgments FILE.tsv", 1,
    ),
):  # fmt: skip
    EXPERIMENTS.add(_experiment.name, _experiment)


def listing() -> str:
    """Return the experiments by paper, and what papers have that none makes."""
    experiments = [EXPERIMENTS[name] for name in EXPERIMENTS]
    papers = dict.fromkeys([*(experiment.paper for experiment in experiments), *WITHOUT])
    blocks = []
    for paper in papers:
        lines = [paper]
        for experiment in experiments:
            if experiment.paper == paper:
                takes = f"{experiment.minutes} min"
                lines.append(f"  {experiment.name:15} {experiment.items}: {experiment.what}")
                lines.append(f"  {takes:>15} {experiment.data}; page: {experiment.page}")
        if paper in WITHOUT:
            lines.append(f"  {'-':15} {WITHOUT[paper]}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
