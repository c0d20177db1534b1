"""Descriptions of figures by a model that sees, one figure after the other until it fails too often."""

from __future__ import annotations

from dataclasses import replace

import structlog

from corpus.errors import TryLater
from corpus.generated import with_description
from corpus.generation.fencing import fenced
from corpus.generation.protocol import Prompt, TextGenerator
from corpus.readers.protocol import ReadBlock

log = structlog.stdlib.get_logger("ibid")

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
