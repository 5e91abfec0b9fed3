"""`ilpsum sweep` from the command line."""

import re
import shutil
import xml.etree.ElementTree as ET
from html import escape

import pytest

from ilpsum import resources, sweep
from ilpsum.cli import main
from ilpsum.evaluation.sweeps.table import read_sweep
from tests.json_lines import lines_of, read_lines
from tests.systems import placed

DEMO = str(resources.demo())
PATH = 'system = "ilp-sum-1-tuned"\n[parameters]\nlambda = "path"\nwords = [50]\n'


@pytest.fixture
def call(tmp_path, capsys):
    """Runs a sweep of a text over the DEMO topics; returns its status, stdout and stderr."""

    def run(text, *options):
        file = tmp_path / "sweep.toml"
        file.write_text(placed(text))
        status = main(["sweep", str(file), "--out", str(tmp_path / "out"), *options])
        told = capsys.readouterr()
        return status, told.out, told.err

    return run


def test_a_path_with_its_plot_table_and_best_system(call, tmp_path, capsys):
    status, out, err = call(PATH, "--topics", DEMO)
    assert status == 0
    text = (tmp_path / "out/lambda.svg").read_text()
    assert ET.fromstring(text).tag.endswith("svg")
    assert "lambda (0 coverage, 1 relevance)" in text
    head, row, found = out.splitlines()
    assert head.startswith("system\twords\tlambda\tscore\tROUGE-2 R")
    assert row.startswith("ilp-sum-1-tuned\t50\t0.")
    assert found.startswith("# best, run ")
    best = str(tmp_path / "out/best.toml")
    hint = f"ilpsum summarize INPUT --system {best} --words 50 --out DIR"
    assert f"summarise with it: {hint}\n" in err
    score = row.split("\t")[3]
    assert f": {score} (" in found
    run = tmp_path / "run"
    arguments = ["summarize", str(DEMO), "--system", best, "--out", str(run)]
    assert main([*arguments, *"--words 50 --quiet --team BEST --run 1".split()]) == 0
    capsys.readouterr()
    # Stems are compared, as the sweep did.
    scored = ["evaluate", f"{run}/BEST1", str(DEMO)]
    assert main([*scored, *"--words 50 --metric ROUGE-2 --quiet".split()]) == 0
    assert f"all\tROUGE-2\t{row.split(chr(9))[4]}" in capsys.readouterr().out
    assert (
        main(["sweep", str(tmp_path / "sweep.toml"), "--topics", DEMO, "--out", str(run / "BEST1")])
        == 2
    )
    assert (
        "is a run; give the results of the sweep a folder of their own" in capsys.readouterr().err
    )


def test_a_second_time_gives_the_same_bytes(call, tmp_path):
    before = call(PATH, "--topics", DEMO, "--quiet")
    assert before[2] == ""
    files = {p.name: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert call(PATH, "--topics", DEMO, "--quiet") == before
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()} == files


def test_nested_and_a_cache_of_ones_own(call, tmp_path):
    nested = PATH.replace("[parameters]", "nested = 3\n[parameters]")
    status, out, _ = call(nested, "--topics", DEMO, "--cache", str(tmp_path / "shared"))
    assert status == 0
    tuned, honest, _ = out.splitlines()[-3:]
    assert tuned.startswith("# best, run ")
    assert honest.startswith("# nested, 3 outer folds: 0.")
    assert list((tmp_path / "shared").rglob("*.json"))
    assert not (tmp_path / "out/cache").exists()


def test_another_sweep_wants_another_folder(call, tmp_path):
    text = 'system = "LEAD"\n[parameters]\nwords = [50]\n'
    assert call(text, "--topics", DEMO, "--quiet")[0] == 0
    files = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    status, out, err = call(text.replace("50", "20"), "--topics", DEMO, "--quiet")
    assert (status, out) == (2, "")
    assert "holds runs of another sweep" in err
    assert "\n" not in err.strip()
    assert {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()} == files
    # A sweep that has grown goes on.
    assert call(text.replace("50", "20, 50"), "--topics", DEMO, "--quiet")[0] == 0


def test_a_nested_sweep_goes_on(call, tmp_path):
    text = 'system = "ilp-sum-1-tuned"\nfolds = 2\nnested = 3\n[parameters]\nlambda = [0.2, 0.5]\nwords = [50]\n'
    first = call(text, "--topics", DEMO, "--quiet")
    assert first[0] == 0
    shutil.rmtree(tmp_path / "out/cache")
    assert call(text, "--topics", DEMO, "--quiet") == first


