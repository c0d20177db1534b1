"""Decode text files: by byte order mark, as UTF-8, by declaration, else by the likeliest code page."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import NamedTuple

from corpus.errors import UnreadableDocument
from corpus.readers.code_pages import guess
from corpus.readers.files import opened
from corpus.readers.languages import surprise
from corpus.readers.plausibility import is_readable, unmapped

TEXT_BYTES = 50_000_000
"""A longer text file is data, not a document."""

_SAMPLE = 50_000
"""Bytes looked at for zero bytes and plausibility."""
_MIN_CONTROLS = 0.04
"""Share of control characters above which text is not single-byte: UTF-16 has more in any language."""
_MIN_ZEROS = 0.1
"""Share of characters with a zero byte on one side. Spaces alone exceed it in UTF-16, and for Chinese line ends and
digits."""
_MAX_SURPRISE = 10.4
"""As in `is_readable`: texts of any language have less, random byte pairs more."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its start
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"(?:charset|encoding|coding)\s*[:=]\s*+[\"']?\s*+([A-Za-z0-9_\-:.]{1,40})", re.IGNORECASE
)
"""`<meta charset=...>`, `<?xml encoding="..."?>`, `@charset "..."` and `# -*- coding: ... -*-`."""
_DECLARED_WITHIN = 4096
"""Bytes. HTML demands the declaration within 1,024; programs exceed that."""
_WIDER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "cp950",
}  # fmt: skip
"""Supersets that programs write under these names, as browsers decode them (encoding.spec.whatwg.org)."""
_ISO_2022 = re.compile(rb"\x1b(?:\$[@AB]|\$\([CD]|\(J)")
_WRONG = re.compile("[\udc80-\udcff]+")
"""Bytes that are not UTF-8, as "surrogateescape" decodes them."""
_ASCII = re.compile("[\x00-\x7f]+")
_TWICE = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u0192\u02c6\u02dc\u2013-\u2122]{1,3}")
"""A UTF-8 character decoded as Windows-1252: Ã¼ for ü, â€œ for a quotation mark."""
_MIN_TWICE = 3
"""So many are no coincidence; a name may contain one."""


class Decoded(NamedTuple):
    """A text, and warnings about its encoding for a person."""

    text: str
    warnings: tuple[str, ...] = ()


def read_text(path: Path) -> Decoded:
    """Decode a file; line ends stay as they are. Raises UnreadableDocument where it is no text or too long."""
    with opened(path) as file:
        data = file.read(TEXT_BYTES + 1)
    if len(data) > TEXT_BYTES:
        raise UnreadableDocument(f"a text of more than {TEXT_BYTES // 1_000_000} MB")
    decoded = decode(data)
    if decoded.text.count("\0") > len(decoded.text) // 1000:
        raise UnreadableDocument("not a text although its name says so")
    return decoded


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Decode bytes by a declared encoding, or by one declared near their start. Undecodable bytes become U+FFFD."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return Decoded(data.decode(encoding, "replace"))
    if unmarked := _utf_16_without_mark(data[:_SAMPLE]):
        return Decoded(data.decode(unmarked, "replace"))
    if not _is_seven_bit(data, declared):
        try:
            return _repair_double_encoding(data.decode("utf-8"))
        except UnicodeDecodeError:
            pass
    if (text := _as_declared(data, declared or ("iso2022_jp_2" if data.isascii() else None))) is not None:
        return Decoded(text)
    return _mostly_utf_8(data) or _guess(data)


def _is_seven_bit(data: bytes, declared: str | None) -> bool:
    """Return whether it is an encoding that writes other characters in ASCII bytes, which would pass for UTF-8."""
    return data.isascii() and (
        (declared or "").lower() in ("utf-7", "hz-gb-2312") or _ISO_2022.search(data[:_SAMPLE]) is not None
    )


