"""The reading room in a headless browser: by mouse, by keyboard, narrow, dark, and checked by axe-core."""

import contextlib
import io
import re
import threading
from datetime import date
from itertools import product
from urllib.parse import urlencode

import pytest

from ilpsum import Judge
from ilpsum.pages.room import Session, application
from tests.ilpsum.learning.judging.conftest import standin  # noqa: F401  # a fixture
from tests.ilpsum.learning.judging.standin import Fault

expect = pytest.importorskip("playwright.sync_api").expect

QUESTION = "How does gentamicin kill kidney tubule cells?"
LINES = "a.quoted"


@pytest.fixture(scope="module")
def address(room):
    """The address of a real server."""
    with serving(room) as address:
        yield address


@contextlib.contextmanager
def serving(room):
    """Run a real server; gives its address."""
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


def opened(page, chip):
    """Open a chip, and return its form."""
    chips = page.locator(".chip").filter(has=page.locator("summary", has_text=chip))
    chips.locator("summary").click()
    return chips.locator(".pop")


def settled(page):
    expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")


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


def test_a_sentence_and_its_place_in_the_source_light_up_and_the_page_stays(browser, address):
    page = asked(browser, address)
    asking = []
    page.on("request", lambda request: asking.append(request.url))
    line = page.locator(".line").nth(1)
    line.hover()
    mark = page.locator("aside mark.lit")
    expect(mark).to_have_count(1)
    expect(mark).to_be_in_viewport()
    top = page.evaluate("scrollY")
    line.locator("sup a").click()
    expect(mark).to_be_in_viewport()
    assert page.evaluate("scrollY") == top
    page.locator("aside mark").first.hover()
    expect(page.locator(".line.lit")).to_have_count(1)
    assert asking == []
    assert browser.complaints == []


def test_sliders_move_along_the_optimum_by_keyboard(browser, address):
    page = asked(browser, address)
    before = texts(page)
    opened(page, "200 words")
    words = page.get_by_label("Length of the answer")
    words.focus()
    for _ in range(32):
        words.press("ArrowLeft")
    expect(page.locator(LINES)).not_to_have_count(len(before))
    page.wait_for_url("**words=40*")
    settled(page)
    expect(page.locator("output.words-value")).to_have_text("40 words")
    assert sum(len(text.split()) for text in texts(page)) <= 40
    page.get_by_text("How this answer was made").click()
    focus = page.get_by_label("Breadth or focus")
    before = float(focus.input_value())
    for _ in range(8):
        focus.press("ArrowLeft")
    page.wait_for_url(f"**lambda={before - 0.04:.2f}*")
    settled(page)
    # Each answer brings a new slider, on which the keyboard stays.
    expect(page.get_by_label("Breadth or focus")).to_be_focused()
    page.get_by_label("Breadth or focus").press("End")
    page.wait_for_url("**lambda=1*")
    settled(page)
    expect(page.locator("output.lambda-value")).to_have_text("1")
    expect(page.locator(".notes")).to_contain_text("no other choice of this length scores more")
    assert browser.complaints == []


def act(page, number, name):
    """Click a control of a sentence, which the sentence opens."""
    line = page.locator(".said .line").nth(number)
    line.locator(".quoted").click()
    line.get_by_role("link", name=name).click()


def test_the_controls_of_a_sentence_open_a_row_that_covers_nothing(browser, address):
    page = asked(browser, address)
    first, second = page.locator(".said .line").nth(0), page.locator(".said .line").nth(1)
    for line in (first, second):
        line.locator(".quoted").click()
        expect(page.locator(".acts:visible")).to_have_count(1)
    row = second.locator(".acts").bounding_box()
    for text in page.locator(LINES).all():
        boxes = text.evaluate(
            "one => [...one.getClientRects()].map((box) => [box.top, box.bottom])"
        )
        assert all(end <= row["y"] + 1 or top >= row["y"] + row["height"] - 1 for top, end in boxes)
    second.locator(".quoted").click()
    expect(page.locator(".acts:visible")).to_have_count(0)


