"""The house stays tidy: what the documents say is so, and nothing is imported before it is needed."""

import ast
import doctest
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import novikoff

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FACTS = dict(re.findall(r"^## (F\d+) (.*?)(?=^## |\Z)", (ROOT / "docs" / "theory.md").read_text(), re.DOTALL | re.MULTILINE))


def test_every_citation_is_in_the_bibliography():
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "references.bib").read_text()))
    cited = {
        key.strip()
        for path in [*SOURCES, *PAGES]
        for keys in re.findall(r"\[((?:[a-z]+\d{4}[a-z]+(?:; )?)+)\]", path.read_text())
        for key in keys.split(";")
    }
    assert cited == known


def test_every_fact_quoted_is_explained():
    quoted = {fact for path in SOURCES for fact in re.findall(r"\bF\d+\b", path.read_text())}
    assert quoted <= set(FACTS)


def defined(path):
    """Every function and class of a file, wherever in it."""
    kinds = ast.FunctionDef, ast.ClassDef
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)}


@pytest.mark.parametrize("fact", FACTS)
def test_every_fact_has_its_code_and_its_test(fact):
    for kind, folder in (("code", "src/novikoff/"), ("test", "tests/")):
        (line,) = re.findall(rf"^- {kind}: (.*)$", FACTS[fact], re.MULTILINE)
        links = re.findall(r"\[([\w/.]+)::(\w+)\]\(\.\./([\w/.]+)\)", line)
        assert len(links) == line.count("](") > 0
        for path, name, target in links:
            assert path == target
            assert path.startswith(folder)
            assert name in defined(ROOT / path), f"{path} has no {name}"
            assert name.startswith("test_") == (kind == "test")


def test_the_architecture_page_lists_the_rooms_of_the_import_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    rooms = [room.strip() for layer in layers for room in layer.split(":") if room != "__main__"]
    page = (ROOT / "ARCHITECTURE.md").read_text()
    assert re.findall(r"^\| `(\w+)/` \| .+\. \|$", page, re.MULTILINE) == rooms
    assert sorted(rooms) == sorted(path.parent.name for path in (ROOT / "src" / "novikoff").glob("*/__init__.py"))
    for siblings in (layer for layer in layers if ":" in layer):
        assert all(f"`{room.strip()}/`" in page.split("do not import each other")[0] for room in siblings.split(":"))
    for path in re.findall(r"`([\w/]+\.py)`", page):
        assert list((ROOT / "src" / "novikoff").rglob(path)) or (ROOT / path).is_file() or "yours" in path, path


def test_the_folders_of_the_tests_mirror_the_rooms():
    tests, source = ROOT / "tests", ROOT / "src" / "novikoff"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")} - {Path(), Path("fuzz")}
    assert {folder.parts[0] for folder in folders} == {path.parent.name for path in source.glob("*/__init__.py")}
    assert not [str(folder) for folder in folders if not (source / folder / "__init__.py").exists()]


def test_modules_of_tests_and_benchmarks_have_names_of_their_own():
    """All their folders are on `sys.path` at once, so of two modules with one name only the first would be imported."""
    paths = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
    names = [path.name for path in paths if path.name != "conftest.py"]
    assert len(names) == len(set(names))


def test_nobody_outside_assigns_to_the_attributes_of_a_learner():
    for path in SOURCES:
        if "learning" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                owner = ast.unparse(node.value).rpartition(".")[2]
                assert owner not in {"learner", "_learner", "team"}, f"{path.name}:{node.lineno}"


def blocks(page):
    """The blocks of a page that are Python: as it is written in files, and as it is typed, with what comes out."""
    return re.findall(r"```(python|pycon)\n(.*?)```", page.read_text(), re.DOTALL)


REGISTERING = ROOT / "docs" / "adding-a-rule.md"  # a rule is there for all of a process


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page) and page != REGISTERING], ids=lambda page: page.name)
@pytest.mark.filterwarnings("ignore")
def test_code_in_the_documents_runs(page):
    names = {}
    for kind, block in blocks(page):
        if kind == "python":
            exec(block, names)
        else:
            typed = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            told = []
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(typed, out=told.append, clear_globs=False)
            assert not told, "".join(told)
            names = typed.globs


def test_the_rule_that_is_added_in_the_documents_works():
    code = "\n".join(block for _, block in blocks(REGISTERING))
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_readme_is_one_screen():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 45


def test_everything_public_is_there():
    for name in novikoff.__all__:
        assert getattr(novikoff, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        novikoff.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import novikoff", ["numpy", "numba", "sklearn", "rich"]),
        ("import novikoff.learning.learner, novikoff.learning.losses", ["numba", "sklearn", "rich"]),
        ("import novikoff.models.model, novikoff.estimators.online_learner", ["numba", "sklearn", "rich", "river", "onnx"]),
        ("from novikoff import Perceptron", ["numba", "rich", "sklearn.model_selection"]),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code, absent):
    check = f"{code}\nimport sys\nassert not [m for m in {absent!r} if m in sys.modules]"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_road_costs_are_found_or_refused():
    run = subprocess.run([sys.executable, ROOT / "examples" / "road_costs.py"], check=True, capture_output=True, text=True)
    assert re.search("together: costs were found.*\nat odds: no costs can explain them", run.stdout)
    assert len((ROOT / "examples" / "road_costs.py").read_text().splitlines()) < 60


def test_feature_maps_are_compared():
    example = ROOT / "examples" / "feature_maps.py"
    run = subprocess.run([sys.executable, example, "2000"], check=True, capture_output=True, text=True)
    right = [float(share) for share in re.findall(r"([\d.]+)%", run.stdout)]
    _, quadratic, *_ = right[:6]
    raw, _, *curved = right[6:]
    assert len(right) == 12
    assert quadratic > 95
    assert min(curved) > 90 > raw
    assert len(example.read_text().splitlines()) < 60


def test_demo_runs():
    run = subprocess.run([sys.executable, ROOT / "examples" / "demo.py"], check=True, capture_output=True, text=True)
    assert "stopped for: clean pass" in run.stdout
