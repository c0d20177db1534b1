"""Five people: three with tokens from an issuer, two with keys. Their tokens and keys are secrets that no log may
contain."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from aiohttp import web

from bench.soak.documents import run
from tests.doubles.issuer import Issuer, new_key

TOKENS, KEYS = ("ann", "bob", "eve"), ("cleo", "dan")
LATE = 35.0
"""Seconds for which the server may refuse a token that is signed with a new key, because the server requests keys at
most twice a minute."""


@dataclass
class People:
    issuer: Issuer
    keys: dict[str, str] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    turned: dict[str, float] = field(default_factory=dict)
    rotations: int = 0
    outages: int = 0

    async def with_keys(self, env: Mapping[str, str]) -> None:
        for name in KEYS:
            code, said = await run(["key", "add", name, "--user", name], env)
            assert code == 0, said
            self.keys[name] = said.split()[0]
            self.secrets.add(self.keys[name])

    def bearer(self, who: str) -> str:
        """Return a person's key, or a new token that is signed with the issuer's current key."""
        token = self.keys.get(who) or self.issuer.token(who)
        self.secrets.add(token)
        return token

    def forged(self, dice: random.Random) -> str:
        """Return a token that has expired, is meant for another service, or is signed with an unknown key."""
        now = int(time.time())
        wrong: list[dict[str, Any]] = [
            {"exp": now - 300, "iat": now - 900, "nbf": now - 900},
            {"aud": "https://elsewhere.example"},
            {"header": {"kid": f"none-{dice.random()}"}},
        ]
        token = self.issuer.token("ann", **dice.choice(wrong))
        self.secrets.add(token)
        return token

    def may_be_refused(self, who: str, now: float) -> bool:
        """Return whether a valid token can get 401 because of an injected fault of the issuer."""
        return who in TOKENS and any(now < until for until in self.turned.values())

    async def trouble(self, every: float) -> None:
        """Until cancelled, repeatedly change the issuer's key, with the previous key still published, or stop the
        issuer for a while."""
        while True:
            await anyio.sleep(every)
            former = self.issuer.published[0]
            key = await anyio.to_thread.run_sync(new_key, f"key-{self.rotations}")
            self.issuer.published = [key.published(), former]
            self.issuer.key = key
            self.rotations += 1
            self.turned["rotation"] = time.monotonic() + LATE
            await anyio.sleep(every)
            self.outages += 1
            self.turned["outage"] = time.monotonic() + every + LATE
            self.issuer.next.extend([lambda _: web.Response(status=503)] * 1000)
            await anyio.sleep(every)
            self.issuer.next.clear()
