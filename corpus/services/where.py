"""The address of a model service, for code that calls it and for messages to its operator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, slots=True)
class Service:
    """`what` names the model or deployment; `address_setting` and `model_setting` the settings of both.
    `not_admitted`, `not_allowed` and `not_there` complete `HOST …` after a 401, 403 and 404, `refused` after any
    other refusal. `gives` is what is requested, and `are_none` completes `What HOST answered …`."""

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
