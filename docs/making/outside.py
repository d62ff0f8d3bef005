"""A hook of mkdocs: what pages link to outside docs/ becomes a page of the site, and the links lead there.

On disk a link is relative to its file, as everywhere; in the site ARCHITECTURE.md is architecture.md, a file of code is
source/<its path>.md, and references.bib is references.md, to which every citation key is linked.
"""

import os
import re
from pathlib import Path
from typing import Any
from unicodedata import normalize

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TOP = {ROOT / f"{name}.md": f"{name.lower()}.md" for name in ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING")}
BIBLIOGRAPHY = ROOT / "references.bib"
NAMED = re.compile(r"\[([\w/.]+)::(\w+)\]\(([^)#\s]+)\)")
LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]+)")
CITATION = re.compile(r"\[((?:[a-z]+\d{4}[a-z]+(?:; )?)+)\](?!\()")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
ACCENTS = {"'": "\u0301", '"': "\u0308", "`": "\u0300", "^": "\u0302", "~": "\u0303"}
PLACES = "journal", "booktitle", "publisher", "howpublished", "note"
LANGUAGES = {".py": "python", ".bib": "bibtex", ".toml": "toml"}

_origins: dict[str, Path] = {}  # pages that are made here, and the files they are made of


def on_files(files: Any, config: Any) -> Any:
    _origins.clear()
    for path, page in TOP.items():
        _origins[page] = path
        files.append(File.generated(config, page, content=path.read_text()))
    _origins["references.md"] = BIBLIOGRAPHY
    files.append(File.generated(config, "references.md", content=_bibliography(BIBLIOGRAPHY.read_text())))
    texts = [(path, path.read_text()) for path in [*DOCS.rglob("*.md"), *TOP]]
    linked = {target for path, text in texts for link in LINK.findall(text) if (target := _target(path, link)).is_file()}
    for path in sorted(linked - set(TOP) - {BIBLIOGRAPHY}):
        if path.is_relative_to(ROOT) and not path.is_relative_to(DOCS):
            page = _page(path)
            _origins[page] = path
            name = path.relative_to(ROOT).as_posix()
            fence = f'````{LANGUAGES.get(path.suffix, "text")} linenums="1"'
            code = f"# {name}\n\n{fence}\n{path.read_text()}````\n"
            files.append(File.generated(config, page, content=f"---\nsearch:\n  exclude: true\n---\n\n{code}"))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links as the site needs them, outside of blocks of code."""
    here = page.file.src_uri
    if here.startswith("source/"):
        return markdown
    origin = _origins.get(here, DOCS / here)
    pieces = FENCE.split(markdown)
    pieces[::2] = [_relinked(piece, origin, here) for piece in pieces[::2]]
    return "".join(pieces)


def _relinked(text: str, origin: Path, here: str) -> str:
    def moved(found: re.Match[str]) -> str:
        target = _target(origin, found[1])
        return _from(here, _page(target)) if target.is_relative_to(ROOT) else found[1]

    def cited(found: re.Match[str]) -> str:
        links = [f"[{key}]({_from(here, 'references.md')}#{key})" for key in found[1].split("; ")]
        return f"\\[{'; '.join(links)}\\]"

    def with_line(found: re.Match[str]) -> str:
        lines = _target(origin, found[3]).read_text().splitlines()
        line = next(i for i, line in enumerate(lines, 1) if re.match(rf"\s*(def|class) {found[2]}\b", line))
        return f"[{re.sub('^(src/novikoff|tests)/', '', found[1])}::{found[2]}]({found[3]}#__codelineno-0-{line})"

    if origin == BIBLIOGRAPHY:
        return text
    return CITATION.sub(cited, LINK.sub(moved, NAMED.sub(with_line, text)))


def _target(origin: Path, link: str) -> Path:
    return Path(os.path.normpath(origin.parent / link))


def _page(path: Path) -> str:
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS).as_posix()
    return "references.md" if path == BIBLIOGRAPHY else TOP.get(path, f"source/{path.relative_to(ROOT).as_posix()}.md")


def _from(here: str, there: str) -> str:
    return os.path.relpath(there, os.path.dirname(here) or ".").replace(os.sep, "/")


def _bibliography(bib: str) -> str:
    """The entries of the bibliography, one a heading, so that keys can be linked to."""
    said = ["# References", "", "What is cited by the code and these pages, by its key."]
    for key, entry in re.findall(r"@\w+\{(\w+),\n(.*?)\n\}", bib, re.DOTALL):
        fields = {name: _plain(text) for name, text in re.findall(r"(\w+)\s*=\s*\{(.*)\}", entry)}
        place = next(
            (fields[name] for name in ("journal", "booktitle", "publisher", "howpublished", "note") if name in fields), ""
        )
        numbers = ", ".join(fields[name].replace("--", "–") for name in ("volume", "pages") if name in fields)
        where = " ".join(filter(None, [place, numbers]))
        author = fields.get("author", "").replace(" and ", "; ")
        said += ["", f"## {key} {{ #{key} }}", "", f"{author} ({fields.get('year', '')}). *{fields.get('title', '')}*. {where}."]
    return "\n".join(said) + "\n"


def _plain(text: str) -> str:
    """TeX's accents as letters, without braces."""
    accented = re.sub(r"\\(['\"`^~])\{?(\w)\}?", lambda found: normalize("NFC", found[2] + ACCENTS[found[1]]), text)
    return re.sub(r"[{}]", "", accented)
