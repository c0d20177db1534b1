"""Write docs/settings.md from the settings model: `make reference`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from inspect import get_annotations
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from server.settings.model import Settings, fields

PAGE = Path("docs/settings.md")
HEAD = """\
# Settings

Generated from the settings model by `make reference`.

- Settings are environment variables. `ibid` reads them once, at start-up; an empty value counts as unset. The
  [README](../README.md#ten-settings) lists the ten that most people need.
- `ibid config` prints the settings in force, with secrets masked. `ibid install CLIENT --set NAME=VALUE` writes one
  into a client's entry.
- Ibid refuses a name that nearly matches a setting or is a part of one (`RAG_USER`), and names the right one. With
  Azure AI Search it also refuses other programs' names for that service (`AZURE_SEARCH_KEY`) while its own is unset. It
  warns about any other unknown `RAG_` name.
- Commas separate several values; folders are separated as in PATH (`:`, on Windows `;`).
"""
TITLES = {
    "Settings": "Index, identity and log",
    "FolderSettings": "Folders that the server reads",
    "EmbedderSettings": "Embeddings",
    "RerankerSettings": "Reranker",
    "LlmSettings": "Models that write and judge",
    "LangfuseSettings": "Prompts from Langfuse",
    "HttpSettings": "HTTP",
    "IdentitySettings": "Callers over HTTP",
    "LimitsSettings": "Limits and audit",
    "TracingSettings": "Traces",
    "AzureSettings": "Azure AI Search",
    "AzureOpenAISettings": "Azure OpenAI",
}
"""Section titles of the classes that declare settings, in page order. Other classes follow in alphabetical order."""
BOUNDS = {"ge": "from {}", "gt": "above {}", "le": "to {}", "lt": "below {}"}


def page() -> str:
    """Return the complete page as Markdown."""
    sections = sorted(_sections().items(), key=lambda section: _order(section[0]))
    lines = [HEAD]
    for name, variables in sections:
        lines += [f"## {_title(name)}\n", "| setting | value | default | meaning |", "|---|---|---|---|"]
        lines += [_row(field) for field in variables]
        lines.append("")
    return "\n".join(lines)


def _sections() -> dict[str, list[FieldInfo]]:
    """Map each class name to the settings that the class declares, in the model's order."""
    sections: dict[str, list[FieldInfo]] = {}
    for name, field in fields().items():
        owner = next(base for base in Settings.__mro__ if name in get_annotations(base))
        sections.setdefault(owner.__name__, []).append(field)
    return sections


def _order(name: str) -> tuple[int, str]:
    return (list(TITLES).index(name) if name in TITLES else len(TITLES), name)


def _title(name: str) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix("Settings"))
    return TITLES.get(name, words)


def _row(field: FieldInfo) -> str:
    meaning = (field.description or "").replace("|", "\\|")
    return f"| `{field.validation_alias}` | {_value(field)} | {_default(field)} | {meaning} |"


def _value(field: FieldInfo) -> str:
    """Describe the values that a setting accepts."""
    kinds = dict.fromkeys(_kinds(field.annotation))
    bounds = [
        BOUNDS[word].format(bound)
        for part in field.metadata
        for word in BOUNDS
        if (bound := getattr(part, word, None)) is not None
    ]
    *first, last = kinds
    return " ".join([f"{', '.join(first)} or {last}" if first else last, *bounds])


def _kinds(annotation: Any) -> Iterator[str]:
    if get_origin(annotation) is Literal:
        yield from (f"`{value}`" for value in get_args(annotation))
    elif get_origin(annotation) is tuple:
        yield "list"
    elif arguments := [part for part in get_args(annotation) if part is not NoneType]:
        for part in arguments:
            yield from _kinds(part)
    elif annotation is bool:
        yield from ("`true`", "`false`")
    elif isinstance(annotation, type):
        words = {int: "integer", float: "number", SecretStr: "secret", Path: "path"}
        yield words.get(annotation, "text")


def _default(field: FieldInfo) -> str:
    if field.default_factory or field.default in (None, ()):
        return ""
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE} written\n")
