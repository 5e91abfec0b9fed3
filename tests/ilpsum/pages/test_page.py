"""The page: its content, and that input never becomes markup."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from ilpsum.evaluation.comparison import Comparison, Reference
from ilpsum.pages.charts import Curve
from ilpsum.pages.gathering import Report, RunSummary, ShownTopic, gather
from ilpsum.pages.markup import short
from ilpsum.pages.report import page
from ilpsum.records import (
    Document,
    RunSettings,
    Sentence,
    SolverSettings,
    Summary,
    SystemSettings,
    TextSettings,
    Topic,
)
from ilpsum.runs.provenance import summary_line
from ilpsum.runs.reading import SummaryRun
from tests.ilpsum.pages.conftest import evaluation

VOID = {"meta", "link", "input"}


class Tree(HTMLParser):
    """The elements of a page in order: name, attributes, text in them; every element must be closed in its order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self.stack: list[tuple[str, dict[str, str], list[str]]] = []
        self.feed(html)
        self.close()
        assert not self.stack

    def handle_starttag(self, tag, attrs):
        element = (tag, dict(attrs), [])
        assert len(element[1]) == len(attrs)
        self.elements.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_endtag(self, tag):
        assert self.stack.pop()[0] == tag

    def handle_data(self, data):
        for element in self.stack:
            element[2].append(data)

    def table(self, caption):
        """The rows of a table, its head first, as the texts of their cells."""
        (found,) = re.findall(
            rf"<table[^>]*><caption>{caption}</caption>(.*?)</table>", self.html, re.S
        )
        rows = re.findall(r"<tr>(.*?)</tr>", found, re.S)
        cells = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in rows)
        return [[unescape(re.sub("<[^>]+>", "", cell)) for cell in row] for row in cells]

    def rows(self, caption):
        """The rows of a table without its head."""
        return self.table(caption)[1:]

    def texts(self, tag, **attributes):
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            "".join(t)
            for name, a, t in self.elements
            if name == tag and wanted.items() <= a.items()
        ]


@pytest.fixture
def tree(report):
    return Tree(page(report))


