"""Several texts with a question: what a model of these should learn from, by domains that it has not seen.

    python experiments/asked.py --training abstracts merged [citances] [answers] [--features NAMES]
        [--data ../shared/data] [--save MODEL]
    python experiments/asked.py --model concepts-merged        a model that ships, or a file
    python experiments/asked.py --training ... --ship --save concepts-asked.npz      the model that ships

Prints one row of the table of experiments/results/asked.md. Training is on BioASQ 1-5 and 8-11 (questions with
abstracts, and with the marked passages of each document joined), ScisummNet (the title asks, its citances answer) and
MEDIQA. Scored are editions 6 and 7, ScisummNet, MEDIQA, papers that cite one of TAC's, and news, always on other topics
than those in training, except MEDIQA. `--ship` trains on all editions and scores nothing;
models that ship are not scored on BioASQ, which they have seen.
"""

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import news
import numpy as np
from bioasq import Source, add_options, changed, edition

from features.arrays import Floats
from ilpsum.formats import ReaderOptions, read_topics
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.fitting import train
from ilpsum.records import Document, Topic

SYSTEM = "concepts-asked"
TRAINED, HELD = (1, 2, 3, 4, 5, 8, 9, 10, 11), (6, 7)
# Topics of each domain to train on, at most, and to score; the fewest words of the questions that are scored.
MOST = {"abstracts": 936, "merged": 1500, "citances": 200, "answers": 50}
SCORED, FEWEST = 60, {"abstracts": 800, "merged": 500}
# Word limits; citing papers are cut after so many words, about as long as an article of news.
LIMITS = {"abstracts": 200, "merged": 200, "citances": 200, "answers": 175, "citing papers": 250}
CUT, CITANCES = 800, 5
Gold = tuple[Topic, tuple[str, ...]]


def questions(data: Path, pool: str, editions: Sequence[int], *, partial: bool) -> list[Topic]:
    """Return questions of BioASQ with two documents or more, shuffled, as texts with a question."""
    source = Source(data, partial=partial)
    topics = [t for batch in edition(*editions) for t in source.topics(batch, pool) if t.summaries and t.documents[1:]]
    random.Random(3).shuffle(topics)
    return [asked(topic, topic.documents) for topic in topics]


def asked(topic: Topic, documents: Sequence[Document], query: str = "") -> Topic:
    """Return a topic of texts with a question."""
    texts = tuple(replace(d, role="source") for d in documents)
    return Topic(topic.id, query or topic.query, texts, summaries=topic.summaries, kind="texts")


def citances(data: Path) -> list[Topic]:
    """Return papers of ScisummNet, shuffled, as a question, their title, that their citances answer."""
    topics = []
    for topic in read_topics(data / "scisummnet.tar.gz", "scisumm", ReaderOptions(summaries="human")):
        if isinstance(topic, Topic) and topic.reference and topic.summaries and len(topic.citances) >= CITANCES:
            texts = [Document(f"c{c.number}", c.text) for c in topic.citances]
            topics.append(asked(topic, texts, topic.reference.title))
    random.Random(5).shuffle(topics)
    return topics


def citing(data: Path) -> Iterator[Topic]:
    """Yield papers of TAC as a question, their first line, that the beginnings of citing papers answer."""
    for topic in read_topics(data / "tac2014", "tac"):
        if isinstance(topic, Topic) and topic.reference:
            papers = [d for d in topic.documents if d.role == "citing"]
            texts = [Document(d.id, " ".join(d.text.split(" ")[:CUT])) for d in papers]
            yield asked(topic, texts, topic.reference.text.strip().split("\n")[0][:200])


def training(data: Path, names: Sequence[str], *, ship: bool) -> list[Topic]:
    """Return the training topics of the named domains, shuffled."""
    editions, topics = TRAINED + (HELD if ship else ()), list[Topic]()
    for name in names:
        if name in ("abstracts", "merged"):
            found = questions(data, name, editions, partial=name == "abstracts")
        else:
            found = citances(data)[SCORED:] if name == "citances" else answers(data)
        topics += found[: len(found) if ship and name == "abstracts" else MOST[name]]
    random.Random(7).shuffle(topics)
    return topics


def answers(data: Path) -> list[Topic]:
    """Return the validation questions of MEDIQA, with the answers as documents."""
    found = []
    lines = gzip.decompress((data / "evidence" / "mediqa-mas-val.jsonl.gz").read_bytes()).splitlines()
    for line in lines:
        entry = json.loads(line)
        documents = tuple(Document(str(n), text) for n, text in enumerate(entry["answers"], 1))
        topic = Topic(str(entry["id"]), entry["question"], documents, summaries=(entry["extractive"],), kind="answers")
        found.append(asked(topic, documents))
    return found


def scored(data: Path, *, seen: bool) -> Iterator[tuple[str, list[list[Gold]], int]]:
    """Yield each domain with its topics and their references, in groups of which the means count, and the words.

    A model that ships has `seen` the questions of BioASQ, which are left out.
    """
    pools = () if seen else ("abstracts", "merged")
    domains = {pool: questions(data, pool, HELD, partial=False) for pool in pools}
    for pool, topics in domains.items():
        domains[pool] = [t for t in topics if sum(len(d.text.split()) for d in t.documents) > FEWEST[pool]][:SCORED]
    domains |= {"citances": citances(data)[:SCORED], "answers": answers(data), "citing papers": list(citing(data))}
    for name, topics in domains.items():
        yield name, [[(topic, topic.summaries)] for topic in topics], LIMITS[name]
    every, kind = news.clusters(), "with a question"
    for first, part in enumerate(("news, for choosing", "news")):
        yield part, [list(news.topics(articles, kind)) for articles in every[first::2]], news.KINDS[kind]


def score(pipeline: Pipeline, groups: Sequence[Sequence[Gold]], words: int) -> Floats:
    """Return (groups,) means of ROUGE-2 recall, stemmed."""
    means = []
    for group in groups:
        references = ((t, References(golds, ("ROUGE-2",), stem=True, words=words)) for t, golds in group)
        means.append(np.mean([r.score(pipeline(t, words).text)["ROUGE-2"].recall for t, r in references]))
    return np.array(means)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, systems=False)
    parser.add_argument("--training", nargs="+", choices=tuple(MOST), default=["abstracts", "merged"])
    parser.add_argument("--features", help="other features than those of the system")
    parser.add_argument("--model", help="score the system of this name as it ships, instead of training one")
    parser.add_argument("--save", type=Path, help="where to write the model")
    parser.add_argument("--ship", action="store_true", help="train on all editions, and score nothing")
    options = parser.parse_args()
    if options.model:
        name, pipeline = options.model, Pipeline.load(options.model, explained=False)
    else:
        system = System.load(SYSTEM)
        if options.features:
            system = changed(system, relevance={"features": options.features})
        topics = training(options.data, options.training, ship=options.ship)
        model = train(system, topics)
        if options.save:
            model.save(options.save)
        if options.ship:
            return
        name, pipeline = " + ".join(options.training), Pipeline(system, model, explained=False)
    found = {
        domain: score(pipeline, groups, words)
        for domain, groups, words in scored(options.data, seen=bool(options.model))
    }
    print("| training | " + " | ".join(f"{domain} ({len(means)})" for domain, means in found.items()) + " |")
    print(f"| {name} | " + " | ".join(f"{means.mean():.4f}" for means in found.values()) + " |")


if __name__ == "__main__":
    main()
