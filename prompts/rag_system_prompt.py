"""rag_system_prompt.md as a template, filled in, and as short server instructions."""

import re
from collections.abc import Mapping, Sequence

from prompts.texts import OWN, PromptText

__all__ = ["PROMPT_VERSION", "RAG_SYSTEM_PROMPT", "render", "render_from", "server_instructions"]

NAME = "rag_system_prompt"

RAG_SYSTEM_PROMPT: str = OWN[NAME].text
"""The prompt with variables in braces; `render` fills them in."""

PROMPT_VERSION: str = OWN[NAME].version
"""Changes if and only if the wording changes; usable as a cache key or in a log line."""

PURPOSE = (
    "Search the user's own documents (PDFs with figures, office files, notes, mail, manuals, reports) and answer with "
    "citations to file and page."
)
"""The first line of the instructions. Some clients show only this before they load the tools."""

_INSTRUCTION_SECTIONS = ("Role", "Rules that always hold", "Which tool")
_VARIABLE = re.compile(r"\{(available_tools|user_context|domain|question)\}")


def render(
    *,
    available_tools: Sequence[str] | None = None,
    user_context: str | None = None,
    domain: str | None = None,
    question: str | None = None,
) -> str:
    """The prompt for a model.

    Values are inserted verbatim. A variable that is absent or blank removes its whole paragraph, including the heading.
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
    """`render` for a prompt that replaces the packaged one."""
    values = {
        "available_tools": _listed(available_tools),
        "user_context": user_context or "",
        "domain": domain or "",
        "question": question or "",
    }
    paragraphs = prompt.text.rstrip("\n").split("\n\n")
    return "\n\n".join(_filled(each, values) for each in paragraphs if _complete(each, values)) + "\n"


def server_instructions(prompt: PromptText = OWN[NAME]) -> str:
    """The server's purpose, then verbatim the sections of the prompt that a client needs before anything else."""
    return "\n\n".join([PURPOSE, *(_section(prompt.text, title) for title in _INSTRUCTION_SECTIONS)])


def _listed(tools: Sequence[str] | None) -> str:
    # A str is a sequence as well; here it is a list that the caller has already formatted.
    return tools if isinstance(tools, str) else "\n".join(f"- {tool}" for tool in tools or ())


def _complete(paragraph: str, values: Mapping[str, str]) -> bool:
    return all(values[name].strip() for name in _VARIABLE.findall(paragraph))


def _filled(paragraph: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: values[match[1]], paragraph)


def _section(text: str, title: str) -> str:
    start = text.index(f"## {title}\n")
    end = text.find("\n\n## ", start)
    return text[start:] if end < 0 else text[start:end]
