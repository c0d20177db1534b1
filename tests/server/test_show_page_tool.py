from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from tests.server.desk import Desk, digest, figure, manual, passage, pdf

pytestmark = pytest.mark.anyio

TOLD = (
    "(Source: pump.pdf, S. 2 (printed ii))\nThe picture shows page 2 of 3 of pump.pdf. If you got no picture, you have "
    "not seen it: say so. rag_get_document with doc_id=pump and pages=2 returns its text."
)


@pytest.fixture
async def shown(desk: Desk, tmp_path: Path) -> Desk:
    path = pdf(tmp_path)
    state = path.stat()
    await desk.put(
        manual(
            source_path=str(path), content_hash=digest(path), page_count=3, source_size=state.st_size,
            source_mtime_ns=state.st_mtime_ns,
            page_labels=("i", "ii", "1"),
        ),
        [passage("Page 2 of the pump manual", place="p2-1", page=2, bbox=(72, 60, 300, 90))],
    )  # fmt: skip
    return desk


async def test_a_page_is_an_image_with_its_citation_and_no_structured_output(shown: Desk, era: str) -> None:
    async with shown.client(era) as client:
        result = await client.call_tool("rag_show_page", {"doc_id": "pump", "page_number": 2})

    assert not result.is_error, result.content
    assert result.structured_content is None
    image, text = result.content
    assert image.type == "image"
    assert image.mime_type in ("image/png", "image/jpeg", "image/webp")
    assert 0 < len(base64.b64decode(image.data)) <= 1_000_000
    assert text.type == "text"
    assert text.text == TOLD


async def test_a_document_may_be_given_by_its_file_name(shown: Desk, era: str) -> None:
    async with shown.client(era) as client:
        by_id = await client.call_tool("rag_show_page", {"doc_id": "pump", "page_number": 2})
        by_name = await client.call_tool("rag_show_page", {"doc_id": "pump.pdf", "page_number": 2})

    assert by_name.content == by_id.content


async def test_a_block_alone_selects_its_page(shown: Desk, era: str) -> None:
    async with shown.client(era) as client:
        alone = await client.call_tool("rag_show_page", {"block_id": "pump-p2-1"})
        whole = await client.call_tool("rag_show_page", {"doc_id": "pump", "page_number": 2, "block_id": "pump-p2-1"})

    assert not alone.is_error, alone.content
    assert alone.content == whole.content


async def test_a_figure_of_a_document_without_pages_is_shown_itself(desk: Desk, era: str) -> None:
    await desk.put(
        manual(source_path="/secret/pump.docx", filename="pump.docx", page_count=None),
        [figure("Figure 3: Impeller, exploded view", page=None)],
    )
    async with desk.client(era) as client:
        result = await client.call_tool("rag_show_page", {"block_id": "pump-p2-f1"})

    image, text = result.content
    assert image.type == "image"
    assert "The picture is Figure 3: Impeller, exploded view, of pump.docx." in text.text  # type: ignore[union-attr]


async def test_a_hidden_block_is_refused_like_a_missing_one(stocked: Desk, era: str) -> None:
    hidden = await stocked.failure("rag_show_page", era, block_id="salaries-p2-f1")
    missing = await stocked.failure("rag_show_page", era, block_id="nowhere1-p2-f1")

    assert hidden["error"].replace("salaries", "nowhere1") == missing["error"]


async def test_a_rendered_page_has_few_bytes(shown: Desk, era: str) -> None:
    async with shown.client(era) as client:
        result = await client.call_tool("rag_show_page", {"doc_id": "pump", "page_number": 2})

    assert len(base64.b64decode(result.content[0].data)) < 12_000  # type: ignore[union-attr]


async def test_a_block_is_outlined(shown: Desk, era: str) -> None:
    async with shown.client(era) as client:
        plain = await client.call_tool("rag_show_page", {"doc_id": "pump", "page_number": 2})
        outlined = await client.call_tool(
            "rag_show_page", {"doc_id": "pump", "page_number": 2, "block_id": "pump-p2-1"}
        )

    assert plain.content[0].data != outlined.content[0].data  # type: ignore[union-attr]


async def test_words_of_a_page_are_outlined_and_missing_words_are_refused(shown: Desk, era: str) -> None:
    page = {"doc_id": "pump", "page_number": 2}
    async with shown.client(era) as client:
        plain = await client.call_tool("rag_show_page", page)
        outlined = await client.call_tool("rag_show_page", page | {"evidence": "the pump manual"})

    assert plain.content[0].data != outlined.content[0].data  # type: ignore[union-attr]
    failure = await shown.failure("rag_show_page", era, **page, evidence="the moon")
    assert failure["type"] == "InvalidRequest"
    assert "page 2 of pump.pdf" in failure["error"]


