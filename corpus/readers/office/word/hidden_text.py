"""Remove what a Word document hides by styles, rows and fields, before it is read."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.readers.markup import Node, name_of, parse_count
from corpus.readers.office.word.styles import W, chain_of

_OFF = ("0", "false", "off")
_TINY = 4
"""Half points: nobody can read them."""


def remove_deleted_rows(root: Node) -> int:
    """Remove rows and cells deleted under change tracking; return how many had text."""
    marks = [*root.iterfind(f".//{W}trPr/{W}del"), *root.iterfind(f".//{W}tcPr/{W}cellDel")]
    nodes_ = [mark.getparent().getparent() for mark in marks]
    count = sum(any(text.text and text.text.strip() for text in node.iter(f"{W}t", f"{W}delText")) for node in nodes_)
    for node in nodes_:
        if node.getparent() is not None:
            node.getparent().remove(node)
    return count


def remove_hidden(root: Node, styles: Node | None) -> int:
    """Remove hidden content; return how many passages had text."""
    hiding = _hiding_styles(styles)
    hidden = list(_hidden_rows(root))
    hidden += [run for run in root.iter(f"{W}r") if _is_hidden(run, hiding)]
    count = sum(_says(node) for node in hidden)
    for node in hidden:
        if node.getparent() is not None:
            node.getparent().remove(node)
    return count + sum(map(_empty, _in_field_codes(root)))


def _hidden_rows(root: Node) -> Iterator[Node]:
    """Yield rows that are marked as hidden."""
    for row in root.iter(f"{W}tr"):
        properties = row.find(f"{W}trPr")
        marks = () if properties is None else properties
        if any(name_of(mark) == "hidden" and mark.get(f"{W}val") not in _OFF for mark in marks):
            yield row


def _hiding_styles(styles: Node | None) -> dict[str, bool]:
    """Return by style id whether text is hidden, without styles that do not say; "" is the default paragraph style."""
    if styles is None:
        return {}
    nodes = {node.get(f"{W}styleId") or "": node for node in styles.iter(f"{W}style")}
    styles_ = {}
    for key, node in nodes.items():
        looks = (_hides(each.find(f"{W}rPr")) for each in chain_of(key, nodes))
        hides = next((look for look in looks if look is not None), None)
        if hides is not None:
            styles_[key] = hides
            if node.get(f"{W}default") in ("1", "true") and node.get(f"{W}type") == "paragraph":
                styles_[""] = hides
    return styles_


def _hides(properties: Node | None) -> bool | None:
    """Return whether properties hide text; None where they do not say."""
    hides: bool | None = None
    for each in () if properties is None else properties:
        value = each.get(f"{W}val") or ""
        match name_of(each):
            case "vanish" | "specVanish":
                hides = bool(hides) or value not in _OFF
            case "sz" if value.isdecimal():
                hides = bool(hides) or parse_count(value, _TINY + 1) <= _TINY
    return hides


def _is_hidden(run: Node, hiding: dict[str, bool]) -> bool:
    """Return whether a run is hidden by itself, its style or its paragraph's style; the nearest decides."""
    properties = run.find(f"{W}rPr")
    own = _hides(properties)
    if own is not None:
        return own and properties.find(f"{W}specVanish") is not None  # other runs are judged when they are read
    if not hiding:
        return False
    style = None if properties is None else properties.find(f"{W}rStyle")
    hides = None if style is None else hiding.get(style.get(f"{W}val") or "-")
    return _paragraph_hides(run, hiding) if hides is None else hides


def _paragraph_hides(run: Node, hiding: dict[str, bool]) -> bool:
    paragraph = next(run.iterancestors(f"{W}p"), None)
    style = None if paragraph is None else paragraph.find(f"{W}pPr/{W}pStyle")
    return hiding.get("" if style is None else style.get(f"{W}val") or "", False)


def _in_field_codes(root: Node) -> Iterator[Node]:
    """Yield text within field codes, which show only their result; only of fields that end."""
    codes: list[list[Node]] = []
    in_code: list[bool] = []
    for node in root.iter(f"{W}fldChar", f"{W}t"):
        kind = node.get(f"{W}fldCharType")
        if kind == "begin":
            codes.append([])
            in_code.append(True)
        elif kind in ("separate", "end") and codes:
            in_code[-1] = False
            yield from codes[-1]
            codes[-1] = []
            if kind == "end":
                codes.pop()
                in_code.pop()
        elif kind is None and any(in_code):
            codes[in_code.index(True)].append(node)


def _says(node: Node) -> bool:
    return any(text.text and text.text.strip() for text in node.iter(f"{W}t"))


def _empty(text: Node) -> bool:
    old, text.text = text.text, ""
    return bool(old and old.strip())
