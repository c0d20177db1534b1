"""Write raised and lowered text of any format so that its digits never join the number or word beside it."""

from __future__ import annotations

import re
from typing import Literal

_RAISED = str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_DIGITS = re.compile(r"[0-9+\-−–=()]+")
_RAISABLE = re.compile(r"[0-9+\-−–=()ni]+")
_MARK = re.compile(r"[0-9]{1,3}(?:[,;–-] ?[0-9]{1,3})*")
_SIGNED = re.compile(r"[+\-−–][0-9]{1,3}|[0-9]*[+\-−–]")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|e|ème|eme|os|as|o|a|º|ª|me|lle|bis|ter)\.?", re.IGNORECASE)
_COUNTED = re.compile(r"(?:\d|\b[IVXLCM]+|\b[MDNn])\.?$")
"""What an ordinal or abbreviation is attached to: `1`, `XIX`, `M`."""
_NOTE_LETTERS = ("a", "o")
_LARGE = re.compile(r"(?:\d{3}|\d[.,]\d+)$")
"""Numbers that are hardly ever ordinals: after them `a` marks a table note and does not end `2a`."""

_NUMERATOR = re.compile(r"[⁰¹²³⁴-⁹][/⁄]$")
_START = {"raised": "\ufdd0", "lowered": "\ufdd1", "note": "\ufdd2"}
"""Marks around such text until its paragraph is complete: Unicode keeps these code points free, and XML allows them."""
_KIND = {mark: kind for kind, mark in _START.items()}
_END = "\ufdd3"
"""Marks around such text until its paragraph is whole: Unicode keeps these code points free, and XML allows them."""

Position = Literal["raised", "lowered", "note"]
"""`note` is the mark of a footnote or endnote, raised or not."""

_TRADE = {"TM": "™", "SM": "℠", "R": "®", "(R)": "®", "C": "©"}
_BASE = re.compile(
    r"(?:(?<![\d.,])(?:10|2|e)|(?<![^\W\d_])[^\W\d_]{1,2}|(?<![^\W\d_])[^\W\d_][₀-₉]+|(?<![^\W\d_])(?:mol|min|rad|bar|kPa|MPa)|[)\]}°µΩ])$"
)
"""What an exponent is attached to: ten or two, a unit or variable of one or two letters, a bracket."""


def superscript(text: str, before: str) -> str:
    """Write raised `text` after `before`, the paragraph's text up to it.

    Exponents become superscript characters (`10⁶`, `m²`) or `^n+1`. Note and citation marks are separated from the
    number or word (`950 ³`). Ordinals and trade marks stay letters (`1st`, `™`).
    """
    inner = text.strip()
    if not inner:
        return text
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}{_superscript(inner, before + lead)}{tail}"


def _superscript(text: str, before: str) -> str:
    attached = bool(before) and not before[-1].isspace()
    if attached and before[-1] in "([{/⁄":  # an inline fraction's numerator, or an aside in small type
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
    """Write an exponent: `⁶`, `ⁿ⁺¹`, `^x`, `^(−2t)`."""
    if _RAISABLE.fullmatch(text):
        return text.translate(_RAISED)
    return f"^{_as_operand(text)}"


def _as_operand(text: str) -> str:
    """Return the text as one operand. An unpaired bracket is closed elsewhere."""
    return text if text.isalnum() or text.count("(") != text.count(")") else f"({text})"


def subscript(text: str, before: str) -> str:
    """Write lowered `text` after `before`: `H₂O`, `V_max`."""
    inner = text.strip()
    if before[-1:] in ("/", "⁄"):  # an inline fraction's denominator
        return text.translate(_LOWERED) if _NUMERATOR.search(before) else text
    if _DIGITS.fullmatch(inner):
        return text.translate(_LOWERED)
    if text == inner and any(map(str.isalnum, text)) and (before[-1:].isalnum() or before.endswith((")", "]"))):
        return f"_{_as_operand(text)}"
    return text


def mark_position(text: str, position: Position | None) -> str:
    """Mark text for `written`, which knows what precedes it. None leaves it unchanged."""
    return f"{_START[position]}{text}{_END}" if position and text.strip() else text


def start_mark(position: Position) -> str:
    """Return what `marked` puts before a text, for trees whose text is not one string."""
    return _START[position]


def end_mark() -> str:
    """Return what `marked` puts after a text."""
    return _END


def strip_marks(text: str) -> str:
    """Remove the code points that `marked` uses."""
    return re.sub("[\ufdd0-\ufdd3]", "", text)


def resolve_marks(text: str) -> str:
    """Write a paragraph's marked parts. Neighbours of one kind are joined: "10", raised "−", raised "9" is `10⁻⁹`."""
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
