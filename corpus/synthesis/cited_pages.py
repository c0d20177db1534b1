"""Find the files and pages that an answer cites by file name."""

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

_HEAD = 3
"""Characters of the prefix that indexes names, so that few lengths are tried at each offset."""


class FileNames:
    """Finds file names of the documents in a text, ignoring case and compatibility forms (NFKC)."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents: defaultdict[str, list[Document]] = defaultdict(list)
        for document in documents:
            if name := _fold(document.filename):
                self._documents[name].append(document)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for name in self._documents:
            lengths[name[:_HEAD]].add(len(name))
        self._lengths = {head: sorted(sizes, reverse=True) for head, sizes in lengths.items()}

    def within(self, line: str) -> Iterator[tuple[int, list[Document]]]:
        """The offset in the line at which each file name ends, and the documents of that name, in order of the names'
        starts. The longest name at a start wins; a name inside a longer word does not count."""
        folded = _Folded(line)
        for at in folded.beginnings():
            if name := self._longest(folded.text, at):
                yield folded.place(at + len(name)), self._documents[name]

    def _longest(self, text: str, at: int) -> str | None:
        for size in range(_HEAD, 0, -1):
            for length in self._lengths.get(text[at : at + size], ()):
                if (name := text[at : at + length]) in self._documents:
                    return name
        return None


class _Folded:
    """A line and its folded text. `_starts` are the offsets of its characters with their combining marks in the folded
    text, `_places` those in the line."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._starts: Sequence[int] = range(len(line) + 1)
        self._places: Sequence[int] = self._starts
        self.text = _fold(line)
        if not line.isascii():
            self._places = [n for n, character in enumerate(line) if n == 0 or not _joins(character)]
            self._places.append(len(line))
            starts = [0]
            for first, last in zip(self._places, self._places[1:], strict=False):
                starts.append(starts[-1] + len(_fold(line[first:last])))
            self._starts = starts

    def beginnings(self) -> Iterator[int]:
        """Offsets in the folded text at which a word may begin."""
        before = " "
        for start, place in zip(self._starts, self._places, strict=True):
            if not (before.isalnum() or before in "-_."):
                yield start
            before = self._line[place : place + 1]

    def place(self, offset: int) -> int:
        """The offset in the line for one in the folded text."""
        return self._places[bisect_left(self._starts, offset)]


def _fold(text: str) -> str:
    """The text case-folded and in NFKC. The result for a text is the concatenation of those for its characters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _joins(character: str) -> bool:
    """Whether NFKC may compose it with the character before: a combining mark, or a Hangul vowel or final."""
    if character.isascii():
        return False
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"


_LISTED = re.compile(r"\s*(?:[-*]\s+)?\[\^?(\d{1,5})\][:.]?\s")
_REST = re.compile(r"[^\n;\]]{0,120}")
_MAX_PAGES = 100
"""Pages of one citation."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A cited document with its pages, sorted; empty where the answer names no page. `number` is that of a source list
    entry, `[3] manual.pdf`, or None."""

    number: int | None
    document: Document
    pages: tuple[int, ...]

    @property
    def page_range(self) -> str:
        """The pages as a citation shows them: `1-3`, or `1, 3`."""
        if len(self.pages) > 1 and self.pages[-1] - self.pages[0] == len(self.pages) - 1:
            return f"{self.pages[0]}-{self.pages[-1]}"
        return ", ".join(map(str, self.pages))


def cited_pages(text: str, documents: Sequence[Document], most: int) -> list[Cited]:
    """At most `most` citations in order, each once. An entry of a numbered source list is one citation with all pages
    of its line; elsewhere each page is a citation of its own. Slow for many documents: call it in a thread."""
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
                groups = [(page,) for page in pages] if pages and number is None else [pages]
                yield from (Cited(number, document, group) for document in documents for group in groups)
            number = None if pages else number


def _in_folder(documents: Sequence[Document], written: str) -> Sequence[Document]:
    """Of files with the same name, those whose path agrees furthest with the text: `2024/bill.pdf`."""
    if len(documents) < 2:
        return documents
    steps = [_steps(PurePath(document.source_path).parts, written.casefold()) for document in documents]
    most = max(steps)
    return [document for document, count in zip(documents, steps, strict=True) if count == most]


def _steps(path: Sequence[str], written: str) -> int:
    """How many parts at the end of a path end the text."""
    count = 0
    while count < len(path) and written.endswith("/".join(path[-count - 1 :]).casefold()):
        count += 1
    return count


def _pages(line: str, end: int) -> tuple[int, ...]:
    rest = _REST.match(line, end)
    return tuple(sorted(place_in(rest[0].split(")")[0] if rest else "").pages)[:_MAX_PAGES])
