"""What a model adds to a document while it is taken in, where it was asked for: descriptions of figures, summaries.

A model that fails costs the document nothing but its additions, and a warning says which are missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

import structlog

from corpus.errors import TryLater
from corpus.generated import with_description
from corpus.generation.promise import Prompt, TextGenerator
from corpus.readers.promise import ReadBlock, ReadDocument
from corpus.together import together

log = structlog.stdlib.get_logger("ibid")

AT_ONCE = 4
MOST_FIGURES = 300
"""Of one document."""
LONGEST_DESCRIPTION = 1_500
LONGEST_EXCERPT = 12_000
FAILURES_IN_A_ROW = 3
"""After which the other figures of the document are left alone."""

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

    async def described(self, read: ReadDocument) -> ReadDocument:
        """With a description in the content of each figure. Raises NotConfigured."""
        if self.figure_prompt is None:
            return read
        system = self.figure_prompt(read.language or "en")
        describing = _Describing(self.generator, system)
        figures = [n for n, block in enumerate(read.blocks) if block.picture][:MOST_FIGURES]
        blocks = list(read.blocks)

        async def describe(n: int) -> None:
            blocks[n] = await describing.described(blocks[n])

        await together([partial(describe, n) for n in figures], at_once=AT_ONCE)
        without = sum(1 for block in read.blocks if block.picture) - describing.done
        figures_have = "1 figure has" if without == 1 else f"{without} figures have"
        said = f"{figures_have} no description: {self.generator.id} did not give one."
        return replace(
            read, blocks=tuple(blocks), warnings=(*read.warnings, said) if without else read.warnings
        )

    async def summaries(self, read: ReadDocument, excerpts: str) -> tuple[str, str] | None:
        """The brief and the standard summary, or None where the model gives none. Raises NotConfigured."""
        if self.summary_prompt is None or not excerpts:
            return None
        system = self.summary_prompt(read.language or "en")
        try:
            written = await self.generator.generate(
                Prompt(fenced(excerpts[:LONGEST_EXCERPT]), system, max_tokens=700)
            )
        except TryLater as error:
            log.warning("ingest.no_summary", reason=error.type)
            return None
        found = _PARTS.fullmatch(written.text.strip())
        return (found[1].strip(), found[2].strip()) if found and not written.cut else None


class _Describing:
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


def fenced(data: str) -> str:
    """Between two lines that the data cannot hold, since they are made of all of it."""
    code = blake2b(data.encode("utf-8", "replace"), digest_size=12, key=b"ibid").hexdigest()
    return f"<<{code}>>\n{data}\n<<{code}>>"
