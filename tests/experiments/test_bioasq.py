"""Figures 3 and 4 and Table 1 of Malakasiotis et al. (2015), on invented questions."""

import gzip
import json
import random
import re

import numpy as np
import pytest

from experiments.__main__ import main
from experiments.bioasq import Batch, Row, Source, edition, recall, variant
from ilpsum.errors import UsageError
from ilpsum.records.tables import CandidateTable

NOUNS = "newt toad moss pond frost scale wing velin gill larva".split()
VERBS = "binds keeps sheds warms holds feeds".split()
BATCHES = [*((1, n) for n in (1, 2, 3)), *((e, n) for e in range(2, 9) for n in range(1, 6))]


def question(number, generator):
    """A question with two abstracts of three sentences, the snippets of each, and an answer."""
    noun = generator.choice(NOUNS)
    documents, snippets, abstracts = [], [], []
    for k in range(2):
        pmid = str(10_000_000 + 2 * number + k)
        url = f"http://www.ncbi.nlm.nih.gov/pubmed/{pmid}"
        sentences = []
        for _ in range(3):
            first, second = generator.sample(NOUNS, 2)
            sentences.append(f"The {first} {generator.choice(VERBS)} every {second} in spring.")
        sentences.append(f"The {noun} {generator.choice(VERBS)} its velin in winter.")
        documents.append(url)
        snippets += [
            {
                "document": url, "text": sentence, "beginSection": "abstract",
                "endSection": "abstract", "offsetInBeginSection": 0, "offsetInEndSection": 0,
            }
            for sentence in sentences
        ]  # fmt: skip
        abstracts.append(
            {"pmid": pmid, "title": f"On the {noun}.", "abstract": " ".join(sentences)}
        )
    return {
        "id": f"q{number}", "body": f"What does the {noun} do in winter?", "type": "summary",
        "documents": documents, "snippets": snippets, "ideal_answer": [sentences[-1]],
    }, abstracts  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder of batches with two questions each."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "bioasq").mkdir()
    generator = random.Random(1)
    abstracts, complete, early, number = [], [], [], 0
    for e, n in BATCHES:
        questions = []
        for _ in range(2):
            made, texts = question(number, generator)
            number += 1
            abstracts += texts
            complete.append(f"{e}\t{n}\t{made['id']}\tsummary\t2")
            if e == 1:
                early.append({"id": made["id"], "ideal_answer": made.pop("ideal_answer")})
            questions.append(made)
        with gzip.open(folder / f"bioasq/{e}B{n}_golden.json.gz", "wt", encoding="utf-8") as file:
            json.dump({"questions": questions}, file)
    with gzip.open(folder / "bioasq/training2b.json.gz", "wt", encoding="utf-8") as file:
        json.dump({"questions": early}, file)
    with gzip.open(folder / "bioasq/abstracts.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(text) + "\n" for text in abstracts)
    whole = "\n".join(complete) + "\n"
    (folder / "bioasq/questions_with_all_abstracts.tsv").write_text(whole, encoding="utf-8")
    return folder


def run(data, out, *argv):
    assert main([*argv, "--data", str(data), "--out", str(out)]) == 0
    return (out / f"{argv[0]}.md").read_text(encoding="utf-8")


def rows(page):
    """The cells of the page's tables by first cell."""
    return {
        cells[0]: cells[1:]
        for line in page.splitlines()
        if line.startswith("| ")
        and (cells := [cell.strip() for cell in line.strip("|").split("|")])
    }


def test_the_papers_batches_are_numbered_through():
    assert [*edition(1, 2)] == [Batch(1, n) for n in (1, 2, 3)] + [Batch(2, n) for n in range(1, 6)]


def test_the_data_are_read_in_both_pools(data):
    source = Source(data)
    for pool, documents in (("snippets", 8), ("abstracts", 2)):
        (first, _) = source.cases([Batch(1, 1)], pool)
        assert len(first.topic.documents) == documents
        assert first.topic.summaries


def test_titles_are_no_candidates_on_complete_abstracts(data):
    (case, _) = Source(data).cases([Batch(4, 1)], "abstracts")
    document = case.topic.documents[0]
    assert document.title.startswith("On the ")
    assert document.text.strip().startswith("The ")
    (section,) = document.sections
    assert (section.kind, section.end) == ("abstract", len(document.text))
    assert document.text[: section.start].isspace()
    assert not [s for s in case.sentences if s.text.startswith("On the ")]
    for sentence in case.sentences:
        text = next(d.text for d in case.topic.documents if d.id == sentence.document)
        assert text[sentence.start : sentence.end] == sentence.text

    (titled, _) = Source(data, CandidateTable()).cases([Batch(4, 1)], "abstracts")
    titles = [s.text for s in titled.sentences if s.text.startswith("On the ")]
    assert len(titled.sentences) == len(case.sentences) + len(titles)
    assert titles


def test_figure_3_has_a_curve_for_each_system_and_pool(data, tmp_path, capsys):
    page = run(data, tmp_path, "figure3", "--systems", "ilp-sum-1", "ilp-sum-1, clipped")
    for pool in ("snippets", "abstracts"):
        assert f"## {pool}" in page
        assert "clipped" in (tmp_path / f"figure3-{pool}.svg").read_text(encoding="utf-8")
    cells = rows(page)
    assert all(len(cells[f"{k / 10:.1f}"]) == 2 for k in range(11))
    # Relevance does not count at lambda 0, so both read it alike.
    assert len(set(cells["0.0"])) == 1
    # The best point of the curve is the system's mean over its questions, for test sets are equal.
    best = max(float(cells[f"{k / 10:.1f}"][0]) for k in range(11))
    assert float(cells["ilp-sum-1"][0]) == pytest.approx(best)
    shown = capsys.readouterr().err
    assert "snippets, batch 4: ilp-sum-1" in shown
    assert "abstracts, edition 7: ilp-sum-1" in shown


def test_figure_4_has_a_row_for_each_amount_of_training(data, tmp_path):
    page = run(data, tmp_path, "figure4", "--pools", "snippets", "--systems", "ilp-sum-2")
    cells = rows(page)
    assert [cells[f"1-{size}"][0] for size in (3, 4, 5, 6)] == ["6", "8", "10", "12"]
    assert "gr-sum-2" in cells["trained on"]
    assert (tmp_path / "figure4-snippets.svg").is_file()


def test_table_1_prints_both_metrics_and_their_average_by_batch(data, tmp_path):
    page = run(
        data, tmp_path, "table1", "--pools", "merged", "--systems", "ilp-sum-2",
        "--editions", "1", "2",
    )  # fmt: skip
    # The first of the two tables has the cells of the paper.
    printed = re.search(r"\| ilp-sum-2 \| ([\d.]+) \| (.+) \|", page)
    batches = [[float(value) for value in cell.split()] for cell in printed[2].split(" | ")]
    assert len(batches) == 5
    for two, skip, average in batches:
        assert average == pytest.approx((two + skip) / 2, abs=1e-4)
    mean = sum(average for *_, average in batches) / 5
    assert float(printed[1]) == pytest.approx(mean, abs=1e-4)
    assert "| gr-sum-2 |" in page
    assert "| Baseline 1 | 0.4472 |" in page


def test_table_1_is_not_trained_on_what_it_tests(data, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["table1", "--editions", "2", "3", "--data", str(data), "--out", str(tmp_path)])
    assert "edition 3" in capsys.readouterr().err


def test_a_row_averages_both_metrics(data):
    (case, _) = Source(data).cases([Batch(2, 1)], "snippets")
    two, skip = recall(case.topic.summaries[0], case)
    assert (two, skip) == (1.0, 1.0)
    row = Row("x", np.array([[0.2, 0.4], [1.0, 0.0]]))
    assert row.scores == pytest.approx([0.3, 0.5])


def test_variants_of_the_published_systems():
    assert variant("ilp-sum-2").selection.alpha == "topic"
    clipped = variant("ilp-sum-2, clipped")
    assert (clipped.name, clipped.selection.alpha) == ("ilp-sum-2", "clip")
    with pytest.raises(UsageError, match="candidates of its own"):
        variant("concepts-snippets")
