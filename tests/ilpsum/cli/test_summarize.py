"""`summarize`, `train` and `demo` from the command line."""

import gzip
import io
import json
import os
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from ilpsum.cli import main
from ilpsum.learning import relevance
from ilpsum.resources import demo
from tests.json_lines import lines_of, read_lines
from tests.systems import LEAD


def run(*arguments: object) -> int:
    return main([str(a) for a in arguments])


def small_topics(path: Path, names: str) -> Path:
    """A topic for each letter."""
    documents = ([{"id": "1", "text": f"Newts named {name} sing at dawn."}] for name in names)
    rows = ({"id": name, "documents": d} for name, d in zip(names, documents, strict=True))
    path.write_text(lines_of(rows))
    return path


def test_a_run_is_complete_valid_and_reproducible(tac_topic, tmp_path):
    topics = tac_topic("D9001_TEST", gold=False).parent
    tac_topic("D9002_TEST", gold=False)
    runs = [tmp_path / "one", tmp_path / "two"]
    for out, jobs in zip(runs, (1, 2), strict=True):
        options = shlex.split(f"--team SYSX --run 2 --out '{out}' --jobs '{jobs}' --quiet")
        assert run("summarize", topics, *options) == 0
    members = ["SYSX2/D9001_TEST", "SYSX2/D9002_TEST"]
    for name in (*members, "SYSX2.tar.gz"):
        assert (runs[0] / name).read_bytes() == (runs[1] / name).read_bytes()
    assert run("check", runs[0] / "SYSX2", "--as", "tac", "--topics", topics) == 0
    with tarfile.open(runs[0] / "SYSX2.tar.gz") as archive:
        assert sorted(m.name for m in archive if m.isfile()) == members


def test_papers_and_questions_are_one_run_only_in_a_named_format(tac_topic, tmp_path, capsys):
    papers = tac_topic("D9001_TEST", gold=False)
    questions, out = demo() / "questions.json", tmp_path / "o"
    assert run("summarize", papers, questions, "--out", out) == 2
    error = capsys.readouterr().err
    assert f"{questions} has topics of bioasq, {papers} of tac: summarise them" in error
    assert not out.exists()
    assert run("summarize", papers, questions, "--out", out, "--to", "jsonl", "--quiet") == 0
    assert len((out / "SYS1.jsonl").read_text().splitlines()) == 4


@pytest.mark.parametrize("method", ["ilp", "greedy", "lexrank", "random"])
def test_a_limit_below_every_candidate_is_told(tac_topic, tmp_path, capsys, method):
    topic = tac_topic("D9001_TEST", gold=False)
    given = ["--method", method, "--words", 1, "--out", tmp_path / "o"]
    assert run("summarize", topic, *given) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "fits" in line]
    shortest = min(len(c["text"].split()) for c in candidates(tmp_path / "o"))
    what = f"no candidate fits in 1 word: the shortest has {shortest}; raise the limit"
    assert lines == [f"ilpsum: D9001_TEST: {what}"]


def candidates(out):
    return list(json.loads((out / "SYS1.provenance.jsonl").read_text())["candidates"])


def test_workers_read_folders_and_find_what_one_process_finds(tac_topic, tmp_path, capsys):
    first = tac_topic("D9001_TEST")
    (tac_topic("D9002_TEST") / "Documents_Text" / "Orrin.txt").unlink()
    tac_topic("D9003_TEST")
    twice = tac_topic("D9001_TEST", root=tmp_path / "again")
    other = tac_topic("D9004_TEST", root=tmp_path / "other")
    inputs, found = (first.parent, twice, other), []
    for jobs in (1, 2, 3):
        out = tmp_path / f"o{jobs}"
        assert run("summarize", *inputs, "--out", out, "--method", "lead", "--jobs", jobs) == 1
        error = capsys.readouterr().err
        assert f"skipped D9001_TEST: {twice}: topic 1 here is a second topic with" in error
        assert "topic D9002_TEST failed, its answer is empty: " in error
        records = read_lines(out / "SYS1.provenance.jsonl")
        assert all("reading" in record.pop("seconds", {"reading": 0}) for record in records)
        assert [record["topic"] for record in records] == [f"D900{n}_TEST" for n in (1, 2, 3, 4)]
        files = sorted(path.name for path in (out / "SYS1").iterdir())
        found.append((records, error.replace(str(out), ""), files))
    assert found[0] == found[1] == found[2]
    # A resumed run reads the finished topics to compare them, and repeats only the failed one.
    resume = ("--out", tmp_path / "o2", "--method", "lead", "--jobs", 2, "--resume")
    assert run("summarize", *inputs, *resume) == 1
    assert ", 3 of them from before" in capsys.readouterr().err
    (first / "Documents_Text" / "Orrin.txt").write_text("Newts sing at dawn. " * 500)
    assert run("summarize", *inputs, *resume) == 2
    assert "was started with another topic D9001_TEST" in capsys.readouterr().err


