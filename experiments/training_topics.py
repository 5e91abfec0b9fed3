"""Write into the included models which topics they were trained on, without training them again.

    python -m experiments.training_topics [--data ../shared/data] [--models NAME ...]

Reads the topics that `ilpsum/data/models/README.md` lists for each model, leaves out those that
training leaves out, and adds their digests (`ilpsum.learning.seen`) to the model file. Nothing else
in the file changes. A model that was trained on another number of topics is refused; where the
digest of the training data shows that the topics are the same in content, a line says so.
"""

import argparse
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import msgspec
import numpy as np

from experiments import general, train_roles
from experiments.archives import unpacked
from ilpsum import resources
from ilpsum.answers.sources import Sources
from ilpsum.api.inputs import topics_of
from ilpsum.errors import ModelError
from ilpsum.files import persistence
from ilpsum.learning.models import read_metadata
from ilpsum.learning.seen import TrainedOn, packed, topic_key
from ilpsum.literature import intake
from ilpsum.literature.identity import topic_digest
from ilpsum.metrics.answers import searchable
from ilpsum.pipeline.candidates import candidates
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.examples import is_missed
from ilpsum.records import Topic
from ilpsum.records.tables import CandidateTable
from ilpsum.tasks import ReaderOptions

Read = Callable[[Path], Iterable[Topic]]

# Editions of BioASQ.
ALL, EARLY = range(1, 12), range(1, 9)


def tac(data: Path) -> Iterable[Topic]:
    """Return the 14 topics of TAC 2014."""
    return topics_of(data / "tac2014")


def linguistics(data: Path) -> Iterator[Topic]:
    """Yield the papers of ScisummNet whose names end in 0, 3 or 6, and those of CL-SciSumm."""
    human = ReaderOptions(summaries="human")
    for topic in topics_of(unpacked(data / "scisummnet.tar.gz"), "scisumm", human):
        if topic.id[-1] in "036":
            yield topic
    yield from topics_of(data / "scisumm", "scisumm", human)


def questions(
    data: Path, pool: str, editions: Iterable[int], documents: Sequence[Path] = ()
) -> tuple[Topic, ...]:
    """Return the questions of some editions of BioASQ, in a pool; `documents` are the abstracts of
    the pool `abstracts`.
    """
    folder = data / "bioasq"
    files = [
        path for edition in editions for path in sorted(folder.glob(f"{edition}B[1-6]_golden*"))
    ]
    options = ReaderOptions(pool=pool, answers=(folder / "training2b.json.gz",))
    return topics_of(sorted(files), "bioasq", options, Sources(documents=tuple(documents)))


def with_abstracts(data: Path) -> tuple[Topic, ...]:
    """Return the questions of editions 1-11 with those of their abstracts that were available."""
    return questions(data, "abstracts", ALL, [data / "bioasq" / "abstracts.jsonl.gz"])


def in_the_pile(data: Path) -> Iterator[Topic]:
    """Yield the questions of editions 1-11 with one of their documents in the pile of abstracts.

    The model was trained on 2,466 of these 2,500: the search did not find the documents of the
    others. It counts as trained on all.
    """
    pile = (
        data / "bioasq" / "abstracts.jsonl.gz",
        data / "evidence" / "abstracts-more.jsonl.gz",
        data / "evidence" / "abstracts-11.jsonl.gz",
    )
    for topic in questions(data, "abstracts", ALL, pile):
        if topic.summaries and topic.documents:
            yield topic


def any_genre(data: Path) -> list[Topic]:
    """Return the papers and questions of `general.py`, in the forms that train its model."""
    papers = list(general.papers(unpacked(data / "scisummnet.tar.gz"), "scisumm"))
    return general.training(papers, general.questions(data), "mixed", 480)


