"""`ilpsum evaluate` on a tiny invented run: rows, means, signatures, and warnings about gold and run."""

import json
import shlex
import shutil

import pytest

from features.sentences import split_sentences
from ilpsum import evaluate, topics_of
from ilpsum.cli import main
from ilpsum.metrics.rouge import rouge
from ilpsum.metrics.signature import Signature
from ilpsum.metrics.spans import sentence_overlap
from ilpsum.records import RunSettings, Span, Summary, SystemSettings
from ilpsum.runs.provenance import failure_line, summary_line
from ilpsum.runs.reading import read_run
from ilpsum.version import __version__
from tests.json_lines import lines_of, read_lines

GOLD = {
    "T1": ["The moss covers the old wall.\nIt grows slowly there.", "Moss grows on old walls."],
    "T2": ["Ferns need shade and water to grow."],
    "T3": ["Lichens are slow."],
}
RUN = {"T1": "Moss covers old walls.\nIt grows slowly.", "T2": "Ferns growing in shade need water."}


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.jsonl"
    documents = [{"id": "d", "text": "Moss."}]
    lines = [
        {"id": topic, "documents": documents, "summaries": texts} for topic, texts in GOLD.items()
    ]
    lines.append({"id": "T4", "documents": documents})
    path.write_text(lines_of(lines))
    return path


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "SYSX1"
    folder.mkdir()
    for topic, text in {**RUN, "T9": "Nobody asked."}.items():
        (folder / topic).write_text(text)
    return folder


def rows(text):
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


def expected(metrics=("ROUGE-2", "ROUGE-SU4"), first=False, **options):
    wanted, scores = [], {name: [] for name in metrics}
    for topic, references in GOLD.items():
        used = references[:1] if first else references
        for name, score in rouge(RUN.get(topic, ""), used, metrics, **options).items():
            numbers = (score.recall, score.precision, score.f1)
            scores[name].append(numbers)
            wanted.append([topic, name, *(f"{number:.6f}" for number in numbers)])
    for name, found in scores.items():
        means = (f"{sum(column) / 3:.6f}" for column in zip(*found, strict=True))
        wanted.append(["all", name, *means])
    return wanted


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ("", {}),
        ("--stem --words 5", {"stem": True, "words": 5}),
        ("--stem --bytes 25", {"stem": True, "bytes": 25}),
        ("--multiple best --metrics ROUGE-L,ROUGE-1",
         {"multiple": "best", "metrics": ("ROUGE-L", "ROUGE-1")}),
        ("--multiple jackknife", {"multiple": "jackknife"}),
        ("--references first", {"first": True}),
    ],
)  # fmt: skip
def test_rows(gold, run, capsys, arguments, options):
    assert main(["evaluate", str(run), str(gold), *arguments.split()]) == 0
    assert rows(capsys.readouterr().out) == expected(**options)


def test_comments_have_signature_and_interval(gold, run, capsys):
    main(["evaluate", str(run), str(gold), *"--stem --words 250 --metrics ROUGE-2".split()])
    printed = capsys.readouterr().out.splitlines()
    signature, interval = (line for line in printed if line.startswith("# "))
    fields = Signature.parse(signature[2:])
    assert fields.metric == "ROUGE-2"
    counted = {"stem": "yes", "words": "250", "exceptions": "off", "tokens": "rouge-1.5.5"}
    gold_texts = {"multiple": "pool", "references": "all"}
    assert fields.fields == counted | gold_texts | {"f": "1", "version": __version__}
    how = "bootstrap, 10000 samples of 3 topics, seed 0"
    assert interval.startswith(f"# ROUGE-2 95% interval of the mean ({how}): recall 0")


@pytest.fixture
def questions(tmp_path):
    def question(name, kind, exact, text):
        url = "http://www.ncbi.nlm.nih.gov/pubmed/1"
        snippet = {"document": url, "text": text, "beginSection": "abstract"}
        asked = {"id": name, "body": "Which?", "type": kind, "snippets": [snippet]}
        return asked | {"exact_answer": exact}

    listed = [["moss", "bryophyte"], ["wall-flower"]]
    asked = [
        question("T1", "list", listed, "Moss covers walls. Nothing else does."),
        question("T2", "factoid", ["shade"], "Ferns grow in the shade."),
        question("T3", "factoid", ["lichen"], "Lichens are slow."),
        question("T4", "summary", None, "Ivy climbs.") | {"ideal_answer": "Ivy climbs."},
    ]
    path = tmp_path / "questions.json"
    path.write_text(json.dumps({"questions": asked}))
    return path


