"""EPUB books: web pages in an archive, in the order of the book's spine."""

from __future__ import annotations

import posixpath
import urllib.parse
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.archives import open_archive, read_entry
from corpus.readers.decoding import decode
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements
from corpus.readers.markup import Node, iso_utc, name_of, parse_xml
from corpus.readers.pinned_file import Pictures, data_picture
from corpus.readers.protocol import Step
from corpus.readers.web.html import Flow, tree_of

_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_PICTURE_BYTES = 50_000_000
"""Maximum size of a picture, in bytes."""
_SHEET_BYTES = 1_000_000
"""Maximum size of a style sheet, in bytes."""
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])
"""Control characters that XML forbids."""


def read_epub(path: Path) -> Iterator[Step]:
    """Yield blocks with heading paths. Raises UnreadableDocument if the file is damaged, encrypted or not in EPUB
    format."""
    with open_archive(path, "EPUB", definitions=True) as archive:
        if read_entry(archive, "META-INF/encryption.xml") and read_entry(archive, "META-INF/rights.xml"):
            raise UnreadableDocument("encrypted by the seller's copy protection")
        package, folder = _package(archive)
        about = _about(package)
        yield from steps_of(_elements(archive, package, folder, about), about)


def _package(archive: ZipFile) -> tuple[Node, str]:
    container = read_entry(archive, "META-INF/container.xml")
    roots = [] if container is None else list(parse_xml(container).iter("{*}rootfile"))
    name = posixpath.normpath(roots[0].get("full-path") or "") if roots else ""
    data = read_entry(archive, name)
    if data is None:
        raise UnreadableDocument("damaged: it cannot be read as an EPUB")
    return parse_xml(data), posixpath.dirname(name)


def _about(package: Node) -> About:
    def value(element: str) -> str | None:
        for node in package.iter(f"{{http://purl.org/dc/elements/1.1/}}{element}"):
            if node.text and node.text.strip():
                return str(node.text.strip())
        return None

    return About(title=value("title"), author=value("creator"), document_date=_date(value("date")))


def _date(text: str | None) -> str | None:
    try:
        return iso_utc(datetime.fromisoformat(text)) if text else None
    except ValueError:
        return f"{text[:4]}-01-01T00:00:00+00:00" if text and text[:4].isdecimal() and len(text) == 4 else None


def _elements(archive: ZipFile, package: Node, folder: str, about: About) -> Elements:
    """Yield the elements page by page. Missing and damaged pages are counted in a warning."""
    items = {item.get("id"): item for item in package.iter("{*}item")}
    unreadable, guesses = 0, dict[str, None]()
    for key in dict.fromkeys(each.get("idref") for each in package.iter("{*}itemref")):  # each page only once
        item = items.get(key)
        if item is None or item.get("media-type") not in _PAGES or _is_contents(item):
            continue
        name = _inside(folder, item.get("href") or "")
        data = read_entry(archive, name)
        try:
            text, warnings = decode(data or b"")
            root = None if data is None else tree_of(text)
            guesses |= dict.fromkeys(warnings)
        except UnreadableDocument:
            root = None
        if root is None:
            unreadable += 1
            continue
        _with_sheets(root, archive, posixpath.dirname(name))
        yield from Flow(about, _pictures(archive, posixpath.dirname(name))).elements(root)
    about.warnings.extend(guesses)
    if unreadable:
        about.warnings.append(f"{unreadable} of its pages {'is' if unreadable == 1 else 'are'} missing or damaged.")


def _with_sheets(root: Node, archive: ZipFile, folder: str) -> None:
    """Replace links to style sheets in the book with the text of these style sheets."""
    for link in list(root.iter("link")):
        if "stylesheet" not in (link.get("rel") or "").lower():
            continue
        data = read_entry(archive, _inside(folder, link.get("href") or ""), _SHEET_BYTES)
        if data:
            media = link.get("media") or "all"
            link.clear()
            link.tag, link.text = "style", decode(data).text.translate(_CONTROLS)
            link.set("media", media)


def _is_contents(item: Node) -> bool:
    return name_of(item) == "item" and "nav" in (item.get("properties") or "").split()


def _pictures(archive: ZipFile, folder: str) -> Pictures:
    def picture(address: str) -> bytes | None:
        if address.startswith("data:"):
            return data_picture(address)
        return read_entry(archive, _inside(folder, address), _PICTURE_BYTES) if address else None

    return picture


def _inside(folder: str, address: str) -> str:
    """Return the name of an archive entry. For an address outside the archive, return a name that does not exist."""
    return posixpath.normpath(posixpath.join(folder, urllib.parse.unquote(address.split("#", maxsplit=1)[0])))
