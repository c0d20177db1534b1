"""Write raised and lowered text of any format so that its digits never join the number or word beside it."""

from __future__ import annotations

import re

_RAISED = str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_DIGITS = re.compile(r"[0-9+\-−–=()]+")
_RAISABLE = re.compile(r"[0-9+\-−–=()ni]+")
_MARK = re.compile(r"[0-9]{1,3}(?:[,;–-] ?[0-9]{1,3})*")
_SIGNED = re.compile(r"[+\-−–][0-9]{1,3}|[0-9]*[+\-−–]")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|e|ème|eme|os|as|o|a|º|ª|me|lle|bis|ter)\.?", re.IGNORECASE)
_COUNTED = re.compile(r"(?:\d|\b[IVXLCM]+|\b[MDNn])\.?$")
"""What an ordinal or abbreviation ends: `1`, `XIX`, `M`."""
_TRADE = {"TM": "™", "SM": "℠", "R": "®", "(R)": "®", "C": "©"}
_BASE = re.compile(
    r"(?:(?<![\d.,])(?:10|2|e)|(?<![^\W\d_])[^\W\d_]{1,2}|(?<![^\W\d_])(?:mol|min|rad|bar|kPa|MPa)|[)\]}°µΩ])$"
)
"""What an exponent stands at: ten or two, a unit or variable of one or two letters, a bracket."""


def raised(text: str, before: str) -> str:
    """Write raised `text` as it goes on from `before`, the text of the same paragraph up to there.

    Exponents become superscript characters (`10⁶`, `m²`) or `^n+1`. Note and citation marks stand apart from the number
    or word (`950 ³`). Ordinals and trade marks stay letters (`1st`, `™`).
    """
    inner = text.strip()
    if not inner:
        return text
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}{_raised(inner, before + lead)}{tail}"


def _raised(text: str, before: str) -> str:
    attached = bool(before) and not before[-1].isspace()
    if (
        attached and before[-1] in "([{/⁄"
    ):  # the numerator of a fraction in a line, or an aside in small letters
        return text
    if text in _TRADE:
        return _TRADE[text]
    if not any(map(str.isalnum, text)) or (_ORDINAL.fullmatch(text) and _COUNTED.search(before)):
        return text.translate(_RAISED)
    if attached and (_BASE.search(before) or _SIGNED.fullmatch(text)):
        return _exponent(text)
    if _MARK.fullmatch(text):
        text = text.translate(_RAISED)
    return f" {text}" if attached and text[0] not in "([" else text


def _exponent(text: str) -> str:
    if _RAISABLE.fullmatch(text):
        return text.translate(_RAISED)
    return f"^{_grouped(text)}"


def _grouped(text: str) -> str:
    """The text as one operand; what has one bracket of two goes on elsewhere."""
    return text if text.isalnum() or text.count("(") != text.count(")") else f"({text})"


def lowered(text: str, before: str) -> str:
    """Write lowered `text` as it goes on from `before`: `H₂O`, `V_max`."""
    inner = text.strip()
    if before[-1:] in ("/", "⁄"):  # the denominator of a fraction in a line
        return text
    if _DIGITS.fullmatch(inner):
        return text.translate(_LOWERED)
    if (
        text == inner
        and any(map(str.isalnum, text))
        and (before[-1:].isalnum() or before.endswith((")", "]")))
    ):
        return f"_{_grouped(text)}"
    return text
