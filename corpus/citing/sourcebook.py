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

_MOST_LISTED = 50
"""Numbers without a source that a range names one by one; beyond, they are named as a range."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a marker names: numbers of sources, and what is none."""

    citations: tuple[int, ...] = ()
    invalid: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.citations or self.invalid)


NOTHING = Named()


def together(several: Iterable[Named]) -> Named:
    """All that they name, each once, in order of first appearance."""
    found = list(several)
    return Named(
        tuple(dict.fromkeys(number for one in found for number in one.citations)),
        tuple(dict.fromkeys(name for one in found for name in one.invalid)),
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
        held = self._numbers[bisect_left(self._numbers, low) : bisect_right(self._numbers, high)]
        if high - low + 1 - len(held) <= _MOST_LISTED:
            return Named(tuple(held), tuple(str(n) for n in range(low, high + 1) if n not in self._known))
        first = low if not held else max(low, held[-1] + 1)
        return Named(tuple(held), (f"{first}-{high}",))

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
        for known in (self._files, self._stems):
            for cut in readings(name):
                if held := known.get(folded_name(name[:cut])):
                    return _on(_in_folder(held, name[:cut]), place_in(name[cut:]))
        return ()

    def knows(self, name: str) -> bool:
        """Whether it begins with the name of a file among the sources."""
        beginnings = {folded_name(name[:cut]) for cut in readings(name)}
        return not (beginnings.isdisjoint(self._files) and beginnings.isdisjoint(self._stems))


def _in_folder(sources: Sequence[Citable], name: str) -> Sequence[Citable]:
    """Those that are cited with this folder, where files of one name are told apart so; all where none is."""
    whole = plain(name).casefold()
    cited = [one for one in sources if one.written and _body(one.written).casefold().startswith(whole)]
    return cited if "/" in whole and cited else sources


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