def test_it_is_well_formed_and_refers_only_to_itself(tree):
    ids = [a["id"] for _, a, _ in tree.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for name in ("aria-labelledby", "for"):
        assert {a[name] for _, a, _ in tree.elements if name in a} <= set(ids)
    for _, attributes, _ in tree.elements:
        assert not [
            name
            for name in attributes
            if name.startswith("on") or name in ("style", "src", "srcset")
        ]
        if "href" in attributes:
            assert attributes["href"] == "data:," or attributes["href"][1:] in ids


def test_headings_go_down_one_by_one(tree):
    levels = [int(name[1]) for name, _, _ in tree.elements if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_landmarks_language_and_labels(tree):
    names = [name for name, _, _ in tree.elements]
    assert [names.count(name) for name in ("header", "nav", "main", "footer")] == [1, 0, 1, 1]
    assert tree.elements[0][1] == {"lang": "en"}
    assert all(a.get("scope") for name, a, _ in tree.elements if name == "th")
    assert all(
        "aria-label" in a or a.get("aria-hidden") == "true"
        for name, a, _ in tree.elements
        if name == "svg"
    )


def test_the_policy_allows_this_style_and_this_script_alone(report):
    html = page(report)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    allowed = dict(part.strip().split(" ", 1) for part in unescape(policy).split(";"))
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"
    for name in ("style", "script"):
        (source,) = re.findall(rf"<{name}>(.*?)</{name}>", html, re.S)
        assert (
            allowed[f"{name}-src"]
            == f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
        )


def test_a_sentence_shows_its_source_and_folds_its_reasons(tree):
    line = tree.texts("li", data_same="0")[0]
    assert line.startswith("Ferns need deep shade and water.d.txt · abstract · characters 6–38")
    folded = tree.texts("details", class_="why")[0]
    assert "the most relevant" in folded


def test_a_sentence_without_its_connective_is_the_same_sentence():
    place = ("d.txt", 6, 38)
    runs = {}
    for name, text in (("a", "However, ferns need shade."), ("b", "Ferns need shade.")):
        sentence = Sentence(text, *place, len(text.split()))
        runs[name] = RunSummary(text, summary=Summary("T", (sentence,), text))
    # Of another program's run only the text is known.
    runs["c"] = RunSummary("Ferns need shade.")
    topic = ShownTopic("T", runs=runs)
    assert topic.shared == 1
    tree = Tree(page(Report(("a", "b", "c"), (topic,))))
    assert [a["data-same"] for _, a, _ in tree.elements if "data-same" in a] == ["0", "0", "0"]
    assert len(tree.texts("li", class_="both")) == 3


def test_the_table_of_runs_has_system_lambda_words_and_means_with_intervals(report, tree):
    row = tree.rows("Runs")[0]
    first = report.compared[0].evaluations[0]
    interval = report.compared[0].interval(first)
    assert first.metric == "ROUGE-2"
    assert row[:5] == ["SYSA1", "one", "lambda 0.5, default", "11", "1, 1 failed"]
    assert row[5] == f"{short(interval.mean)} [{short(interval.low)}, {short(interval.high)}]"
    assert repr(first.mean.recall) in [
        a["data-value"] for n, a, _ in tree.elements if n == "td" and "data-value" in a
    ]
    # The result comes first, then the texts; how it was measured stands once, as `evaluate` prints
    # it.
    assert [a.get("id", "") for n, a, _ in tree.elements if n == "h2"] == [
        "result",
        "topic-1",
        "topic-2",
    ]
    assert tree.texts("code") == [
        str(comparison.evaluations[0].signature) for comparison in report.compared
    ]


def test_intervals_are_bars_on_one_scale(report_of, topic, summarised):
    """Of two runs, the bar of the better one lies further right, and each mean within its own."""
    topics = [replace(topic, id=f"T{i}") for i in range(3)]
    chosen = {"GOOD": [(0, 2), (0, 3), (0, 2, 3)], "BAD": [(1,), (0,), (1,)]}
    runs = {
        name: [summarised(t, rows, system="ilp") for t, rows in zip(topics, some, strict=True)]
        for name, some in chosen.items()
    }
    tree = Tree(page(report_of(runs, topics, metrics=["ROUGE-1"])))
    means = []
    for i, (name, attributes, _) in enumerate(tree.elements):
        if name == "svg" and attributes.get("class") == "interval":
            (_, line, _), (_, mark, _) = tree.elements[i + 1 : i + 3]
            low, mean, high = (float(v.rstrip("%")) for v in (line["x1"], mark["x"], line["x2"]))
            assert 0 <= low <= mean <= high <= 100
            means.append(mean)
    assert means[0] > means[1]


def runs_of(gaps, *others):
    """A report of two runs, A and B, whose scores differ by these gaps, in this order of topics."""
    ids = [f"t{i:02}" for i in range(len(gaps))]
    scores = {"A": [0.4 + gap for gap in gaps], "B": [0.4] * len(gaps), **dict(others)}
    evaluations = tuple(evaluation(name, ids, values) for name, values in scores.items())
    runs = {name: RunSummary("Newts.") for name in scores}
    topics = tuple(ShownTopic(t, f"Do newts sing {t}?", runs=dict(runs)) for t in ids)
    return Report(tuple(scores), topics, (Comparison(evaluations, "recall"),))


def test_the_result_in_words_agrees_with_compare():
    report = runs_of([0.02 + 0.001 * i for i in range(11)] + [-0.001])
    (pair,) = report.compared[0].pairs
    tree = Tree(page(report))
    (said,) = tree.texts("p", class_="result")
    low, high = short(pair.low), short(pair.high)
    assert said.startswith(
        f"A is above B by .023 ROUGE-2 recall [{low}, {high}], 11 of 12 topics; p = "
    )
    assert f"p = {short(pair.holm, 4)}, corrected. Effect" in said
    assert said.endswith("largest gain t10 (+.030), largest loss t11 (−.001)")
    (same,) = Tree(page(runs_of([0.01] * 9))).texts("p", class_="result")
    assert same.endswith("no loss")
    # The better run comes first, whatever the order of the runs.
    (said,) = Tree(page(runs_of([-0.02 - 0.001 * i for i in range(12)]))).texts(
        "p", class_="result"
    )
    assert said.startswith("B is above A by .026 ROUGE-2 recall")


def test_what_chance_may_give_is_no_difference():
    (said,) = Tree(page(runs_of([0.02, -0.02] * 5 + [0.01]))).texts("p", class_="result")
    assert said.startswith("No significant difference: A is above B by .001")


def test_the_page_opens_with_the_reference_that_alone_is_compared_with(measured):
    (comparison,) = measured.compared
    with_baseline = replace(comparison, reference=Reference("ilp"))
    tree = Tree(page(replace(measured, compared=(with_baseline,))))
    reference, said = tree.texts("p", class_="result")[:2]
    assert reference.startswith("Reference: ilp, mean ROUGE-2 recall .")
    assert "corrected for 1 comparison." in reference
    # As in the table of topics and in `compare`: the run less the reference.
    assert "greedy is below ilp by .162 ROUGE-2 recall, difference [−" in said
    columns = [cell for cell in tree.table("Topics")[0] if "−" in cell]
    assert columns[0] == "greedy −\N{NO-BREAK SPACE}ilp"
    with_oracle = replace(comparison, reference=Reference("", ["greedy"]))
    oracle = page(replace(measured, compared=(with_oracle,)))
    assert "has seen the gold summaries: an upper bound, which is not tested" in oracle
    assert "is above" not in oracle
    assert "is below" not in oracle


def test_below_ten_topics_nothing_can_be_said(measured):
    (pair,) = measured.compared[0].pairs
    tree = Tree(page(measured))
    (said,) = tree.texts("p", class_="result")
    assert pair.p_value is None
    assert said.startswith("Too few topics for a test (4 of 10). ilp is above greedy by .162")
    assert "3 of 4 topics" in said
    assert "p = " not in said


def test_without_gold_it_says_how_to_get_scores(report_of, topic, summarised):
    report = report_of(
        {"A": [summarised(topic, (0,), system="ilp")]}, [replace(topic, summaries=())]
    )
    tree = Tree(page(report))
    assert "--gold TOPICS" in tree.texts("p", class_="result")[0]
    assert "recall" not in "".join(tree.texts("table"))


def test_three_pairs_are_open_and_the_others_folded():
    values = [0.4] * 12
    more = [(name, [v + step for v in values]) for name, step in (("C", 0.1), ("D", 0.2))]
    tree = Tree(page(runs_of([0.01 * i for i in range(12)], *more)))
    assert len(tree.texts("p", class_="result")) == 6
    (folded,) = [text for text in tree.texts("details") if text.startswith("3 more pairs")]
    assert folded.count(" is above ") == 3


def test_every_pair_that_was_asked_for_is_open():
    values = [0.4] * 12
    more = [
        (name, [v + step for v in values])
        for name, step in zip("CDE", (0.1, 0.2, 0.3), strict=True)
    ]
    report = runs_of([0.01 * i for i in range(12)], *more)
    first = report.runs[0]
    said = Tree(page(report)).texts("p", class_="result")
    assert all(first in line for line in said[:4])
    against = replace(report.compared[0], reference=Reference("C"))
    tree = Tree(page(replace(report, compared=(against,))))
    assert not [text for text in tree.texts("details") if "more pair" in text]
    # A line for the reference, and one for each other run.
    assert len(tree.texts("p", class_="result")) == 5


def test_one_table_of_topics_by_difference(measured):
    tree = Tree(page(measured))
    heads, *rows = tree.table("Topics")
    assert [" ".join(name.split()) for name in heads[2:]] == [
        "ilp − greedy", "ilp", "greedy", "words shared", "question or title",
    ]  # fmt: skip
    assert [row[0] for row in rows] == ["t4", "t1", "t3", "<t2>"]
    assert [row[2] for row in rows] == ["+.500", "+.100", "+.100", "−.050"]
    assert rows[0][3:] == [".600", ".100", "–", "Do <newts> sing?"]
    # The text of one run is a sentence of the other: 4 words of 6.
    assert rows[1][5] == "67%"
    links = [a["href"] for n, a, _ in tree.elements if n == "a" and a["href"].startswith("#topic-")]
    assert set(links) == {"#topic-1", "#topic-2", "#topic-3", "#topic-4"}
    order = [a for n, a, _ in tree.elements if n == "th" and "aria-sort" in a]
    assert [a["aria-sort"] for a in order] == ["descending"]


def test_a_run_alone_shares_no_words():
    topics = (ShownTopic("t", "Do newts sing?", runs={"A": RunSummary("Newts.")}),)
    heads, row = Tree(page(Report(("A",), topics))).table("Topics")
    assert heads == ["topic", "question or title"]
    assert row == ["t", "Do newts sing?"]


def test_each_topic_has_a_mark_for_each_run_at_its_score(measured):
    tree = Tree(page(measured))
    plots = [
        i for i, (n, a, _) in enumerate(tree.elements) if n == "svg" and a.get("class") == "dots m0"
    ]
    assert len(plots) == 4
    # Scores from .1 to .6: the scale has room at both ends.
    marks = {a["class"]: a["x"] for n, a, _ in tree.elements[plots[0] : plots[1]] if n == "rect"}
    assert marks == {"mark run0": "96.0%", "mark run1": "4.0%"}


def test_metrics_are_switched_and_the_first_is_shown_without_a_choice(report, measured):
    html = page(report)
    tree = Tree(html)
    buttons = [a for n, a, _ in tree.elements if n == "input" and a.get("name") == "metric"]
    assert [(a["id"], "checked" in a) for a in buttons] == [("metric-0", True), ("metric-1", False)]
    assert ".overview:not(:has(#metric-1:checked)) .m1 { display: none; }" in html
    assert 'name="metric"' not in page(measured)


def test_equal_sentences_are_quiet_and_others_marked(measured):
    html = page(measured)
    assert "lambda 0.9" in html
    assert "<bdi>&lt;t2&gt;</bdi>" in html
    assert "Do &lt;newts&gt; sing?" in html
    lines = re.findall(r'<li class="(\w+)" data-same="(\d)"><div><p>(.*?)</p>', html)
    assert lines == [
        ("only", "0", "Newts &lt;sing&gt;."), ("both", "1", "Ferns grow."), ("both", "1", "Ferns grow."),
    ]  # fmt: skip
    assert "<newts>" not in html
    assert page(measured) == html


def test_gold_names_the_words_that_it_shares_with_a_sentence(report_of, summarised, topic):
    own = summarised(topic, (0, 2), system="ilp")
    html = page(
        report_of(
            {"A": [own]}, [replace(topic, summaries=("Fern needs it on a wall.", "Slugs eat."))]
        )
    )
    # By their stems, without stop words: *on* stands in both.
    assert re.findall('data-shared="([^"]*)"', html) == ["fern ferns need needs wall walls"]


def test_runs_without_provenance_are_compared_line_by_line(report_of):
    topics = [Topic("T1", "What grows?", summaries=("Moss grows.",))]
    runs = [
        SummaryRun("A", {"T1": "Moss grows.\nFerns die."}),
        SummaryRun("B", {"T1": "Slugs eat.\nMoss grows."}),
    ]
    html = page(gather(runs, topics))
    assert html.count('class="both"') == 2
    assert html.count('class="only"') == 2
    assert "50%" in Tree(html).rows("Topics")[0]


def test_gold_query_and_failures_are_shown(tree):
    sections = tree.texts("section", class_="topic")
    assert "What do ferns need?" in sections[0]
    assert "Lichens are slow to grow." in sections[0]
    assert "Failed: it broke" in sections[1]


def test_one_run_without_gold_or_provenance_or_topics():
    html = page(gather([SummaryRun("SYSA1", {"T1": "Moss grows.\nFerns die.", "T2": ""})]))
    tree = Tree(html)
    assert "No scores" in html
    assert "no gold summaries" in html
    assert {"Moss grows.", "Ferns die.", "The summary is empty."} <= set(tree.texts("p"))


def test_a_file_that_differs_from_its_provenance(report_of, topic, tmp_path):
    sentence = Sentence("Moss.", "d.txt", 0, 5, 1)
    settings = RunSettings(system=SystemSettings("another"))
    (tmp_path / "p.jsonl").write_bytes(
        summary_line(Summary("T1", (sentence,), "Moss.", (sentence,), (0,), "x", settings=settings))
    )
    run = SummaryRun("A", {"T1": "Ferns."}, provenance=tmp_path / "p.jsonl")
    report = gather([run], [topic])
    assert "differs from its provenance" in page(report)
    # Its settings are those of another text.
    assert report.settings["A"][:2] == ("", "")


def test_only_where_there_are_breakpoints_the_caption_names_them(measured):
    for breakpoints in ((), (0.5,)):
        curve = Curve(0, 1.0, 0.25, [(0.0, 0.1), (1.0, 0.25)], breakpoints)
        html = page(
            replace(measured, swept=(("system",), ("one",)), marks=(0,), curves=((curve,),))
        )
        assert ("below, the breakpoints" in html) == bool(breakpoints)


HOSTILE = [
    "<script>window.hostile = 1</script>",
    '"><img src=x onerror="window.hostile=1">',
    "</style></title></blockquote><script>window.hostile=1</script>",
    "' onmouseover='window.hostile=1' x='",
    "$title ${policy} %s {0} \\u003cscript>",
    "javascript:window.hostile=1//&lt;b&gt;&#60;b&#62;",
    "<!-- --><![CDATA[ ]]> <svg/onload=window.hostile=1>",
]


def hostile_report(report_of, text):
    """A report in which every text from outside is the one given."""
    document = Document(text, f"{text} {text}", title=text)
    topic = Topic(text, text, (document,), summaries=(text, f"{text} {text}"))
    sentence = (Sentence(text, text, 0, len(text), 1, text, 0.5, text),)
    settings = RunSettings(
        words=9,
        format=text,
        system=SystemSettings(text, method="ilp", model=text),
        text=TextSettings(order=text),
        solver=SolverSettings(text),
    )
    summary = Summary(
        *(text, sentence, text, sentence, (0,), text, 1.0, 1.0, 0.0, text),
        settings=settings,
        warnings=(text,),
    )
    return report_of({text: [summary], text + "2": [summary]}, [topic])


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(report_of, text, report):
    html = page(hostile_report(report_of, text))
    tree = Tree(html)
    assert {name for name, _, _ in tree.elements} <= {
        name for name, _, _ in Tree(page(report)).elements
    } | {
        "details",
        "summary",
    }
    assert html.count("<script") == html.count("<style") == 1
    for element in ("h1", "h2", "h3", "li", "article"):
        assert any(text in content for content in tree.texts(element)), element


@pytest.mark.parametrize(
    ("warning", "shown"),
    [
        ("/home/of mine/Hausser.txt: not UTF-8 (byte 2126)", "Hausser.txt: not UTF-8 (byte 2126)"),
        ("topics/D1402/a.ann.txt:12: no offset", "a.ann.txt:12: no offset"),
        ("C:\\Users\\me\\a b.txt: an empty document", "a b.txt: an empty document"),
        ("a.txt: same text as /home/me/b.txt, left out", "a.txt: same text as b.txt, left out"),
        ("and/or of https://a.org/b is 1 / 2", "and/or of https://a.org/b is 1 / 2"),
    ],
)
def test_warnings_name_files_without_their_folders(report_of, topic, warning, shown):
    own = (Sentence("Moss.", "d.txt", 0, 5, 1),)
    summary = Summary("T1", own, "Moss.", own, (0,), "x", warnings=(warning,))
    assert shown in Tree(page(report_of({"A": [summary]}, [topic]))).texts("p", class_="note")
