"""The prompts as files, each with a name and a version that follows its wording. Those of a folder can stand in for
them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

__all__ = ["OWN", "PromptText", "UnusablePrompt", "prompt_texts", "standing_in"]


@dataclass(frozen=True, slots=True)
class PromptText:
    """`text` has its variables still in braces. `version` changes when, and only when, the wording does."""

    name: str
    text: str

    @property
    def version(self) -> str:
        return sha256(self.text.encode()).hexdigest()[:12]

    def filled(self, **values: str) -> str:
        """With these values in place of their variables, inserted as they are."""
        return _VARIABLE.sub(lambda found: values.get(found[1], found[0]), self.text)


class UnusablePrompt(ValueError):
    """Names the file and the cure; completes the name of the setting: `RAG_PROMPTS_DIR …`."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a prompt may hold in braces, what code looks for in it, and its greatest length in letters.

    `pointers` stand in for variables whose values a later message brings, as data apart from the instructions.
    `additions` are what a text gets at its end where it lacks the phrase that code looks for.
    """

    variables: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    longest: int = 4_000
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
"""A template for a whole prompt works as instructions too: its variables say where question and sources are."""
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
    """Every prompt by its name: what `folder` has as NAME.md, else our own. Raises UnusablePrompt."""
    if folder is None:
        return OWN
    theirs = {name: PromptText(name, _overriding(path, name)) for name, path in _named(folder).items()}
    return {**OWN, **theirs}


def standing_in(packaged: PromptText, text: str) -> PromptText:
    """This text in place of that prompt, from wherever it comes. Raises UnusablePrompt, which completes `it …`."""
    text = text.replace("\r\n", "\n")
    lacking = [one for one in _VARIABLE.findall(packaged.text) if f"{{{one}}}" not in text]
    if why := _unusable(text, _KINDS[packaged.name]):
        raise UnusablePrompt(why)
    if lacking:
        raise UnusablePrompt(f"lacks the variable {{{lacking[0]}}}")
    return PromptText(packaged.name, _completed(text, _KINDS[packaged.name]))


def _named(folder: Path) -> dict[str, Path]:
    try:
        found = sorted(folder.glob("*.md")) if folder.is_dir() else None
    except OSError:
        found = None
    if found is None:
        raise UnusablePrompt(
            f"is {str(folder)!r}, which is no folder that can be read. Make it, or unset this"
        )
    named = {path.stem: path for path in found if path.stem.lower() != "readme"}
    for name, path in named.items():
        if name not in _KINDS:
            near = difflib.get_close_matches(name, _KINDS, n=1)
            meant = f"Did you mean {near[0]}.md? " if near else ""
            raise UnusablePrompt(
                f"holds {path.name}, which is the name of no prompt. {meant}They are: {', '.join(_KINDS)}"
            )
    return named


def _overriding(path: Path, name: str) -> str:
    kind = _KINDS[name]
    if why := _unusable(text := _read(path, kind), kind):
        raise UnusablePrompt(f"holds {path.name}, which {why}. Mend it, or take it away to use Ibid's own")
    return _completed(text, kind)


def _completed(text: str, kind: _Kind) -> str:
    """The text with its pointers filled in and with the additions that it lacks."""
    filled = _VARIABLE.sub(lambda found: kind.pointers.get(found[1], found[0]), text)
    missing = [addition for phrase, addition in kind.additions.items() if phrase not in filled]
    return "\n\n".join((filled.rstrip(), *missing)) + "\n" if missing else filled


def _read(path: Path, kind: _Kind) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(kind.longest * 4 + 1)
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError:
        why = "cannot be read. Make it readable"
    except UnicodeDecodeError:
        why = "is not UTF-8. Save it so"
    raise UnusablePrompt(f"holds {path.name}, which {why}, or take it away to use Ibid's own")


def _unusable(text: str, kind: _Kind) -> str:
    """What is wrong with a text; empty where nothing is."""
    allowed = (*kind.variables, *kind.pointers)
    unknown = [name for name in _VARIABLE.findall(text) if name not in allowed]
    missing = [one.strip() for one in kind.needs if one not in text]
    if not text.strip():
        return "is empty"
    if len(text) > kind.longest:
        return f"is longer than {kind.longest} letters"
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in allowed) or "none"
        return f"has the variable {{{unknown[0][:40]}}}, which nothing fills (known: {known})"
    return f"lacks {missing[0]!r}, which Ibid looks for" if missing else ""


def _own(name: str) -> PromptText:
    return PromptText(name, files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8"))


OWN: Mapping[str, PromptText] = {name: _own(name) for name in _KINDS}
"""Those that come with Ibid."""
