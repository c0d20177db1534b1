"""A Word document without what it hides by styles, rows and fields: taken out of the tree before it is read."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.readers.markup import Node, counted, name_of
from corpus.readers.office.word.styles import W, chain_of

_OFF = ("0", "false", "off")
_TINY = 4
"""Half points."""


def without_deleted_rows(root: Node) -> int:
    """Take out rows and cells that were deleted while changes are tracked; how many had words."""
    marks = [*root.iterfind(f".//{W}trPr/{W}del"), *root.iterfind(f".//{W}tcPr/{W}cellDel")]
    found = [mark.getparent().getparent() for mark in marks]
    count = sum(
        any(text.text and text.text.strip() for text in node.iter(f"{W}t", f"{W}delText")) for node in found
    )
    for node in found:
        if node.getparent() is not None:
            node.getparent().remove(node)
    return count


def without_unseen(root: Node, styles: Node | None) -> int:
    """Takes it out; how many passages that were."""
    hiding = _hiding_styles(styles)
    found = list(_hidden_rows(root))
    found += [run for run in root.iter(f"{W}r") if _is_hidden(run, hiding)]
    count = sum(_says(node) for node in found)
    for node in found:
        if node.getparent() is not None:
            node.getparent().remove(node)
    return count + sum(map(_emptied, _in_field_codes(root)))


def _hidden_rows(root: Node) -> Iterator[Node]:
    """Rows that are hidden."""
    for row in root.iter(f"{W}tr"):
        properties = row.find(f"{W}trPr")
        marks = () if properties is None else properties
        if any(name_of(mark) == "hidden" and mark.get(f"{W}val") not in _OFF for mark in marks):
            yield row


def _hiding_styles(styles: Node | None) -> dict[str, bool]:
    """Whether text of a style is hidden, by style id, without those that say nothing; "" is the default paragraph's."""
    if styles is None:
        return {}
    nodes = {node.get(f"{W}styleId") or "": node for node in styles.iter(f"{W}style")}
    found = {}
    for key, node in nodes.items():
        looks = (_hides(each.find(f"{W}rPr")) for each in chain_of(key, nodes))
        hides = next((look for look in looks if look is not None), None)
        if hides is not None:
            found[key] = hides
            if node.get(f"{W}default") in ("1", "true") and node.get(f"{W}type") == "paragraph":
                found[""] = hides
    return found


def _hides(properties: Node | None) -> bool | None:
    """None where nothing is said of it."""
    said: bool | None = None
    for each in () if properties is None else properties:
        value = each.get(f"{W}val") or ""
        match name_of(each):
            case "vanish" | "specVanish":
                said = bool(said) or value not in _OFF
            case "sz" if value.isdecimal():
                said = bool(said) or counted(value, _TINY + 1) <= _TINY
    return said


def _is_hidden(run: Node, hiding: dict[str, bool]) -> bool:
    """By the nearest that says something: the run, its own style, that of the paragraph."""
    properties = run.find(f"{W}rPr")
    own = _hides(properties)
    if own is not None:
        return (
            own and properties.find(f"{W}specVanish") is not None
        )  # the others are seen to where runs are read
    if not hiding:
        return False
    style = None if properties is None else properties.find(f"{W}rStyle")
    said = None if style is None else hiding.get(style.get(f"{W}val") or "-")
    return _paragraph_hides(run, hiding) if said is None else said


def _paragraph_hides(run: Node, hiding: dict[str, bool]) -> bool:
    paragraph = next(run.iterancestors(f"{W}p"), None)
    style = None if paragraph is None else paragraph.find(f"{W}pPr/{W}pStyle")
    return hiding.get("" if style is None else style.get(f"{W}val") or "", False)


def _in_field_codes(root: Node) -> Iterator[Node]:
    """Text that stands where the code of a field does, which shows its result alone; only of fields that end."""
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


def _emptied(text: Node) -> bool:
    said, text.text = text.text, ""
    return bool(said and said.strip())
