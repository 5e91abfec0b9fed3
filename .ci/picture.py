"""Write the pictures of README and docs (`make picture`): the reading room, and the reports of the
demo.

The reports are of two runs, first its result, then the texts of a topic, and of a sweep.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import sync_playwright

QUESTION, COMPARED = (
    "Does mirolone heal leg ulcers?",
    "Does gentamicin release zinc from lysosomes of kidney cells?",
)
DOCS = Path(__file__).parents[1] / "docs"
ILPSUM = (sys.executable, "-m", "ilpsum")


def room(browser: Any, folder: str) -> None:
    """Serve the demo, ask, take the pictures, and print the height of each page."""
    command = [*ILPSUM, "serve", "--port", "0", "--index", folder, "--quiet"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own command
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    # On a desk, and the whole page on a telephone, which experiments/results/page.md compares with
    # an earlier page.
    for name, question, width, height, whole in (
        ("reading-room", QUESTION, 1200, 760, False),
        ("screens/home-1280", "", 1280, 900, False),
        ("screens/after-1280", COMPARED, 1280, 900, False),
        ("screens/after-390", COMPARED, 390, 844, True),
    ):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"{address}?question={quote(question)}&words=120" if question else address)
        page.wait_for_selector(".line.opening" if question else ".home")
        page.screenshot(path=DOCS / f"{name}.png", full_page=whole)
        print(name, page.evaluate("document.documentElement.scrollHeight"))
    server.terminate()
    server.wait(30)


def report(browser: Any, folder: str) -> None:
    """Compare the demo's run with a greedy one, and sweep lambda; take the pictures of result, texts and sweep."""
    topics, sweep = f"{folder}/topics", Path(folder, "sweep.toml")
    sweep.write_text(
        'system = "concepts"\n[parameters]\nmethod = ["ilp", "greedy"]\nlambda = "path"\n'
    )
    greedy = ["summarize", topics, "--system", "greedy", "--team", "GREEDY", "--out", folder]
    both = [
        "report",
        f"{folder}/DEMO1",
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
    for command in (["demo", "--out", folder], greedy, both, swept, shown):
        subprocess.run([*ILPSUM, *command, "--quiet"], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    page = browser.new_page(viewport={"width": 1280, "height": 560}, reduced_motion="reduce")
    page.goto(Path(folder, "r.html").as_uri())
    page.screenshot(path=DOCS / "report.png")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_label("Gold summar").first.check()
    page.locator("#topics tbody a").first.click()
    page.evaluate("document.activeElement.blur()")
    page.screenshot(path=DOCS / "report-texts.png")
    page.goto(Path(folder, "s.html").as_uri())
    page.screenshot(path=DOCS / "report-sweep.png")


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
