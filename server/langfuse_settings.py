"""Settings of prompts that Langfuse keeps."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple

from pydantic import SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

from server.setting_fields import SettingsPart, address, key, variable

CAN_BE_KEPT = ("synthesis", "rag_system_prompt", "document_summary", "figure_description")
_WISH = re.compile(r"(?P<ours>[a-z_]+)(=(?P<theirs>[^@,=]+))?(@(?P<which>[\w.-]+))?")


class Wish(NamedTuple):
    """One of our prompts, what the registry calls it, and the version or label that is wanted."""

    ours: str
    theirs: str
    which: str


class LangfuseSettings(SettingsPart):
    """A part of `server.settings.Settings`."""

    langfuse_prompts: Annotated[tuple[Wish, ...], NoDecode] = variable(
        "RAG_LANGFUSE_PROMPTS",
        (),
        "Prompts that Langfuse keeps, separated by commas, each as NAME, NAME@LABEL, NAME@VERSION or "
        "NAME=THEIRS@LABEL, such as synthesis@production; see prompts/README.md. Unset: none.",
    )
    langfuse_base_url: str = variable(
        "LANGFUSE_BASE_URL", "https://cloud.langfuse.com", "Address of Langfuse, for RAG_LANGFUSE_PROMPTS."
    )
    langfuse_public_key: str | None = variable(
        "LANGFUSE_PUBLIC_KEY", None, "Public key of the project there."
    )
    langfuse_secret_key: SecretStr | None = variable(
        "LANGFUSE_SECRET_KEY", None, "Secret key of the project there."
    )

    @field_validator("langfuse_prompts", mode="before")
    @classmethod
    def _wishes(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(_wish(part) for one in value.split(",") if (part := one.strip()))

    @field_validator("langfuse_base_url", mode="after")
    @classmethod
    def _langfuse_address(cls, value: str) -> str:
        return address(value, path=True)

    @field_validator("langfuse_secret_key", mode="after")
    @classmethod
    def _langfuse_key(cls, value: SecretStr | None) -> SecretStr | None:
        return key(value)

    @model_validator(mode="after")
    def _keys_are_there(self) -> LangfuseSettings:
        if self.langfuse_prompts and not (self.langfuse_public_key and self.langfuse_secret_key):
            raise ValueError(
                "RAG_LANGFUSE_PROMPTS needs LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY. Set both"
            )
        return self


def _wish(text: str) -> Wish:
    match = _WISH.fullmatch(text)
    if not match or match["ours"] not in CAN_BE_KEPT:
        raise ValueError(
            f"holds {text[:60]!r}. Write each as NAME, NAME@LABEL, NAME@VERSION or NAME=THEIRS@LABEL; names are "
            f"{', '.join(CAN_BE_KEPT)}"
        )
    return Wish(match["ours"], (match["theirs"] or match["ours"]).strip(), match["which"] or "production")
