"""Settings of traces and of the Langfuse prompt registry."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Annotated, Literal, NamedTuple

from pydantic import field_validator, model_validator
from pydantic_settings import NoDecode

from server.settings.checks import Address, Key, SettingsPart, comma_separated, variable

NOT_INSTALLED = "RAG_TRACES needs packages that are not installed. Run pip install 'ibid-mcp[otel]', or set it to off."
NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


class TracingSettings(SettingsPart):
    """Settings for traces of calls."""

    traces: Literal["off", "otlp"] = variable(
        "RAG_TRACES",
        "off",
        "Traces of calls: off, or otlp (OTLP/HTTP, configured by the OTEL_EXPORTER_OTLP_ variables). "
        "Needs the extra otel; see docs/tracing.md.",
    )
    traces_text: bool = variable(
        "RAG_TRACES_TEXT",
        False,
        "Include texts in traces: arguments, queries, prompts, passages and answers. Everybody who may read the traces "
        "sees these texts.",
    )


def exporter_is_installed() -> bool:
    """Return whether the extra otel is installed. Import nothing."""
    return all(map(_is_there, NEEDED))


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its parent package is missing
        return False


CAN_BE_KEPT = ("synthesis", "rag_system_prompt", "document_summary", "figure_description")
_WISH = re.compile(r"(?P<ours>[a-z_]+)(=(?P<theirs>[^@,=]+))?(@(?P<which>[\w.-]+))?")


class Wish(NamedTuple):
    """A prompt to fetch from the registry: our name for it, its name in the registry, and the version or label."""

    ours: str
    theirs: str
    which: str


class LangfuseSettings(SettingsPart):
    """Settings for prompts that come from Langfuse instead of files."""

    langfuse_prompts: Annotated[tuple[Wish, ...], NoDecode] = variable(
        "RAG_LANGFUSE_PROMPTS",
        (),
        "Prompts to fetch from Langfuse, separated by commas, each as NAME, NAME@LABEL, NAME@VERSION or "
        "NAME=THEIRS@LABEL, such as synthesis@production; see prompts/README.md. Unset: none.",
    )
    langfuse_base_url: Address = variable(
        "LANGFUSE_BASE_URL", "https://cloud.langfuse.com", "Address of Langfuse, for RAG_LANGFUSE_PROMPTS."
    )
    langfuse_public_key: str | None = variable("LANGFUSE_PUBLIC_KEY", None, "Public key of the Langfuse project.")
    langfuse_secret_key: Key | None = variable("LANGFUSE_SECRET_KEY", None, "Secret key of the Langfuse project.")

    @field_validator("langfuse_prompts", mode="before")
    @classmethod
    def _wishes(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(map(_wish, comma_separated(value)))

    @model_validator(mode="after")
    def _keys_are_there(self) -> LangfuseSettings:
        if self.langfuse_prompts and not (self.langfuse_public_key and self.langfuse_secret_key):
            raise ValueError("RAG_LANGFUSE_PROMPTS needs LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY. Set both")
        return self


def _wish(text: str) -> Wish:
    match = _WISH.fullmatch(text)
    if not match or match["ours"] not in CAN_BE_KEPT:
        raise ValueError(
            f"contains {text[:60]!r}. Write each as NAME, NAME@LABEL, NAME@VERSION or NAME=THEIRS@LABEL; names are "
            f"{', '.join(CAN_BE_KEPT)}"
        )
    return Wish(match["ours"], (match["theirs"] or match["ours"]).strip(), match["which"] or "production")
