"""The reference that composes Markdown from content blocks, as `docs/rag_synthesis_example.py` shows it."""

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[1] / "docs" / "rag_synthesis_example.py"
compose = runpy.run_path(str(EXAMPLE))["synthesize_multimodal_response"]

EXPECTED = """\
# Answer to: How does the XYZ pump work?

The XYZ pump operates using a centrifugal mechanism that creates pressure differentials to move fluids \
through the system.

*(Source: technical-manual.pdf, S. 45)*

![Diagram showing XYZ pump internal components](https://storage.example.com/pump-diagram.jpg)

*(Source: technical-manual.pdf, S. 46)*

The pump's efficiency is optimized through variable speed control, allowing adjustment based on system demand.

*(Source: operations-guide.pdf, S. 12)*
"""


def text(**fields: Any) -> dict[str, Any]:
    return {"block_type": "text", "content": "It turns.", "filename": "m.pdf", "page_number": 1} | fields


def image(**fields: Any) -> dict[str, Any]:
    shown = {"image_url": "https://e.com/a.png", "image_caption": "Impeller"}
    return {"block_type": "image", "filename": "m.pdf", "page_number": 2} | shown | fields


def body(*blocks: dict[str, Any]) -> str:
    """Return the answer below its heading."""
    return str(compose(list(blocks), "Q")).removeprefix("# Answer to: Q\n\n")


def test_as_a_script_it_prints_the_agreed_example() -> None:
    run = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, timeout=30, check=True)

    assert run.stdout == EXPECTED


def test_the_field_names_of_the_story_give_the_same_answer() -> None:
    ours = text(content="It turns.", filename="m.pdf")
    story = {"block_type": "text", "content_text": "It turns.", "document_title": "m.pdf", "page_number": 1}

    assert body(story) == body(ours) == "It turns.\n\n*(Source: m.pdf, S. 1)*"


@pytest.mark.parametrize(
    "blocks",
    [[], [text(content="  ")], [image(image_url=None)], [{}], [{"block_type": "table", "content": "x"}]],
)
def test_without_blocks_to_show_it_says_so(blocks: list[dict[str, Any]]) -> None:
    assert compose(blocks, "Q") == "No relevant information found"


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "   ",
        "a.png",
        "https://",
        "http://[broken",
        "javascript:alert(1)",
        "data:image/png;base64,AA",
    ],
)
def test_an_image_that_cannot_be_shown_is_left_out_and_the_text_stays(url: str | None) -> None:
    assert body(image(image_url=url, score=0.9), text()) == "It turns.\n\n*(Source: m.pdf, S. 1)*"


@pytest.mark.parametrize("url", ["rag://figure/d1/b2", "file:///tmp/a.png", "https://e.com/a.png?sig=a%2Bb&se=1"])
def test_the_address_of_an_image_is_unchanged(url: str) -> None:
    assert f"![Impeller]({url})" in body(image(image_url=url))


def test_an_address_cannot_end_the_image_early() -> None:
    assert "![Impeller](https://e.com/a%20%281%29.png)" in body(image(image_url="https://e.com/a (1).png"))


def test_images_alone_have_caption_and_citation() -> None:
    assert body(image()) == "![Impeller](https://e.com/a.png)\n\n*(Source: m.pdf, S. 2)*"


def test_text_alone_adds_no_image() -> None:
    assert "![" not in body(text(), text())


def test_an_image_without_a_caption_is_called_diagram() -> None:
    assert body(image(image_caption=None)).startswith("![Diagram](")


@pytest.mark.parametrize("missing", [{"filename": None}, {"filename": " "}, {"page_number": None}])
def test_a_missing_title_or_page_is_an_unknown_source(missing: dict[str, Any]) -> None:
    assert body(text(**missing)) == "It turns.\n\n*(Source: Unknown source)*"


@pytest.mark.parametrize("written", ["(Source: m.pdf, S. 45 (printed 33))", "(Source: n.md, lines 45-52)"])
def test_a_citation_by_the_server_is_used_unchanged(written: str) -> None:
    assert body(text(citation=written, page_number=None)) == f"It turns.\n\n*{written}*"


def test_the_ten_best_blocks_are_shown_best_first() -> None:
    blocks = [text(content=f"Fact {n}.", score=n / 100) for n in range(20)]

    facts = [line for line in body(*blocks).splitlines() if line.startswith("Fact")]

    assert facts == [f"Fact {n}." for n in range(19, 9, -1)]


def test_broken_images_use_none_of_the_ten_places() -> None:
    blocks = [image(image_url="", score=1.0) for _ in range(5)] + [text(content=f"Fact {n}.") for n in range(10)]

    assert body(*blocks).count("Fact") == 10


def test_blocks_without_a_score_come_last_in_the_given_order() -> None:
    answer = body(text(content="B", score=None), text(content="C"), text(content="A", score=0.1))

    assert [line for line in answer.splitlines() if len(line) == 1] == ["A", "B", "C"]


@pytest.mark.parametrize(
    "hostile",
    [
        "![x](https://evil.example/track)",
        r"\![x](https://evil.example/track)",
        r"!\\[x](https://evil.example/track)",
        "<img src=https://evil.example/track>",
        "[click](https://evil.example)",
    ],
)
def test_document_text_adds_no_image_link_or_html(hostile: str) -> None:
    answer = body(text(content=hostile))

    assert all(answer[at - 1] == "\\" and answer[at - 2] != "\\" for at in positions(answer, "[<"))


def test_a_caption_cannot_break_out_of_its_brackets() -> None:
    assert body(image(image_caption="a](https://evil.example)\n[b\\")).startswith(
        r"![a\](https://evil.example) \[b](https://e.com/a.png)"
    )


def test_a_comparison_sign_in_a_text_is_unchanged() -> None:
    assert body(text(content="keep 5 < 6 bar")).startswith("keep 5 < 6 bar\n")


def test_a_multi_line_question_stays_one_heading() -> None:
    assert compose([text()], "How\n\n# does it?").startswith("# Answer to: How # does it?\n\nIt turns.")


def positions(answer: str, characters: str) -> list[int]:
    return [at for at, character in enumerate(answer) if character in characters]
