"""The rules of scoring that follow from the gold and from the runs: ROUGE's options, oracles."""

from itertools import chain
from pathlib import Path

import msgspec

from ilpsum.evaluation.gold import Gold
from ilpsum.files.reading import read_lines
from ilpsum.files.records import UNFIT
from ilpsum.metrics.rouge import Options, RougeOptions
from ilpsum.records import BrokenTopic, Topic
from ilpsum.runs.provenance import MAX_LINE
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


class _System(msgspec.Struct):
    method: str = ""


class _Settings(msgspec.Struct):
    system: _System = msgspec.field(default_factory=_System)


class _Line(msgspec.Struct):
    """What a line of provenance, also of earlier versions, says of the selector."""

    settings: _Settings


def is_oracle(run: str | Path) -> bool:
    """Return whether a run's provenance says that it was chosen by the gold summaries.

    Reads the first intact line. Without one, as of runs of other programs, the run is none.
    """
    path = provenance_path(run)
    if not path.is_file():
        return False
    for number, line in read_lines(path, MAX_LINE):
        try:
            return msgspec.json.decode(line, type=_Line).settings.system.method == "oracle"
        except UNFIT:
            if number == _MOST_DAMAGED:
                break
    return False
