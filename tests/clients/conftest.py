"""What every test of clients has."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def first_start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ibid install` starts the server once, which takes a second; only the test of it lets it."""
    if "first_start_runs" not in request.keywords:
        monkeypatch.setattr("server.commands.clients.install.start_once", lambda *_: None)
