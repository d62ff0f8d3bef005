"""The pictures of the guide: `python docs/making/pictures.py` draws the plots, opens the lab in Chromium, and writes them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
from playwright.sync_api import sync_playwright

from novikoff import Perceptron, max_margin, plot, separate
from novikoff.data import datasets

DOCS = Path(__file__).resolve().parents[1]
HEADLESS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
HEADLESS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
# name, width, height, preset, mistake
PICTURES = [
    ("lab-xor", 1600, 1040, "xor", 3),
    ("lab-proof", 1600, 1040, "and", 99),
    ("lab-phone", 380, 1240, "circles", 25),
]


def plots() -> None:
    """The proof closing, and the two kinds of certificates."""
    plt.rcParams |= {"svg.hashsalt": "novikoff", "font.size": 9, "figure.facecolor": "white"}
    X, y = datasets.boolean("and", 2)
    figure = plt.figure(figsize=(8, 5.6), layout="constrained")
    plot.proof(Perceptron().fit(X, y).facts(X, y, u="widest"), ax=figure.add_subplot())
    figure.savefig(DOCS / "plots-proof.svg", metadata={"Date": None})
    X, y, _ = datasets.gaussian_pair(60, 2, margin=0.15, seed=1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    plot.certificate(max_margin(X, y), X, y, ax=left)
    X, y, _ = datasets.with_label_noise(X, y, 0.05)
    plot.certificate(separate(X, y), X, y, ax=right)
    figure.savefig(DOCS / "plots-certificates.svg", metadata={"Date": None})


def main() -> None:
    plots()
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