def test_the_provenance_records_the_settings(tac_topic, tmp_path):
    options = shlex.split(f"--out '{tmp_path}/o' --lambda 0.3 --words 40 --quiet")
    assert run("summarize", tac_topic(), *options) == 0
    (record,) = read_lines(tmp_path / "o" / "SYS1.provenance.jsonl")
    assert record["topic"] == "D9001_TEST"
    assert record["system"] == "concepts"
    assert record["settings"]["objective"]["lambda_"] == 0.3
    assert record["settings"]["words"] == 40
    assert record["gap"] == 0
    chosen = [c for c in record["candidates"] if c["chosen"]]
    assert 0 < sum(c["words"] for c in chosen) <= 40
    assert {"reading", "features", "relevance", "building", "solving"} <= set(record["seconds"])


@pytest.mark.parametrize("form", ["tac", "scisumm", "biogen", "jsonl"])
def test_the_name_of_a_format_that_the_file_has_not_is_an_error(tmp_path, capsys, form):
    questions, out = demo() / "questions.json", tmp_path / "o"
    options = ("--documents", demo() / "abstracts.xml") if form == "biogen" else ()
    assert run("summarize", questions, *options, "--from", form, "--out", out) == 2
    what = f"expected topics of {form} (--from), got those of bioasq"
    advice = "name that one (--from bioasq), or none"
    assert capsys.readouterr().err == f"ilpsum: {questions}: {what}; {advice}\n"
    assert not out.exists()


def test_lines_that_are_no_topics_at_all_are_an_error(tmp_path, capsys, monkeypatch):
    """Also where the format cannot be recognised beforehand."""
    titles, out = demo() / "titles.txt", tmp_path / "o"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(titles.read_bytes())))
    for path, name in ((titles, titles), ("-", "standard input")):
        assert run("summarize", path, "--from", "jsonl", "--out", out, "--method", "lead") == 2
        error = capsys.readouterr().err
        assert error.startswith(f"ilpsum: {name}:1: no entry is a topic: not valid JSON: ")
        assert error.count("\n") == 1
        assert not list(out.iterdir())


def test_an_entry_without_an_id_is_not_of_the_run(tmp_path, capsys):
    topics, out = tmp_path / "t.jsonl", tmp_path / "o"
    named = [{"id": "a", "documents": []}, {"id": "b"}]
    topics.write_text(lines_of([*named, *[{"documents": []}] * 6]))
    assert run("summarize", topics, "--out", out, "--method", "lead", "--quiet") == 1
    lines = capsys.readouterr().err.splitlines()
    whose = [line.removeprefix("ilpsum: ").partition(":")[0] for line in lines]
    assert whose == [
        "topic b failed, its answer is empty",
        *(f"skipped line {number}" for number in range(3, 8)),
        "skipped 1 more entry from line 8 on",
    ]
    assert [answer["id"] for answer in read_lines(out / "SYS1.jsonl")] == ["a", "b"]


def test_a_byte_limit_counts_what_is_written(tac_topic, tmp_path, capsys):
    topic, out = tac_topic(), tmp_path / "o"
    assert run("summarize", topic, "--out", out, "--set", "run.bytes=300", "--quiet") == 0
    # The line end after the last sentence is not of the text.
    text = (out / "SYS1" / "D9001_TEST").read_bytes().removesuffix(b"\n")
    assert 150 < len(text) <= 300
    assert run("summarize", topic, "--out", out, "--set", "run.bytes=301", "--resume") == 2
    assert "was started with bytes 300, now 301;" in capsys.readouterr().err