def test_a_grid_of_lambdas_is_one_curve(call, tmp_path, capsys):
    text = PATH.replace('"path"', "{ from = 0.0, to = 1.0, step = 0.5 }")
    _, out, _ = call(text, "--topics", DEMO)
    rows = [line.split("\t") for line in out.splitlines()[1:4]]
    folder, file = str(tmp_path / "out"), tmp_path / "sweep.html"
    drawing = ET.fromstring((tmp_path / "out/lambda.svg").read_text())
    (path,) = (e.get("d") for e in drawing.iter("{http://www.w3.org/2000/svg}path"))
    assert re.findall(r"([\d.]+),", path) == ["0.0", "500.0", "1000.0"]
    assert main(["report", folder, "--out", str(file)]) == 0
    assert "provenance" not in capsys.readouterr().err
    page = file.read_text("utf-8")
    # The configurations are a run, at its best lambda; the table has all of them.
    best = max(rows, key=lambda row: float(row[3]))
    assert f"<td>lambda {best[2]}, sweep</td>" in page
    assert page.count('class="steps m0"') == 1
    assert all(row[-1] in page for row in rows)
    assert 'id="lambda"' not in page


def test_nested_estimates_stand_in_rows_table_report_and_python(call, tmp_path, capsys):
    _, out, _ = call(f"nested = 3\n{PATH}", "--topics", DEMO)
    (estimate,) = (line for line in out.splitlines() if ", 3 outer folds: " in line)
    score = float(estimate.split(": ")[1].split()[0])
    (by_topic,) = (line for line in out.splitlines() if line.startswith("# by topic: "))
    printed = by_topic.partition(": ")[2].split()
    (row,) = read_sweep(tmp_path / "out").nested
    assert row.score == pytest.approx(score, abs=1e-6)
    assert (row.run, row.folds, len(row.chosen)) == ("nested", 3, 3)
    topics = row.topics
    assert sum(topics.values()) / len(topics) == pytest.approx(score, abs=1e-6)
    assert dict(zip(printed[::2], map(float, printed[1::2]), strict=True)) == {
        topic: pytest.approx(value, abs=1e-6) for topic, value in topics.items()
    }
    swept = sweep("ilp-sum-1-tuned", DEMO, {"lambda": "path", "words": [50]}, nested=3, form="tac")
    (nested,) = swept.nested
    assert nested.score == pytest.approx(score, abs=1e-6)
    assert nested.topics == pytest.approx(topics)
    assert nested.words == 50
    file = tmp_path / "sweep.html"
    assert main(["report", str(tmp_path / "out"), "--out", str(file)]) == 0
    page = file.read_text("utf-8")
    assert "nested choice" in page
    # It has a mark of its own.
    assert page.count('class="mark own"') == 2 * len(topics) + 2


