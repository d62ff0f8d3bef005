"""The guide: its shell commands print what it says, it can be built, and it loads nothing from elsewhere."""

import doctest
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest

from console import Console, commands
from novikoff.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "commands.md").read_text()
FIGURES = ROOT / "benchmarks" / "figures.json"


@pytest.mark.parametrize(
    "page", [page for page in (ROOT / "docs").rglob("*.md") if commands(page.read_text())], ids=lambda page: page.stem
)
@pytest.mark.filterwarnings("ignore")
def test_commands_print_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    console, checker = Console(), doctest.OutputChecker()
    for command, shown in commands(page.read_text()):
        printed = console.run(command)
        assert checker.check_output(shown, printed, doctest.ELLIPSIS), f"$ {command}\n{printed}"


def test_every_command_has_its_place():
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
    there = set(main.list_commands(click.Context(main)))
    assert there <= set(sections)
    run = {command.rpartition(" | ")[2].split()[1] for command, _ in commands(PAGE) if "novikoff " in command}
    assert there - {"completion", "lab"} <= run  # a script for shells, and a page that is served until it is stopped


@pytest.fixture
def pictures(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import pictures

    yield pictures
    del sys.modules["pictures"]


def test_the_benchmarks_and_their_pictures_are_those_of_the_figures(pictures):
    rows = json.loads(FIGURES.read_text())["rows"]
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    for name, drawing in pictures.drawn(rows).items():
        assert (ROOT / "docs" / name).read_text() == drawing
        assert f"]({name})" in page
    for row in rows:
        assert f"| {row['what']} | {row['value']:.3g} {row['unit']} |" in page


def test_every_figure_is_in_one_picture_and_bars_grow_with_it(pictures):
    rows = json.loads(FIGURES.read_text())["rows"]
    together = "".join(pictures.drawn(rows).values())
    assert together.count("<rect class=") == len(rows)
    assert together.count('<rect class="short"') == sum(not row["reached"] for row in rows)
    row = {"what": "a < b", "unit": "×", "bar": 2.0, "at least": True, "reached": True, "note": ""}
    drawings = ["".join(pictures.drawn([row | {"value": value}]).values()) for value in (2.0, 4.0)]
    narrow, wide = (float(re.search(r'<rect class="reached"[^>]* width="([\d.]+)"', drawing)[1]) for drawing in drawings)
    assert narrow < wide
    assert all("a &lt; b" in drawing for drawing in drawings)


class Loads(HTMLParser):
    """What a page has the browser fetch, and what it links to."""

    def __init__(self):
        super().__init__()
        self.fetched, self.linked, self.names = set(), set(), set()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.names |= {attrs[name] for name in ("id", "name") if attrs.get(name)}
        if tag == "a":
            self.linked.add(attrs.get("href") or "")
        elif tag == "link" and attrs.get("rel") not in ("canonical", "next", "prev"):
            self.fetched.add(attrs.get("href") or "")
        elif tag != "link":
            self.fetched.add(attrs.get("src") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    assert done.returncode == 0, done.stderr
    pages = {}
    for path in folder.rglob("*.html"):
        pages[path] = Loads()
        pages[path].feed(path.read_text())
    return folder, pages


@pytest.mark.xdist_group("guide")  # it is built once
def test_the_guide_loads_nothing_from_elsewhere(site):
    folder, pages = site
    assert len(pages) > 40
    for path, page in pages.items():
        for address in page.fetched - {""}:
            assert not re.match(r"(\w+:)?//", address), f"{path.relative_to(folder)} loads {address}"
    for style in folder.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(?:https?:)?//", style.read_text()), style


@pytest.mark.xdist_group("guide")  # it is built once
def test_every_link_of_the_guide_leads_somewhere(site):
    folder, pages = site
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for address in page.linked:
            target, _, name = address.partition("#")
            if re.match(r"\w+:", target):
                continue
            found = path if target == "" else Path(os.path.normpath(path.parent / target))
            assert found.exists() or target == ".", f"{path.relative_to(folder)}: {address}"
            if name and found in pages:
                assert name in pages[found].names, f"{path.relative_to(folder)}: {address}"


@pytest.mark.xdist_group("guide")  # it is built once
def test_everything_public_is_in_the_reference(site):
    import novikoff

    folder, _ = site
    reference = "".join(path.read_text() for path in (folder / "api").glob("*.html"))
    things = [getattr(novikoff, name) for name in set(novikoff.__all__) - {"plot"}]
    for thing in things + [getattr(novikoff.plot, name) for name in novikoff.plot.__all__]:
        assert f'id="{thing.__module__}.{thing.__qualname__}"' in reference, thing
