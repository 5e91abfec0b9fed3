"""Compressed variants of sentences as alternatives in the selection."""

import json
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
import pytest

from features.arrays import Floats
from features.context import Context
from features.text import words
from ilpsum import resources
from ilpsum.answers.steps import Summarizer
from ilpsum.cli import main
from ilpsum.compression.compressor import VARIANT_A, VARIANT_B
from ilpsum.formats import read_topics
from ilpsum.pipeline import variants
from ilpsum.pipeline.candidates import candidates
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.system import CompressionTable, Kind, System
from ilpsum.records import Document, Summary, Topic
from ilpsum.runs.provenance import read_provenance
from ilpsum.selection import select

# The shipped parser puts "in the garden" into "of the old wall", three levels deep; rules nest or chain on it.
TEXT = (
    "The growth of moss on the stones of the old wall in the garden depends on the water of the river in spring. "
    "Ferns need the shade of the trees and the moisture of the soil in dry summers. "
    "Lichens grow slowly on the bark of the oaks at the edge of the wood."
)


def topic(text: str = TEXT, query: str = "What does moss on walls need?") -> Topic:
    return Topic("T1", query, (Document("d1", text),))


def compressing(name: str, kind: Kind = "abstracts", **options: object) -> Pipeline:
    # The rule `anaphora` excludes compression.
    system = System.load(name).with_coherence(anaphora=False)
    system = msgspec.structs.replace(system, compression=CompressionTable(**options))
    return Summarizer.load(system.for_kind(kind)).for_kind(kind)


@pytest.fixture(scope="module")
def demo() -> list[Topic]:
    return [t for t in read_topics([resources.demo()], "tac") if isinstance(t, Topic)]


def pool(summarizer: Pipeline, topic: Topic) -> Prepared:
    prepared = summarizer.prepare(topic)
    assert len(prepared.sentences) == len(prepared.context) == len(prepared.features)
    return prepared


@pytest.mark.parametrize("rules", [CompressionTable().rules, VARIANT_A, VARIANT_B])
def test_variants_follow_their_sentence_and_cuts_record_what_was_removed(
    demo: list[Topic], rules: tuple[str, ...]
) -> None:
    summarizer, seen = compressing("task2", rules=rules), Counter[str]()
    for one in demo:
        prepared = pool(summarizer, one)
        found = prepared.sentences
        assert [p.text for p in prepared.context.sentences] == [s.text for s in found]
        whole = None
        for sentence in found:
            if not sentence.original:
                whole = sentence
                assert not sentence.cuts
                continue
            assert whole is not None
            place = (sentence.original, sentence.document, sentence.start, sentence.end)
            assert place == (whole.text, whole.document, whole.start, whole.end)
            assert 5 <= sentence.words == len(sentence.text.split()) < whole.words
            gone = {k for cut in sentence.cuts for k in range(cut.start, cut.end)}
            left = "".join(" " if k in gone else c for k, c in enumerate(sentence.original))
            fitted = {"a", "an"}
            assert [w for w in words(left) if w not in fitted] == [w for w in words(sentence.text) if w not in fitted]
            assert {cut.rule for cut in sentence.cuts} <= set(rules)
            seen.update({cut.rule for cut in sentence.cuts})
        assert len({(s.document, s.start, s.text) for s in found}) == len(found)
    assert len(seen) >= 3


@pytest.mark.parametrize("name", ["task2", "concepts", "greedy", "ilp-sum-2"])
def test_at_most_one_variant_of_a_sentence_is_chosen(demo: list[Topic], name: str) -> None:
    summarizer, shortened = compressing(name), 0
    summarizer.threshold = 0.4  # of the selector `greedy`: at .5 it takes whole sentences of these topics
    for prepared in map(summarizer.prepare, demo):
        for limit in (40, 100, 250):
            selection = summarizer.select(prepared, limit)
            summary = summarizer.summary(*summarizer.fill(prepared, selection, limit), limit)
            places = [(s.document, s.start) for s in summary]
            assert len(set(places)) == len(places)
            assert len(summary.text.split()) <= limit
            shortened += sum(bool(s.original) for s in summary)
            assert summary.text == "\n".join(s.text for s in summary)
            assert summary.settings.text.compression == CompressionTable().rules
    assert shortened


def test_the_selection_is_the_best_of_all_combinations() -> None:
    summarizer = compressing("ilp-sum-1", rules=VARIANT_A)
    prepared = pool(summarizer, topic())
    groups = variants.groups(prepared.sentences)
    assert len(groups) == 3
    for limit, lambda_ in product((12, 20, 35), (0.0, 0.4, 1.0)):
        problem = summarizer.problem(prepared, limit).at(lambda_)
        best = max(
            problem.value(chosen)
            for combination in product(*([(), *((i,) for i in group)] for group in groups))
            if problem.allows(chosen := tuple(i for part in combination for i in part))
        )
        for solver in ("highs", "highs-paper"):
            selection = select(problem, solver=solver)
            assert selection.status == "optimal"
            assert selection.objective == pytest.approx(best, abs=1e-9)
        assert select(problem).chosen == select(problem, solver="highs-paper").chosen


