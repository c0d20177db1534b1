"""Write inline elements whose look has a meaning as text: raised text, formulas, line breaks in code, form fields."""

from __future__ import annotations

import re

from corpus.readers.formulas import mathml_text
from corpus.readers.markup import Node, name_of
from corpus.readers.raised_text import Position, end_mark, start_mark
from corpus.readers.symbol_fonts import in_symbol_font, is_symbol_font
from corpus.readers.web.declarations import Declared, pixels

DELETED = {"del": "deleted passage", "s": "struck passage", "strike": "struck passage"}
"""Elements of deleted and struck text, and their kinds for the warning."""

_INLINE = {
    "span",
    "a",
    "i",
    "b",
    "em",
    "strong",
    "small",
    "font",
    "big",
    "cite",
    "tt",
    "u",
    "ins",
    "q",
    "abbr",
    "code",
}
_KEEPS_SPACE = ("pre", "pre-wrap", "break-spaces")
_HOLDS_CODE = {"div", "p", "code", "span", "samp", "tt", "section", "blockquote"}
_LIFT = 2.0
"""Pixels of vertical shift from which text counts as raised or lowered; less only aligns it."""

_TEX = re.compile(r"\b(?:mwe-math|tex|latex|mathjax|equation)", re.IGNORECASE)
_MAX_TEX = 500
_NOTE = re.compile(
    r"(?:^|[\s_-])(?:foot|end)?note(?:ref|[\s_-]ref)?|(?:^|\s)reference(?:\s|$)|fnref|noteref", re.IGNORECASE
)
_NO_WORDS = ("hidden", "submit", "button", "reset", "image", "password", "file", "color", "range", "search")


def is_struck(style: Declared) -> bool:
    """Return whether the style draws a line through the text."""
    return "line-through" in style.get("text-decoration", "") + style.get("text-decoration-line", "")


def name_by_looks(node: Node, style: Declared) -> None:
    """Rename an element styled like another one: raised text becomes `sup`, code `pre`.

    Text in symbol fonts is converted.
    """
    name = name_of(node)
    font = (style.get("font-family") or node.get("face") or "").partition(",")[0].strip(" \"'")
    if is_symbol_font(font):
        node.text = in_symbol_font(node.text or "", font)
        for child in node:
            child.tail = in_symbol_font(child.tail or "", font)
    if name in _INLINE and (position := _position(style)):
        node.tag = "sup" if position == "raised" else "sub"
    elif (
        name in _HOLDS_CODE
        and style.get("white-space") in _KEEPS_SPACE
        and "\n" in node.text_content().strip("\n")
    ):
        node.tag = "pre"


def _position(style: Declared) -> Position | None:
    align = style.get("vertical-align", "")
    if align in ("super", "sub"):
        return "raised" if align == "super" else "lowered"
    if variant := style.get("font-variant-position"):
        return {"super": "raised", "sub": "lowered"}.get(variant)  # type: ignore[return-value]
    if align in ("text-top", "text-bottom", "top", "bottom") and _is_small(style):
        return "raised" if align.endswith("top") else "lowered"
    lift = pixels(align)
    if style.get("position") == "relative" and ("font-size" in style or "mso-text-raise" in style):
        lift = -pixels(style.get("top", "")) or pixels(style.get("bottom", ""))
    return None if abs(lift) < _LIFT else "raised" if lift > 0 else "lowered"


def _is_small(style: Declared) -> bool:
    """Return whether text is smaller than around it; unknown for absolute sizes."""
    size = style.get("font-size", "")
    number = size.rstrip("%em")
    share = (
        float(number) if re.fullmatch(r"\d{0,3}(?:\.\d{1,4})?", number) and number not in ("", ".") else 1000
    )
    return size in ("smaller", "x-small", "xx-small") or (
        share < 100 if size.endswith("%") else share < 1 if size.endswith("em") else False
    )


def form_text(node: Node) -> str:
    """Return what a form field shows: a tick, its text, or the selected option."""
    match name_of(node):
        case "input":
            kind = (node.get("type") or "text").lower()
            if kind in ("checkbox", "radio"):
                return "☒ " if node.get("checked") is not None else "☐ "
            return "" if kind in _NO_WORDS else f" {node.get('value') or ''} "
        case "select":
            selected = [
                option.text_content() for option in node.iter("option") if option.get("selected") is not None
            ]
            return f" {', '.join(' '.join(text.split()) for text in selected)} "
    return ""


def written_out(root: Node) -> None:
    """Replace formulas and breaks in code with text, and mark raised and lowered text."""
    for node in [each for each in root.iter() if name_of(each).rpartition(":")[2] == "math"]:
        _without_copies(node)
        say_instead(node, f" {mathml_text(node)} " if node.get("display") == "block" else mathml_text(node))
    for image in list(root.iter("img")):
        if _TEX.search(image.get("class") or "") and (alt := image.get("alt")):
            say_instead(
                image, re.sub(r"^\{\\(?:display|text)style (.*)\}$", r"\1", " ".join(alt.split()))[:_MAX_TEX]
            )
    for code in root.iter("pre"):
        for node in list(code.iter("br")):
            node.text = "\n"
    for node in root.iter("sup", "sub"):
        position: Position = "lowered" if name_of(node) == "sub" else "note" if _is_note(node) else "raised"
        node.text = start_mark(position) + (node.text or "")
        if len(node):
            node[-1].tail = (node[-1].tail or "") + end_mark()
        else:
            node.text += end_mark()


def _is_note(node: Node) -> bool:
    """Return whether a raised element is a note's mark: a link within the page, or declared as such."""
    parent = node.getparent()
    links = [node, *node.iter("a")]
    if parent is not None and name_of(parent) == "a" and len(parent) == 1 and not (parent.text or "").strip():
        links.append(parent)
    return any(
        _NOTE.search(" ".join(link.get(key) or "" for key in ("class", "role", "epub:type", "id")))
        or "#" in (link.get("href") or "")
        for link in links
    )


def _without_copies(node: Node) -> None:
    """Remove KaTeX's visual copy of a formula, which is beside the one for screen readers."""
    for around in node.iterancestors("span"):
        if "katex" in (around.get("class") or "").split():
            for copy in around.iter("span"):
                if "katex-html" in (copy.get("class") or "").split():
                    for child in list(copy):
                        copy.remove(child)
                    copy.text = None


def say_instead(node: Node, text: str) -> None:
    """Replace an element with text; its style and class stay, because they may hide it."""
    tail, looks = (
        node.tail,
        {key: value for key, value in node.attrib.items() if key in ("style", "class", "id", "color")},
    )
    node.clear()
    node.tag, node.text, node.tail = "span", text, tail
    node.attrib.update(looks)
