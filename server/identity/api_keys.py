"""Callers that come with a key of ours. The file is looked at for each, so that a removed key opens nothing."""

from __future__ import annotations

import hmac
import time
from pathlib import Path

import structlog

from corpus.errors import NotConfigured
from server.identity.admitted import Admitted, admitted
from server.identity.key_file import BEGINS, ApiKey, digest, read_keys
from server.identity.tokens import Refused

log = structlog.stdlib.get_logger("ibid")

ISSUER = "ibid:keys"
"""No issuer of tokens can have it, for it is no address."""
LONGEST_KEY = 256

Mark = tuple[int, int, int]


class ApiKeys:
    def __init__(self, path: Path, scope: str) -> None:
        """Raises NotConfigured where the file is not there or not sound."""
        self._path, self._scope = path, scope
        self._mark: Mark | None = None
        self._keys: tuple[ApiKey, ...] = ()
        try:
            self._read()
        except OSError as error:
            raise NotConfigured(
                f"{path} (RAG_API_KEYS) cannot be read ({error.strerror}). `ibid key add NAME` makes it."
            ) from None

    def admitted(self, secret: str) -> Admitted:
        """Raises Refused."""
        if not secret.startswith(BEGINS) or len(secret) > LONGEST_KEY:
            raise Refused("it is no key")
        found = self._of(digest(secret))
        if found is None:
            raise Refused("its key is not known")
        if not _lasts(found):
            raise Refused("its key has expired")
        return admitted(
            found.who, client=f"key:{found.name}", issuer=ISSUER, subject=found.digest[:16],
            scopes=[self._scope], expires=found.expires, holds=lambda: self._holds(found.digest),
        )  # fmt: skip

    def _of(self, wanted: str) -> ApiKey | None:
        """Every key is compared, and each in the same time."""
        same = [one for one in self._current() if hmac.compare_digest(one.digest, wanted)]
        return same[0] if same else None

    def _holds(self, wanted: str) -> bool:
        found = self._of(wanted)
        return found is not None and _lasts(found)

    def _current(self) -> tuple[ApiKey, ...]:
        """None at all where the file cannot be trusted any more."""
        try:
            if self._mark != _mark(self._path):
                self._read()
        except (OSError, NotConfigured) as error:
            if self._mark is not None:  # told once
                reason = str(error) if isinstance(error, NotConfigured) else error.strerror
                log.error("identity.keys_unreadable", reason=reason)
            self._keys, self._mark = (), None
        return self._keys

    def _read(self) -> None:
        mark = _mark(self._path)
        self._keys = read_keys(self._path)
        self._mark = mark  # taken before reading: a change in between is seen the next time


def _lasts(key: ApiKey) -> bool:
    return key.expires is None or time.time() < key.expires


def _mark(path: Path) -> Mark:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns
