"""Papers: knowledge of a new kind as features of `concepts`: what other papers' citances say, and rhetorical roles.

    python experiments/task2_knowledge.py [--data ../shared/data] [--work DIR] [--variants NAME ...]

`cited` is a lexicon (`ilpsum.learning.lexicon`) from the words of a sentence to how near the nearest citance comes
(the feature `nearest-citance`), trained on all reference papers of ScisummNet. `roles` are the probabilities of
background, aim, method, result and conclusion of the classifier that was trained on labelled abstracts of PubMed, with
the place of a sentence in its section for that in an abstract. TAC 2014 in five folds over topics, as
in task2_ladder.py; lambda as `concepts` has it. Prints the table; nothing is random but the bootstrap (seed 1).
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from task2_leave_one_out import WORDS, one_fold

from features import place
from features.arrays import Floats
from features.context import Context
from features.evidence import citance_support
from features.sets import FEATURES, Feature
from features.text import Passage
from ilpsum.formats import read_topics
from ilpsum.learning.lexicon import LexiconParameters, RelevanceLexicon, Terms
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.coherence.statements import ROLES, shipped
from ilpsum.pipeline.system import CandidateTable, RelevanceTable, System
from ilpsum.pipeline.training.examples import prepare
from ilpsum.records import Topic

FOLDS = 5
VARIANTS = {"concepts": "", "+ roles": " + roles", "+ cited": " + cited", "+ both": " + roles + cited"}


def roles(context: Context) -> Floats:
    """Return (n, 5) probabilities of the roles of the candidates."""
    return shipped()([s.text for s in context.sentences], place.position_in_section(context).tolist())


def learn(archive: Path) -> RelevanceLexicon:
    """Train the lexicon on the reference papers of topics that have citances."""
    sentences: list[Sequence[Passage]] = []
    targets: list[Floats] = []
    for topic in read_topics([str(archive)], "scisumm"):
        if isinstance(topic, Topic) and topic.reference and topic.citances:
            around = context(topic, candidates(topic, CandidateTable()))
            if len(around):
                sentences.append(around.sentences)
                targets.append(citance_support(around)[:, 1])
    print(f"{len(sentences)} papers, {sum(map(len, targets))} sentences", flush=True)
    among = range(len(sentences))
    found, stacked = Terms(sentences, targets).fit(among, [i % FOLDS for i in among], LexiconParameters())
    seen = [np.corrcoef(a, b)[0, 1] for a, b in zip(stacked, targets, strict=True) if a.std() and b.std()]
    print(
        f"correlation on papers that it has not seen, mean: {np.mean(seen):.3f}; {len(found.known)} terms", flush=True
    )
    return found


def lexicon_of(archive: Path, work: Path) -> RelevanceLexicon:
    """Return the lexicon, kept in a file."""
    path = work / "cited.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **learn(archive).arrays())
    return RelevanceLexicon.from_arrays(dict(np.load(path)))


def run(name: str, topics: Sequence[Topic]) -> Floats:
    """Return ROUGE-2 and -SU4 of each topic, (topics, 2), by models of the other folds."""
    system = System.load("concepts").for_kind("papers")
    system = msgspec.structs.replace(system, relevance=RelevanceTable(features=f"concepts{VARIANTS[name]}"))
    examples, _ = prepare(system, topics)
    found = {}
    for fold in range(FOLDS):
        found |= one_fold(system, topics, examples, fold, FOLDS)
        print(name, "fold", fold, flush=True)
    return np.array([found[k] for k in range(len(topics))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ILPSUM_TEST_DATA", "../shared/data")))
    parser.add_argument("--work", type=Path, default=Path("work"))
    parser.add_argument("--variants", nargs="+", choices=tuple(VARIANTS), default=tuple(VARIANTS))
    options = parser.parse_args()
    lexicon = lexicon_of(options.data / "scisummnet.tar.gz", options.work)
    FEATURES.add("roles", Feature(tuple(f"role-{name}" for name in ROLES), roles))
    FEATURES.add("cited", Feature(("cited",), lambda context: lexicon(context.sentences)))
    topics = [t for t in read_topics([str(options.data / "tac2014")], "tac") if isinstance(t, Topic)]
    rows = {}
    for name in options.variants:
        path = options.work / f"knowledge {name}.npy"
        if not path.exists():
            np.save(path, run(name, topics))
        rows[name] = np.load(path)
    print(f"| features | ROUGE-2 | ROUGE-SU4 | ROUGE-2 over concepts [95 %], p |\n|---|---|---|---|  {WORDS} words")
    for name, scores in rows.items():
        test = paired_bootstrap(scores[:, 0].tolist(), rows["concepts"][:, 0].tolist(), seed=1)
        over = f"{test.difference:+.4f} [{test.low:+.4f}, {test.high:+.4f}], {test.p_value:.2f}"
        print(
            f"| {name} | {scores[:, 0].mean():.4f} | {scores[:, 1].mean():.4f} | {over if name != 'concepts' else ''} |"
        )


if __name__ == "__main__":
    main()
