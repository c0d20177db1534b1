"""Decode text files: by byte order mark, as UTF-8, by declared encoding, otherwise by the most likely code page."""

from __future__ import annotations

import codecs
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

from corpus.errors import UnreadableDocument
from corpus.readers.languages import surprise
from corpus.readers.pinned_file import open_plain
from corpus.readers.plausibility import count_unmapped, is_readable

CODE_PAGES = {
    "cp1252": ("Windows-1252", 0.0), "cp1251": ("Windows-1251", 0.0), "cp1250": ("Windows-1250", 0.3),
    "cp1253": ("Windows-1253", 0.3), "cp1254": ("Windows-1254", 0.2), "cp1255": ("Windows-1255", 0.3),
    "cp1256": ("Windows-1256", 0.3), "cp1257": ("Windows-1257", 0.3), "cp1258": ("Windows-1258", 0.3),
    "cp874": ("Windows-874", 0.8), "koi8_u": ("KOI8-U", 0.1), "koi8_r": ("KOI8-R", 0.1), "cp866": ("DOS 866", 0.2),
    "iso8859_5": ("ISO 8859-5", 0.3), "mac_cyrillic": ("Mac Cyrillic", 0.3), "iso8859_2": ("ISO 8859-2", 0.4),
    "iso8859_7": ("ISO 8859-7", 0.3), "iso8859_15": ("ISO 8859-15", 0.4),
    "iso8859_16": ("ISO 8859-16", 0.3), "cp852": ("DOS 852", 0.3),
    "cp850": ("DOS 850", 0.25), "cp437": ("DOS 437", 0.3), "mac_roman": ("Mac Roman", 0.25),
    "cp932": ("Shift JIS", 0.0), "euc_jp": ("EUC-JP", 0.1), "gb18030": ("GB 18030", 0.1), "big5": ("Big5", 0.2),
    "cp949": ("EUC-KR", 0.2),
}  # fmt: skip
"""Display name and rarity of each Python codec. Warnings contain the name, which is the same in every language. Rarity
decides between two encodings that fit a short text equally well."""

SAMPLE = 2_000
"""Number of bytes sampled from lines with non-ASCII characters; the language model takes 0.5 ms for them."""

# Tuned on 3,000 texts in 30 languages and 27 code pages. It is correct for 93 % of texts of 30 bytes, 95 % of those of
# 70 and 98 % of those of 200 (charset-normalizer 3.5: 51, 70 and 79 %). It misreads two of 337 texts in Windows-1252.
# With _OTHER = 0, it would be correct for 95, 96 and 99 %, but it would read an English text with a foreign name
# (Señor) as Czech.
_RARITY = 24.0
_OTHER = 6.0
_FLIP = 20.0
_MIXED = 40.0
_SYMBOL = 5.0
_THAI = 0.5
"""Penalty for Windows-874. It maps nearly every byte to a character, so short Chinese and Cyrillic texts would be
taken for Thai."""
_SURE = 3.0
"""Minimum lead, per non-ASCII byte, at which Windows-1252 counts as certain. 92 % of the texts in Windows-1252 reach
it, and 0.5 % of the others."""
_SIGNS = "°€§©®µ½–—“”…•„".encode("cp1252")
_NO_SIGN = re.compile(rb"[A-Za-z\x80-\xff][\x80-\xff]|[\x80-\xff][A-Za-z\x80-\xff]{2}|[^\x00-\x7f" + _SIGNS + rb"]")
"""Anything except isolated Windows-1252 symbols (5 °C), which are the only non-ASCII characters in some texts."""
_IN_WORDS = frozenset("’–—‑ʼ")
_ASCII_BYTES = bytes(range(128))


class Guess(NamedTuple):
    """A guessed code page. `is_sure` is true only for Windows-1252 without a close rival; most files that are not UTF-8
    are in Windows-1252."""

    codec: str
    is_sure: bool

    @property
    def name(self) -> str:
        """Display name of the code page."""
        return CODE_PAGES[self.codec][0]


