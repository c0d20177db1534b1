from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.http.site import Site


@pytest.fixture(scope="module")
def lasting_issuer() -> Iterator[Issuer]:
    """One issuer for an entire module, in its own thread."""
    with in_thread(Issuer()) as running:
        yield running


@pytest.fixture(scope="module")
def site(lasting_issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server whose callers have tokens of that issuer."""
    with in_thread(Site(tmp_path_factory.mktemp("site"), lasting_issuer.settings)) as running:
        yield running


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with Issuer() as running:
        yield running