async def test_a_sentence_over_a_page_break_is_outlined_on_both_and_a_figure_by_its_caption(
    shown: Desk, era: str
) -> None:
    document = await shown.index.document("pump", ANONYMOUS)
    before, after = ("Stop it. Drain the oil", "every 200 hours.")
    box = (72.0, 60.0, 300.0, 90.0)
    await shown.put(
        document,
        [
            passage(before, place="p2-1", page=2, bbox=box),
            passage(after, place="p3-1", page=3, bbox=box),
            figure("Figure 3: Impeller, exploded view", bbox=(100, 200, 400, 500)),
        ],
    )

    async with shown.client(era) as client:

        async def told(page_number: int, evidence: str) -> str:
            """Return the message about the text if something is outlined in the picture."""
            page = {"doc_id": "pump", "page_number": page_number}
            plain = await client.call_tool("rag_show_page", page)
            drawn = await client.call_tool("rag_show_page", page | {"evidence": evidence})
            assert not drawn.is_error, drawn.content
            assert plain.content[0].data != drawn.content[0].data  # type: ignore[union-attr]
            said = str(drawn.content[1].text).splitlines()  # type: ignore[union-attr]
            return "".join(line for line in said if line.startswith("The evidence"))

        both = "Drain the oil every 200 hours."
        assert await told(2, both) == "The evidence continues on page 3."
        assert await told(3, both) == "The evidence begins on page 2."
        assert await told(2, "Stop it.") == ""
        assert await told(2, "Figure 3: Impeller, exploded view") == ""


async def test_a_missing_page_is_refused(shown: Desk, era: str) -> None:
    failure = await shown.failure("rag_show_page", era, doc_id="pump", page_number=4)

    assert failure["type"] == "InvalidRequest"
    assert "3 pages" in failure["error"]


async def test_a_document_without_pages_names_the_tool_to_use(stocked: Desk, era: str) -> None:
    failure = await stocked.failure("rag_show_page", era, doc_id="notes", page_number=1)

    assert failure["type"] == "InvalidRequest"
    assert "rag_get_document" in failure["hints"][0]


async def test_a_broken_file_is_a_planned_failure(desk: Desk, tmp_path: Path, era: str) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing more")
    await desk.put(
        manual("broken", source_path=str(broken), content_hash=digest(broken)),
        [passage("x", doc_id="broken")],
    )

    failure = await desk.failure("rag_show_page", era, doc_id="broken", page_number=1)

    assert failure["type"] == "InvalidRequest"
    assert "broken.pdf" in failure["error"]
    assert str(tmp_path) not in failure["error"]


async def test_a_file_that_changed_since_it_was_indexed_is_not_shown(shown: Desk, tmp_path: Path, era: str) -> None:
    """No access rights were ever set for the file that is at the path now."""
    path = tmp_path / "pump.pdf"
    path.write_bytes(path.read_bytes() + b"\n% changed")
    failure = await shown.failure("rag_show_page", era, doc_id="pump", page_number=2)

    assert failure["type"] == "InvalidRequest"
    assert failure["error"] == ("pump.pdf changed since it was indexed, so its page cannot be shown. Ingest it again.")
    assert failure["hints"] == ["rag_get_document with pages gives the indexed text."]


async def test_a_changed_file_of_the_same_size_and_time_is_not_shown_either(
    shown: Desk, tmp_path: Path, era: str
) -> None:
    path = tmp_path / "pump.pdf"
    state = path.stat()
    path.write_bytes(path.read_bytes().replace(b"reportlab", b"REPORTLAB").replace(b"%PDF-1.3", b"%PDF-1.4"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert path.stat().st_size == state.st_size

    failure = await shown.failure("rag_show_page", era, doc_id="pump", page_number=2)

    assert "changed since it was indexed" in failure["error"]


async def test_a_touched_file_is_shown_without_a_warning(shown: Desk, tmp_path: Path, era: str) -> None:
    os.utime(tmp_path / "pump.pdf", ns=(1, 1))
    async with shown.client(era) as client:
        result = await client.call_tool("rag_show_page", {"doc_id": "pump", "page_number": 2})

    assert result.content[1].text == TOLD  # type: ignore[union-attr]