def test_a_budget_larger_than_the_texts_chooses_what_one_for_all_of_them_does(tmp_path):
    written = set()
    for number, words in enumerate((100_000, 10**9)):
        out = tmp_path / str(number)
        options = ("--system", "ilp-sum-1-tuned", "--words", words, "--out", out, "--quiet")
        assert run("summarize", demo() / "D9001_DEMO", *options) == 0
        written.add((out / "SYS1" / "D9001_DEMO").read_bytes())
    assert len(written) == 1


def test_a_missing_solver_is_reported_before_any_work(tac_topic, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("pulp.GLPK_CMD.available", lambda _: False)
    arguments = shlex.split(
        f"summarize '{tac_topic()}' --out '{tmp_path}/o' --words 60 --solver glpk"
    )
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert "'glpk' is not installed: apt-get install glpk-utils" in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "o").exists()


def test_train_then_summarize(tac_topic, tmp_path, capsys):
    tac_topic("D9001_TEST")
    topics = tac_topic("D9002_TEST").parent
    model = tmp_path / "my.model"
    command = ("train", topics, "--system", "ilp-sum-1-tuned", "--out", model, "--quiet")
    assert run(*command) == 0
    before = model.read_bytes()
    assert run(*command, "--force") == 0
    assert model.read_bytes() == before
    summarize = ("summarize", topics, "--system", "ilp-sum-1-tuned", "--model", model, "--out")
    assert run(*summarize, tmp_path / "o", "--quiet") == 0
    assert run("evaluate", tmp_path / "o" / "SYS1", topics) == 0
    assert "all\tROUGE-2\t" in capsys.readouterr().out
    model.write_bytes(model.read_bytes()[:1000])
    assert run(*summarize, tmp_path / "p") == 2
    assert "my.model: not an ilpsum model, or a damaged one" in capsys.readouterr().err
    assert not (tmp_path / "p" / "SYS1").exists()


