"""Headers, footers and page numbers: lines that recur at the same position on many pages, apart from their numbers.

Each becomes text once, on the first page that has it, and again wherever it differs. Page numbers do not become text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from corpus.readers.pdf.text.lines import Line

_MIN_PAGES = 3  # Minimum number of pages that repeat a line; two may share a heading by chance.
_EDGE_ZONE = 0.12  # Fraction of the page's height, at the top and bottom, that may contain headers and footers.
_MARGIN = 0.08  # Fraction of the page's width, at each side, that may contain marginal marks.
_STEP = 6.0  # Maximum distance in points between positions that count as equal: half a line of text.
_PART_WORDS = 3  # Number of words that identify the start or end of a header; the other half may be the chapter.
_MIN_GAP = 0.9  # Minimum gap, in line heights, between a header and the text; lines of a paragraph are closer.
_MIN_PAGES_USUAL = 5  # Minimum number of pages in a document for "most pages" to be meaningful.
# Maximum number of pages between repetitions: the header of a chapter recurs within a few pages.
_MAX_PAGE_DISTANCE = 6
_MIN_PAGE_SHARE = 0.3  # Minimum fraction of pages with a line that recurs throughout the document.
_MIN_LARGE_SIZE = 1.12  # Minimum ratio of a line's font size to the body's; larger lines are titles, as on slides.
_SENTENCE = re.compile(
    r"[^\W\d_].*[^\W\d_]{2}[.!?][\"”’)]?|(?=.*[\u3040-\u9fff]).*[。！？]", re.DOTALL
)  # fmt: skip
_MIN_WORDS = 4  # Minimum number of words in a sentence; fewer are a title with a full stop.
_MIN_ROMAN_PAGES = 2  # Minimum number of front matter pages with Roman page numbers.
_OF_PAGES = re.compile(r"\b(\d{1,5})\s*(?:of|von|de|sur|di|van|av|/)\s*\d{1,5}\W*$", re.IGNORECASE)
_SEPARATORS = " |-–—·•,:/"
_ROMAN_ALONE = re.compile(r"[\W_]*[ivxlc]+[\W_]*")
_PAGE_WORD = re.compile(r"\b(?:page|seite|pagina|página|side|sida|strana|sheet|blatt|s\.|p\.)\s*$", re.IGNORECASE)
_ALL_PAGES = re.compile(r"\s*(?:of|von|de|sur|di|van|av|/)\s*\d{1,5}\b", re.IGNORECASE)
_SEPARATOR_AT_END = re.compile(r"[|–—\-·•/]\s*$")
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE = re.compile(
    r"[\W_]*+(?P<word>page|seite|pagina|página|p\.|s\.)?\s*+(?P<number>\d{1,5})\s*+"
    r"(?:(?:of|von|de|/)\s*(?P<all>\d{1,5}))?[\W_]*",
    re.IGNORECASE,
)

_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Key = tuple[str, int]
PageLabel = tuple[str, int]  # Marker for Roman numerals, or a prefix (the chapter of "3-14"); and the number.
_ROMAN_NUMBER = "i"
_CHAPTER_PAGE = re.compile(r"[\W_]*((?:[A-Z]|[A-Z]?\d{1,2})[-–])(\d{1,3})[\W_]*")
"""Page numbers that restart in each chapter or appendix: 3-14, A-2."""

_AFTER_WORD = re.compile(r"\b(?:page|seite|pagina|página|side|sida|strana|blatt)\s*(\d{1,5})\b", re.IGNORECASE)


class RunningLines:
    """Finds the running lines of a document. Call `see` with every page first."""

    def __init__(self) -> None:
        self._pages: dict[Key, set[int]] = defaultdict(set)
        self._outermost: dict[int, set[int]] = defaultdict(set)
        self._sizes: Counter[float] = Counter()
        self._offsets: dict[int, set[int]] = defaultdict(set)
        self._offsets_of: dict[tuple[Key, int], Counter[int]] = defaultdict(Counter)
        """For each line, and each position of a number in it, counts of the differences between that number and the
        page's number."""
        self._middle = 0.0
        self._page_labels: dict[int, set[PageLabel]] = {}
        """Numbers that may be the page's printed number, keyed by page."""
        self._news: set[str] = set()
        self._count = 0

    def see(self, page_number: int, lines: Sequence[Line], size: tuple[float, float]) -> None:
        """Add the lines at the edges of a page of `size` (points)."""
        self._count += 1
        self._middle = size[1] / 2
        self._page_labels[page_number] = {
            number for line in lines if _above_or_below(line, size) for number in _labels_in(line)
        }
        for line in lines:
            self._sizes[line.size] += len(line.text)
            if _at_the_edge(line, size):
                for text in _texts(line):
                    self._pages[text, _place(line)].add(page_number)
                for number in _numbers(line):
                    self._offsets[number - page_number].add(page_number)
                for at, match in enumerate(_NUMBER.finditer(line.text)):
                    self._offsets_of[_key(line), at][number_of(match[0]) - page_number] += 1
        for line in _outermost(lines, size):
            self._outermost[_place(line)].add(page_number)

    def of(self, page_number: int, lines: Sequence[Line], size: tuple[float, float]) -> set[int]:
        """Return the indexes of the page's headers, footers, page numbers and marginal marks."""
        outer = {id(line) for line in _outermost(lines, size) if self._is_usual(line)}
        return {
            index
            for index, line in enumerate(lines)
            if id(line) in outer
            or (_at_the_edge(line, size) and self._is_repeated(line, page_number))
            or (_above_or_below(line, size) and self._is_number(line, page_number))
        }

    def labels(self) -> list[str]:
        """Return the printed page numbers if most pages have a number from a consistent sequence; otherwise an empty
        list."""
        offsets = Counter(
            (style, number - page) for page, pairs in self._page_labels.items() for style, number in pairs
        )
        steady = {
            key: count
            for key, count in offsets.items()
            if count >= (_MIN_ROMAN_PAGES if key[0] == _ROMAN_NUMBER else _MIN_PAGES)
        }
        best = {
            page: max(keys, key=steady.__getitem__)
            for page, pairs in self._page_labels.items()
            if (keys := [pair for style, number in pairs if (pair := (style, number - page)) in steady])
        }
        if 2 * len(best) < self._count or not best:
            return []
        numbered_pages, last = sorted(best), 0
        labels = [""] * self._count
        for page in range(1, self._count + 1):
            after = next((other for other in numbered_pages if other >= page), 0)
            # A page without a printed number gets one if its neighbours agree, or if it is at the start or end.
            key = best.get(page)
            if key is None and (not after or not last or best[last] == best[after]):
                key = best[after or last]
            if key and page + key[1] >= 1:
                number = page + key[1]
                labels[page - 1] = roman_of(number) if key[0] == _ROMAN_NUMBER else f"{key[0]}{number}"
            last = page if page in best else last
        return labels

    def new_text(self, page_number: int, lines: Sequence[Line], running: Iterable[int]) -> list[tuple[int, Line]]:
        """Return the running lines with new text, without page numbers. Call it once per page, in page order."""
        result = []
        for index in sorted(running):
            line = lines[index]
            text = "" if self._is_number(line, page_number) else self._without_number(line, page_number)
            mark = " ".join(text.casefold().split())
            if any(map(str.isalnum, mark)) and not _ROMAN_ALONE.fullmatch(mark) and mark not in self._news:
                self._news.add(mark)
                result.append(
                    (
                        index,
                        line if text == line.text else replace(line, text=text.strip(_SEPARATORS), pieces=()),
                    )
                )
        return result

    def _without_number(self, line: Line, page_number: int) -> str:
        text, end = "", 0
        for at, match in enumerate(_NUMBER.finditer(line.text)):
            if match.start() < end or not self._is_counting(line, at, match, page_number):
                continue
            before = _PAGE_WORD.search(line.text[end : match.start()])
            text += line.text[end : end + before.start() if before else match.start()]
            more = _ALL_PAGES.match(line.text, match.end())
            end = more.end() if more else match.end()
        return text + line.text[end:]

    def _is_counting(self, line: Line, at: int, match: re.Match[str], page_number: int) -> bool:
        """Return whether a number within a line is a page number. It must be separate or follow a word for page: in
        "Boat 3" on the third of three pages, the 3 is not a page number."""
        counts = self._offsets_of[_key(line), at]
        offset = number_of(match[0]) - page_number
        if counts[offset] < 2 or 2 * counts[offset] < counts.total():
            return False
        before, behind = line.text[: match.start()], line.text[match.end() :]
        if _PAGE_WORD.search(before) or _ALL_PAGES.match(behind):
            return True
        at_an_end = not before.strip() or not behind.strip()
        return at_an_end and (line.scattered or _SEPARATOR_AT_END.search(before or behind[::-1]) is not None)

    def _is_repeated(self, line: Line, page_number: int) -> bool:
        """Return whether nearby pages, or a large fraction of all pages, also have the line. For large lines, nearby
        pages are not enough."""
        if is_sentence(line.text) and not self._is_notice(line):
            return False
        min_pages = _MIN_PAGES if self._count > _MIN_PAGES else 2
        large = line.size > _MIN_LARGE_SIZE * self._body_size
        for text in _texts(line):
            pages = _near(self._pages, text, _place(line))
            near = sum(1 for page in pages if abs(page - page_number) <= _MAX_PAGE_DISTANCE)
            if len(pages) >= min_pages and (
                len(pages) > _MIN_PAGE_SHARE * self._count or (near >= min_pages and not large)
            ):
                return True
        return False

    def _is_notice(self, line: Line) -> bool:
        """Return whether the sentence is at the bottom of most pages, like terms of use."""
        pages = _near(self._pages, _key(line)[0], _place(line))
        return self._count >= _MIN_PAGES_USUAL and line.box[1] > self._middle and 2 * len(pages) > self._count

    def _is_number(self, line: Line, page_number: int) -> bool:
        """Return whether the line contains only the page number."""
        if match := _CHAPTER_PAGE.fullmatch(line.text):
            offset = int(match[2]) - page_number
            pages = sum((match[1], offset + page) in printed for page, printed in self._page_labels.items())
            return pages >= _MIN_PAGES
        match = _PAGE.fullmatch(line.text)
        if not match:
            return False
        number = int(match["number"])
        if match["word"] or match["all"]:
            return number <= int(match["all"] or number)
        return number == page_number or len(self._offsets.get(number - page_number, ())) >= _MIN_PAGES

    def _is_usual(self, line: Line) -> bool:
        """Return whether most pages have a separate line at this position, regardless of its text. Larger lines, such
        as slide titles, are excluded."""
        if self._count < _MIN_PAGES_USUAL or line.bold or is_sentence(line.text):
            return False
        pages = set().union(*(self._outermost.get(_place(line) + step, set()) for step in (-1, 0, 1)))
        return line.size <= self._body_size and 2 * len(pages) > self._count

    @property
    def _body_size(self) -> float:
        return self._sizes.most_common(1)[0][0] if self._sizes else 0.0