def test_a_sentence_is_barred_and_the_choice_undone(browser, address):
    page = asked(browser, address)
    before = texts(page)
    act(page, 1, "Exclude")
    page.locator(".left-out").get_by_role("link", name="Undo").wait_for()
    assert before[1] not in texts(page)
    page.locator(".left-out").get_by_role("link", name="Undo").click()
    page.wait_for_url(lambda url: "bar=" not in url)
    settled(page)
    assert texts(page) == before
    page.go_back()
    expect(page.locator(".left-out").get_by_role("link", name="Undo")).to_be_visible()
    assert browser.complaints == []


def test_a_pinned_sentence_shows_it_and_is_unpinned(browser, address):
    page = asked(browser, address)
    before = texts(page)
    act(page, 1, "Pin")
    page.wait_for_url("**keep=*")
    settled(page)
    line = page.locator(".line:has(.pinned)")
    expect(line.locator(".quoted")).to_have_css("text-decoration-line", "underline")
    line.get_by_role("link", name="Unpin").click()
    page.wait_for_url(lambda url: "keep=" not in url)
    settled(page)
    assert texts(page) == before


def test_the_tools_are_at_most_ten_stops_of_the_tab_key_away(browser, address):
    page = asked(browser, address)
    page.locator(LINES).first.focus()
    stops = 0
    while not page.evaluate("!!document.activeElement.closest('.tools')"):
        page.keyboard.press("Tab")
        stops += 1
        assert stops <= 10
    page.locator(LINES).first.focus()
    # The arrow keys lead to the controls of a sentence.
    page.keyboard.press("ArrowRight")
    expect(page.locator(".line .acts a").first).to_be_focused()


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
    line = page.locator(".said .line").first
    line.hover()
    line.get_by_role("link", name="Exclude").click()
    assert before[0] not in texts(page)
    context.close()


@pytest.mark.parametrize(("width", "scheme"), list(product((360, 1280), ("light", "dark"))))
def test_axe_finds_no_violation_and_nothing_hangs_over_the_edge(browser, address, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = asked(browser, address, width=width, scheme=scheme)
    act(page, 0, "Exclude")
    page.locator(".left-out").get_by_role("link", name="Undo").wait_for()
    page.evaluate(
        "document.querySelectorAll('main details').forEach((part) => { part.open = true; })"
    )
    opened(page, "Advanced")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_sentences_move_where_motion_is_welcome(browser, address):
    page = asked(browser, address, motion="no-preference")
    act(page, 1, "Exclude")
    page.locator(".left-out").get_by_role("link", name="Undo").wait_for()
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


def years_of(page):
    facts = page.locator("aside .source > summary > .meta").all_inner_texts()
    return [int(fact.split(" · ")[0]) for fact in facts]


def test_filters_history_and_copies(browser, address):
    page = asked(browser, address)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".tools").get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert texts(page)[0] in copied
    assert "PMID: 9000" in copied
    # What is copied says what it is.
    assert f"{QUESTION} — Answer; " in copied
    page.locator(".line .quoted").first.click()
    page.locator(".line .acts").first.get_by_role("button", name="Copy").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.startsWith('“'))")
    opened(page, "Any year")
    asking = []
    page.on("request", lambda request: asking.append(request.url))
    year = page.get_by_label("From the year")
    year.press_sequentially("20")
    page.wait_for_timeout(200)
    assert asking == []
    year.press_sequentially("12")
    page.wait_for_url("**since=2012*")
    settled(page)
    assert min(years_of(page)) >= 2012
    expect(page.locator(".chip.set summary")).to_have_text("Since 2012")
    browser.open(address)
    opened(page, "History")
    page.get_by_role("link", name=QUESTION).first.click()
    page.wait_for_selector(LINES)
    opened(page, "History")
    page.get_by_role("button", name="Clear it").click()
    expect(page.locator("#history")).to_be_hidden()


def test_enter_in_a_filter_asks_once(browser, address):
    page = asked(browser, address)
    opened(page, "Any year")
    before, requests = page.evaluate("history.length"), []
    page.on("request", lambda request: requests.append(request.url))
    page.get_by_label("From the year").fill("2012")
    page.get_by_label("From the year").press("Enter")
    expect(page.locator(".chip.set summary")).to_have_text("Since 2012")
    settled(page)
    assert page.evaluate("history.length") == before + 1
    assert len([url for url in requests if "/?question" in url]) == 1


