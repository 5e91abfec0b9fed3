"""The options of ROUGE that follow from the gold."""

from itertools import chain

from ilpsum.evaluation.gold import Gold
from ilpsum.metrics.rouge import Options, RougeOptions
from ilpsum.records import BrokenTopic, Topic
from ilpsum.tasks.registry import FORMATS


def rouge_options(gold: Gold, given: Options) -> RougeOptions:
    """Return the ROUGE options for gold, which alone decides them: one run, one score.

    `stem` and `words` default to TAC's rules (stems, the first 250 words) where the first gold
    topic is about a paper, else to neither.
    """
    options = Options(**given)
    if _about_papers(gold):
        options.setdefault("stem", FORMATS["tac"].stem)
        if not options.get("bytes"):
            options.setdefault("words", FORMATS["tac"].cut)
    return RougeOptions(**options)


def _about_papers(gold: Gold) -> bool:
    """Return whether the first readable topic is about a paper; the gold keeps its topics."""
    stream = iter(gold.topics)
    read: list[Topic | BrokenTopic] = []
    about_papers = False
    for topic in stream:
        read.append(topic)
        if isinstance(topic, Topic):
            about_papers = topic.reference is not None or bool(topic.citances)
            break
    gold.topics = chain(read, stream)
    return about_papers
