"""Fonts that carry meaning: monospaced fonts for code, and symbol fonts, whose text is converted to Unicode."""

from __future__ import annotations

import re
from typing import Literal

_MONOSPACED = re.compile(
    r"courier|consolas|menlo|monaco|\bmono\b|mono$|monospace|lucida console|source code|fira (?:code|mono)|cascadia"
    r"|inconsolata|typewriter|andale|letter gothic|terminal|fixedsys|hack$|iosevka",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\b(?:source ?|program ?)?(?:code|listings?|quell(?:text|code)|preformatted|verbatim|macro text|console)\b"
    r"|vorformatiert|programmlisting",
    re.IGNORECASE,
)


def is_monospaced(font: str | None) -> bool:
    """Return whether the name of a font implies that all of its characters have the same width."""
    return bool(font and _MONOSPACED.search(font.split(",")[0].strip("'\" ")))


def is_code_style(name: str | None) -> bool:
    """Return whether the name of a style marks it as a code style, in any office program."""
    return bool(name and _CODE.search(re.sub(r"_20_|[_-]|(?<=[a-z])(?=[A-Z])", " ", name)))


_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
    + "\0" * 33
    + "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…│─↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
"""Adobe's Symbol encoding from 0x20; 0x7F to 0x9F are unused."""

_WINGDINGS = {
    0x20: " ", 0x21: "✏", 0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x36: "⌛", 0x3F: "✍", 0x41: "✌", 0x43: "👍", 0x44: "👎",
    0x45: "☜", 0x46: "☞", 0x47: "☝", 0x48: "☟", 0x4A: "☺", 0x4B: "😐", 0x4C: "☹", 0x4E: "☠", 0x4F: "⚐", 0x51: "✈",
    0x52: "☼", 0x54: "❄", 0x58: "✠", 0x59: "✡", 0x5A: "☪", 0x5B: "☯", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□",
    0x71: "❑", 0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x78: "☒", 0x7A: "⌘",
    0x80: "⓪", **{0x81 + n: chr(0x2460 + n) for n in range(10)},
    0x8B: "⓿", **{0x8C + n: chr(0x2776 + n) for n in range(10)},
    0x9E: "·", 0x9F: "•", 0xA0: "▪", 0xA1: "○", 0xA4: "◉", 0xA5: "◎", 0xA7: "▪", 0xA8: "◻", 0xAB: "★", 0xB6: "☆",
    0xD8: "➢", 0xD5: "⌫", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE3: "↖", 0xE4: "↗", 0xE5: "↙", 0xE6: "↘",
    0xE7: "←", 0xE8: "→", 0xE9: "↑", 0xEA: "↓", 0xEB: "↖", 0xEC: "↗", 0xED: "↙", 0xEE: "↘", 0xEF: "⇦", 0xF0: "⇨",
    0xF1: "⇧", 0xF2: "⇩", 0xF3: "⬄", 0xF4: "⇳", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
"""Ticks, boxes, arrows, bullets, circled numbers and hands; other symbols are drawings without a textual meaning."""

_WINGDINGS_2 = {
    0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x55: "⊗", 0x2A: "□", 0xA3: "□", 0x97: "●",
    0xA2: "■", **{0x6A + n: chr(0x2460 + n) for n in range(10)}, **{0x75 + n: chr(0x2776 + n) for n in range(10)},
}  # fmt: skip
_WINGDINGS_3 = {
    0x66: "←", 0x67: "→", 0x68: "↑", 0x69: "↓", 0x6A: "↖", 0x6B: "↗", 0x6C: "↙", 0x6D: "↘", 0x70: "▲", 0x71: "▼",
    0x74: "◀", 0x75: "▶", 0x7D: "▶", 0x84: "◀",
}  # fmt: skip
_WEBDINGS = {
    0x61: "✔", 0x72: "✖", 0x63: "□", 0x67: "■", 0x6E: "●", 0x33: "◀", 0x34: "▶", 0x35: "▲", 0x36: "▼",
}  # fmt: skip
_FONTS = {
    "symbol": {0x20 + place: sign for place, sign in enumerate(_SYMBOL) if sign != "\0"},
    "wingdings": _WINGDINGS,
    "wingdings 2": _WINGDINGS_2,
    "wingdings 3": _WINGDINGS_3,
    "webdings": _WEBDINGS,
}
_UNREAD = re.compile("(?<=[^\n])[\ue000-\uf8ff]")
_PRIVATE = range(0xF020, 0xF100)
"""Private code points to which Office also maps the characters of symbol fonts."""


def is_symbol_font(font: str | None) -> bool:
    """Return whether a font draws symbols instead of characters."""
    return (font or "").strip().lower() in _FONTS


def decode_symbols(text: str, font: str | None, encoding: str = "cp1252") -> str:
    """Convert text in a symbol font to the symbols it draws. Text in other fonts, and symbols without a meaning, are
    left unchanged.

    `encoding` is the encoding that turned the codes of the font into the characters of the text.
    """
    signs = _FONTS.get((font or "").strip().lower())
    return text if signs is None else "".join(_sign(letter, signs, encoding) for letter in text)


def count_unknown_symbols(text: str) -> int:
    """Count symbols without a known meaning, except bullets at line starts."""
    return len(_UNREAD.findall(text))


def _sign(letter: str, signs: dict[int, str], encoding: str) -> str:
    code = ord(letter)
    if code in _PRIVATE:
        return signs.get(code - 0xF000, letter)
    if code > 0xFF:
        raw = letter.encode(encoding, "ignore")
        code = raw[0] if len(raw) == 1 else 0
    return signs.get(code, letter)


_RAISED = str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_DIGITS = re.compile(r"[0-9+\-−–=()]+")
_RAISABLE = re.compile(r"[0-9+\-−–=()ni]+")
_MARK = re.compile(r"[0-9]{1,3}(?:[,;–-] ?[0-9]{1,3})*")
_SIGNED = re.compile(r"[+\-−–][0-9]{1,3}|[0-9]*[+\-−–]")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|e|ème|eme|os|as|o|a|º|ª|me|lle|bis|ter)\.?", re.IGNORECASE)
_COUNTED = re.compile(r"(?:\d|\b[IVXLCM]+|\b[MDNn])\.?$")
"""Text that an ordinal ending or abbreviation may follow: `1`, `XIX`, `M`."""
_NOTE_LETTERS = ("a", "o")
_LARGE = re.compile(r"(?:\d{3}|\d[.,]\d+)$")
"""Numbers that are hardly ever ordinals. After them, `a` marks a table note; elsewhere it may end the ordinal `2a`."""

