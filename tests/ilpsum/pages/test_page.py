"""The page: its content, and that input never becomes markup."""

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from ilpsum.evaluation.comparison import compare
from ilpsum.pages.gathering import gather
from ilpsum.pages.page import page
from ilpsum.records import Document, RunSettings, Sentence, SolverSettings, Summary, SystemSettings, TextSettings, Topic
from ilpsum.runs.provenance import summary_line
from ilpsum.runs.reading import SummaryRun

VOID = {"meta", "link", "input"}


class Tree(HTMLParser):
    """The elements of a page in order: name, attributes, text in them; every element must be closed in its order."""

    def __init__(self, html: str) -> None:
        super().__init__()
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

    def texts(self, tag, **attributes):
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return ["".join(t) for name, a, t in self.elements if name == tag and wanted.items() <= a.items()]


@pytest.fixture
def tree(report):
    return Tree(page(report))


def test_it_is_well_formed_and_refers_only_to_itself(tree):
    ids = [a["id"] for _, a, _ in tree.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for name in ("aria-labelledby", "for"):
        assert {a[name] for _, a, _ in tree.elements if name in a} <= set(ids)
    for _, attributes, _ in tree.elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "src", "srcset")]
        if "href" in attributes:
            assert attributes["href"] == "data:," or attributes["href"][1:] in ids


def test_headings_go_down_one_by_one(tree):
    levels = [int(name[1]) for name, _, _ in tree.elements if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_landmarks_language_and_labels(tree):
    names = [name for name, _, _ in tree.elements]
    assert [names.count(name) for name in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]
    assert tree.elements[0][1] == {"lang": "en"}
    assert all(a.get("scope") for name, a, _ in tree.elements if name == "th")
    assert all("aria-label" in a or a.get("aria-hidden") == "true" for name, a, _ in tree.elements if name == "svg")


def test_the_policy_allows_this_style_and_this_script_alone(report):
    html = page(report)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    allowed = dict(part.strip().split(" ", 1) for part in unescape(policy).split(";"))
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"
    for name in ("style", "script"):
        (source,) = re.findall(rf"<{name}>(.*?)</{name}>", html, re.S)
        assert allowed[f"{name}-src"] == f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"


def test_a_sentence_shows_its_source_and_folds_its_reasons(tree):
    line = tree.texts("li", data_number="0")[0]
    assert line.startswith("Ferns need deep shade and water.d.txt · On ferns · abstract · 6% into it")
    folded = tree.texts("details", class_="why")[0]
    for part in ("6–38 of", "0.9000, 1st of the candidates", "results", "the most relevant", "SYSB1"):
        assert part in folded
    assert "Ferns need deep shade and water." in tree.texts("mark")
    assert "igram" not in "".join(line)


def test_scores_are_those_of_the_evaluation(report, tree):
    first = report.scores[0][0]
    assert first.metric == "ROUGE-2"
    cells = [a["data-value"] for n, a, _ in tree.elements if n == "td" and "data-value" in a]
    assert repr(first.mean.recall) in cells
    low, high = first.interval("recall").low, first.interval("recall").high
    assert f"{low:.4f} to {high:.4f}" in tree.texts("td")
    # The text comes first; what was measured and how follows, folded.
    names = [a.get("id", "") for n, a, _ in tree.elements if n == "h2"]
    assert names == ["topic-1", "topic-2", "scores", "runs"]
    # How was measured stands once, as `evaluate` prints it.
    assert tree.texts("code") == [str(evaluations[0].signature) for evaluations in report.scores]


def test_scores_differences_and_significance(measured):
    html = unescape(page(measured))
    (pair,) = compare(measured.scores[0], "recall")
    assert f'<td data-value="{pair.difference}" class="number">{pair.difference:.4f}</td>' in html
    low, high = (f"{end:.4f}".replace("-", "−") for end in (pair.low, pair.high))
    assert f"{low} to {high}" in html
    assert pair.p_value is None
    assert "too few topics" in html
    assert "3 / 0 / 1" in html
    # Differences have the minus of their heading, and sort by value.
    assert "ilp − greedy" in html
    assert ">−0.0500</td>" in html
    assert ">-0" not in html


def test_selectors_have_their_settings_and_sentences(measured):
    html = page(measured)
    assert "lambda 0.9" in html
    assert "<bdi>&lt;t2&gt;</bdi>" in html
    assert "Newts &lt;sing&gt;." in html
    assert "Do &lt;newts&gt; sing?" in html
    # What only one run chose is marked.
    only = re.findall(r'<li class="only"[^>]*><div><p>(.*?)</p>', html)
    assert only == ["Newts &lt;sing&gt;."]
    assert "<newts>" not in html
    assert page(measured) == html


def test_gold_query_and_failures_are_shown(tree):
    sections = tree.texts("section", class_="topic")
    assert "What do ferns need?" in sections[0]
    assert "Lichens are slow to grow." in sections[0]
    assert "Failed: it broke" in sections[1]


def test_one_run_without_gold_or_provenance_or_topics():
    html = page(gather([SummaryRun("SYSA1", {"T1": "Moss grows.\nFerns die.", "T2": ""})], {}))
    tree = Tree(html)
    assert 'id="scores"' not in html
    assert "no gold summaries" in html
    assert {"Moss grows.", "Ferns die.", "The summary is empty."} <= set(tree.texts("p"))


def test_a_file_that_differs_from_its_provenance(report_of, topic, tmp_path):
    sentence = Sentence("Moss.", "d.txt", 0, 5, 1)
    (tmp_path / "p.jsonl").write_bytes(summary_line(Summary("T1", (sentence,), "Moss.", (sentence,), (0,), "x")))
    html = page(gather([SummaryRun("A", {"T1": "Ferns."})], {"A": tmp_path / "p.jsonl"}, [topic]))
    assert "differs from its provenance" in html
    assert "does not have the sentence" in html


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
    topic = Topic(text, text, (Document(text, f"{text} {text}", title=text),), summaries=(text, f"{text} {text}"))
    sentence = Sentence(text, text, 0, len(text), 1, text, 0.5, text, text)
    settings = RunSettings(
        words=9,
        format=text,
        system=SystemSettings(text, method="ilp", model=text),
        text=TextSettings(coherence=(text,), order=text),
        solver=SolverSettings(text),
    )
    summary = Summary(
        text, (sentence,), text, (sentence,), (0,), text, 1.0, 1.0, 0.0, text, settings=settings, warnings=(text,)
    )
    return report_of({text: [summary], text + "2": [summary]}, [topic])


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(report_of, text, report):
    html = page(hostile_report(report_of, text))
    tree = Tree(html)
    assert {name for name, _, _ in tree.elements} <= {name for name, _, _ in Tree(page(report)).elements} | {
        "details",
        "summary",
    }
    assert html.count("<script") == html.count("<style") == 1
    for element in ("h1", "h2", "h3", "blockquote", "li", "article"):
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


def test_equal_input_gives_equal_pages(report_of, topic, report):
    assert page(report) == page(report)
    assert not re.search(r"20\d\d-\d\d-\d\d", page(report))
