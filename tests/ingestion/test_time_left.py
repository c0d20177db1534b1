"""The remaining time: remaining work at the speeds of this run, accurate enough after a tenth of the time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from corpus.ingestion.time_left import TimeLeft, Work, in_words, seconds_left

READING = Work(pages=100, page_speed=10, pictures=0, picture_speed=1, passages=300, alone=20, beside=0, share=0)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def test_vectors_follow_reading_if_it_leaves_no_core_free() -> None:
    assert seconds_left(READING) == 10 + 15


def test_vectors_computed_during_reading_are_not_counted_after_it() -> None:
    assert seconds_left(replace(READING, beside=20, share=0.5)) == 10 + 10
    assert seconds_left(replace(READING, beside=40, share=1)) == 10


def test_ocr_is_counted_separately() -> None:
    assert seconds_left(replace(READING, pictures=40, picture_speed=0.5)) == 10 + 80 + 15


TICK = 0.25


@dataclass
class Machine:
    """A simulated run on two cores: each core reads one file at a time, and vectors use the free cores. `said` lists
    the real and the reported remaining time at each moment."""

    files: list[int]
    pages_a_second: float = 8.0
    passages_a_second: float = 10.0
    passages_a_page: float = 4.0
    before: dict[str, float] = field(default_factory=dict)

    def run(self) -> list[tuple[float, float | None]]:
        clock = Clock()
        time_left = TimeLeft("model", self.before, cores=2, clock=clock)
        said = []
        for _ in self._steps(time_left, clock):
            said.append((clock.now, time_left.seconds()))
        self.measured = time_left.measured
        return [(clock.now - at, seconds) for at, seconds in said]

    def _steps(self, told: TimeLeft, clock: Clock) -> Iterator[None]:
        waiting, under_way = list(self.files), [0.0, 0.0]
        sizes = [0, 0]
        told.begin_reading(len(waiting))
        total, read, known, made = sum(waiting), 0.0, 0.0, 0.0
        told.pages(0, total)
        while read < total or made < known:
            busy = sum(bool(size) for size in sizes) or min(len(waiting), 2)
            embeds = made < known and busy < 2
            if embeds:
                told.passages(round(made), round(known))
            clock.now += TICK
            for core in (0, 1):
                if not sizes[core] and waiting:
                    sizes[core] = waiting.pop(0)
                if not sizes[core]:
                    continue
                more = min(self.pages_a_second * TICK, sizes[core] - under_way[core])
                under_way[core] += more
                read += more
                told.pages(round(read), total)
                if under_way[core] >= sizes[core]:
                    known += sizes[core] * self.passages_a_page
                    told.file_done(sizes[core])
                    sizes[core], under_way[core] = 0, 0.0
            if embeds:
                made = min(known, made + (2 - busy) * self.passages_a_second * TICK)
                told.passages(round(made), round(known))
            yield


RUNS = {
    "one large file": Machine([715]),
    "many small files": Machine([3] * 200),
    "a large file among small ones": Machine([5] * 40 + [400] + [5] * 40),
    "a large file at last": Machine([10] * 40 + [300]),
    "a slow machine, the second time": Machine([700], 3.0, 3.0, before={"model": 3.0, "model passages a page": 4.0}),
    "a fast machine": Machine([500] * 3, 25.0, 18.0),
}


@pytest.mark.parametrize("name", RUNS)
def test_from_a_tenth_of_the_run_on_the_estimate_is_within_a_factor_of_1_5(name: str) -> None:
    said = RUNS[name].run()
    whole = said[0][0]
    for true, seconds in said:
        if 0.05 * whole < true < 0.9 * whole:
            assert seconds is not None
            assert true / 1.5 <= seconds <= true * 1.5, (whole, true, seconds)


def test_nothing_is_reported_without_a_basis_or_after_the_end() -> None:
    said = Machine([715]).run()
    assert said[0][1] is None
    assert said[-1][1] is None


def test_nothing_is_reported_while_files_are_being_listed() -> None:
    clock = Clock()
    time_left = TimeLeft("model", cores=2, clock=clock)
    time_left.begin_reading(5_000)
    clock.now += 30
    assert time_left.seconds() is None


def test_the_next_run_begins_with_the_speeds_of_this_one() -> None:
    slow = Machine([200] * 3, 2.0, 2.0)
    slow.run()
    assert slow.measured["reading"] == pytest.approx(2, rel=0.2)
    assert slow.measured["model"] == pytest.approx(2, rel=0.2)


def test_a_run_without_an_embedder_expects_no_vectors() -> None:
    clock = Clock()
    time_left = TimeLeft(None, cores=1, clock=clock)
    time_left.begin_reading(1)
    for done in range(101):
        clock.now += 0.1
        time_left.pages(done, 200)
    assert time_left.seconds() == pytest.approx(10, rel=0.2)


def test_scans_found_late_are_included() -> None:
    clock = Clock()
    time_left = TimeLeft(None, cores=2, clock=clock)
    time_left.begin_reading(1)
    time_left.pages(0, 10)
    clock.now += 1
    time_left.pages(10, 10)
    time_left.file_done(10)
    for done in range(11):
        time_left.recognised(done, 40)
        clock.now += 2
    assert time_left.seconds() == pytest.approx(60, rel=0.2)
    assert time_left.is_reading


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "a few seconds left"),
        (42, "about 40 seconds left"),
        (170, "about 3 minutes left"),
        (5_500, "about 1.5 hours left"),
    ],
)
def test_the_time_is_rounded_to_its_precision(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def test_without_progress_the_remaining_time_grows() -> None:
    clock = Clock()
    time_left = TimeLeft(None, cores=1, clock=clock)
    time_left.begin_reading(1)
    for done in range(50):
        time_left.pages(done, 100)
        clock.now += 0.1
    before = time_left.seconds()
    clock.now += 20
    after = time_left.seconds()
    assert before
    assert after
    assert after > 3 * before


def test_slow_vectors_during_ocr_are_expected_to_be_faster_after_it() -> None:
    clock = Clock()
    time_left = TimeLeft("model", cores=2, clock=clock)
    time_left.begin_reading(1)
    time_left.pages(100, 100)
    time_left.file_done(100)
    time_left.recognised(0, 20)
    for second in range(1, 40):
        clock.now = float(second)
        time_left.recognised(second // 2, 20)
        time_left.passages(2 * second, 400)
    left = time_left.seconds()
    assert left is not None
    assert 13 < left < 30  # one last picture, and 322 passages at 24 per second on two cores
