"""Verify an external answer against numbered sources, or against the files and pages that it cites."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import PurePath

import anyio.to_thread

from corpus.access import Caller
from corpus.citations import PAGE, citation, with_distinct_names
from corpus.citing.source_lookup import place_in
from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.embedding.protocol import Embedder
from corpus.errors import DocumentNotFound, InvalidRequest
from corpus.index.protocol import Index
from corpus.search import Hit, every_document
from corpus.synthesis.answer import Source
from corpus.synthesis.checking import ClaimCheck, check_claims_by_meaning
from corpus.synthesis.model_judge import ModelJudge
from corpus.synthesis.request import SourceReference
from corpus.synthesis.retrieval import Shelf
from corpus.synthesis.sources import number_sources
from corpus.synthesis.verdict_notes import remove_notes
from corpus.text.normalization import clean

_HEAD = 3
"""Length in characters of the prefix by which names are indexed. The prefix keeps the number of name lengths to try at
each offset low."""


class FileNames:
    """An index that finds document file names in a text, ignoring case and compatibility forms (NFKC)."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents: defaultdict[str, list[Document]] = defaultdict(list)
        for document in documents:
            if name := _fold(document.filename):
                self._documents[name].append(document)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for name in self._documents:
            lengths[name[:_HEAD]].add(len(name))
        self._lengths = {head: sorted(sizes, reverse=True) for head, sizes in lengths.items()}

    def within(self, line: str) -> Iterator[tuple[int, list[Document]]]:
        """Yield the end offset of each file name in the line, and the documents with that name, in order of appearance.
        If several names start at one offset, the longest wins. A name inside a longer word does not count."""
        folded = _Folded(line)
        for at in folded.beginnings():
            if name := self._longest(folded.text, at):
                yield folded.place(at + len(name)), self._documents[name]

    def _longest(self, text: str, at: int) -> str | None:
        for size in range(_HEAD, 0, -1):
            for length in self._lengths.get(text[at : at + size], ()):
                if (name := text[at : at + length]) in self._documents:
                    return name
        return None


class _Folded:
    """A line and its folded text. For each character with its combining marks, `_places` contains its offset in the
    line and `_starts` its offset in the folded text."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._starts: Sequence[int] = range(len(line) + 1)
        self._places: Sequence[int] = self._starts
        self.text = _fold(line)
        if not line.isascii():
            self._places = [n for n, character in enumerate(line) if n == 0 or not _joins(character)]
            self._places.append(len(line))
            starts = [0]
            for first, last in zip(self._places, self._places[1:], strict=False):
                starts.append(starts[-1] + len(_fold(line[first:last])))
            self._starts = starts

    def beginnings(self) -> Iterator[int]:
        """Yield the offsets in the folded text at which a word may begin."""
        before = " "
        for start, place in zip(self._starts, self._places, strict=True):
            if not (before.isalnum() or before in "-_."):
                yield start
            before = self._line[place : place + 1]

    def place(self, offset: int) -> int:
        """Return the offset in the line for an offset in the folded text."""
        return self._places[bisect_left(self._starts, offset)]


def _fold(text: str) -> str:
    """Return the text case-folded and in NFKC. The result is the same if each character with its combining marks is
    folded separately."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _joins(character: str) -> bool:
    """Return whether NFKC may compose the character with the preceding one: a combining mark, or a Hangul vowel or
    final."""
    if character.isascii():
        return False
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"


_LISTED = re.compile(r"\s*(?:[-*]\s+)?\[\^?(\d{1,5})\][:.]?\s")
_REST = re.compile(r"[^\n;\]]{0,120}")
_MAX_PAGES = 100
"""Maximum number of pages in one citation."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A cited document. `pages` is sorted, and empty if the answer mentions no page. `number` is the number of a source
    list entry, such as `[3] manual.pdf`, or None."""

    number: int | None
    document: Document
    pages: tuple[int, ...]

    @property
    def page_range(self) -> str:
        """Return the pages as a citation shows them: `1-3`, or `1, 3`."""
        if len(self.pages) > 1 and self.pages[-1] - self.pages[0] == len(self.pages) - 1:
            return f"{self.pages[0]}-{self.pages[-1]}"
        return ", ".join(map(str, self.pages))