OF_SYSTEMS: dict[str, Read] = {
    **dict.fromkeys(("task2", "concepts-papers"), tac),
    **{f"ilp-sum-{n}-tuned-on-papers": tac for n in range(3)},
    "concepts-linguistics": linguistics,
    **dict.fromkeys(
        ("ilp-sum-0-tuned", "ilp-sum-1-tuned", "ilp-sum-2-tuned"),
        partial(questions, pool="snippets", editions=EARLY),
    ),
    **dict.fromkeys(
        ("ilp-sum-0", "ilp-sum-1", "ilp-sum-2"),
        partial(questions, pool="snippets", editions=(1, 2)),
    ),
    "concepts-snippets": partial(questions, pool="snippets", editions=ALL),
    "concepts-merged": partial(questions, pool="merged", editions=ALL),
    "concepts-abstracts": with_abstracts,
    "concepts-general": any_genre,
}
"""Reads the topics of each model of a system."""


def with_exact_answers(data: Path) -> Iterator[Topic]:
    """Yield the questions of editions 1-8 that have exact answers; training may have left out some
    whose documents the search missed.
    """
    for topic in questions(data, "snippets", EARLY):
        if searchable(topic.answers):
            yield topic


def structured(data: Path) -> Iterator[Topic]:
    """Yield the abstracts that `train_roles.py` trains on, each as a topic without a question.

    The included model was trained on 2,732 of these 5,060: the reader of that time knew fewer
    labels of sections. Which ones is not kept, so the model counts as trained on all.
    """
    pmids = {one.pmid for one in train_roles.labelled(data) if not one.pmid.endswith("0")}
    for name in train_roles.FILES:
        for document in intake.documents(data / name):
            if document.id in pmids:
                yield Topic(document.id, "", (document,))


OTHERS: dict[str, Read] = {
    "concepts-searched": in_the_pile,
    "task1-best": tac,
    "task1-facets": tac,
    "answer-words": with_exact_answers,
    "question-words": partial(questions, pool="snippets", editions=ALL),
    "roles": structured,
}
"""Reads the topics of each other model."""


@dataclass
class Trained:
    """The topics that train a model: their digests, and those of their content."""

    keys: list[int]
    contents: list[str]


@cache
def trained(read: Read, table: CandidateTable, data: Path) -> Trained:
    """Return the topics that training does not leave out; see `examples.example`."""
    found = Trained([], [])
    for topic in read(data):
        usable = topic.summaries and not is_missed(topic)
        if usable and candidates(topic, table):
            found.keys.append(topic_key(topic))
            found.contents.append(topic_digest(topic, gold=True))
    return found


def add_system(path: Path, name: str, data: Path) -> str:
    """Add the topics of a system's model; return what was checked."""
    metadata = read_metadata(path)
    system = System.load(name.removesuffix("-on-papers"))
    if name == "concepts-papers":
        system = System.load("concepts").for_kind("papers")
    topics = trained(OF_SYSTEMS[name], system.candidates, data)
    if len(topics.keys) != metadata.topics:
        raise ModelError(f"trained on {metadata.topics} topics, not these {len(topics.keys)}", path)
    digest = hashlib.sha256("".join(topics.contents).encode()).hexdigest()[:16]
    same = "the same content" if digest == metadata.digest else "the same number"
    add(path, frozenset(topics.keys))
    return f"{len(topics.keys)} topics, {same}"


def stored(path: Path) -> persistence.Stored:
    """Return the content of a model file of any kind."""
    with np.load(path, allow_pickle=False) as archive:
        description = msgspec.json.decode(archive["description"].tobytes())
    return persistence.load(path, description["kind"], description["protocol"])


def add(path: Path, keys: TrainedOn) -> None:
    """Write a model file again, with the digests of its topics and otherwise as it is."""
    model = stored(path)
    kept = {name: value for name, value in model.description.items() if name != "digest"}
    arrays = {**model.arrays, **packed(keys)}
    persistence.save(path, kept["kind"], kept["protocol"], kept, arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--models", nargs="+", default=[*OF_SYSTEMS, *OTHERS])
    options = parser.parse_args()
    for name in options.models:
        path = resources.models() / f"{name}.npz"
        if name in OF_SYSTEMS:
            print(name, add_system(path, name, options.data), flush=True)
        else:
            topics = list(OTHERS[name](options.data))
            add(path, frozenset(map(topic_key, topics)))
            print(name, len(topics), "topics", flush=True)


if __name__ == "__main__":
    main()
