"""Citations: the written form of a location in a document, as in `(Source: manual.pdf, S. 45 (printed 33))`.

This server and models copy citations into Markdown. Text from files is therefore escaped, so that it appears literally
and cannot start a link, image or entity.

The page label in a citation ("S.", "p.") is fixed by a setting, or depends on the language of the question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.documents.headings import SEPARATOR
from corpus.synthesis.extractive.lexicon import language_of
from corpus.text.markdown import unescape, within_line
from corpus.text.normalization import clean, fold_case

PAGE = "S."
UNKNOWN = "Unknown source"
"""Name shown for a document that has no name."""

ATTACHMENT = "attachment: "
"""Prefix of the heading path of blocks in an attachment."""
MAX_PLACE_CHARACTERS = 60
"""Maximum length in characters of a heading, the name of an attachment, or a sheet range."""

_ENTRY = re.compile(r"[A-Z]{1,8}-\d{1,6}\b")
"""Identifier of an entry, for example in a decision log. It identifies the location better than a heading within the
entry does."""
_EVEN = re.compile(r"[^()]*(?:\([^()]{0,80}\)[^()]*)*")
_ROUND = re.compile(r"(?<!\\)[()]")
_PLAIN = str.maketrans(
    {
        "（": "(",
        "）": ")",
        "【": "[",
        "】": "]",
        "［": "[",
        "］": "]",
        "$": " ",
        "<": " ",
        ">": " ",
        "`": "'",
        "\\": "/",
    }
)
_PRINTED = re.compile(r"(?=.*[^\W_])(?:[^\W_]|[.\- –]){1,12}")


def place(block: Block, page: str = PAGE) -> str:
    """Return the location of a block: the page number, with the printed number if it differs.

    If the document has no pages, return the attachment, sheet range, entry or heading, and the lines. The result is
    empty if none of these is known.
    """
    if block.page_number is not None:
        printed = printed_label(block.page_label)
        differs = printed and printed != str(block.page_number)
        return f"{page} {block.page_number}" + (f" (printed {printed})" if differs else "")
    return ", ".join(part for part in (_under(block.heading), line_range(block)) if part)


def _under(path: str | None) -> str:
    """Return the last heading or entry in a path, with the attachment that contains it."""
    steps = [" ".join(step.translate(_PLAIN).split()) for step in clean(path or "").split(SEPARATOR)]
    steps = [step for step in steps if step]
    if not steps:
        return ""
    attached = steps[0] if steps[0].startswith(ATTACHMENT) else ""
    last = next((step for step in reversed(steps) if _ENTRY.match(step)), steps[-1])
    parts = (attached.replace(":", "", 1), last) if attached else (last,)
    return ", ".join(dict.fromkeys(_shorten(part.replace(":", "", 1) if part == attached else part) for part in parts))


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_PLACE_CHARACTERS else text[: MAX_PLACE_CHARACTERS - 1].rsplit(None, 1)[0] + "…"


def printed_label(label: str | None) -> str | None:
    """Return the label if it looks like a printed page number, otherwise None. A file may contain any text as a
    label."""
    return within_line(label) if label and _PRINTED.fullmatch(label) else None


def line_range(block: Block) -> str | None:
    """Return the line range of a block, or None if it is unknown."""
    if block.start_line is None:
        return None
    last = block.end_line or block.start_line
    return f"line {last}" if last == block.start_line else f"lines {block.start_line}-{last}"


def citation(document: Document | None, block: Block, page: str = PAGE) -> str:
    """Return the citation of a block. A document without a name is cited as `Unknown source`; an unknown location is
    omitted."""
    name = within_line(document.filename or document.title) if document else ""
    where = place(block, page) if block.page_number is not None else within_line(place(block))
    parts = (name or UNKNOWN, where)
    return f"(Source: {', '.join(_in_brackets(part) for part in parts if part)})"


def with_distinct_names(documents: Iterable[Document]) -> dict[str, Document]:
    """Return the documents, keyed by id. Those that share a file name are renamed to the shortest path suffix that
    distinguishes them, such as `2024/bill.pdf`. If the index stores no paths, they keep the same name."""
    distinct = {document.doc_id: document for document in documents}
    by_name = defaultdict[str, list[Document]](list)
    for document in distinct.values():
        by_name[fold_case(document.filename)].append(document)
    for same in by_name.values():
        names = _ends([PurePath(document.source_path).parts for document in same]) if len(same) > 1 else None
        for document, name in zip(same, names or (), strict=False):
            distinct[document.doc_id] = replace(document, filename=name)
    return distinct


def _ends(paths: Sequence[Sequence[str]]) -> list[str] | None:
    """Return the shortest suffixes that distinguish all paths, or None if there are none."""
    for count in range(2, max(map(len, paths)) + 1):
        ends = [tuple(path[-count:]) for path in paths]
        if len(set(ends)) == len(ends):
            return ["/".join(end) for end in ends]
    return None


def on_page(document: Document, block: Block, page_number: int) -> Block:
    """Return the block with this page number, and the printed label of that page of the document."""
    labels = document.page_labels
    label = labels[page_number - 1] if len(labels) >= page_number else None
    if page_number == block.page_number:
        label = block.page_label
    return replace(block, page_number=page_number, page_label=label)


def _in_brackets(text: str) -> str:
    """Escape parentheses, which would end a citation."""
    return text if _EVEN.fullmatch(text) else _ROUND.sub(r"\\\g<0>", text)


def without_brackets(written: str) -> str:
    """Return a citation without its parentheses: `manual.pdf, S. 45`."""
    return written[1:-1].removeprefix("Source: ")


def as_read(written: str) -> str:
    """Return a citation for people to read, without parentheses and Markdown escapes."""
    return unescape(without_brackets(written))


BY_LANGUAGE = "auto"

_SAMPLE_CHARACTERS = 4_000
"""Number of characters at the start of a text that are used to detect its language."""
_GERMAN, _DEFAULT = "S.", "p."


@dataclass(frozen=True, slots=True)
class PageWords:
    """Configuration of the page label. `fixed` is the label to use for every language, or `auto`."""

    fixed: str = PAGE

    def for_question(self, question: str) -> str:
        """Return the label in the question's language, which is detected from its function words."""
        if self.fixed != BY_LANGUAGE:
            return self.fixed
        return self.for_language(language_of(re.findall(r"\w+", question[:_SAMPLE_CHARACTERS].casefold())))

    def for_language(self, language: str | None) -> str:
        """Return the label in this language."""
        if self.fixed != BY_LANGUAGE:
            return self.fixed
        return _GERMAN if (language or "").startswith("de") else _DEFAULT
