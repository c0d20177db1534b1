"""What a model adds to a document while it is taken in, where it was asked for: descriptions of figures, summaries.

A model that fails costs the document nothing but its additions, and a warning says which are missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import structlog

from corpus.errors import TryLater
from corpus.generation.fencing import fenced
from corpus.generation.protocol import Prompt, TextGenerator
from corpus.ingestion.figure_descriptions import FigureDescriptions
from corpus.ingestion.summaries import excerpts
from corpus.readers.protocol import PageListener, ReadDocument, Reading
from corpus.together import together

log = structlog.stdlib.get_logger("ibid")

AT_ONCE = 4
MOST_FIGURES = 300
"""Of one document."""


PromptIn = Callable[[str], str]
"""A prompt in the language of an ISO 639-1 code."""

_PARTS = re.compile(r"\W*BRIEF\W*:\W*(.+?)\s+\W*STANDARD\W*:\W*(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ByModel:
    """`figure_prompt` and `summary_prompt` are None where that was not asked for."""

    generator: TextGenerator
    figure_prompt: PromptIn | None = None
    summary_prompt: PromptIn | None = None

    @property
    def mark(self) -> str:
        """Part of a reader's version: other additions are another reading."""
        asked = [name for name in ("figures", "summary") if getattr(self, f"{name.removesuffix('s')}_prompt")]
        return f"+{'+'.join(asked)}:{self.generator.id}" if asked else ""

    async def added_to(self, read: ReadDocument) -> ReadDocument:
        """The document with all that was asked for. Raises NotConfigured."""
        return await self.summarised(await self.described(read))

    async def described(self, read: ReadDocument) -> ReadDocument:
        """With a description in the content of each figure. Raises NotConfigured."""
        if self.figure_prompt is None:
            return read
        system = self.figure_prompt(read.language or "en")
        describing = FigureDescriptions(self.generator, system)
        figures = [n for n, block in enumerate(read.blocks) if block.picture][:MOST_FIGURES]
        blocks = list(read.blocks)

        async def describe(n: int) -> None:
            blocks[n] = await describing.described(blocks[n])

        await together([partial(describe, n) for n in figures], at_once=AT_ONCE)
        without = sum(1 for block in read.blocks if block.picture) - describing.done
        figures_have = "1 figure has" if without == 1 else f"{without} figures have"
        said = f"{figures_have} no description: {self.generator.id} did not give one."
        described = replace(read, blocks=tuple(blocks))
        return _with_warning(described, said) if without else described

    async def summarised(self, read: ReadDocument) -> ReadDocument:
        """With both summaries and a warning that says whose they are. Raises NotConfigured."""
        said = excerpts(read) if self.summary_prompt else ""
        if self.summary_prompt is None or not said:
            return read
        prompt = Prompt(
            fenced(f"{read.title or ''}\n\n{said}".strip()),
            self.summary_prompt(read.language or "en"),
            max_tokens=700,
        )
        parts = await self._parts(prompt)
        if parts is None:
            return _with_warning(read, f"The summary is of its own sentences: {self.generator.id} gave none.")
        return replace(
            _with_warning(read, f"The summary was written by {self.generator.id}."), summaries=parts
        )

    async def _parts(self, prompt: Prompt) -> tuple[str, str] | None:
        try:
            written = await self.generator.generate(prompt)
        except TryLater as error:
            log.warning("ingest.no_summary", reason=error.type)
            return None
        found = _PARTS.fullmatch(written.text.strip())
        return (found[1].strip(), found[2].strip()) if found and not written.cut else None


@dataclass(frozen=True, slots=True)
class ReadingWithModel:
    """Documents as another reader gives them, with what a model adds. With `awaits_pictures` nothing is added to one
    that is read again once text recognition has come to its pictures: nothing is described twice."""

    reading: Reading
    by_model: ByModel
    awaits_pictures: bool = False

    async def read(self, path: Path, listener: PageListener | None = None) -> ReadDocument:
        """Raises UnreadableDocument, and NotConfigured for what is wrong with the model."""
        read = await self.reading.read(path, listener)
        return read if self.awaits_pictures and read.pending else await self.by_model.added_to(read)


def _with_warning(read: ReadDocument, said: str) -> ReadDocument:
    return replace(read, warnings=(*read.warnings, said))
