"""A model service: its address, its settings, its key, and its unusable answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from corpus.errors import NotConfigured

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class BadAnswer(Exception):
    """A model or service gave an unusable answer. The message completes `gave …`."""


class NotTheProtocol(BadAnswer):
    """The response does not follow the protocol at all."""


def require_package(package: str, *, extra: str) -> None:
    """Raise NotConfigured with the extra to install if the package is missing. Imports nothing."""
    if find_spec(package) is None:
        raise NotConfigured(f"The package {package} is missing. Install it: pip install 'ibid-mcp[{extra}]'")


def usable_key(key: str | None, setting: str) -> str | None:
    """Return the key without surrounding spaces, or None for an empty one. Raises NotConfigured, without quoting the
    key, if it is invalid in an HTTP header."""
    key = (key or "").strip() or None
    if key is not None and not (key.isascii() and key.isprintable()):
        raise NotConfigured(f"{setting} has a character in it that no key has, such as a line break. Copy it again.")
    return key


@dataclass(frozen=True, slots=True)
class Service:
    """A service. `what` is the model or deployment; `address_setting` and `model_setting` are the settings of both.
    `not_admitted`, `not_allowed` and `not_there` complete `HOST …` after a 401, 403 and 404, `refused` after any other
    refusal. `gives` is what is requested, and `are_none` completes `What HOST answered …`."""

    address: str
    model: str
    open: Callable[[], AsyncOpenAI]
    what: str
    address_setting: str
    model_setting: str
    not_admitted: str
    not_allowed: str
    not_there: str
    refused: str
    gives: str
    are_none: str
    keyless: bool = False

    @property
    def host(self) -> str:
        """Host and port, without user name or password."""
        return urlsplit(self.address).netloc.rpartition("@")[2]
