"""Write the pictures of README and docs (`make picture`): the reading room, and the reports of the
demo. Needs Pillow.

The reports are of two runs, first its result, then the texts of a topic, and of a sweep.
"""

import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import sync_playwright

YES_NO = "Does mirolone heal leg ulcers?"
STATES = {
    "home": "",
    "answer": "How does gentamicin kill kidney tubule cells?",
    "yes-no": YES_NO,
    "weak": "Is mirolone cheaper than surgery?",
    "none": "Does carpet cleaning prevent scabies?",
    "waiting": "Which genes cause newt pox?",
    "printed": YES_NO,
}
COMPARED = "Does gentamicin release zinc from lysosomes of kidney cells?"
DOCS = Path(__file__).parents[1] / "docs"
ILPSUM = (sys.executable, "-m", "ilpsum")
COLOURS = 256
# Sheets show pages smaller than they are.
SCALE = 0.6


def save(picture: bytes | Image.Image, name: str) -> None:
    """Write a picture with few colours, which takes a third of the bytes."""
    image = Image.open(io.BytesIO(picture)) if isinstance(picture, bytes) else picture
    few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(DOCS / f"{name}.png", optimize=True)


def sheet(browser: Any, address: str, state: str) -> None:
    """Write one state of the room: on a desk and on a telephone, light and dark; what is printed
    is light.
    """
    tiles = []
    is_printed = state == "printed"
    for width, height in ((1280, 900), (390, 900)):
        for scheme in ("light",) if is_printed else ("light", "dark"):
            page = browser.new_page(
                viewport={"width": 794 if is_printed else width, "height": height},
                color_scheme=scheme,
                device_scale_factor=SCALE,
                reduced_motion="reduce",
            )
            page.goto(address)
            if state == "waiting":
                page.route("**/?question=*", lambda _route: None)
                page.route("**/api/stage*", lambda route: route.fulfill(body="searching PubMed"))
            if STATES[state]:
                page.get_by_label("Question").fill(STATES[state])
                page.get_by_label("Question").press("Enter")
                page.wait_for_selector("#status button" if state == "waiting" else ".said")
            if is_printed:
                page.emulate_media(media="print")
            tiles.append(Image.open(io.BytesIO(page.screenshot(full_page=is_printed))))
            page.close()
        if is_printed:
            break
    gap = 12
    width = sum(tile.width for tile in tiles) + gap * (len(tiles) - 1)
    joined = Image.new("RGB", (width, max(tile.height for tile in tiles)), "#888")
    left = 0
    for tile in tiles:
        joined.paste(tile, (left, 0))
        left += tile.width + gap
    save(joined, f"screens/{state}")


def room(browser: Any, folder: str) -> None:
    """Serve the demo, ask, take the pictures, and print the height of each page."""
    command = [*ILPSUM, "serve", "--port", "0", "--index", folder, "--quiet"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own command
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    page = browser.new_page(viewport={"width": 1200, "height": 760})
    page.goto(f"{address}?question={quote(YES_NO)}&words=120")
    save(page.screenshot(), "reading-room")
    # The heights that experiments/results/page.md compares with those of an earlier page.
    for width in (1280, 390):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(f"{address}?question={quote(COMPARED)}&words=120")
        print(width, page.evaluate("document.documentElement.scrollHeight"))
    for state in STATES:
        sheet(browser, address, state)
    server.terminate()
    server.wait(30)


def report(browser: Any, folder: str) -> None:
    """Compare ILP-SUM-2 with GR-SUM-2, and sweep lambda; take the pictures of result, texts and sweep."""
    topics, sweep = f"{folder}/topics", Path(folder, "sweep.toml")
    sweep.write_text(
        'system = "concepts"\n[parameters]\nmethod = ["ilp", "greedy"]\nlambda = "path"\n'
    )
    ilp = ["summarize", topics, "--system", "ilp-sum-2", "--team", "ILP", "--out", folder]
    greedy = ["summarize", topics, "--system", "gr-sum-2", "--team", "GREEDY", "--out", folder]
    both = [
        "report",
        f"{folder}/ILP1",
        f"{folder}/GREEDY1",
        "--gold",
        topics,
        "--baseline",
        f"{folder}/GREEDY1",
        "--out",
        f"{folder}/r.html",
    ]
    swept = ["sweep", str(sweep), "--topics", topics, "--out", f"{folder}/swept"]
    shown = ["report", f"{folder}/swept", "--out", f"{folder}/s.html"]
    for command in (["demo", "--out", folder], ilp, greedy, both, swept, shown):
        subprocess.run([*ILPSUM, *command, "--quiet"], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    page = browser.new_page(viewport={"width": 1280, "height": 560}, reduced_motion="reduce")
    page.goto(Path(folder, "r.html").as_uri())
    save(page.screenshot(), "report")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_label("Gold summar").first.check()
    page.locator("#topics tbody a").first.click()
    page.evaluate("document.activeElement.blur()")
    save(page.screenshot(), "report-texts")
    page.goto(Path(folder, "s.html").as_uri())
    save(page.screenshot(), "report-sweep")


def main() -> None:
    """Take both."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        room(browser, folder)
        report(browser, folder)
        browser.close()


if __name__ == "__main__":
    main()
