from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import structlog

from server.logs import configure_logs
from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.redteam.attacker import Attacker
from tests.redteam.fort import Fort, traced
from tests.redteam.model import quotes
from tests.redteam.written import Mark, assert_nothing_hidden_since
from tests.server.desk import ERAS


@pytest.fixture(scope="session")
def besieged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fort]:
    """One server for all attacks, so that each attack meets the leftovers of the earlier ones."""
    with in_thread(Issuer()) as issuer:
        fort = Fort(tmp_path_factory.mktemp("fort"), issuer)
        with traced(fort.statements), in_thread(fort):
            yield fort


@pytest.fixture
def fort(besieged: Fort) -> Iterator[Fort]:
    """The server. After each attack, it must not have logged or revealed anything hidden, and must still answer."""
    before = Mark.of(besieged)
    besieged.model.says = quotes
    with _logged_to(besieged):
        yield besieged
        assert besieged.serves()
    assert_nothing_hidden_since(before, besieged)


@contextmanager
def _logged_to(fort: Fort) -> Iterator[None]:
    root, mcp = logging.getLogger(), logging.getLogger("mcp")
    handlers, level, mcp_level = root.handlers[:], root.level, mcp.level
    configure_logs(fort.settings, stream=fort.log)
    try:
        yield
    finally:
        structlog.reset_defaults()
        root.handlers[:] = handlers
        root.setLevel(level)
        mcp.setLevel(mcp_level)


@pytest.fixture(params=ERAS)
def attacker(fort: Fort, request: pytest.FixtureRequest) -> Attacker:
    return Attacker(fort, str(request.param))


@pytest.fixture
def bob(fort: Fort) -> Attacker:
    """An attacker who uses the newest protocol."""
    return Attacker(fort)
