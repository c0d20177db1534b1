"""Source lookup: the sources of an answer by number, by file and page, or by address."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.citations import UNKNOWN
from corpus.citing.names import Place, folded_name, folded_url, place_in, plain, readings, stem
from corpus.citing.numbers import Ranges
from corpus.citing.protocol import Citable

_MAX_LISTED = 50
"""Numbers without a source that a range lists one by one; more are listed as a range."""


@dataclass(frozen=True, slots=True)
class Named:
    """Source numbers that a marker names, and parts that name no source."""

    citations: tuple[int, ...] = ()
    invalid: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.citations or self.invalid)


NOTHING = Named()


def together(parts: Iterable[Named]) -> Named:
    """The union, in order of first appearance."""
    all_named = list(parts)
    return Named(
        tuple(dict.fromkeys(number for part in all_named for number in part.citations)),
        tuple(dict.fromkeys(name for part in all_named for name in part.invalid)),
    )


class SourceBook:
    """The sources of one answer."""

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
        """Whether a source has this number."""
        return number in self._known

    def numbered(self, named: Ranges) -> Named:
        """Sources by number. For a long range without sources, only its ends are listed."""
        return together(self._in_range(low, high) for low, high in named)

    def _in_range(self, low: int, high: int) -> Named:
        numbers = self._numbers[bisect_left(self._numbers, low) : bisect_right(self._numbers, high)]
        if high - low + 1 - len(numbers) <= _MAX_LISTED:
            return Named(tuple(numbers), tuple(str(n) for n in range(low, high + 1) if n not in self._known))
        first = low if not numbers else max(low, numbers[-1] + 1)
        return Named(tuple(numbers), (f"{first}-{high}",))

    def at(self, url: str) -> tuple[int, ...]:
        """Sources with this address."""
        return tuple(self._urls.get(folded_url(url), ()))

    def written(self, body: str) -> tuple[int, ...]:
        """Sources with exactly this citation, without its brackets and `Source:`."""
        return tuple(self._written.get(plain(body), ()))

    def exactly(self, name: str) -> tuple[int, ...]:
        """Sources of the file with this whole name, which may contain commas and page words."""
        return tuple(source.number for source in self._files.get(folded_name(name), ()))

    def called(self, name: str) -> tuple[int, ...]:
        """Sources by the text of a marker: `manual.pdf, S. 12`.

        Without a page all sources of the file; none for an unknown file and for a page without a source. A name without
        its extension counts where no source has it whole.
        """
        for sources_by_name in (self._files, self._stems):
            for length in readings(name):
                if numbers := sources_by_name.get(folded_name(name[:length])):
                    return _on(_in_folder(numbers, name[:length]), place_in(name[length:]))
        return ()

    def knows(self, name: str) -> bool:
        """Whether the text begins with the name of a source's file."""
        beginnings = {folded_name(name[:length]) for length in readings(name)}
        return not (beginnings.isdisjoint(self._files) and beginnings.isdisjoint(self._stems))


def _in_folder(sources: Sequence[Citable], name: str) -> Sequence[Citable]:
    """The sources that are cited with this folder, where files of one name differ by folder; all where none is."""
    folded = plain(name).casefold()
    matching = [
        source for source in sources if source.written and _body(source.written).casefold().startswith(folded)
    ]
    return matching if "/" in folded and matching else sources


def _on(sources: Sequence[Citable], place: Place) -> tuple[int, ...]:
    """The sources on this page of the file, else those whose page carries this number in print."""
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
