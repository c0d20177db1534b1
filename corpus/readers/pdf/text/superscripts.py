"""Superscripts and subscripts, detected by size and baseline."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import rotate_box
from corpus.readers.pdf.text.glyphs import Glyphs
from corpus.readers.pdf.text.visibility import Characters
from corpus.readers.typography import subscript, superscript

_MAX_SMALL_SIZE = 0.88
"""Maximum ratio of the font size to that of adjacent text: browsers set `<sup>` at 0.83, Word, TeX and InDesign at 0.58
to 0.7."""

_MIN_RISE = 0.12  # Minimum rise in font sizes; less is rounding of the baseline.
_MAX_RISE = 0.9
"""Maximum rise in font sizes. TeX raises by 0.33 to 0.41, Word by 0.35, browsers by 0.3. Text raised by more than 0.9
is the line above."""

_MIN_DROP = 0.07  # Minimum drop in font sizes; less is rounding of the baseline.
_MAX_DROP = 0.5  # Maximum drop in font sizes: Word lowers by 0.08 to 0.14, TeX by 0.15 to 0.25, ReportLab by 0.5.
_MIN_LARGE_RISE = 0.28  # Minimum rise of large digits in font sizes; a font with a smaller rise has uneven baselines.
_MIN_LARGE_DROP = 0.2
"""Minimum drop in font sizes of digits that are nearly as large as the text; some programs shift them without
shrinking."""

_MAX_ATTACHED_GAP = 0.35
"""Maximum gap in font sizes before a superscript that belongs to a word; a space is 0.25 to 0.3."""

_MAX_GAP = 0.6
"""Maximum gap in font sizes after a superscript at which the line still continues: a wide space in a justified line."""

_MIN_GAP = -0.6  # Minimum gap in font sizes; negative, because a superscript may extend back over a slanted letter.
_MIN_STACKED_GAP = -1.5
"""Minimum gap in font sizes from the end of a subscript back to the start of the superscript above it."""

_MIN_SPACE = 0.15
"""Minimum gap in font sizes between characters of different words; kerning and side bearings are smaller."""

# Maximum distance, in font sizes, between baselines of one line, which rounding may separate.
_MAX_BASELINE_SHIFT = 0.1
_MAX_LENGTH = 12  # Maximum length in characters; longer small text next to large text is separate text.
_MAX_STRAY = 4  # Maximum length in characters of an exponent or mark that is drawn separately from its line.
_MIN_MAIN_SHARE = 0.25
"""Minimum fraction of a line's characters in its main size, because an exponent may be longer than its base."""

_LINE = re.compile(r"[^\r\n\x02\ufffe]+")
_DIGITS = re.compile(r"[\d+\-−–,]+")
_MARK = re.compile(r"\d{1,3}(?:[,;–-] ?\d{1,3})*|[^\W\d_]")
_DEGREE = re.compile(r"[o0◦○∘](?=\s?[CFK](?![a-z]))")
_BREAKS = "\r\n"

Level = Literal["raised", "lowered", ""]


class _Sign(NamedTuple):
    """A visible character: its index, font size in points, baseline as a distance from the page's top, and box. For
    rotated text, the values apply to the page after the text is made horizontal."""

    at: int
    text: str
    size: float
    baseline: float
    box: Box


@dataclass(slots=True)
class _Segment:
    """Adjacent characters on the same level. `is_attached` is true if the text before them is close enough to belong to
    them."""

    level: Level
    signs: list[_Sign]
    is_attached: bool

    @property
    def text(self) -> str:
        return "".join(sign.text for sign in self.signs)


Insertions = dict[int, str]
"""Text inserted after characters, keyed by index; empty where a line break was removed."""


def write_raised(chars: list[str], characters: Characters, glyphs: Glyphs) -> Insertions:
    """Write superscripts and subscripts into `chars`, the characters of the page with NUL for hidden ones. Remove
    PDFium's line breaks around them, and return the text that does not fit into `chars`."""
    result: Insertions = {}
    signs = list(_signs(chars, characters, glyphs))
    if len({(sign.size, sign.baseline) for sign in signs}) < 2:
        return result
    _join_lines(chars, signs, result)
    _place_strays(chars, signs, result)
    by_index = {sign.at: sign for sign in signs}
    for match in _LINE.finditer("".join(chars)):
        line = [by_index[index] for index in range(*match.span()) if index in by_index]
        if len({(sign.size, sign.baseline) for sign in line}) > 1 and _is_level(line):
            _write_line(chars, match.start(), line, result)
    return result


def with_additions(text: str, start: int, behind: Mapping[int, str]) -> str:
    """Return `text`, whose first character has index `start`, with the additional text inserted after its
    characters."""
    if not behind:
        return text
    return "".join(char + behind.get(start + place, "") for place, char in enumerate(text))


