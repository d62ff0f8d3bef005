"""What tests of the page do in a browser."""

import re
import shutil

import pytest

IN_A_BROWSER = [
    pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium to open the page in"),
    pytest.mark.xdist_group("browser"),
]


def numbers(text):
    return [float(found.replace("−", "-")) for found in re.findall(r"[−-]?\d+(?:\.\d+)?(?:e[−-]?\d+)?", text)]


def settled(page):
    """When nothing more is awaited."""
    page.wait_for_selector("main[aria-busy=false]")
    return page
