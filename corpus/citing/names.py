"""How a marker names a source: a file with its page, `manual.pdf, S. 45 (printed 33)`, or an address."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.markdown import unescaped

_PAGE_WORD = (
    r"(?:S\.|Seiten?\b|pages?\b|pp?\.|pgs?\.|p(?=\s?\d)|págs?\.|páginas?\b|pagina\b|Folien?\b|slides?\b|"
    r"diapositive\b|стр\.|ص)"
)
_CUT = re.compile(rf"(?:(?<!\s)\s++)?[,;:]\s*+|(?<!\s)\s++(?=[(\[]|{_PAGE_WORD}|第)", re.IGNORECASE)
_PAGES = re.compile(
    rf"(?<!\w){_PAGE_WORD}\s*(?P<first>\d{{1,9}}|[ivxlcdm]{{1,9}}\b|[A-Z]-?\d{{1,6}}\b)"
    rf"(?P<more>(?:\s*(?:[-–—,&]|bis|und|and|to)\s*(?:{_PAGE_WORD}\s*)?\d{{1,9}}){{0,20}})(?P<next>\s*ff?\b)?"
    r"|(?:第|(?<!\s))\s*+(?P<wide>\d{1,9})\s*[页頁ページ]",
    re.IGNORECASE,
)
_PRINTED = re.compile(
    r"\b(?:printed|gedruckt|imprimée?|impresa)\b[:.]?\s*(?P<label>[^\s(),;\])]{1,12})", re.IGNORECASE
)
_MORE = re.compile(r"(?<!\D)([-–—]|bis|to)?\D*+(\d+)", re.IGNORECASE)
_FILE = re.compile(r"[^\s.]\.[A-Za-z][A-Za-z0-9]{1,4}(?!\.*\w)")
URL = re.compile(r"https?://[^\s<>\]]{1,2000}", re.IGNORECASE)
_MAX_CUTS = 12
"""Separators at which a file name may end; bounds the lookups for one marker."""
_MAX_PAGES = 100
"""Pages of one range in a marker; a longer range cites no page in particular."""


@dataclass(frozen=True, slots=True)
class Place:
    """Pages of the file, and lower-case labels that may be printed there."""

    pages: frozenset[int] = frozenset()
    labels: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.pages or self.labels)


def plain(text: str) -> str:
    """A name without Markdown: one line, without escapes, emphasis and code marks."""
    return " ".join(unescaped(text.strip(" \t*_`\"'„“”<>")).split())


def folded_name(name: str) -> str:
    """A file name for comparison: casefolded and without folders."""
    return unicodedata.normalize("NFC", plain(name)).casefold().replace("\\", "/").rpartition("/")[2]


def stem(name: str) -> str:
    """`folded_name` without the file extension."""
    folded = folded_name(name)
    return folded.rpartition(".")[0] if _FILE.search(folded) else folded


def folded_url(url: str) -> str:
    """An address for comparison: without scheme, escapes and trailing punctuation."""
    bare = unescaped(url.strip()).rstrip(".,;:!?'\"*_")
    if bare.endswith(")") and bare.count("(") < bare.count(")"):
        bare = bare[:-1]
    return bare.rstrip("/").partition("://")[2].casefold()


def looks_like_a_file(name: str) -> bool:
    """Whether the name has a file extension."""
    return bool(_FILE.search(name))


def readings(name: str) -> Iterator[int]:
    """Lengths of prefixes that may be the name, with a place behind it, longest first."""
    yield len(name)
    cuts = [match.start() for _, match in zip(range(_MAX_CUTS), _CUT.finditer(name), strict=False)]
    yield from reversed(cuts)


def place_in(text: str) -> Place:
    """The page in the text behind a name. Sheets, sections and lines are no pages."""
    printed = _PRINTED.search(text)
    labels = {printed["label"].casefold()} if printed else set()
    match = _PAGES.search(text)
    if not match:
        return Place(labels=frozenset(labels))
    first = match["first"] or match["wide"]
    if not first.isdecimal():
        return Place(labels=frozenset(labels | {first.casefold()}))
    pages = _pages(int(first), match["more"] or "", bool(match["next"]))
    return Place(frozenset(pages), frozenset(labels or {str(page) for page in pages}))


def _pages(first: int, more: str, goes_on: bool) -> set[int]:
    pages, last = {first}, first
    for match in _MORE.finditer(more):
        page = int(match[2])
        low = min(last, page) if match[1] else page
        pages |= set(range(low, min(max(last, page), low + _MAX_PAGES) + 1)) if match[1] else {page}
        last = page
    return pages | {last + 1} if goes_on else pages