def test_exact_answers(run, questions, capsys):
    options = "--metrics exact-answer,ROUGE-1 --words 6".split()
    assert main(["evaluate", str(run), str(questions), *options]) == 0
    printed = capsys.readouterr()
    exact = {"T1": "0.500000", "T2": "1.000000", "T3": "0.000000"}
    assert [row[:3] for row in rows(printed.out)] == [
        *([topic, "exact-answer", score] for topic, score in exact.items()),
        ["T4", "ROUGE-1", "0.000000"],
        ["all", "exact-answer", "0.500000"],
        ["all", "ROUGE-1", "0.000000"],
    ]
    assert f"# exact-answer|words:6|version:{__version__}" in printed.out
    assert "SYSX1: not in the run, scored as empty: T3" in printed.err


def test_scores_do_not_depend_on_the_provenance(gold, run, tmp_path, capsys):
    evaluated = ["evaluate", str(run), str(gold), "--quiet"]
    assert main(evaluated) == 0
    alone = capsys.readouterr().out
    provenance = tmp_path / "SYSX1.provenance.jsonl"
    provenance.write_bytes(summary_line(Summary("T1", (), "", settings=RunSettings(format="tac"))))
    assert main(evaluated) == 0
    assert capsys.readouterr().out == alone
    provenance.write_bytes(b'{"damaged": \n')
    assert main(evaluated) == 2
    told = "SYSX1.provenance.jsonl:1: expected a JSON object of provenance"
    assert told in capsys.readouterr().err


def test_whether_a_run_is_an_oracle_is_in_its_provenance(run, tmp_path):
    assert not read_run(run).training.oracle
    settings = RunSettings(system=SystemSettings(method="oracle"))
    provenance = tmp_path / "SYSX1.provenance.jsonl"
    provenance.write_bytes(
        failure_line("T0", "x") + summary_line(Summary("T1", (), "", settings=settings))
    )
    assert read_run(run).training.oracle


def test_gold_by_its_option_and_metrics_in_any_case(gold, run, capsys):
    main(["evaluate", str(run), str(gold), "--metrics", "ROUGE-2,ROUGE-SU4"])
    usual = capsys.readouterr().out
    for arguments in (["--gold", str(gold), str(run)], [str(run), "--gold", str(gold)]):
        assert main(["evaluate", *arguments, "--metrics", "rouge-2,Rouge-su4"]) == 0
        assert capsys.readouterr().out == usual
    assert main(["evaluate", str(run)]) == 2
    assert "GOLD is missing" in capsys.readouterr().err


def test_gold_about_papers_is_scored_by_the_rules_of_tac_whoever_wrote_the_run(
    demo, tmp_path, capsys
):
    shutil.copytree(demo / "DEMO1", tmp_path / "copy" / "OTHER1")
    capsys.readouterr()
    means = []
    for run in (demo / "DEMO1", tmp_path / "copy" / "OTHER1"):
        assert main(["evaluate", str(run), str(demo / "topics"), "--quiet"]) == 0
        printed = capsys.readouterr().out
        assert "ROUGE-2|stem:yes|words:250|" in printed
        means += [float(row[2]) for row in rows(printed) if row[:2] == ["all", "ROUGE-2"]]
    topics = topics_of(demo / "topics")
    texts = read_run(demo / "DEMO1").texts
    *_, mean = evaluate(texts, topics, ["ROUGE-2"])
    means.append(round(mean.recall, 6))
    compared = ["compare", str(demo / "DEMO1"), str(tmp_path / "copy" / "OTHER1"), "--json"]
    assert main([*compared, "--gold", str(demo / "topics"), "--metrics", "ROUGE-2"]) == 0
    lines = read_lines(capsys.readouterr().out)
    means += [line["recall"] for line in lines if line["kind"] == "run"]
    assert len(means) == 5
    assert len(set(means)) == 1
    # A printed table shows the whole signature.
    assert str(mean.signature) in str(evaluate(texts, topics, ["ROUGE-2"]))