def is_sentence(text: str) -> bool:
    """Return whether the text is a complete sentence of several words, rather than a title or an address."""
    text = text.strip()
    words = text.split()
    plain = sum(word[:1].islower() for word in words)
    return _SENTENCE.fullmatch(text) is not None and (
        (len(words) >= _MIN_WORDS and 2 * plain >= len(words)) or text[-1] in "。！？"
    )


def number_of(text: str) -> int:
    """Return the value of decimal digits or a Roman numeral."""
    if text.isdecimal():
        return int(text[:9])
    values = [_ROMAN[char] for char in text.lower()]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def roman_of(number: int) -> str:
    """Return a small number as a lower-case Roman numeral."""
    steps = zip((100, 90, 50, 40, 10, 9, 5, 4, 1), ["c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"], strict=True)
    text = ""
    for value, numeral in steps:
        text += number // value * numeral
        number %= value
    return text


def _labels_in(line: Line) -> Iterator[PageLabel]:
    """Yield the numbers at the start or end of the line, or in a phrase like "3 of 10"."""
    if match := _OF_PAGES.search(line.text):
        yield "", int(match[1])
        return
    if match := _CHAPTER_PAGE.fullmatch(line.text):
        yield match[1], int(match[2])
    if match := _AFTER_WORD.search(line.text):
        yield "", int(match[1])
    words = line.text.strip(_SEPARATORS + "[]()").split()
    for word in {words[0], words[-1]} if words else ():
        bare = word.strip(_SEPARATORS + "[]()")
        if bare.isdecimal() and len(bare) < 6:
            yield "", int(bare)
        elif bare and set(bare) <= set(_ROMAN) and roman_of(number_of(bare)) == bare:
            yield _ROMAN_NUMBER, number_of(bare)


