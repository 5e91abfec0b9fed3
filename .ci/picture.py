"""Write the pictures of README and docs: the reading room, and the report of two runs of the demo (`make picture`)."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import sync_playwright

QUESTION = "Does gentamicin release zinc from lysosomes of kidney cells?"
DOCS = Path(__file__).parents[1] / "docs"
ILPSUM = (sys.executable, "-m", "ilpsum")


def room(browser: Any, folder: str) -> None:
    """Serve the demo, ask, take the pictures, and print the height of each page."""
    command = [*ILPSUM, "serve", "--port", "0", "--index", folder, "--quiet"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own command
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    # On a desk, and the whole page on a telephone, which experiments/results/page.md compares with an earlier page.
    pictures = (("reading-room", 1200, 760, False), ("screens/after-1280", 1280, 900, False))
    for name, width, height, whole in (*pictures, ("screens/after-390", 390, 844, True)):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"{address}?question={quote(QUESTION)}&words=120")
        page.wait_for_selector(".lead")
        page.screenshot(path=DOCS / f"{name}.png", full_page=whole)
        print(name, page.evaluate("document.documentElement.scrollHeight"))
    server.terminate()
    server.wait(30)


def report(browser: Any, folder: str) -> None:
    """Compare the demo's run with a greedy one, and take the picture with a slider moved."""
    greedy = ["summarize", f"{folder}/topics", "--system", "greedy", "--team", "GREEDY", "--out", folder]
    both = ["report", f"{folder}/DEMO1", f"{folder}/GREEDY1", "--gold", f"{folder}/topics", "--out", f"{folder}/r.html"]
    for command in (["demo", "--out", folder], greedy, both):
        subprocess.run([*ILPSUM, *command, "--quiet"], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    page = browser.new_page(viewport={"width": 1200, "height": 760}, reduced_motion="reduce")
    page.goto(Path(folder, "r.html").as_uri())
    for _ in range(5):
        page.get_by_label("Words").first.press("ArrowLeft")
    page.evaluate("document.activeElement.blur()")
    page.screenshot(path=DOCS / "report.png")


def main() -> None:
    """Take both."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        room(browser, folder)
        report(browser, folder)
        browser.close()


if __name__ == "__main__":
    main()