def test_a_metric_that_no_topic_has_gold_for_is_an_error(gold, run, capsys):
    assert main(["evaluate", str(run), str(gold), "--metrics", "ROUGE-1,exact-answer"]) == 2
    assert "no gold for exact-answer; expected topics with exact answers" in capsys.readouterr().err
    assert main(["evaluate", str(run), str(gold), "--metrics", "exact"]) == 2
    assert "exact-answer" in capsys.readouterr().err


def test_differences_of_gold_and_run_give_warnings(gold, run, capsys):
    main(["evaluate", str(run), str(gold)])
    warnings = capsys.readouterr().err
    assert "SYSX1: not in the run, scored as empty: T3" in warnings
    assert "SYSX1: not in the gold, ignored: T9" in warnings
    assert "not scored, without gold: T4" in warnings
    main(["evaluate", str(run), str(gold), "--quiet"])
    assert capsys.readouterr().err == ""


def test_gold_in_several_files(gold, run, capsys, tmp_path):
    parts = [tmp_path / f"part{i}.jsonl" for i in range(2)]
    lines = gold.read_text().splitlines(keepends=True)
    for part, some in zip(parts, (lines[:1], lines[1:]), strict=True):
        part.write_text("".join(some))
    main(["evaluate", str(run), *map(str, parts)])
    assert rows(capsys.readouterr().out) == expected()


def test_no_table_has_a_topic_that_a_spreadsheet_would_evaluate(gold, run, tmp_path, capsys):
    gold.write_text(gold.read_text().replace('"T1"', '"=1+1"'))
    frame = tmp_path / "scores.csv"
    assert main(["evaluate", str(run), str(gold), "--scores", str(frame)]) == 0
    assert capsys.readouterr().out.count("\n'=1+1\t") == 2
    assert frame.read_text().count("\nSYSX1,'=1+1,") == 2


def test_json_lines(gold, run, capsys):
    main(["evaluate", str(run), str(gold), "-o", "jsonl", "--metrics", "ROUGE-1"])
    lines = read_lines(capsys.readouterr().out)
    numbers = [[f"{r[m]:.6f}" for m in ("recall", "precision", "f1")] for r in lines]
    found = [[r["topic"], r["metric"], *n] for r, n in zip(lines, numbers, strict=True)]
    assert found == expected(("ROUGE-1",))
    assert Signature.parse(lines[-1]["signature"]).metric == "ROUGE-1"
    low, high = lines[-1]["intervals"]["recall"]
    assert low <= lines[-1]["recall"] <= high


TASK1_GOLD = (
    "Topic ID: {} | Citance Number: {} | Reference Article: R.txt | Citing Article: C.txt | "
)
TASK1_GOLD += "Citation Marker Offset: 0-4 | Citation Marker: Moss | Citation Offset: 0-10 | Citation Text: Moss grows | "
TASK1_GOLD += "Reference Offset: ['{}'] | Reference Text: {} | Discourse Facet: {}_Citation | Annotator: {}, |\n"


@pytest.fixture
def linked(tmp_path):
    """Two topics, one with two citances, two annotators each."""
    text = "abcdefghijklmnopqrst" * 5
    for topic, numbers in (("T1", (1, 2)), ("T2", (1,))):
        folder = tmp_path / "topics" / topic
        for part in ("Annotation", "Documents_Text"):
            (folder / part).mkdir(parents=True)
        (folder / "Documents_Text" / "R.txt").write_text(text)
        (folder / "Documents_Text" / "C.txt").write_text("Moss grows on walls.")
        for annotator, span, facet in (("A", (0, 20), "Results"), ("B", (10, 30), "Method")):
            quoted = text[slice(*span)]
            lines = [
                TASK1_GOLD.format(topic, n, f"{span[0]}-{span[1]}", quoted, facet, annotator)
                for n in numbers
            ]
            (folder / "Annotation" / f"{topic}.{annotator}.ann.txt").write_text("\n".join(lines))
    return tmp_path / "topics"


