"""The page in a headless browser: it shows, opens, sorts, changes colour, and makes no network requests."""

import re
from itertools import product

import pytest

from ilpsum import resources
from ilpsum.cli import main
from ilpsum.evaluation.comparison import Comparison
from ilpsum.evaluation.run_scores import Evaluation
from ilpsum.metrics.rouge import Score
from ilpsum.metrics.signature import Signature
from ilpsum.pages.gathering import Report, RunSummary, ShownTopic
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

expect = pytest.importorskip("playwright.sync_api").expect

BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture
def path(tmp_path, report):
    path = tmp_path / "report.html"
    path.write_text(page(report), encoding="utf-8")
    return path


def test_no_console_message_and_no_request(browser, path):
    browser.open(path)
    assert browser.page.evaluate("document.querySelectorAll('.topic').length") == 2
    assert browser.complaints == []


def test_reasons_open_by_mouse_and_by_keyboard(browser, path):
    page = browser.open(path)
    shown = page.locator(".why dl:visible")
    expect(shown).to_have_count(0)
    page.get_by_text("Why", exact=True).first.click()
    expect(shown).to_have_count(1)
    page.get_by_text("Why", exact=True).nth(1).focus()
    page.keyboard.press("Enter")
    expect(shown).to_have_count(2)
    page.get_by_role("button", name="Open all reasons").click()
    expect(shown).to_have_count(4)
    assert browser.complaints == []