def test_an_interrupted_training_writes_no_model(tac_topic, tmp_path, capsys, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(relevance, "fit", interrupted)
    command = (
        "train",
        tac_topic(),
        "--system",
        "ilp-sum-1-tuned",
        "--out",
        tmp_path / "m",
        "--quiet",
    )
    assert run(*command) == 130
    told = "ilpsum: interrupted; training keeps nothing, and begins again\n"
    assert capsys.readouterr().err == told
    assert not (tmp_path / "m").exists()


def test_train_without_gold_is_refused(tac_topic, tmp_path, capsys):
    blind = tac_topic(gold=False)
    assert run("train", blind, "--system", "ilp-sum-1-tuned", "--out", tmp_path / "m") == 2
    assert "no topic with gold summaries" in capsys.readouterr().err
    assert run("train", blind, "--system", LEAD, "--out", tmp_path / "m") == 2
    assert run("train", blind, "--system", "ilp-sum-1-tuned", "--out", tmp_path / "no" / "m") == 2
    assert "there is no folder" in capsys.readouterr().err
    (tmp_path / "there").write_text("of somebody else")
    assert run("train", blind, "--system", "ilp-sum-1-tuned", "--out", tmp_path / "there") == 2
    assert "there exists; choose another name" in capsys.readouterr().err
    assert (tmp_path / "there").read_text() == "of somebody else"


def test_a_question_is_answered_on_stdout(monkeypatch, capsys):
    text = (
        "Velin 2 binds the wing of the moth. It was raining. Frost lowers velin 2 within two days."
    )
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run("ask", "What does frost do to velin 2?", "--words", 16, "-", "--quiet") == 0
    answer, sources = capsys.readouterr().out.split("\n\n")
    sentences = [line.removesuffix(" [1]") for line in answer.split("\n")]
    assert 0 < len(" ".join(sentences).split()) <= 16
    assert all(sentence in text for sentence in sentences)
    assert sources == "[1] stdin\n"


def test_the_demo_writes_and_explains_and_a_quiet_one_prints_its_scores_only(tmp_path, capsys):
    page = tmp_path / "demo" / "report.html"
    assert run("demo", "--out", tmp_path / "demo") == 0
    printed = capsys.readouterr().out
    assert "D9001_DEMO" in printed
    assert (tmp_path / "demo" / "DEMO1.tar.gz").exists()
    assert str(page) in printed
    # It replaces an earlier one.
    page.unlink()
    assert run("demo", "--out", tmp_path / "demo", "--quiet") == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert len(printed.out.splitlines()) == 4
    assert page.read_text("utf-8").count("_DEMO") >= 3


def test_two_demos_at_once_wait_for_each_other(tmp_path):
    patient = (
        "import sys; from ilpsum.cli import demo, main; demo._PATIENCE = 600.0; sys.exit(main())"
    )
    command = [sys.executable, "-c", patient, "demo", "--quiet", "--out", str(tmp_path / "demo")]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    (first, _), (second, _) = (process.communicate() for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    assert first == second != ""
    assert not (tmp_path / "demo" / ".demo.lock").exists()


@pytest.mark.parametrize("name", ["DEMO1/mine", "report.html"])
def test_the_demo_replaces_only_a_demo(tmp_path, capsys, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("precious")
    before = sorted(tmp_path.rglob("*"))
    assert run("demo", "--out", tmp_path) == 2
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / name).read_text() == "precious"
    assert "Traceback" not in capsys.readouterr().err


def test_the_demo_keeps_a_run_of_your_own(tmp_path, capsys):
    own = ["summarize", demo(), "--words", 30, "--method", "lead"]
    assert run(*own, "--team", "DEMO", "--run", 1, "--out", tmp_path, "--quiet") == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert run("demo", "--out", tmp_path) == 2
    error = capsys.readouterr().err.strip()
    assert "is a run of your own" in error
    assert "\n" not in error
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--solver", "foo"), "unknown solver 'foo'; there are: highs, highs-paper, glpk, cbc"),
        (("--resume", "--force"), "choose one"),
        (("--method", "lead", "--lambda", 0.3), "lead has no lambda"),
        (("--method", "lead", "--model", "m"), "lead has no model"),
        (("--coherence", "all,none"), "--coherence all cannot be combined"),
        (("--coherence", "focus,none"), "--coherence none cannot be combined"),
    ],
)
def test_options_that_contradict_each_other(tac_topic, tmp_path, capsys, arguments, message):
    assert run("summarize", tac_topic(), "--out", tmp_path / "o", *arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    "option", [["--resume"], ["--force"], ["--pool", "merged"], ["--coverage", "0"]]
)
def test_texts_take_no_options_of_topics(tmp_path, capsys, option):
    (tmp_path / "moss.txt").write_text("Moss grows on old walls that nobody paints.")
    assert run("summarize", tmp_path / "moss.txt", *option) == 2
    assert f"{option[0]} is for topics" in capsys.readouterr().err


def test_a_question_must_have_words(capsys):
    assert run("ask", " ") == 2
    assert "the question is empty" in capsys.readouterr().err


