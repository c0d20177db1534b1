"""Reference: compose a cited markdown answer from the content blocks that a search returned.

Copy it, or read it to see what an answer of Ibid looks like inside. It needs the standard library only and
calls no model, so the same blocks always give the same answer. Run it to see an example:

    python docs/rag_synthesis_example.py

Which way to compose an answer:

* `rag_synthesize`, the server's own tool, is the first choice. It finds the blocks, writes, compares each
  claim with the source it cites, and says how sure it is. Nothing below checks a claim.
* `llm_generate`, if the server lists it, when the blocks should become something else: a letter, a
  translation, a shorter text. A model writes, so check the result with `rag_verify_answer`, if listed.
* A code tool of the client's own, if it has one, when the form must be exact or no model may touch the
  wording. Hand it the code of this file and the `results` of `rag_semantic_search`. The server runs no code.

If the code fails, fall back to `rag_synthesize` with the `block_ids` at hand.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

NOTHING_FOUND = "No relevant information found"
UNKNOWN_SOURCE = "Unknown source"
MOST_BLOCKS = 10

# A block is JSON from a search, perhaps of an index that somebody else filled: any key may be missing.
Block = Mapping[str, Any]


def synthesize_multimodal_response(content_blocks: Iterable[Block], user_query: str) -> str:
    """Compose a markdown answer with embedded images, citing document and page after each piece.

    Args:
        content_blocks: Blocks as `rag_semantic_search` returns them in `results`:
            - block_type: "image", or "text", which may be left out; blocks of another type are skipped
            - content: the text of a text block (also accepted: content_text)
            - image_url: where an image block is shown from (http, https, rag or file)
            - image_caption: what the image shows; "Diagram" when missing
            - filename: the source document (also accepted: document_title)
            - page_number: 1-based page of the file
            - citation: the citation as the server writes it, taken as it is; it knows printed page numbers
              and the lines of files without pages. Without it, filename and page_number make the citation
            - score: relevance; a missing score counts as 0
        user_query: The question, for the heading.

    Returns:
        A heading and the ten best blocks that can be shown, best first, blocks of equal score in the order
        given. An image without a usable URL is left out and does not take up one of the ten. A block with
        neither a citation nor both title and page is cited as "Unknown source". With nothing to show, the
        sentence "No relevant information found" and no heading.
    """
    ranked = sorted(content_blocks, key=_score, reverse=True)
    pieces = [piece for block in ranked if (piece := _piece(block))][:MOST_BLOCKS]
    if not pieces:
        return NOTHING_FOUND
    return "\n\n".join([f"# Answer to: {_one_line(user_query)}", *pieces])


def _score(block: Block) -> float:
    return float(block.get("score") or 0)


def _piece(block: Block) -> str:
    """The block and its citation in markdown; empty when there is nothing to show."""
    body = _image(block) if block.get("block_type") == "image" else _text(block)
    return f"{body}\n\n*{_citation(block)}*" if body else ""


def _text(block: Block) -> str:
    if block.get("block_type", "text") != "text":
        return ""
    return _inert(str(block.get("content") or block.get("content_text") or "").strip())


def _image(block: Block) -> str:
    url = _showable(str(block.get("image_url") or "").strip())
    caption = _one_line(str(block.get("image_caption") or "")) or "Diagram"
    return f"![{caption}]({url})" if url else ""


def _showable(url: str) -> str:
    """The URL, safe between markdown's parentheses; empty when no client could show it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https", "rag", "file"} or not (parts.netloc or parts.path):
        return ""
    # "%" stays, since a signed URL is encoded already and would break if it were encoded twice.
    return quote(url, safe="%:/?#@!$&'*+,;=~[]")


def _citation(block: Block) -> str:
    if given := _one_line(str(block.get("citation") or "")):
        return given
    title = _one_line(str(block.get("filename") or block.get("document_title") or ""))
    page = block.get("page_number")
    return f"(Source: {title}, S. {page})" if title and page else f"(Source: {UNKNOWN_SOURCE})"


def _one_line(text: str) -> str:
    # A backslash at the end would escape the bracket that closes a caption.
    return _inert(" ".join(text.split()).rstrip("\\"))


def _inert(text: str) -> str:
    # What a document says is data: it must not bring links, images or HTML of its own into the answer.
    # Backslashes before the bracket go, or a document's own backslash would undo ours.
    return re.sub(r"\\*([\[\]]|<(?=[A-Za-z/!?]))", r"\\\1", text)


EXAMPLE_QUERY = "How does the XYZ pump work?"
EXAMPLE_BLOCKS: list[Block] = [
    {
        "block_type": "text",
        "content": "The pump's efficiency is optimized through variable speed control, "
        "allowing adjustment based on system demand.",
        "filename": "operations-guide.pdf",
        "page_number": 12,
        "score": 0.81,
    },
    {
        "block_type": "text",
        "content": "The XYZ pump operates using a centrifugal mechanism that creates pressure differentials "
        "to move fluids through the system.",
        "filename": "technical-manual.pdf",
        "page_number": 45,
        "score": 0.95,
    },
    {
        "block_type": "image",
        "image_url": "https://storage.example.com/pump-diagram.jpg",
        "image_caption": "Diagram showing XYZ pump internal components",
        "filename": "technical-manual.pdf",
        "page_number": 46,
        "score": 0.88,
    },
]

if __name__ == "__main__":
    print(synthesize_multimodal_response(EXAMPLE_BLOCKS, EXAMPLE_QUERY))
