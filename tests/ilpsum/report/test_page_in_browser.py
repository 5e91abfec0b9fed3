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
    assert browser.value("document.querySelectorAll('.topic').length") == 2
    assert browser.complaints() == []


def test_a_sentence_opens_by_mouse_and_by_keyboard(browser, path):
    browser.open(path)
    assert browser.value(OPENED) == 0
    browser.value("document.querySelector('.sentences button').click()")
    assert browser.value(OPENED) == 1
    assert browser.value("document.querySelector('.panel blockquote mark').textContent").startswith("Ferns need")
    browser.value("document.querySelectorAll('.sentences button')[1].focus()")
    browser.press("Enter")
    assert browser.value(OPENED) == 2
    browser.press("Space")
    assert browser.value(OPENED) == 1
    assert browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.value("document.getElementById('all').click()")
    assert browser.value(OPENED) == browser.value("document.querySelectorAll('.panel').length") == 4
    assert browser.complaints() == []


def test_tables_sort_by_value_and_say_so(browser, path):
    browser.open(path)
    table = "document.querySelector('#scores').parentElement.querySelector('table')"
    column = f"[...{table}.tBodies[0].rows].map(row => Number(row.cells[1].dataset.value))"
    before = browser.value(column)
    for order, reverse in (("descending", True), ("ascending", False)):
        browser.value(f"{table}.tHead.rows[0].cells[1].querySelector('button').click()")
        assert browser.value(f"{table}.tHead.rows[0].cells[1].getAttribute('aria-sort')") == order
        assert browser.value(column) == sorted(before, reverse=reverse)
    assert len(set(before)) == 2


def test_colours_follow_the_system_until_one_is_chosen(browser, path):
    browser.open(path, scheme="dark")
    dark = browser.value(BACKGROUND)
    browser.open(path, scheme="light")
    light = browser.value(BACKGROUND)
    assert light == "rgb(255, 255, 255)" != dark
    theme = "document.getElementById('theme')"
    choose = f"{theme}.value = '{{}}'; {theme}.dispatchEvent(new Event('change'))"
    browser.value(choose.format("dark"))
    assert browser.value(BACKGROUND) == dark
    for _ in range(20):  # the choice is remembered; the browser stores it asynchronously
        browser.open(path, scheme="light")
        if browser.value(BACKGROUND) == dark:
            break
        time.sleep(0.1)
    assert browser.value(BACKGROUND) == dark
    browser.value(choose.format(""))
    assert browser.value(BACKGROUND) == light


@pytest.mark.parametrize("width", [380, 1280])
def test_nothing_hangs_over_the_edge(browser, path, width):
    browser.open(path, width=width)
    browser.value("document.getElementById('all').click()")
    assert browser.value("document.documentElement.scrollWidth") <= width
    tops = browser.value("[...document.querySelectorAll('.topic article')].slice(0, 2).map(a => a.offsetTop)")
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
    assert browser.value("window.hostile") is None
    for place in (".topic h3", ".sentences button", ".panel blockquote mark", "h4 bdi"):
        assert browser.value(f"document.querySelector('{place}').textContent") == text
    assert browser.complaints() == []
