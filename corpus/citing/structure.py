"""Split an answer's Markdown into blocks: paragraphs, list items, table rows, headings, and non-prose.

This is a custom scanner, because Markdown parsers report lines but no offsets and are slow on hostile input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

BLANK = "\x00"
"""Replacement for each character that is not prose. Line ends are preserved."""

_OPAQUE = re.compile(
    r"""
    ^[ \t]*+(?:(?:>|[-*+][ ]|\d{1,3}[.)][ ])[ \t]*+)*+(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)[^\n]*(?:\n|\Z)
    | (?P<comment><!--) | (?P<math>\$\$)
    """,
    re.VERBOSE | re.MULTILINE,
)
_ENDS_OF_LINES = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"))
_UNSPEAKABLE = re.compile("[\ud800-\udfff]")
_MARKS = re.compile(r"[ \t\x00]*+(?:>[ \t]*+)*+")
_MAX_MATH = 3_000
"""Maximum length of displayed math, in characters. The limit keeps the scan time linear in the number of dollar
signs."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line. `start` and `end` are the offsets of `body`; `opaque` is True if the entire line was blanked; `indent` is
    its indentation in columns."""

    start: int
    end: int
    body: str
    indent: int
    opaque: bool


def without_opaque(answer: str) -> str:
    """Return the answer at its original length, with fenced code, comments and displayed math blanked, and uniform line
    ends."""
    text = _UNSPEAKABLE.sub("\ufffd", answer).replace("\r\n", " \n").translate(_ENDS_OF_LINES)
    comments_end = text.rfind("-->")
    parts: list[str] = []
    at = 0
    while match := _OPAQUE.search(text, at):
        end = _end_of(text, match, comments_end)
        parts += (text[at : match.start()], _blank(text[match.start() : end]))
        at = end
    return "".join([*parts, text[at:]])


def _end_of(text: str, match: re.Match[str], comments_end: int) -> int:
    """Return the end offset of the code, comment or math. Unclosed code extends to the end of the text."""
    if match["fence"]:
        sign = re.escape(match["fence"])
        closing = re.compile(rf"^[ \t>]*{sign}[`~]*[ \t]*$", re.MULTILINE).search(text, match.end())
        return closing.end() if closing else len(text)
    if match["comment"]:
        return text.find("-->", match.end()) + 3 if match.end() <= comments_end else match.end()
    place = text.find("$$", match.end(), match.end() + _MAX_MATH)
    if place < 0 or "\n\n" in text[match.end() : place]:
        return match.end()
    return place + 2


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", BLANK, text)


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a text in order."""
    start = 0
    for line in text.split("\n"):
        match = _MARKS.match(line)
        skip = match.end() if match else 0
        body = line[skip:].rstrip(" \t" + BLANK)
        white = line[:skip].rpartition(">")[2]
        yield Line(
            start=start + skip,
            end=start + skip + len(body),
            body=body,
            indent=len(white.expandtabs(4)),
            opaque=not body and BLANK in line,
        )
        start += len(line) + 1


BlockKind = Literal["paragraph", "item", "row", "heading", "head", "entry", "other"]


@dataclass(slots=True)
class Block:
    """A block. `pieces` are offsets of its lines into the answer, without list marks, quotation marks and indents.

    `head` is a table header row; `entry` is a source list line or a definition of a link or footnote; `other` is a rule
    or code.
    """

    kind: BlockKind
    pieces: list[tuple[int, int]] = field(default_factory=list)


_HEADING = re.compile(r"#{1,6}(?:\s+|$)")
_SETEXT = re.compile(r"(?:=+|-+)\s*$")
_RULE = re.compile(r"(?:(?:\*\s*){3,}|(?:_\s*){3,}|(?:-\s*){3,})$")
_MONTH = "Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez"
_ITEM = re.compile(rf"(?:[-*+•–◦▪]|(\d{{1,9}})[.)](?!\s(?:{_MONTH})))\s+(?:\[[ xX]\]\s+)?(?=\S)")
_BARE_ITEM = re.compile(r"(?:[-*+•]|\d{1,9}[.)])$")
_DEFINITION = re.compile(
    r"\[[^\[\]\n]{1,200}\]:(?:\s|$)"
    r"|\[\^?\d{1,9}\^?\]\\:\s++(?:[^\n]{0,160}?[^\s.]\.[A-Za-z][A-Za-z0-9]{1,4}(?:[,;:)\s]|$)|https?://|[*(\[]{0,2}(?:Source|Quelle):)"
)
"""Pattern for a definition of a link, footnote or source. A definition with an escaped colon is rendered as text, and
counts only if it refers to a file or an address."""
_DELIMITER = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$")


