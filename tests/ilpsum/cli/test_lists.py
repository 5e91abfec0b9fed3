"""Lists of identifiers, and filters of sources, in `ilpsum ask`."""
# records on lines of their own

import json

import pytest

from ilpsum.cli import main
from tests.json_lines import lines_of

QUESTION = "Do grey newts sing in ponds?"
RECORDS = [
    {"pmid": 31, "title": "Song of newts", "abstract": "Grey newts sing in cold ponds.", "year": "2014", "doi": "10.1234/a"},
    {"pmid": 32, "title": "Newts", "abstract": "Grey newts of all ponds sing at dusk.", "year": "2001", "mesh": ["Animals"]},
    {"pmid": 33, "title": "Ponds", "abstract": "No grey newts sing in warm ponds.", "year": "2019", "retracted": True,
     "types": ["Review"]},
    {"pmid": 34, "title": "Dusk", "abstract": "In ponds grey newts sing loudest.", "year": "2020", "types": ["preprint"]},
]  # fmt: skip


@pytest.fixture
def pile(tmp_path):
    path = tmp_path / "pile.jsonl"
    path.write_text(lines_of(RECORDS))
    return path


def quoted(capsys, *options):
    assert main(["ask", QUESTION, *map(str, options), "--json", "--fill"]) == 0
    answer = json.loads(capsys.readouterr().out)
    return {source["id"]: source for source in answer["sources"]}, answer


def test_a_list_alone_is_refused_with_what_to_do(tmp_path, capsys):
    listed = tmp_path / "list.txt"
    listed.write_text("12345678\nPMC1234567\n10.1234/a\n")
    assert main(["ask", QUESTION, str(listed)]) == 2
    err = capsys.readouterr().err
    assert "a list of identifiers" in err
    assert "ilpsum fetch --ids" in err
    assert len(err.splitlines()) == 1


def test_retracted_articles_are_quoted_only_if_asked_for_and_say_so(pile, capsys):
    sources, answer = quoted(capsys, pile)
    assert "33" not in sources
    assert any(
        "retracted, or a notice of it, so not quoted: 33" in line for line in answer["warnings"]
    )
    sources, answer = quoted(capsys, pile, "--retracted")
    assert sources["33"]["publication"]["retracted"]
    assert {s["document"]: s.get("notice") for s in answer["sentences"]}["33"] == "retracted"
    assert main(["ask", QUESTION, str(pile), "--retracted", "--fill"]) == 0
    out = capsys.readouterr().out
    number = next(line[1] for line in out.splitlines() if "PMID 33, 2019" in line)
    assert f"No grey newts sing in warm ponds. [{number}, retracted]" in out
    assert f"[{number}] Ponds. PMID 33, 2019 (review; retracted)" in out


def test_a_notice_of_retraction_is_named_as_one_and_not_as_a_retracted_article(tmp_path, capsys):
    path = tmp_path / "notice.jsonl"
    notice = {
        "pmid": 35,
        "title": "Retraction: Ponds",
        "abstract": "We retract that no grey newts sing in ponds.",
    }
    path.write_text(json.dumps(notice) + "\n" + json.dumps(RECORDS[0]) + "\n")
    assert "35" not in quoted(capsys, path)[0]
    sources, answer = quoted(capsys, path, "--retracted")
    assert (
        sources["35"]["publication"].get("retracted"),
        sources["35"]["publication"]["retracts"],
    ) == (None, True)
    assert {s["document"]: s.get("notice") for s in answer["sentences"]} == {
        "31": None,
        "35": "retraction notice",
    }


