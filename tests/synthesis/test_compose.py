"""A complete composed answer: best first, each fragment followed by its source, and no document text is markup."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from corpus.search import Hit
from corpus.synthesis.checking import check_claims
from corpus.synthesis.compose import MAX_TOKENS, Composed
from corpus.synthesis.extractive.parts import parts_of
from corpus.synthesis.sources import number_sources
from corpus.text.normalization import token_estimate
from tests.synthesis.composed import compose
from tests.values import hit, image_block, text_block

PUMP = text_block("The pump uses a centrifugal mechanism.", page=45, doc_id="technical-manual")
FIGURE = image_block("Figure 3: Impeller, exploded view", page=46, doc_id="technical-manual")


def composed(query: str, hits: list[Hit]) -> Composed:
    return compose(query, number_sources(hits))


def test_text_and_figure_are_in_order_of_score_each_with_its_source() -> None:
    answer = composed("How does the XYZ pump work?", [hit(FIGURE, 0.4), hit(PUMP, 0.9)])
    assert answer.answer == (
        "# Answer to: How does the XYZ pump work?\n\n"
        "The pump uses a centrifugal mechanism.\n\n"
        "*(Source: technical-manual.pdf, S. 45)*\n\n"
        "![Figure 3: Impeller, exploded view](rag://blocks/technical-manual-p46-f1/image)\n\n"
        "*(Source: technical-manual.pdf, S. 46)*"
    )
    assert [source.citation_number for source in answer.sources] == [1, 2]


def test_without_sources_the_answer_says_so_with_no_confidence() -> None:
    answer = composed("Anything?", [])
    assert (answer.answer, answer.sources) == ("No relevant information found", ())


def test_an_image_that_cannot_be_shown_is_left_out_and_takes_no_rank() -> None:
    broken = image_block("Figure 9", image_url=None)
    texts = [text_block(f"Fact number {n} stands here.", page=n) for n in range(1, 6)]
    answer = composed("q", [hit(broken, 0.99), *(hit(text, 0.5) for text in texts)])
    assert len(answer.sources) == 5
    assert "Figure 9" not in answer.answer


def test_a_block_without_title_or_file_name_has_an_unknown_source() -> None:
    answer = composed("q", [hit(text_block("A fact.", page=3), filename="", title="")])
    assert "*(Source: Unknown source, S. 3)*" in answer.answer


def test_a_printed_page_label_that_differs_is_added() -> None:
    answer = composed("q", [hit(text_block("A fact.", page=45, page_label="33"))])
    assert "S. 45 (printed 33)" in answer.answer


def test_text_files_are_cited_by_line() -> None:
    block = text_block("A decision.", page=None, start_line=4, end_line=9)
    assert "(Source: manual-1.pdf, lines 4-9)" in composed("q", [hit(block)]).answer


def test_twenty_long_blocks_stay_within_the_limit() -> None:
    texts = [" ".join(f"Pump {n}.{m} delivers {n * m} litres a second." for m in range(60)) for n in range(20)]
    hits = [hit(text_block(text, page=n), 1 - n / 100) for n, text in enumerate(texts)]
    answer = composed("pumps", hits)
    assert token_estimate(answer.answer) <= MAX_TOKENS
    assert answer.sources


@pytest.mark.parametrize(
    "hostile",
    [
        "![x](https://evil.example/p.png)",
        "<img src=https://evil.example/p.png>",
        "[click](https://evil.example)",
        "[click][1]\n\n[1]: https://evil.example",
        "see <https://evil.example> now",
        "# A heading of the document's own",
        "- item\n1. item\n> quote",
        "Title\n=====",
        "```\ncode\n```",
        "    four blanks make code",
        "*emphasis* and **strong** and `code` and ~~struck~~",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "&lt;b&gt; &#33;[x](y)",
        "a\\![x](https://evil.example)",
    ],
)
def test_markdown_in_a_document_is_shown_as_text(hostile: str) -> None:
    answer = composed("q", [hit(text_block(f"Before. {hostile}")), hit(text_block(hostile, page=2))])
    tokens = MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"]).parse(answer.answer)
    inline = [child.type for token in tokens for child in token.children or ()]
    blocks = {token.type for token in tokens}
    assert not {"image", "link_open", "html_inline", "code_inline", "strong_open", "s_open"} & set(inline)
    assert not blocks & {"fence", "code_block", "html_block", "blockquote_open", "hr"}
    assert sum(token.type == "heading_open" for token in tokens) == 1
    # the only emphasis is that of the source lines
    assert inline.count("em_open") == answer.answer.count("*(Source: ") > 0


def test_a_file_name_cannot_start_markup_in_the_source_line() -> None:
    answer = composed("q", [hit(text_block("A fact."), filename="a*b](http://evil) ![x](y).pdf")])
    tokens = MarkdownIt("commonmark").parse(answer.answer)
    inline = [child.type for token in tokens for child in token.children or ()]
    assert "link_open" not in inline
    assert "image" not in inline


def test_a_question_of_several_lines_stays_one_heading() -> None:
    tokens = MarkdownIt("commonmark").parse(composed("one\n# two\n\nthree", [hit(PUMP)]).answer)
    assert sum(token.type == "heading_open" for token in tokens) == 1


def test_the_heading_at_the_start_of_a_block_is_above_the_quotation() -> None:
    block = text_block("3 How it works\n3.1 Principle\nIt pumps.", heading="3 How it works > 3.1 Principle")
    assert "\n\n**3.1 Principle**\n\nIt pumps.\n\n" in composed("q", [hit(block)]).answer


def test_blocks_with_one_heading_appear_once_under_it() -> None:
    heading = "3 How it works > 3.1 Principle"
    texts = [
        text_block("The impeller turns.", heading=heading),
        text_block("Water flows out.", page=2, heading=heading),
    ]
    between = text_block("The valves close at night.", page=3, heading="4 Valves")
    answer = composed("q", [hit(texts[0], 0.9), hit(between, 0.8), hit(texts[1], 0.85)]).answer
    assert answer.count("**3.1 Principle**") == 1
    assert answer.index("Water flows out.") < answer.index("**4 Valves**")


def test_markdown_marks_are_not_quoted() -> None:
    block = text_block("## DEC-1\n\n**Date:** today", page=None, heading="DEC-1")
    assert "\n\n**DEC-1**\n\nDate: today\n\n" in composed("q", [hit(block, filename="notes.md")]).answer


def test_lines_of_a_table_of_contents_are_not_an_answer() -> None:
    contents = text_block("1 Pumps . . . . . . 3\n2 Valves ........ 9\n3 Seals . . . . . 12")
    assert composed("pumps", [hit(contents)]).answer == "No relevant information found"


def test_lines_without_a_full_stop_answer_and_another_thing_of_its_kind_does_not() -> None:
    asked = text_block("Data sheet fan F10\nAir flow 900 m3/h\nNoise level 51 dB(A)", page=None, doc_id="fan-f10")
    other = text_block("- Air flow: 1,800 m3/h\n- Noise level: 64 dB(A)", page=None, doc_id="fan-f20")
    answer = composed("What is the noise level of fan F10?", [hit(asked, 0.9), hit(other, 0.6)]).answer
    assert "51 dB" in answer
    assert "64 dB" not in answer


def test_a_japanese_sentence_answers() -> None:
    block = text_block("軸受は三か月ごとに給油します。羽根は毎年清掃します。", page=None, language="ja")
    rules = text_block("第1条 倉庫1の鍵は事務所で保管します。\n\n第2条 倉庫2の鍵は事務所で保管します。", page=None,
                       doc_id="rules", language="ja")  # fmt: skip
    answer = composed("軸受はいつ給油しますか", [hit(block, 0.65), hit(rules, 0.2)]).answer
    assert "三か月ごと" in answer
    assert "倉庫" not in answer


def test_an_html_entity_in_a_document_is_shown_literally() -> None:
    answer = composed("q", [hit(text_block("Write &lt;b&gt; or &#x202e; for R&D; &amp;amp; too."))])
    tokens = MarkdownIt("commonmark").parse(answer.answer)
    text = "".join(child.content for token in tokens for child in token.children or ())
    assert "Write &lt;b&gt; or &#x202e; for R&D; &amp;amp; too." in text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://acme.example/a.png?sig=a%2Fb", "https://acme.example/a.png?sig=a%2Fb"),
        ("https://acme.example/a (1).png", "https://acme.example/a%20%281%29.png"),
        ("https://x.example/a.png) ![b](https://evil.example/b.png", "%29%20![b]%28https"),
        ("https://x.example/a\n\n# Heading", "a%0A%0A#%20Heading"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("data:image/svg+xml;base64,AAAA", None),
        ("//evil.example/a.png", None),
    ],
)
def test_an_index_address_ends_no_bracket_and_is_on_the_web_or_this_server(url: str, shown: str | None) -> None:
    figure = image_block("Figure 9", image_url=url, doc_id="technical-manual")
    answer = composed("q", [hit(figure, 0.9), hit(PUMP, 0.5)])
    images = [
        one.attrs["src"]
        for token in MarkdownIt().parse(answer.answer)
        for one in token.children or ()
        if one.type == "image"
    ]
    assert len(images) == (shown is not None)
    assert shown is None or shown in answer.answer


README = """## macOS

