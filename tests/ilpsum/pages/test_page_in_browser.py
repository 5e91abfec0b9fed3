"""The page in a headless browser: it shows, opens, sorts, changes colour, and makes no network requests."""

import time
from itertools import product

import pytest

from ilpsum import Summarizer
from ilpsum.cli import main
from ilpsum.formats import read_topics
from ilpsum.pages.page import page
from ilpsum.pages.view import Report, RunSummary, ShownTopic
from ilpsum.records import Document, RunSettings, Sentence, SolverSettings, Summary, SystemSettings, TextSettings, Topic

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
    page.get_by_text("Why, and where").first.click()
    expect(shown).to_have_count(1)
    expect(page.locator(".why blockquote mark").first).to_contain_text("Ferns need")
    page.get_by_text("Why, and where").nth(1).focus()
    page.keyboard.press("Enter")
    expect(shown).to_have_count(2)
    page.get_by_role("button", name="Open all reasons").click()
    expect(shown).to_have_count(4)
    assert browser.complaints == []


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The report of the demo's run and of a greedy one."""
    folder = tmp_path_factory.mktemp("demo")
    assert main(["demo", "--out", str(folder), "--quiet"]) == 0
    topics = str(folder / "topics")
    greedy = ["--system", "greedy", "--team", "GREEDY", "--run", "1", "--quiet", "--out", str(folder)]
    assert main(["summarize", topics, *greedy]) == 0
    runs = [str(folder / "DEMO1"), str(folder / "GREEDY1")]
    assert main(["report", *runs, "--gold", topics, "--quiet", "--out", str(folder / "both.html")]) == 0
    return folder


def test_sliders_move_along_the_exact_path_without_a_server(browser, demo):
    """What the page shows at a position is what the summarizer chooses there."""
    page = browser.open(demo / "both.html")
    topic = page.locator(".topic").first
    lines = topic.locator("article").first.locator(".answer > li:not([hidden]) > div > p:first-child")
    before = lines.all_inner_texts()
    assert topic.locator("svg.stops").nth(1).locator("line").count() > 0
    words, lambda_ = topic.get_by_label("Words"), topic.get_by_label("Lambda")
    for _ in range(6):
        words.press("ArrowLeft")
    lambda_.press("End")
    expect(topic.locator("output").first).to_have_text("100")
    first = next(iter(read_topics([demo / "topics"], "tac")))
    expected = Summarizer.load("concepts").for_kind("papers").with_options(lambda_=1.0)(first, 100)
    expect(lines).to_have_text([sentence.text for sentence in expected.sentences])
    position = topic.locator(".position").first
    expect(position).to_contain_text(f"objective {expected.objective:.4f}")
    expect(position).to_contain_text("to 1.000")
    expect(topic.locator("article").first.locator(".of-run")).to_be_hidden()
    topic.get_by_role("button", name="As the run").click()
    expect(lines).to_have_text(before)
    assert browser.complaints == []


def test_runs_keep_their_own_lambda_until_its_slider_moves(browser, demo):
    topics = str(demo / "topics")
    other = ["--lambda", "0.95", "--team", "OTHER", "--run", "1", "--quiet", "--out", str(demo)]
    assert main(["summarize", topics, *other]) == 0
    runs = [str(demo / "DEMO1"), str(demo / "OTHER1")]
    assert main(["report", *runs, "--gold", topics, "--quiet", "--out", str(demo / "lambdas.html")]) == 0
    topic = browser.open(demo / "lambdas.html").locator(".topic").first
    words, lambda_ = topic.get_by_label("Words"), topic.get_by_label("Lambda")
    own = topic.locator("output").nth(1)
    expect(own).to_have_text("of each run")
    lines = topic.locator("article").nth(1).locator(".answer > li:not([hidden]) > div > p:first-child")
    before = lines.all_inner_texts()
    words.press("ArrowLeft")
    words.press("End")
    expect(own).to_have_text("of each run")
    expect(lines).to_have_text(before)
    for _ in range(6):
        words.press("ArrowLeft")
    first = next(iter(read_topics([demo / "topics"], "tac")))
    expected = Summarizer.load("concepts").for_kind("papers").with_options(lambda_=0.95)(first, 100)
    expect(lines).to_have_text([sentence.text for sentence in expected.sentences])
    lambda_.press("End")
    expect(own).to_have_text("1")
    topic.get_by_role("button", name="As the run").click()
    expect(own).to_have_text("of each run")
    words.press("ArrowLeft")
    words.press("End")
    expect(lines).to_have_text(before)
    assert browser.complaints == []


def test_sentences_move_where_motion_is_welcome(browser, demo):
    page = browser.open(demo / "report.html", motion="no-preference")
    page.get_by_label("Lambda").first.press("End")
    line = page.locator(".answer > li:not([hidden])").first
    assert line.evaluate("line => line.style.viewTransitionName").startswith("topic-1-0-")
    # Only one topic has names at a time: the browser takes a picture of each.
    page.get_by_label("Lambda").nth(1).press("End")
    assert line.evaluate("line => line.style.viewTransitionName") in ("", "none")
    assert browser.complaints == []


