from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doubles.in_thread import in_thread
from tests.http.site import Site
from tests.server.desk import ERAS


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server without any settings, for an entire module. For settings, use `in_thread(Site(folder, {...}))`."""
    with in_thread(Site(tmp_path_factory.mktemp("site"))) as running:
        yield running