def test_a_bigram_weighs_the_same_with_and_without_variants(demo: list[Topic]) -> None:
    for name in ("ilp-sum-1", "concepts"):
        summarizer = compressing(name, "papers")
        prepared = pool(summarizer, demo[0])
        rows = variants.whole(prepared.sentences)
        uncompressed = pool(Summarizer.load(System.load(name).for_kind("papers")).for_kind("papers"), demo[0])
        plain = summarizer.problem(uncompressed, 100).at(0.3)
        both = summarizer.problem(prepared, 100).at(0.3)
        assert both.terms([rows[1], rows[4]])[1] == pytest.approx(plain.terms([1, 4])[1])
        assert select(both.at(0.0)).objective >= select(plain.at(0.0)).objective - 1e-12


@pytest.mark.parametrize("name", ["ilp-sum-1", "concepts"])
def test_relevance_of_a_variant_is_predicted_in_place_of_its_sentence(name: str) -> None:
    # The model for snippets has a lexicon, which reads the words of a variant too.
    summarizer = compressing(name, "snippets")
    prepared = pool(summarizer, topic())
    found, around = prepared.sentences, prepared.context
    assert summarizer.model is not None
    assert summarizer.system.relevance is not None
    features = summarizer.system.relevance.feature_set
    rows = variants.whole(found)
    model = summarizer.model.relevance
    assert (model.lexicon is not None) == (name == "concepts")

    def matrix(of: Context) -> Floats:
        return model.extended(features.matrix(of), of.sentences)

    as_whole = matrix(variants.at_rows(around, rows))
    for first, *shorter in variants.groups(found):
        for i in shorter:
            replaced = variants.at_rows(around, [i if row == first else row for row in rows])
            expected = model.predict(matrix(replaced), as_whole)
            assert found[i].relevance == pytest.approx(expected[rows.index(first)], abs=1e-12)
    assert len({round(s.relevance, 9) for s in found}) > len(rows)


def test_without_compression_nothing_changes(demo: list[Topic]) -> None:
    summarizer = Summarizer.load("task2").for_kind("papers")
    prepared = summarizer.prepare(demo[0])
    assert len(prepared.sentences) == len(candidates(demo[0], summarizer.system.candidates))
    assert variants.groups(prepared.sentences) == ()
    summary = summarizer(demo[0])
    assert summary.settings.text.compression == ()
    assert "compressing" not in summary.seconds


@pytest.mark.parametrize(
    "text", ["", "Short.", "(((", "A " * 80 + "moss.", "Moss, moss, moss; moss: moss - moss of of of."]
)
def test_odd_sentences(text: str) -> None:
    summary = compressing("ilp-sum-1", rules=VARIANT_B)(topic(text), 20)
    assert len(summary.text.split()) <= 20
    assert np.all([s.words >= 5 for s in summary if s.original])


def test_from_the_command_line_to_the_report(tmp_path: Path) -> None:
    topics, lines = str(resources.demo()), []
    for jobs in ("1", "2"):
        runs = tmp_path / jobs
        arguments = [topics, "--compress", "--words", "120", "--out", str(runs), "--jobs", jobs, "--quiet"]
        assert main(["summarize", *arguments]) == 0
        lines.append([json.loads(x) for x in (runs / "SYS1.provenance.jsonl").read_text(encoding="utf-8").splitlines()])
    records = lines[0]
    assert [record["text"] for record in lines[1]] == [record["text"] for record in records]
    for candidate in (c for record in records for c in record["candidates"] if "original" in c):
        for cut in candidate["cuts"]:
            assert candidate["original"][cut["start"] : cut["end"]]
    assert main(["check", str(runs / "SYS1"), "--as", "tac", "--topics", topics]) == 0
    page = tmp_path / "report.html"
    # Without curves the page holds the chosen sentences alone.
    assert main(["report", str(runs / "SYS1"), "--gold", topics, "--out", str(page), "--no-curves", "--quiet"]) == 0
    chosen = [s for record in records for s in record["sentences"] if "original" in s]
    html = page.read_text(encoding="utf-8")
    assert chosen
    assert html.count("<dt>Compressed by</dt>") == html.count("Shortened in the summary.") == len(chosen)
    assert html.count("<del ") == sum(len(s["cuts"]) for s in chosen)
    read = [r for r in read_provenance(runs / "SYS1.provenance.jsonl") if isinstance(r, Summary)]
    assert sum(bool(s.cuts) for r in read for s in r) == len(chosen)


def test_systems_without_compression_refuse_the_option(
    tac_topic: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["summarize", str(tac_topic()), "--system", "lead", "--compress", "--out", str(tmp_path / "o")]) == 2
    assert "the system lead compresses no sentences; leave out --compress" in capsys.readouterr().err
