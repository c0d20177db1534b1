"""An endless answer exhausts neither the memory of the machine nor the time of the caller."""

from __future__ import annotations

import tracemalloc
import zlib
from collections.abc import Iterator

import pytest

from corpus.errors import AzureSearchError
from corpus.index.azure import Service
from corpus.index.azure.service import clients
from corpus.index.azure.service.connection import Connection
from tests.azure.design_index import CONTENT
from tests.azure.fault_desk import BRISK, fault_desk, stocked
from tests.azure.rude_service import RudeService, saying
from tests.doubles.azure_search import Fault

pytestmark = pytest.mark.anyio

MB = 2**20


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "MAX_RESPONSE_BYTES", 2 * MB)


@pytest.fixture
def measured() -> Iterator[None]:
    """Check that peak memory is far below the amount that was sent."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 32 * MB
    finally:
        tracemalloc.stop()


async def test_an_endless_answer_is_abandoned_and_reported_and_the_next_one_is_read(
    small: None, measured: None
) -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_semantic_search")
        service.faults.add(Fault(endless=True), operation="search", index=CONTENT)
        failure = await desk.failure("rag_semantic_search")
        await desk.works("rag_semantic_search")
    assert failure["type"] == "AzureSearchError"
    assert "more than 2 MB" in failure["error"]
    assert service.faults.sent < 24 * MB  # the amount read, and the buffers between the two sockets


async def test_an_abandoned_answer_is_not_requested_again(small: None) -> None:
    async with (
        stocked() as (service, _),
        Connection(Service(service.endpoint, service.admin_key), BRISK) as connection,
    ):
        service.faults.add(Fault(endless=True), None, operation="search")
        with pytest.raises(AzureSearchError, match="more than 2 MB"):
            await connection.search(CONTENT, top=1, filter="x")
        assert len([one for one in service.requests if one.operation == "search"]) == 1


@pytest.mark.parametrize(("encoding", "wbits"), [("gzip", 31), ("deflate", -15), ("GZip", 31)])
async def test_a_short_answer_that_decompresses_to_a_long_one_is_abandoned(
    small: None, measured: None, encoding: str, wbits: int
) -> None:
    packer = zlib.compressobj(wbits=wbits)
    packed = b"".join(packer.compress(b" " * MB) for _ in range(200)) + packer.flush()
    act = saying(packed, more=b"Content-Encoding: " + encoding.encode())
    async with RudeService(act) as service, fault_desk(service.endpoint) as desk:
        failure = await desk.failure("rag_list_documents")
    assert "more than 2 MB" in failure["error"]


@pytest.mark.parametrize(("encoding", "wbits"), [("gzip", 31), ("deflate", -15)])
async def test_a_compressed_answer_within_the_limit_is_read(encoding: str, wbits: int) -> None:
    packer = zlib.compressobj(wbits=wbits)
    packed = packer.compress(b'{"value": [{"block_id": "' + b"b" * 200_000 + b'"}]}') + packer.flush()
    act = saying(packed, more=b"Content-Encoding: " + encoding.encode())
    async with RudeService(act) as service, Connection(Service(service.endpoint, "key"), BRISK) as connection:
        answer = await connection.search(CONTENT, top=1, filter="x")
    assert [len(row["block_id"]) for row in answer.rows] == [200_000]
