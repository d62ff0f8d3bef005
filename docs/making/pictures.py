"""The pictures of the lab in the guide: `python docs/making/pictures.py` opens it in Chromium and writes them again."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parents[1]
HEADLESS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
HEADLESS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
# name, width, height, preset, mistake
PICTURES = [
    ("lab-xor", 1600, 1040, "xor", 3),
    ("lab-proof", 1600, 1040, "and", 99),
    ("lab-phone", 380, 1240, "circles", 25),
]


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=HEADLESS)
        with subprocess.Popen(
            [sys.executable, "-m", "novikoff", "lab", "--no-browser"], stdout=subprocess.PIPE, text=True
        ) as lab:
            address = re.search(r"http://\S+", lab.stdout.readline())[0]
            for name, width, height, preset, mistake in PICTURES:
                page = browser.new_page(viewport={"width": width, "height": height})
                page.goto(address)
                page.wait_for_selector("main[aria-busy=false]")
                page.select_option("#preset", preset)
                page.wait_for_selector("main[aria-busy=false]")
                page.locator("#scrub").fill(str(mistake))
                page.wait_for_selector("main[aria-busy=false]")
                page.mouse.move(0, 0)
                page.locator("#scrub").blur()
                page.screenshot(path=DOCS / f"{name}.png")
            lab.terminate()
        browser.close()


if __name__ == "__main__":
    main()