def test_on_a_telephone_the_answer_comes_first(browser, address):
    page = asked(browser, address, width=390)
    assert page.locator(".opening").bounding_box()["y"] <= 250
    expect(page.get_by_label("Length of the answer")).to_be_hidden()
    opened(page, "200 words")
    expect(page.get_by_label("Length of the answer")).to_be_visible()
    page.get_by_label("Question").fill(" ".join(["Does velin help newts in winter?"] * 6))
    question = page.get_by_label("Question")
    assert question.evaluate("field => field.scrollHeight <= field.clientHeight")
    assert question.evaluate("field => field.scrollWidth <= field.clientWidth")


@pytest.mark.parametrize(("width", "scheme"), list(product((360, 1280), ("light", "dark"))))
def test_home_has_a_box_and_examples_and_nothing_else(browser, address, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = browser.open(address, width=width, scheme=scheme)
    expect(page.get_by_label("Question")).to_be_focused()
    expect(page.locator("input[type=range]:visible, select:visible")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    # An empty question moves the cursor to the box.
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_label("Question")).to_be_focused()


def test_an_answer_prints_with_what_is_folded_and_without_controls(browser, address):
    from pypdf import PdfReader

    page = asked(browser, address)
    data = PdfReader(io.BytesIO(page.pdf(format="A4")))
    text = " ".join(" ".join(each.extract_text() for each in data.pages).split())
    assert len(data.pages) <= 2
    assert text.startswith(QUESTION)
    assert text.index("Answer") < text.index("SOURCES")
    for part in ("PMID 9000", address):
        assert part in text
    for part in ("Copy", "Pin", "Exclude", "Word", "the whole text", "200 words"):
        assert part not in text
    page.emulate_media(media="print")
    sizes = "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    largest = max(page.locator("main :visible").evaluate_all(sizes))
    assert largest == page.locator(".printed.query").evaluate_all(sizes)[0]
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
    assert rows.count() > page.locator("aside .source").count()
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
    expect(page.locator(".state")).to_contain_text("sentences from")
    assert len([url for url in requests if "/?question" in url]) == 1
    page.go_back()
    expect(page.locator(LINES).first).to_have_text(found[0])
    assert texts(other) == found


def test_the_page_holds_at_twice_the_size_of_text(browser, address):
    page = asked(browser, address, width=640)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 640


def test_the_ranking_is_chosen_in_place_and_a_judge_that_fails_offers_the_other(
    browser,
    room,
    standin,  # noqa: F811
):
    standin.grade = lambda _question, sentence: 3 if "zinc" in sentence else 0
    judged = Session(room.search, judge=Judge(standin.url, "newt-7b"))
    with serving(judged) as address:
        page = asked(browser, address)
        by_judge = texts(page)
        assert page.get_by_text(f"Sentences graded by newt-7b at {standin.host}.").is_visible()
        choices = opened(page, "Ranked by: newt-7b")
        choices.get_by_label("the built-in ranking").check()
        expect(page.locator(".chip summary", has_text="Ranked by: built in")).to_be_visible()
        settled(page)
        built_in = texts(page)
        assert built_in != by_judge
        standin.faults = [Fault(401, b'{"error": "bad key"}')] * 9
        page.get_by_label("Question").fill("What protects the kidney?")
        # The chip has closed when the focus left it.
        opened(page, "Ranked by: built in").get_by_label("newt-7b").check()
        expect(page.get_by_role("alert")).to_contain_text("refused (status 401: 'bad key')")
        page.get_by_text("Answer with the built-in ranking").click()
        page.wait_for_selector(LINES)
        assert texts(page)


@pytest.fixture
def phone(chromium):
    """Opens an address on a telephone, which has no mouse: `phone(address, width)`."""
    contexts = []

    def open_(address, width):
        size = {"width": width, "height": 700}
        contexts.append(
            chromium.new_context(viewport=size, has_touch=True, reduced_motion="reduce")
        )
        page = contexts[-1].new_page()
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()


def answered(address, question=QUESTION, **settings):
    """The address of an answer."""
    return f"{address}?{urlencode({'question': question, **settings})}"


def test_what_is_printed_names_the_question_that_was_asked_last(browser, address):
    page = asked(browser, address)
    printed = page.locator("p.printed .address")
    expect(printed).to_have_text(page.url)
    expect(page.locator("p.printed:has(.address)")).to_contain_text(str(date.today().year))
    page.get_by_label("Question").fill("Does mirolone heal leg ulcers?")
    page.get_by_label("Question").press("Enter")
    page.wait_for_url("**mirolone*")
    settled(page)
    expect(printed).to_have_text(page.url)


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_a_long_question_leaves_the_screen_to_the_answer(browser, address, width):
    page = browser.open(address, width=width)
    page.get_by_label("Question").fill(" ".join([QUESTION] * 43))
    bar = "Math.max(0, document.querySelector('header').getBoundingClientRect().bottom)"
    page.get_by_label("Question").press("Enter")
    page.wait_for_selector(".said")
    assert page.evaluate(bar) <= 900 / 4
    page.mouse.wheel(0, 200)
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > 100
    assert page.evaluate(bar) <= 900 / 4
    # It unfolds while it is written, and still leaves half.
    page.get_by_label("Question").focus()
    assert page.evaluate(bar) <= 900 / 2


def test_escape_closes_a_chip_and_so_does_the_focus_beside_it(browser, address):
    page = asked(browser, address)
    form = opened(page, "Any year")
    page.get_by_label("From the year").focus()
    page.keyboard.press("Escape")
    expect(form).to_be_hidden()
    expect(page.locator("summary", has_text="Any year")).to_be_focused()
    opened(page, "Any year")
    page.get_by_role("button", name="Ask").focus()
    expect(form).to_be_hidden()


@pytest.mark.parametrize("width", [390, 320])
def test_a_finger_finds_every_target(phone, address, width):
    page = phone(answered(address), width)
    page.locator(".prose .quoted").first.tap()
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    small = page.evaluate(
        """[...document.querySelectorAll("a, button, summary, input, textarea")]
        .filter((one) => one.checkVisibility() && !one.matches(".quoted, .skip"))
        .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
        .filter(([, box]) => box.width < 24 || box.height < 24)
        .map(([what, box]) => `${what} ${box.width} x ${box.height}`)"""
    )
    assert small == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_tab_key_goes_through_an_answer_and_its_sources(browser, address, width):
    page = asked(browser, address)
    page.set_viewport_size({"width": width, "height": 844})
    page.locator(LINES).first.focus()
    focused = "document.activeElement.matches('body') ? 'lost' : document.activeElement.innerText"
    stops = []
    while len(stops) < 40 and page.evaluate("!document.activeElement.matches('.tools button')"):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(focused))
    assert "lost" not in stops
    assert stops[-1] == "Copy"
    assert set(texts(page)[1:]) <= set(stops)
    # In one column the source of a sentence stands below it, and is gone through, too.
    assert any("PMID" in stop for stop in stops) == (width == 390)