def test_links(linked, tmp_path, capsys):
    path = tmp_path / "SYSX1.txt"
    path.write_text(
        # 20 of 40 marked characters, 20 of 2 x 10 given
        "T1 | 1 | ['10-20'] | x | Results_Citation | SYSX1\n"
        "T2 | 1 | ['0-40'] | x | Discussion_Citation | SYSX1\n"  # 40 of 40, 40 of 2 x 40
    )
    assert main(["evaluate", str(path), str(linked)]) == 0
    captured = capsys.readouterr()
    assert rows(captured.out) == [
        ["T1", "span-f1", "0.250000", "0.500000", "0.333333"],
        ["T1", "facet-accuracy", "0.250000", "0.250000", "0.250000"],
        ["T2", "span-f1", "1.000000", "0.500000", "0.666667"],
        ["T2", "facet-accuracy", "0.000000", "0.000000", "0.000000"],
        ["all", "span-f1", "0.500000", "0.500000", "0.444444"],
        ["all", "facet-accuracy", "0.166667", "0.166667", "0.166667"],
    ]
    assert "not in the run, scored as empty: T1 citance 2" in captured.err
    assert "of 3 citances" in captured.out


def test_links_against_what_any_annotator_marked(linked, tmp_path, capsys):
    path = tmp_path / "SYSX1.txt"
    path.write_text("T1 | 1 | ['10-20'] | x | Results_Citation | SYSX1\n")  # of 0-20 and 10-30
    assert main(["evaluate", str(path), str(linked), "--metrics", "span-union-f1"]) == 0
    found = {row[0]: [float(x) for x in row[2:]] for row in rows(capsys.readouterr().out)}
    # Of two citances of T1 one is answered: 10 of 30 characters, nothing else.
    assert found["T1"] == pytest.approx([1 / 6, 0.5, 0.25], abs=1e-6)
    assert found["T2"] == [0, 0, 0]


def test_links_by_the_measures_of_scisumm(linked, tmp_path, capsys):
    path = tmp_path / "SYSX1.txt"
    link = "T1 | 1 | ['10-20'] | x | Results_Citation | SYSX1\n"
    path.write_text(f"{link}T2 | 1 | [] | | Results_Citation | SYSX1\n")
    metrics = "sentence-f1,span-ROUGE-2,span-ROUGE-SU4"
    assert main(["evaluate", str(path), str(linked), "--metrics", metrics]) == 0
    found = {(r[0], r[1]): [float(x) for x in r[2:]] for r in rows(capsys.readouterr().out)}
    text = (linked / "T1" / "Documents_Text" / "R.txt").read_text()
    sentences = [Span(a, b) for a, b in split_sentences(text)]
    f1, recall = 0.0, 0.0
    for start, end in ((0, 20), (10, 30)):
        f1 += sentence_overlap([Span(10, 20)], [Span(start, end)], sentences).f1
        recall += rouge(text[10:20], [text[start:end]], ["ROUGE-2"])["ROUGE-2"].recall
    # Of two citances of T1 one is answered.
    assert found["T1", "sentence-f1"][2] == pytest.approx(f1 / 4, abs=1e-6)
    assert found["T1", "span-ROUGE-2"][0] == pytest.approx(recall / 4, abs=1e-6)
    assert found["T1", "sentence-f1"][2] > 0
    assert found["T2", "sentence-f1"] == found["T2", "span-ROUGE-SU4"] == [0, 0, 0]