1. Update homebrew and install the tool:

   ```sh
   brew update
   brew install tool
   ```

2. Then set up your shell:

   ```sh
   tool init
   ```
"""


def test_a_step_is_quoted_with_its_code_and_the_steps_after_it() -> None:
    block = text_block(README, page=None, heading="macOS")
    answer = composed("How do I install the tool on macOS?", [hit(block, filename="README.md")]).answer
    assert "brew install tool" in answer
    assert "tool init" in answer
    assert answer.index("Update homebrew") < answer.index("brew update") < answer.index("set up your shell")


def test_numbered_paragraphs_of_several_sentences_are_not_a_list() -> None:
    paragraph = "The rent is settled by the parties in spring. " * 5
    steps = "1. Open the valve.\n2. Close the lid."
    kinds = [part.kind for part in parts_of(f"1. {paragraph}\n2. {paragraph}", "en", wrapped=False)]
    assert kinds == ["text", "text"]
    assert [part.kind for part in parts_of(steps, "en", wrapped=False)] == ["item", "item"]


def test_each_step_with_a_statement_is_cited_even_with_code_after_it() -> None:
    steps = "1. Install the tool from the tap.\n\n   ```sh\n   brew install tool\n   ```\n\n2. Restart the shell once."
    block = text_block(f"## macOS\n\n{steps}\n", page=None, heading="macOS")
    made = composed("How do I install the tool on macOS?", [hit(block, filename="README.md")])
    claims = check_claims(made.answer, made.sources, "en").claims
    assert [claim.claim.text for claim in claims] == [
        "Install the tool from the tap.",
        "Restart the shell once.",
    ]
    assert all(claim.verdict == "found" for claim in claims)
