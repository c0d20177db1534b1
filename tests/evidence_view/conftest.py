from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.doubles.chromium import a_tab, found
from tests.evidence_view.host_served import served
from tests.evidence_view.host_server import Server, running
from tests.evidence_view.host_tab import ONE_PROCESS, Host


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server")) as started:
        yield started


@pytest.fixture(scope="package")
def host(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """One browser for all tests. Skipped if Chromium is not installed; `.ci/run` installs it if it can."""
    program = found()
    if os.name == "nt" or program is None:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    with (
        served(lambda params: server.call(params["name"], params["arguments"])) as (page, sandbox),
        a_tab(program, tmp_path_factory.mktemp("profile"), *ONE_PROCESS) as tab,
    ):
        tab.open_address(page)
        yield Host(tab, page, sandbox)
