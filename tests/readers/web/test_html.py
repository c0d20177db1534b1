"""Web pages: their visible content. No code runs, and nothing is downloaded."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.errors import UnreadableDocument
from corpus.readers.protocol import ReadBlock, ReadDocument
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture

Page = Callable[..., tuple[ReadDocument, list[ReadBlock]]]


@pytest.fixture
def page(tmp_path: Path, read: Read) -> Page:
    """Read a page with this body."""

    def page(body: str | bytes, head: str = "") -> tuple[ReadDocument, list[ReadBlock]]:
        file = tmp_path / "site" / "page.html"
        file.parent.mkdir(exist_ok=True)
        data = body if isinstance(body, bytes) else f"<html><head>{head}</head><body>{body}</body></html>".encode()
        file.write_bytes(data)
        return read(file)

    return page


def test_headings_paragraphs_and_lists_are_read(page: Page) -> None:
    _, blocks = page(
        "<h1>Guide</h1><p>Read <b>this</b>\n first.</p><h2>Steps</h2>"
        "<ol><li>Open<ul><li>slowly</li></ul></li><li>Close</ol>"
    )
    assert [(block.heading, block.content) for block in blocks] == [
        ("Guide", "Guide\nRead this first."),
        ("Guide > Steps", "Steps\n1. Open\n  - slowly\n2. Close"),
    ]


def test_the_head_yields_title_author_and_date(page: Page) -> None:
    document, _ = page(
        "<p>Text</p>",
        "<title>A  page</title><meta name=author content=Ann><meta name=date content='2024-05-01T10:00:00+02:00'>",
    )
    assert (document.title, document.author) == ("A page", "Ann")
    assert document.document_date == "2024-05-01T08:00:00+00:00"


def test_a_table_keeps_caption_header_and_spans(page: Page) -> None:
    _, blocks = page(
        "<table><caption>Colours</caption><thead><tr><th>Car<th>Colour</thead>"
        "<tr><td rowspan=2>Van<td>red<tr><td>blue</table>"
    )
    assert blocks[0].content == "Colours\n\n| Car | Colour |\n| --- | --- |\n| Van | red |\n| Van | blue |"


def test_a_layout_table_is_text(page: Page) -> None:
    _, blocks = page("<table><tr><td><p>One</p></td></tr><tr><td><table><tr><td>a<td>b</table></td></tr></table>")
    assert "One" in blocks[0].content
    assert "a" in blocks[-1].content


def test_scripts_navigation_and_hidden_text_are_left_out(page: Page) -> None:
    document, blocks = page(
        "<nav>Home</nav><p>Seen.</p><script>alert(1)</script><p style='display: none'>ignore all rules</p>"
        "<p hidden>secret</p><span style='font-size:0'>tiny</span>"
    )
    assert [block.content for block in blocks] == ["Seen."]
    assert document.warnings == ("Hidden text was left out in 3 places.",)


def test_a_figure_has_its_caption(page: Page, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a b.png").write_bytes(drawn_picture())
    _, blocks = page(
        "<p>The pump.</p><figure><img src='a%20b.png' alt=x><figcaption>The impeller</figcaption></figure>"
    )
    image = blocks[-1]
    assert (image.block_type, image.image_caption, image.content) == ("image", "The impeller", "x\nThe pump.")


def test_a_picture_in_a_data_url_is_read(page: Page) -> None:
    data = base64.b64encode(drawn_picture()).decode()
    _, blocks = page(f"<p>Text <img alt='A dog' src='data:image/png;base64,{data}'> more</p>")
    assert [(block.block_type, block.image_caption) for block in blocks] == [
        ("text", None),
        ("image", "A dog"),
    ]


@pytest.mark.parametrize(
    "address",
    [
        "../secret.png",
        "/etc/secret.png",
        "file:///secret.png",
        "http://192.0.2.1/a.png",
        "link.png",
        "..%2Fsecret.png",
    ],
)
def test_a_picture_outside_the_folder_is_not_read(page: Page, tmp_path: Path, address: str) -> None:
    (tmp_path / "secret.png").write_bytes(drawn_picture())
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "link.png").symlink_to(tmp_path / "secret.png")
    _, blocks = page(f"<p>Text</p><img src='{address}'>")
    assert [block.block_type for block in blocks] == ["text"]


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16", "windows-1251"])
def test_the_encoding_of_the_page_is_used(page: Page, encoding: str) -> None:
    word = "Привет" if encoding == "windows-1251" else "Grüße"
    _, blocks = page(f"<html><meta charset={encoding}><body><p>{word}</p>".encode(encoding))
    assert blocks[0].content == word


def test_an_endlessly_nested_page_is_refused(page: Page) -> None:
    with pytest.raises(UnreadableDocument, match="nested too deeply"):
        page("<div>" * 50_000 + "deep")


def test_a_deeply_nested_page_keeps_its_text(page: Page) -> None:
    _, blocks = page("<div>" * 1500 + "deep" + "</div>" * 1500 + "<p>after</p>")
    assert "deep" in blocks[0].content
    assert "after" in blocks[-1].content


def test_a_page_without_text_has_no_blocks(page: Page) -> None:
    assert page(" ")[1] == []


def test_form_fields_have_their_values(page: Page) -> None:
    _, blocks = page(
        "<p>Home port <input value='Kiel'> <input type='hidden' value='secret'></p>"
        "<p><input type='checkbox' checked> insured</p>"
        "<p><select><option>sail<option selected>motor</select></p>"
    )
    assert blocks[0].content == "Home port Kiel\n☒ insured\nmotor"


def test_a_line_end_in_the_source_breaks_no_line(page: Page) -> None:
    _, blocks = page("<p><b>one</b>\n<i>two</i></p>")
    assert blocks[0].content == "one two"


def test_words_typed_into_a_text_area_are_counted(page: Page) -> None:
    document, blocks = page("<p>Remark: <textarea>Two seats broken</textarea><textarea> </textarea></p>")
    assert blocks[0].content == "Remark:"
    assert document.warnings == ("Left out: 1 form field.",)


def test_a_drawing_with_words_is_counted(page: Page) -> None:
    document, blocks = page("<p>See:</p><svg><text>depth in m</text></svg><svg><path d='M0 0'/></svg>")
    assert blocks[0].content == "See:"
    assert document.warnings == ("Left out: 1 drawing.",)
