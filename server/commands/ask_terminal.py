"""The answer on a terminal: Markdown laid out, and each citation a link to its file and page where links work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.synthesis.answer import Source
from server.commands.shown import lines

if TYPE_CHECKING:
    from rich.console import Console

_NUMBER = re.compile(r"(?<![\\\]])\[(\d{1,5})\](?![(\[:])")


def print_answer(console: Console, text: str, sources: Sequence[Source]) -> None:
    """`text` has no control characters. Width, colours and NO_COLOR are the console's own affair."""
    from markdown_it import MarkdownIt
    from rich.markdown import Markdown

    links = not (console.is_dumb_terminal or console.legacy_windows)
    ours = {address for one in sources if (address := file_address(one))}
    parser = MarkdownIt().enable("table")
    # Our files are links, which the parser would refuse, and nothing else is one.
    parser.validateLink = lambda url: url in ours  # type: ignore[method-assign]
    shown = Markdown("", hyperlinks=links)
    shown.parsed = parser.parse(linked(text, sources) if links else text)
    console.print(shown)


def linked(text: str, sources: Sequence[Source]) -> str:
    """The Markdown with links around the citations of files that lie on this machine."""
    addresses = {source.citation_number: file_address(source) for source in sources}
    by_citation = {lines(one.citation): addresses[one.citation_number] for one in sources}
    known = [citation for citation, address in by_citation.items() if address]
    if known:
        # The longest first: one citation may be how another begins.
        pattern = re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))))
        text = pattern.sub(lambda found: f"[{found[0]}](<{by_citation[found[0]]}>)", text)
    return _NUMBER.sub(lambda found: _numbered(found, addresses), text)


def file_address(source: Source) -> str | None:
    """`file://` of the source's file, with its page where viewers of PDFs understand that; None where there is none."""
    if source.hit is None or not source.hit.document.source_path:
        return None
    path = Path(source.hit.document.source_path)
    if not path.is_absolute():
        return None
    page = source.hit.block.page_number
    at = f"#page={page}" if page is not None and path.suffix.lower() == ".pdf" else ""
    try:
        return path.as_uri() + at
    except UnicodeEncodeError:  # a name that is no Unicode text
        return None


def _numbered(found: re.Match[str], addresses: dict[int, str | None]) -> str:
    address = addresses.get(int(found[1]))
    return f"[\\[{found[1]}\\]](<{address}>)" if address else found[0]