def guess(data: bytes) -> Guess | None:
    """Return the most likely code page of the bytes, or None if none can decode them."""
    sample, scores = _sample(data), dict[str, tuple[float, str]]()
    beyond = sample.translate(None, _ASCII_BYTES)
    if not _NO_SIGN.search(sample):
        return Guess("cp1252", is_sure=True)
    for codec in CODE_PAGES:
        try:
            text = sample.decode(codec)
        except UnicodeDecodeError:
            continue
        score = _score(text, codec, len(sample))
        if score is not None and (text not in scores or score < scores[text][0]):
            scores[text] = score, codec
    if not scores:
        return None
    (best, codec), *others = sorted(scores.values())
    return Guess(codec, codec == "cp1252" and (not others or others[0][0] - best > _SURE * len(beyond) / len(sample)))


def _sample(data: bytes) -> bytes:
    """Return lines with non-ASCII bytes. All of these code pages use the same byte for the line end."""
    size, lines = 0, list[bytes]()
    for match in re.finditer(rb"(?<![^\r\n])[^\r\n\x80-\xff]*+[\x80-\xff][^\r\n]*", data):
        lines.append(match[0][:SAMPLE] if len(match[0]) <= SAMPLE else _around(match[0]))
        size += len(lines[-1])
        if size >= SAMPLE:
            break
    return b"\n".join(lines)


def _around(line: bytes) -> bytes:
    """Return the part of a long line from its first non-ASCII byte, cut so that no multi-byte character is split."""
    start = next(at for at, byte in enumerate(line) if byte > 0x7F)
    part = line[start : start + SAMPLE]
    end = max(part.rfind(b" "), part.rfind(b","), part.rfind(b";"))
    return part[:end] if end > 0 else line


def _score(text: str, codec: str, size: int) -> float | None:
    """Return the score of a decoding, where lower is more likely, or None if the result is not text."""
    flips = symbols = printable = 0
    mixed = 0.0
    before, kind_before, two_before = " ", "", " "
    for character in text:
        printable += not character.isspace()
        if character < "\x80":
            kind = "Latin" if character.isalpha() else ""
        else:
            category, kind = _category(character), _script(character)
            if category in ("Cc", "Co", "Cn", "Cs"):
                return None
            symbols += category[0] == "S" or category in ("No", "Pc", "Lm")
            mixed += "\uff61" <= character <= "\uff9f" and kind_before != "CJK"
            if category == "Mn":
                mixed += kind_before != kind
                kind = kind_before
            elif category[0] != "L":
                kind = ""
        if kind and kind_before:
            is_ascii = before < "\x80" and character < "\x80"
            flips += character.isupper() and before.islower()
            flips += character.islower() and before.isupper() and two_before.isupper() and not is_ascii
            if kind != kind_before:
                # Japanese and Chinese text contains Latin product names, but no Latin words.
                latin = before if kind_before == "Latin" else character
                mixed += 1.0 if {kind, kind_before} != {"Latin", "CJK"} or latin.islower() else 0.25
            # Final sigma (ς) ends a Greek word and σ does not; other scripts decoded as Greek break this rule.
            mixed += before == "ς"
        elif kind not in ("", "CJK") and before > "\x7f" and before not in _IN_WORDS and not before.isspace():
            # A symbol within a word or at its start, except as in °C and ©Smith.
            mixed += two_before.isalpha() or (_category(before) == "So" and before not in "°©®")
        mixed += not kind and before == "σ"
        before, kind_before, two_before = character, kind, before
    if codec == "gb18030" and re.search("[\u3041-\u30fa]", text):
        mixed += 1  # EUC-JP has kana at the same code points
    strangeness = surprise(text) or 15.0
    if codec == "cp874":
        strangeness += _THAI
    penalty = (_FLIP * flips + _MIXED * mixed + _SYMBOL * symbols) / max(printable, 1)
    rarity = _RARITY * CODE_PAGES[codec][1] + (_OTHER if codec != "cp1252" else 0.0)
    return strangeness + penalty + rarity / size