def test_a_file_is_no_question(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("newts.txt").write_text("Newts sing in May.")
    assert run("ask", "newts.txt", "When do newts sing?") == 2
    assert 'the question comes first: ilpsum ask "QUESTION" newts.txt' in capsys.readouterr().err
    assert run("ask", "When do newts sing? " * 50, "newts.txt") == 0


def test_a_run_has_a_number_up_to_5(tmp_path, capsys):
    for number in (0, 6, "x"):
        with pytest.raises(SystemExit, match="2"):
            run("summarize", tmp_path, "--to", "jsonl", "--out", tmp_path / "o", "--run", number)
        said = f"argument --run: expected a whole number from 1 to 5, got {number}"
        assert said in capsys.readouterr().err


def test_an_empty_file_is_reported(tmp_path, capsys):
    for name, content in (("topics.jsonl", b""), ("topics.gz", gzip.compress(b""))):
        file = tmp_path / name
        file.write_bytes(content)
        assert run("summarize", file, "--out", tmp_path / "o") == 2
        told = f"ilpsum: {file}: the file is empty; expected topics\n"
        assert capsys.readouterr().err == told


def test_a_system_with_a_model_of_papers_resumes_runs_of_other_topics(tmp_path):
    documents = [{"id": "1", "text": "Newts sing at dawn by the lake."}]
    topics = tmp_path / "topics.jsonl"
    topics.write_text(lines_of([{"id": "q", "query": "Do newts sing?", "documents": documents}]))
    call = ("summarize", topics, "--out", tmp_path / "o", "--system", "ilp-sum-1-tuned", "--quiet")
    assert (run(*call), run(*call, "--resume")) == (0, 0)


def test_a_run_is_not_resumed_with_other_topics(tmp_path, capsys):
    topics, out = tmp_path / "topics.jsonl", tmp_path / "o"

    def status(*texts: str) -> int:
        """Of a run of these topics, and of a broken one if they are fewer than four."""
        documents = ([{"id": "1", "text": text}] for text in texts)
        rows = [{"id": f"q{n}", "documents": d} for n, d in enumerate(documents)]
        topics.write_text(lines_of(rows) + "{broken\n" * (len(texts) < 4))
        options = shlex.split(f"--to jsonl --out '{out}' --method lead --resume --quiet")
        return run("summarize", topics, *options)

    newts, toads = "Newts sing at dawn by the lake.", "Toads hum loud in the deep wood."
    assert status(newts, toads) == 1
    before = {path: path.read_bytes() for path in out.iterdir()}
    capsys.readouterr()
    assert status(newts, "Toads hum softly in the deep wood.") == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "the run SYS1 was started with another topic q1 (its texts differ)" in error
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    # Failed topics may be repaired, and topics may be added.
    assert status(newts, toads, "Olms listen.", "Frogs.") == 0
    assert [line["id"] for line in read_lines(out / "SYS1.jsonl")] == ["q0", "q1", "q2", "q3"]


def test_a_run_with_damaged_provenance_is_not_resumed(tmp_path, capsys):
    file, out = small_topics(tmp_path / "topics.jsonl", "abc"), tmp_path / "o"
    arguments = ("summarize", file, "--to", "jsonl", "--out", out, "--method", "lead", "--resume")
    assert run(*arguments) == 0
    provenance = out / "SYS1.provenance.jsonl"
    lines = provenance.read_text().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | {"topic": [3]})
    provenance.write_text("".join(f"{line}\n" for line in lines))
    damaged = {path: path.read_bytes() for path in out.iterdir()}
    capsys.readouterr()
    assert run(*arguments) == 2
    where = f"{provenance}:2: expected a JSON object of provenance"
    assert where in capsys.readouterr().err
    assert {path: path.read_bytes() for path in out.iterdir()} == damaged


def test_topics_no_longer_in_the_input_keep_their_answers(tmp_path, capsys):
    file, out = tmp_path / "topics.jsonl", tmp_path / "o"

    def message(names: str) -> str:
        arguments = ("--to", "jsonl", "--out", out, "--method", "lead", "--resume")
        assert run("summarize", small_topics(file, names), *arguments) == 0
        (line,) = capsys.readouterr().err.splitlines()
        return line.removeprefix("ilpsum: ")

    path = out / "SYS1.jsonl"
    assert message("abcdefgh") == f"8 summaries by lead in {path}"
    assert message("abcdefgh") == f"8 summaries by lead in {path}, 8 of them from before"
    # A new topic is appended, wherever the input has it.
    assert message("xah") == f"9 summaries by lead in {path}, 8 of them from before"
    lines = read_lines(path)
    assert [line["id"] for line in lines] == list("abcdefghx")


def test_another_selector_than_the_system_s_is_named(tmp_path, capsys):
    topics, out = small_topics(tmp_path / "topics.jsonl", "a"), tmp_path / "o"
    assert run("summarize", topics, "--method", "greedy", "--out", out) == 0
    said = f"1 summary by concepts with the selector greedy in {out / 'SYS1.jsonl'}"
    assert said in capsys.readouterr().err


