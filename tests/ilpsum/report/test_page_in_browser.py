"""The page in a headless browser: it shows, opens, sorts, changes colour, and makes no network requests."""

import time

import pytest

from ilpsum.records import Document, RunSettings, Sentence, Summary, Topic
from ilpsum.report import page

OPENED = "document.querySelectorAll('.panel').length - [...document.querySelectorAll('.panel')].filter(" \
    "p => getComputedStyle(p).display === 'none').length"  # fmt: skip
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


def test_a_sentence_opens_by_mouse_and_by_keyboard(browser, path):
    browser.open(path)
    assert browser.page.evaluate(OPENED) == 0
    browser.page.evaluate("document.querySelector('.sentences button').click()")
    assert browser.page.evaluate(OPENED) == 1
    assert browser.page.evaluate("document.querySelector('.panel blockquote mark').textContent").startswith(
        "Ferns need"
    )
    browser.page.evaluate("document.querySelectorAll('.sentences button')[1].focus()")
    browser.page.keyboard.press("Enter")
    assert browser.page.evaluate(OPENED) == 2
    browser.page.keyboard.press("Space")
    assert browser.page.evaluate(OPENED) == 1
    assert browser.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.page.evaluate("document.getElementById('all').click()")
    assert browser.page.evaluate(OPENED) == browser.page.evaluate("document.querySelectorAll('.panel').length") == 4
    assert browser.complaints == []


def test_tables_sort_by_value_and_say_so(browser, path):
    browser.open(path)
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
def test_nothing_hangs_over_the_edge(browser, path, width):
    browser.open(path, width=width)
    browser.page.evaluate("document.getElementById('all').click()")
    assert browser.page.evaluate("document.documentElement.scrollWidth") <= width
    tops = browser.page.evaluate("[...document.querySelectorAll('.topic article')].slice(0, 2).map(a => a.offsetTop)")
    assert (tops[0] == tops[1]) == (width > 380)  # side by side, or one below the other


def test_hostile_text_does_nothing(browser, tmp_path, report_of):
    text = "</script><script>window.hostile=1</script><img src=x onerror='window.hostile=1'>\u202e$x"
    topic = Topic(text, text, (Document(text, text, title=text),), summaries=(text,))
    sentence = Sentence(text, text, 0, len(text), 1, text, 0.5, text, text)
    settings = RunSettings(text, "ilp", 9, solver=text, coherence=(text,), order=text, format=text, model=text)
    summary = Summary(
        text, (sentence,), text, (sentence,), (0,), text, 1.0, 1.0, 0.0, text, settings=settings, warnings=(text,)
    )
    path = tmp_path / "hostile.html"
    path.write_text(page(report_of({text: [summary]}, [topic])), encoding="utf-8")
    browser.open(path)
    assert browser.page.evaluate("window.hostile") is None
    for place in (".topic h3", ".sentences button", ".panel blockquote mark", "h4 bdi"):
        assert browser.page.evaluate(f"document.querySelector('{place}').textContent") == text
    assert browser.complaints == []