_NUMERATOR = re.compile(r"[⁰¹²³⁴-⁹][/⁄]$")
_START = {"raised": "\ufdd0", "lowered": "\ufdd1", "note": "\ufdd2"}
"""Marks put before raised or lowered text until its paragraph is complete. Unicode reserves these code points, and XML
allows them."""
_KIND = {mark: kind for kind, mark in _START.items()}
_END = "\ufdd3"
"""Mark put after such text until its paragraph is complete. Unicode reserves this code point, and XML allows it."""

Position = Literal["raised", "lowered", "note"]
"""Position of text relative to its line. `note` is the mark of a footnote or endnote, raised or not."""

_TRADE = {"TM": "™", "SM": "℠", "R": "®", "(R)": "®", "C": "©"}
_BASE = re.compile(
    r"(?:(?<![\d.,])(?:10|2|e)|(?<![^\W\d_])[^\W\d_]{1,2}|(?<![^\W\d_])[^\W\d_][₀-₉]+|(?<![^\W\d_])(?:mol|min|rad|bar|kPa|MPa)|[)\]}°µΩ])$"
)
"""Text to which an exponent is attached: ten or two, a unit or variable of one or two letters, a bracket."""


def superscript(text: str, before: str) -> str:
    """Return raised `text` as it is written after `before`, the text of the paragraph up to it.

    Exponents become superscript characters (`10⁶`, `m²`) or `^n+1`. Note and citation marks are separated from the
    number or word before them (`950 ³`). Ordinals and trade marks stay letters (`1st`, `™`).
    """
    inner = text.strip()
    if not inner:
        return text
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}{_superscript(inner, before + lead)}{tail}"


