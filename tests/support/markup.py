"""HTML as tests look at it: elements with their attributes and text, ids, and addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))


@dataclass
class Element:
    """An element of a page."""

    tag: str
    attributes: dict[str, str]
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Text inside, white space folded."""
        return " ".join("".join(self.pieces).split())

    def __getitem__(self, name: str) -> str:
        return self.attributes.get(name, "")


class Page(HTMLParser):
    """A parsed page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self._pieces: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an element that closes itself."""
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and what was left open in it."""
        if any(element.tag == tag for element in self._open):
            while self._open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Give text to all that it is in."""
        self._pieces.append(data)
        for element in self._open:
            element.pieces.append(data)

    @property
    def text(self) -> str:
        """All text, white space folded; style sheets and scripts are in it."""
        return " ".join("".join(self._pieces).split())

    def all(self, tag: str, kind: str = "") -> list[Element]:
        """All elements of a tag, and of a class where one is given."""
        return [
            element
            for element in self.elements
            if element.tag == tag and (not kind or kind in element["class"].split())
        ]

    @property
    def ids(self) -> list[str]:
        """All ids, in order."""
        return [element["id"] for element in self.elements if "id" in element.attributes]

    def addresses(self) -> list[tuple[str, str]]:
        """All that the page links to or loads, with the tag that does; style sheets in it too."""
        found = []
        for element in self.elements:
            for name in ("href", "src", "srcset", "poster", "action", "data", "xlink:href"):
                if name in element.attributes:
                    found.append((element.tag, element[name]))
            styles = [element["style"], element.text if element.tag == "style" else ""]
            for style in styles:
                found += [(element.tag, address) for address in re.findall(r"url\(\s*['\"]?([^'\")]*)", style)]
                found += [(element.tag, address) for address in re.findall(r"@import\s+['\"]([^'\"]*)", style)]
        return found

    def asked_of_others(self) -> list[tuple[str, str]]:
        """Addresses that are neither inside the page nor data."""
        return [
            (tag, address) for tag, address in self.addresses() if address and not address.startswith(("#", "data:"))
        ]
