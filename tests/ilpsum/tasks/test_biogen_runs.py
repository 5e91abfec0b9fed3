"""BioGen runs: the checks against restated rules on mutated submissions; samples; writers."""

import json
import os
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.answers.steps import Summarizer
from ilpsum.errors import InputError
from ilpsum.papers.printed import clean
from ilpsum.pipeline.text import with_citations
from ilpsum.records import Document, Response, Sentence, Summary, Topic
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.writer import RunWriter
from ilpsum.tasks.biogen import Citation, check_2024, check_2025, cite, count_words, parse
from ilpsum.tasks.registry import FORMATS
from tests.json_lines import read_lines
from tests.systems import LEAD, RANDOM

TOPICS = ["116", "117", "118"]
RELEASED = [str(n) for n in range(11, 99)]
# A long run: ILPSUM_MUTATIONS=1000000 pytest tests/ilpsum/tasks/test_biogen_runs.py -k mutated
MUTATIONS = int(os.environ.get("ILPSUM_MUTATIONS", "800"))


# ---- The rules restated, by a scan over characters ----


def valid_pmid(text):
    return (
        isinstance(text, str)
        and 1 <= len(text) <= 8
        and set(text) <= set("0123456789")
        and text[0] != "0"
        and text in RELEASED
    )


def valid_answer(answer):  # noqa: C901  # all rules in one place, to compare with the track's page
    """Return whether the text keeps the rules, and the PMIDs that count, if all sentences begin with a capital."""
    plain, brackets, inside = "", [], None
    for character in answer:
        if inside is None and character == "[":
            inside = ""
            plain = plain.rstrip()
        elif inside is None and character == "]":
            return False, []
        elif inside is None:
            plain += character
        elif character == "[":
            return False, []
        elif character == "]":
            brackets.append((len(plain), [part.strip() for part in inside.split(",")]))
            inside = None
        else:
            inside += character
    if inside is not None:
        return False, []
    # A sentence ends at a stop before white space and a capital, or at the end of the text.
    ends = [m.end() for m in re.finditer(r"[.!?](?=\s+[A-Z]|\s*\Z)", plain)] or [len(plain)]
    if ends[-1] < len(plain.rstrip()):
        ends.append(len(plain))
    if len(plain.split()) > 150 or len([e for e in ends if plain[:e].strip()]) > 10:
        return False, []
    cited = []
    for offset, pmids in brackets:
        begin = max([e for e in ends if e < offset], default=0)
        end = min([e for e in ends if e >= offset], default=None)
        before = plain[begin:offset]
        after = plain[offset:end] if end is not None else ""
        if not any(c.isalnum() for c in before) or not any(c in ".!?" for c in after):
            return False, []
        if not all(valid_pmid(pmid) for pmid in pmids):
            return False, []
        cited += pmids[:3]
    return True, cited


def strict_json(text):
    """Parse JSON; a ValueError for NaN and infinities."""

    def no_constant(name):
        raise ValueError(name)

    return json.loads(text, parse_constant=no_constant)