def report_of_two(folder, name, *options):
    """The report of the demo's run and of another one."""
    topics = str(folder / "topics")
    out = ["--quiet", "--out"]
    assert (
        main(["summarize", topics, *options, "--team", name, "--run", "1", *out, str(folder)]) == 0
    )
    runs = [str(folder / "DEMO1"), str(folder / f"{name}1")]
    page = folder / f"{name}.html"
    assert main(["report", *runs, "--gold", topics, *out, str(page)]) == 0
    return page


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A folder with the demo."""
    folder = tmp_path_factory.mktemp("demo")
    assert main(["demo", "--out", str(folder), "--quiet"]) == 0
    report_of_two(folder, "GREEDY", "--method", "greedy")
    return folder


# 1185: as 1200 with a scrollbar.
@pytest.mark.parametrize("width", [390, 1185, 1200, 1280])
def test_the_tables_of_a_report_fit_a_desk_and_a_phone(browser, demo, width):
    page = browser.open(demo / "GREEDY.html", width=width)
    hidden = "all => all.map(table => table.scrollWidth - table.clientWidth)"
    assert page.eval_on_selector_all(".overview .scroll", hidden) == [0, 0]


def test_no_empty_strip_stands_under_the_result(browser, demo):
    page = browser.open(demo / "GREEDY.html")
    parts = page.locator(".result:visible small")
    boxes = [part.bounding_box() for part in parts.all()]
    assert len(boxes) == 2
    assert boxes[1]["y"] - boxes[0]["y"] - boxes[0]["height"] < 10


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [*product(("GREEDY", "report", "sweep"), (380, 1280), ("light", "dark"))],
)
def test_axe_finds_no_violation_and_nothing_hangs_over_the_edge(
    browser, demo, swept, name, width, scheme
):
    from axe_playwright_python.sync_playwright import Axe

    page = browser.open(
        (swept if name == "sweep" else demo) / f"{name}.html", width=width, scheme=scheme
    )
    page.evaluate(
        "document.querySelectorAll('.with-gold input').forEach((box) => { box.click(); })"
    )
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


@pytest.fixture
def many(tmp_path):
    """The report of two runs over twelve topics, in two metrics: in the second the differences are the other way."""
    ids = [f"q{i:02}" for i in range(12)]
    texts = {"A": "Newts sing.\nFerns grow {}.", "B": "Moss is green.\nNewts sing."}
    topics = tuple(
        ShownTopic(
            t,
            f"Do newts sing {i} times?",
            runs={n: RunSummary(own.format(i)) for n, own in texts.items()},
        )
        for i, t in enumerate(ids)
    )
    compared = []
    for metric, sign in (("ROUGE-2", 1), ("ROUGE-SU4", -1)):
        values = {"A": [0.4 + sign * (0.05 - 0.01 * i) for i in range(12)], "B": [0.4] * 12}
        units = {
            n: [(t, Score(v, v, v)) for t, v in zip(ids, own, strict=True)]
            for n, own in values.items()
        }
        evaluations = [Evaluation(n, Signature(metric, {}), own) for n, own in units.items()]
        compared.append(Comparison(evaluations, "recall"))
    path = tmp_path / "many.html"
    path.write_text(page(Report(tuple(texts), topics, tuple(compared))), encoding="utf-8")
    return path


def test_the_first_screen_has_result_runs_and_plot_and_each_row_leads_to_its_texts(browser, many):
    opened = browser.open(many)
    for part in (
        opened.locator(".result:visible"),
        opened.locator("#topics svg.dots:visible").nth(4),
    ):
        box = part.bounding_box()
        assert box["y"] + box["height"] < 800
    expect(opened.locator("main > .topic:visible")).to_have_count(0)
    # A click anywhere in a row opens its texts.
    opened.locator("#topics tbody tr").nth(2).locator("td.plot").click(force=True)
    assert opened.evaluate("location.hash") == "#topic-10"
    expect(opened.locator("main > .topic:visible")).to_have_count(1)
    assert browser.complaints == []


def test_one_switch_shows_the_metric_everywhere(browser, many):
    opened = browser.open(many)
    names = opened.locator("#topics tbody th")
    before = names.all_inner_texts()
    expect(opened.locator(".result:visible")).to_contain_text("B is above A by")
    opened.get_by_label("ROUGE-SU4 recall").check()
    expect(opened.locator(".result:visible")).to_have_count(1)
    expect(opened.locator(".result:visible")).to_contain_text("A is above B by")
    expect(opened.locator("#topics tbody tr").first.locator("svg:visible")).to_have_count(1)
    # The table stays sorted by the difference: the better run first in both.
    expect(opened.locator("#topics [aria-sort]:visible")).to_have_count(1)
    assert opened.locator("#topics [aria-sort]").get_attribute("aria-sort") == "descending"
    assert names.all_inner_texts() == before
    assert browser.complaints == []


def test_without_a_script_tables_and_plot_are_there(chromium, many):
    context = chromium.new_context(
        java_script_enabled=False, viewport={"width": 1280, "height": 900}
    )
    opened = context.new_page()
    opened.goto(many.as_uri())
    expect(opened.locator(".result:visible")).to_have_count(1)
    expect(opened.locator("#topics tbody svg.dots:visible")).to_have_count(12)
    expect(opened.locator("#topics tbody a:visible")).to_have_count(12)
    expect(opened.locator("main > .topic:visible")).to_have_count(12)
    context.close()


def test_the_topics_are_read_by_keyboard(browser, many):
    opened = browser.open(many)
    links = opened.locator("#topics tbody a")
    links.first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        opened.keyboard.press(key)
    expect(links.nth(1)).to_be_focused()
    opened.keyboard.press("Enter")
    expect(opened.locator("main > .topic:visible h2")).to_have_text(links.nth(1).inner_text())
    opened.keyboard.press("Escape")
    expect(opened.locator("main > .topic:visible")).to_have_count(0)
    expect(links.nth(1)).to_be_focused()
    assert browser.complaints == []


def test_equal_sentences_stand_at_the_same_height(browser, many):
    opened = browser.open(many)
    opened.locator("#topics tbody a").first.click()
    both = opened.locator(".topic.shown .both")
    expect(both).to_have_count(2)
    expect(both).to_have_text(["Newts sing.", "Newts sing."])
    first, second = (both.nth(i).bounding_box() for i in (0, 1))
    assert first["x"] != second["x"]
    assert first["y"] == second["y"]
    # What stands in one run alone is above it here and below it there.
    only = opened.locator(".topic.shown .only")
    tops = [only.nth(i).bounding_box()["y"] for i in range(2)]
    assert tops[0] > first["y"] > tops[1]


def test_gold_opens_beside_and_what_is_shared_is_underlined(browser, path):
    opened = browser.open(path)
    topic = opened.locator(".topic").first
    expect(topic.locator(".gold")).to_be_hidden()
    topic.get_by_label("Show the 2 gold summaries").check()
    words = topic.locator("article").first.locator(".answer li").nth(1).locator("u")
    expect(words).to_have_text(["Moss", "grows", "walls"])
    assert words.first.evaluate("word => getComputedStyle(word).textDecorationLine") == "underline"
    expect(topic.locator(".gold u")).to_have_text(
        ["Ferns", "need", "deep", "shade", "Moss", "grows", "walls", "grow"]
    )
    gold, text = (
        part.bounding_box() for part in (topic.locator(".gold"), topic.locator("article").first)
    )
    assert gold["y"] == text["y"]
    assert gold["x"] > text["x"]


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """The report of a sweep of the exact path and a greedy selector over the demo's topics."""
    folder = tmp_path_factory.mktemp("sweep")
    sweep = 'system = "ilp-sum-1-tuned"\n[parameters]\nlambda = "path"\nwords = [50]\nmethod = ["ilp", "greedy"]\n'
    (folder / "sweep.toml").write_text(sweep)
    topics = ["--topics", str(resources.demo()), "--out", str(folder / "out"), "--quiet"]
    assert main(["sweep", str(folder / "sweep.toml"), *topics]) == 0
    assert (
        main(["report", str(folder / "out"), "--quiet", "--out", str(folder / "sweep.html")]) == 0
    )
    return folder


