"""Citation markers in each of the forms that people and models use."""

from __future__ import annotations

import re

from corpus.citing import names, patterns
from corpus.citing.numbers import DASH, NUMBERS, Ranges, raised, ranges
from corpus.citing.sourcebook import Named, SourceBook, together

# Atomic groups: a comma may separate items or lists, and backtracking over both takes exponential time.
_LISTED = re.compile(rf"[\[\]\s]*+(?>{NUMBERS})(?:[\[\],;\s]++(?>{NUMBERS})){{0,50}}[\[\]\s]*+")
_NUMBER = re.compile(rf"\[?\s{{0,3}}{NUMBERS}\s{{0,3}}\]?")
_FIRST = re.compile(NUMBERS)
_MAX_LINK_NUMBER = 999
"""A greater number as a link text is a year."""
_POSITION = re.compile(r"\d{1,9}:\d{1,9}†|†")
_JOINED = re.compile(rf"\]{DASH}\[")
_PAIR = re.compile(r"\d{1,9}\s*[,;]\s*\d{1,9}")
_INTERVAL = re.compile(
    r"(?:[∈=]|\b(?:open |closed |half-open )?interval\w*|\bintervall\w*|\bintervalo)\s*\Z", re.IGNORECASE
)
_RANGE_WORD = re.compile(r"\b(?:range|Bereich|between|zwischen|domain|plage)\s*\Z", re.IGNORECASE)
_UNIT = re.compile(
    r"(?:(?<![^\W\d])(?:[kcmdµμnhM]?m|mc|in|ft|yd|mi|ha|s|sec|min|h|kg|g|l|N|Pa|V|A|K|W|J|R|cm|km|mm|sq|Zoll))\Z"
)
_VARIABLE = re.compile(r"(?<![^\W\d_])[^\W\d_]\Z")
_POWER = re.compile(r"(?<![\d.,])(?:\d{1,3}|\d+[.,]\d+)\Z")
_SPLIT = re.compile(
    r"(?:(?<!\s)\s++)?(?:;\s*+|,\s++(?=[^,;]{1,100}\.[A-Za-z][A-Za-z0-9]{1,4}\b))"
    r"|(?<!\s)\s++(?:and|und|&|et|y)\s++(?=[^,;]{1,100}\.[A-Za-z][A-Za-z0-9]{1,4}\b)"
)
_PAGED = re.compile(r"[,:]\s*(?:S\.|Seiten?|pages?|pp?\.|pg\.)\s*\d", re.IGNORECASE)


class MarkerReader:
    """Resolves markers to sources."""

    def __init__(self, book: SourceBook) -> None:
        self._book = book

    def read(self, text: str, token: re.Match[str]) -> Named | None:  # noqa: PLR0911 - one for each form
        """The sources that a token names; None where it is no marker."""
        match token.lastgroup:
            case "numbered":
                return self._by_number(text, token)
            case "sup":
                return (
                    None if _is_power(text, token.start()) else self._book.numbered(ranges(token["raised"]))
                )
            case "superscript":
                return self._superscript(text, token)
            case "cited":
                return self._by_citation(token["body"])
            case "line":
                return self._line(token["rest"])
            case "file":
                return self._file(token["named"])
            case _:
                return None

    def numbered_link(self, label: str) -> Named | None:
        """The sources of a link text that is only numbers; None otherwise."""
        if not _NUMBER.fullmatch(label.strip()):
            return None
        listed = ranges(label)
        return self._book.numbered(listed) if all(high <= _MAX_LINK_NUMBER for _, high in listed) else None

    def _by_number(self, text: str, token: re.Match[str]) -> Named | None:
        before = text[max(0, token.start() - 24) : token.start()]
        if _is_interval(before, token[0]):
            return None
        return self._book.numbered(_numbers_in(token[0]))

    def _superscript(self, text: str, token: re.Match[str]) -> Named | None:
        after = text[token.end() : token.end() + 1]
        if after.isalnum() or after in ("⁻", "⁺", "/") or _is_power(text, token.start()):
            return None
        return self._book.numbered(raised(token[0]))

    def _by_citation(self, body: str) -> Named:
        """The sources of whatever follows `Source:`."""
        if exact := self._book.written(body):
            return Named(exact)
        if _LISTED.fullmatch(body):
            return self._book.numbered(ranges(body))
        urls = [token[0] for token in names.URL.finditer(body)]
        if urls:
            return together(self._address(url) for url in urls)
        return self._files(body) or Named(invalid=(names.plain(body),) if names.plain(body) else ())

    def _line(self, rest: str) -> Named | None:
        """The sources of a line `Source: manual.pdf, S. 12`; None for a sentence that begins so."""
        is_source = self._book.knows(rest) or names.looks_like_a_file(rest) or names.URL.search(rest)
        return (
            self._by_citation(rest.strip(" \t*_."))
            if is_source or _LISTED.fullmatch(rest.strip(" \t*_."))
            else None
        )

    def _file(self, body: str) -> Named | None:
        """The sources of a bracketed file without `Source:`: a known file, or what looks like a file and has a page."""
        key = patterns.KEY.match(body)
        name = body[key.end() :] if key else body
        if key and _LISTED.fullmatch(name):
            return self._book.numbered(ranges(name))
        if self._book.called(name):
            return self._files(name)
        if _PAGED.search(name) and (names.looks_like_a_file(name) or self._book.knows(name)):
            return self._files(name) or Named(invalid=(names.plain(name),))
        return None

    def _files(self, body: str) -> Named:
        """The sources of each file with its place; none where no file is a source."""
        if whole := self._book.exactly(body):
            return Named(whole)
        parts = [part for part in _SPLIT.split(body) if part and part.strip()]
        if len(parts) > 1 and all(self._book.knows(part) or names.looks_like_a_file(part) for part in parts):
            return together(self._one_file(part) for part in parts)
        return Named(self._book.called(body))

    def _one_file(self, part: str) -> Named:
        key = patterns.KEY.match(part)
        name = part[key.end() :] if key and ":" in key[0] else part
        numbers = self._book.called(name)
        return Named(numbers, () if numbers else (names.plain(name),))

    def _address(self, url: str) -> Named:
        numbers = self._book.at(url)
        return Named(numbers, () if numbers else (url.rstrip(".,;)"),))


def _numbers_in(marker: str) -> Ranges:
    """The numbers of a marker, without the position in the source: `[1, p. 4]`, `【1:2†file】`."""
    if _JOINED.search(marker):
        return ranges(_JOINED.sub("-", marker))
    if token := _POSITION.search(marker):
        marker = marker[: token.start()] + token[0].partition(":")[0]
    listed = _FIRST.search(marker)
    return ranges(listed[0]) if listed else ()


def _is_interval(before: str, marker: str) -> bool:
    if not _PAIR.fullmatch(marker.strip("[]【】［］〔〕 ")):
        return False
    return bool(_INTERVAL.search(before)) or bool(_RANGE_WORD.search(before) and re.search(r"\b0\b", marker))


def _is_power(text: str, at: int) -> bool:
    """Whether a raised digit is an exponent: of a unit, a variable, or a number that is no year."""
    before = text[max(0, at - 12) : at]
    return bool(_UNIT.search(before) or _VARIABLE.search(before) or _POWER.search(before))
