"""The files and pages that a written answer names."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from corpus.citing.source_lookup import place_in
from corpus.documents.document import Document

# Names of files found in a text, with case and compatible letters set aside; offsets are those of the text itself.

_HEAD = 3
"""First letters that names are kept by, so that few lengths are tried at each place."""


class FileNames:
    """The documents by their file names."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents: defaultdict[str, list[Document]] = defaultdict(list)
        for document in documents:
            if name := _fold(document.filename):
                self._documents[name].append(document)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for name in self._documents:
            lengths[name[:_HEAD]].add(len(name))
        self._lengths = {head: sorted(found, reverse=True) for head, found in lengths.items()}

    def within(self, line: str) -> Iterator[tuple[int, list[Document]]]:
        """Where each name ends that stands in the line, in the order of where they begin, and the documents that have
        it. A name within a longer word is none, nor is one that a longer name begins with."""
        read = _Folded(line)
        for at in read.beginnings():
            if name := self._longest(read.text, at):
                yield read.place(at + len(name)), self._documents[name]

    def _longest(self, text: str, at: int) -> str | None:
        for size in range(_HEAD, 0, -1):
            for length in self._lengths.get(text[at : at + size], ()):
                if (name := text[at : at + length]) in self._documents:
                    return name
        return None


class _Folded:
    """`starts` are the offsets in the folded text of each letter with its marks, `places` those in the line."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._starts: Sequence[int] = range(len(line) + 1)
        self._places: Sequence[int] = self._starts
        self.text = _fold(line)
        if not line.isascii():
            self._places = [n for n, character in enumerate(line) if n == 0 or not _joins(character)] + [
                len(line)
            ]
            starts = [0]
            for first, last in zip(self._places, self._places[1:], strict=False):
                starts.append(starts[-1] + len(_fold(line[first:last])))
            self._starts = starts

    def beginnings(self) -> Iterator[int]:
        """Offsets in the folded text at which no word goes on."""
        before = " "
        for start, place in zip(self._starts, self._places, strict=True):
            if not (before.isalnum() or before in "-_."):
                yield start
            before = self._line[place : place + 1]

    def place(self, offset: int) -> int:
        """Of an offset in the folded text, in the line."""
        return self._places[bisect_left(self._starts, offset)]


def _fold(text: str) -> str:
    """As `folded`, but letter by letter: what a text becomes is what its letters become, one behind the other."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _joins(character: str) -> bool:
    """Whether it may become one letter with that before it: a mark, or a vowel or end of a Hangul syllable."""
    if character.isascii():
        return False
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"


_LISTED = re.compile(r"\s*(?:[-*]\s+)?\[\^?(\d{1,5})\][:.]?\s")
_REST = re.compile(r"[^\n;\]]{0,120}")
_MAX_PAGES = 100


@dataclass(frozen=True, slots=True)
class Cited:
    """`pages` are those of the file, sorted; none where it is named without a page."""

    number: int | None
    document: Document
    pages: tuple[int, ...]

    @property
    def page_range(self) -> str:
        """The pages as a citation has them: `1-3`, or `1, 3`."""
        if len(self.pages) > 1 and self.pages[-1] - self.pages[0] == len(self.pages) - 1:
            return f"{self.pages[0]}-{self.pages[-1]}"
        return ", ".join(map(str, self.pages))


def cited_pages(text: str, documents: Sequence[Document], most: int) -> list[Cited]:
    """What is named, each once, in order: by the number that its line gives it with all pages that the line names, or
    else each page by itself. Takes a while for many documents: for a thread."""
    citations: dict[Cited, None] = {}
    for citation in _cited(text, FileNames(documents)):
        citations[citation] = None
        if len(citations) == most:
            break
    return list(citations)


def _cited(text: str, names: FileNames) -> Iterator[Cited]:
    seen = set[tuple[int | None, str, tuple[int, ...]]]()
    for line in text.splitlines():
        plain = line.replace("\\", "")
        listed = _LISTED.match(plain)
        number = int(listed[1]) if listed else None
        for end, documents_of_name in names.within(plain):
            documents, pages = _in_folder(documents_of_name, plain[:end]), _pages(plain, end)
            same = number, documents[0].doc_id, pages
            if same not in seen:
                seen.add(same)
                yield from _of(number, documents, pages)
            number = None if pages else number


def _in_folder(documents: Sequence[Document], written: str) -> Sequence[Document]:
    """Of files of one name those whose path is written furthest: `2024/bill.pdf`."""
    if len(documents) < 2:
        return documents
    steps = {
        document.doc_id: _steps(PurePath(document.source_path).parts, written.casefold())
        for document in documents
    }
    most = max(steps.values())
    return [document for document in documents if steps[document.doc_id] == most]


def _steps(path: Sequence[str], written: str) -> int:
    """How many last steps of a path end the text."""
    count = 0
    while count < len(path) and written.endswith("/".join(path[-count - 1 :]).casefold()):
        count += 1
    return count


def _pages(line: str, end: int) -> tuple[int, ...]:
    rest = _REST.match(line, end)
    return tuple(sorted(place_in(rest[0].split(")")[0] if rest else "").pages)[:_MAX_PAGES])


def _of(number: int | None, documents: Sequence[Document], pages: tuple[int, ...]) -> Iterator[Cited]:
    page_groups = [(page,) for page in pages] if pages and number is None else [pages]
    for document in documents:
        yield from (Cited(number, document, pages_of_one) for pages_of_one in page_groups)