def _key(line: Line) -> Key:
    return _texts(line)[0], _place(line)


def _near(pages: dict[Key, set[int]], text: str, place: int) -> set[int]:
    """Return the pages that have the text at this position or one step away. Positions vary with the height of the
    characters."""
    return set().union(*(pages.get((text, place + step), set()) for step in (-1, 0, 1)))


def _outermost(lines: Sequence[Line], size: tuple[float, float]) -> list[Line]:
    """Return the highest and the lowest line of a page, if they are at the page's edge and separate from the text."""
    level = sorted((line for line in lines if not line.is_upright), key=lambda line: line.box[1])
    if len(level) < 3:
        return []
    outermost = []
    first, last = level[0], max(level, key=lambda line: line.box[3])
    height = first.box[3] - first.box[1]
    if first.box[3] < size[1] * _EDGE_ZONE and level[1].box[1] - first.box[3] > _MIN_GAP * height:
        outermost.append(first)
    above = max(line.box[3] for line in level if line is not last)
    if last.box[1] > size[1] * (1 - _EDGE_ZONE) and last.box[1] - above > _MIN_GAP * (last.box[3] - last.box[1]):
        outermost.append(last)
    return outermost


def _at_the_edge(line: Line, size: tuple[float, float]) -> bool:
    left, _, right, _ = line.box
    width, _ = size
    margin = width * _MARGIN
    return _above_or_below(line, size) or right < margin or left > width - margin


def _above_or_below(line: Line, size: tuple[float, float]) -> bool:
    return line.box[3] < size[1] * _EDGE_ZONE or line.box[1] > size[1] * (1 - _EDGE_ZONE)


def _numbers(line: Line) -> set[int]:
    """Return the numbers at the start and end of the line, one of which may be the page number."""
    words = line.text.split()
    return {int(word) for word in (*words[:1], *words[-1:]) if word.isdecimal() and len(word) < 6}


def _texts(line: Line) -> list[str]:
    """Return the keys of a line: its text without numbers. For a line in parts, also return its start and its end,
    because headers often have the title on one side and the chapter on the other."""
    words = _NUMBER.sub("#", line.text).split()
    if not line.scattered or len(words) <= _PART_WORDS:
        return [" ".join(words)]
    return [" ".join(words), " ".join([*words[:_PART_WORDS], "…"]), " ".join(["…", *words[-_PART_WORDS:]])]


def _place(line: Line) -> int:
    return round(line.box[1] / _STEP)
