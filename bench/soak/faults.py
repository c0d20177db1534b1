"""Clients that misbehave. The responses to them are known in advance; any other response is an error of the server."""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
from anyio.abc import ByteReceiveStream, SocketStream

from bench.soak.people import People
from bench.soak.tally import Tally
from server.http.binding import Address
from tests.http.raw import modern, post

SEARCH = {"name": "rag_semantic_search", "arguments": {"query": "How is the pump described?"}}


@dataclass
class Faults:
    address: Address
    people: People
    tally: Tally
    dice: random.Random

    async def keep_on(self, pause: float) -> None:
        """Inject one fault after another, until cancelled."""
        ways: list[Callable[[], Awaitable[None]]] = [
            self._goes, self._cancels, self._garbage, self._refused, self._slow,
        ]  # fmt: skip
        while True:
            way = self.dice.choice(ways)
            try:
                with anyio.fail_after(60):
                    await way()
            except (OSError, anyio.BrokenResourceError, anyio.EndOfStream, TimeoutError) as error:
                self.tally.errors[f"{way.__name__}: {type(error).__name__}"] += 1
            await anyio.sleep(pause)

    async def _goes(self) -> None:
        async with await self._wire() as wire:
            await wire.send(modern("tools/call", SEARCH, self._named()))
            await anyio.sleep(self.dice.random() * 0.05)
        self.tally.injected["gone in the middle of a call"] += 1

    async def _cancels(self) -> None:
        gone = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        await self._expect(post(gone, self._named() | {"MCP-Protocol-Version": "2026-07-28"}), range(200, 500))
        self.tally.injected["a call cancelled"] += 1

    async def _garbage(self) -> None:
        garbage = self.dice.choice([b"\x00\xff", b"{", b"[]", b'{"jsonrpc": "2.0"}', json.dumps("x" * 9999).encode()])
        await self._expect(post(garbage, self._named()), range(400, 500))
        self.tally.injected["garbage"] += 1

    async def _refused(self) -> None:
        token = self.people.forged(self.dice)
        await self._expect(modern("tools/call", SEARCH, {"Authorization": f"Bearer {token}"}), range(401, 402))
        self.tally.injected["a token that is no good"] += 1

    async def _slow(self) -> None:
        async with await self._wire() as wire:
            await wire.send(modern("tools/list", headers=self._named()))
            for _ in range(10):
                await wire.receive(7)
                await anyio.sleep(0.3)
        self.tally.injected["a slow reader"] += 1

    async def _expect(self, sent: bytes, statuses: range) -> None:
        async with await self._wire() as wire:
            await wire.send(sent)
            first = await _line(wire)
        if not (status := int((first.split() or [b"0", b"0"])[1])) or status not in statuses:
            self.tally.errors[f"an injected fault was answered {status}"] += 1

    async def _wire(self) -> SocketStream:
        return await anyio.connect_tcp(self.address.host, self.address.port)

    def _named(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.people.bearer(self.dice.choice(('cleo', 'dan')))}"}


async def _line(wire: ByteReceiveStream) -> bytes:
    data = b""
    while b"\r\n" not in data:
        data += await wire.receive(4096)
    return data
