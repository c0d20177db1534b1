"""The files and pages that a written answer names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from corpus.citing.source_lookup import place_in
from corpus.documents.document import Document
from corpus.synthesis.file_names import FileNames

_LISTED = re.compile(r"\s*(?:[-*]\s+)?\[\^?(\d{1,5})\][:.]?\s")
_REST = re.compile(r"[^\n;\]]{0,120}")
_MOST_PAGES = 100


@dataclass(frozen=True, slots=True)
class Cited:
    """`pages` are those of the file, sorted; none where it is named without a page."""

    number: int | None
    document: Document
    pages: tuple[int, ...]

    @property
    def called(self) -> str:
        """The pages as a citation has them: `1-3`, or `1, 3`."""
        if len(self.pages) > 1 and self.pages[-1] - self.pages[0] == len(self.pages) - 1:
            return f"{self.pages[0]}-{self.pages[-1]}"
        return ", ".join(map(str, self.pages))


def cited_pages(text: str, documents: Sequence[Document], most: int) -> list[Cited]:
    """What is named, each once, in order: by the number that its line gives it with all pages that the line names, or
    else each page by itself. Takes a while for many documents: for a thread."""
    found: dict[Cited, None] = {}
    for one in _cited(text, FileNames(documents)):
        found[one] = None
        if len(found) == most:
            break
    return list(found)


def _cited(text: str, names: FileNames) -> Iterator[Cited]:
    told = set[tuple[int | None, str, tuple[int, ...]]]()
    for line in text.splitlines():
        plain = line.replace("\\", "")
        listed = _LISTED.match(plain)
        number = int(listed[1]) if listed else None
        for end, called in names.within(plain):
            documents, pages = _in_folder(called, plain[:end]), _pages(plain, end)
            same = number, documents[0].doc_id, pages
            if same not in told:
                told.add(same)
                yield from _of(number, documents, pages)
            number = None if pages else number


def _in_folder(documents: Sequence[Document], written: str) -> Sequence[Document]:
    """Of files of one name those whose path is written furthest: `2024/bill.pdf`."""
    if len(documents) < 2:
        return documents
    steps = {one.doc_id: _steps(PurePath(one.source_path).parts, written.casefold()) for one in documents}
    most = max(steps.values())
    return [one for one in documents if steps[one.doc_id] == most]


def _steps(path: Sequence[str], written: str) -> int:
    """How many last steps of a path end the text."""
    count = 0
    while count < len(path) and written.endswith("/".join(path[-count - 1 :]).casefold()):
        count += 1
    return count


def _pages(line: str, end: int) -> tuple[int, ...]:
    rest = _REST.match(line, end)
    return tuple(sorted(place_in(rest[0].split(")")[0] if rest else "").pages)[:_MOST_PAGES])


def _of(number: int | None, documents: Sequence[Document], pages: tuple[int, ...]) -> Iterator[Cited]:
    together = [(page,) for page in pages] if pages and number is None else [pages]
    for document in documents:
        yield from (Cited(number, document, those) for those in together)