def test_of_two_records_one_retracted_neither_is_quoted(pile, tmp_path, capsys):
    other = tmp_path / "other.ris"
    other.write_text(
        "TY  - JOUR\nTI  - Ponds\nAN  - 33\nAB  - No grey newts sing in warm ponds, ever.\nER  - \n"
    )
    for files in ([pile, other], ["--documents", pile, other, "--index", tmp_path / "i"]):
        assert "33" not in quoted(capsys, *files)[0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--kinds", "trial"),
            "1 of 4 records with words of the question name no kind of study, and are left out",
        ),
        (
            ("--humans",),
            "1 of 4 records with words of the question lack MeSH data and may be animal studies",
        ),
        (("--since", "2000"), ""),
    ],
)
def test_records_that_do_not_tell_what_a_filter_asks_for_are_counted(pile, capsys, options, said):
    answer = quoted(capsys, pile, *options)[1]
    lines = [line for line in answer["warnings"] if "of 4 records with words" in line]
    assert [line[: len(said)] for line in lines] == [said] * bool(said)
    assert bool(answer["unanswered"]) == ("trial" in options)
    assert not answer["unanswered"] or answer["unanswered"].endswith(said)


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        (("--since", "2015"), {"31", "32"}),
        (("--humans",), {"32"}),
        (("--set", "source.preprints=false"), {"34"}),
        (("--kinds", "preprint,review"), {"31", "32"}),
    ],
)
def test_filters(pile, capsys, options, left_out):
    found = set(quoted(capsys, pile, "--retracted", *options)[0])
    assert found
    assert left_out.isdisjoint(found)


@pytest.mark.parametrize("collection", [False, True])
def test_restrictions_that_leave_nothing_are_told_as_such(pile, tmp_path, capsys, collection):
    given = (
        ["--documents", str(pile), "--index", str(tmp_path / "index")]
        if collection
        else [str(pile)]
    )
    assert main(["ask", QUESTION, *given, "--since", "2090"]) == 0
    printed = capsys.readouterr()
    what = "abstract" if collection else "text"
    assert (
        printed.out
        == f"No answer: no {what} with a word of the question passes the source filters.\n"
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--ris", "out.ris"), "there is no option --ris"),
        (("--json", "out.json"), "out.json: no such file; to write the answer to it: -o out.json"),
        (
            ("--to", "ris", "out.ris"),
            "out.ris: no such file; to write the answer to it: -o out.ris",
        ),
        (
            ("--json=out.json",),
            "--json takes no value, but got 'out.json'; see `ilpsum ask --help`",
        ),
        (
            ("-o", "out.doc"),
            "-o out.doc: its suffix names no form of an answer; expected .txt, .json",
        ),
        (("--to", "bibtext"), "unknown form 'bibtext'"),
        (("--since", "2010-05"), "argument --since: expected a whole number"),
        (
            ("empty.json",),
            "empty.json: an empty list, which is not read; export the records again",
        ),
    ],
)
def test_wrong_usage_is_one_line_that_says_what_to_do(
    pile, tmp_path, monkeypatch, capsys, options, expected
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.json").write_text("[ ]\n")
    try:
        status = main(["ask", QUESTION, str(pile), *options])
    except SystemExit as error:
        status = error.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    assert expected in line


def test_an_unknown_kind_is_wrong_usage(pile, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["ask", QUESTION, str(pile), "--kinds", "trial,newt"])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "argument --kinds: unknown value 'newt'; there are: animal, case-report" in error
    assert main(["ask", QUESTION, str(pile), "--set", "source.kinds=newt"]) == 2
    assert "ilpsum: source.kinds: unknown value 'newt'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (["--since", "19x"], "argument --since: expected a whole number, got 19x;"),
        (["--since", "20"], "argument --since: expected a whole number of at least 1000, got 20;"),
    ],
)
def test_a_value_that_does_not_fit_names_its_option(pile, capsys, given, problem):
    with pytest.raises(SystemExit) as ended:
        main(["ask", QUESTION, str(pile), *given])
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err


def test_the_sources_for_a_reference_manager(pile, capsys):
    assert main(["ask", QUESTION, str(pile), "--to", "ris", "--fill"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("TY  - ")
    assert "DO  - 10.1234/a\n" in out
