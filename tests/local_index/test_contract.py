"""The local index fulfils the contract of all indexes."""

from __future__ import annotations

import pytest

from tests.access_contract import AccessContract
from tests.index_contract import IndexContract
from tests.writable_contract import WritableContract

pytestmark = pytest.mark.anyio


class TestLocalIndex(IndexContract):
    pass


class TestLocalIndexAccess(AccessContract):
    pass


class TestLocalIndexWriting(WritableContract):
    pass
