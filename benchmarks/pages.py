"""What people look at: the lab in a browser, the report of a large model.

python benchmarks/pages.py [--json FILE] [--markdown FILE] [--only WORD]
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measuring import best, main, report

HEADLESS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
HEADLESS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
SCRUB = """async ({ steps, move }) => {
  const frames = [];
  const next = () => new Promise((done) => requestAnimationFrame(done));
  let before = await next();
  for (let step = 0; step < steps; step++) {
    move === "scrub" ? scrubbed(step / steps) : document.getElementById(move).click();
    const now = await next();
    frames.push(now - before);
    before = now;
  }
  return frames;
  function scrubbed(share) {
    const range = document.getElementById("scrub");
    range.value = Math.round(share * range.max);
    range.dispatchEvent(new Event("input"));
  }
}"""


def noisy(rows=500, passes=53):
    """Points that cannot be separated, and so many passes that about 10 000 mistakes are made."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 2)).round(2)
    y = np.where((X[:, 0] + X[:, 1] > 0) ^ (rng.random(rows) < 0.3), "p", "n")
    return "#p=" + ";".join(f"{a:g},{b:g}{label}" for (a, b), label in zip(X, y, strict=True)) + f"&passes={passes}&t=0"


def bench_lab():
    """The slowest of many frames while 10 000 mistakes on 500 points are stepped and scrubbed; and how soon it is there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=HEADLESS)
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        with subprocess.Popen(
            [sys.executable, "-m", "novikoff", "lab", "--no-browser"], stdout=subprocess.PIPE, text=True
        ) as lab:
            address = re.search(r"http://\S+", lab.stdout.readline())[0]
            began = time.perf_counter()
            page.goto(address)
            page.wait_for_selector("main[aria-busy=false] #words:not(:empty)")
            page.click("#mistake")
            usable = time.perf_counter() - began
            page.goto("about:blank")
            page.goto(address + noisy())
            page.wait_for_selector("main[aria-busy=false] #words:not(:empty)")
            mistakes = int(page.get_attribute("#scrub", "max"))
            for move in ("scrub", "mistake", "example"):
                rounds = [page.evaluate(SCRUB, {"steps": 200, "move": move}) for _ in range(3)]
                slowest = min(max(frames) for frames in rounds)
                note = f"{mistakes:,} mistakes on 500 points, 200 frames; the middle one took {np.median(rounds):.0f} ms"
                report(f"lab: the slowest frame, by {move}", slowest, 50, "ms", at_least=False, note=note)
            report("lab: from its first line to the first step in the page", usable, 1, "s", at_least=False)
            lab.terminate()
        browser.close()


def bench_report():
    """A report on a model of 200 000 rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 30))
    y = np.where(X @ rng.normal(size=30) + rng.normal(size=len(X)) > 0, 1, 0)
    with tempfile.TemporaryDirectory() as folder:
        data, model, page = (str(Path(folder) / name) for name in ("data.npz", "model.nvk", "report.html"))
        np.savez(data, X=X, y=y)
        novikoff = [sys.executable, "-m", "novikoff"]
        subprocess.run([*novikoff, "fit", data, "-o", model, "-q"], check=True)
        (took,) = best(
            lambda: subprocess.run([*novikoff, "report", model, data, "-o", page], check=True, capture_output=True), rounds=3
        )
        report("novikoff report, 200 000 × 30", took, 10, "s", at_least=False, note=f"{Path(page).stat().st_size / 1e6:.2f} MB")


BENCHES = [bench_lab, bench_report]

if __name__ == "__main__":
    main(BENCHES, __doc__)