def test_an_interrupted_run_can_be_continued(tmp_path, capsys, monkeypatch):
    arguments = ("--from", "jsonl", "--method", "lead", "--quiet")
    file = small_topics(tmp_path / "topics.jsonl", "abc")
    with monkeypatch.context() as patched:

        def interrupted(results: Iterable[object], _: object) -> None:
            list(results)
            raise KeyboardInterrupt

        patched.setattr("ilpsum.api.runs._tallied", interrupted)
        assert run("summarize", file, *arguments, "--out", tmp_path / "o") == 130
    hint = "finished topics are kept; continue with --resume\n"
    assert capsys.readouterr().err == f"ilpsum: interrupted; {hint}"
    assert run("summarize", file, *arguments, "--out", tmp_path / "o", "--resume") == 0
    rows = (
        json.dumps({"id": f"{n}", "documents": [{"id": "1", "text": f"{n * n * n} newts sing."}]})
        for n in range(2000)
    )
    packed = gzip.compress("\n".join(rows).encode())
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) * 3 // 4])
    assert run("summarize", tmp_path / "cut.gz", *arguments, "--out", tmp_path / "p") == 2
    assert capsys.readouterr().err.endswith(f"copy or download the file again; {hint}")
    assert run("summarize", tmp_path / "none", *arguments, "--out", tmp_path / "p", "--force") == 2
    assert "--resume" not in capsys.readouterr().err


def test_a_run_is_not_written_into_a_file(tmp_path, capsys):
    topics, file = small_topics(tmp_path / "topics.jsonl", "a"), tmp_path / "file"
    file.write_text("of somebody else")
    for out in (file, file / "deeper"):
        assert run("summarize", topics, "--method", "lead", "--out", out) == 2
        error = capsys.readouterr().err.splitlines()[-1]
        assert error.endswith(f"{file} is a file, expected a folder; name another with --out")
    assert file.read_text() == "of somebody else"


def test_a_text_given_twice_is_read_once(tmp_path, capsys):
    text = tmp_path / "moss.txt"
    text.write_text(
        "Moss grows on old walls that nobody paints. Ferns need the deep shade of a wood."
    )
    question = ("ask", "Where does moss grow?")
    assert run(*question, text) == 0
    once = capsys.readouterr()
    assert run(*question, text, text) == 0
    twice = capsys.readouterr()
    assert twice.out == once.out
    assert "moss.txt: duplicate with the same text, read once" in twice.err


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("summarize -", "it is empty; expected a text or abstracts; pipe some in, or name a file"),
        ("compress", "no text to compress; expected lines, JSON lines or PubMed XML"),
        ("summarize - --out o", "its format cannot be guessed; name it with --from tac|"),
        ("link - --from tac --out l", "no annotations; expected lines `Topic ID: "),
    ],
)
def test_empty_standard_input_is_told_in_the_words_of_the_verb(monkeypatch, capsys, call, told):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO())))
    assert run(*call.split()) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"ilpsum: standard input: {told}")
    assert error.count("\n") == 1


