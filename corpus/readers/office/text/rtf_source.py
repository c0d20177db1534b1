"""Prepare RTF source for striprtf: remove hidden and struck-out text, and mark information that striprtf would drop.

Footnotes, comments and text boxes become paragraphs after the paragraph to which they are attached. Raised text, cells,
code and symbols get marks that no text contains.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from corpus.readers.formulas import EQUATION_FIELD
from corpus.readers.office.text.running_lines import PAGE_FIELD, PAGE_NUMBER
from corpus.readers.typography import Position, decode_symbols, end_mark, is_monospaced, is_symbol_font, start_mark

CELL, ROW, RUNNING, CODE = "\ufde0", "\ufde1", "\ufde2", "\ufde3"
"""Marks put after a cell, around the merges of a row, before a header or footer, and after a line of code."""

_TOKEN = re.compile(r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'[0-9a-fA-F]{2}|\\[^a-zA-Z]|[{}]|[^\\{}]+|\\", re.DOTALL)
_COLOURS = re.compile(r"\{\\colortbl([^{}]{0,20000})\}")
_FONT = re.compile(
    r"\{\\f(\d{1,5})[^{};]{0,200}?(?:\{[^{}]{0,200}\}[^{};]{0,200}?){0,4}?(?: |(?<=\}))([^;{}\\]{1,100});"
)
_LEVEL = re.compile(r"\\(red|green|blue)(\d{1,3})")
_GROUNDS = {"highlight", "chcbpat", "cb", "cbpat", "clcbpat", "clshdng", "chshdng", "shading", "trcbpat"}
_ASIDE = {"stylesheet", "fonttbl", "colortbl", "info", "listtable", "pict", "shp", "do", "shprslt"}
_FONTS_WITHIN = 1_000_000
"""Number of characters at the start of the file that must contain the font table."""

_TINY = 4
"""Largest font size that counts as unreadable, in half points."""

_RAISE = 4
"""Minimum shift, in half points, of raised or lowered text. Smaller shifts only align it."""

_PALEST = 250
"""Minimum level of each colour channel for text to count as white."""
_MERGES = {"clmrg": "<", "clvmrg": "^"}
_RUNNING = {"header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"}
_BULLET = re.compile(r"\\'[0-9a-fA-F]{2}|\\u-?\d+ ?")
_LIST_MARKS = {"listtext", "pntext"}
_BESIDE = {"footnote", "annotation", "shptxt", "dptxbxtext"} | _LIST_MARKS | _RUNNING


@dataclass(frozen=True, slots=True)
class _Format:
    """Formatting of a group's text, and the reasons why the text is hidden."""

    hidden: bool = False
    deleted: bool = False
    struck: bool = False
    white: bool = False
    tiny: bool = False
    aside: bool = False
    """Whether the group is not page text but styles, fonts and the like."""

    position: Position | None = None
    is_copy: bool = False
    """Whether the group is an alternative, for older programs, to other content in the file."""

    font: str = ""
    word: str = ""
    """The destination of the group."""

    @property
    def is_unseen(self) -> bool:
        """Whether text in this format is invisible."""
        return not self.aside and (self.hidden or self.white or self.tiny)


@dataclass(slots=True)
class _Sink:
    """Collects the source of the document's text, or of separate text such as a note."""

    kind: str = ""
    parts: list[str] = field(default_factory=list)
    position: Position | None = None
    code: set[bool] = field(default_factory=set)


