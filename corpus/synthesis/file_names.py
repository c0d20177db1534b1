"""Names of files found in a text, with case and compatible letters set aside; offsets are those of the text itself."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from corpus.documents.document import Document

_HEAD = 3
"""First letters that names are kept by, so that few lengths are tried at each place."""


class FileNames:
    """The documents by their file names."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents: defaultdict[str, list[Document]] = defaultdict(list)
        for document in documents:
            if name := _letters(document.filename):
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
        self.text = _letters(line)
        if not line.isascii():
            self._places = [n for n, letter in enumerate(line) if n == 0 or not _joins(letter)] + [len(line)]
            starts = [0]
            for first, last in zip(self._places, self._places[1:], strict=False):
                starts.append(starts[-1] + len(_letters(line[first:last])))
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


def _letters(text: str) -> str:
    """As `folded`, but letter by letter: what a text becomes is what its letters become, one behind the other."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _joins(letter: str) -> bool:
    """Whether it may become one letter with that before it: a mark, or a vowel or end of a Hangul syllable."""
    if letter.isascii():
        return False
    first = unicodedata.normalize("NFKD", letter)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"
