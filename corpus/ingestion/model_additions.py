"""Let a language model add figure descriptions and summaries to a document that was read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import structlog

from corpus.documents.llm_marks import with_description
from corpus.errors import TryLater
from corpus.generation.protocol import Prompt, TextGenerator, fence
from corpus.ingestion.summaries import excerpts
from corpus.processes.gather import gather
from corpus.readers.protocol import PageListener, ReadBlock, ReadDocument, Reading, Refuse

log = structlog.get_logger()


MAX_DESCRIPTION = 1_500
"""Characters: a block's usual size."""
FAILURES_IN_A_ROW = 3
"""After so many, the document's other figures are skipped."""


class FigureDescriptions:
    """Describes the figures of one document; `done` counts the descriptions."""

    def __init__(self, generator: TextGenerator, system: str) -> None:
        self._generator, self._system = generator, system
        self._failed = 0
        self.done = 0

    async def describe(self, block: ReadBlock) -> ReadBlock:
        """Return the block with a description, or unchanged where the model gives none. Raises NotConfigured."""
        if self._failed >= FAILURES_IN_A_ROW or block.picture is None:
            return block
        around = "\n".join(part for part in (block.heading, block.image_caption, block.content) if part)
        try:
            answer = await self._generator.generate(
                Prompt(fence(around[:2_000]), self._system, (block.picture,), max_tokens=400)
            )
        except TryLater as error:
            self._failed += 1
            log.warning("ingest.no_description", place=block.place, reason=error.type)
            return block
        self._failed, self.done = 0, self.done + 1
        text = answer.text[:MAX_DESCRIPTION]
        return replace(block, content=with_description(block.content, text, self._generator.id))


AT_ONCE = 4
"""Concurrent requests: few enough for the rate limits of small accounts."""
MAX_FIGURES = 300
"""Of one document: bounds its cost."""


PromptIn = Callable[[str], str]
"""Returns a prompt in the language of an ISO 639-1 code."""

_PARTS = re.compile(r"\W*+BRIEF[^\w:]{0,20}:\W*+(.+?)\s\W{0,20}STANDARD[^\w:]{0,20}:\W*+(.+)", re.DOTALL)
"""The answer's format, as the summary prompt demands it."""


@dataclass(frozen=True, slots=True)
class ModelAdditions:
    """A prompt is None where its addition was not requested."""

    generator: TextGenerator
    figure_prompt: PromptIn | None = None
    summary_prompt: PromptIn | None = None

    @property
    def mark(self) -> str:
        """A suffix for the reader's version: with other additions, a document must be read again."""
        additions = [name for name in ("figures", "summary") if getattr(self, f"{name.removesuffix('s')}_prompt")]
        return f"+{'+'.join(additions)}:{self.generator.id}" if additions else ""

    async def add_to(self, read: ReadDocument) -> ReadDocument:
        """Return the document with all requested additions. Raises NotConfigured."""
        return await self.summarise(await self.describe(read))

    async def describe(self, read: ReadDocument) -> ReadDocument:
        """Return the document with a description in each figure's content. Raises NotConfigured."""
        if self.figure_prompt is None:
            return read
        system = self.figure_prompt(read.language or "en")
        describing = FigureDescriptions(self.generator, system)
        figures = [n for n, block in enumerate(read.blocks) if block.picture][:MAX_FIGURES]
        blocks = list(read.blocks)

        async def describe(n: int) -> None:
            blocks[n] = await describing.describe(blocks[n])

        await gather([partial(describe, n) for n in figures], at_once=AT_ONCE)
        without = sum(1 for block in read.blocks if block.picture) - describing.done
        figures_have = "1 figure has" if without == 1 else f"{without} figures have"
        warning = f"{figures_have} no description: {self.generator.id} did not give one."
        read = replace(read, blocks=tuple(blocks))
        return _with_warning(read, warning) if without else read

    async def summarise(self, read: ReadDocument) -> ReadDocument:
        """Return the document with both summaries and a warning that names their author. Raises NotConfigured."""
        excerpt = excerpts(read) if self.summary_prompt else ""
        if self.summary_prompt is None or not excerpt:
            return read
        prompt = Prompt(
            fence(f"{read.title or ''}\n\n{excerpt}".strip()),
            self.summary_prompt(read.language or "en"),
            max_tokens=700,
        )
        parts = await self._parts(prompt)
        if parts is None:
            return _with_warning(read, f"The summary is of its own sentences: {self.generator.id} gave none.")
        return replace(_with_warning(read, f"The summary was written by {self.generator.id}."), summaries=parts)

    async def _parts(self, prompt: Prompt) -> tuple[str, str] | None:
        try:
            answer = await self.generator.generate(prompt)
        except TryLater as error:
            log.warning("ingest.no_summary", reason=error.type)
            return None
        parts = _PARTS.fullmatch(answer.text.strip())
        return (parts[1].strip(), parts[2].strip()) if parts and not answer.cut else None


@dataclass(frozen=True, slots=True)
class ModelReading:
    """Another reader's documents with the model's additions. With `awaits_pictures`, a document with pending
    pictures is left alone: it is read again later, and nothing is described twice."""

    reading: Reading
    by_model: ModelAdditions
    awaits_pictures: bool = False

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        """See `Reading.read`. Raises UnreadableDocument, and NotConfigured for a misconfigured model."""
        read = await self.reading.read(path, listener, refuse)
        return read if self.awaits_pictures and read.pending else await self.by_model.add_to(read)


def _with_warning(read: ReadDocument, warning: str) -> ReadDocument:
    return replace(read, warnings=(*read.warnings, warning))
