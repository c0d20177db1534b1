"""Print an answer on a terminal as laid-out Markdown, with links from citations to file and page.

A table that is too wide for the terminal is shown as records, with one line `column: value` for each cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.synthesis.answer import Source, Synthesis
from corpus.synthesis.refusal import answered_words, body_of, without_refusal
from corpus.synthesis.verdict_notes import remove_notes
from corpus.text.markdown import unescape
from server.answer_page.answer_text import citations_once, with_answer_marked
from server.answer_page.page_data import placed
from server.commands.terminal import lines

if TYPE_CHECKING:
    from markdown_it.token import Token
    from rich.console import Console

IMAGE = re.compile(r"!\[((?:\\.|[^\]\\!]|!(?!\[))*+)\]\(rag://blocks/([^)/]{1,200})/image\)")
_NAMED = re.compile(r"(?:fig(?:ure)?|abb(?:ildung)?|diagram|chart|schaubild)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\\\]])\[(\d{1,5})\](?![(\[:])")


def print_answer(console: Console, text: str, sources: Sequence[Source]) -> None:
    """Print an answer. `text` has no control characters. The console determines width and colours."""
    from markdown_it import MarkdownIt
    from rich.markdown import Markdown

    links = not (console.is_dumb_terminal or console.legacy_windows)
    ours = {address for one in sources if (address := file_address(one))}
    parser = MarkdownIt().enable("table")
    # Only our files become links. By default, the parser refuses `file://` links.
    parser.validateLink = lambda url: url in ours  # type: ignore[method-assign]
    document = Markdown("", hyperlinks=links)
    text = with_records(text, console.width)
    document.parsed = parser.parse(linked(text, sources) if links else text)
    console.print(document)


def for_terminal(made: Synthesis, question: str) -> str:
    """Return the answer as Markdown to print below a line that says whether the question is answered. Omit the title,
    because the user has just typed it, and any repetition of that line. Replace figures by their captions."""
    text = remove_notes(made.answer) if made.mode == "compose" else made.answer
    text = lines(text)
    answered = answered_words(made)
    claims = placed(text, made.claims, made.sources) if answered else ()
    body = without_refusal(body_of(citations_once(with_answer_marked(text, claims, question))))
    return IMAGE.sub(_as_caption, body)


def _as_caption(match: re.Match[str]) -> str:
    names_itself = _NAMED.match(match[1])
    return f"> {match[1]}" if names_itself else f"> **Figure** {match[1]}"


def linked(text: str, sources: Sequence[Source]) -> str:
    """Return the Markdown with links around the citations of files that exist on this machine."""
    addresses = {source.citation_number: file_address(source) for source in sources}
    by_citation = {lines(one.citation): addresses[one.citation_number] for one in sources}
    known = [citation for citation, address in by_citation.items() if address]
    if known:
        # Match the longest citations first, because one citation may be the beginning of another.
        pattern = re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))))
        text = pattern.sub(lambda match: f"[{match[0]}](<{by_citation[match[0]]}>)", text)
    return _NUMBER.sub(lambda match: _numbered(match, addresses), text)


def file_address(source: Source) -> str | None:
    """Return the `file://` URL of the source's file, with the page number for PDFs, because PDF viewers support that.
    Return None if there is no file."""
    if source.hit is None or not source.hit.document.source_path:
        return None
    path = Path(source.hit.document.source_path)
    if not path.is_absolute():
        return None
    page = source.hit.block.page_number
    at = f"#page={page}" if page is not None and path.suffix.lower() == ".pdf" else ""
    try:
        return path.as_uri() + at
    except UnicodeEncodeError:  # a name that is not valid Unicode
        return None


def _numbered(match: re.Match[str], addresses: dict[int, str | None]) -> str:
    address = addresses.get(int(match[1]))
    return f"[\\[{match[1]}\\]](<{address}>)" if address else match[0]


MAX_LINES = 3
"""Maximum number of lines for a table row. If a row needs more lines, records are easier to read."""
_BETWEEN = 3
"""Number of terminal columns between two cells."""

Cells = list[str]


def with_records(text: str, width: int) -> str:
    """Return the Markdown with records in place of each table that does not fit into `width` columns."""
    from markdown_it import MarkdownIt

    lines = text.split("\n")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for at in reversed([n for n, token in enumerate(tokens) if token.type == "table_open" and not token.level]):
        span, rows = tokens[at].map, _rows(tokens[at:])
        if span and rows and not _fits(rows, width):
            lines[span[0] : span[1]] = [*_records(rows), ""]
    return "\n".join(lines)


def _rows(tokens: Sequence[Token]) -> list[Cells]:
    """Return the header row and the other rows of the table that begins with `tokens`."""
    rows: list[Cells] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(token.content.strip())
    return rows


def _fits(rows: Sequence[Cells], width: int) -> bool:
    from rich.cells import cell_len

    columns = list(zip(*rows, strict=False))
    narrowest = sum(max(max((cell_len(word) for word in unescape(cell).split()), default=0) for cell in column)
                    for column in columns)  # fmt: skip
    widest = sum(max(cell_len(unescape(cell)) for cell in column) for column in columns)
    room = width - _BETWEEN * len(columns)
    return narrowest <= room and widest <= MAX_LINES * room


def _records(rows: Sequence[Cells]) -> list[str]:
    head, *records = rows
    written: list[str] = []
    for row in records:
        cells = [f"**{name}:** {cell}" if name else cell for name, cell in zip(head, row, strict=False) if cell]
        written += ["", "  \n".join(cells)]
    return written
