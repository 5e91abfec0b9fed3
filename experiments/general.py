"""Summaries of texts in general English: the kind `general` against the first words and LexRank,
genre by genre.

    python -m experiments.general [--data ../shared/data] [--out experiments/results] [--model FILE]
                                  [--forms given|asked-or-not|all|mixed] [--questions N]
                                  [--features NAMES] [--part development]

Genres: papers of computational linguistics (CL-SciSumm, ScisummNet) and of biology (TAC 2014),
without their citances, and questions of BioASQ with complete abstracts. Each is summarised as given
(the query is the title or the question), without query and titles, and as plain text, without
marked sections and sentences too. The model is trained on ScisummNet and BioASQ, without the topics
that are scored, in these forms, and saved; or a model is given.
"""

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from experiments.archives import unpacked
from experiments.bioasq import Source, edition
from experiments.page import Page, parser
from features.arrays import Floats
from features.context import unit_vectors
from ilpsum.answers.steps import Summarizer
from ilpsum.metrics.rouge import References
from ilpsum.metrics.significance import paired_bootstrap
from ilpsum.papers.layout import abstract_start
from ilpsum.pipeline.candidates import candidates, context
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.fitting import train
from ilpsum.records import Document, Sentence, Topic
from ilpsum.records.tables import CandidateTable, RelevanceTable
from ilpsum.tasks import ReaderOptions, read_topics

SYSTEM = "concepts-general"
WORDS = {"questions": 200}
# Of ScisummNet every eighth topic trains the model; of those between some are for choosing, some
# for the report.
STEP, CHOOSING = 8, 60
# Of the questions these are scored, the others train the model.
SCORED = {"report": slice(260, 300), "development": slice(300, 360)}
# Of LexRank: the least cosine of an edge, the probability of following one, the largest cosine of
# two chosen sentences.
EDGE, FOLLOW, SAME = 0.1, 0.85, 0.5


def system_with(features: str | None) -> System:
    """Return the system, with these features if any are named."""
    system = System.load(SYSTEM)
    return (
        msgspec.structs.replace(system, relevance=RelevanceTable(features=features))
        if features
        else system
    )


def papers(data: Path, form: str) -> Iterator[Topic]:
    """Yield papers as texts: without citances, with their title as the query."""
    for topic in read_topics(
        data, form, ReaderOptions(summaries="human" if form == "scisumm" else None)
    ):
        if isinstance(topic, Topic) and topic.reference and topic.summaries:
            paper = replace(topic.reference, role="source")
            first = paper.sentences[0] if paper.sentences else None
            title = paper.title or (paper.text[first.start : first.end] if first else "")
            yield Topic(
                topic.id,
                title,
                (replace(paper, title=title),),
                summaries=topic.summaries,
                kind="texts",
            )


def questions(data: Path) -> list[Topic]:
    """Return the questions with complete abstracts of editions 1-8, shuffled."""
    source = Source(data, CandidateTable())
    topics = [
        t
        for batch in edition(*range(1, 9))
        for t in source.topics(batch, "abstracts")
        if t.summaries
    ]
    random.Random(1).shuffle(topics)
    return [replace(topic, kind="texts") for topic in topics]


def unasked(topic: Topic) -> Topic:
    """Return a topic without its query and its titles, so that its query is the centroid."""
    return replace(topic, query="", documents=tuple(replace(d, title="") for d in topic.documents))


def plain(topic: Topic) -> Topic:
    """Return a topic without its query whose documents have nothing but text."""
    return replace(
        topic, query="", documents=tuple(Document(d.id, d.text) for d in topic.documents)
    )


# The forms in which a topic is summarised, by the name of the row.
FORMS = {"": lambda topic: topic, ", no query": unasked, ", plain text": plain}
TRAINED = ("given", "asked-or-not", "all", "mixed")


def training(net: Sequence[Topic], asked: Sequence[Topic], trained: str, most: int) -> list[Topic]:
    """Return the training topics: as given, also without query, papers also as plain text, or each in one form only."""
    forms = list(FORMS.values())
    scored = {i for part in SCORED.values() for i in range(*part.indices(len(asked)))}
    others = [topic for i, topic in enumerate(asked) if i not in scored][:most]
    of_papers = {"given": forms[:1], "asked-or-not": forms[:2]}.get(trained, forms)
    pairs = [
        (t, of_papers if trained != "mixed" else [forms[i % 3]]) for i, t in enumerate(net[::STEP])
    ]
    pairs += [(topic, forms[:1] if trained == "given" else forms[:2]) for topic in others]
    random.Random(2).shuffle(pairs)
    return [form(topic) for topic, several in pairs for form in several]


def lead(topic: Topic, words: int) -> str:
    """Return the first words of a paper from its abstract on, or of all abstracts."""
    texts = [d.text for d in topic.documents]
    if len(texts) == 1:
        texts[0] = texts[0][abstract_start(topic.documents[0]) :]
    return " ".join(" ".join(texts).split()[:words])