def test_a_finished_sweep_is_shown_as_a_report(call, tmp_path, capsys):
    text = PATH.replace(
        "[parameters]", '[parameters]\nmethod = ["ilp", "greedy"]\nthreshold = [0.4, 0.6]'
    )
    _, out, err = call(text, "--topics", DEMO)
    folder, file = str(tmp_path / "out"), tmp_path / "sweep.html"
    assert f"see it: ilpsum report {folder} --out out.html" in err
    assert main(["report", folder, "--out", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}\n"
    page = file.read_text("utf-8")
    # The configurations are the runs: the exact path at its best lambda, and two thresholds.
    head, exact, *others = (row.split("\t") for row in out.splitlines()[:4])
    note = "held out: 0 of 3 topics seen in training; settings chosen by 0 of 3 topics"
    row = f'<bdi>ilp</bdi><small class="note">{note}</small></th><td>ilp-sum-1-tuned</td>'
    assert f"{row}<td>lambda {exact[2].split()[0]}, sweep</td>" in page
    # Columns have the numbers of the rows; scores that chose are not tested.
    assert re.search(r'<th scope="col" class="m0"><span class="key run0"[^>]*></span><bdi>1<', page)
    assert "Not tested against each other" in page
    assert "Holm" not in page
    for row in others:
        assert f"threshold {row[head.index('threshold')]}</bdi>" in page
    column = head.index("ROUGE-2 R")
    assert f"<b>{float(exact[column]):.3f}".replace("<b>0.", "<b>.") in page
    # Every row of the table that the sweep printed.
    (configurations,) = re.findall(
        r"<table><caption>Configurations</caption>(.*?)</table>", page, re.S
    )
    assert all(cell in configurations for row in (head, exact, *others) for cell in row)
    # The plot has a line and the breakpoints of the exact path, in each metric.
    plots = re.findall(
        r'<svg aria-hidden="true" width="100%" class="steps m\d".*?<path d="([^"]*)"', page
    )
    assert len(plots) == 2
    table = read_sweep(tmp_path / "out")
    (breakpoints,) = (row.breakpoints for row in table.rows if row.curve)
    assert plots[0].count("v7") == len(breakpoints) > 3
    # Its texts are those of the runs.
    for row in table.rows:
        for answer in read_lines(tmp_path / f"out/{row.run}.jsonl"):
            assert all(escape(sentence["text"]) in page for sentence in answer["sentences"])


def test_a_sweep_without_lambda_is_shown_without_curves(call, tmp_path):
    text = """system = "GREEDY"\n[parameters]\nmethod = ["lexrank"]\nwords = [50]
        "lexrank.damping" = [0.05, 0.3]\n"candidates.citances" = [true, false]\n"""
    assert call(text, "--topics", DEMO, "--quiet")[0] == 0
    file = tmp_path / "sweep.html"
    assert main(["report", str(tmp_path / "out"), "--out", str(file)]) == 0
    page = file.read_text("utf-8")
    assert "candidates.citances false, lexrank.damping 0.3" in page
    assert 'class="steps' not in page


def test_a_sweep_is_shown_alone_and_whole(call, tmp_path, capsys):
    call(PATH, "--topics", DEMO, "--quiet")
    folder, out = str(tmp_path / "out"), ["--quiet", "--out", str(tmp_path / "r.html")]
    for arguments, complaint in (
        ([folder, folder], "name the folder of the sweep alone"),
        ([folder, "--gold", DEMO], "a sweep has its own topics and scores"),
    ):
        assert main(["report", *arguments, *out]) == 2
        assert complaint in capsys.readouterr().err
    table = tmp_path / "out/sweep.jsonl"
    whole = table.read_text("utf-8")
    (row,) = read_sweep(tmp_path / "out").rows
    table.write_text("{broken\n")
    assert main(["report", folder, *out]) == 2
    assert "sweep.jsonl:1: expected a line of the table" in capsys.readouterr().err
    table.write_text(whole)
    (tmp_path / f"out/{row.run}.jsonl").unlink()
    assert main(["report", folder, *out]) == 2
    assert f"{row.run}.jsonl: no such run" in capsys.readouterr().err
    # The same command makes them again.
    call(PATH, "--topics", DEMO, "--quiet")
    assert main(["report", folder, *out]) == 0


def test_topics_and_systems_are_seen_from_the_file(call, tac_topic, tmp_path):
    tac_topic("D9001_TEST")
    (tmp_path / "mine.toml").write_text('description = "mine"\n[selection]\nmethod = "lead"\n')
    status, out, _ = call('system = "mine.toml"\ntopics = ["topics"]\nform = "tac"\n', "--quiet")
    assert status == 0
    assert out.splitlines()[1].startswith("mine\t250\t-\t")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('system = "LEAD"\nwrong = 1\n', "wrong"),
        ('system = "LEAD"\n', "names no topics"),
        ('system = "LEAD"\ntopics = ["nowhere"]\n', "no such file"),
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\nlambda = []\n',
            "lambda: expected at least one value; leave it out to keep the system's",
        ),
    ],
)
def test_errors_are_one_line_and_status_2(call, text, told):
    status, out, err = call(text)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert told in err


def test_two_selectors_are_compared_at_their_best(call, tmp_path):
    text = """system = "task2"\nnested = 3\n[parameters]\nmethod = ["ilp", "greedy"]\nlambda = "path"\nwords = [60]
        threshold = [0.2, 0.5, 0.9]\n"""
    status, out, _ = call(text, "--topics", DEMO, "--quiet")
    assert status == 0
    lines = {
        line.split(",")[1].strip(): line
        for line in out.splitlines()
        if line.startswith("# nested, ")
    }
    scores = {name: float(lines[name].split(": ")[1].split()[0]) for name in ("ilp", "greedy")}
    (pair,) = (line for line in out.splitlines() if line.startswith("# ilp - greedy: "))
    assert float(pair.split()[4]) == pytest.approx(scores["ilp"] - scores["greedy"], abs=2e-6)
    assert call(text, "--topics", DEMO, "--quiet")[1] == out
    (tmp_path / "out/sweep.jsonl").write_text("cut\n")
    status, _, err = call(text, "--topics", DEMO, "--quiet")
    assert (status, err.count("\n")) == (2, 1)
    assert "sweep.jsonl:1: expected a line of the table of a sweep" in err


