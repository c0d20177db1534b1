"""A page in Hebrew, written as raw PDF. Its characters come only from the font's mapping table, so no font is
needed."""

from __future__ import annotations

import random
from pathlib import Path

from bench.layout.starts import Start

_FIRST, _COUNT = 0x5D0, 27
_CODE = 0x41
_SIZE, _STEP = 11, 15
_COLUMNS = (330, 60)
"""Left edges of the columns in points. The right column is read first."""

_MEASURE = 34
_PARAGRAPHS = 4


def right_to_left_page(path: Path) -> tuple[Path, int, tuple[Start, ...], tuple[str, ...]]:
    """Draw two columns of Hebrew in display order: the first character of each line is the rightmost one."""
    source = random.Random(10)
    starts, content = [], []
    for left in _COLUMNS:
        top = 720
        for _ in range(_PARAGRAPHS):
            words = [_word(source) for _ in range(30)]
            starts.append(Start(" ".join(words[:3]), "paragraph"))
            for row in _rows(words):
                indent = (_MEASURE - len(row)) * _SIZE * 0.6
                content.append(f"BT /F1 {_SIZE} Tf {left + indent:.1f} {top} Td ({_codes(row[::-1])}) Tj ET")
                top -= _STEP
            top -= _STEP
    path.write_bytes(_pdf("\n".join(content).encode()))
    return path, 1, tuple(starts), ()


def _word(source: random.Random) -> str:
    # without the five forms that Hebrew letters have at the end of a word
    choices = [chr(_FIRST + n) for n in range(_COUNT) if n not in (10, 13, 15, 19, 21)]
    return "".join(source.choice(choices) for _ in range(source.randint(3, 7)))


def _rows(words: list[str]) -> list[str]:
    rows, row = [], ""
    for word in words:
        longer = f"{row} {word}".strip()
        if len(longer) > _MEASURE:
            rows.append(row)
            longer = word
        row = longer
    return [*rows, row]


def _codes(text: str) -> str:
    """Return the bytes of a string, except those that a PDF string would need to escape."""
    return "".join(" " if letter == " " else f"\\{_CODE + ord(letter) - _FIRST:03o}" for letter in text)


def _pdf(content: bytes) -> bytes:
    pairs = b"".join(b"<%02X> <%04X>\n" % (_CODE + n, _FIRST + n) for n in range(_COUNT))
    names = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /H def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n%d beginbfchar\n<20> <0020>\n" % (_COUNT + 1)
    )
    table = names + pairs + b"endbfchar endcmap CMapName currentdict /CMap defineresource pop end end"
    widths = b" ".join([b"600"] * 224)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        _stream(content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /ToUnicode 6 0 R "
        b"/FirstChar 32 /LastChar 255 /Widths [" + widths + b"] >>",
        _stream(table),
    ]
    data, places = b"%PDF-1.7\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n" % number + text + b"\nendobj\n"
    entries = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    end = b"xref\n0 %d\n0000000000 65535 f \n" % count + entries
    return data + end + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(data))


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream"
