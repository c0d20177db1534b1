"""Derive sealing keys, one per purpose, from the secrets that the processes of a service share."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Self

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from server.settings.model import Settings

KEY_BYTES = 32


class Keys:
    """The secrets of a process, newest first."""

    def __init__(self, material: Sequence[bytes]) -> None:
        self._material = tuple(material)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The secrets of RAG_HTTP_KEYS, otherwise a random one of this process."""
        shared = tuple(secret.get_secret_value().encode() for secret in settings.http_keys)
        return cls(shared or (secrets.token_bytes(KEY_BYTES),))

    def derived(self, label: str) -> tuple[bytes, ...]:
        """A 32-byte key per secret for the purpose `label`. The first seals, and all of them open."""
        info = f"ibid/{label}".encode()
        return tuple(
            HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(secret) for secret in self._material
        )