def test_selectors_at_their_best_on_the_same_topics_are_not_tested(call):
    text = 'system = "task2"\n[parameters]\nmethod = ["ilp", "greedy"]\nwords = [60]\n'
    _, out, _ = call(text, "--topics", DEMO, "--quiet")
    (pair,) = (line for line in out.splitlines() if line.startswith("# ilp - greedy: "))
    assert "not tested, each at its best on these topics" in pair


def test_rows_estimates_and_pairs_as_json(call):
    text = (
        """system = "task2"\nnested = 3\n[parameters]\nmethod = ["ilp", "greedy"]\nwords = [60]\n"""
    )
    table = call(text, "--topics", DEMO, "--quiet")[1].splitlines()
    status, out, _ = call(text, "--topics", DEMO, "--quiet", "--json")
    assert status == 0
    rows = read_lines(out)
    assert [row["kind"] for row in rows] == ["row", "row", "nested", "nested", "nested", "pair"]
    columns = table[0].split("\t")
    assert [f"{row['score']:.6f}" for row in rows[:2]] == [
        line.split("\t")[columns.index("score")] for line in table[1:3]
    ]
    assert rows[0]["toml"].startswith("# Run ")


def test_a_model_of_ones_own(call, tmp_path):
    assert (
        main(
            [
                "train",
                DEMO,
                "--system",
                "ilp-sum-1-tuned",
                "--out",
                str(tmp_path / "own.npz"),
                "--quiet",
            ]
        )
        == 0
    )
    shipped = call(PATH, "--topics", DEMO, "--quiet")[1]
    status, out, err = call(
        PATH, "--topics", DEMO, "--model", str(tmp_path / "own.npz"), "--out", str(tmp_path / "own")
    )
    assert status == 0
    assert out != shipped
    assert f"summarise with it: ilpsum summarize INPUT --system {tmp_path / 'own/best.toml'}" in err
    assert f'model = "{tmp_path / "own.npz"}"' in (tmp_path / "own/best.toml").read_text()
    status, _, err = call(f"folds = 2\n{PATH}", "--topics", DEMO, "--model", "ilp-sum-1-tuned")
    assert (status, err) == (
        2,
        "ilpsum: --model is for sweeps with folds = 0; with folds, models are trained\n",
    )


def test_the_texts_of_a_sweep_are_those_that_it_scored(call, tmp_path, capsys):
    """Of a system that removes citations and opening connectives from its candidates, too."""
    call('system = "concepts"\n[parameters]\nlambda = [0.1]\n', "--topics", DEMO, "--quiet")
    options = ["--lambda", "0.1", "--team", "ONE", "--out", str(tmp_path), "--quiet"]
    assert main(["summarize", DEMO, *options]) == 0
    folder = tmp_path / "out"
    (row,) = read_sweep(folder).rows
    for answer in read_lines(folder / f"{row.run}.jsonl"):
        text = (tmp_path / "ONE1" / answer["id"]).read_text("utf-8")
        assert answer["summary"].splitlines() == text.splitlines()


