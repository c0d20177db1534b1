"""Estimate a run's remaining time from the work left in each stage and the speeds measured so far."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from types import MappingProxyType

NOTHING: Mapping[str, float] = MappingProxyType({})

# Assumed speeds per second and core until there are measurements, taken on a machine of 2024.
PAGES = 15.0
"""Assumed pages per second, for pages with drawings; pages of pure text take half the time."""
RECOGNISED_PAGES = 0.25
"""Assumed scanned pages per second: OCR of a page takes four seconds of CPU time."""
PASSAGES = 12.0
"""Assumed passages per second, with onnxruntime on one core."""
PASSAGES_OF_A_PAGE = 3.7
"""Passages per page. Measured: 2.6 in a manual of 700 pages, 3 in handbooks, 5 in two-column papers and in notes."""

_PRIOR_SECONDS = 2.0
"""Seconds after which a measurement weighs as much as the assumed speed."""
_PRIOR_PAGES = 20
"""Number of pages after which the measured passages per page weigh as much as the assumed value."""
_LEFT_OVER = 0.25
"""Fraction of a core that an embedder gets next to a reader, because its niceness is five steps higher."""
_PATIENCE = 2.0
"""Seconds without progress after which a stage counts as slower than measured."""
_HALF_LIFE = 60.0
"""Seconds in which a measurement loses half its weight, because other work slows a machine down only for a while."""
_SHOWN_FROM = 0.05
"""Fraction of the run below which no estimate is shown, because the speeds are mostly assumptions."""


class Speed:
    """Units per second: first the assumed value, then an exponentially weighted mean of measurements."""

    def __init__(self, assumed: float) -> None:
        self._units, self._seconds = assumed * _PRIOR_SECONDS, _PRIOR_SECONDS
        self.measured_seconds = 0.0

    def measure(self, units: float, seconds: float) -> None:
        """Add a measurement."""
        fades = 0.5 ** (seconds / _HALF_LIFE)
        self._units = self._units * fades + units
        self._seconds = self._seconds * fades + seconds
        self.measured_seconds += seconds

    def value(self, waiting: float = 0.0) -> float:
        """Return units per second. Higher load shows first in `waiting`, the seconds since the last progress."""
        return self._units / (self._seconds + waiting)


@dataclass
class Stage:
    """Progress of one stage: done, total, and when `done` last changed."""

    speed: Speed
    done: int = 0
    total: int = 0
    at: float | None = None

    def hear(self, done: int, total: int, now: float, *, workers: float = 1) -> float:
        """Update the stage, measure its speed with `workers` parallel workers, and return the seconds that passed."""
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
        """The units left."""
        return max(self.total - self.done, 0)


@dataclass(frozen=True, slots=True)
class Work:
    """The work left and its speeds, in units per second. During the fraction `share` of the reading time, embedding
    runs concurrently at speed `beside`; `alone` is its speed after reading."""

    pages: int
    page_speed: float
    pictures: int
    picture_speed: float
    passages: float
    alone: float
    beside: float
    share: float


def seconds_left(work: Work) -> float:
    """Return the seconds for reading, then OCR, both with concurrent embedding, then the rest of the embedding."""
    first = work.pages / work.page_speed + work.pictures / work.picture_speed
    passages = max(work.passages - work.share * work.beside * first, 0.0)
    return first + passages / work.alone


class TimeLeft:
    """Receives progress events and estimates the time left. Without an `embedder` nothing is embedded; `before`
    contains an earlier run's speeds.

    Speeds are per core, because one core reads a last long file, however many cores read the earlier files.
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
        # The speed next to one reader per core says little about the speed after reading.
        self._crowded = Speed(self._alone.value())
        self.vectors = Stage(self._alone)
        self._files = 0
        self._begun = self._reading_since = clock()
        self._beside_seconds = 0.0
        self._pages_indexed = self._pages_reported = 0
        self._first: tuple[int, int] | None = None

    def begin_reading(self, count: int) -> None:
        """Begin a round of reading."""
        now = self._clock()
        if not self.is_at_work:
            self._begun = now
        self._files = count
        self.reading = Stage(self.reading.speed, at=now)
        self.recognition = Stage(self.recognition.speed)
        self._reading_since, self._beside_seconds = now, 0.0
        self._pages_indexed = self._pages_reported = 0
        self._first = None

    def file_done(self, pages: int) -> None:
        """Record that a file is in the index. It had `pages` pages to read."""
        self._files -= 1
        self._pages_indexed += pages

    def pages(self, done: int, total: int) -> None:
        """Record the pages read so far, and their total."""
        self.reading.hear(done, total, self._clock(), workers=self._readers)

    def recognised(self, done: int, total: int) -> None:
        """Record the pictures recognised so far, and their total."""
        self.recognition.hear(done, total, self._clock(), workers=self._cores)

    def passages(self, done: int, total: int) -> None:
        """Record the passages embedded so far, and their total."""
        if total != self.vectors.total or done <= self.vectors.done:
            self._pages_reported = self._pages_indexed
        if self._first is None or done < self.vectors.done:
            self._first = total, self._pages_reported
        if done == self.vectors.done and (self.is_reading or not self.vectors.left):
            # A batch begins. Before, there may have been too few passages for one.
            self.vectors.at = self._clock()
        free = self._cores - (self._readers if self.is_reading else 0)
        self.vectors.speed = self._alone if free else self._crowded
        seconds = self.vectors.hear(done, total, self._clock(), workers=free or _LEFT_OVER * self._cores)
        if self.is_reading:
            self._beside_seconds += seconds

    @property
    def is_at_work(self) -> bool:
        """Return whether any work is left."""
        return self.is_reading or self.expected_passages > self.vectors.done

    @property
    def expected_passages(self) -> int:
        """Return all passages to embed: known passages, and an estimate for the remaining pages."""
        if self._embedder is None:
            return 0
        passages, pages = self._sample
        a_page = (passages + self._a_page * _PRIOR_PAGES) / (pages + _PRIOR_PAGES)
        return self.vectors.total + round(a_page * max(self.reading.total - self._pages_reported, 0))

    @property
    def _sample(self) -> tuple[int, int]:
        """Return passages and pages indexed since their first report."""
        total, pages = self._first or (self.vectors.total, self._pages_reported)
        return max(self.vectors.total - total, 0), max(self._pages_reported - pages, 0)

    @property
    def measured(self) -> dict[str, float]:
        """Return measured speeds, as initial values for the next run."""
        passages, pages = self._sample
        speeds = {"reading": self.reading.speed, "recognition": self.recognition.speed}
        if self._embedder:
            speeds[self._embedder] = self._alone
        rates = {name: speed.value() for name, speed in speeds.items() if speed.measured_seconds > _PRIOR_SECONDS}
        return rates | ({f"{self._embedder} passages a page": passages / pages} if pages > _PRIOR_PAGES else {})

    @property
    def work(self) -> Work:
        """Return the work left, at the measured speeds."""
        free = self._cores - self._readers
        now = self._clock()
        stages = (self.reading, self.recognition, self.vectors)
        stage = next((stage for stage in stages if stage.left), self.vectors)
        waiting = now - stage.at if stage.at is not None and now - stage.at > _PATIENCE and stage.left else 0.0
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
        """Return the estimated seconds left; None if nothing is left, or if there is too little data for an
        estimate."""
        if not self.is_at_work or not (self.reading.total or self.recognition.total or self.vectors.total):
            return None
        left = seconds_left(self.work)
        elapsed = self._clock() - self._begun
        return left if elapsed > _SHOWN_FROM * (elapsed + left) else None

    @property
    def _readers(self) -> int:
        """Return the number of cores that read or recognise; all of them recognise the pictures of one document."""
        if not self.reads_texts and self.recognition.left:
            return self._cores
        return max(1, min(self._cores, self._files))

    @property
    def is_reading(self) -> bool:
        """Whether files are still to be read or pictures to be recognised."""
        return self.reads_texts or bool(self.recognition.left)

    @property
    def reads_texts(self) -> bool:
        """Whether files are still to be read."""
        return self._files > 0 or bool(self.reading.left)


def in_words(seconds: float) -> str:
    """Write seconds as `about 3 minutes left`."""
    if seconds < 10:
        return "a few seconds left"
    if seconds < 90:
        return f"about {round(seconds / 10) * 10} seconds left"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"about {minutes} minutes left"
    hours = round(minutes / 30) / 2
    return f"about {hours:g} hours left"
