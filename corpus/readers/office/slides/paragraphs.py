"""Text of paragraphs on a slide: raised and lowered text, symbols, formulas, list numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from corpus.readers.elements.protocol import About, Elements, Paragraph
from corpus.readers.fonts import is_monospaced
from corpus.readers.formulas import omml_text
from corpus.readers.markup import Node, counted, name_of
from corpus.readers.office.slides.unseen import is_unseen
from corpus.readers.office.word.numbering import formatted
from corpus.readers.raised_text import marked, without_marks, written
from corpus.readers.symbol_fonts import in_symbol_font, is_symbol_font

_MAX_NUMBER = 32_767
"""PowerPoint's own limit."""
_FORMS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}", "Minus": "- {} -"}
_SIGN = 3
"""Characters of an inserted symbol; longer runs are text in which a symbol font was left behind."""


def paragraphs_of(frame: Any, is_list: bool, about: About, on_white: bool) -> Elements:
    """Yield a box's paragraphs. A text placeholder with more than one shows them as a list."""
    if _is_code(frame):
        lines = [_whole_text(paragraph, about, on_white).rstrip() for paragraph in frame.paragraphs]
        yield Paragraph("\n".join(lines).strip("\n"), "code")
        return
    texts = [
        (paragraph, text) for paragraph in frame.paragraphs if (text := text_of(paragraph, about, on_white))
    ]
    counts: dict[int, int] = {}
    for paragraph, text in texts:
        level, bullet = paragraph.level, _bullet(paragraph._p, frame._txBody)
        for deeper in [each for each in counts if each > level]:
            del counts[deeper]
        mark = ""
        if bullet is not None and name_of(bullet) == "buAutoNum":
            counts[level] = counts.get(level, counted(bullet.get("startAt"), _MAX_NUMBER) - 1) + 1
            mark = _number(counts[level], bullet.get("type") or "") + " "
        else:
            counts.pop(level, None)
            is_marked = bullet is not None and name_of(bullet) in ("buChar", "buBlip")
            if is_marked or level or (is_list and len(texts) > 1 and bullet is None):
                mark = "- "
        yield Paragraph("  " * level + mark + text)


def text_of(paragraph: Any, about: About, on_white: bool = False) -> str:
    """Return a paragraph's visible text; hidden and struck text is counted in `about`."""
    return _whole_text(paragraph, about, on_white).strip()


def _is_code(frame: Any) -> bool:
    """Return whether all text is in a monospaced font."""
    runs = [
        run
        for run in frame._txBody.iter("{*}r")
        if any((text.text or "").strip() for text in run.iterfind("{*}t"))
    ]
    fonts = [run.find("{*}rPr/{*}latin") for run in runs]
    return bool(fonts) and all(font is not None and is_monospaced(font.get("typeface")) for font in fonts)


def _whole_text(paragraph: Any, about: About, on_white: bool) -> str:
    runs = {run._r: run for run in paragraph.runs}
    parts = list[str]()
    unseen, struck = False, False
    for node in paragraph._p:
        run = runs.get(node)
        text = "".join(_words(node))
        if run is not None and text.strip() and is_unseen(run, on_white=on_white):
            unseen = True
        elif _is_struck(node) and text.strip():
            about.left_out["struck passage"] += not struck
            struck = True
        else:
            struck = struck and not text.strip()
            parts.append(text)
    about.unseen += unseen
    return written("".join(parts))


def frame_text(frame: Any, about: About) -> str:
    """Return the text of a cell or title on one line."""
    return " ".join(filter(None, (" ".join(text_of(each, about).split()) for each in frame.paragraphs)))


def _words(node: Node) -> Iterator[str]:
    match name_of(node):
        case "r" | "fld":
            text = without_marks("".join(each.text or "" for each in node.iterfind("{*}t")))
            yield _run_text(text, node.find("{*}rPr"))
        case "br":
            yield "\n"
        case "m" | "oMath" | "oMathPara":
            yield omml_text(node)
        case "AlternateContent":
            for child in next(iter(node), ()):
                yield from _words(child)


def _run_text(text: str, properties: Node | None) -> str:
    text = text.replace("\v", "\n").replace("_x000B_", "\n")
    if properties is None:
        return text
    for name in ("latin", "sym"):
        font = properties.find("{*}" + name)
        face = None if font is None else font.get("typeface")
        if is_symbol_font(face) and (
            name == "latin" or (len(text.strip()) <= _SIGN and not text.strip().isascii())
        ):
            text = in_symbol_font(text, face)
            break
    moved = (properties.get("baseline") or "0").rstrip("%")
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", moved) or not float(moved):
        return text
    return marked(text, "lowered" if moved.startswith("-") else "raised")


def _is_struck(node: Node) -> bool:
    properties = node.find("{*}rPr")
    return properties is not None and properties.get("strike") in ("sngStrike", "dblStrike")


def _bullet(paragraph: Node, body: Node) -> Node | None:
    """Return the bullet element of the paragraph or of its box's list style."""
    properties = paragraph.find("{*}pPr")
    level = 1 if properties is None else 1 + counted(properties.get("lvl"), 8, 0)
    for holder in (properties, body.find(f"{{*}}lstStyle/{{*}}lvl{level}pPr")):
        for child in () if holder is None else holder:
            if name_of(child) in ("buAutoNum", "buChar", "buBlip", "buNone"):
                return child
    return None


def _number(count: int, kind: str) -> str:
    form = next((form for start, form in _FORMS.items() if kind.startswith(start)), "decimal")
    around = next((around for end, around in _AROUND.items() if kind.endswith(end)), "{}.")
    return around.format(formatted(count, form))