def _superscript(text: str, before: str) -> str:
    attached = bool(before) and not before[-1].isspace()
    if attached and before[-1] in "([{/⁄":  # the numerator of an inline fraction, or an aside in small type
        return text
    if text in _TRADE:
        return _TRADE[text]
    if _ORDINAL.fullmatch(text) and _COUNTED.search(before) and not (text in _NOTE_LETTERS and _LARGE.search(before)):
        return text
    if not any(map(str.isalnum, text)):
        return text.translate(_RAISED)
    if attached and (_BASE.search(before) or _SIGNED.fullmatch(text)):
        return exponent(text)
    if _MARK.fullmatch(text):
        text = text.translate(_RAISED)
    return f" {text}" if attached and text[0] not in "([" else text


def exponent(text: str) -> str:
    """Return the text as an exponent: `⁶`, `ⁿ⁺¹`, `^x`, `^(−2t)`."""
    if _RAISABLE.fullmatch(text):
        return text.translate(_RAISED)
    return f"^{_as_operand(text)}"


def _as_operand(text: str) -> str:
    """Return the text as one operand. An unpaired bracket is closed elsewhere."""
    return text if text.isalnum() or text.count("(") != text.count(")") else f"({text})"


def subscript(text: str, before: str) -> str:
    """Return lowered `text` as it is written after `before`: `H₂O`, `V_max`."""
    inner = text.strip()
    if before[-1:] in ("/", "⁄"):  # the denominator of an inline fraction
        return text.translate(_LOWERED) if _NUMERATOR.search(before) else text
    if _DIGITS.fullmatch(inner):
        return text.translate(_LOWERED)
    if text == inner and any(map(str.isalnum, text)) and (before[-1:].isalnum() or before.endswith((")", "]"))):
        return f"_{_as_operand(text)}"
    return text


def mark_position(text: str, position: Position | None) -> str:
    """Mark text for `resolve_marks`, which has access to the text before it. If `position` is None, return it
    unchanged."""
    return f"{_START[position]}{text}{_END}" if position and text.strip() else text


def start_mark(position: Position) -> str:
    """Return the mark that `mark_position` puts before a text. It is for trees whose text is not one string."""
    return _START[position]


def end_mark() -> str:
    """Return the mark that `mark_position` puts after a text."""
    return _END


def strip_marks(text: str) -> str:
    """Remove the code points that `mark_position` uses."""
    return re.sub("[\ufdd0-\ufdd3]", "", text)


def resolve_marks(text: str) -> str:
    """Replace a paragraph's marked parts with their written form. Adjacent parts of one kind are joined: "10", raised
    "−", raised "9" becomes `10⁻⁹`."""
    if not re.search("[\ufdd0-\ufdd3]", text):
        return text
    parts, kinds, skipped = [""], list[str](), False
    pieces = [piece for piece in re.split("([\ufdd0-\ufdd3])", text) if piece]
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=True):
        if skipped:
            skipped = False
        elif piece in _KIND:
            kinds.append(_KIND[piece])
            parts.append("")
        elif piece != _END:
            parts[-1] += piece
        elif kinds and _KIND.get(following) == kinds[-1]:
            skipped = True
        elif kinds:
            _close(parts, kinds.pop())
    while kinds:
        _close(parts, kinds.pop())
    return parts[0]


def _close(parts: list[str], kind: str) -> None:
    inner = parts.pop()
    before = "".join(parts)
    match kind:
        case "raised":
            parts[-1] += superscript(inner, before)
        case "lowered":
            parts[-1] += subscript(inner, before)
        case _:
            inner = inner.strip()
            inner = inner.translate(_RAISED) if _MARK.fullmatch(inner) else inner
            is_apart = not before or before[-1].isspace() or inner[:1] in "(["
            parts[-1] += inner if is_apart else f" {inner}"
