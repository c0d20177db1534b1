"""A path is passed on once the file there has stopped changing."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.ingestion.sync_loop import MAX_WAIT_SECONDS, Debounce


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settling(clock: Clock) -> Debounce:
    return Debounce(still_seconds=1, gone_seconds=3, clock=clock)


def at(settling: Debounce, clock: Clock, now: float) -> list[str]:
    clock.now = now
    return [path.name for path in settling.settled()]


def test_a_file_that_is_still_being_written_is_waited_for(settling: Debounce, clock: Clock, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("one")
    settling.touch([file])
    assert at(settling, clock, 0) == []
    file.write_text("one and two")  # not passed on
    assert at(settling, clock, 1.0) == []
    settling.touch([file])
    assert at(settling, clock, 1.9) == []
    assert at(settling, clock, 2.8) == []
    assert at(settling, clock, 2.9) == ["a.md"]
    assert at(settling, clock, 9) == []


def test_a_missing_file_is_waited_for_longer_because_programs_save_like_that(
    settling: Debounce, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "a.md"
    settling.touch([file])
    assert at(settling, clock, 0) == []
    assert at(settling, clock, 2.9) == []
    file.write_text("saved")
    assert at(settling, clock, 3.0) == []
    assert at(settling, clock, 4.0) == ["a.md"]


def test_a_folder_is_waited_for_while_a_file_in_it_grows_but_not_forever(
    settling: Debounce, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "copied" / "sub" / "a.md"
    file.parent.mkdir(parents=True)
    settling.touch([tmp_path / "copied"])
    assert at(settling, clock, 0) == []
    for now in range(2, int(MAX_WAIT_SECONDS), 2):
        file.write_text("x" * now)
        assert at(settling, clock, now) == []
    file.write_text("still")
    assert at(settling, clock, MAX_WAIT_SECONDS) == ["copied"]


def test_a_file_that_is_always_being_written_is_passed_on_after_a_while(
    settling: Debounce, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "a.log"
    for second in range(int(MAX_WAIT_SECONDS)):
        file.write_text("line\n" * (second + 1))
        settling.touch([file])
        assert at(settling, clock, second) == []
    settling.touch([file])
    assert at(settling, clock, MAX_WAIT_SECONDS) == ["a.log"]


def test_a_file_removed_and_restored_repeatedly_is_not_passed_on_while_it_is_gone(
    settling: Debounce, clock: Clock, tmp_path: Path
) -> None:
    for second in range(int(MAX_WAIT_SECONDS) + 5):
        settling.touch([tmp_path / "a.md"])
        assert at(settling, clock, second) == []
