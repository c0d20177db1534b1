"""What a server seals with: one key for each purpose, all from the secrets that its processes share."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Self

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from server.settings.model import Settings

KEY_BYTES = 32


class Keys:
    """Made once in a process and handed to all that seals; without RAG_HTTP_KEYS it holds one that nobody else has."""

    def __init__(self, material: Sequence[bytes]) -> None:
        self._material = tuple(material)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        given = tuple(one.get_secret_value().encode() for one in settings.http_keys)
        return cls(given or (secrets.token_bytes(KEY_BYTES),))

    def derived(self, label: str) -> tuple[bytes, ...]:
        """32 bytes of each secret for that purpose, the newest first: it seals, and all of them open."""
        info = f"ibid/{label}".encode()
        return tuple(
            HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(one)
            for one in self._material
        )
