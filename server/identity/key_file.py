"""The file of API keys: for each its name, its digest, and who uses it. Private to the user who runs the server.

A key is 256 random bits, so nobody finds it by trying, and a plain SHA-256 keeps it: the slowness of a hash for
passwords would only be paid for by each request.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from filelock import FileLock, Timeout
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from corpus.access import Caller
from corpus.errors import NotConfigured
from server.identity.principals import fault

BEGINS = "ibid_"
"""So that a key which ends up where it should not is found by those who look for such."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LONGEST_FILE = 4 << 20
LOCK_SECONDS = 10.0


def _principal(value: str) -> str:
    if why := fault(value):
        raise ValueError(why)
    return value


Principal = Annotated[str, AfterValidator(_principal)]


class ApiKey(BaseModel):
    """`created` and `expires` in seconds since 1970."""

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
        return Caller(self.user, self.department, self.org, frozenset(self.groups))


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    keys: tuple[ApiKey, ...] = ()


def new_secret() -> str:
    return BEGINS + secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def read_keys(path: Path) -> tuple[ApiKey, ...]:
    """Raises NotConfigured with the cure; FileNotFoundError where there is none."""
    with path.open("rb") as file:
        _refuse_shared(path, os.fstat(file.fileno()))
        content = file.read(LONGEST_FILE + 1)
    try:
        keys = _File.model_validate_json(content).keys if len(content) <= LONGEST_FILE else None
    except ValidationError:
        keys = None
    if keys is None or len({one.name for one in keys}) != len(keys):
        raise NotConfigured(
            f"{path} (RAG_API_KEYS) is no file of keys. Name one that `ibid key add` makes, or restore it."
        )
    return keys


def change_keys(path: Path, change: Callable[[tuple[ApiKey, ...]], tuple[ApiKey, ...]]) -> None:
    """Replace the keys by what `change` makes of them, whole or not at all. Raises what `change` does, and
    NotConfigured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        try:
            now = read_keys(path)
        except FileNotFoundError:
            now = ()
        content = _File(keys=change(now)).model_dump_json(indent=1)
        number, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}."
        )  # private from its first byte
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


def _refuse_shared(path: Path, found: os.stat_result) -> None:
    if os.name != "posix":
        return  # elsewhere its folder decides
    if found.st_uid not in (os.geteuid(), 0):
        raise NotConfigured(f"{path} (RAG_API_KEYS) belongs to another user. Give it to the one who serves.")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise NotConfigured(
            f"{path} (RAG_API_KEYS) can be read or written by other users. Run `chmod 600` on it."
        )