@pytest.mark.parametrize(("name", "width", "scheme"), [*product(("both", "report"), (380, 1280), ("light", "dark"))])
def test_axe_finds_no_violation_and_nothing_hangs_over_the_edge(browser, demo, name, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = browser.open(demo / f"{name}.html", width=width, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    page.get_by_label("Lambda").first.press("End")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_scores_unfold_and_lead_to_the_topics(browser, measured, tmp_path):
    path = tmp_path / "selectors.html"
    path.write_text(page(measured), encoding="utf-8")
    shown = browser.open(path)
    shown.get_by_text("Means, significance, and scores by topic").click()
    expect(shown.locator("#scores").locator("..").locator("table:visible")).to_have_count(3)
    shown.locator("#scores").locator("..").get_by_role("link").first.click()
    assert shown.evaluate("location.hash") == "#topic-1"
    assert browser.complaints == []


def test_tables_sort_by_value_and_say_so(browser, path):
    browser.open(path)
    browser.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    table = "document.querySelector('#scores').parentElement.querySelector('table')"
    column = f"[...{table}.tBodies[0].rows].map(row => Number(row.cells[1].dataset.value))"
    before = browser.page.evaluate(column)
    for order, reverse in (("descending", True), ("ascending", False)):
        browser.page.evaluate(f"{table}.tHead.rows[0].cells[1].querySelector('button').click()")
        assert browser.page.evaluate(f"{table}.tHead.rows[0].cells[1].getAttribute('aria-sort')") == order
        assert browser.page.evaluate(column) == sorted(before, reverse=reverse)
    assert len(set(before)) == 2


def test_colours_follow_the_system_until_one_is_chosen(browser, path):
    browser.open(path, scheme="dark")
    dark = browser.page.evaluate(BACKGROUND)
    browser.open(path, scheme="light")
    light = browser.page.evaluate(BACKGROUND)
    assert light == "rgb(255, 255, 255)" != dark
    theme = "document.getElementById('theme')"
    choose = f"{theme}.value = '{{}}'; {theme}.dispatchEvent(new Event('change'))"
    browser.page.evaluate(choose.format("dark"))
    assert browser.page.evaluate(BACKGROUND) == dark
    for _ in range(20):  # the choice is remembered; the browser stores it asynchronously
        browser.open(path, scheme="light")
        if browser.page.evaluate(BACKGROUND) == dark:
            break
        time.sleep(0.1)
    assert browser.page.evaluate(BACKGROUND) == dark
    browser.page.evaluate(choose.format(""))
    assert browser.page.evaluate(BACKGROUND) == light


@pytest.mark.parametrize("width", [380, 1280])
def test_runs_are_side_by_side_where_there_is_room(browser, path, width):
    browser.open(path, width=width)
    tops = browser.page.evaluate("[...document.querySelectorAll('.topic article')].slice(0, 2).map(a => a.offsetTop)")
    assert (tops[0] == tops[1]) == (width > 380)  # side by side, or one below the other


def test_hostile_text_does_nothing(browser, tmp_path, report_of):
    text = "</script><script>window.hostile=1</script><img src=x onerror='window.hostile=1'>\u202e$x"
    topic = Topic(text, text, (Document(text, text, title=text),), summaries=(text,))
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
    path = tmp_path / "hostile.html"
    path.write_text(page(report_of({text: [summary]}, [topic])), encoding="utf-8")
    browser.open(path)
    assert browser.page.evaluate("window.hostile") is None
    for place in (".topic h2", ".answer p", ".answer blockquote mark", "h3 bdi"):
        assert browser.page.evaluate(f"document.querySelector('{place}').textContent") == text
    assert browser.complaints == []


def test_of_many_topics_one_is_shown_at_a_time(browser, tmp_path):
    shown = [
        ShownTopic(f"q{i}", f"Do newts sing {i} times?", runs={"A": RunSummary(f"Newts sing {i} times.")})
        for i in range(30)
    ]
    path = tmp_path / "many.html"
    path.write_text(page(Report(("A",), tuple(shown))), encoding="utf-8")
    opened = browser.open(path, width=390)
    topics = opened.locator("main > .topic:visible")
    expect(topics).to_have_count(0)
    # The list, and not what it lists, is what a reader sees first.
    assert opened.evaluate("document.documentElement.scrollHeight") < 1500
    opened.get_by_label("Find a topic").fill("sing 2")
    expect(opened.locator("nav .topics > li:visible")).to_have_count(12)
    opened.get_by_role("link", name="Do newts sing 20 times?").press("Enter")
    expect(topics).to_have_count(1)
    expect(topics).to_contain_text("Newts sing 20 times.")
    opened.get_by_role("button", name="Next").press("Enter")
    expect(topics).to_contain_text("Newts sing 21 times.")
    opened.get_by_role("button", name="Previous").click()
    expect(topics).to_contain_text("Newts sing 20 times.")
    opened.get_by_role("button", name="All topics").click()
    expect(topics).to_have_count(0)
    for number in (2, 25):
        opened.get_by_label(f"Print: Do newts sing {number} times?").check()
    opened.emulate_media(media="print")
    expect(topics).to_have_count(2)
    expect(topics.nth(1)).to_contain_text("Newts sing 25 times.")
    assert browser.complaints == []