@cache
def _category(character: str) -> str:
    return unicodedata.category(character)


@cache
def _script(character: str) -> str:
    """Return the script from the character's name. Scripts that are mixed within a language count as one."""
    word = unicodedata.name(character, "").split(" ", 1)[0].split("-")[0]
    if word in ("HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH"):
        return "CJK"
    return word.capitalize() if word != "CJK" else word


TEXT_BYTES = 50_000_000
"""Maximum size of a text file in bytes. A larger file is data, not a document."""

_SAMPLE = 50_000
"""Number of bytes checked for zero bytes and plausibility."""
_MIN_CONTROLS = 0.04
"""Fraction of control characters above which the bytes are not single-byte text. UTF-16 text exceeds it in any
language."""
_MIN_ZEROS = 0.1
"""Minimum fraction of characters that have a zero byte on the same side in UTF-16. In most languages, spaces alone
exceed this fraction; in Chinese, newlines and digits do."""
_MAX_SURPRISE = 10.4
"""Maximum surprise (see `is_readable`). Text in any language is below it; random byte pairs are above it."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, because this mark starts with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"(?:charset|encoding|coding)\s*[:=]\s*+[\"']?\s*+([A-Za-z0-9_\-:.]{1,40})", re.IGNORECASE)
"""Declaration of an encoding: `<meta charset=...>`, `<?xml encoding="..."?>`, `@charset "..."` or `# -*- coding: ...
-*-`."""
_DECLARED_WITHIN = 4096
"""Number of bytes searched for a declaration. HTML requires it within 1,024 bytes, but some programs put it later."""
_WIDER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "cp950",
}  # fmt: skip
"""Supersets that programs actually use when they declare these encodings; browsers also decode such text with the
superset (encoding.spec.whatwg.org)."""
_ISO_2022 = re.compile(rb"\x1b(?:\$[@AB]|\$\([CD]|\(J)")
_WRONG = re.compile("[\udc80-\udcff]+")
"""Bytes that are not UTF-8, in the form to which "surrogateescape" decodes them."""
_ASCII = re.compile("[\x00-\x7f]+")
_TWICE = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u0192\u02c6\u02dc\u2013-\u2122]{1,3}")
"""A UTF-8 character that was decoded as Windows-1252: Ã¼ for ü, â€œ for a quotation mark."""
_MIN_TWICE = 3
"""Minimum number of doubly encoded characters. Fewer may be a coincidence, as in a name."""


class Decoded(NamedTuple):
    """A decoded text, and warnings for the user about its encoding."""

    text: str
    warnings: tuple[str, ...] = ()


def read_text(path: Path) -> Decoded:
    """Decode a file and preserve its line ends. Raises UnreadableDocument if it is too long or not text."""
    with open_plain(path) as file:
        data = file.read(TEXT_BYTES + 1)
    if len(data) > TEXT_BYTES:
        raise UnreadableDocument(f"a text of more than {TEXT_BYTES // 1_000_000} MB")
    decoded = decode(data)
    if decoded.text.count("\0") > len(decoded.text) // 1000:
        raise UnreadableDocument("not a text although its name says so")
    return decoded


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Decode bytes in the given encoding or, if none is given, in the encoding declared near their start. Undecodable
    bytes become U+FFFD."""
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
    """Return whether the bytes are in an encoding that represents non-ASCII characters as sequences of ASCII bytes;
    such bytes would also be valid UTF-8."""
    return data.isascii() and (
        (declared or "").lower() in ("utf-7", "hz-gb-2312") or _ISO_2022.search(data[:_SAMPLE]) is not None
    )


