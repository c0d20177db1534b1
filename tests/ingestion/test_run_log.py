"""The run log next to an index: correct about runs that died and about unreadable parts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from corpus.ingestion.report import Outcome, Silence
from corpus.ingestion.run_log import FILE, RunLogProgress, read_log, start_run
from corpus.processes.locks import acquire, is_locked
from tests.ingestion.shop import Shop
from tests.patience import PATIENCE

DIES = """
import os, signal, sys
from pathlib import Path
from corpus.ingestion.run_log import start_run
run = start_run(Path(sys.argv[1]), [Path("/papers")])
run.put(files=340, done=12)
os.kill(os.getpid(), signal.SIGKILL)
"""


def failed(path: Path, why: str = "not a PDF") -> Outcome:
    return Outcome("failed", path, detail=why)


def test_a_run_is_alive_until_it_ends(tmp_path: Path) -> None:
    run = start_run(tmp_path, [Path("/papers")])
    assert run
    run.put(files=340, done=12)
    (state,) = read_log(tmp_path).runs
    assert (state.alive, state.reads, state.done, state.files, state.roots) == (
        True,
        True,
        12,
        340,
        ("/papers",),
    )
    run.end()
    assert read_log(tmp_path).runs == ()
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_killed_run_is_not_reported_as_alive_and_the_next_run_deletes_it(
    tmp_path: Path,
) -> None:
    subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], check=False, timeout=PATIENCE)
    (state,) = read_log(tmp_path).runs
    assert (state.alive, state.done, state.files) == (False, 12, 340)
    run = start_run(tmp_path, [])
    assert run
    assert [one.alive for one in read_log(tmp_path).runs] == [True]
    run.end()


def test_a_lock_has_one_owner_at_a_time(tmp_path: Path) -> None:
    first = acquire(tmp_path / "lock")
    assert first
    assert is_locked(tmp_path / "lock")
    assert acquire(tmp_path / "lock") is None
    first.release()
    assert not is_locked(tmp_path / "lock")


def test_failures_are_kept_until_the_file_is_read_or_gone(tmp_path: Path) -> None:
    root = tmp_path / "papers"
    root.mkdir()
    one, two, three = (root / name for name in ("one.pdf", "two.pdf", "three.pdf"))
    for path in (one, two, three):
        RunLogProgress(tmp_path, Silence(), None).file_done(failed(path))
    recording = RunLogProgress(tmp_path, Silence(), None)
    recording.file_done(Outcome("added", one, "one"))
    recording.file_done(failed(two, "no permission"))
    assert {each.path: each.reason for each in read_log(tmp_path).failures} == {
        str(two): "no permission", str(three): "not a PDF",
    }  # fmt: skip
    recording.settle([root], [two])
    assert [each.path for each in read_log(tmp_path).failures] == [str(two)]


def test_a_run_over_one_folder_deletes_no_failure_of_another(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        RunLogProgress(tmp_path, Silence(), None).file_done(failed(tmp_path / name / "a.pdf"))
    RunLogProgress(tmp_path, Silence(), None).settle([tmp_path / "one"], [])
    assert [each.path for each in read_log(tmp_path).failures] == [str(tmp_path / "two" / "a.pdf")]


def test_a_damaged_log_is_created_again(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    assert read_log(tmp_path).failures == ()
    RunLogProgress(tmp_path, Silence(), None).file_done(failed(tmp_path / "a.pdf"))
    assert len(read_log(tmp_path).failures) == 1


@pytest.mark.anyio
async def test_of_many_files_the_log_names_exactly_the_failed_ones(shop: Shop, tmp_path: Path) -> None:
    for n in range(30):
        shop.put(f"note{n}.md", f"Note {n} tells of impellers.")
    bad = [shop.put(f"bad{n}.pdf", "This is no PDF.") for n in range(3)]
    run = start_run(tmp_path, [shop.folder])
    assert run
    recording = RunLogProgress(tmp_path, Silence(), run)
    report = await shop.ingest(progress=recording)
    recording.settle([shop.folder], (one.path for one in report.failed))
    (state,) = read_log(tmp_path).runs
    assert (state.done, state.files) == (33, 33)
    run.end()
    failures = read_log(tmp_path).failures
    assert [one.path for one in failures] == [str(path) for path in bad]
    assert all("not a PDF" in one.reason for one in failures)
