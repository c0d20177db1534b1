"""Load prompts from files, with names and versions. Prompts of a folder replace the packaged ones."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt; its `text` contains variables in braces."""

    name: str
    text: str

    @property
    def version(self) -> str:
        """Twelve hexadecimal digits of the text's SHA-256; changes if and only if the wording does."""
        return sha256(self.text.encode()).hexdigest()[:12]

    def filled(self, **values: str) -> str:
        """The text with these variables replaced by their values, verbatim."""
        return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), self.text)


class UnusablePrompt(ValueError):
    """A prompt that cannot be used. The message names file and cure, and completes `RAG_PROMPTS_DIR …`."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """The variables a prompt may contain, the phrases it must contain, and its maximum length in characters.

    `pointers` replace variables whose values come in a later message, as data apart from the instructions. `additions`
    are appended to a text that lacks the phrase that code looks for.
    """

    variables: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    max_length: int = 4_000
    pointers: Mapping[str, str] = field(default_factory=dict)
    additions: Mapping[str, str] = field(default_factory=dict)


_VARIABLE = re.compile(r"\{([a-z_]+)\}")
_SOURCES = "(the numbered sources in the message that follows)"
_SYNTHESIS = _Kind(
    pointers={
        "query": "(the question in the message that follows)",
        "formatted_sources": _SOURCES,
        "observations": _SOURCES,
    },
    additions={
        "[N]": "After each statement write [N], the number of the source that says it: [1], or [1][3] where several "
        "do. Write no list of sources.",
        "Not found in sources": "If the sources do not answer the question, write exactly "
        '"Not found in sources" and nothing else.',
    },
)
"""A template for a whole prompt works too: its variables become pointers to question and sources."""
_KINDS = {
    "rag_system_prompt": _Kind(
        ("available_tools", "user_context", "domain", "question"),
        ("## Role\n", "## Rules that always hold\n", "## Which tool\n"),
        40_000,
    ),
    "synthesis": _SYNTHESIS,
    "llm_generate": _Kind(),
    "document_summary": _Kind(("language",), ("BRIEF:", "STANDARD:")),
    "figure_description": _Kind(("language",)),
    "evaluation_question": _Kind(("language",), ("QUESTION:", "ANSWER:")),
    "claim_check": _Kind(needs=("yes or no",)),
}


def prompt_texts(folder: Path | None = None) -> Mapping[str, PromptText]:
    """Every prompt by name: NAME.md from `folder` if it exists, otherwise the packaged one. Raises UnusablePrompt."""
    if folder is None:
        return OWN
    theirs = {name: PromptText(name, _overriding(path, name)) for name, path in _files(folder).items()}
    return {**OWN, **theirs}


def standing_in(packaged: PromptText, text: str) -> PromptText:
    """Replace a packaged prompt by `text`. Raises UnusablePrompt, which completes `it …`."""
    text = text.replace("\r\n", "\n")
    lacking = [name for name in _VARIABLE.findall(packaged.text) if f"{{{name}}}" not in text]
    if why := _unusable(text, _KINDS[packaged.name]):
        raise UnusablePrompt(why)
    if lacking:
        raise UnusablePrompt(f"lacks the variable {{{lacking[0]}}}")
    return PromptText(packaged.name, _completed(text, _KINDS[packaged.name]))


def _files(folder: Path) -> dict[str, Path]:
    try:
        paths = sorted(folder.glob("*.md")) if folder.is_dir() else None
    except OSError:
        paths = None
    if paths is None:
        raise UnusablePrompt(f"is {str(folder)!r}, which is not a readable folder. Make it, or unset this")
    by_name = {path.stem: path for path in paths if path.stem.lower() != "readme"}
    for name, path in by_name.items():
        if name not in _KINDS:
            near = difflib.get_close_matches(name, _KINDS, n=1)
            meant = f"Did you mean {near[0]}.md? " if near else ""
            raise UnusablePrompt(
                f"contains {path.name}, which is not the name of a prompt. {meant}They are: {', '.join(_KINDS)}"
            )
    return by_name


def _overriding(path: Path, name: str) -> str:
    kind = _KINDS[name]
    if why := _unusable(text := _read(path, kind), kind):
        raise UnusablePrompt(f"contains {path.name}, which {why}. Fix it, or remove it to use Ibid's own")
    return _completed(text, kind)


def _completed(text: str, kind: _Kind) -> str:
    """The text with its pointers filled in and its missing additions appended."""
    filled = _VARIABLE.sub(lambda match: kind.pointers.get(match[1], match[0]), text)
    missing = [addition for phrase, addition in kind.additions.items() if phrase not in filled]
    return "\n\n".join((filled.rstrip(), *missing)) + "\n" if missing else filled


def _read(path: Path, kind: _Kind) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(kind.max_length * 4 + 1)
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError:
        why = "cannot be read. Make it readable"
    except UnicodeDecodeError:
        why = "is not UTF-8. Save it as UTF-8"
    raise UnusablePrompt(f"contains {path.name}, which {why}, or remove it to use Ibid's own")


def _unusable(text: str, kind: _Kind) -> str:
    """What is wrong with a text; empty if nothing is."""
    allowed = (*kind.variables, *kind.pointers)
    unknown = [name for name in _VARIABLE.findall(text) if name not in allowed]
    missing = [phrase.strip() for phrase in kind.needs if phrase not in text]
    if not text.strip():
        return "is empty"
    if len(text) > kind.max_length:
        return f"is longer than {kind.max_length} characters"
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in allowed) or "none"
        return f"has the variable {{{unknown[0][:40]}}}, which is unknown (known: {known})"
    return f"lacks {missing[0]!r}, which Ibid looks for" if missing else ""


def _own(name: str) -> PromptText:
    return PromptText(name, files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8"))


OWN: Mapping[str, PromptText] = {name: _own(name) for name in _KINDS}
"""The prompts that come with Ibid."""


def evaluation_question(language: str, prompt: PromptText = OWN["evaluation_question"]) -> str:
    """Instructions to write a question and its answer from a passage. `language` is an ISO 639-1 code. The reply has
    two parts, after `QUESTION:` and `ANSWER:`."""
    return prompt.filled(language=language)


def figure_description(language: str, prompt: PromptText = OWN["figure_description"]) -> str:
    """Instructions to describe a figure. `language` is an ISO 639-1 code."""
    return prompt.filled(language=language)


def document_summary(language: str, prompt: PromptText = OWN["document_summary"]) -> str:
    """Instructions to summarise a document. `language` is an ISO 639-1 code. The reply has two parts, after `BRIEF:`
    and `STANDARD:`."""
    return prompt.filled(language=language)


def claim_check(prompt: PromptText = OWN["claim_check"]) -> str:
    """Instructions to judge whether a document supports a claim. The reply is "yes" or "no"."""
    return prompt.text
