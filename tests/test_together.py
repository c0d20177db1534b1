from __future__ import annotations

from functools import partial

import anyio
import pytest

from corpus.errors import Timeout
from corpus.processes.gather import gather

pytestmark = pytest.mark.anyio


async def test_answers_come_in_the_order_of_the_calls() -> None:
    async def late(n: int) -> int:
        for _ in range(5 - n):
            await anyio.lowlevel.checkpoint()
        return n

    assert await gather([partial(late, n) for n in range(5)]) == [0, 1, 2, 3, 4]
    assert await gather([]) == []


async def test_the_first_failure_ends_the_others_and_is_raised_unchanged() -> None:
    ended = []

    async def hang() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(True)

    async def fail() -> None:
        await anyio.lowlevel.checkpoint()
        raise Timeout("too slow")

    with pytest.raises(Timeout, match="too slow"):
        await gather([hang, fail, hang])
    assert ended == [True, True]


async def test_a_cancelled_caller_ends_all_calls() -> None:
    with anyio.move_on_after(0.01) as scope:
        await gather([anyio.sleep_forever, anyio.sleep_forever])
    assert scope.cancelled_caught