def cited_pages(text: str, documents: Sequence[Document], most: int) -> list[Cited]:
    """Return at most `most` distinct citations in order. An entry of a numbered source list is one citation with all
    pages of its line. Elsewhere each page is a separate citation. This is slow for many documents, so call it in a
    thread."""
    citations: dict[Cited, None] = {}
    for cited in _cited(text, FileNames(documents)):
        citations[cited] = None
        if len(citations) == most:
            break
    return list(citations)


def _cited(text: str, names: FileNames) -> Iterator[Cited]:
    seen = set[tuple[int | None, str, tuple[int, ...]]]()
    for line in text.splitlines():
        plain = line.replace("\\", "")
        listed = _LISTED.match(plain)
        number = int(listed[1]) if listed else None
        for end, documents_of_name in names.within(plain):
            documents, pages = _in_folder(documents_of_name, plain[:end]), _pages(plain, end)
            same = number, documents[0].doc_id, pages
            if same not in seen:
                seen.add(same)
                groups = [(page,) for page in pages] if pages and number is None else [pages]
                yield from (Cited(number, document, group) for document in documents for group in groups)
            number = None if pages else number


def _in_folder(documents: Sequence[Document], written: str) -> Sequence[Document]:
    """Return the documents whose path shares the most trailing parts with the end of the text, such as
    `2024/bill.pdf`."""
    if len(documents) < 2:
        return documents
    steps = [_steps(PurePath(document.source_path).parts, written.casefold()) for document in documents]
    most = max(steps)
    return [document for document, count in zip(documents, steps, strict=True) if count == most]


def _steps(path: Sequence[str], written: str) -> int:
    """Return how many trailing parts of the path the text ends with."""
    count = 0
    while count < len(path) and written.endswith("/".join(path[-count - 1 :]).casefold()):
        count += 1
    return count


def _pages(line: str, end: int) -> tuple[int, ...]:
    rest = _REST.match(line, end)
    return tuple(sorted(place_in(rest[0].split(")")[0] if rest else "").pages)[:_MAX_PAGES])


MAX_ANSWER = 40_000
"""Maximum number of characters in an answer, the same as for a model's answer (`sanitize_markdown`)."""
MAX_LISTED = 10
"""Maximum number of missing sources that a warning lists."""


@dataclass(frozen=True, slots=True)
class Verification:
    """A check of an answer, with the sources that the caller may read. Citations of other sources count as invalid."""

    check: ClaimCheck
    sources: tuple[Source, ...]
    warnings: tuple[str, ...] = ()


async def verify_answer(
    answer: str,
    references: Sequence[SourceReference],
    shelf: Shelf,
    caller: Caller,
    *,
    page: str = PAGE,
    embedder: Embedder | None = None,
    judge: ModelJudge | None = None,
) -> Verification:
    """Check an answer against numbered sources. Notes of an earlier check are ignored.

    Raise InvalidRequest for an answer that is empty or longer than MAX_ANSWER, and for two sources with the same
    number. Raise DocumentNotFound if the caller may read none of the sources.
    """
    text = readable(answer)
    numbers = [reference.number for reference in references]
    if twice := next((n for n in numbers if numbers.count(n) > 1), None):
        raise InvalidRequest(f"Two sources have the number {twice}. Number each of them once.")
    sources, warnings = await _resolve(references, shelf, caller, page)
    check = await check_claims_by_meaning(text, sources, embedder, judge=judge)
    return Verification(check, sources, (*warnings, *check.warnings, *_check_warnings(check)))


def readable(answer: str) -> str:
    """Return the answer without notes of an earlier check. Raise InvalidRequest if it is empty or longer than
    MAX_ANSWER."""
    if len(answer) > MAX_ANSWER:
        raise InvalidRequest(f"The answer is longer than {MAX_ANSWER} characters. Check it in parts.")
    text = remove_notes(clean(answer))
    if not text.strip():
        raise InvalidRequest("The answer is empty. Pass the text whose citations are to be checked.")
    return text


def _check_warnings(check: ClaimCheck) -> tuple[str, ...]:
    if not check.claims:
        return ("No claim was found in this text: nothing in it states a fact.",)
    if check.unchecked:
        return (f"{check.unchecked} further claims were not checked; check the answer in parts.",)
    return ()