def test_a_topic_prints_on_two_pages(browser, demo):
    opened = browser.open(demo / "GREEDY.html")
    for box in opened.get_by_label("Print:").all()[:1]:
        box.check()
    opened.emulate_media(media="print")
    data = opened.pdf(format="A4")
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 2


def test_tables_sort_by_value_and_say_so(browser, many):
    opened = browser.open(many)
    table = "document.querySelector('#topics')"
    column = f"[...{table}.tBodies[0].rows].map(row => Number(row.cells[3].dataset.value))"
    before = opened.evaluate(column)
    for order, reverse in (("descending", True), ("ascending", False)):
        opened.evaluate(f"{table}.tHead.rows[0].cells[3].querySelector('button').click()")
        assert opened.evaluate(f"{table}.tHead.rows[0].cells[3].getAttribute('aria-sort')") == order
        assert opened.evaluate(column) == sorted(before, reverse=reverse)
    assert len(set(before)) == 12


def test_colours_follow_the_system(browser, path):
    browser.open(path, scheme="dark")
    dark = browser.page.evaluate(BACKGROUND)
    browser.open(path, scheme="light")
    assert browser.page.evaluate(BACKGROUND) == "rgb(251, 250, 247)" != dark


@pytest.mark.parametrize("width", [380, 1280])
def test_runs_are_side_by_side_where_there_is_room(browser, path, width):
    browser.open(path, width=width)
    tops = browser.page.evaluate(
        "[...document.querySelectorAll('.topic article')].slice(0, 2).map(a => a.offsetTop)"
    )
    assert (tops[0] == tops[1]) == (width > 380)  # side by side, or one below the other


def test_hostile_text_does_nothing(browser, tmp_path, report_of):
    text = (
        "</script><script>window.hostile=1</script><img src=x onerror='window.hostile=1'>\u202e$x"
    )
    topic = Topic(text, text, (Document(text, f"{text} {text}", title=text),), summaries=(text,))
    sentence = Sentence(text, text, 0, len(text), 1, text, 0.5, text)
    settings = RunSettings(
        words=9,
        format=text,
        system=SystemSettings(text, method="ilp", model=text),
        text=TextSettings(order=text),
        solver=SolverSettings(text),
    )
    summary = Summary(
        text,
        (sentence,),
        text,
        (sentence,),
        (0,),
        text,
        1.0,
        1.0,
        0.0,
        text,
        settings=settings,
        warnings=(text,),
    )
    path = tmp_path / "hostile.html"
    path.write_text(page(report_of({text: [summary]}, [topic])), encoding="utf-8")
    browser.open(path)
    assert browser.page.evaluate("window.hostile") is None
    for place in (".topic h2", ".answer p", "h3 bdi"):
        assert browser.page.evaluate(f"document.querySelector('{place}').textContent") == text
    assert browser.complaints == []


def test_of_many_topics_one_is_shown_at_a_time(browser, tmp_path):
    shown = [
        ShownTopic(
            f"q{i}", f"Do newts sing {i} times?", runs={"A": RunSummary(f"Newts sing {i} times.")}
        )
        for i in range(30)
    ]
    path = tmp_path / "many.html"
    path.write_text(page(Report(("A",), tuple(shown))), encoding="utf-8")
    opened = browser.open(path, width=390)
    topics = opened.locator("main > .topic:visible")
    expect(topics).to_have_count(0)
    # The table, and not the texts, is what a reader sees first.
    assert opened.evaluate("document.documentElement.scrollHeight") < 1800
    opened.get_by_label("Find a topic").fill("sing 2")
    expect(opened.locator("#topics tbody tr:visible")).to_have_count(12)
    opened.get_by_role("link", name="q20").press("Enter")
    expect(topics).to_have_count(1)
    expect(topics).to_contain_text("Newts sing 20 times.")
    opened.get_by_role("button", name="Next").press("Enter")
    expect(topics).to_contain_text("Newts sing 21 times.")
    opened.get_by_role("button", name="Previous").click()
    expect(topics).to_contain_text("Newts sing 20 times.")
    opened.get_by_role("button", name="All topics").click()
    expect(topics).to_have_count(0)
    for number in (2, 25):
        opened.get_by_label(f"Print: q{number}", exact=True).check()
    opened.emulate_media(media="print")
    expect(topics).to_have_count(2)
    expect(topics.nth(1)).to_contain_text("Newts sing 25 times.")
    assert browser.complaints == []
