"""The tree of a page as a browser displays it: hidden elements are removed, and inline formatting is written as
text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from corpus.readers.formulas import mathml_text
from corpus.readers.markup import Node, name_of
from corpus.readers.typography import Position, decode_symbols, end_mark, is_symbol_font, start_mark
from corpus.readers.web.css import (
    Colour,
    Declarations,
    Rules,
    are_alike,
    colour_of,
    is_clear,
    is_out_of_sight,
    is_tiny,
    parse_declarations,
    pixels,
    rules_of,
)

DELETED = {"del": "deleted passage", "s": "struck passage", "strike": "struck passage"}
"""Elements for deleted and struck-out text, and the name of each kind in warnings."""

_INLINE = {
    "span", "a", "i", "b", "em", "strong", "small", "font", "big", "cite", "tt", "u", "ins", "q", "abbr",
    "code",
}  # fmt: skip
_KEEPS_SPACE = ("pre", "pre-wrap", "break-spaces")
_HOLDS_CODE = {"div", "p", "code", "span", "samp", "tt", "section", "blockquote"}
_LIFT = 2.0
"""Minimum vertical shift, in pixels, of raised or lowered text. Smaller shifts only align it."""

_TEX = re.compile(r"\b(?:mwe-math|tex|latex|mathjax|equation)", re.IGNORECASE)
_MAX_TEX = 500
"""Maximum length of the source of a formula, in characters."""
_NOTE = re.compile(
    r"(?:^|[\s_-])(?:foot|end)?note(?:ref|[\s_-]ref)?|(?:^|\s)reference(?:\s|$)|fnref|noteref", re.IGNORECASE
)
_NO_WORDS = ("hidden", "submit", "button", "reset", "image", "password", "file", "color", "range", "search")


def is_struck(style: Declarations) -> bool:
    """Return whether the style draws a line through text."""
    return "line-through" in style.get("text-decoration", "") + style.get("text-decoration-line", "")


def rename_by_style(node: Node, style: Declarations) -> None:
    """Rename an element whose style makes it look like another element: raised text becomes `sup`, code becomes `pre`.

    Text in symbol fonts is converted.
    """
    name = name_of(node)
    font = (style.get("font-family") or node.get("face") or "").partition(",")[0].strip(" \"'")
    if is_symbol_font(font):
        node.text = decode_symbols(node.text or "", font)
        for child in node:
            child.tail = decode_symbols(child.tail or "", font)
    if name in _INLINE and (position := _style_position(style)):
        node.tag = "sup" if position == "raised" else "sub"
    elif name in _HOLDS_CODE and style.get("white-space") in _KEEPS_SPACE and "\n" in node.text_content().strip("\n"):
        node.tag = "pre"


def _style_position(style: Declarations) -> Position | None:
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


def _is_small(style: Declarations) -> bool:
    """Return whether the text is smaller than the text around it; False for absolute sizes, which cannot be
    compared."""
    size = style.get("font-size", "")
    number = size.rstrip("%em")
    share = float(number) if re.fullmatch(r"\d{0,3}(?:\.\d{1,4})?", number) and number not in ("", ".") else 1000
    return size in ("smaller", "x-small", "xx-small") or (
        share < 100 if size.endswith("%") else share < 1 if size.endswith("em") else False
    )


def form_text(node: Node) -> str:
    """Return the displayed content of a form field: a tick, its text, or the selected option."""
    match name_of(node):
        case "input":
            kind = (node.get("type") or "text").lower()
            if kind in ("checkbox", "radio"):
                return "☒ " if node.get("checked") is not None else "☐ "
            return "" if kind in _NO_WORDS else f" {node.get('value') or ''} "
        case "select":
            selected = [option.text_content() for option in node.iter("option") if option.get("selected") is not None]
            return f" {', '.join(' '.join(text.split()) for text in selected)} "
    return ""


def write_inline(root: Node) -> None:
    """Replace formulas, and line breaks in code, with text, and mark raised and lowered text."""
    for node in [each for each in root.iter() if name_of(each).rpartition(":")[2] == "math"]:
        _without_copies(node)
        replace_by_text(node, f" {mathml_text(node)} " if node.get("display") == "block" else mathml_text(node))
    for image in list(root.iter("img")):
        if _TEX.search(image.get("class") or "") and (alt := image.get("alt")):
            replace_by_text(
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
    """Return whether a raised element is the mark of a note: it is a link within the page, or declared as a note."""
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
    """Remove KaTeX's visual copy of a formula, which is next to the copy for screen readers."""
    for around in node.iterancestors("span"):
        if "katex" in (around.get("class") or "").split():
            for copy in around.iter("span"):
                if "katex-html" in (copy.get("class") or "").split():
                    for child in list(copy):
                        copy.remove(child)
                    copy.text = None


