"""Text beside a Word document's body: footnotes, endnotes, comments, headers and footers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from corpus.readers.elements.protocol import Elements, Heading, Paragraph, Table
from corpus.readers.markup import Node, attribute
from corpus.readers.office.page_numbers import PAGE_FIELD, PAGE_NUMBER, running_line
from corpus.readers.office.word.runs import Runs
from corpus.readers.office.word.styles import W


def notes_of(root: Node, kind: str, runs: Runs) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the texts of a footnotes or endnotes part, by kind and id."""
    for note in root.iter(f"{W}{kind}"):
        if text := _words(note, runs):
            yield (kind, note.get(f"{W}id") or ""), text


def comments_of(root: Node, runs: Runs) -> dict[str, Paragraph]:
    """Return the comments part's comments by id."""
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
    """Return headers and footers, each text once, without page numbers.

    `elements_of` reads a part in the way of the body.
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
    headers, footers = (
        [Paragraph(f"{kind.capitalize()}: {text}") for text in lines] for kind, lines in texts.items()
    )
    return headers, footers


def _words(node: Node, runs: Runs) -> str:
    return " ".join(
        filter(None, (runs.inside(each, on_white=True).text.strip() for each in node.iter(f"{W}p")))
    )


def _lines(elements: Elements) -> Iterator[str]:
    """Yield a header's lines, without parts that only contain a page number."""
    for element in elements:
        texts: list[str] = []
        if isinstance(element, Paragraph | Heading):
            texts = element.text.split("\n")
        elif isinstance(element, Table):
            texts = ["\t".join(dict.fromkeys(row)) for row in element.rows]
        yield from filter(None, map(running_line, texts))


def _without_page_numbers(root: Node) -> None:
    """Replace the results of page fields by a mark."""
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
