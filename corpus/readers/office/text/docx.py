"""Read Word documents: body, footnotes, endnotes, comments, headers and footers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.opc.part import PartFactory
from docx.package import Package
from docx.parts.document import DocumentPart

from corpus.errors import UnreadableDocument
from corpus.readers.archives import BROKEN, open_archive
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements, Heading, Paragraph, Table
from corpus.readers.markup import DAMAGED, Node, attribute, iso_utc, name_of, parse_count, parse_xml
from corpus.readers.office.list_numbers import Numbering
from corpus.readers.office.package import has_properties, open_repaired
from corpus.readers.office.text.docx_body import Body
from corpus.readers.office.text.docx_runs import Runs
from corpus.readers.office.text.docx_styles import Style, W, chain_of, is_typewritten, styles_of
from corpus.readers.office.text.running_lines import PAGE_FIELD, PAGE_NUMBER, running_line
from corpus.readers.protocol import Step

_OFF = ("0", "false", "off")
_TINY = 4
"""Largest font size that counts as unreadable, in half points."""


def remove_deleted_rows(root: Node) -> int:
    """Remove rows and cells that were deleted under change tracking. Return how many of them had text."""
    marks = [*root.iterfind(f".//{W}trPr/{W}del"), *root.iterfind(f".//{W}tcPr/{W}cellDel")]
    nodes_ = [mark.getparent().getparent() for mark in marks]
    count = sum(any(text.text and text.text.strip() for text in node.iter(f"{W}t", f"{W}delText")) for node in nodes_)
    for node in nodes_:
        if node.getparent() is not None:
            node.getparent().remove(node)
    return count


def remove_hidden(root: Node, styles: Node | None) -> int:
    """Remove hidden content. Return how many passages had text."""
    hiding = _hiding_styles(styles)
    hidden = list(_hidden_rows(root))
    hidden += [run for run in root.iter(f"{W}r") if _is_hidden(run, hiding)]
    count = sum(_says(node) for node in hidden)
    for node in hidden:
        if node.getparent() is not None:
            node.getparent().remove(node)
    return count + sum(map(_empty, _in_field_codes(root)))


def _hidden_rows(root: Node) -> Iterator[Node]:
    """Yield the rows that are marked as hidden."""
    for row in root.iter(f"{W}tr"):
        properties = row.find(f"{W}trPr")
        marks = () if properties is None else properties
        if any(name_of(mark) == "hidden" and mark.get(f"{W}val") not in _OFF for mark in marks):
            yield row


def _hiding_styles(styles: Node | None) -> dict[str, bool]:
    """Return whether each style hides text, keyed by style id; "" is the default paragraph style. Styles that do not
    specify this are omitted."""
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
    """Return whether the properties hide text, or None if they do not specify this."""
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
    """Return whether a run is hidden by its own properties, its style or the style of its paragraph. The first of these
    that specifies it takes precedence."""
    properties = run.find(f"{W}rPr")
    own = _hides(properties)
    if own is not None:
        return own and properties.find(f"{W}specVanish") is not None  # other hidden runs are detected later
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
    """Yield the text of field codes. Word displays only the result of a field. Fields without an end are omitted."""
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


def notes_of(root: Node, kind: str, runs: Runs) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each text of a footnotes or endnotes part, with its kind and id."""
    for note in root.iter(f"{W}{kind}"):
        if text := _words(note, runs):
            yield (kind, note.get(f"{W}id") or ""), text


def comments_by_id(root: Node, runs: Runs) -> dict[str, Paragraph]:
    """Return the comments of a comments part, keyed by id."""
    comments = {}
    for comment in root.iter(f"{W}comment"):
        if text := _words(comment, runs):
            author = " ".join((comment.get(f"{W}author") or "").split())
            comments[comment.get(f"{W}id") or ""] = Paragraph(
                f"Comment ({author}): {text}" if author else f"Comment: {text}"
            )
    return comments


def headers_and_footers(
    document: Any, even_pages: bool, elements_of: Callable[[Any], Elements]
) -> tuple[list[Paragraph], list[Paragraph]]:
    """Return headers and footers, each text once and without page numbers.

    `elements_of` reads a part in the same way as the body.
    """
    texts: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
    seen = set[str]()
    for section in document.element.body.iter(f"{W}sectPr"):
        has_first = section.find(f"{W}titlePg") is not None
        for kind, lines in texts.items():
            for reference in section.iterfind(f"{W}{kind}Reference"):
                pages, relation = reference.get(f"{W}type"), attribute(reference, "id") or ""
                is_used = {"first": has_first, "even": even_pages}.get(pages or "", True)
                part = document.part.rels.get(relation)
                if not is_used or relation in seen or part is None or part.is_external:
                    continue
                seen.add(relation)
                part = part.target_part
                _without_page_numbers(part.element)
                lines.update(dict.fromkeys(_lines(elements_of(part))))
    headers, footers = ([Paragraph(f"{kind.capitalize()}: {text}") for text in lines] for kind, lines in texts.items())
    return headers, footers


