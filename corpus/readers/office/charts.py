"""Charts of Word, PowerPoint and Excel: title, categories and values as a table."""

from __future__ import annotations

from corpus.readers.elements.protocol import Table
from corpus.readers.markup import Node, counted, name_of, parsed_xml

_MOST_POINTS = 2_000


def chart_table(data: bytes) -> Table | None:
    """The chart of a chart part, from the values that it caches. None when it holds none.

    UnreadableDocument when the part is no XML.
    """
    root = parsed_xml(data)
    series = [node for node in root.iter("{*}ser") if isinstance(node.tag, str)]
    columns = [(_name(one, number), _points(one, "val", "yVal")) for number, one in enumerate(series, 1)]
    columns = [column for column in columns if column[1]]
    if not columns:
        return None
    categories = _points(series[0], "cat", "xVal")
    count = min(_MOST_POINTS, 1 + max(max(points) for _, points in columns))
    rows = [("", *(name for name, _ in columns))]
    for index in range(count):
        label = categories.get(index, str(index + 1))
        rows.append((label, *(points.get(index, "") for _, points in columns)))
    return Table(rows=tuple(rows), caption=f"Chart: {_title(root) or _axes(root) or 'without title'}")


def _name(series: Node, number: int) -> str:
    title = series.find("{*}tx")
    return _text(title) or f"Series {number}"


def _title(root: Node) -> str:
    title = root.find(".//{*}chart/{*}title")
    return "" if title is None else _text(title)


def _axes(root: Node) -> str:
    return ", ".join(filter(None, (_text(axis) for axis in root.findall(".//{*}plotArea/*/{*}title"))))


def _text(node: Node | None) -> str:
    if node is None:
        return ""
    words = (each.text for each in node.iter() if name_of(each) in ("t", "v") and each.text)
    return " ".join(" ".join(words).split())


def _points(series: Node, *names: str) -> dict[int, str]:
    """The cached points by index; of categories on several levels the innermost."""
    for name in names:
        holder = series.find(f"{{*}}{name}")
        if holder is None:
            continue
        levels = holder.findall(".//{*}lvl")
        points: dict[int, str] = {}
        for point in (levels[0] if levels else holder).iter("{*}pt"):
            place, value = counted(point.get("idx"), _MOST_POINTS, _MOST_POINTS), point.find("{*}v")
            if place < _MOST_POINTS and value is not None and value.text:
                points[place] = _number(value.text.strip())
        return points
    return {}


def _number(text: str) -> str:
    """As a person writes it: floating point noise is rounded away."""
    try:
        return f"{float(text):.12g}" if len(text) > 12 and "." in text else text
    except ValueError:
        return text
