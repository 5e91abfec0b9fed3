"""The rules of scoring that follow from the gold and from the runs: ROUGE's options, oracles."""

from itertools import chain
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.evaluation.gold import Gold
from ilpsum.metrics.rouge import Options, RougeOptions
from ilpsum.records import BrokenTopic, Summary, Topic
from ilpsum.runs.provenance import earlier_provenance
from ilpsum.runs.reading import provenance_path
from ilpsum.tasks.registry import FORMATS

_MOST_DAMAGED = 100


def rouge_options(gold: Gold, given: Options) -> RougeOptions:
    """Return the ROUGE options for gold, which alone decides them: one run, one score.

    `stem` and `words` default to TAC's rules (stems, the first 250 words) where the first gold
    topic is about a paper, else to neither.
    """
    options = Options(**given)
    tac = FORMATS["tac"] if _about_papers(gold) else None
    cut = tac.cut if tac and not options.get("bytes") else None
    options.setdefault("words", cut)
    options.setdefault("stem", bool(tac and tac.stem))
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


def is_oracle(run: str | Path) -> bool:
    """Return whether a run's provenance says that it was chosen by the gold summaries.

    Reads the first intact line. `InputError` if all lines are damaged, or the first hundred.
    """
    path = provenance_path(run)
    damaged: list[InputError] = []
    for record in earlier_provenance(path) if path.is_file() else ():
        if isinstance(record, Summary):
            return record.settings.system.method == "oracle"
        if isinstance(record, InputError):
            damaged.append(record)
        if len(damaged) == _MOST_DAMAGED:
            break
    if damaged:
        raise damaged[0]
    return False
