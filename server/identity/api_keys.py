"""API keys in a file. Each request checks the file for changes, so that a removed key stops working immediately."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import structlog
from filelock import FileLock, Timeout
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from corpus.access import Caller
from corpus.errors import NotConfigured
from server.identity.claims import fault
from server.identity.tokens import Refused
from server.identity.verified_caller import Admitted, admitted

BEGINS = "ibid_"
"""Prefix by which secret scanners can find leaked keys."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MAX_FILE = 4 << 20
LOCK_SECONDS = 10.0


def _principal(value: str) -> str:
    if why := fault(value):
        raise ValueError(why)
    return value


Principal = Annotated[str, AfterValidator(_principal)]


class ApiKey(BaseModel):
    """An entry of the file. `created` and `expires` are in seconds since 1970."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=f"^{NAME.pattern}$")
    digest: str = Field(pattern="^[0-9a-f]{64}$")
    user: Principal | None = None
    groups: tuple[Principal, ...] = ()
    department: Principal | None = None
    org: Principal | None = None
    created: int = 0
    expires: int | None = None

    @property
    def who(self) -> Caller:
        """Return the caller that the key identifies."""
        return Caller(self.user, self.department, self.org, frozenset(self.groups))


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    keys: tuple[ApiKey, ...] = ()


def new_secret() -> str:
    """Return a new key with 256 random bits."""
    return BEGINS + secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """Return the SHA-256 of a key in hexadecimal, as the file stores it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def read_keys(path: Path) -> tuple[ApiKey, ...]:
    """Read the keys. Raise FileNotFoundError if there is no file, and NotConfigured with advice if it is invalid or
    unsafe."""
    with path.open("rb") as file:
        _refuse_shared(path, os.fstat(file.fileno()))
        content = file.read(MAX_FILE + 1)
    try:
        keys = _File.model_validate_json(content).keys if len(content) <= MAX_FILE else None
    except ValidationError:
        keys = None
    if keys is None or len({key.name for key in keys}) != len(keys):
        raise NotConfigured(
            f"{path} (RAG_API_KEYS) is not a key file. Use a file that `ibid key add` wrote, or restore it."
        )
    return keys


def change_keys(path: Path, change: Callable[[tuple[ApiKey, ...]], tuple[ApiKey, ...]]) -> None:
    """Replace the keys atomically with the result of `change`. Raise NotConfigured if the file cannot be used. Errors
    from `change` are raised too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        try:
            now = read_keys(path)
        except FileNotFoundError:
            now = ()
        content = _File(keys=change(now)).model_dump_json(indent=1)
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # private from the start
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    lock = FileLock(f"{path}.lock", timeout=LOCK_SECONDS, mode=0o600)
    try:
        with lock:
            yield
    except Timeout:
        raise NotConfigured(f"{path} is being changed by another command. Try again.") from None


def _refuse_shared(path: Path, status: os.stat_result) -> None:
    if os.name != "posix":
        return  # on other systems the permissions of the folder apply
    if status.st_uid not in (os.geteuid(), 0):
        raise NotConfigured(f"{path} (RAG_API_KEYS) belongs to another user. The server's user must own it.")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise NotConfigured(f"{path} (RAG_API_KEYS) can be read or written by other users. Run `chmod 600` on it.")


log = structlog.stdlib.get_logger("ibid")

ISSUER = "ibid:keys"
"""Issuer of the keys. It is not a URL, so it cannot be the name of a token issuer."""
MAX_KEY = 256

Mark = tuple[int, int, int]


class ApiKeys:
    """The keys of a file, reloaded when it changes."""

    def __init__(self, path: Path, scope: str) -> None:
        """Raise NotConfigured if the file is missing or invalid."""
        self._path, self._scope = path, scope
        self._mark: Mark | None = None
        self._keys: tuple[ApiKey, ...] = ()
        try:
            self._read()
        except OSError as error:
            raise NotConfigured(
                f"{path} (RAG_API_KEYS) cannot be read ({error.strerror}). `ibid key add NAME` creates it."
            ) from None

    def admitted(self, secret: str) -> Admitted:
        """Authenticate a key. Raise Refused if it is not valid."""
        if not secret.startswith(BEGINS) or len(secret) > MAX_KEY:
            raise Refused("it is not a key")
        key = self._of(digest(secret))
        if key is None:
            raise Refused("its key is unknown")
        if not _lasts(key):
            raise Refused("its key has expired")
        return admitted(
            key.who, client=f"key:{key.name}", issuer=ISSUER, subject=key.digest[:16],
            scopes=[self._scope], expires=key.expires, holds=lambda: self._holds(key.digest),
        )  # fmt: skip

    def _of(self, wanted: str) -> ApiKey | None:
        """Return the key with this digest. All keys are compared in constant time."""
        same = [key for key in self._current() if hmac.compare_digest(key.digest, wanted)]
        return same[0] if same else None

    def _holds(self, wanted: str) -> bool:
        key = self._of(wanted)
        return key is not None and _lasts(key)

    def _current(self) -> tuple[ApiKey, ...]:
        """Return the current keys, or none if the file has become unreadable or unsafe."""
        try:
            if self._mark != _mark(self._path):
                self._read()
        except (OSError, NotConfigured) as error:
            if self._mark is not None:  # log it once
                reason = str(error) if isinstance(error, NotConfigured) else error.strerror
                log.error("identity.keys_unreadable", reason=reason)
            self._keys, self._mark = (), None
        return self._keys

    def _read(self) -> None:
        mark = _mark(self._path)
        self._keys = read_keys(self._path)
        self._mark = mark  # taken before reading, so that a change in between is noticed next time


def _lasts(key: ApiKey) -> bool:
    return key.expires is None or time.time() < key.expires


def _mark(path: Path) -> Mark:
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns
