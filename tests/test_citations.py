"""Citations: the location of a block, in text that Markdown shows unchanged."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from corpus.citations import citation, place, printed_label, with_distinct_names
from corpus.citing.reading import read_citations
from corpus.synthesis.checking import citable
from corpus.synthesis.sources import number_sources
from tests.synthesis.composed import compose
from tests.values import document, hit, text_block


def shown(markdown: str) -> tuple[str, set[str]]:
    """Return the text that a reader sees, and the kinds of markup in it."""
    (inline,) = [token for token in MarkdownIt("commonmark").parse(markdown) if token.type == "inline"]
    children = inline.children or []
    text = "".join(child.content for child in children if child.type in ("text", "text_special"))
    return text, {child.type for child in children} - {"text", "text_special"}


@pytest.mark.parametrize(
    ("heading", "lines", "where"),
    [
        ("'Umsatz 2024'!A1:C5", None, ", 'Umsatz 2024'!A1:C5"),
        ("attachment: offer.xlsx > Prices!A1:C5", None, ", attachment offer.xlsx, Prices!A1:C5"),
        ("attachment: offer.pdf, page 3", None, ", attachment offer.pdf, page 3"),
        ("Guide > 2 Operation > 2.1 Start", None, ", 2.1 Start"),
        ("Decisions > A-023 Use Redis", (4, 9), ", A-023 Use Redis, lines 4-9"),
        ("Decisions > A-023 Use Redis > Reasons", (7, 7), ", A-023 Use Redis, line 7"),
        (None, (4, 9), ", lines 4-9"),
        (None, None, ""),
        ("One heading " * 9, None, ", One heading One heading One heading One heading One…"),
    ],
)
def test_without_pages_the_location_is_given_in_words(
    heading: str | None, lines: tuple[int, int] | None, where: str
) -> None:
    start, end = lines or (None, None)
    block = text_block("x", page=None, heading=heading, start_line=start, end_line=end)
    assert citation(document(filename="file.md"), block) == f"(Source: file.md{where})"


def test_a_page_is_the_location_whatever_the_heading_is() -> None:
    assert place(text_block("x", page=12, heading="2 Operation")) == "S. 12"


ODD = st.text(st.sampled_from("ab Z9,;:.()[]{}<>*_`|~$\\/!?&@#-–'\"「」（）【】†§^=+%\n"), min_size=1, max_size=90)


@given(st.lists(ODD, min_size=1, max_size=3), st.booleans())
@example(["see config.yaml; and more.pdf"], True)
@example(["a (b (c) d"], False)
@example(["S. 12, lines 3-4 [1]"], True)
@example(["$$x$$ <!-- `y` --> https://evil.example"], False)
def test_a_citation_is_read_back_as_its_source_alone_whatever_the_heading_contains(
    steps: list[str], lined: bool
) -> None:
    book = document(filename="DECISIONS.md")
    start, end = (4, 9) if lined else (None, None)
    block = text_block("x", page=None, heading=" > ".join(steps), start_line=start, end_line=end)
    other = text_block("y", page=None, heading="B-7 Another entry", start_line=20, end_line=30)
    sources = [citable(one) for one in number_sources([hit(one, filename="DECISIONS.md") for one in (other, block)])]
    written = citation(book, block)
    answer = read_citations(f"Rain fell {written}. Then the sun shone [1].", sources, "en")
    assert (answer.citations, answer.invalid) == ((2, 1), ())
    assert [claim.citations for claim in answer.claims] == [(2,), (1,)]
    assert answer.claims[0].text == "Rain fell."
    _, markup = shown(written)
    assert markup <= {"text"}


@pytest.mark.parametrize("label", ["iv", "A-3", "12.4", "Seite 7", "١٢", "7–8"])
def test_a_printed_number_that_differs_is_added(label: str) -> None:
    assert place(text_block("x", page=5, page_label=label)) == f"S. 5 (printed {label})"


@pytest.mark.parametrize(
    "label",
    [
        "x)* ![p](http://evil/pixel.png) <img src=http://evil/pixel.png> *(",
        "![p](//e.x)",
        "<img src=x>",
        "[a](b)",
        "a\nb",
        "*b*",
        "a_b",
        "&#33;",
        "x" * 13,
        " ",
    ],
)
def test_a_label_that_is_not_a_number_is_left_out(label: str) -> None:
    assert place(text_block("x", page=5, page_label=label)) == "S. 5"
    assert printed_label(label) is None


def test_a_label_creates_no_image_in_a_composed_answer() -> None:
    hostile = text_block("A fact.", page=5, page_label="x)* ![p](http://evil/p.png) <img src=y> *(")
    tokens = MarkdownIt("commonmark").parse(compose("q", number_sources([hit(hostile)])).answer)
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "text_special", "em_open", "em_close"}


@pytest.mark.parametrize(
    "name",
    [
        "a*b*.pdf",
        "a\\*b\\*.pdf",
        "[x](http://evil).pdf",
        "![x](y).pdf",
        "<b>.pdf",
        "&lt;b&gt;.pdf",
        "&amp;amp; &#33;.pdf",
        "`code`.pdf",
        "__init__.pdf",
        "a__b c_.pdf",
        "~~x~~ |y|.pdf",
        "http://evil.example.pdf",
        "<http://evil.example>.pdf",
    ],
)
def test_a_file_name_is_shown_literally(name: str) -> None:
    text, markup = shown(f"*{citation(document(filename=name), text_block('x', page=5))}*")
    assert text == f"(Source: {name}, S. 5)"
    assert markup == {"em_open", "em_close"}


@pytest.mark.parametrize("name", ["my_long__name.pdf", "2024.1 - R&D (final) #2+3.pdf", "Prüfbericht.md"])
def test_an_ordinary_file_name_is_unchanged(name: str) -> None:
    assert citation(document(filename=name), text_block("x", page=5)) == f"(Source: {name}, S. 5)"


@pytest.mark.parametrize(
    "name",
    ["www.evil.example.txt", "_www.evil.example.txt", "a-@evil.example.txt", "http://evil.example.txt",
     "mailto:a@evil.example.txt", "xmpp:a@evil.example.txt"],
)  # fmt: skip
def test_a_file_name_is_not_autolinked(name: str) -> None:
    written = citation(document(filename=name), text_block("x", page=5))
    assert not any(form in written for form in ("www.", "-@", "a@", "http://", "mailto:", "xmpp:"))


def test_invisible_characters_are_dropped_from_a_file_name() -> None:
    name = "a\u202egpj\x1b[2J\n\udcff.pdf"
    assert citation(document(filename=name), text_block("x")) == "(Source: agpj\\[2J .pdf, S. 1)"


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["/a/2024/bill.pdf", "/a/2025/bill.pdf"], ["2024/bill.pdf", "2025/bill.pdf"]),
        (["/a/2024/x/bill.pdf", "/a/2025/x/bill.pdf"], ["2024/x/bill.pdf", "2025/x/bill.pdf"]),
        (["/a/bill.pdf", "/a/note.pdf"], ["bill.pdf", "note.pdf"]),
        (["", ""], ["bill.pdf", "bill.pdf"]),
    ],
)
def test_files_with_one_name_are_distinguished_by_their_folders(paths: list[str], names: list[str]) -> None:
    documents = [
        document(f"d{n}", filename=path.rpartition("/")[2] or "bill.pdf", source_path=path)
        for n, path in enumerate(paths)
    ]
    assert [one.filename for one in with_distinct_names(documents).values()] == names
