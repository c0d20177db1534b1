"""Convert formulas of Office (OMML) and of the web (MathML) to one line of text: `W/L`, `y³`, `√(x + 1)`, `∑_(i=1)^n
xᵢ`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from corpus.readers.markup import Node, name_of
from corpus.readers.typography import exponent, subscript

EQUATION_FIELD = re.compile(r"\s*EQ\s", re.IGNORECASE)
"""Field code for a formula in Word or RTF. The result of such a field is a drawing without words."""

_MAX_DEPTH = 60
"""Maximum nesting depth. Deeper formulas are attacks; only their text is returned."""

_WHOLE = re.compile(r"[\w.,%°′″∞⁰¹²³⁴-⁹ⁿⁱ₀-₉_^]+|\([^()]*\)|√\([^()]*\)")
"""Text that needs no brackets next to a fraction bar: a number, a name, or an expression in brackets."""

_SPACED = re.compile("([=≤≥<>≈≠≡∝→⇒⇔↔±×÷∈∉⊂⊆])")
_SUMS = {"∑", "∏", "∫", "∬", "∭", "∮", "⋃", "⋂", "⋁", "⋀", "∐"}
_ACCENTS = {
    "̂": "̂", "^": "̂", "¯": "̄", "‾": "̄", "̅": "̄", "→": "⃗", "⃗": "⃗", "~": "̃", "̃": "̃", "̇": "̇",
    "˙": "̇", "̈": "̈",
}  # fmt: skip


def omml_text(node: Node) -> str:
    """Convert an `m:oMath` or `m:oMathPara` element of Word or PowerPoint to text."""
    return _tidy(_omml(node, 0))


def mathml_text(node: Node) -> str:
    """Convert a `math` element of HTML, EPUB or an OpenDocument object to text."""
    return _tidy(_mathml(node, 0))


def _tidy(text: str) -> str:
    text = re.sub("[\u2061-\u2064\u200b]", "", text)  # invisible operators, as between f and (x)
    return " ".join(_SPACED.sub(r" \1 ", text).split())


def _group(text: str) -> str:
    text = text.strip()
    return text if not text or _WHOLE.fullmatch(text) else f"({text})"


def _fraction(over: str, under: str) -> str:
    return f"{_group(over)}/{_group(under)}"


def _scripts(base: str, below: str = "", above: str = "") -> str:
    base, below, above = base.strip(), _tidy(below), _tidy(above)
    text = base if len(base) < 2 or _WHOLE.fullmatch(base) or base in _SUMS else f"({base})"
    if below:
        low = subscript(below, text)
        text += low if low != below else f"_({below})"
    if above in ("′", "″", "‴", "'", "*", "†", "°", "∘", "⊤"):
        return text + above.replace("∘", "°")
    if above:
        text += exponent(above.replace(" ", ""))
    return text


def _sum(sign: str, below: str, above: str, rest: str) -> str:
    return f"{_scripts(sign, below, above)} {rest.strip()}"


def _root(inner: str, degree: str = "") -> str:
    degree = degree.strip()
    mark = {"": "√", "2": "√", "3": "∛", "4": "∜"}.get(degree) or f"{exponent(degree).lstrip('^')}√"
    return f"{mark}({inner.strip()})"


def _matrix(rows: Sequence[Sequence[str]]) -> str:
    return "; ".join(", ".join(cell.strip() for cell in row) for row in rows)


def _accent(base: str, mark: str) -> str:
    combining = _ACCENTS.get(mark.strip())
    return base + combining if combining and len(base.strip()) == 1 else base


def _omml(node: Node, depth: int) -> str:
    if depth > _MAX_DEPTH:
        return "".join(node.itertext())
    return "".join(_omml_part(child, depth + 1) for child in node)


def _omml_part(node: Node, depth: int) -> str:  # noqa: PLR0911, PLR0912  one case per structure
    def part(name: str) -> str:
        return "".join(_omml(child, depth) for child in node if name_of(child) == name)

    def value_of(name: str, default: str) -> str:
        element = next((child for child in node.iterfind("{*}*/{*}" + name)), None)
        if element is None:
            return default
        return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == "val"), "")

    match name_of(node):
        case "t":
            return node.text or ""
        case "r":
            return "".join(child.text or "" for child in node if name_of(child) == "t")
        case "f":
            if value_of("type", "bar") == "noBar":
                return f"({part('num')} {part('den')})"
            return _fraction(part("num"), part("den"))
        case "sSup":
            return _scripts(part("e"), "", part("sup"))
        case "sSub":
            return _scripts(part("e"), part("sub"))
        case "sSubSup":
            return _scripts(part("e"), part("sub"), part("sup"))
        case "sPre":
            return _scripts(" ", part("sub"), part("sup")).strip() + part("e")
        case "rad":
            return _root(part("e"), part("deg"))
        case "nary":
            return _sum(value_of("chr", "∫"), part("sub"), part("sup"), part("e"))
        case "d":
            inner = f"{value_of('sepChr', '|')}".join(_omml(child, depth) for child in node if name_of(child) == "e")
            return f"{value_of('begChr', '(')}{inner.strip()}{value_of('endChr', ')')}"
        case "m":
            rows = [row for row in node if name_of(row) == "mr"]
            text = _matrix([[_omml(cell, depth) for cell in row if name_of(cell) == "e"] for row in rows])
            beside = [*node.itersiblings(), *node.itersiblings(preceding=True)]
            return f"[{text}]" if any("".join(each.itertext()) for each in beside) else text
        case "eqArr":
            return "; ".join(_omml(child, depth).strip() for child in node if name_of(child) == "e")
        case "acc":
            return _accent(part("e"), value_of("chr", "̂"))
        case "func":
            name, inner = part("fName").strip(), part("e").strip()
            return f"{name}{inner}" if inner.startswith("(") else f"{name} {inner} "
        case "limLow":
            return _scripts(part("e"), part("lim"))
        case "limUpp":
            return _scripts(part("e"), "", part("lim"))
        case "groupChr" | "bar" | "box" | "borderBox" | "phant":
            return part("e")
        case name if name.endswith("Pr") or name in ("del", "moveFrom"):
            return ""
        case _:
            return _omml(node, depth)


def _mathml(node: Node, depth: int) -> str:  # noqa: PLR0911  one case per structure
    name = name_of(node).rpartition(":")[2].lower()
    children = [child for child in node if isinstance(child.tag, str)]
    if depth > _MAX_DEPTH:
        return "".join(node.itertext())
    if name in ("mi", "mn", "mo", "mtext", "ms"):
        text = " ".join("".join(node.itertext()).split())
        return f" {text} " if name == "mo" and text in ("+", "−", "-") and _is_between(node) else text
    if name in ("annotation", "annotation-xml", "mphantom", "maligngroup"):
        return ""
    if name == "mspace":
        return " "
    texts = [_mathml(child, depth + 1) for child in children]
    if build := _MATHML.get(name):
        return build(texts, node)
    if name == "mtable":
        rows = [row for row in children if name_of(row).rpartition(":")[2] in ("mtr", "mlabeledtr")]
        return _matrix([[_mathml(cell, depth + 2) for cell in row if isinstance(cell.tag, str)] for row in rows])
    if name == "semantics":
        return texts[0] if texts else ""
    return _join(children, texts)


def _is_between(node: Node) -> bool:
    """Return whether an operator is binary, rather than a sign."""
    before, after = node.getprevious(), node.getnext()
    return (
        before is not None
        and after is not None
        and name_of(before).rpartition(":")[2] != "mo"
        and node.get("form") != "prefix"
    )


def _join(children: Sequence[Node], texts: Sequence[str]) -> str:
    """Join the texts of a row. A word such as `sin` is separated from its neighbours by spaces."""
    text = ""
    for child, word in zip(children, texts, strict=True):
        is_word = name_of(child).rpartition(":")[2] in ("mi", "mtext") and len(word) > 1
        text += f"{' ' * (text[-1:].isalnum() or text.endswith(')'))}{word} " if is_word else word
    return text


def _of(texts: Sequence[str], place: int) -> str:
    return texts[place] if place < len(texts) else ""


def _fence(texts: Sequence[str], node: Node) -> str:
    separators = [*(node.get("separators", ",").replace(" ", "") or " ")]
    inner = "".join(
        text + (separators[min(place, len(separators) - 1)].strip() if place + 1 < len(texts) else "")
        for place, text in enumerate(texts)
    )
    return f"{node.get('open', '(')}{inner}{node.get('close', ')')}"


def _under(texts: Sequence[str], _: Node) -> str:
    return _of(texts, 0) if _of(texts, 1).strip() in ("_", "¯", "⏟", "̲") else _scripts(_of(texts, 0), _of(texts, 1))


def _over(texts: Sequence[str], _: Node) -> str:
    mark = _of(texts, 1).strip()
    if mark in _ACCENTS or mark in ("⏞", "→"):
        return _accent(_of(texts, 0), mark)
    return _scripts(_of(texts, 0), "", mark)


_MATHML: dict[str, Callable[[Sequence[str], Node], str]] = {
    "mfrac": lambda texts, node: (
        f"({_of(texts, 0)} {_of(texts, 1)})"
        if (node.get("linethickness") or "1").strip("ptxem ") in ("0", "0.0")
        else _fraction(_of(texts, 0), _of(texts, 1))
    ),
    "msup": lambda texts, _: _scripts(_of(texts, 0), "", _of(texts, 1)),
    "msub": lambda texts, _: _scripts(_of(texts, 0), _of(texts, 1)),
    "msubsup": lambda texts, _: _scripts(*texts[:3]) if texts else "",
    "munderover": lambda texts, _: (_scripts(*texts[:3]) + " ") if texts else "",
    "munder": _under,
    "mover": _over,
    "msqrt": lambda texts, _: _root("".join(texts)),
    "mroot": lambda texts, _: _root(_of(texts, 0), _of(texts, 1)),
    "mfenced": _fence,
}
