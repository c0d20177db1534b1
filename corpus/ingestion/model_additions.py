"""Let a language model add figure descriptions and summaries to a document that was read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import structlog

from corpus.errors import TryLater
from corpus.generated import with_description
from corpus.generation.fencing import fenced
from corpus.generation.protocol import Prompt, TextGenerator
from corpus.ingestion.summaries import excerpts
from corpus.readers.protocol import PageListener, ReadBlock, ReadDocument, Reading, Refuse
from corpus.together import together

log = structlog.get_logger()


LONGEST_DESCRIPTION = 1_500
FAILURES_IN_A_ROW = 3
"""After which the other figures of the document are left alone."""


class FigureDescriptions:
    """Those of one document; `done` counts them."""

    def __init__(self, generator: TextGenerator, system: str) -> None:
        self._generator, self._system = generator, system
        self._failed = 0
        self.done = 0

    async def described(self, block: ReadBlock) -> ReadBlock:
        """The block as it is where the model gives nothing."""
        if self._failed >= FAILURES_IN_A_ROW or block.picture is None:
            return block
        around = "\n".join(part for part in (block.heading, block.image_caption, block.content) if part)
        try:
            written = await self._generator.generate(
                Prompt(fenced(around[:2_000]), self._system, (block.picture,), max_tokens=400)
            )
        except TryLater as error:
            self._failed += 1
            log.warning("ingest.no_description", place=block.place, reason=error.type)
            return block
        self._failed, self.done = 0, self.done + 1
        text = written.text[:LONGEST_DESCRIPTION]
        return replace(block, content=with_description(block.content, text, self._generator.id))


AT_ONCE = 4
MOST_FIGURES = 300
"""Of one document."""


PromptIn = Callable[[str], str]
"""A prompt in the language of an ISO 639-1 code."""

_PARTS = re.compile(r"\W*+BRIEF[^\w:]{0,20}:\W*+(.+?)\s\W{0,20}STANDARD[^\w:]{0,20}:\W*+(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ModelAdditions:
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
class ModelReading:
    """Documents as another reader gives them, with what a model adds. With `awaits_pictures` nothing is added to one
    that is read again once text recognition has come to its pictures: nothing is described twice."""

    reading: Reading
    by_model: ModelAdditions
    awaits_pictures: bool = False

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        """Raises UnreadableDocument, and NotConfigured for what is wrong with the model."""
        read = await self.reading.read(path, listener, refuse)
        return read if self.awaits_pictures and read.pending else await self.by_model.added_to(read)


def _with_warning(read: ReadDocument, said: str) -> ReadDocument:
    return replace(read, warnings=(*read.warnings, said))
