"""Fixtures of all client tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def first_start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the start of the server by `ibid install`, which takes a second, except in the test of that start."""
    if "first_start_runs" not in request.keywords:
        monkeypatch.setattr("server.commands.clients.install.start_once", lambda *_: None)
