from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.http.site import Site


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with in_thread(Issuer()) as running:
        yield running


@pytest.fixture(scope="module")
def site(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server whose callers are known by the tokens of the issuer."""
    with in_thread(Site(tmp_path_factory.mktemp("site"), issuer.settings)) as running:
        yield running