def test_word_limits_are_ranked_apart(call, tmp_path, capsys):
    text = """system = "ilp-sum-1-tuned"\nnested = 3\n[parameters]\nmethod = ["ilp", "greedy"]\nlambda = "path"
        words = [40, 80]\nthreshold = [0.2, 0.4]\n"""
    status, out, err = call(text, "--topics", DEMO)
    assert status == 0
    head, *lines = (line.split("\t") for line in out.splitlines())
    rows = [dict(zip(head, line, strict=True)) for line in lines if len(line) == len(head)]
    assert len(rows) == 6
    for words in ("40", "80"):
        best = max((row for row in rows if row["words"] == words), key=lambda row: row["score"])
        assert f"# best, {words} words, run {best['run']}: " in out
        assert f"--system {tmp_path}/out/best-{words}.toml --words {words} " in err
        assert f"# ilp - greedy, {words} words: " in out
        (estimate,) = (x for x in out.splitlines() if x.startswith(f"# nested, {words} words, "))
        run = f"{tmp_path}/out/nested-{words}.jsonl"
        assert main(["evaluate", run, "--gold", DEMO, "--words", words, "--quiet"]) == 0
        scored = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        recalls = [float(row[2]) for row in scored if row[0] == "all"]
        assert sum(recalls) / 2 == pytest.approx(
            float(estimate.split(": ")[1].split()[0]), abs=2e-6
        )
    assert not (tmp_path / "out/best.toml").exists()
    # A curve for each limit, and the nested choices under both.
    drawing = ET.fromstring((tmp_path / "out/lambda.svg").read_text())
    assert len([*drawing.iter("{http://www.w3.org/2000/svg}path")]) == 2
    file = tmp_path / "sweep.html"
    assert main(["report", str(tmp_path / "out"), "--out", str(file)]) == 0
    page = file.read_text("utf-8")
    assert "<bdi>nested choice, 40 words</bdi>" in page
    assert "<bdi>nested choice, 80 words</bdi>" in page
    # The report ranks the configurations under each limit; the printed table is in their order.
    ranked = []
    for words in ("40", "80"):
        of_limit = (row for row in rows if row["words"] == words)
        ranked += sorted(of_limit, key=lambda row: -float(row["score"]))
    runs = [row["run"] for row in ranked]
    assert runs != [row["run"] for row in rows]
    shown = page.partition("<caption>Configurations</caption>")[2]
    assert re.findall(rf"<td>({'|'.join(runs)})</td>", shown) == runs
    names = []
    for row in ranked:
        threshold = "" if row["threshold"] == "-" else f", threshold {row['threshold']}"
        names.append(f"words {row['words']}, {row['method']}{threshold}")
    shown = page.partition("best first")[2].partition("</table>")[0]
    assert re.findall(r"<bdi>(words [^<]*)</bdi>", shown) == names


def test_every_configuration_has_a_curve(call, tmp_path):
    lambdas = "[0.1, 0.5, 0.9]"
    text = f"""system = ["ilp-sum-1-tuned", "ilp-sum-2-tuned"]\n[parameters]\nlambda = {lambdas}\nwords = [50]
        "selection.lead" = [0.0, 0.1, 0.2, 0.3, 0.4]\n"""
    assert call(text, "--topics", DEMO, "--quiet")[0] == 0
    file = tmp_path / "sweep.html"
    assert main(["report", str(tmp_path / "out"), "--out", str(file)]) == 0
    page = file.read_text("utf-8")
    plot = page.partition('class="steps m0"')[2].partition("</figure>")[0].partition("steps m1")[0]
    drawn = re.findall(r'<path d="[^"]*" class="(run\d)"( stroke-dasharray="[^"]*")?', plot)
    assert len(set(drawn)) == len(drawn) == 10
    drawing = ET.fromstring((tmp_path / "out/lambda.svg").read_text())
    assert len([*drawing.iter("{http://www.w3.org/2000/svg}path")]) == 10