class RtfSource:
    """Prepared source. `text` is the source for striprtf. `unseen` counts hidden passages, and `left_out` struck-out
    and deleted ones."""

    def __init__(self, source: str) -> None:
        self._white = set() if any(f"\\{ground}" in source for ground in _GROUNDS) else _white_colours(source)
        self._fonts = {number: name.strip() for number, name in _FONT.findall(source[:_FONTS_WITHIN])}
        self._has_first_page, self._has_facing_pages = "\\titlepg" in source, "\\facingp" in source
        self._default = (re.search(r"\\deff(\d{1,5})", source) or ["", ""])[1]
        self._typewritten = is_monospaced(self._fonts.get(self._default))
        self.unseen, self.left_out = 0, Counter[str]()
        self._now, self._groups = _Format(font=self._default), list[tuple[_Format, bool]]()
        self._sinks = [_Sink()]
        self._behind, self._footers = list[str](), list[str]()
        self._headers_seen: set[str] = set()
        self._notes, self._author, self._field = 0, "", ""
        self._merges, self._merge = list[str](), ""
        self._in_table, self._starred, self._left_out_kind = False, False, ""
        self._unicode_skip, self._skip, self._skips_in_silence = 1, 0, False
        for match in _TOKEN.finditer(source):
            self._take(match[0], match[1], match[2])
        while len(self._sinks) > 1:
            self._end_beside()
        body = "".join(self._sinks[0].parts)
        end = "".join(f"\\par {text}\\par " for text in (*self._behind, *self._footers))
        closing = body.rstrip().endswith("}")
        self.text = f"{body.rstrip()[:-1]}{end}}}" if closing else body + end

    def _take(self, part: str, word: str | None, number: str | None) -> None:
        if part == "{":
            self._groups.append((self._now, False))
            self._put(part)
            self._skip = 0
        elif part == "}":
            self._close()
        elif part == "\\*":
            self._starred = True
        elif word:
            self._word(part, word, number)
        else:
            self._text(part)

    def _close(self) -> None:
        self._skip = 0
        if not self._groups:
            self._put("}")
            return
        self._now, is_beside = self._groups.pop()
        if is_beside:
            self._end_beside()
        self._put("}")

    def _word(self, part: str, word: str, number: str | None) -> None:  # noqa: PLR0912  one case per word
        starred, self._starred = self._starred, False
        if word == "moMath":
            self.left_out["equation"] += 1
        if word in _BESIDE and self._groups and self._is_printed(word):
            self._begin_beside(word)
            return
        if starred or word in _ASIDE:
            self._now = replace(self._now, aside=True, word=word, is_copy=self._now.is_copy or word == "shprslt")
            self._put(f"\\*{part}" if starred else part)
            return
        if word == "fldrslt":
            self.left_out["equation"] += bool(EQUATION_FIELD.match(self._field))
            self._now = replace(self._now, word="page" if PAGE_FIELD.match(self._field) else "fldrslt")
            self._field = ""
        if word == "u":
            self._unicode(part, number)
        elif word in ("par", "sect", "page", "line"):
            self._end_paragraph(part, word)
        elif word in ("cell", "nestcell"):
            self._end_position()
            self._put(_sign(CELL) if word == "cell" else ", ")
        elif word in ("row", "nestrow"):
            self._end_row(word)
        elif word in ("trowd", "cellx", *_MERGES):
            self._define_row(word, number)
            self._put(part)
        else:
            if word in ("intbl", "pard") and len(self._sinks) == 1:
                self._in_table = word == "intbl"
            elif word == "uc":
                self._unicode_skip = int(number or 1)
            elif word == "ftnalt" and len(self._sinks) > 1:
                self._sinks[-1].kind = "endnote"
            elif word == "chpgn" and self._sinks[-1].kind:
                self._put(_sign(PAGE_NUMBER))
            self._now = _after(self._now, word, number, self._white, self._default)
            self._put(part)
            if word == "plain" and self._default:  # `plain` also resets the code page to that of the default font
                self._put(f"\\f{self._default} ")

    def _is_printed(self, word: str) -> bool:
        """Return whether this header, footer or note appears on any page."""
        if self._now.is_copy:
            return False
        if word.endswith("f") and word in _RUNNING:
            return self._has_first_page
        return word not in _RUNNING or word in ("header", "footer") or self._has_facing_pages

    def _text(self, part: str) -> None:
        starred, self._starred = self._starred, False
        now = self._now
        if now.word == "atnauthor":
            self._author += part
        elif now.word == "fldinst":
            self._field += part
        if now.aside or starred:
            self._put(part)
        elif self._skip and part[:1] != "\\":
            skipped, self._skip = part[: self._skip], max(0, self._skip - len(part))
            self._put("" if self._skips_in_silence else skipped)
            if part[len(skipped) :]:
                self._say(part[len(skipped) :])
        elif self._skip and part.startswith("\\'"):
            self._skip -= 1
            self._put("" if self._skips_in_silence else part)
        else:
            self._say(part)

    def _unicode(self, part: str, number: str | None) -> None:
        """Handle `\\u`, which encodes a character by its number. Skip the substitute that follows it for older
        programs."""
        code = (int(number or 0) + 0x10000) % 0x10000
        if self._is_gone(chr(code)):
            self._skip, self._skips_in_silence = self._unicode_skip, True
            return
        sign = decode_symbols(chr(code), self._fonts.get(self._now.font))
        self._position()
        self._see_font(sign)
        self._put(part if sign == chr(code) else f"\\u{ord(sign)} ")
        self._skip, self._skips_in_silence = self._unicode_skip, False

    def _say(self, part: str) -> None:
        if self._is_gone(part):
            return
        if part.strip():
            self._position()
            self._see_font(part)
        elif self._now.position is None and part.strip("\r\n"):
            self._end_position()
        name = self._fonts.get(self._now.font)
        if is_symbol_font(name) and (part.startswith("\\'") or part[:1] != "\\"):
            letters = chr(int(part[2:], 16)) if part.startswith("\\'") else part.replace("\r", "").replace("\n", "")
            self._put(
                "".join(_sign(sign) if ord(sign) > 0x7F else sign for sign in decode_symbols(letters, name, "latin-1"))
            )
        else:
            self._put(part)

    def _is_gone(self, part: str) -> bool:
        """Return whether the text is omitted, and count it once per passage."""
        now = self._now
        kind = (
            "page" if now.word == "page"
            else "hidden" if now.is_unseen
            else "deleted passage" if now.deleted
            else "struck passage" if now.struck
            else ""
        )  # fmt: skip
        if not part.strip():
            return bool(kind)
        if kind == "page":
            if self._sinks[-1].kind in _RUNNING:
                self._put(_sign(PAGE_NUMBER))
                return True
            return False
        if kind and kind != self._left_out_kind:
            if kind == "hidden":
                self.unseen += 1
            else:
                self.left_out[kind] += 1
        self._left_out_kind = kind
        return bool(kind)

    def _put(self, part: str) -> None:
        self._sinks[-1].parts.append(part)

    def _position(self) -> None:
        sink, position = self._sinks[-1], self._now.position
        if position != sink.position:
            if sink.position:
                self._put(_sign(end_mark()))
            if position:
                self._put(_sign(start_mark(position)))
            sink.position = position

    def _end_position(self) -> None:
        if self._sinks[-1].position:
            self._put(_sign(end_mark()))
            self._sinks[-1].position = None

    def _see_font(self, part: str) -> None:
        if part.strip() and not self._typewritten:
            self._sinks[-1].code.add(is_monospaced(self._fonts.get(self._now.font)))

    def _end_paragraph(self, part: str, word: str) -> None:
        self._end_position()
        if self._now.aside:
            self._put(part)
        elif len(self._sinks) > 1 or self._in_table:
            self._put(" ")
        else:
            if self._sinks[0].code == {True}:
                self._put(_sign(CODE))
            self._put(part)
            if word != "line":
                self._sinks[0].code = set()
                self._flush()

    def _end_row(self, word: str) -> None:
        if word == "nestrow":
            self._put("; ")
            return
        self._put(f"{_sign(ROW)}{' '.join(self._merges)}{_sign(ROW)}\\row ")
        self._in_table = False
        self._sinks[0].code = set()
        self._flush()

    def _define_row(self, word: str, number: str | None) -> None:
        """Record the right edge of each cell, after its merge mark."""
        if word == "trowd":
            self._merges, self._merge = [], ""
        elif word == "cellx":
            self._merges.append(f"{self._merge or '.'}{number or 0}")
            self._merge = ""
        else:
            self._merge = _MERGES[word]

    def _begin_beside(self, word: str) -> None:
        before, _ = self._groups[-1]
        self._groups[-1] = (before, True)
        self._sinks.append(_Sink(word))
        self._now = replace(self._now, aside=False, position=None, word=word)

    def _end_beside(self) -> None:
        self._end_position()
        sink = self._sinks.pop()
        inner = "".join(sink.parts)
        if sink.kind in _LIST_MARKS:
            mark = re.sub(r"\\tab ?|\t", "", inner)
            self._put(f"{{{mark if _says(_BULLET.sub('', mark)) else '-'}}} ")
            return
        if not _says(inner):
            return
        if sink.kind in _RUNNING:
            kind = "Footer" if sink.kind.startswith("footer") else "Header"
            if inner in self._headers_seen:
                return
            self._headers_seen.add(inner)
            text = f"{{{_sign(RUNNING)}\\plain {kind}: {inner}}}"
            if kind == "Footer":
                self._footers.append(text)
            else:
                self._sinks[0].parts.append(f"{text}\\par ")
        elif sink.kind in ("footnote", "endnote"):
            self._notes += 1
            self._behind.append(f"{{\\plain {sink.kind.capitalize()} {self._notes}: {inner}}}")
        elif sink.kind == "annotation":
            author, self._author = " ".join(self._author.split()), ""
            self._behind.append(f"{{\\plain Comment{f' ({author})' if author else ''}: {inner}}}")
        else:
            self._behind.append(f"{{\\plain {inner}}}")

    def _flush(self) -> None:
        """Put the content attached to a paragraph after the paragraph."""
        behind, self._behind = self._behind, []
        for text in behind:
            self._sinks[0].parts.append(f"\\par {text}\\par ")