def test_a_source_number_is_on_the_line_of_its_word(browser, address):
    page = asked(browser, address)
    alone = """[...document.querySelectorAll(".line > sup a")].filter((number) => {
        const word = [...number.closest(".line").querySelector(".quoted").getClientRects()].at(-1);
        const { top, bottom } = number.getBoundingClientRect();
        return (top + bottom) / 2 > word.bottom;
    }).length"""
    # At some of so many widths, the last word of a sentence just fits.
    for width in range(340, 1280, 3):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(alone) == 0


@pytest.mark.parametrize("width", [390, 320])
def test_a_tap_on_a_sentence_shows_its_source_in_its_place(phone, address, width):
    page = phone(answered(address), width)
    sources = page.locator("aside .source").count()
    for line in page.locator(".said .line").all():
        line.locator(".quoted").tap()
        place = line.locator(".quoted").get_attribute("href")
        expect(line.locator(f"mark:has({place})")).to_be_in_viewport()
        expect(line.get_by_role("link", name="Pin")).to_be_visible()
        expect(page.locator("aside .source")).to_have_count(sources - 1)
    line.locator("sup a").first.tap()
    expect(page.locator("aside .source")).to_have_count(sources)
    numbers = page.locator("aside .source .place").all_inner_texts()
    assert numbers == [str(number) for number in range(1, sources + 1)]


