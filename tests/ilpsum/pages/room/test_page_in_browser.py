"""The reading room in a headless browser: by mouse, by keyboard, narrow, dark, and checked by axe-core."""

import io
import threading
from itertools import product

import pytest

from ilpsum.pages.room import application

expect = pytest.importorskip("playwright.sync_api").expect

QUESTION = "How does gentamicin kill kidney tubule cells?"
LINES = "a.quoted"


@pytest.fixture(scope="module")
def address(room):
    """The address of a real server."""
    import asyncio
    import socket

    import uvicorn

    # Playwright's own event loop runs in this thread.
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        application(room, hosts=frozenset({"127.0.0.1"})), log_level="error", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    server.should_exit = True
    thread.join()
    listener.close()


def texts(page):
    return page.locator(LINES).all_inner_texts()


def asked(browser, address, **options):
    page = browser.open(address, **options)
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(LINES)
    return page


def test_a_question_is_answered_in_place_and_its_address_reproduces_it(browser, address):
    page = asked(browser, address)
    found = texts(page)
    assert len(found) > 1
    assert "question=How" in page.url
    page.goto(page.url)
    assert texts(page) == found
    assert page.title() == QUESTION
    assert browser.complaints == []


def test_a_quotation_leads_to_its_source_and_asks_nothing_again(browser, address):
    page = asked(browser, address)
    asking = []
    page.on("request", lambda request: asking.append(request.url))
    page.locator(LINES).first.click()
    page.wait_for_url("**#*")
    expect(page.locator(":target")).to_be_in_viewport()
    page.wait_for_timeout(200)
    assert asking == []


def test_sliders_move_along_the_optimum_by_keyboard(browser, address):
    page = asked(browser, address)
    before = texts(page)
    words = page.get_by_label("Length")
    words.focus()
    for _ in range(32):
        words.press("ArrowLeft")
    expect(page.locator(LINES)).not_to_have_count(len(before))
    page.wait_for_url("**words=40*")
    expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")
    assert sum(len(text.split()) for text in texts(page)) <= 40
    page.get_by_label("Focus or breadth").press("End")
    page.wait_for_url("**lambda=1*")
    expect(page.locator("#lambda-value")).to_have_text("1")
    page.get_by_text("How this answer was made").click()
    expect(page.locator(".notes p").filter(has_text="objective")).to_contain_text("gap")
    assert browser.complaints == []


def test_a_sentence_is_barred_and_the_choice_undone(browser, address):
    page = asked(browser, address)
    before = texts(page)
    page.locator(".why summary").nth(1).click()
    link = page.get_by_role("link", name="Exclude").nth(1)
    link.evaluate("link => link.scrollIntoView({ block: 'center' })")
    top = link.bounding_box()["y"]
    link.click()
    page.wait_for_selector(".left-out[open]")
    assert before[1] not in texts(page)
    # The next sentence is where the barred one was.
    assert abs(page.get_by_role("link", name="Exclude").nth(1).bounding_box()["y"] - top) < 2
    page.get_by_role("link", name="Undo").click()
    page.wait_for_url(lambda url: "bar=" not in url)
    expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")
    assert texts(page) == before
    page.go_back()
    expect(page.get_by_role("link", name="Undo")).to_be_visible()
    assert browser.complaints == []


def test_an_error_is_said_in_place_of_the_answer(browser, address):
    page = asked(browser, address)
    page.evaluate(
        "document.querySelector('#words').max = 600; document.querySelector('#words').value = 600"
    )
    page.get_by_label("Question").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("500")
    assert texts(page) == []
    page.evaluate("document.querySelector('#words').value = 100")
    page.get_by_label("Question").press("Enter")
    page.wait_for_selector(LINES)


