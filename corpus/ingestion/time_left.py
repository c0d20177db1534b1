"""Estimate a run's remaining time from the work left in each stage and the speeds measured so far."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from types import MappingProxyType

NOTHING: Mapping[str, float] = MappingProxyType({})

# Speeds per core, in units per second, assumed until there are measurements. They were measured on a machine from 2024.
PAGES = 15.0
"""Assumed pages per second, for pages with drawings; pages that contain only text take half the time."""
RECOGNISED_PAGES = 0.25
"""Assumed scanned pages per second: OCR of a page takes four seconds of CPU time."""
PASSAGES = 12.0
"""Assumed passages per second, with onnxruntime on one core."""
PASSAGES_OF_A_PAGE = 3.7
"""Assumed passages per page. Measured: 2.6 in a 700-page manual, 3 in handbooks, 5 in two-column papers and in
notes."""

_PRIOR_SECONDS = 2.0
"""Seconds of measurement after which the measured speed has the same weight as the assumed one."""
_PRIOR_PAGES = 20
"""Number of pages after which the measured number of passages per page has the same weight as the assumed one."""
_LEFT_OVER = 0.25
"""Fraction of a core that an embedder gets while a reader uses the same core, because the embedder's niceness is higher
by five."""
_PATIENCE = 2.0
"""Seconds without progress after which a stage counts as slower than measured."""
_HALF_LIFE = 60.0
"""Seconds in which a measurement loses half its weight, because other load slows the machine down only temporarily."""
_SHOWN_FROM = 0.05
"""Fraction of the run that must be done before an estimate is shown, because until then it relies mostly on assumed
speeds."""


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
        """Return units per second. `waiting`, the seconds since the last progress, lowers the speed as soon as a stage
        slows down, before the next measurement."""
        return self._units / (self._seconds + waiting)


@dataclass
class Stage:
    """Progress of one stage: units done, total units, and the time `at` which `done` last changed."""

    speed: Speed
    done: int = 0
    total: int = 0
    at: float | None = None

    def hear(self, done: int, total: int, now: float, *, workers: float = 1) -> float:
        """Update the stage, measure the speed of each of `workers` parallel workers, and return the seconds since the
        previous progress."""
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
        """Number of units left."""
        return max(self.total - self.done, 0)


@dataclass(frozen=True, slots=True)
class Work:
    """The work left, with speeds in units per second. Embedding runs concurrently with reading for the fraction `share`
    of the reading time, at speed `beside`; after reading, it runs at speed `alone`."""

    pages: int
    page_speed: float
    pictures: int
    picture_speed: float
    passages: float
    alone: float
    beside: float
    share: float


def seconds_left(work: Work) -> float:
    """Return the total seconds for reading and then OCR, with embedding running concurrently, plus the embedding that
    is left after that."""
    first = work.pages / work.page_speed + work.pictures / work.picture_speed
    passages = max(work.passages - work.share * work.beside * first, 0.0)
    return first + passages / work.alone


class TimeLeft:
    """Receives progress events and estimates the time left. `embedder` is None if nothing is embedded; `before`
    contains the speeds of an earlier run.

    Speeds are per core, because a long last file is read by one core even if many cores read the earlier files.
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
        # The embedding speed while every core is reading says little about the speed after reading.
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
        """Record that a file with `pages` pages is in the index."""
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
            # A batch begins. Until now, there may have been too few passages for one.
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
        """Return the total number of passages to embed: the known passages plus an estimate for the remaining pages."""
        if self._embedder is None:
            return 0
        passages, pages = self._sample
        a_page = (passages + self._a_page * _PRIOR_PAGES) / (pages + _PRIOR_PAGES)
        return self.vectors.total + round(a_page * max(self.reading.total - self._pages_reported, 0))

    @property
    def _sample(self) -> tuple[int, int]:
        """Return the numbers of passages and pages indexed since the first report of either."""
        total, pages = self._first or (self.vectors.total, self._pages_reported)
        return max(self.vectors.total - total, 0), max(self._pages_reported - pages, 0)

    @property
    def measured(self) -> dict[str, float]:
        """Return the measured speeds, as initial values for the next run."""
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
        """Return the estimated seconds left, or None if nothing is left or there is too little data for an estimate."""
        if not self.is_at_work or not (self.reading.total or self.recognition.total or self.vectors.total):
            return None
        left = seconds_left(self.work)
        elapsed = self._clock() - self._begun
        return left if elapsed > _SHOWN_FROM * (elapsed + left) else None

    @property
    def _readers(self) -> int:
        """Return the number of cores used for reading or OCR. OCR uses all cores, even for the pictures of a single
        document."""
        if not self.reads_texts and self.recognition.left:
            return self._cores
        return max(1, min(self._cores, self._files))

    @property
    def is_reading(self) -> bool:
        """Whether files are left to be read or pictures are left for OCR."""
        return self.reads_texts or bool(self.recognition.left)

    @property
    def reads_texts(self) -> bool:
        """Whether files are left to be read."""
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
