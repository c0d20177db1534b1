"""Encrypted tokens in picture URLs: which picture, for whom, and until when.

A browser sends no credentials for a picture, so the URL carries one of the caller's principals that may read the block:
`*` if everybody may, otherwise the user, otherwise a group. Each fetch checks that principal against the index. A URL
stops working at once if the document's access list drops the principal, but only at its expiry if the issuer does.
"""

from __future__ import annotations

import binascii
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from corpus.access import PUBLIC, Caller, may_read
from corpus.documents.block import KEY
from server.caller import caller_digest, names

MAX_TOKEN = 4096
_FACTS = struct.Struct(">I8s")


@dataclass(frozen=True, slots=True)
class Grant:
    """A picture for a caller. `opened_by` is a principal with a one-letter kind; `who` is `caller_digest` of the
    caller; `expires` is in whole seconds since 1970."""

    block_id: str
    opened_by: str
    who: bytes
    expires: int

    @property
    def caller(self) -> Caller:
        """A caller with that principal alone."""
        kind, name = self.opened_by[:1], self.opened_by[1:]
        return Caller(
            user_id=name if kind == "u" else None,
            department=name if kind == "d" else None,
            org_id=name if kind == "o" else None,
            groups=frozenset([name]) if kind == "g" else frozenset(),
        )


@dataclass(frozen=True, slots=True)
class Seal:
    """`keys` are 32 bytes each: the first seals, all of them open. Tokens are bound to `origin`."""

    keys: Sequence[bytes] = field(repr=False)
    origin: str

    def sealed(self, grant: Grant) -> str:
        """The token of a grant, in URL-safe base64. It is deterministic, so that clients can cache the picture."""
        facts = _FACTS.pack(grant.expires, grant.who) + f"{grant.opened_by}\0{grant.block_id}".encode()
        return urlsafe_b64encode(AESSIV(self.keys[0]).encrypt(facts, self._bound)).rstrip(b"=").decode()

    def opened(self, token: str) -> Grant | None:
        """The grant in a token, or None if this seal did not make it."""
        if not token.isascii() or len(token) > MAX_TOKEN:
            return None
        try:
            secret = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except (binascii.Error, ValueError):
            return None
        # The decoder ignores foreign characters and surplus bits. Require the canonical form: one URL per picture.
        if urlsafe_b64encode(secret).rstrip(b"=").decode() != token:
            return None
        return next((grant for key in self.keys if (grant := self._grant(key, secret))), None)

    @property
    def _bound(self) -> list[bytes]:
        return [b"ibid/image/1", self.origin.encode()]

    def _grant(self, key: bytes, secret: bytes) -> Grant | None:
        try:
            facts = AESSIV(key).decrypt(secret, self._bound)
        except (InvalidTag, ValueError):
            return None
        expires, who = _FACTS.unpack_from(facts)
        opened_by, _, block_id = facts[_FACTS.size :].decode().partition("\0")
        return Grant(block_id, opened_by, who, expires)


def granted(block_id: str, allowed: Sequence[str], caller: Caller, expires: int) -> Grant | None:
    """The grant for a block with the access list `allowed`, or None if the caller may not read it."""
    opened_by = "*" if PUBLIC in allowed else _first(allowed, caller)
    if opened_by is None or not KEY.fullmatch(block_id):
        return None
    return Grant(block_id, opened_by, caller_digest(caller), expires)


def _first(allowed: Sequence[str], caller: Caller) -> str | None:
    # Try both spellings of principals. The index decides at the fetch, so a wrong guess opens nothing.
    for prefixed in (True, False):
        for name in names(caller):
            if may_read(allowed, Grant("", name, b"", 0).caller, prefixed=prefixed):
                return name
    return None