@pytest.mark.parametrize("name", ["Pin", "Exclude"])
def test_the_label_stays_below_the_bar(browser, address, name):
    page = asked(browser, address, width=800)
    last = len(texts(page)) - 1
    for number in (last, 0):
        top = page.locator(".label").bounding_box()["y"]
        act(page, number, name)
        page.wait_for_url("**keep=*" if name == "Pin" else "**bar=*")
        settled(page)
        assert page.locator(".label").bounding_box()["y"] == top
    bar = page.locator("header").bounding_box()
    assert page.locator(".label").bounding_box()["y"] >= bar["y"] + bar["height"]


def test_what_is_left_out_has_titles_and_years(browser, address):
    page = asked(browser, address)
    # An answer of less than half of the words shows it.
    expect(page.locator(".left-out[open]")).to_have_count(1)
    for origin in page.locator(".left-out .meta").all_inner_texts():
        assert re.search(r"\. From \w+ \w+.*, 20\d\d ", origin), origin


def test_filters_that_leave_nothing_say_so_and_are_cleared(browser, address):
    page = browser.open(answered(address, kinds="guideline", words=100))
    expect(page.locator("main")).to_contain_text("The filters leave no answer.")
    assert texts(page) == []
    page.get_by_role("link", name="Clear the filters").click()
    page.wait_for_selector(LINES)
    assert "kinds" not in page.url
    assert "words=100" in page.url


def test_a_year_to_come_is_refused(browser, address):
    page = asked(browser, address)
    opened(page, "Any year")
    before = page.url
    page.get_by_label("From the year").press_sequentially("2035")
    assert page.get_by_label("From the year").evaluate("field => !field.validity.valid")
    assert page.url == before
    browser.open(answered(address, since=2035))
    expect(page.get_by_role("alert")).to_contain_text("No source is from 2035")
    expect(page.get_by_label("Question")).to_have_value(QUESTION)
    page.get_by_role("link", name="Clear the filters").click()
    page.wait_for_selector(LINES)


def test_a_corrected_word_is_said_and_searched_as_written_by_one_click(browser, address):
    page = browser.open(answered(address, "Does mirolone heal leg ulcres?"))
    said = page.locator(".corrected")
    expect(said).to_contain_text("Searched for 'ulcers' (you wrote 'ulcres').")
    said.get_by_role("link").click()
    page.wait_for_url("**exact=true*")
    settled(page)
    expect(said).to_have_count(0)
    page.go_back()
    expect(said).to_have_count(1)


def test_reviews_and_trials_are_chosen_beside_the_question(browser, address):
    page = browser.open(address)
    page.get_by_label("Reviews and trials").check()
    page.get_by_label("Question").fill("Does mirolone heal leg ulcers?")
    page.get_by_label("Question").press("Enter")
    page.wait_for_selector(LINES)
    assert "evidence=true" in page.url
    for source in page.locator("aside .source > summary").all():
        expect(source).to_contain_text(re.compile("trial|review|meta-analysis", re.IGNORECASE))
    sources = page.locator("aside .source").count()
    page.get_by_label("Reviews and trials").uncheck()
    page.wait_for_url(lambda url: "evidence" not in url)
    settled(page)
    assert page.locator("aside .source").count() > sources


def test_the_opening_says_from_what_kind_of_study_and_which_section_it_is(browser, address):
    page = browser.open(answered(address, "Does mirolone heal leg ulcers?", evidence="true"))
    facts = page.locator(".opening + .meta").inner_text().split(" · ")
    assert facts[:2] == ["Randomised trial", "2010"]
    assert facts[-1] in ("Findings", "Interpretation")
    page.get_by_text("How this answer was made").click()
    page.get_by_text("A language model as judge can rank better").click()
    expect(page.get_by_text("ilpsum serve --judge URL")).to_be_visible()
