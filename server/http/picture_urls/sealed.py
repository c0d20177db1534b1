"""What stands in the address of a picture: which one, who may see it and how long, sealed so that nobody else reads or
writes it.

A browser that fetches a picture brings no token, so the address holds one name of the caller's that opens the block:
`*` where everybody may read it, else their own, else a group's. The index is asked with that name at each fetch. A
right taken from the document's list ends the address at once; one that the issuer takes back ends it when it expires.
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
    """One picture for one caller. `opened_by` is a letter for the kind of the name, and the name; `who` is the digest
    of all that is known of the caller; `expires` in whole seconds since 1970."""

    block_id: str
    opened_by: str
    who: bytes
    expires: int

    @property
    def caller(self) -> Caller:
        kind, name = self.opened_by[:1], self.opened_by[1:]
        return Caller(
            user_id=name if kind == "u" else None,
            department=name if kind == "d" else None,
            org_id=name if kind == "o" else None,
            groups=frozenset([name]) if kind == "g" else frozenset(),
        )


@dataclass(frozen=True, slots=True)
class Seal:
    """`keys` are 32 bytes each: the first seals, all of them open. `origin` is whose addresses they are; those of
    another one do not open here."""

    keys: Sequence[bytes] = field(repr=False)
    origin: str

    def sealed(self, grant: Grant) -> str:
        """Letters for an address; the same grant gives the same ones, so that clients can keep a picture."""
        facts = _FACTS.pack(grant.expires, grant.who) + f"{grant.opened_by}\0{grant.block_id}".encode()
        return urlsafe_b64encode(AESSIV(self.keys[0]).encrypt(facts, self._bound)).rstrip(b"=").decode()

    def opened(self, token: str) -> Grant | None:
        """None for whatever this seal did not make."""
        if not token.isascii() or len(token) > MAX_TOKEN:
            return None
        try:
            secret = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except (binascii.Error, ValueError):
            return None
        # The decoder passes over letters of no alphabet and bits of no byte; one picture has one address.
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
    """What the address of this block says, None where nothing of the caller's is on its access list."""
    opened_by = "*" if PUBLIC in allowed else _first(allowed, caller)
    if opened_by is None or not KEY.fullmatch(block_id):
        return None
    return Grant(block_id, opened_by, caller_digest(caller), expires)


def _first(allowed: Sequence[str], caller: Caller) -> str | None:
    # How an index writes names is its own affair, and it decides at the fetch; a wrong guess here opens nothing.
    for prefixed in (True, False):
        for name in names(caller):
            if may_read(allowed, Grant("", name, b"", 0).caller, prefixed=prefixed):
                return name
    return None