def valid_2024(text, topics=TOPICS):  # all rules in one place, to compare with the track's page
    try:
        run = strict_json(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(run, dict) or not isinstance(run.get("results"), list):
        return False
    if any(
        not isinstance(run.get(key), str) or not run[key].strip()
        for key in ("team_id", "run_name", "contact_email")
    ):
        return False
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", run["contact_email"].strip()):
        return False
    seen = set()
    for result in run["results"]:
        if (
            not isinstance(result, dict)
            or result.get("topic_id") not in topics
            or result["topic_id"] in seen
        ):
            return False
        seen.add(result["topic_id"])
        answer, references = result.get("answer"), result.get("references")
        if not isinstance(answer, str) or not isinstance(references, list):
            return False
        if not all(valid_pmid(pmid) for pmid in references) or len(set(references)) < len(
            references
        ):
            return False
        fine, cited = valid_answer(answer)
        if not fine or set(cited) != set(references):
            return False
    return True


def valid_2025(text):  # noqa: C901  # all rules in one place, to compare with the track's page
    teams = set()
    seen = set()
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return False
    for line in lines:
        try:
            entry = strict_json(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(entry, dict):
            return False
        metadata, responses = entry.get("metadata"), entry.get("responses")
        if not isinstance(metadata, dict) or not isinstance(responses, list):
            return False
        name = metadata.get("topic_id")
        if type(name) not in (str, int) or str(name) not in TOPICS or str(name) in seen:
            return False
        seen.add(str(name))
        if any(
            not isinstance(metadata.get(key), str) or not metadata[key].strip()
            for key in ("team_id", "run_id")
        ):
            return False
        teams.add((metadata["team_id"], metadata["run_id"]))
        words = 0
        for response in responses:
            if not isinstance(response, dict) or not isinstance(response.get("citations"), list):
                return False
            if not isinstance(response.get("text"), str) or not response["text"].split():
                return False
            words += len(response["text"].split())
            cited = [str(pmid) if type(pmid) is int else pmid for pmid in response["citations"]]
            if (
                len(cited) > 3
                or not all(valid_pmid(pmid) for pmid in cited)
                or len(set(cited)) < len(cited)
            ):
                return False
        if words > 250:
            return False
    return len(teams) == 1


# ---- Submissions and mutations of them ----

_NOUNS = "newts toads frogs olms tritons salamanders".split()
_VERBS = "sing hum croak whistle drum listen".split()


def sentence(rng, pmids):
    words = [
        rng.choice(_NOUNS).capitalize(),
        rng.choice(_VERBS),
        *rng.sample(_NOUNS, rng.randint(0, 4)),
    ]
    text = " ".join(words)
    return f"{text} [{','.join(pmids)}]{rng.choice('.!?')}" if pmids else text + rng.choice(".!?")


def submission_2024(rng):
    results = []
    for topic in rng.sample(TOPICS, rng.randint(1, 3)):
        cited = [rng.sample(RELEASED, rng.randint(0, 3)) for _ in range(rng.randint(1, 9))]
        answer = " ".join(sentence(rng, pmids) for pmids in cited)
        references = list(dict.fromkeys(pmid for pmids in cited for pmid in pmids))
        results.append({"topic_id": topic, "answer": answer, "references": references})
    return {"team_id": "T", "run_name": "T1", "contact_email": "t@example.com", "results": results}


def submission_2025(rng):
    lines = []
    for topic in rng.sample(TOPICS, rng.randint(1, 3)):
        responses = [
            {"text": sentence(rng, []), "citations": rng.sample(RELEASED, rng.randint(0, 3))}
            for _ in range(rng.randint(0, 6))
        ]
        lines.append(
            {
                "metadata": {"team_id": "T", "run_id": "T1", "topic_id": topic},
                "responses": responses,
            }
        )
    return lines


JUNK = [None, 3, 2.5, True, "", " ", [], {}, "x", ["11"], "116", "09", "123456789", 11, "١٢"]


def mutate_value(rng, value, depth=0):
    """Replace, drop, duplicate or change something inside a value."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        act = rng.random()
        if act < 0.1:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: mutate_value(rng, value[key], depth + 1)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        place, act = rng.randrange(len(value)), rng.random()
        if act < 0.12:
            return value[:place] + value[place + 1 :]
        if act < 0.24:
            return [*value, value[place]]
        return [*value[:place], mutate_value(rng, value[place], depth + 1), *value[place + 1 :]]
    if isinstance(value, str) and len(value) > 9 and rng.random() < 0.9:
        return mutate_answer(rng, value)
    return rng.choice(JUNK)


def mutate_answer(rng, text):
    act = rng.randrange(9)
    place = rng.randrange(len(text))
    if act == 0:
        return re.sub(r"( \[[^\]]*\])([.!?])", r"\2\1", text, count=1)
    if act == 1:
        return text + " Newts" + " sing" * rng.choice([1, 140, 300]) + "."
    if act == 2:
        return text[:-1]
    if act == 3:
        return text.replace("]", rng.choice([",11]", ",11,12,13]", ", 5000]", "", " ,]"]), 1)
    if act == 4:
        return "[11] " + text
    if act == 5:
        return text[:place] + rng.choice("[],17") + text[place:]
    if act == 6:
        return text[:place] + text[place + 1 :] if text[place] in "[],0123456789" else text
    if act == 7:
        return text + " Toads hum [11]." * rng.randint(1, 3)
    return " ".join(text.split(" ")[: rng.randrange(len(text.split(" ")) + 1)])


def mutate_text(rng, text):
    place = rng.randrange(len(text) + 1)
    # Damages the JSON only; `mutate_answer` damages the text of answers.
    act = rng.randrange(4)
    if act == 0:
        return text[:place]
    if act == 1:
        return text + rng.choice(["}", "]", " ", "\n{}", "x", "\x00"])
    if act == 2:
        return text.replace(
            '"team_id": "T"', rng.choice(['"team_id": ""', '"team_id": NaN', '"a": 1e999']), 1
        )
    return text.replace('"', rng.choice(["", "'", '""']), 1)


def mutated(rng, value):
    many = isinstance(value, list)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        value = mutate_value(rng, value)
    text = (
        "\n".join(map(json.dumps, value)) if many and isinstance(value, list) else json.dumps(value)
    )
    return mutate_text(rng, text) if rng.random() < 0.15 else text


@pytest.fixture(scope="module")
def lists(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lists")
    topics = folder / "topics.json"
    topics.write_text(json.dumps([{"id": t, "question": "?", "narrative": ""} for t in TOPICS]))
    pmids = folder / "pmids.txt"
    pmids.write_text("\n".join(RELEASED))
    return folder / "run", {"topics": topics, "pmids": pmids}


@pytest.mark.parametrize(
    ("make", "valid", "check"),
    [(submission_2024, valid_2024, check_2024), (submission_2025, valid_2025, check_2025)],
    ids=["2024", "2025"],
)
def test_mutated_submissions_against_the_rules_restated(lists, make, valid, check):
    path, options = lists
    accepted = 0
    for seed in range(MUTATIONS):
        rng = random.Random(seed)
        text = mutated(rng, make(rng))
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        findings = [str(finding) for finding in check(path, **options) if not finding.warning]
        expected = valid(text)
        accepted += expected
        assert (not findings) == expected, f"seed {seed}: {findings}\n{text}"
    assert MUTATIONS / 10 < accepted < MUTATIONS * 9 / 10


# ---- The samples ----


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("valid_submission", None),
        ("invalid_pmid", "999999999999999.* is not a PMID"),
        ("malformed_citations", r"'\[32091909\]' at character 64 of the answer is discarded"),
        ("invalid_topic", "no topic '118118'"),
    ],
)
def test_the_samples(real_data, name, reason):
    folder = real_data / "biogen"
    sample, topics = folder / f"2024_dummy_{name}.json", folder / "2024_BioGen2024topics-json.txt"
    findings = [
        finding
        for finding in FORMATS["biogen-2024"].check(sample, topics=topics)
        if not finding.warning
    ]
    assert bool(findings) == bool(reason)
    if reason:
        assert any(re.search(reason, finding.message) for finding in findings)
        assert all(
            finding.place == f"{sample}:6: topic {'118118' if 'topic' in name else '118'}"
            for finding in findings
        )


# ---- Each rule has its own message and place ----


def checked(lists, **change):
    """The findings about a valid run of 2024 in which members of the run or its result are changed."""
    path, options = lists
    result = {"topic_id": "116", "answer": "Newts sing [11].", "references": ["11"]}
    run = {"team_id": "T", "run_name": "T1", "contact_email": "t@t.org", "results": [result]}
    for key, value in change.items():
        (run if key in run else result)[key] = value
    path.write_text(json.dumps(run))
    return check_2024(path, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"team_id": ""}, 'expected a non-empty string as "team_id"'),
        ({"run_name": 3}, 'expected a non-empty string as "run_name"'),
        ({"contact_email": "nobody"}, "expected an e-mail address"),
        ({"results": {}}, 'expected an object with a list "results"'),
        ({"results": [3]}, "expected an object"),
        ({"topic_id": 116}, "topic_id: expected text"),
        ({"topic_id": "9"}, "no topic '9'"),
        ({"answer": None}, "answer: expected text"),
        ({"references": "11"}, "references: expected a list"),
        ({"references": ["11", "x"]}, "'x' is not a PMID"),
        ({"references": ["11", "11"]}, "11 appears 2 times"),
        ({"references": ["11", "5"]}, "5 is not among the released"),
        ({"references": ["11", "12"]}, '12 is in "references" but no valid citation'),
        ({"references": []}, '11 is cited but missing from "references"'),
        ({"answer": "Newts sing. [11]"}, "is discarded"),
        ({"answer": "[11] Newts sing."}, "is discarded"),
        ({"answer": "Newts sing [11]"}, "is discarded"),
        ({"answer": "Newts sing [11, b]."}, "expected comma-separated PMIDs"),
        ({"answer": "Newts sing [11."}, "unbalanced square bracket"),
        ({"answer": "Newts sing [11]." + " Toads hum." * 10}, "11 sentences"),
        ({"answer": "Newts " + "sing " * 150 + "[11]."}, "151 words"),
    ],
)
def test_each_rule_of_2024_on_its_own(lists, change, message):
    findings = [finding for finding in checked(lists, **change) if not finding.warning]
    assert any(message in finding.message for finding in findings), findings


def test_warnings_of_2024(lists):
    findings = checked(lists, answer="Newts sing [11,12,13,14].", references=["11", "12", "13"])
    assert all(finding.warning for finding in findings)
    assert [finding.message for finding in findings] == [
        "'[11,12,13,14]' at character 12 of the answer: only the first 3 count",
        "no answer to 2 topics: '117', '118'",
    ]


def test_a_sentence_count_near_the_limit_gives_a_warning(lists):
    for count, warned in ((8, False), (9, True), (10, True)):
        findings = checked(lists, answer="Newts sing[11]." + " Toads hum." * (count - 1))
        assert all(finding.warning for finding in findings)
        assert (
            any(f"more than {count} sentences" in finding.message for finding in findings) is warned
        )


def test_missing_runs_and_wrong_lists_of_pmids(lists, tmp_path):
    path, _ = lists
    with pytest.raises(InputError, match="no such run"):
        check_2024(tmp_path / "nothing")
    with pytest.raises(InputError, match="no such run"):
        check_2025(tmp_path / "nothing")
    bad = tmp_path / "pmids"
    bad.write_text("12\n34\nx5\n")
    path.write_text("{}")
    with pytest.raises(InputError, match="pmids:3: 'x5' is not a PMID"):
        check_2024(path, pmids=bad)


# ---- Citations in text ----


def test_where_a_citation_counts():
    answer = parse("In 4.5% of E. coli [1] it holds, e.g. [2] here! So [3,4 , 5,6]?")
    assert answer.text == "In 4.5% of E. coli it holds, e.g. here! So?"
    assert [c.entries for c in answer.citations] == [("1",), ("2",), ("3", "4", "5", "6")]
    assert all(c.valid for c in answer.citations)
    assert parse('He said "so [1]."').citations == (Citation(("1",), 12, True),)


@settings(deadline=None, max_examples=200)
@given(
    text=st.text(max_size=60),
    pmids=st.lists(st.sampled_from(RELEASED), min_size=1, max_size=5, unique=True),
)
def test_a_clean_sentence_takes_its_citation(text, pmids):
    cleaned = clean(text)
    assert "[" not in cleaned
    assert "\n" not in cleaned
    if any(c.isalnum() for c in cleaned):
        (citation,) = parse(cite(cleaned, pmids)).citations
        assert (citation.entries, citation.valid) == (tuple(pmids[:3]), True)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("OBJECTIVE: To hear newts.", "To hear newts."),
        ("Newts: a review.", "Newts: a review."),
        ("Newts sing [1,2-4], toads [hum].", "Newts sing, toads (hum)."),
        ("Do newts\nsing?", "Do newts sing?"),
        ("They sang (loud.)", "They sang (loud.)"),
        ("They sang;", "They sang."),
        ("", ""),
    ],
)
def test_clean(text, cleaned):
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("RESULTS: Newts sing.", True),
        ("OBJECTIVE: METHODS: Newts sing [3].", True),
        ("SIONS: Newts sing.", True),
        ("POND: Newts sing.", False),
        ("Conclusion Our newts sing.", True),
        ("Materials and methods Newts were heard.", True),
        ("Results of the song are known.", True),
        ("Patients with NSCLC sing.", True),
        ("Implications for Practice Hearing newts helps.", False),
        ("ResultsNewts sing.", False),
        ("CONCLUSIONSNewts sing.", False),
        ("AstraZeneca sings.", True),
        ("2. Newts sing.", False),
        ("IV) Newts sing.", False),
        ("Th. We heard newts.", False),
        ("S. aureus sings.", True),
        ("Newts sing. Toads hum.", False),
        ("Newts sing", False),
        ("of newts that sing.", False),
        ("[Songs of newts].", False),
    ],
)
def test_what_may_be_chosen(text, allowed):
    assert FORMATS["biogen-2024"].limits.allows(text) is allowed


def test_words_are_counted_with_a_margin():
    assert count_words("IL-6/TNF levels rose 3.5 % (p<0.05).") >= 8
    assert count_words("Newtol® (20 ± 3 mg) cannot ∼sing∼.") == 11


# ---- Writers ----


def summary(topic, *sentences):
    """A summary of (text, PMIDs) pairs, with the responses that `with_citations` would make."""
    chosen = tuple(
        Sentence(text, pmids[0], 0, len(text), len(text.split())) for text, pmids in sentences
    )
    responses = tuple(Response(clean(text), tuple(pmids)) for text, pmids in sentences)
    text = " ".join(response.text for response in responses)
    return Summary(
        topic,
        chosen,
        text,
        candidates=chosen,
        chosen=tuple(range(len(chosen))),
        responses=responses,
    )


SUMMARIES = [
    summary("117", ("RESULTS: Newts sing [2]", ["11"]), ("Toads\nhum loud.", ["12"])),
    summary("116", ("Olms listen!", ["13", "14", "15"])),
    summary("118"),
]


def write(tmp_path, form, summaries):
    with RunWriter(tmp_path, FORMATS[form].writer("OLM1")) as run:
        for entry in summaries:
            run.write(entry)
    return tmp_path / run.files.targets[0]


def test_a_run_of_2024(tmp_path, lists):
    path = write(tmp_path, "biogen-2024", SUMMARIES)
    run = json.loads(path.read_text())
    assert (run["team_id"], run["run_name"]) == ("OLM", "OLM1")
    assert run["results"] == [
        {
            "topic_id": "117",
            "answer": "Newts sing[11]. Toads hum loud[12].",
            "references": ["11", "12"],
        },
        {"topic_id": "116", "answer": "Olms listen[13,14,15]!", "references": ["13", "14", "15"]},
        {"topic_id": "118", "answer": "", "references": []},
    ]
    assert all(finding.warning for finding in check_2024(path, **lists[1]))
    # The provenance has the sentences as in their documents.
    first = next(read_provenance(Path(tmp_path, "OLM1.provenance.jsonl")))
    assert first.sentences[0].text == "RESULTS: Newts sing [2]"


def test_a_run_of_2025(tmp_path, lists):
    path = write(tmp_path, "biogen-2025", SUMMARIES)
    rows = read_lines(path)
    assert [row["metadata"] for row in rows] == [
        {"team_id": "OLM", "run_id": "OLM1", "topic_id": topic} for topic in ("117", "116", "118")
    ]
    assert rows[0]["responses"] == [
        {"text": "Newts sing.", "citations": ["11"]},
        {"text": "Toads hum loud.", "citations": ["12"]},
    ]
    assert rows[1]["responses"][0]["citations"] == ["13", "14", "15"]
    assert rows[2]["responses"] == []
    assert all(finding.warning for finding in check_2025(path, **lists[1]))


@pytest.mark.parametrize(("name", "team"), [("OLM1", "OLM"), ("BM253", "BM25"), ("OLM", "OLM")])
def test_the_team_is_the_name_without_the_run_number(tmp_path, name, team):
    for form in ("biogen-2024", "biogen-2025"):
        with RunWriter(tmp_path / form, FORMATS[form].writer(name)) as run:
            run.write(SUMMARIES[0])
        assert f'"team_id": "{team}"' in (tmp_path / form / run.files.targets[0]).read_text()


@pytest.mark.parametrize("pmids", [["paper.txt"], ["11", "012"]])
def test_a_document_without_a_pmid_cannot_be_cited(tmp_path, pmids):
    with pytest.raises(InputError, match=f"'{pmids[-1]}' is not a PMID".replace(".", r"\.")):
        write(tmp_path, "biogen-2025", [summary("116", ("Newts sing.", pmids))])


def test_an_answer_without_citations_is_refused(tmp_path):
    with pytest.raises(InputError, match="sentences without citations"):
        write(tmp_path, "biogen-2025", [replace(SUMMARIES[0], responses=())])


@settings(deadline=None, max_examples=60)
@given(
    texts=st.lists(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=300), min_size=1, max_size=9
    ),
    system=st.sampled_from([RANDOM, LEAD]),
)
def test_any_documents_give_a_valid_run_of_the_selected_sentences(tmp_path_factory, texts, system):
    topic = Topic(
        "116",
        "Do newts sing?",
        tuple(Document(pmid, t) for pmid, t in zip(RELEASED, texts, strict=False)),
    )
    for form in ("biogen-2024", "biogen-2025"):
        summarizer = Summarizer.load(system, format_limits=FORMATS[form].limits)
        if system == LEAD and form == "biogen-2024":
            # the first words form one text, which the validator may split into many sentences
            continue
        folder = tmp_path_factory.mktemp("run")
        answer = with_citations(summarizer(topic, 999), topic)
        path = write(folder, form, [answer])
        assert all(finding.warning for finding in FORMATS[form].check(path)), path.read_text()
        (record,) = read_provenance(folder / "OLM1.provenance.jsonl")
        starts = {s.start for s in record.sentences}
        assert {i for i, c in enumerate(record.candidates) if c.start in starts} >= set(
            record.chosen
        )
        assert len(record.chosen) == len(record.sentences) == len(record.responses)


FRAGMENTS = "newts sing in ponds at dusk. (Newts sing in ponds.) POND: Newts sing in ponds. Newts sing in ponds vs."


@pytest.mark.parametrize("system", ["ilp-sum-1-tuned", "gr-sum-2-tuned", RANDOM])
@pytest.mark.parametrize("form", ["biogen-2024", "biogen-2025"])
def test_only_whole_sentences_without_labels_are_chosen(system, form):
    lines = "\n".join(
        [*re.findall(r"[^.]+\.\)?", FRAGMENTS), "BACKGROUND: Newts sing.", "Do newts sing in ponds"]
    )
    topic = Topic("116", "Do newts sing in ponds?", (Document("11", lines),))
    summary = Summarizer.load(system, format_limits=FORMATS[form].limits)(topic, 100)
    assert len(summary.candidates) == 6
    assert [response.text for response in with_citations(summary, topic).responses] == [
        "Newts sing."
    ]
    plain = Summarizer.load(system)(topic, 100)
    assert {sentence.text for sentence in plain.sentences} != {"BACKGROUND: Newts sing."}


def test_the_limits_of_a_format_are_constraints_of_the_optimum(tmp_path):
    words = "bright dark cold warm deep still loud soft grey green blue red old".split()
    texts = [
        " ".join(f"Newts number {n}{k} sing {w}ly in {w} ponds." for k, w in enumerate(words))
        for n in range(3)
    ]
    documents = tuple(Document(str(n), text) for n, text in enumerate(texts, 11))
    topic = Topic("116", "Do newts sing in ponds?", documents)
    for form, most in (("biogen-2024", 8), ("biogen-2025", 99)):
        summarizer = Summarizer.load("ilp-sum-1-tuned", format_limits=FORMATS[form].limits)
        summary = summarizer(topic, 400)
        assert summary.gap == 0
        assert len(summary.sentences) == len(summary.chosen) <= most
        assert summary.settings.words == FORMATS[form].words
        assert any("allows" in warning for warning in summary.warnings)
        path = write(tmp_path / form, form, [with_citations(summary, topic)])
        assert all(finding.warning for finding in FORMATS[form].check(path))


def test_a_discarded_citation_is_a_fault_only_if_its_pmid_is_cited_nowhere_else(lists):
    for answer, is_fault in (
        ("[11] Newts sing [11].", False),
        ("Newts sing [11]. [11]", False),
        ("Newts sing [11]. [12]", True),
        ("Newts sing [11]. [11, 12]", True),
        ("Newts sing [11, 12]. Toads hum. [12, 11]", False),
    ):
        findings = checked(lists, answer=answer, references=["11", "12"])
        (discarded,) = (f for f in findings if "is discarded" in f.message)
        assert discarded.warning is not is_fault, answer
