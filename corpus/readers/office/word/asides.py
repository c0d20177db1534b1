"""What stands beside the text of a Word document: footnotes, endnotes, comments, headers and footers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from corpus.readers.elements.protocol import Elements, Heading, Paragraph, Table
from corpus.readers.markup import Node, attribute
from corpus.readers.office.page_numbers import PAGE_FIELD, PAGE_NUMBER, running_line
from corpus.readers.office.word.runs import Runs
from corpus.readers.office.word.styles import W


def notes_of(root: Node, kind: str, runs: Runs) -> Iterator[tuple[tuple[str, str], str]]:
    """The texts of a part with footnotes or endnotes, by kind and id."""
    for note in root.iter(f"{W}{kind}"):
        if text := _words(note, runs):
            yield (kind, note.get(f"{W}id") or ""), text


def comments_of(root: Node, runs: Runs) -> dict[str, Paragraph]:
    """The comments of the part of comments, by id."""
    found = {}
    for comment in root.iter(f"{W}comment"):
        if text := _words(comment, runs):
            author = " ".join((comment.get(f"{W}author") or "").split())
            found[comment.get(f"{W}id") or ""] = Paragraph(
                f"Comment ({author}): {text}" if author else f"Comment: {text}"
            )
    return found


def headers_and_footers(
    document: Any, even_pages: bool, elements_of: Callable[[Any], Elements]
) -> tuple[list[Paragraph], list[Paragraph]]:
    """What stands above and below the pages, each text once, without the numbers of pages.

    `elements_of` reads a part as it reads the body.
    """
    texts: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
    seen = set[str]()
    for section in document.element.body.iter(f"{W}sectPr"):
        has_first = section.find(f"{W}titlePg") is not None
        for kind, said in texts.items():
            for reference in section.iterfind(f"{W}{kind}Reference"):
                pages, relation = reference.get(f"{W}type"), attribute(reference, "id") or ""
                shown = {"first": has_first, "even": even_pages}.get(pages or "", True)
                part = document.part.rels.get(relation)
                if not shown or relation in seen or part is None or part.is_external:
                    continue
                seen.add(relation)
                part = part.target_part
                _without_page_numbers(part.element)
                said.update(dict.fromkeys(_lines(elements_of(part))))
    headers, footers = (
        [Paragraph(f"{kind.capitalize()}: {text}") for text in said] for kind, said in texts.items()
    )
    return headers, footers


def _words(node: Node, runs: Runs) -> str:
    return " ".join(
        filter(None, (runs.inside(each, on_white=True).text.strip() for each in node.iter(f"{W}p")))
    )


def _lines(elements: Elements) -> Iterator[str]:
    """The lines of a header; of one with a page's number, those parts between tabs that say something else."""
    for element in elements:
        texts: list[str] = []
        if isinstance(element, Paragraph | Heading):
            texts = element.text.split("\n")
        elif isinstance(element, Table):
            texts = ["\t".join(dict.fromkeys(row)) for row in element.rows]
        yield from filter(None, map(running_line, texts))


def _without_page_numbers(root: Node) -> None:
    """Put a mark in place of what the fields of pages show."""
    for simple in root.iter(f"{W}fldSimple"):
        if PAGE_FIELD.match(simple.get(f"{W}instr") or ""):
            _replaced(list(simple.iter(f"{W}t")))
    codes: list[str] = []
    shown: list[list[Node]] = []
    for node in root.iter(f"{W}fldChar", f"{W}instrText", f"{W}t"):
        kind = node.get(f"{W}fldCharType")
        if kind == "begin":
            codes.append("")
            shown.append([])
        elif kind == "end" and codes:
            if PAGE_FIELD.match(codes.pop()):
                _replaced(shown[-1])
            shown.pop()
        elif codes and node.tag == f"{W}instrText":
            codes[-1] += node.text or ""
        elif shown and node.tag == f"{W}t":
            shown[-1].append(node)


def _replaced(texts: list[Node]) -> None:
    for number, text in enumerate(texts):
        text.text = "" if number else PAGE_NUMBER
