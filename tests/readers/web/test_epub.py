"""Books: pages in the order of the spine, under their headings, with their pictures."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from corpus.errors import UnreadableDocument
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>Pumps</dc:title><dc:creator>Ann</dc:creator><dc:date>2024-05-01</dc:date></metadata><manifest>
<item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>
<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>
<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
<spine><itemref idref="n"/><itemref idref="b"/><itemref idref="a"/><itemref idref="gone"/></spine></package>"""
PAGE = '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'


def book(folder: Path, **entries: str | bytes) -> Path:
    files: dict[str, str | bytes] = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": PACKAGE,
        "OEBPS/one.xhtml": PAGE.format("<h1>Care</h1><p>Oil it.</p>"),
        "OEBPS/two.xhtml": PAGE.format("<h1>Start</h1><p>Open.</p><img src='img/a.png' alt='The valve'/>"),
        "OEBPS/nav.xhtml": PAGE.format("<p>Contents</p>"),
        "OEBPS/img/a.png": drawn_picture(),
    }
    with ZipFile(folder / "a.epub", "w") as archive:
        for name, data in (files | entries).items():
            archive.writestr(name, data)
    return folder / "a.epub"


def test_a_book_is_read_in_the_order_of_its_spine(tmp_path: Path, read: Read) -> None:
    document, blocks = read(book(tmp_path))
    assert (document.title, document.author) == ("Pumps", "Ann")
    assert document.document_date == "2024-05-01T00:00:00+00:00"
    assert [(block.heading, block.content, block.image_caption) for block in blocks] == [
        ("Start", "Start\nOpen.", None),
        ("Start", "Open.", "The valve"),
        ("Care", "Care\nOil it.", None),
    ]


def test_an_entity_of_a_page_cannot_name_a_file(tmp_path: Path, read: Read) -> None:
    page = '<!DOCTYPE html [<!ENTITY f SYSTEM "file:///etc/passwd">]><html><body><p>a &f; b</p></body></html>'
    _, blocks = read(book(tmp_path, **{"OEBPS/one.xhtml": page}))
    assert "root:" not in " ".join(block.content for block in blocks)


def test_an_unreadable_page_affects_no_other(tmp_path: Path, read: Read) -> None:
    document, blocks = read(book(tmp_path, **{"OEBPS/one.xhtml": "<div>" * 5_000}))
    assert blocks[0].heading == "Start"
    assert document.warnings == ("1 of its pages is missing or damaged.",)


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({"META-INF/container.xml": "<container/>"}, "damaged"),
        ({"META-INF/encryption.xml": "<e/>", "META-INF/rights.xml": "<r/>"}, "protection"),
    ],
)
def test_an_invalid_or_encrypted_book_is_refused(
    tmp_path: Path, read: Read, entries: dict[str, str], reason: str
) -> None:
    with pytest.raises(UnreadableDocument, match=reason):
        read(book(tmp_path, **entries))