def test_the_page_works_without_a_script(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    before = texts(page)
    page.get_by_role("link", name="Exclude").first.click()
    assert before[0] not in texts(page)
    context.close()


@pytest.mark.parametrize(("width", "scheme"), list(product((360, 1280), ("light", "dark"))))
def test_axe_finds_no_violation_and_nothing_hangs_over_the_edge(browser, address, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = asked(browser, address, width=width, scheme=scheme)
    page.get_by_role("link", name="Exclude").first.click()
    page.wait_for_selector(".left-out[open]")
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_sentences_move_where_motion_is_welcome(browser, address):
    page = asked(browser, address, motion="no-preference")
    page.get_by_role("link", name="Exclude").nth(1).click()
    page.wait_for_selector(".left-out[open]")
    assert page.evaluate(
        "document.querySelector('[data-place]').style.viewTransitionName"
    ).startswith("s-")
    assert browser.complaints == []


def test_no_answer_stands_under_another_question_and_a_slow_one_can_be_stopped(browser, address):
    page = asked(browser, address)
    page.route("**/?question=Which*", lambda _route: None)
    page.get_by_label("Question").fill("Which newts sing?")
    page.get_by_label("Question").press("Enter")
    expect(page.locator("main")).to_be_empty()
    stop = page.get_by_role("button", name="Stop")
    expect(page.locator("#status")).to_contain_text("…")
    stop.click()
    expect(page.get_by_role("alert")).to_contain_text("You stopped the search.")
    page.unroute("**/?question=Which*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".state")).not_to_be_empty()


def test_a_server_that_is_gone_is_said_in_place_of_the_answer(browser, address):
    page = asked(browser, address)
    page.route("**/?question=*", lambda route: route.abort())
    page.get_by_label("Question").fill("Which newts sing?")
    page.get_by_label("Question").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The server does not respond.")
    assert texts(page) == []


def test_filters_history_and_copies(browser, address):
    page = asked(browser, address)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy with references").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert texts(page)[0] in copied
    assert "PMID: 9000" in copied
    page.locator(".why summary").first.click()
    page.get_by_role("button", name="Copy with citation").first.click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.startsWith('“'))")
    page.get_by_label("Order").select_option("newest first")
    years = page.locator("article").evaluate_all(
        "all => all.map((article) => Number(article.dataset.year))"
    )
    assert years == sorted(years, reverse=True)
    page.get_by_text("Which studies may be quoted").click()
    page.get_by_label("From the year").fill("2012")
    page.get_by_label("From the year").press("Tab")
    page.wait_for_url("**since=2012*")
    expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")
    years = page.locator("article").evaluate_all(
        "all => all.map((article) => Number(article.dataset.year))"
    )
    assert min(years) >= 2012
    browser.open(address)
    page.get_by_text("Questions you asked").click()
    page.get_by_role("link", name=QUESTION).first.click()
    page.wait_for_selector(LINES)
    page.get_by_text("Questions you asked").click()
    page.get_by_role("button", name="Clear it").click()
    expect(page.get_by_text("Questions you asked")).to_be_hidden()


def test_enter_in_a_filter_asks_once(browser, address):
    page = asked(browser, address)
    page.get_by_text("Which studies may be quoted").click()
    before, requests = page.evaluate("history.length"), []
    page.on("request", lambda request: requests.append(request.url))
    page.get_by_label("From the year").fill("2012")
    page.get_by_label("From the year").press("Enter")
    expect(page.locator("#searched")).to_contain_text("Only studies since 2012.")
    expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")
    assert page.evaluate("history.length") == before + 1
    assert len([url for url in requests if "/?question" in url]) == 1


def test_on_a_telephone_the_answer_comes_first(browser, address):
    page = asked(browser, address, width=390)
    assert page.locator(".lead").bounding_box()["y"] <= 350
    expect(page.get_by_label("Length")).to_be_hidden()
    page.get_by_text("Length and studies").click()
    expect(page.get_by_label("Length")).to_be_visible()
    page.get_by_label("Question").fill(" ".join(["Does velin help newts in winter?"] * 6))
    assert page.get_by_label("Question").evaluate(
        "field => field.scrollHeight <= field.clientHeight"
    )
    assert page.get_by_label("Question").evaluate("field => field.scrollWidth <= field.clientWidth")
    wide = asked(browser, address)
    expect(wide.get_by_label("Length")).to_be_visible()
    expect(wide.get_by_text("Length and studies")).to_be_hidden()


def test_an_answer_prints_with_what_is_folded_and_without_controls(browser, address):
    from pypdf import PdfReader

    page = asked(browser, address)
    data = PdfReader(io.BytesIO(page.pdf(format="A4")))
    text = " ".join(" ".join(each.extract_text() for each in data.pages).split())
    assert len(data.pages) <= 2
    assert text.startswith(QUESTION)
    for part in ("Chosen: ", "Left out: ", "objective", "Records found"):
        assert part in text
    for part in ("Copy", "Pin", "Exclude", "Export", "the whole text", "Order"):
        assert part not in text
    page.emulate_media(media="print")
    assert (
        page.locator("mark").first.evaluate("mark => getComputedStyle(mark).printColorAdjust")
        == "exact"
    )
    expect(page.locator("button:visible")).to_have_count(0)


def test_records_found_are_sorted_by_year_and_strength(browser, address):
    page = asked(browser, address)
    page.get_by_text("records found, quoted or not").click()
    rows = page.locator(".records tbody tr")
    assert rows.count() > page.locator("article").count()
    page.get_by_role("button", name="year").click()
    years = [int(year) for year in rows.locator("td:nth-child(3)").all_inner_texts()]
    assert years == sorted(years, reverse=True)
    page.locator(".records").get_by_role("link", name="[1]").click()
    expect(page.locator("#source1")).to_be_in_viewport()
    assert browser.complaints == []


def test_two_tabs_have_the_same_answer_and_asking_twice_asks_once(browser, address):
    page = asked(browser, address)
    found, requests = texts(page), []
    other = page.context.new_page()
    other.goto(page.url)
    assert texts(other) == found
    page.on("request", lambda request: requests.append(request.url))
    page.get_by_label("Question").fill("Does mirolone heal leg ulcers?")
    # In one step: the answer may come before a second key is pressed.
    page.get_by_label("Question").evaluate(
        "field => [1, 2].forEach(() => field.form.requestSubmit())"
    )
    expect(page.locator(".state")).to_contain_text("quoted from")
    assert len([url for url in requests if "/?question" in url]) == 1
    page.go_back()
    expect(page.locator(LINES).first).to_have_text(found[0])
    assert texts(other) == found


def test_the_page_holds_at_twice_the_size_of_text(browser, address):
    page = asked(browser, address, width=640)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
