"""Another user of the machine: the data that they can read, change and plant next to a running server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.raw_stdio import CHECKOUT, environment
from tests.http.process import HttpProcess
from tests.http.raw import ask, modern
from tests.limits.test_private_files import ibid

SOMEBODY = 65_534
WORD = "xylograph"

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may act as another user"
)


def somebody(*words: str | Path) -> list[str]:
    """Return the output of another user's command, as lines."""
    done = subprocess.run(
        list(map(str, words)), check=False, user=SOMEBODY, group=SOMEBODY, extra_groups=[], cwd="/",
        env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.splitlines()


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that everybody may enter, with the data folder, a home folder and a folder for temporary files."""
    place = Path(tempfile.mkdtemp(dir="/var/tmp"))
    place.chmod(0o755)
    for name, mode in (("data", 0o755), ("tmp", 0o1777), ("home", 0o755)):
        (place / name).mkdir()
        (place / name).chmod(mode)
    before = os.umask(0)  # the least secure value that a user can set
    yield place
    os.umask(before)
    shutil.rmtree(place)


def test_another_user_can_read_and_change_nothing_of_a_running_server(place: Path) -> None:
    manual = CHECKOUT / "examples/documents/xyz-pump-operations-guide.pdf"
    (place / "note.md").write_text(f"The pump is a {WORD}.\n")
    (place / "note.md").chmod(0o600)
    more = {"TMPDIR": str(place / "tmp"), "HOME": str(place / "home")}
    made = ibid(place / "data", "ingest", str(manual), str(place / "note.md"), "--no-vectors", **more)
    assert made.returncode == 0, made.stderr
    audit = place / "data" / "audit.jsonl"
    env = environment(
        RAG_DATA_DIR=str(place / "data"), RAG_EMBEDDER="none", RAG_AUDIT_FILE=str(audit),
        RAG_DOCUMENTS=str(place / "note.md"), **more,
    )  # fmt: skip
    with HttpProcess(env) as server:
        called = modern("tools/call", {"name": "rag_semantic_search", "arguments": {"query": "pump"}})
        assert WORD.encode() in ask(server.address, called).body
        ask(
            server.address,
            modern("tools/call", {"name": "rag_synthesize", "arguments": {"query": "What is the pump?"}}),
        )
        kept = [path for path in place.rglob("*") if path.is_file()]
        assert audit in kept
        assert len(kept) > 5
        assert somebody("find", place, "-type", "f", "-readable") == []
        assert somebody("find", place, "-writable", "-not", "-type", "l") == [str(place / "tmp")]
        assert somebody("grep", "-r", WORD, place, f"/proc/{server.process.pid}/environ") == []
        assert server.process.poll() is None
        server.stop()


def test_a_data_folder_that_others_can_write_is_reported(place: Path) -> None:
    note = place / "note.md"
    note.write_text("# Pump\n")
    assert ibid(place / "data", "ingest", str(note), "--no-vectors").returncode == 0
    (place / "data").chmod(0o777)
    assert somebody("find", place, "-maxdepth", "1", "-name", "data", "-writable") == [str(place / "data")]
    said = ibid(place / "data", "doctor").stdout
    assert f"chmod go-w {place / 'data'}" in said, said


def test_a_planted_link_is_not_followed_for_writing(place: Path) -> None:
    """Names that the server will use are created beforehand, in a folder that both users may write."""
    (place / "data").chmod(0o777)
    victim = place / "victim"
    victim.write_text("untouched")
    first = ibid(place / "home" / "clean", "ingest", str(CHECKOUT / "LICENSE"), "--no-vectors")
    assert first.returncode == 0, first.stderr
    names = [path.relative_to(place / "home/clean") for path in (place / "home/clean").rglob("*") if path.is_file()]
    assert names
    for name in names:
        if len(name.parts) == 1:
            somebody("ln", "-s", victim, place / "data" / name)
    ibid(place / "data", "ingest", str(CHECKOUT / "LICENSE"), "--no-vectors")
    assert victim.read_text() == "untouched"