def _signs(chars: Sequence[str], characters: Characters, glyphs: Glyphs) -> Iterator[_Sign]:
    styles: dict[int, tuple[float, float, int]] = {}
    for index, address, box in zip(characters.indexes, characters.objects, characters.boxes.tolist(), strict=True):
        if chars[index] == "\0":
            continue
        if address not in styles:
            styles[address] = (glyphs.size(index), glyphs.baseline(index), -glyphs.direction(index))
        size, baseline, direction = styles[address]
        yield _Sign(index, chars[index], size, baseline, rotate_box(box, direction) if direction else box)


def _is_level(line: Sequence[_Sign]) -> bool:
    """Return whether the line is horizontal."""
    width = max(sign.box[2] for sign in line) - min(sign.box[0] for sign in line)
    return width > 0.5 * max(abs(line[-1].box[1] - line[0].box[1]), line[0].size)


def _level(sign: _Sign, base: _Sign) -> Level:
    """Return the level of a character relative to `base`."""
    rise = (base.baseline - sign.baseline) / base.size
    small = sign.size <= _MAX_SMALL_SIZE * base.size
    if not small and not _DIGITS.fullmatch(sign.text):
        return ""
    if (_MIN_RISE if small else _MIN_LARGE_RISE) <= rise <= _MAX_RISE:
        return "raised"
    return "lowered" if (_MIN_DROP if small else _MIN_LARGE_DROP) <= -rise <= _MAX_DROP else ""


def _join_lines(chars: list[str], signs: Sequence[_Sign], result: Insertions) -> None:
    """Remove line breaks within one line. PDFium starts a new line if the height of the characters changes."""
    base: _Sign | None = None
    for place, (sign, follower) in enumerate(pairwise(signs)):
        if base is None or (sign[2:4] != base[2:4] and not _level(sign, base)):
            base = sign
        if follower.at == sign.at + 1:
            continue
        between = range(sign.at + 1, follower.at)
        breaks = [index for index in between if chars[index] in _BREAKS]
        if not breaks:
            continue
        if not (_is_one_line(base, sign, follower) and _is_short(signs, place, base)):
            base = None
            continue
        gap = follower.box[0] - sign.box[2]
        space = gap > _MIN_SPACE * base.size and not any(chars[index].isspace() for index in between
                                                         if index not in breaks)  # fmt: skip
        for index in breaks:
            chars[index] = "\0"
            result[index] = ""
        if space:
            chars[breaks[0]] = " "


def _place_strays(chars: list[str], signs: Sequence[_Sign], result: Insertions) -> None:
    """Move raised and lowered digits that are drawn separately from their line to the position after the character to
    which they belong."""
    starts = [
        0,
        *(
            n
            for n, (a, b) in enumerate(pairwise(signs), 1)
            if (a.baseline != b.baseline or a.at + 1 != b.at) and _is_broken(chars, a, b)
        ),
        len(signs),
    ]
    for start, end in pairwise(starts):
        stray = signs[start:end]
        text = "".join(sign.text for sign in stray)
        if len(stray) > _MAX_STRAY or not _DIGITS.fullmatch(text):
            continue
        near = [n for n in range(len(signs)) if not start <= n < end and _is_stray_at(stray, signs[n])]
        if len(near) != 1:
            continue
        base, follower = signs[near[0]], signs[near[0] + 1 : near[0] + 2]
        if follower and not _is_broken(chars, base, follower[0]) and follower[0].box[0] < stray[-1].box[2] - 1:
            continue
        write = superscript if _level(stray[0], base) == "raised" else subscript
        context = "".join(chars[max(0, base.at - 20) : base.at + 1])
        result[base.at] = write(text, context)
        for sign in stray:
            chars[sign.at] = "\0"


def _is_stray_at(stray: Sequence[_Sign], base: _Sign) -> bool:
    gap = (stray[0].box[0] - base.box[2]) / base.size
    return -0.1 <= gap <= _MIN_SPACE and stray[0].size <= _MAX_SMALL_SIZE * base.size and bool(_level(stray[0], base))


def _is_broken(chars: Sequence[str], sign: _Sign, follower: _Sign) -> bool:
    jumps = follower.box[0] < sign.box[0] - sign.size and sign.baseline != follower.baseline
    return jumps or any(char in _BREAKS for char in chars[sign.at + 1 : follower.at])


def _is_one_line(base: _Sign, sign: _Sign, follower: _Sign) -> bool:
    """Return whether the line of `base`, which extends to `sign`, continues with `follower` on another level."""
    size = max(base.size, follower.size)
    gap = (follower.box[0] - sign.box[2]) / size
    if sign is base:
        return _MIN_GAP <= gap <= _MAX_GAP and bool(_level(follower, base) or _level(base, follower))
    if _level(follower, base):
        return _MIN_STACKED_GAP <= gap <= _MAX_GAP
    return _MIN_GAP <= gap <= _MAX_GAP and abs(follower.baseline - base.baseline) <= _MAX_BASELINE_SHIFT * base.size


