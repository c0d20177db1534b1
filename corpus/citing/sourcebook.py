"""The sources of an answer, looked up by what a marker calls them: a number, a file and its page, an address."""

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
"""Numbers without a source that a range names one by one; beyond, they are named as a range."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a marker names: numbers of sources, and what is none."""

    citations: tuple[int, ...] = ()
    invalid: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.citations or self.invalid)


NOTHING = Named()


def together(parts: Iterable[Named]) -> Named:
    """All that they name, each once, in order of first appearance."""
    all_named = list(parts)
    return Named(
        tuple(dict.fromkeys(number for part in all_named for number in part.citations)),
        tuple(dict.fromkeys(name for part in all_named for name in part.invalid)),
    )


class SourceBook:
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
        return number in self._known

    def numbered(self, named: Ranges) -> Named:
        """Sources by number. Of a long range without sources only its ends are named."""
        return together(self._in_range(low, high) for low, high in named)

    def _in_range(self, low: int, high: int) -> Named:
        numbers = self._numbers[bisect_left(self._numbers, low) : bisect_right(self._numbers, high)]
        if high - low + 1 - len(numbers) <= _MAX_LISTED:
            return Named(tuple(numbers), tuple(str(n) for n in range(low, high + 1) if n not in self._known))
        first = low if not numbers else max(low, numbers[-1] + 1)
        return Named(tuple(numbers), (f"{first}-{high}",))

    def at(self, url: str) -> tuple[int, ...]:
        return tuple(self._urls.get(folded_url(url), ()))

    def written(self, body: str) -> tuple[int, ...]:
        """Sources whose citation is written exactly so, without its brackets and `Source:`."""
        return tuple(self._written.get(plain(body), ()))

    def exactly(self, name: str) -> tuple[int, ...]:
        """Sources of the file whose whole name this is, with commas and page words as they may be in it."""
        return tuple(source.number for source in self._files.get(folded_name(name), ()))

    def called(self, name: str) -> tuple[int, ...]:
        """Sources by what stands in a marker: `manual.pdf, S. 12`. Without a page all of the file, none for an unknown
        file and for a page that no source is on. A name without its ending counts where no source has it whole."""
        for sources_by_name in (self._files, self._stems):
            for length in readings(name):
                if numbers := sources_by_name.get(folded_name(name[:length])):
                    return _on(_in_folder(numbers, name[:length]), place_in(name[length:]))
        return ()

    def knows(self, name: str) -> bool:
        """Whether it begins with the name of a file among the sources."""
        beginnings = {folded_name(name[:length]) for length in readings(name)}
        return not (beginnings.isdisjoint(self._files) and beginnings.isdisjoint(self._stems))


def _in_folder(sources: Sequence[Citable], name: str) -> Sequence[Citable]:
    """Those that are cited with this folder, where files of one name are told apart so; all where none is."""
    folded = plain(name).casefold()
    matching = [
        source for source in sources if source.written and _body(source.written).casefold().startswith(folded)
    ]
    return matching if "/" in folded and matching else sources


def _on(sources: Sequence[Citable], place: Place) -> tuple[int, ...]:
    """Those on this page of the file; failing that, those whose page carries this number in print."""
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
