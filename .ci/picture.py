"""Write the picture of the README: the reading room with an answer from the demo's abstracts (`make picture`)."""

import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import sync_playwright

QUESTION = "How does gentamicin kill kidney tubule cells?"
PICTURE = Path(__file__).parents[1] / "docs" / "reading-room.png"


def main() -> None:
    """Serve the demo, ask, and take the picture."""
    with tempfile.TemporaryDirectory() as index, sync_playwright() as playwright:
        command = [sys.executable, "-m", "ilpsum", "serve", "--port", "0", "--index", index, "--quiet"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own command
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 760})
        page.goto(f"{address}?question={quote(QUESTION)}&words=80")
        page.wait_for_selector("#lambda-stops line", state="attached")
        page.screenshot(path=PICTURE)
        browser.close()
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