def replace_by_text(node: Node, text: str) -> None:
    """Replace the content of an element with text. Its style and class are preserved, because they may hide it."""
    tail, looks = (
        node.tail,
        {key: value for key, value in node.attrib.items() if key in ("style", "class", "id", "color")},
    )
    node.clear()
    node.tag, node.text, node.tail = "span", text, tail
    node.attrib.update(looks)


SILENT = {
    "script", "style", "template", "noscript", "head", "nav", "iframe", "object", "embed", "canvas", "svg", "button",
    "select", "input", "textarea", "dialog", "audio", "video", "map", "rt", "rp",
}  # fmt: skip
"""Elements that are not page text, or whose text a reader of the page does not see."""

_WHITE: Colour = (255, 255, 255)
_BLACK: Colour = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Look:
    """Formatting of the text in an element. A colour is None if it is unknown."""

    is_invisible: bool = False
    is_tiny: bool = False
    is_clear: bool = False
    colour: Colour | None = _BLACK
    ground: Colour | None = _WHITE

    @property
    def is_unseen(self) -> bool:
        """Whether text with this formatting is invisible."""
        alike = self.colour is not None and self.ground is not None and are_alike(self.colour, self.ground)
        return self.is_invisible or self.is_tiny or self.is_clear or alike


def remove_hidden(root: Node, left_out: Counter[str]) -> int:
    """Remove hidden elements, and return how many of the hidden passages had text. Elements that are not page text do
    not count.

    Struck-out and deleted text is also removed, and counted in `left_out`. Form fields are replaced with their values.
    """
    rules = rules_of(root)
    waiting: list[tuple[Node, _Look]] = [(root, _Look(ground=None if rules.colours_elsewhere else _WHITE))]
    dropped: list[Node] = []
    count = 0
    while waiting:
        node, around = waiting.pop()
        style = _style_of(node, rules)
        look = _look(node, style, around)
        if look.is_unseen:
            count += _empty(node)
        for child in node:
            if not isinstance(child.tag, str) or (name_of(child) in SILENT and not form_text(child)):
                if name_of(child) == "svg" and any((text.text or "").strip() for text in child.iter("text", "tspan")):
                    left_out["drawing"] += 1
                elif name_of(child) == "textarea" and child.text_content().strip():
                    left_out["form field"] += 1
                dropped.append(child)
                continue
            child_style = _style_of(child, rules)
            if _is_hidden(child) or is_out_of_sight(child_style):
                count += bool("".join(child.itertext()).strip()) and name_of(child) not in SILENT
                dropped.append(child)
            elif name_of(child) in DELETED or is_struck(child_style):
                if "".join(child.itertext()).strip():
                    left_out[DELETED.get(name_of(child), "struck passage")] += 1
                dropped.append(child)
            else:
                if text := form_text(child):
                    replace_by_text(child, text)
                rename_by_style(child, child_style)
                waiting.append((child, look))
    for node in dropped:
        _drop(node)
    write_inline(root)
    return count


def _style_of(node: Node, rules: Rules) -> Declarations:
    return rules.of(node) | parse_declarations(node.get("style") or "")


def _is_hidden(node: Node) -> bool:
    return node.get("hidden") is not None or (node.get("aria-hidden") == "true" and not len(node))


def _look(node: Node, style: Declarations, around: _Look) -> _Look:
    look = around
    if visibility := style.get("visibility"):
        look = replace(look, is_invisible=visibility in ("hidden", "collapse"))
    if (tiny := is_tiny(style.get("font-size", ""))) is not None:
        look = replace(look, is_tiny=tiny)
    if colour := style.get("color") or (node.get("color") or node.get("text") or "").strip().lower():
        if colour not in ("inherit", "currentcolor"):
            look = replace(look, colour=colour_of(colour), is_clear=is_clear(colour))
    elif name_of(node) in ("a", "mark"):
        look = replace(look, colour=None, is_clear=False)
    return _with_ground(node, style, look)


def _with_ground(node: Node, style: Declarations, look: _Look) -> _Look:
    ground = style.get("background-color") or style.get("background") or (node.get("bgcolor") or "").lower()
    if style.get("background-image", "none") != "none" or node.get("background"):
        return replace(look, ground=None)
    if not ground or ground in ("none", "inherit", "initial", "unset") or is_clear(ground):
        return look
    return replace(look, ground=colour_of(ground))


def _empty(node: Node) -> bool:
    """Remove the text of an element itself, and return whether there was any. Its children may be formatted
    differently."""
    parts = [node.text, *(child.tail for child in node)]
    node.text = None
    for child in node:
        child.tail = " " if child.tail else None
    return any(part and part.strip() for part in parts)


def _drop(node: Node) -> None:
    """Remove an element, but keep the text after it."""
    parent, before = node.getparent(), node.getprevious()
    if parent is None:
        return
    tail = node.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(node)