def blocks_of(answer: str) -> tuple[str, list[Block]]:
    """Return the answer, with code, comments and displayed math blanked at their original length, and its blocks in
    order."""
    text = without_opaque(answer)
    scan = _Scan(text, list(lines_of(text)))
    return text, [block for block in scan.blocks() if block.pieces]


@dataclass(slots=True)
class _Scan:
    text: str
    lines: list[Line]
    at: int = 0
    open: Block | None = None
    in_list: bool = False
    after_empty: bool = True
    in_code: bool = False

    def blocks(self) -> Iterator[Block]:
        while self.at < len(self.lines):
            before = self.open
            started = self._step(self.lines[self.at])
            if started:
                yield from started
            elif self.open is not before and self.open is not None:
                yield self.open
            self.at += 1

    def _step(self, line: Line) -> list[Block] | None:  # noqa: PLR0911 - one line for each kind of line
        """Return the blocks that this line completes. A paragraph or item remains open, because further lines may
        belong to it."""
        body = line.body
        if not body and not line.opaque:
            self._close(empty=True, listed=self.in_list)
            return None
        self.in_code = line.indent >= 4 and (self.in_code or self.after_empty) and not self.in_list
        if line.opaque or self.in_code:
            return self._whole("other", line)
        if self._is_setext(body):
            self._close()
            return None
        if match := _HEADING.match(body):
            return self._whole("heading", line, match.end())
        if _RULE.match(body):
            return self._whole("other", line)
        if _DEFINITION.match(body):
            return self._definition(line)
        if self._is_table(body):
            return self._table()
        self._go_on(line)
        return None

    def _go_on(self, line: Line) -> None:
        match = _ITEM.match(line.body)
        numbered = match and match[1] not in (None, "1")
        if match and not (numbered and self.open and self.open.kind == "paragraph"):
            self._start("item", line, match.end())
            self.in_list = True
        elif _BARE_ITEM.match(line.body):
            self._close(listed=True)
        elif self.open:
            self.open.pieces.append((line.start, line.end))
        else:
            self.in_list = self.in_list and line.indent >= 2
            self._start("item" if self.in_list else "paragraph", line, 0)
        self.after_empty = False

    def _start(self, kind: BlockKind, line: Line, skip: int) -> None:
        self.open = Block(kind, [(line.start + skip, line.end)])

    def _close(self, *, empty: bool = False, listed: bool = False) -> None:
        self.open, self.after_empty, self.in_list = None, empty, listed

    def _whole(self, kind: BlockKind, line: Line, skip: int = 0) -> list[Block]:
        self._close()
        return [Block(kind, [(line.start + skip, line.end)])]

    def _is_setext(self, body: str) -> bool:
        """Return whether this line underlines the line above and so makes that line a heading."""
        block = self.open
        if not (block and block.kind == "paragraph" and len(block.pieces) == 1 and _SETEXT.match(body)):
            return False
        start, end = block.pieces[0]
        if self.text[start:end].rstrip().endswith((".", "!", "?", "]", ")", ":", "。")):
            return False
        block.kind = "heading"
        return True

    def _definition(self, line: Line) -> list[Block]:
        """Return a definition with its continuation lines."""
        block = Block("entry", [(line.start, line.end)])
        while self.at + 1 < len(self.lines):
            after = self.lines[self.at + 1]
            if after.opaque or not after.body or (after.indent < 2 and not after.body.startswith("[")):
                break
            if _DEFINITION.match(after.body):
                break
            block.pieces.append((after.start, after.end))
            self.at += 1
        self._close()
        return [block]

    def _is_table(self, body: str) -> bool:
        if body.startswith("|") and body.count("|") > 1:
            return True
        after = self.lines[self.at + 1].body if self.at + 1 < len(self.lines) else ""
        return "|" in body and "|" in after and bool(_DELIMITER.match(after))

    def _table(self) -> list[Block]:
        rows: list[Block] = []
        outer = self.lines[self.at].body.startswith("|")
        last = self.at
        for place in range(self.at, len(self.lines)):
            line = self.lines[place]
            if line.opaque or not ("|" in line.body if not outer else line.body.startswith("|")):
                break
            last = place
            if _DELIMITER.match(line.body):
                if all(row.kind == "row" for row in rows[:2]):
                    rows = [Block("head", row.pieces) for row in rows]
                rows.append(Block("other", [(line.start, line.end)]))
            else:
                rows.append(Block("row", [(line.start, line.end)]))
        self.at = last
        self._close()
        return rows
