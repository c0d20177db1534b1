"""Elements within a line whose looks carry meaning, as text: raised letters, formulas, breaks in code, forms."""

from __future__ import annotations

import re

from corpus.readers.formulas import mathml_text
from corpus.readers.markup import Node, name_of
from corpus.readers.raised_text import Position, end_mark, start_mark
from corpus.readers.symbol_fonts import in_symbol_font, is_symbol_font
from corpus.readers.web.declarations import Declared, pixels

DELETED = {"del": "deleted passage", "s": "struck passage", "strike": "struck passage"}
"""Elements of what was taken back, and what they are counted as."""

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
"""Pixels by which letters must be moved to be raised or lowered; less only evens out a line."""

_TEX = re.compile(r"\b(?:mwe-math|tex|latex|mathjax|equation)", re.IGNORECASE)
_MAX_TEX = 500
_NOTE = re.compile(
    r"(?:^|[\s_-])(?:foot|end)?note(?:ref|[\s_-]ref)?|(?:^|\s)reference(?:\s|$)|fnref|noteref", re.IGNORECASE
)
_NO_WORDS = ("hidden", "submit", "button", "reset", "image", "password", "file", "color", "range", "search")


def is_struck(said: Declared) -> bool:
    """Whether a line goes through the letters."""
    return "line-through" in said.get("text-decoration", "") + said.get("text-decoration-line", "")


def name_by_looks(node: Node, said: Declared) -> None:
    """Rename an element that looks like another of HTML's own: raised letters are `sup`, code is `pre`.

    Letters of a font of signs become those signs.
    """
    name = name_of(node)
    font = (said.get("font-family") or node.get("face") or "").partition(",")[0].strip(" \"'")
    if is_symbol_font(font):
        node.text = in_symbol_font(node.text or "", font)
        for child in node:
            child.tail = in_symbol_font(child.tail or "", font)
    if name in _INLINE and (position := _position(said)):
        node.tag = "sup" if position == "raised" else "sub"
    elif (
        name in _HOLDS_CODE
        and said.get("white-space") in _KEEPS_SPACE
        and "\n" in node.text_content().strip("\n")
    ):
        node.tag = "pre"


def _position(said: Declared) -> Position | None:
    align = said.get("vertical-align", "")
    if align in ("super", "sub"):
        return "raised" if align == "super" else "lowered"
    if variant := said.get("font-variant-position"):
        return {"super": "raised", "sub": "lowered"}.get(variant)  # type: ignore[return-value]
    if align in ("text-top", "text-bottom", "top", "bottom") and _is_small(said):
        return "raised" if align.endswith("top") else "lowered"
    lift = pixels(align)
    if said.get("position") == "relative" and ("font-size" in said or "mso-text-raise" in said):
        lift = -pixels(said.get("top", "")) or pixels(said.get("bottom", ""))
    return None if abs(lift) < _LIFT else "raised" if lift > 0 else "lowered"


def _is_small(said: Declared) -> bool:
    """Whether letters are smaller than those around them; of fixed sizes this cannot be told."""
    size = said.get("font-size", "")
    number = size.rstrip("%em")
    share = (
        float(number) if re.fullmatch(r"\d{0,3}(?:\.\d{1,4})?", number) and number not in ("", ".") else 1000
    )
    return size in ("smaller", "x-small", "xx-small") or (
        share < 100 if size.endswith("%") else share < 1 if size.endswith("em") else False
    )


def form_text(node: Node) -> str:
    """What a field of a form shows: a tick, the words in it, or the choice that was made."""
    match name_of(node):
        case "input":
            kind = (node.get("type") or "text").lower()
            if kind in ("checkbox", "radio"):
                return "☒ " if node.get("checked") is not None else "☐ "
            return "" if kind in _NO_WORDS else f" {node.get('value') or ''} "
        case "select":
            chosen = [
                option.text_content() for option in node.iter("option") if option.get("selected") is not None
            ]
            return f" {', '.join(' '.join(text.split()) for text in chosen)} "
    return ""


def written_out(root: Node) -> None:
    """Put text in place of formulas and breaks in code, and marks around raised and lowered letters."""
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
    """Whether it is the mark of a note: a link to a place on the page, or one that says so."""
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
    """KaTeX draws the formula a second time in letters, beside the one for screen readers."""
    for around in node.iterancestors("span"):
        if "katex" in (around.get("class") or "").split():
            for copy in around.iter("span"):
                if "katex-html" in (copy.get("class") or "").split():
                    for child in list(copy):
                        copy.remove(child)
                    copy.text = None


def say_instead(node: Node, text: str) -> None:
    """Put text in place of an element; its style and class stay, for they may hide it."""
    tail, looks = (
        node.tail,
        {key: value for key, value in node.attrib.items() if key in ("style", "class", "id", "color")},
    )
    node.clear()
    node.tag, node.text, node.tail = "span", text, tail
    node.attrib.update(looks)