def _after(now: _Format, word: str, number: str | None, white: set[int], font: str) -> _Format:  # noqa: PLR0911  one case per word
    """Return the format after a control word. `\\plain` resets it."""
    value = None if number is None else int(number)
    match word:
        case "plain":
            return replace(now, hidden=False, white=False, tiny=False, struck=False, position=None, font=font)
        case "v":
            return replace(now, hidden=value != 0)
        case "deleted":
            return replace(now, deleted=value != 0)
        case "strike" | "striked":
            return replace(now, struck=value != 0)
        case "cf":
            return replace(now, white=value in white)
        case "fs":
            return replace(now, tiny=value is not None and value <= _TINY)
        case "f":
            return replace(now, font=number or "")
        case "super" | "sub":
            return replace(
                now,
                position="raised" if word == "super" and value != 0 else "lowered" if value != 0 else None,
            )
        case "up" | "dn":
            moved = (6 if value is None else value) >= _RAISE
            return replace(now, position=("raised" if word == "up" else "lowered") if moved else None)
        case "nosupersub":
            return replace(now, position=None)
    return now


def _sign(character: str) -> str:
    return f"{{\\uc0\\u{ord(character)} }}"


def _says(source: str) -> bool:
    return bool(
        re.search(r"[^\W_]", re.sub(r"\\[a-z]{1,32}(?:-?\d{1,10})? ?|\\\*", "", re.sub(r"\\u-?\d+ ?", "x", source)))
    )


def _white_colours(source: str) -> set[int]:
    table = _COLOURS.search(source)
    colours = table[1].split(";") if table else []
    numbers = set()
    for number, colour in enumerate(colours):
        levels = {name: int(value) for name, value in _LEVEL.findall(colour)}
        if len(levels) == 3 and min(levels.values()) >= _PALEST:
            numbers.add(number)
    return numbers
