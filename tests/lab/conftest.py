"""A browser, and the lab in it."""

import re
import shutil
import subprocess
import sys

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium")
HEADLESS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
HEADLESS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="module")
def address():
    command = [sys.executable, "-m", "novikoff", "lab", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        yield re.search(r"http://\S+", lab.stdout.readline())[0]
        lab.terminate()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=HEADLESS)
        yield opened
        opened.close()


@pytest.fixture
def at(address, browser):
    """Open the page at some address; afterwards there was no error in its console, and it asked nobody but its server."""
    wrong, contexts = [], []

    def open_at(state="", width=1600, height=1000, **how):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **how))
        page = contexts[-1].new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console", lambda said: wrong.append(said.text) if said.type == "error" and "status of 4" not in said.text else None
        )
        page.on("request", lambda request: None if request.url.startswith((address, "data:")) else wrong.append(request.url))
        page.goto(address + state)
        page.wait_for_selector("#words:not(:empty)")
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert wrong == []