def lexrank(topic: Topic, words: int) -> str:
    """Return LexRank's summary (Erkan and Radev 2004): sentences by their rank, without near repetitions, that fit."""
    sentences = candidates(topic, CandidateTable())
    vectors = unit_vectors(context(topic, sentences).vocabulary.content_stems.sentences)
    cosines = vectors @ vectors.T
    edges = (cosines > EDGE).astype(float)
    edges /= np.maximum(edges.sum(axis=1, keepdims=True), 1.0)
    rank = np.full(len(edges), 1.0 / max(len(edges), 1))
    for _ in range(100):
        rank = (1.0 - FOLLOW) / max(len(edges), 1) + FOLLOW * (edges.T @ rank)
    return by_rank(sentences, cosines, rank, words)


def by_rank(sentences: Sequence[Sentence], cosines: Floats, rank: Floats, words: int) -> str:
    """Return the sentences of highest rank that fit, in their order, without near repetitions."""
    chosen, left = list[int](), words
    for i in np.argsort(-rank, kind="stable").tolist():
        if sentences[i].words <= left and all(cosines[i, j] < SAME for j in chosen):
            chosen.append(i)
            left -= sentences[i].words
    return "\n".join(sentences[i].text for i in sorted(chosen))


def scores(topics: Sequence[Topic], genre: str, system: System, model: Path) -> dict[str, Floats]:
    """Return ROUGE-2 recall of each topic by each system."""
    words = WORDS.get(genre, 250)
    general, abstracts = Summarizer.load(system, model), Summarizer.load("concepts-abstracts")
    rows: dict[str, list[float]] = {}
    for topic in topics:
        references = References(topic.summaries, ("ROUGE-2",), stem=True, words=words)
        texts = {
            "lead": lead(topic, words),
            "LexRank": lexrank(topic, words),
            "concepts-abstracts": abstracts(topic, words).text,
            **{
                f"concepts-general{name}": general(form(topic), words).text
                for name, form in FORMS.items()
            },
        }
        for name, text in texts.items():
            rows.setdefault(name, []).append(references.score(text)["ROUGE-2"].recall)
    return {name: np.array(values) for name, values in rows.items()}


def table(found: dict[str, dict[str, Floats]]) -> str:
    """Return a row for each system and, in a column for each genre, its mean and the difference from the lead."""
    lines = ["| system | " + " | ".join(f"{g} ({len(s['lead'])})" for g, s in found.items()) + " |"]
    lines.append("|---" * (len(found) + 1) + "|")
    for name in next(iter(found.values())):
        cells = []
        for by_name in found.values():
            cell = f"{by_name[name].mean():.4f}"
            if name != "lead":
                test = paired_bootstrap(by_name[name].tolist(), by_name["lead"].tolist())
                cell += f" ({test.difference:+.3f} [{test.low:+.3f}, {test.high:+.3f}])"
            cells.append(cell)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(argv: Sequence[str]) -> None:
    arguments = parser("experiments.general", __doc__)
    arguments.add_argument(
        "--save", type=Path, default=Path("concepts-general.npz"), help="where to write the model"
    )
    arguments.add_argument("--model", type=Path, help="score this model instead of training one")
    arguments.add_argument(
        "--forms", choices=TRAINED, default="mixed", help="the forms to train on"
    )
    arguments.add_argument(
        "--questions", type=int, default=480, help="how many questions to train on"
    )
    arguments.add_argument("--features", help="other features than those of the system")
    arguments.add_argument("--part", choices=tuple(SCORED), default="report")
    options = arguments.parse_args(argv)
    page = Page.begin(options, argv)
    net, asked = (
        list(papers(unpacked(options.data / "scisummnet.tar.gz"), "scisumm")),
        questions(options.data),
    )
    system = system_with(options.features)
    model, trained = options.model, f"The model: {options.model}."
    if model is None:
        topics = training(net, asked, options.forms, options.questions)
        train(system, topics).save(options.save)
        model = options.save
        trained = f"Trained on {len({t.id for t in topics})} topics, {len(topics)} with their forms; scored on others."
    report = options.part == "report"
    genres = {"ScisummNet": net[STEP // 2 :: STEP] if report else net[2::STEP][:CHOOSING]}
    if report:
        genres["CL-SciSumm"] = list(papers(options.data / "scisumm", "scisumm"))
        genres["TAC 2014"] = list(papers(options.data / "tac2014", "tac"))
    genres["questions"] = asked[SCORED[options.part]]
    found = {genre: scores(topics, genre, system, model) for genre, topics in genres.items()}
    blocks = [
        f"ROUGE-2 recall, stemmed, 250 words (questions: 200), {options.part}. {trained}",
        table(found),
    ]
    page.write("Texts in general English", blocks)


if __name__ == "__main__":
    main(sys.argv[1:])
