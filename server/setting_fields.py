"""Declare settings, and check values that several of them share."""

from __future__ import annotations

from typing import Any
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class SettingsPart(BaseSettings):
    """Settings of one subject. Only all of them together are ever read, so that no validator is made of a part."""

    model_config = SettingsConfigDict(defer_build=True)


def variable(name: str, default: Any, description: str) -> Any:
    """A field that is read from the environment variable `name`."""
    return Field(default=default, validation_alias=name, description=description)


def address(value: str, *, path: bool = False, example: str = "https://HOST") -> str:
    """The address without a slash at its end. Raises ValueError where no key may be sent to it: it takes https, or
    http on this machine. `example` is what the error shows; the address is not repeated, which may hold a secret."""
    value = value.strip().rstrip("/")
    if why := _unusable(value, path=path):
        more = "query" if path else "path"
        raise ValueError(
            f"is no usable address: {why}. Write it as {example}, without user, {more} or spaces"
        )
    return value


def _unusable(value: str, *, path: bool) -> str:
    """What is wrong with an address; empty where nothing is."""
    if "://" not in value:
        return "it does not begin with https://" + (
            "" if "." in value else ", and is no whole name of a host"
        )
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it cannot be read"
    local = parts.scheme == "http" and host in LOOPBACK
    faults = {
        "it has a space in it": any(map(str.isspace, value)),
        "it has no host": not host,
        "it has a user in it": names_user(parts),
        "it is not https": parts.scheme != "https" and not local,
        "it has a query in it": bool(parts.query or parts.fragment),
        "it has a path after the host": bool(parts.path) and not path,
    }
    return next((one for one, there in faults.items() if there), "")


def names_user(parts: SplitResult) -> bool:
    """Whether an address has a user in it, also one without a name before a password."""
    return "@" in parts.netloc


def container_address(value: str) -> str:
    """The address of a container, its signature kept. Raises ValueError that repeats neither."""
    value = value.strip()
    bare, _, signature = value.partition("?")
    plain = address(bare, path=True)
    if any(map(str.isspace, signature)) or not urlsplit(plain).path.strip("/"):
        raise ValueError(
            "is no address of a container. Write it as https://ACCOUNT.blob.core.windows.net/CONTAINER"
        )
    return f"{plain}?{signature}" if signature else plain


def key(value: SecretStr | None) -> SecretStr | None:
    """The key without space around it, as a file or a paste brings it. Raises ValueError for one that no header can
    carry; its text is not repeated."""
    if value is None:
        return None
    text = value.get_secret_value().strip()
    if not text or not text.isascii() or not text.isprintable():
        raise ValueError("is no key: it is empty, or holds a line break or another character that no key has")
    return SecretStr(text)
