"""Ask Ibid a question as any MCP client would: start the server, call one tool, fetch the pictures of the answer.

    ibid ingest examples/documents
    python examples/ask_over_stdio.py "How does the XYZ pump work?"

Needs `ibid` and what it brings along. The documents are those of the folder in RAG_DATA_DIR, if that is set.
"""

import base64
import os
import re
import shutil
import sys
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import BlobResourceContents, TextContent
from PIL import Image
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

IMAGE_IN_MARKDOWN = re.compile(r"!\[(?P<caption>(?:\\.|[^\]\\])*)\]\((?P<url>rag://[^)\s]+)\)")
PICTURES = Path(os.environ.get("RAG_DATA_DIR", ".")) / "pictures"


async def main(question: str) -> int:
    """Print the cited answer, and each of its pictures in its place; 0 for an answer, 1 where there is none."""
    status = 1
    try:
        status = await asked(question)
    except* (MCPError, OSError):
        print(
            "`ibid serve` does not answer. What it said stands above; `ibid doctor` finds the cause.",
            file=sys.stderr,
        )
    return status


async def asked(question: str) -> int:
    console = Console()
    async with Client(ibid()) as client:
        result = await client.call_tool("rag_synthesize", {"query": question})
        if result.is_error or result.structured_content is None:
            print(
                failure(part.text for part in result.content if isinstance(part, TextContent)),
                file=sys.stderr,
            )
            return 1
        await show(client, result.structured_content["answer"], console)
        if result.structured_content["sources"]:
            console.print(f"\nAnswered: {sureness(result.structured_content['confidence'])}.")
        else:
            print("`ibid list` names the documents, `ibid ingest FOLDER` adds some.", file=sys.stderr)
    return 0


def sureness(confidence: float) -> str:
    """The words that `ibid ask` uses for a confidence. Below 0.5 the answer itself ends with a notice."""
    return "very likely" if confidence >= 0.8 else "likely" if confidence >= 0.5 else "unsure"


def failure(texts: Iterable[str]) -> str:
    """A call that failed says in plain lines what went wrong and what helps."""
    return "Error: " + "\n".join(texts)


def ibid() -> StdioServerParameters:
    """How to start the server. A client passes on little of its own environment, so settings are named here."""
    settings = {"RAG_LOG_LEVEL": "WARNING"}  # it writes its log into the same terminal
    settings |= {name: value for name, value in os.environ.items() if name.startswith(("RAG_", "AZURE_", "SSL_"))}
    beside_python = Path(sys.executable).with_name("ibid")
    command = str(beside_python) if beside_python.exists() else shutil.which("ibid")
    return StdioServerParameters(command=command or "ibid", args=["serve"], env=settings)


async def show(client: Client, answer: str, console: Console) -> None:
    """The markdown of the answer, in which each picture is a resource to be read from the server."""
    shown_up_to = 0
    for image in IMAGE_IN_MARKDOWN.finditer(answer):
        console.print(Markdown(answer[shown_up_to : image.start()]))
        await show_picture(client, image["caption"], image["url"], console)
        shown_up_to = image.end()
    console.print(Markdown(answer[shown_up_to:]))


async def show_picture(client: Client, caption: str, url: str, console: Console) -> None:
    """Save the picture behind `url`; draw it too when somebody is looking."""
    resource = await client.read_resource(url)
    for content in resource.contents:
        if isinstance(content, BlobResourceContents):
            picture = base64.b64decode(content.blob)
            file = saved(picture, url, content.mime_type or "image/png")
            console.print()
            if console.is_terminal:
                console.print(in_half_blocks(Image.open(BytesIO(picture)), console.width))
            console.print(Markdown(f"**{caption}**"))
            console.print(f"picture: {file}\n", markup=False, highlight=False, soft_wrap=True)


def saved(picture: bytes, url: str, mime_type: str) -> Path:
    """The file that now holds the picture."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "-", url.removeprefix("rag://").removesuffix("/image"))
    file = PICTURES / f"{name}.{mime_type.partition('/')[2]}"
    file.write_bytes(picture)
    return file


def in_half_blocks(picture: Image.Image, columns: int) -> Text:
    """The picture as text: each character is two pixels, the upper in its own colour, the lower in its background's."""
    small = picture.convert("RGB")
    small.thumbnail((columns, 100))
    drawn = Text(no_wrap=True)
    for y in range(0, small.height - 1, 2):
        for x in range(small.width):
            drawn.append("▀", style=f"{colour(small, x, y)} on {colour(small, x, y + 1)}")
        drawn.append("\n")
    return drawn


def colour(picture: Image.Image, x: int, y: int) -> str:
    pixel = picture.getpixel((x, y))
    assert isinstance(pixel, tuple)  # the picture is RGB
    return "rgb({:.0f},{:.0f},{:.0f})".format(*pixel)


if __name__ == "__main__":
    sys.exit(anyio.run(main, " ".join(sys.argv[1:]) or "How does the XYZ pump work?"))