async def _resolve(
    references: Sequence[SourceReference], shelf: Shelf, caller: Caller, page: str
) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    ids = list(dict.fromkeys(reference.block_id for reference in references if reference.block_id))
    hits = {hit.block.block_id: hit for hit in await shelf.blocks(ids, caller)} if ids else {}
    sources = []
    for reference in references:
        known = [hits[reference.block_id]] if reference.block_id in hits else []
        made = number_sources(known, [reference.observation] if reference.observation else [], page)
        sources += [replace(source, citation_number=reference.number) for source in made[:1]]
    missing = [reference.number for reference in references if reference.block_id and reference.block_id not in hits]
    if missing and not sources:
        raise DocumentNotFound(
            "None of these block_ids is among the blocks you may read. Take them from rag_semantic_search."
        )
    warnings = await shelf.hit_warnings(list(hits.values()))
    if missing:
        listed = ", ".join(f"[{number}]" for number in missing[:MAX_LISTED])
        more = f" and {len(missing) - MAX_LISTED} more" if len(missing) > MAX_LISTED else ""
        cure = "not among the blocks you may read. Take block_ids from rag_semantic_search."
        warnings = (f"Checked without {listed}{more}: {cure}", *warnings)
    return tuple(sources), warnings


MAX_SOURCES = 100
"""Maximum number of citations that are checked per answer, which limits the time."""
_MAX_BLOCKS = 300
"""Maximum number of blocks per citation, which limits the time."""
_FIRST_UNNUMBERED = 100_001
"""Number of the first source that is cited by file name, higher than any `[N]` of the answer."""

Parts = tuple[tuple[int, Block], ...]
"""Blocks of a source, each with its character offset in the source text."""


@dataclass(frozen=True, slots=True)
class VerifiedFile:
    """The result of checking a file. `text` is the checked text. `parts` maps each source number to the source's
    blocks."""

    text: str
    check: ClaimCheck
    sources: tuple[Source, ...]
    parts: dict[int, Parts]


async def verify_file(
    answer: str,
    index: Index,
    caller: Caller,
    *,
    page: str = PAGE,
    embedder: Embedder | None = None,
    judge: ModelJudge | None = None,
) -> VerifiedFile:
    """Check an answer against the cited pages that the caller may read. A citation is a file name with a page, or `[N]`
    if a line of the answer defines the file and page of N.

    Raise InvalidRequest for an answer that is empty or longer than MAX_ANSWER.
    """
    text = readable(answer)
    documents = [document async for document in every_document(index, caller)]
    sources, parts, further = list[Source](), dict[int, Parts](), count(_FIRST_UNNUMBERED)
    display_names = with_distinct_names(documents)
    for cited in await anyio.to_thread.run_sync(cited_pages, text, documents, MAX_SOURCES):
        number = next(further) if cited.number is None else cited.number
        blocks = await _blocks(index, cited, caller)
        if blocks and number not in parts:
            source, parts[number] = _source(number, cited, display_names[cited.document.doc_id], blocks, page)
            sources.append(source)
    check = await check_claims_by_meaning(text, sources, embedder, judge=judge)
    return VerifiedFile(text, check, tuple(sources), parts)


async def _blocks(index: Index, cited: Cited, caller: Caller) -> tuple[Block, ...]:
    first, last = (cited.pages[0], cited.pages[-1]) if cited.pages else (1, 10**6)
    blocks = await index.pages(cited.document.doc_id, first, last, caller)
    wanted_pages = {None, *cited.pages} if cited.pages else None
    return tuple(block for block in blocks if wanted_pages is None or block.page_number in wanted_pages)[:_MAX_BLOCKS]


def _source(number: int, cited: Cited, document: Document, blocks: Sequence[Block], page: str) -> tuple[Source, Parts]:
    parts, text = list[tuple[int, Block]](), ""
    for block in blocks:
        block_text = "\n\n".join(part for part in (block.image_caption, block.content) if part)
        if block_text:
            text += "\n\n" if text else ""
            parts.append((len(text), block))
            text += block_text
    single = cited.pages[0] if len(cited.pages) == 1 else None
    whole = replace(
        blocks[0], block_type="text", content=text, image_caption=None, page_number=single, heading=None,
        start_line=None, end_line=None, page_label=blocks[0].page_label if single else None,
    )  # fmt: skip
    citation_text = citation(document, whole, page)
    if len(cited.pages) > 1:
        citation_text = f"{citation_text[:-1]}, {page} {cited.page_range})"
    hit = Hit(whole, cited.document, score=1.0, score_kind="none")
    return Source(number, citation_text, hit=hit), tuple(parts)