def test_scores_of_a_file_are_swept_and_the_best_system_finds_them(
    call, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    summarize = ["summarize", DEMO, "--words", "50", "--quiet"]
    assert main([*summarize, "--system", "ilp-sum-1-tuned", "--team", "A", "--out", "runs"]) == 0
    candidates = read_lines(tmp_path / "runs/A1.provenance.jsonl")
    for name, sign in (("own", 1), ("worst", -1)):
        rows = []
        for line in candidates:
            for candidate in line["candidates"]:
                place = {key: candidate[key] for key in ("document", "start", "end")}
                score = sign * candidate["relevance"]
                rows.append({"topic": line["topic"], **place, "score": score})
        (tmp_path / f"{name}.jsonl").write_text(lines_of(rows))
    text = """system = "ilp-sum-1-tuned"\n[parameters]\nwords = [50]\nlambda = "path"
        relevance.scores = ["own.jsonl", "worst.jsonl"]\n"""
    status, out, _ = call(text, "--topics", DEMO)
    assert status == 0
    head, own, worst = (line.split("\t") for line in out.splitlines()[:3])
    assert [row[head.index("relevance.scores")] for row in (own, worst)] == [
        "own.jsonl",
        "worst.jsonl",
    ]
    # Scores that are the model's give what the model gives.
    predicted = call(PATH, "--topics", DEMO, "--out", str(tmp_path / "predicted"))[1].splitlines()
    column = predicted[0].split("\t").index("score")
    assert own[head.index("score")] == predicted[1].split("\t")[column]
    best = ["--system", "out/best.toml", "--team", "B", "--out", "runs"]
    assert main([*summarize, *best]) == 0
    capsys.readouterr()
    # Other scores under the same name are another sweep.
    (tmp_path / "own.jsonl").write_bytes((tmp_path / "worst.jsonl").read_bytes())
    status, _, err = call(text, "--topics", DEMO)
    assert (status, "another sweep" in err) == (2, True)


TRAINED = """system = "ilp-sum-1-tuned"
folds = 3
nested = 3
[parameters]
features = ["ilp-sum-1", "news"]
candidates.citances = [true, false]
lambda = [0.8]
words = [60]
C = [0.3]
gamma = [0.1]
epsilon = [0.05]
"""


def test_the_best_system_of_a_sweep_over_features_runs_as_it_stands(call, tmp_path, capsys):
    out = tmp_path / "out"
    status, printed, err = call(TRAINED, "--topics", DEMO)
    assert status == 0
    head, *rows = (line.split("\t") for line in printed.splitlines()[:5])
    assert len(rows) == 4
    assert {row[head.index("candidates.citances")] for row in rows} == {"true", "false"}
    assert "the settings remain chosen on these topics" in err
    assert "--folds 3" in err
    written = (out / "best.toml").read_text("utf-8")
    assert 'description = "ilp-sum-1-tuned with settings that a sweep chose on 3 topics"' in written
    model = (out / "best.npz").read_bytes()
    best = ["summarize", DEMO, "--system", str(out / "best.toml"), "--out", str(tmp_path / "runs")]
    assert main([*best, "--team", "BEST", "--quiet"]) == 0
    # What is there is not trained again.
    shutil.rmtree(out / "cache")
    (out / "best.npz").write_bytes(model + b" ")
    call(TRAINED, "--topics", DEMO, "--quiet")
    assert (out / "best.npz").read_bytes() == model + b" "


def test_the_nested_choice_is_a_run_with_the_score_of_the_estimate(call, tmp_path, capsys):
    _, printed, _ = call(TRAINED, "--topics", DEMO)
    (estimate,) = (line for line in printed.splitlines() if line.startswith("# nested, 3"))
    assert "models not nested" in estimate
    run = str(tmp_path / "out" / "nested.jsonl")
    assert main(["evaluate", run, "--gold", DEMO, "--words", "60", "--quiet"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    recalls = [float(row[2]) for row in rows if row[0] == "all"]
    assert sum(recalls) / 2 == pytest.approx(float(estimate.split(": ")[1].split()[0]), abs=2e-6)


@pytest.mark.parametrize(
    ("text", "unknown", "listed"),
    [
        ('[parameters]\n"candidates.citance" = [true]', "candidates.citance", "candidates.clean"),
        ("[parameters.candidates]\ncitances = [true]\nx = [1]", "candidates.x", "candidates.clean"),
        ('[parameters]\n"solver.nodes" = [5]', "solver.nodes", "no such parameter"),
        (
            '[parameters]\n"candidates.citances" = ["perhaps"]',
            "candidates.citances: ",
            "expected true or false",
        ),
        ("fold = 3", "'fold'", "folds, nested, model, metrics, measure, stem, seed"),
    ],
)
def test_an_unknown_key_or_value_is_told_with_what_is_expected(call, text, unknown, listed):
    status, _, err = call(f'system = "ilp-sum-1-tuned"\n{text}\n', "--topics", DEMO)
    assert (status, err.count("\n")) == (2, 1)
    assert unknown in err
    assert listed in err


def test_training_names_the_system_that_was_trained(tmp_path, capsys):
    mine = tmp_path / "mine.toml"
    mine.write_text('description = "mine"\nbase = "ilp-sum-1-tuned"\n[recipe]\nC = [0.3]\n')
    sample = str(resources.demo() / "sample.jsonl")
    for system, name in ((str(mine), "mine"), ("ilp-sum-1-tuned", "ilp-sum-1-tuned")):
        arguments = ["--system", system, "--out", str(tmp_path / "m.npz"), "--force"]
        assert main(["train", sample, *arguments]) == 0
        assert f"trained {name} on 6 topics, " in capsys.readouterr().err
