"""Publishes rag_system_prompt.md: as a template, filled in, and as short server instructions."""

import re
from collections.abc import Mapping, Sequence

from prompts.texts import OWN, PromptText

__all__ = ["PROMPT_VERSION", "RAG_SYSTEM_PROMPT", "render", "render_from", "server_instructions"]

NAME = "rag_system_prompt"

RAG_SYSTEM_PROMPT: str = OWN[NAME].text
"""The prompt with its variables still in braces; `render` gives the text to send to a model."""

PROMPT_VERSION: str = OWN[NAME].version
"""Changes when, and only when, the wording changes; fit for a cache key or a log line."""

PURPOSE = (
    "Search the user's own documents (PDFs with figures, office files, notes, mail, manuals, reports) and answer with "
    "citations to file and page."
)
"""The first line of the instructions, and all that some clients show of a server before its tools are loaded."""

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
    return render_from(
        OWN[NAME],
        available_tools=available_tools,
        user_context=user_context,
        domain=domain,
        question=question,
    )


def render_from(
    prompt: PromptText,
    *,
    available_tools: Sequence[str] | None = None,
    user_context: str | None = None,
    domain: str | None = None,
    question: str | None = None,
) -> str:
    """The same from a prompt that stands in place of ours."""
    values = {
        "available_tools": _listed(available_tools),
        "user_context": user_context or "",
        "domain": domain or "",
        "question": question or "",
    }
    paragraphs = prompt.text.rstrip("\n").split("\n\n")
    return "\n\n".join(_filled(each, values) for each in paragraphs if _complete(each, values)) + "\n"


def server_instructions(prompt: PromptText = OWN[NAME]) -> str:
    """What the server is for, then the sections of the prompt that a client should know before it loads anything else,
    word for word."""
    return "\n\n".join([PURPOSE, *(_section(prompt.text, title) for title in _INSTRUCTION_SECTIONS)])


def _listed(tools: Sequence[str] | None) -> str:
    # A str is a sequence of letters too; one that arrives here is a list somebody has already written out.
    return tools if isinstance(tools, str) else "\n".join(f"- {tool}" for tool in tools or ())


def _complete(paragraph: str, values: Mapping[str, str]) -> bool:
    return all(values[name].strip() for name in _VARIABLE.findall(paragraph))


def _filled(paragraph: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: values[found[1]], paragraph)


def _section(text: str, title: str) -> str:
    start = text.index(f"## {title}\n")
    end = text.find("\n\n## ", start)
    return text[start:] if end < 0 else text[start:end]