def _as_declared(data: bytes, declared: str | None) -> str | None:
    """Decode as declared; None without a known declaration or where the result makes no sense."""
    match = None if declared else _DECLARED.search(data[:_DECLARED_WITHIN])
    name = declared or (match[1].decode("ascii") if match else "")
    try:
        codec = codecs.lookup(name.strip().strip("\"'")).name
        if codec == "ascii" and not data.isascii():  # no encoding of these bytes, whatever a program says
            return None
        text = data.decode(_WIDER.get(codec, codec))
    except (LookupError, UnicodeError, ValueError):  # UnicodeError: of pseudo-encodings such as "undefined"
        return None
    return text if is_readable(text[:_SAMPLE]) else None


def _mostly_utf_8(data: bytes) -> Decoded | None:
    """Decode UTF-8 with some bytes of another encoding, or cut within a character; None where it is not mostly
    UTF-8."""
    text = data.decode("utf-8", "surrogateescape")
    wrong = len(text) - len(_WRONG.sub("", text))
    right = len(_ASCII.sub("", text)) - wrong
    if right <= wrong:  # other encodings contain byte pairs that look like UTF-8
        return None
    mended = _WRONG.sub(_as_windows, text)
    count = "1 byte is" if wrong == 1 else f"{wrong} bytes are"
    return Decoded(mended, (f"{count} not UTF-8 as the rest is; characters there are a guess.",))


def _as_windows(match: re.Match[str]) -> str:
    return match[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace")


def _guess(data: bytes) -> Decoded:
    best = guess(data)
    if best is None:
        text = data.decode("cp1252", "replace")
        return Decoded(text, ("The characters are a guess: no encoding fits all of the file.",))
    text = data.decode(best.codec, "replace")
    if best.is_sure and "\ufffd" not in text:
        return Decoded(text)
    warning = f"The characters are a guess: the file does not say its encoding, and was read as {best.name}."
    return Decoded(text, (warning,))


def _repair_double_encoding(text: str) -> Decoded:
    """Repair UTF-8 that was decoded as Windows-1252 and encoded again, if the whole text is so."""
    count = sum(1 for _ in _TWICE.finditer(text))
    if count < _MIN_TWICE:
        return Decoded(text)
    try:
        mended = _bytes_of(text).decode("utf-8")
        cause = "by a program that read UTF-8 as Windows-1252"
        return Decoded(mended, (f"Its characters were garbled (Ã¼ for ü) {cause}; they were mended.",))
    except UnicodeError:
        places = f"{count} places"
        return Decoded(
            text, (f"Characters in {places} look garbled (Ã¼ for ü): UTF-8 read as Windows-1252.",)
        )


def _bytes_of(text: str) -> bytes:
    """Encode in Windows-1252 with its five gaps filled as most programs do. Raises UnicodeError."""
    return b"".join(
        character.encode("latin-1" if character in "\x81\x8d\x8f\x90\x9d" else "cp1252") for character in text
    )


def _utf_16_without_mark(sample: bytes) -> str | None:
    """Detect UTF-16 without a byte order mark: spaces, digits and line ends have a zero byte on the same side, and
    the decoding is plausible."""
    zeros = {"utf-16-be": sample[::2].count(0), "utf-16-le": sample[1::2].count(0)}
    if not any(zeros.values()) or unmapped(sample.decode("utf-8", "replace")) < _MIN_CONTROLS * len(sample):
        return None
    texts = {encoding: sample[: len(sample) // 2 * 2].decode(encoding, "replace") for encoding in zeros}
    odd = {encoding: surprise(text) or 0.0 for encoding, text in texts.items()}
    best = max(zeros, key=lambda encoding: (zeros[encoding], -odd[encoding]))
    if zeros[best] < _MIN_ZEROS * len(texts[best]):  # a few stray zero bytes in single-byte text
        return None
    return best if unmapped(texts[best]) <= len(texts[best]) // 10 and odd[best] < _MAX_SURPRISE else None
