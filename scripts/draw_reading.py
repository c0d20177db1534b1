"""Draw the blocks that the reader finds on pages of the sample documents, for docs/ingestion.md: `make pages`.

Each block has a frame on its page: blue for text, orange for tables, and green for figures. A number shows its position
in the reading order.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import anyio
from PIL import Image, ImageDraw, ImageFont

from corpus.ingestion.file_decision import fingerprint
from corpus.readers.protocol import ReadBlock
from corpus.readers.sandbox.pool import ReadingProcesses

SAMPLES = Path("examples/documents")
TARGET = Path("docs/ingestion")
PAGES = (
    ("xyz-pump-technical-manual.pdf", 6),
    ("xyz-pump-technical-manual.pdf", 19),
    ("xyz-pump-operations-guide.pdf", 4),
    ("project-titan-q1-report.pdf", 2),
    ("xyz-pumpe-wartungshandbuch.pdf", 3),
    ("xyz-pumpe-wartungshandbuch.pdf", 5),
)
COLOURS = {"text": (30, 90, 200), "table": (215, 120, 0), "image": (20, 140, 60)}
POINTS_A_SIDE = 900
LINE = 3


async def main() -> None:
    async with ReadingProcesses() as reading:
        for name, number in PAGES:
            path = (SAMPLES / name).absolute()
            document = await reading.read(path)
            state = fingerprint(path)
            picture = await reading.render_page(path, number, content_hash=state.content_hash)
            if picture is None:
                raise SystemExit(f"{name} changed while it was read. Run the same command again.")
            page = Image.open(io.BytesIO(picture.data)).convert("RGB")
            blocks = [one for one in document.blocks if one.page_number == number]
            drawn = _drawn(page, blocks)
            drawn.save(TARGET / f"{path.stem}-{number}.png", optimize=True)
            print(f"{name}, page {number}: {len(blocks)} blocks")


def _drawn(page: Image.Image, blocks: Iterable[ReadBlock]) -> Image.Image:
    scale = page.height / _height(page)
    draw = ImageDraw.Draw(page)
    blocks = list(blocks)
    tables = {block.bbox for block in blocks if _kind(block) == "table"}
    font = ImageFont.load_default(size=26)
    for number, block in enumerate(blocks, 1):
        if block.bbox is None:
            continue
        kind = _kind(block)
        if kind == "image" and block.bbox in tables:
            continue  # the image of a table that has been read as text
        colour = COLOURS[kind]
        left, top, right, bottom = (side * scale for side in block.bbox)
        draw.rectangle((left - 4, top - 4, right + 4, bottom + 4), outline=colour, width=LINE)
        draw.rectangle((left - 4, top - 34, left + 34, top - 4), fill=colour)
        draw.text((left + 3, top - 34), str(number), fill="white", font=font)
    factor = POINTS_A_SIDE / page.height
    small = page.resize((round(page.width * factor), POINTS_A_SIDE), Image.Resampling.LANCZOS)
    return small.quantize(64)


def _height(page: Image.Image) -> float:
    """Return the page height in points. All sample documents are in A4 format."""
    return 841.89


def _kind(block: ReadBlock) -> str:
    if block.block_type == "image":
        return "image"
    return "table" if any(line.startswith("|") for line in block.content.splitlines()) else "text"


if __name__ == "__main__":
    TARGET.mkdir(parents=True, exist_ok=True)
    anyio.run(main)
