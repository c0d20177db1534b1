"""Publishes rag_system_prompt.md: as a template, filled in, and as short server instructions."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files

__all__ = ["PROMPT_VERSION", "RAG_SYSTEM_PROMPT", "render", "server_instructions"]

RAG_SYSTEM_PROMPT: str = files("prompts").joinpath("rag_system_prompt.md").read_text(encoding="utf-8")
"""The prompt with its variables still in braces; `render` gives the text to send to a model."""

PROMPT_VERSION: str = sha256(RAG_SYSTEM_PROMPT.encode()).hexdigest()[:12]
"""Changes when, and only when, the wording changes; fit for a cache key or a log line."""

_INSTRUCTION_SECTIONS = ("Role", "Rules that always hold", "Which tool")
_VARIABLE = re.compile(r"\{(available_tools|user_context|domain|question)\}")


def render(
    *,
    available_tools: Sequence[str] | None = None,
    user_context: str | None = None,
    domain: str | None = None,
    question: str | None = None,
) -> str:
    """The prompt ready for a model.

    A value is inserted as it is: braces and markdown in it are never interpreted here. A variable that is
    absent or blank takes its whole paragraph, heading included, with it.
    """
    values = {
        "available_tools": _listed(available_tools),
        "user_context": user_context or "",
        "domain": domain or "",
        "question": question or "",
    }
    paragraphs = RAG_SYSTEM_PROMPT.rstrip("\n").split("\n\n")
    return "\n\n".join(_filled(each, values) for each in paragraphs if _complete(each, values)) + "\n"


def server_instructions() -> str:
    """The sections of the prompt that a client should know before it loads anything else, word for word."""
    return "\n\n".join(_section(title) for title in _INSTRUCTION_SECTIONS)


def _listed(tools: Sequence[str] | None) -> str:
    # A str is a sequence of letters too; one that arrives here is a list somebody has already written out.
    return tools if isinstance(tools, str) else "\n".join(f"- {tool}" for tool in tools or ())


def _complete(paragraph: str, values: Mapping[str, str]) -> bool:
    return all(values[name].strip() for name in _VARIABLE.findall(paragraph))


def _filled(paragraph: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: values[found[1]], paragraph)


def _section(title: str) -> str:
    start = RAG_SYSTEM_PROMPT.index(f"## {title}\n")
    end = RAG_SYSTEM_PROMPT.index("\n\n## ", start)
    return RAG_SYSTEM_PROMPT[start:end]