def test_a_broken_topic_of_the_gold_is_named_and_fails(linked, tmp_path, capsys):
    path = tmp_path / "SYSX1.txt"
    path.write_text("T1 | 1 | ['10-20'] | x | Results_Citation | SYSX1\n")
    (linked / "T2" / "Documents_Text" / "R.txt").unlink()
    assert main(["evaluate", str(path), str(linked), "--quiet"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("ilpsum: topic T2 cannot be read and is not scored: ")
    assert [row[0] for row in rows(captured.out)] == ["T1", "T1", "all", "all"]


def test_wrong_usage_gives_a_one_line_error(gold, run, linked, tmp_path, capsys):
    stranger, none = tmp_path / "stranger.jsonl", tmp_path / "none"
    stranger.write_text('{"id": "X", "summary": "Nothing."}\n')
    links = "the metric span-f1 is for Task 1 links, and the run contains"
    for arguments, complaint in (
        (
            f"'{run}' '{gold}' --metrics ROUGE-9",
            "'ROUGE-9' (did you mean ROUGE-L?); there are: ROUGE-1,",
        ),
        (f"'{run}' '{gold}' --metrics span-f1", links),
        (f"'{run}' '{linked}'", "no gold for ROUGE-2; expected topics with summaries"),
        (f"'{stranger}' '{gold}'", "has none of these topics"),
        (f"'{none}' '{gold}'", "no such run"),
        (f"'{run}' '{none}'", "no such"),
    ):
        assert main(["evaluate", *shlex.split(arguments), "--quiet"]) == 2
        captured = capsys.readouterr()
        assert complaint in captured.err
        assert captured.err.count("\n") == 1
        assert captured.out == ""


@pytest.mark.parametrize("seed", ["-1", "1.5", "x"])
def test_a_seed_is_a_whole_number_from_0(gold, run, seed, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", str(run), str(gold), "--seed", seed])
    assert ended.value.code == 2
    assert f"expected a whole number from 0 to 1000000000, got {seed}" in capsys.readouterr().err


def test_output_depends_on_the_seed_only(gold, run, capsys):
    outputs = []
    for seed in ("0", "0", "1"):
        main(["evaluate", str(run), str(gold), "--seed", seed])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != outputs[2]


# Means of the recalls that ROUGE-1.5.5 -n 2 -2 4 -u -m -l 250 -f A prints for the first human
# summary of each topic against all four, itself among them.
HUMAN_AMONG_FOUR = (0.394131, 0.433484)


def test_the_first_human_summary_of_the_real_topics(real_data, tmp_path, capsys):
    folder = tmp_path / "HUMAN1"
    folder.mkdir()
    for topic in topics_of(real_data / "tac2014"):
        (folder / topic.id).write_text(topic.summaries[0], encoding="utf-8")
    options = "--stem --words 250 --quiet".split()
    assert main(["evaluate", str(folder), str(real_data / "tac2014"), *options]) == 0
    means = {row[1]: float(row[2]) for row in rows(capsys.readouterr().out) if row[0] == "all"}
    rouge_2, rouge_su4 = HUMAN_AMONG_FOUR
    assert means == pytest.approx({"ROUGE-2": rouge_2, "ROUGE-SU4": rouge_su4}, abs=1e-5)


MOSS = {"id": "t", "documents": [{"id": "d", "text": "Moss."}]}


def written(path, row):
    path.write_text(lines_of([row]), encoding="utf-8")
    return path


def test_rouge_l_of_one_text_is_the_same_in_every_form(tmp_path, capsys):
    sentences = ["Moss grows on old walls.", "Ferns grow in the shade.", "Lichens are slow."]
    gold = written(
        tmp_path / "gold.jsonl",
        {**MOSS, "summaries": ["Ferns grow on walls. Lichens\nand moss are slow in the shade."]},
    )
    folder = tmp_path / "SYSA1"
    folder.mkdir()
    (folder / "t").write_text(" ".join(sentences))
    lines = written(tmp_path / "b.jsonl", {"id": "t", "summary": "\n".join(sentences)})
    answer = {"questions": [{"id": "t", "ideal_answer": " ".join(sentences)}]}
    (tmp_path / "c.json").write_text(json.dumps(answer))
    printed = []
    for run in (folder, lines, tmp_path / "c.json"):
        assert main(["evaluate", str(run), str(gold), "--metrics", "ROUGE-L"]) == 0
        printed.append(capsys.readouterr().out)
    assert "|sentences:split|" in printed[0]
    assert len({tuple(map(tuple, rows(text))) for text in printed}) == 1


def test_tags_that_rouge_counts_as_words_are_told(tmp_path, capsys):
    gold = written(tmp_path / "g.jsonl", {**MOSS, "summaries": ["<p>Moss grows.</p>"]})
    run = written(tmp_path / "r.jsonl", {"id": "t", "summary": "Moss <i>grows</i>, p<b of 1"})
    assert main(["evaluate", str(run), str(gold)]) == 0
    told = capsys.readouterr().err
    assert "gold summaries with tags such as <p>, whose names ROUGE counts as words" in told
    assert "r: texts with tags" in told
    run.write_text('{"id": "t", "summary": "Moss grows, p<b of 1, n<i and k>j"}')
    main(["evaluate", str(run), str(gold)])
    assert "r: texts with tags" not in capsys.readouterr().err
