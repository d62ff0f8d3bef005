"""A page of HTML, taken apart as strictly as a browser is lenient."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "meta", "link", "img", "hr", "input"}
HEADINGS = {"h1": 1, "h2": 2, "h3": 3}


@dataclass
class Cell:
    text: str = ""
    numbers: list = field(default_factory=list)  # of <data> in it, as they are exactly
    head: str | None = None  # the scope of a head


class Page(HTMLParser):
    """Elements must be closed in order; ids must be unique; tables are found by how their caption begins."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.tables, self.headings, self.bdi = [], [], [], [], []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, self.open
        ids = [attributes["id"] for _, attributes in self.elements if "id" in attributes]
        assert len(ids) == len(set(ids))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), attrs
        self.elements.append((tag, attributes))
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append({"caption": "", "lines": []})
        elif tag == "tr":
            self.tables[-1]["lines"].append([])
        elif tag in ("td", "th"):
            self.tables[-1]["lines"][-1].append(Cell(head=attributes.get("scope")))
            assert tag == "td" or attributes["scope"] in ("row", "col")
        elif tag == "data" and self._cell is not None:
            self._cell.numbers.append(float(attributes["value"]))
        elif tag == "bdi":
            self.bdi.append("")
        elif tag in HEADINGS:
            self.headings.append(HEADINGS[tag])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open, tag
        assert self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if "bdi" in self.open:
            self.bdi[-1] += data
        if self._cell is not None:
            self._cell.text += data
        elif "caption" in self.open:
            self.tables[-1]["caption"] += data

    @property
    def _cell(self):
        inside = "td" in self.open or "th" in self.open
        return self.tables[-1]["lines"][-1][-1] if inside else None

    def table(self, caption):
        """The lines under the head of the table whose caption begins so."""
        found = [table for table in self.tables if table["caption"].startswith(caption)]
        assert len(found) == 1, [table["caption"] for table in self.tables]
        return found[0]["lines"][1:]

    def has(self, caption):
        return any(table["caption"].startswith(caption) for table in self.tables)

    def words(self):
        return " ".join(self.text.split())


def taken_apart(text):
    """The page, after looking whether it is a sound one: of itself, small, with rules for the dark and for paper."""
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    assert len(text.encode()) < 2_000_000
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    for tag, attributes in page.elements:
        assert tag not in ("script", "link", "iframe", "object", "embed", "img", "base", "form", "video"), tag
        for name, value in attributes.items():
            assert not name.startswith("on"), name
            if name in ("src", "href", "xlink:href", "action", "data", "srcset"):
                assert value.startswith("#"), value
            assert name.startswith("xmlns") or "://" not in (value or ""), (name, value)
    assert not re.search(r"@import|url\((?!#)", text)
    assert [n for n in page.headings if n == 1] == [1]
    assert all(b <= a + 1 for a, b in zip([0, *page.headings], page.headings, strict=False))
    assert ("html", {"lang": "en", "dir": "ltr"}) in page.elements
    pictures = [attributes for tag, attributes in page.elements if tag == "svg"]
    assert all(one["role"] == "img" and one["aria-labelledby"] for one in pictures)
    return page
