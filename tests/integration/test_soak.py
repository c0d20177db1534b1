"""A short run of the soak bench: access rights hold with many clients, changes and faults. Nothing here is timed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.soak.report import failures, shown
from bench.soak.rights import EVERYBODY, Rights
from bench.soak.run import Size, soak

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="samples /proc"),
    pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed:mcp.MCPDeprecationWarning"),
]


@pytest.mark.slow
def test_under_load_changes_and_faults_nothing_fails_leaks_or_is_logged(tmp_path: Path) -> None:
    done = soak(tmp_path, Size(seconds=30, clients=12))

    assert failures(done) == [], shown(done)
    assert done.tally.answered, "no call was answered"
    assert set(done.rights.seen) == EVERYBODY, "a client read nothing, so its rights were not tested"
    assert done.tally.injected
    assert done.documents.done


def test_the_check_finds_a_leak_and_tolerates_the_delay_of_an_access_change() -> None:
    rights = Rights()
    rights.begin("zq0123456789", ["ann"])
    rights.begin("zq0123456789", ["bob"])
    rights.check("ann", "… zq0123456789 …", 0.0, "a search")
    assert rights.leaks == []

    rights.end_former("zq0123456789")
    rights.check("ann", "zq0123456789", float("inf"), "a search")
    rights.check("bob", "zq0123456789", float("inf"), "a search")
    assert rights.leaks == ["ann saw zq0123456789 by a search"]