def _as_declared(data: bytes, declared: str | None) -> str | None:
    """Decode the bytes as declared. Return None if no known encoding is declared or if the result is implausible."""
    match = None if declared else _DECLARED.search(data[:_DECLARED_WITHIN])
    name = declared or (match[1].decode("ascii") if match else "")
    try:
        codec = codecs.lookup(name.strip().strip("\"'")).name
        if codec == "ascii" and not data.isascii():  # ASCII cannot encode these bytes, whatever the declaration says
            return None
        text = data.decode(_WIDER.get(codec, codec))
    except (LookupError, UnicodeError, ValueError):  # pseudo-encodings such as "undefined" raise UnicodeError
        return None
    return text if is_readable(text[:_SAMPLE]) else None


def _mostly_utf_8(data: bytes) -> Decoded | None:
    """Decode UTF-8 that contains some bytes of another encoding or ends within a character. Return None if most of it
    is not UTF-8."""
    text = data.decode("utf-8", "surrogateescape")
    wrong = len(text) - len(_WRONG.sub("", text))
    right = len(_ASCII.sub("", text)) - wrong
    if right <= wrong:  # other encodings also contain byte pairs that look like UTF-8
        return None
    mended = _WRONG.sub(_as_windows, text)
    count = "1 byte is" if wrong == 1 else f"{wrong} bytes are"
    return Decoded(mended, (f"{count} not UTF-8, unlike the rest; the characters there are a guess.",))


def _as_windows(match: re.Match[str]) -> str:
    return match[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace")


def _guess(data: bytes) -> Decoded:
    best = guess(data)
    if best is None:
        text = data.decode("cp1252", "replace")
        return Decoded(text, ("The characters are a guess: no encoding fits the entire file.",))
    text = data.decode(best.codec, "replace")
    if best.is_sure and "\ufffd" not in text:
        return Decoded(text)
    warning = f"The characters are a guess: the file does not declare its encoding and was read as {best.name}."
    return Decoded(text, (warning,))


def _repair_double_encoding(text: str) -> Decoded:
    """Repair text whose UTF-8 bytes were decoded as Windows-1252 and then encoded as UTF-8 again, if that happened to
    the entire text."""
    count = sum(1 for _ in _TWICE.finditer(text))
    if count < _MIN_TWICE:
        return Decoded(text)
    try:
        mended = _bytes_of(text).decode("utf-8")
        cause = "by a program that read UTF-8 as Windows-1252"
        return Decoded(mended, (f"Its characters were garbled (Ã¼ for ü) {cause}; they were repaired.",))
    except UnicodeError:
        places = f"{count} places"
        return Decoded(text, (f"Characters in {places} look garbled (Ã¼ for ü): UTF-8 read as Windows-1252.",))


def _bytes_of(text: str) -> bytes:
    """Encode in Windows-1252, and fill its five undefined code points as most programs do. Raises UnicodeError."""
    return b"".join(
        character.encode("latin-1" if character in "\x81\x8d\x8f\x90\x9d" else "cp1252") for character in text
    )


def _utf_16_without_mark(sample: bytes) -> str | None:
    """Detect UTF-16 without a byte order mark: spaces, digits and newlines all have their zero byte in the same
    position (high or low), and the decoded text is plausible."""
    zeros = {"utf-16-be": sample[::2].count(0), "utf-16-le": sample[1::2].count(0)}
    if not any(zeros.values()) or count_unmapped(sample.decode("utf-8", "replace")) < _MIN_CONTROLS * len(sample):
        return None
    texts = {encoding: sample[: len(sample) // 2 * 2].decode(encoding, "replace") for encoding in zeros}
    odd = {encoding: surprise(text) or 0.0 for encoding, text in texts.items()}
    best = max(zeros, key=lambda encoding: (zeros[encoding], -odd[encoding]))
    if zeros[best] < _MIN_ZEROS * len(texts[best]):  # a few stray zero bytes in single-byte text
        return None
    return best if count_unmapped(texts[best]) <= len(texts[best]) // 10 and odd[best] < _MAX_SURPRISE else None
