"""The time that a run still takes: the work left in each stage, at the speeds measured in this run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from types import MappingProxyType

NOTHING: Mapping[str, float] = MappingProxyType({})

# Speeds a second and core until there are measurements, on a machine of 2024.
PAGES = 15.0
"""Plain texts and drawings; a page of text alone takes half of it."""
RECOGNISED_PAGES = 0.25
PASSAGES = 12.0
PASSAGES_OF_A_PAGE = 3.7
"""Measured: 2.6 in a manual of 700 pages, 3 in handbooks, 5 in papers of two columns and in notes."""

_PRIOR_SECONDS = 2.0
"""How long a measurement must last to count as much as what was assumed before it."""
_PRIOR_PAGES = 20
_LEFT_OVER = 0.25
"""Of a core that an embedder shares with a reader: it is nicer by five steps."""
_PATIENCE = 2.0
"""Seconds without a sign from which on a stage is slower than it was."""
_HALF_LIFE = 60.0
"""Seconds after which a measurement counts half: a machine that has other work too slows down and speeds up."""
_SHOWN_FROM = 0.05
"""The part of the way below which the speeds are mostly assumed ones."""


class Speed:
    """Units a second, first as assumed and then as measured: what is older counts less."""

    def __init__(self, assumed: float) -> None:
        self._units, self._seconds = assumed * _PRIOR_SECONDS, _PRIOR_SECONDS
        self.measured_seconds = 0.0

    def measure(self, units: float, seconds: float) -> None:
        fades = 0.5 ** (seconds / _HALF_LIFE)
        self._units = self._units * fades + units
        self._seconds = self._seconds * fades + seconds
        self.measured_seconds += seconds

    def value(self, waiting: float = 0.0) -> float:
        """`waiting` are seconds in which nothing was done yet: a busy machine shows in them first."""
        return self._units / (self._seconds + waiting)


@dataclass
class Stage:
    """So many done of so many, and when the last of these was."""

    speed: Speed
    done: int = 0
    total: int = 0
    at: float | None = None

    def hear(self, done: int, total: int, now: float, *, workers: float = 1) -> float:
        """The time that what was done since took, by so many workers at once; it is measured."""
        seconds = 0.0
        if done > self.done and self.at is not None:
            seconds = now - self.at
            self.speed.measure(done - self.done, seconds * workers)
        if done != self.done or self.at is None:
            self.at = now
        self.done, self.total = done, total
        return seconds

    @property
    def left(self) -> int:
        return max(self.total - self.done, 0)


@dataclass(frozen=True, slots=True)
class Work:
    """What is left to do, with units a second. `share` is the part of the time of reading in which vectors are made
    beside it, at `beside`; `alone` is their speed when nothing is read any more."""

    pages: int
    page_speed: float
    pictures: int
    picture_speed: float
    passages: float
    alone: float
    beside: float
    share: float


def seconds_left(work: Work) -> float:
    """Reading, then text recognition, both with vectors beside them, then the rest of the vectors."""
    first = work.pages / work.page_speed + work.pictures / work.picture_speed
    passages = max(work.passages - work.share * work.beside * first, 0.0)
    return first + passages / work.alone


class TimeLeft:
    """Takes what a `Progress` is told, and says how long it still takes. Without an `embedder` no vectors follow;
    `before` are the speeds that an earlier run measured.

    Speeds are those of one core: the last long file is read by one, whatever there was before it.
    """

    def __init__(
        self,
        embedder: str | None = None,
        before: Mapping[str, float] = NOTHING,
        *,
        cores: int | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._embedder = embedder
        self._cores = cores or os.cpu_count() or 1
        self._clock = clock
        self._a_page = before.get(f"{embedder} passages a page", PASSAGES_OF_A_PAGE)
        self.reading = Stage(Speed(before.get("reading", PAGES)))
        self.recognition = Stage(Speed(before.get("recognition", RECOGNISED_PAGES)))
        self._alone = Speed(before.get(str(embedder), PASSAGES))
        # What embedders get where each core has a reader says little of what they do when these are gone.
        self._crowded = Speed(self._alone.value())
        self.vectors = Stage(self._alone)
        self._files = 0
        self._begun = self._reading_since = clock()
        self._beside_seconds = 0.0
        self._pages_indexed = self._pages_told = 0
        self._first: tuple[int, int] | None = None

    def files_found(self, count: int) -> None:
        """A round of reading begins."""
        now = self._clock()
        if not self.is_at_work:
            self._begun = now
        self._files = count
        self.reading = Stage(self.reading.speed, at=now)
        self.recognition = Stage(self.recognition.speed)
        self._reading_since, self._beside_seconds = now, 0.0
        self._pages_indexed = self._pages_told = 0
        self._first = None

    def file_done(self, pages: int) -> None:
        """Its text is in the index; it had so many pages to read."""
        self._files -= 1
        self._pages_indexed += pages

    def pages(self, done: int, total: int) -> None:
        self.reading.hear(done, total, self._clock(), workers=self._readers)

    def recognised(self, done: int, total: int) -> None:
        self.recognition.hear(done, total, self._clock(), workers=self._cores)

    def passages(self, done: int, total: int) -> None:
        if total != self.vectors.total or done <= self.vectors.done:
            self._pages_told = self._pages_indexed
        if self._first is None or done < self.vectors.done:
            self._first = total, self._pages_told
        if done == self.vectors.done and (self.is_reading or not self.vectors.left):
            # A batch begins, and until now there may have been too little for one.
            self.vectors.at = self._clock()
        free = self._cores - (self._readers if self.is_reading else 0)
        self.vectors.speed = self._alone if free else self._crowded
        seconds = self.vectors.hear(done, total, self._clock(), workers=free or _LEFT_OVER * self._cores)
        if self.is_reading:
            self._beside_seconds += seconds

    @property
    def is_at_work(self) -> bool:
        return self.is_reading or self.expected_passages > self.vectors.done

    @property
    def expected_passages(self) -> int:
        """All that this run makes vectors for: those known, and as many of each page to come as of those before."""
        if self._embedder is None:
            return 0
        passages, pages = self._known
        a_page = (passages + self._a_page * _PRIOR_PAGES) / (pages + _PRIOR_PAGES)
        return self.vectors.total + round(a_page * max(self.reading.total - self._pages_told, 0))

    @property
    def _known(self) -> tuple[int, int]:
        """Passages of the pages that were read since their number was told for the first time, and these pages."""
        total, pages = self._first or (self.vectors.total, self._pages_told)
        return max(self.vectors.total - total, 0), max(self._pages_told - pages, 0)

    @property
    def measured(self) -> dict[str, float]:
        """Speeds for the next run to begin with."""
        passages, pages = self._known
        speeds = {"reading": self.reading.speed, "recognition": self.recognition.speed}
        if self._embedder:
            speeds[self._embedder] = self._alone
        found = {
            name: speed.value() for name, speed in speeds.items() if speed.measured_seconds > _PRIOR_SECONDS
        }
        return found | (
            {f"{self._embedder} passages a page": passages / pages} if pages > _PRIOR_PAGES else {}
        )

    @property
    def work(self) -> Work:
        free = self._cores - self._readers
        now = self._clock()
        stages = (self.reading, self.recognition, self.vectors)
        stage = next((stage for stage in stages if stage.left), self.vectors)
        waiting = (
            now - stage.at if stage.at is not None and now - stage.at > _PATIENCE and stage.left else 0.0
        )
        reads, recognises, embeds = (waiting if stage is each else 0.0 for each in stages)
        elapsed = max(now - self._reading_since, 0.001)
        return Work(
            pages=self.reading.left,
            page_speed=self.reading.speed.value(reads) * self._readers,
            pictures=self.recognition.left,
            picture_speed=self.recognition.speed.value(recognises * self._cores) * self._cores,
            passages=max(self.expected_passages - self.vectors.done, 0),
            alone=self._alone.value(embeds * self._cores) * self._cores,
            beside=self._alone.value() * free if free else self._crowded.value() * _LEFT_OVER * self._cores,
            share=min(self._beside_seconds / elapsed, 1.0),
        )

    def seconds(self) -> float | None:
        """None where nothing is to be done, and before there is enough to judge by."""
        if not self.is_at_work or not (self.reading.total or self.recognition.total or self.vectors.total):
            return None
        left = seconds_left(self.work)
        elapsed = self._clock() - self._begun
        return left if elapsed > _SHOWN_FROM * (elapsed + left) else None

    @property
    def _readers(self) -> int:
        """Cores that read or recognise; the pictures of one document are recognised by all of them."""
        if not self.reads_texts and self.recognition.left:
            return self._cores
        return max(1, min(self._cores, self._files))

    @property
    def is_reading(self) -> bool:
        """Also while text recognition is still to come."""
        return self.reads_texts or bool(self.recognition.left)

    @property
    def reads_texts(self) -> bool:
        return self._files > 0 or bool(self.reading.left)


def in_words(seconds: float) -> str:
    """`about 3 minutes left`"""
    if seconds < 10:
        return "a few seconds left"
    if seconds < 90:
        return f"about {round(seconds / 10) * 10} seconds left"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"about {minutes} minutes left"
    hours = round(minutes / 30) / 2
    return f"about {hours:g} hours left"