def _words(node: Node, runs: Runs) -> str:
    return " ".join(filter(None, (runs.inside(each, on_white=True).text.strip() for each in node.iter(f"{W}p"))))


def _lines(elements: Elements) -> Iterator[str]:
    """Yield the lines of a header, without parts that contain only a page number."""
    for element in elements:
        texts: list[str] = []
        if isinstance(element, Paragraph | Heading):
            texts = element.text.split("\n")
        elif isinstance(element, Table):
            texts = ["\t".join(dict.fromkeys(row)) for row in element.rows]
        yield from filter(None, map(running_line, texts))


def _without_page_numbers(root: Node) -> None:
    """Replace the results of page number fields with a mark."""
    for simple in root.iter(f"{W}fldSimple"):
        if PAGE_FIELD.match(simple.get(f"{W}instr") or ""):
            _replace(list(simple.iter(f"{W}t")))
    codes: list[str] = []
    results: list[list[Node]] = []
    for node in root.iter(f"{W}fldChar", f"{W}instrText", f"{W}t"):
        kind = node.get(f"{W}fldCharType")
        if kind == "begin":
            codes.append("")
            results.append([])
        elif kind == "end" and codes:
            if PAGE_FIELD.match(codes.pop()):
                _replace(results[-1])
            results.pop()
        elif codes and node.tag == f"{W}instrText":
            codes[-1] += node.text or ""
        elif results and node.tag == f"{W}t":
            results[-1].append(node)


def _replace(texts: list[Node]) -> None:
    for number, text in enumerate(texts):
        text.text = "" if number else PAGE_NUMBER


PartFactory.part_type_for.update(
    {  # python-docx refuses these formats, although their content is the same
        f"application/vnd.{kind}.main+xml": DocumentPart
        for kind in (
            "ms-word.document.macroEnabled",
            "ms-word.template.macroEnabledTemplate",
            "openxmlformats-officedocument.wordprocessingml.template",
        )
    }
)

_DAMAGED = (*DAMAGED, *BROKEN, BadZipFile, OpcError, ValueError, AttributeError)


def read_docx(path: Path) -> Iterator[Step]:
    """Yield blocks with heading paths. Raises UnreadableDocument if the file is damaged, encrypted or not in DOCX
    format."""
    with open_archive(path, "DOCX") as archive:
        document = _open(path, archive)
    about = _about(document)
    yield from steps_of(_elements(document, about), about)


def _elements(document: Any, about: About) -> Elements:
    part, root = document.part, document.element.body
    styles = _related(part, "styles")
    about.left_out["deleted passage"] += remove_deleted_rows(root)
    about.unseen += remove_hidden(root, styles)
    looks = styles_of(styles)
    notes = {
        key: text
        for kind in ("footnote", "endnote")
        if (notes_root := _related(part, f"{kind}s")) is not None
        for key, text in notes_of(_without_hidden(notes_root, styles, about), kind, Runs(looks))
    }
    comments_root = _related(part, "comments")
    comments = (
        {} if comments_root is None else comments_by_id(_without_hidden(comments_root, styles, about), Runs(looks))
    )
    headers, footers = _around(document, styles, looks, about)
    numbering = Numbering(_related(part, "numbering"))
    body = Body(part, looks, numbering, about, notes, comments, is_typewritten(styles))
    yield from headers
    yield from body.elements(root)
    yield from footers
    yield from comments.values()  # comments to which no text refers


def _around(document: Any, styles: Node | None, looks: dict[str, Style], about: About) -> Any:
    settings = _related(document.part, "settings")
    even_pages = settings is not None and settings.find(f"{W}evenAndOddHeaders") is not None

    def elements_of(part: Any) -> Elements:
        beside = About()  # a header must not set the document's title
        beside.unseen += remove_hidden(part.element, styles)
        yield from Body(part, looks, Numbering(None), beside).elements(part.element)
        about.unseen += beside.unseen
        about.left_out += beside.left_out

    try:
        return headers_and_footers(document, even_pages, elements_of)
    except _DAMAGED:
        about.warnings.append("Headers and footers are damaged and were left out.")
        return [], []


def _without_hidden(root: Node, styles: Node | None, about: About) -> Node:
    about.unseen += remove_hidden(root, styles)
    return root


def _open(path: Path, archive: ZipFile) -> Any:
    try:
        document = open_repaired(path, archive, lambda file: Package.open(file).main_document_part.document)
        if document.element.body is None:
            raise ValueError("no body")
    except _DAMAGED as error:
        raise UnreadableDocument("damaged: it cannot be read as DOCX") from error
    return document


def _about(document: Any) -> About:
    try:
        if not has_properties(document.part.package):
            return About()
        core = document.core_properties
        date = iso_utc(core.created or core.modified)
        return About(title=core.title or None, author=core.author or None, document_date=date)
    except _DAMAGED:
        return About()


def _related(part: Any, kind: str) -> Node | None:
    """Return the root of the part of that kind, or None unless exactly one exists and is undamaged."""
    try:
        return parse_xml(part.part_related_by(getattr(RELATIONSHIP_TYPE, kind.upper())).blob)
    except (KeyError, ValueError, UnreadableDocument):
        return None
