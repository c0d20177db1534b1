"""Source lookup: find the sources of an answer by number, by file and page, or by address."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from corpus.citations import UNKNOWN
from corpus.citing.protocol import Citable
from corpus.text.markdown import unescape

Ranges = tuple[tuple[int, int], ...]
"""Pairs of a lowest and a highest number, both inclusive, in the order of the marker."""

NUMBER = r"[#^]?\d{1,9}\^?"
DASH = r"[-–—‑−~〜]"
SEPARATOR = rf"(?:\s{{0,3}}(?:[,;、，；&|·]|{DASH}|(?<=\s)(?:and|und|et|y|e|en|bis|to)(?=\s))\s{{0,3}})"
NUMBERS = rf"{NUMBER}(?:{SEPARATOR}{NUMBER}){{0,200}}"

_PART = re.compile(rf"(\d{{1,9}})\^?(?:\s*(?:{DASH}|bis\b|to\b)\s*[#^]?(\d{{1,9}}))?")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def ranges(listed: str) -> Ranges:
    """Return the ranges in a list of numbers. A range may be written backwards."""
    pairs = ((int(match[1]), int(match[2] or match[1])) for match in _PART.finditer(listed))
    return tuple((min(pair), max(pair)) for pair in pairs)


def superscript_ranges(signs: str) -> Ranges:
    """Return the ranges in a string of superscript digits. Each digit is a separate number, and `¹⁻³` is a range. If
    there are separators, the digits between them form one number."""
    plain = signs.translate(_RAISED)
    if re.search(r"[,˒·-]", plain):
        return ranges(re.sub("[˒·]", ",", plain))
    return tuple((int(digit), int(digit)) for digit in plain if digit.isdigit())


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
_PRINTED = re.compile(r"\b(?:printed|gedruckt|imprimée?|impresa)\b[:.]?\s*(?P<label>[^\s(),;\])]{1,12})", re.IGNORECASE)
_MORE = re.compile(r"(?<!\D)([-–—]|bis|to)?\D*+(\d+)", re.IGNORECASE)
_FILE = re.compile(r"[^\s.]\.[A-Za-z][A-Za-z0-9]{1,4}(?!\.*\w)")
URL = re.compile(r"https?://[^\s<>\]]{1,2000}", re.IGNORECASE)
_MAX_CUTS = 12
"""Maximum number of separators that are tried as the end of a file name, which limits the lookups per marker."""
_MAX_PAGES = 100
"""Maximum number of pages of one range in a marker. A longer range does not refer to any particular page."""


@dataclass(frozen=True, slots=True)
class Place:
    """Page numbers of the file, and lower-case labels that may be printed on the pages."""

    pages: frozenset[int] = frozenset()
    labels: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.pages or self.labels)


def plain(text: str) -> str:
    """Return a name without Markdown: on one line, and without escapes, emphasis or code marks."""
    return " ".join(unescape(text.strip(" \t*_`\"'„“”<>")).split())


def folded_name(name: str) -> str:
    """Return a file name in a form for comparison: casefolded and without folders."""
    return unicodedata.normalize("NFC", plain(name)).casefold().replace("\\", "/").rpartition("/")[2]


def stem(name: str) -> str:
    """Return the `folded_name` without its file extension."""
    folded = folded_name(name)
    return folded.rpartition(".")[0] if _FILE.search(folded) else folded


def folded_url(url: str) -> str:
    """Return an address in a form for comparison: without scheme, escapes or trailing punctuation."""
    bare = unescape(url.strip()).rstrip(".,;:!?'\"*_")
    if bare.endswith(")") and bare.count("(") < bare.count(")"):
        bare = bare[:-1]
    return bare.rstrip("/").partition("://")[2].casefold()


def looks_like_a_file(name: str) -> bool:
    """Return whether the name has a file extension."""
    return bool(_FILE.search(name))


def readings(name: str) -> Iterator[int]:
    """Yield the lengths of the prefixes that may be a file name, longest first. A place in the file may follow the
    prefix."""
    yield len(name)
    cuts = [match.start() for _, match in zip(range(_MAX_CUTS), _CUT.finditer(name), strict=False)]
    yield from reversed(cuts)


def place_in(text: str) -> Place:
    """Return the pages in the text after a file name. Sheets, sections and lines are not pages."""
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


_MAX_LISTED = 50
"""Maximum count of cited numbers without a source that are listed individually. If there are more, they are listed as a
range."""


@dataclass(frozen=True, slots=True)
class MarkerSources:
    """The source numbers that a marker cites, and its parts that match no source."""

    citations: tuple[int, ...] = ()
    invalid: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.citations or self.invalid)


NOTHING = MarkerSources()


def union(parts: Iterable[MarkerSources]) -> MarkerSources:
    """Return the union, in order of first appearance."""
    all_named = list(parts)
    return MarkerSources(
        tuple(dict.fromkeys(number for part in all_named for number in part.citations)),
        tuple(dict.fromkeys(name for part in all_named for name in part.invalid)),
    )


class SourceBook:
    """The sources of an answer, indexed by number, file, address and citation."""

    def __init__(self, sources: Sequence[Citable]) -> None:
        self._numbers = sorted({source.number for source in sources})
        self._known = set(self._numbers)
        self._files: dict[str, list[Citable]] = defaultdict(list)
        self._stems: dict[str, list[Citable]] = defaultdict(list)
        self._urls: dict[str, list[int]] = defaultdict(list)
        self._written: dict[str, list[int]] = defaultdict(list)
        for source in sources:
            if source.file:
                self._stems[stem(source.file)].append(source)
            if source.file or not source.url:
                self._files[folded_name(source.file or UNKNOWN)].append(source)
            if source.written:
                self._written[_body(source.written)].append(source.number)
            if source.url:
                self._urls[folded_url(source.url)].append(source.number)

    def has(self, number: int) -> bool:
        """Return whether a source has this number."""
        return number in self._known

    def numbered(self, ranges: Ranges) -> MarkerSources:
        """Return the sources with these numbers. If many numbers of a range have no source, report them as one
        range."""
        return union(self._in_range(low, high) for low, high in ranges)

    def _in_range(self, low: int, high: int) -> MarkerSources:
        numbers = self._numbers[bisect_left(self._numbers, low) : bisect_right(self._numbers, high)]
        if high - low + 1 - len(numbers) <= _MAX_LISTED:
            return MarkerSources(tuple(numbers), tuple(str(n) for n in range(low, high + 1) if n not in self._known))
        first = low if not numbers else max(low, numbers[-1] + 1)
        return MarkerSources(tuple(numbers), (f"{first}-{high}",))

    def at(self, url: str) -> tuple[int, ...]:
        """Return the sources with this address."""
        return tuple(self._urls.get(folded_url(url), ()))

    def written(self, body: str) -> tuple[int, ...]:
        """Return the sources with exactly this citation, given without its brackets and `Source:`."""
        return tuple(self._written.get(plain(body), ()))

    def exactly(self, name: str) -> tuple[int, ...]:
        """Return the sources of the file with exactly this name. The name may contain commas and words for "page"."""
        return tuple(source.number for source in self._files.get(folded_name(name), ()))

    def called(self, name: str) -> tuple[int, ...]:
        """Return the sources that the text of a marker cites: `manual.pdf, S. 12`.

        Without a page, return all sources of the file. Return an empty tuple for an unknown file or for a page without
        a source. A name without its extension matches if no source has the name exactly as written.
        """
        for sources_by_name in (self._files, self._stems):
            for length in readings(name):
                if numbers := sources_by_name.get(folded_name(name[:length])):
                    return _on(_in_folder(numbers, name[:length]), place_in(name[length:]))
        return ()

    def knows(self, name: str) -> bool:
        """Return whether the text starts with the name of a source's file."""
        beginnings = {folded_name(name[:length]) for length in readings(name)}
        return not (beginnings.isdisjoint(self._files) and beginnings.isdisjoint(self._stems))


def _in_folder(sources: Sequence[Citable], name: str) -> Sequence[Citable]:
    """Return the sources whose citation contains this folder, which distinguishes files with the same name. Return all
    sources if no folder matches."""
    folded = plain(name).casefold()
    matching = [source for source in sources if source.written and _body(source.written).casefold().startswith(folded)]
    return matching if "/" in folded and matching else sources


def _on(sources: Sequence[Citable], place: Place) -> tuple[int, ...]:
    """Return the sources on this page of the file. If there are none, return the sources without a page; if there are
    none of these either, return the sources whose page has this printed number."""
    fitting = [source for source in sources if source.page in place.pages or not place]
    if not fitting and place.pages:
        fitting = [source for source in sources if source.page is None]
    if not fitting:
        fitting = [source for source in sources if _label(source) in place.labels]
    return tuple(dict.fromkeys(source.number for source in fitting))


def _body(citation: str) -> str:
    return plain(citation[1:-1].partition(":")[2])


def _label(source: Citable) -> str:
    return (source.page_label or "").strip().casefold()
