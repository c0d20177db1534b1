"""Where a service of models is, for the code that asks it and for the person who must cure it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, slots=True)
class Service:
    """Where to ask and for which model, and how an operator knows both: `what` names the model or the deployment,
    `address_setting` and `model_setting` the settings; the next three complete `HOST …` after 401, 403 and 404, and
    `refused` after any other refusal. `gives` is what it is asked for, `are_none` completes `What HOST answered …`."""

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
        return urlsplit(self.address).netloc.rpartition("@")[2]