def _is_short(signs: Sequence[_Sign], place: int, base: _Sign) -> bool:
    """Return whether the raised or lowered run at or after position `place` is short."""
    follower = signs[place + 1]
    if _level(follower, base):
        run = [_level(sign, base) for sign in signs[place + 1 : place + 2 + _MAX_LENGTH]]
    elif signs[place] is base:  # the run is a mark at the start of a line
        run = [_level(sign, follower) for sign in signs[max(0, place - _MAX_LENGTH) : place + 1][::-1]]
    else:
        return True
    return len(run) <= _MAX_LENGTH or "" in run


def _write_line(chars: list[str], start: int, line: Sequence[_Sign], result: Insertions) -> None:
    segments = _segments(line)
    for before, segment, after in zip([None, *segments], segments, [*segments[1:], None], strict=False):
        if segment.level and len(segment.signs) <= _MAX_LENGTH:
            _write(chars, start, segment, before, after, result)


def _write(
    chars: list[str],
    start: int,
    segment: _Segment,
    before: _Segment | None,
    after: _Segment | None,
    result: Insertions,
) -> None:
    first, end = segment.signs[0].at, segment.signs[-1].at + 1
    text = "".join(chars[first:end])
    behind = "".join(chars[end : end + 8]).replace("\0", "")
    if segment.level == "raised" and _is_fraction(text, after):
        if segment.is_attached and chars[first - 1].isdigit():
            result[first - 1] = " "  # a mixed number, such as two and a half
        if after and after.level == "lowered":
            result[after.signs[0].at - 1] = "/"
            after.level = ""
        return
    if segment.level == "raised" and (degree := _DEGREE.match(text + behind)) and degree.end() == len(text):
        chars[first:end] = ["°"]
        return
    if not segment.is_attached:
        if segment.level == "raised" and _MARK.fullmatch(text) and behind[:1].isalnum():
            result[end - 1] = " "
        return
    is_stacked = before is not None and before.level not in ("", segment.level)
    at = before.signs[0].at if before and is_stacked else first
    context = with_additions("".join(chars[max(start, at - 20) : at]), max(start, at - 20), result)
    context = context.replace("\0", "").rstrip("_^(") if is_stacked else context.replace("\0", "")
    write = superscript if segment.level == "raised" else subscript
    _replace_text(chars, first, text, write(text.replace("\0", ""), context), result)


def _replace_text(chars: list[str], first: int, text: str, replacement: str, result: Insertions) -> None:
    """Write a text's replacement over its characters."""
    end = first + len(text)
    if len(replacement) < len(text):
        chars[first:end] = [*replacement, *"\0" * (len(text) - len(replacement))]
        return
    spare = len(replacement) - len(text)
    lead = next((n for n in range(spare + 1) if not _differs(text, replacement[n : n + len(text)])), 0)
    chars[first:end] = replacement[lead : lead + len(text)]
    if lead:
        result[first - 1] = replacement[:lead]
    if rest := replacement[lead + len(text) :]:
        result[end - 1] = rest


def _differs(text: str, replacement: str) -> bool:
    """Return whether the replacement is different text, rather than the same text in other characters."""
    return any(a != b and (b in "^_( " or b.isascii()) for a, b in zip(text, replacement, strict=True))


def _is_fraction(text: str, after: _Segment | None) -> bool:
    """Return whether a superscript is the numerator of the following text."""
    if after is None:
        return False
    if after.level == "lowered":
        return not after.is_attached and text.isalnum()
    return text.isdigit() and after.text in ("/", "⁄")


def _segments(line: Sequence[_Sign]) -> list[_Segment]:
    main = _main_size(line)
    base = next((sign for sign in line if sign.size > _MAX_SMALL_SIZE * main), line[0])
    segments: list[_Segment] = []
    for sign in line:
        level = _level(sign, base)
        last = segments[-1] if segments else None
        gap = (sign.box[0] - last.signs[-1].box[2]) / main if last else 0.0
        if level and sign.size > _MAX_SMALL_SIZE * main and not (last and _MIN_GAP <= gap <= _MAX_ATTACHED_GAP):
            level = ""
        if not level and sign.size > _MAX_SMALL_SIZE * main:
            base = sign
        # A superscript within small text, as in an inline fraction, starts a new segment.
        if last and last.level == level and gap <= _MAX_GAP and (
            not level or abs(sign.baseline - last.signs[-1].baseline) < _MIN_RISE * main
        ):  # fmt: skip
            last.signs.append(sign)
            continue
        # If a numerator is not attached to the text before it, neither is its denominator below.
        is_stacked = last is not None and bool(level and last.level) and gap < -0.3 and not last.is_attached
        is_attached = last is not None and _MIN_STACKED_GAP <= gap <= _MAX_ATTACHED_GAP and not is_stacked
        segments.append(_Segment(level, [sign], is_attached))
    return segments


def _main_size(line: Sequence[_Sign]) -> float:
    """Return the largest font size that a large fraction of the line's characters has."""
    counts = Counter(sign.size for sign in line)
    enough = [size for size, count in counts.items() if count >= _MIN_MAIN_SHARE * len(line)]
    return max(enough or counts)
