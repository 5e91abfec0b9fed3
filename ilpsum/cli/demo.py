"""`ilpsum demo`: summarise and score the bundled topics, and explain one summary."""

import argparse
from dataclasses import replace
from pathlib import Path

from ilpsum import resources
from ilpsum.cli.terminal import notify
from ilpsum.errors import IlpsumError, UsageError
from ilpsum.files.atomic import require_place, write_file
from ilpsum.formats.registry import FORMATS
from ilpsum.metrics.rouge import RougeOptions, rouge
from ilpsum.pages.gathering import gather
from ilpsum.pages.report import write
from ilpsum.records import BrokenTopic, RunSettings, Summary, Topic
from ilpsum.runs import DEFAULT_SYSTEM
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.reading import provenance_path, read_run

_TEAM = "DEMO1"
_PAGE = "report.html"
_METRICS = ("ROUGE-1", "ROUGE-2", "ROUGE-SU4")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("--out", default="demo", metavar="DIR", help="folder to write to (default: demo)")
    parser.add_argument("--quiet", action="store_true", help="print only the scores")


def run(options: argparse.Namespace) -> int:
    """Write the run and its archive, print the scores and one summary with its sources."""
    from ilpsum.answers.steps import Summarizer
    from ilpsum.formats import read_topics
    from ilpsum.runs.writer import RunWriter

    form = FORMATS["tac"]
    words = form.words
    summarizer = Summarizer.load(DEFAULT_SYSTEM)
    done: list[tuple[Topic, Summary]] = []
    for topic in read_topics([resources.demo()], "tac"):
        if isinstance(topic, BrokenTopic):
            raise IlpsumError(f"a demo topic is damaged; reinstall ilpsum: {topic.error}")
        summary = summarizer(topic, words)
        done.append((topic, replace(summary, settings=replace(summary.settings, format=form.name))))
    again = _is_there(Path(options.out), [summary for _, summary in done])
    with RunWriter(options.out, form.writer(_TEAM), force=again) as writer:
        for _, summary in done:
            writer.write(summary)
    folder = Path(options.out) / _TEAM
    scored, topics = RougeOptions(stem=True, words=words), [topic for topic, _ in done]
    shown = gather([read_run(folder)], {_TEAM: provenance_path(folder)}, topics, options=scored)
    report = folder.parent / _PAGE
    write(report, shown)
    copied = _copy_input(Path(options.out))
    if options.quiet:
        _print_scores(done, words)
        return 0
    print(f"Summarised {len(done)} invented papers by the system {DEFAULT_SYSTEM} in at most {words} words each.\n")
    _print_scores(done, words)
    _print_summary(*done[0])
    print(f"\nThe run is {folder}, its archive {folder}.tar.gz, its provenance {folder}.provenance.jsonl.")
    print(f"To read it with its sources, open {report}.")
    print(f"The invented input of the README's commands is in {copied}.")
    notify(f"score it yourself: ilpsum evaluate {folder} {folder.parent / 'topics'}")
    return 0


def _copy_input(out: Path) -> Path:
    """Copy the demo's topics, questions and abstracts to `out` without overwriting files; return `out`."""
    for source in sorted(path for path in resources.demo().rglob("*") if path.is_file()):
        place = source.relative_to(resources.demo())
        target = out / "topics" / place if len(place.parts) > 1 else out / place
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            write_file(target, source.read_bytes())
    return out


def _is_there(out: Path, new: list[Summary]) -> bool:
    """Return whether the folder has an earlier demo run, which may be replaced; `UsageError` for any other run."""
    if (out / _PAGE).exists():
        require_place(out / _PAGE, "--out")
    path = provenance_path(out / _TEAM)
    if not path.exists():
        return False
    topics = {summary.topic for summary in new}
    for old in read_provenance(path):
        if not isinstance(old, Summary) or old.topic not in topics or _settings(old) != _settings(new[0]):
            topic = old.topic if isinstance(old, Summary) else old.id
            problem = f"is a run of your own, not the demo's (topic {topic})"
            raise UsageError(f"{out / _TEAM}: {problem}; name another folder with --out")
    return True


def _settings(summary: Summary) -> RunSettings:
    """Return the settings without the model, which depends on the version of ilpsum, and the format."""
    return replace(summary.settings, system=replace(summary.settings.system, model=""), format="")


def _print_scores(done: list[tuple[Topic, Summary]], words: int) -> None:
    print(f"{'recall against four gold summaries':36}" + "".join(f"{metric:>11}" for metric in _METRICS))
    for topic, summary in done:
        scores = rouge(summary.text, topic.summaries, _METRICS, stem=True, words=words)
        print(f"{topic.id:36}" + "".join(f"{scores[metric].recall:11.4f}" for metric in _METRICS))


def _print_summary(topic: Topic, summary: Summary) -> None:
    print(f"\n{topic.id}, sentence by sentence (source: document, characters):")
    for number, sentence in enumerate(summary, start=1):
        print(f"\n{number:2} {sentence.text}")
        print(f"   {sentence.document} {sentence.start}-{sentence.end}, {sentence.section}", end="")
        print(f"; relevance {sentence.relevance:.4f}: {sentence.why}")