def test_errors_in_standard_input_name_it(monkeypatch, capsys):
    for content in (b"%PDF-1.7", b" \n", b"<?xml version='1.0'?><PubmedArticleSet><PubmedArticle>"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert run("ask", "Where does moss grow?", "-") == 2
        assert capsys.readouterr().err.startswith(
            ("ilpsum: standard input: ", "ilpsum: standard input:1: ")
        )


def test_a_progress_bar_counts_the_topics(tac_topic, tmp_path, capsys, monkeypatch):
    tac_topic("D9001_TEST")
    topics = tac_topic("D9002_TEST").parent
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("summarize", topics, "--out", tmp_path / "o") == 0
    assert "topics: 2 " in capsys.readouterr().err


@pytest.mark.parametrize(("method", "said"), [("ilp", True), ("gain", True), ("greedy", False)])
def test_only_selectors_that_keep_the_first_sentences_say_so(tmp_path, method, said):
    questions = demo() / "questions.json"
    assert run("summarize", questions, "--method", method, "--out", tmp_path / "o", "--quiet") == 0
    lines = (tmp_path / "o" / "SYS1.provenance.jsonl").read_text(encoding="utf-8").splitlines()
    reasons = [c["why"] for line in lines for c in json.loads(line)["candidates"] if c["chosen"]]
    assert reasons
    assert any("one of the first sentences" in why for why in reasons) == said


def test_the_threshold_belongs_to_the_method_greedy_of_every_kind(tac_topic, tmp_path, capsys):
    greedy = ("summarize", tac_topic(), "--quiet", "--out", tmp_path / "o", "--method", "greedy")
    threshold = ("--set", "selection.threshold=0.6")
    assert run(*greedy, *threshold) == 0
    (record,) = read_lines(tmp_path / "o" / "SYS1.provenance.jsonl")
    assert record["settings"]["system"]["threshold"] == 0.6
    assert run(*greedy, "--lambda", 0.6) == 2
    assert "has no lambda" in capsys.readouterr().err
    other = tac_topic("D9002_TEST")
    assert run("summarize", other, "--out", tmp_path / "p", *threshold) == 2
    assert "has no threshold" in capsys.readouterr().err


@pytest.mark.parametrize(
    "number", ["1" + "0" * 400, "1" + "0" * 5000, "1000000001", "0", "-3", "ten", "2.5"]
)
def test_word_limits_have_a_bound(capsys, number):
    with pytest.raises(SystemExit) as caught:
        run("summarize", demo() / "questions.json", "--words", number)
    error = capsys.readouterr().err
    assert caught.value.code == 2
    assert f"expected a whole number from 1 to 1000000000, got {number[:40]}" in error
    assert max(map(len, error.split())) < 50


@pytest.mark.parametrize("call", ["summarize - --out runs", "compress -", "ask newts -"])
def test_closed_standard_input_is_empty(tmp_path, call):
    command = [sys.executable, "-m", "ilpsum", *call.split()]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=lambda: os.close(0)
    )
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("call", ["report RUN --out -", "train TOPICS --system task2 --out -"])
def test_a_file_is_not_named_as_standard_output(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    assert main(call.split()) == 2
    assert not Path("-").exists()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[selection]\nlamda = 0.3", "selection: unknown key lamda (did you mean lambda?)"),
        ("[selecton]\nlambda = 0.3", "unknown key selecton (did you mean selection?)"),
        ("[recipe]\ntaget = 1", "recipe: unknown key taget (did you mean target?)"),
    ],
)
def test_a_misspelt_key_of_a_system_is_recognised(tmp_path, capsys, table, said):
    assert said in _said_of(
        f'description = "mine"\nbase = "ilp-sum-2-tuned"\n{table}\n', tmp_path, capsys
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[selection]\nlambda = 0.3", "is missing (add one, or a base "),
        ('system = "ilp-sum-2-tuned"\n[parameters]\nlambda = [0.3]', "mine.toml: is a sweep; "),
    ],
)
def test_a_file_that_is_not_a_whole_system_is_answered_with_what_to_do(
    tmp_path, capsys, content, said
):
    assert said in _said_of(content, tmp_path, capsys)


def _said_of(content, tmp_path, capsys):
    """Return what summarize says of a system's file that it refuses."""
    file = tmp_path / "mine.toml"
    file.write_text(content)
    topics = small_topics(tmp_path / "topics.jsonl", "a")
    assert run("summarize", topics, "--system", file, "--out", tmp_path / "o") == 2
    return capsys.readouterr().err


def test_a_value_out_of_range_names_the_option(tmp_path, capsys):
    topics = small_topics(tmp_path / "topics.jsonl", "a")
    with pytest.raises(SystemExit, match="2"):
        run("summarize", topics, "--lambda", "1.5", "--out", tmp_path / "o")
    error = capsys.readouterr().err
    assert "argument --lambda: expected " in error
    assert "selection.lambda" not in error


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_model_for_another_system_ends_the_run_in_one_line(tmp_path, capsys, jobs):
    """The system for merged snippets takes the model, that for these topics does not."""
    topics = small_topics(tmp_path / "topics.jsonl", "abc")
    out = tmp_path / "o"
    arguments = ("--system", "concepts", "--model", "concepts-merged", "--out", out, "--jobs", jobs)
    assert run("summarize", topics, *arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "trained" in line
    assert not (out / "SYS1.jsonl").exists()


def test_a_run_of_topics_loads_no_search():
    code = "import sys, ilpsum.cli.summarize; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    search = {f"ilpsum.answers.{name}" for name in ("finding", "indexing", "searching")}
    assert search.isdisjoint(run.stdout.split())
