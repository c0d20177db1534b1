"""The treatment of each kind of code block. A block without one is a documentation error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tests.documentation import configurations, shown
from tests.documentation.blocks import ROOT, Block
from tests.documentation.commands import run_commands
from tests.documentation.place import Place

Treat: TypeAlias = Callable[[Sequence[Block], Place], None]
RUN_BESIDE = {"docs/integrations.md": "tests/examples/test_integrations_page.py"}
"""Pages whose blocks all run with the sample documents, mapped to the tests that run them."""


def pieces(blocks: Sequence[Block]) -> list[tuple[Block, ...]]:
    """Return each block alone, but all commands of a page together, because the later ones need the earlier ones."""
    typed: dict[str, list[Block]] = {}
    others: list[tuple[Block, ...]] = []
    for block in blocks:
        if block.language == "console" and block.page not in RUN_BESIDE:
            typed.setdefault(block.page, []).append(block)
        else:
            others.append((block,))
    return [tuple(some) for some in typed.values()] + others


def treatment(block: Block) -> Treat | None:
    if block.page in RUN_BESIDE:
        return is_run_beside
    if block.language == "console":
        return run_commands
    if block.language == "json":
        return _of_json(block.text)
    if block.language == "text":
        return shown.listing if shown.is_listing(block.text) else shown.PRINTED.get((block.page, block.heading))
    return {
        "dotenv": configurations.settings,
        "python": shown.python,
        "nginx": configurations.nginx,
        "caddyfile": configurations.caddy,
    }.get(block.language)


def _of_json(text: str) -> Treat | None:
    kinds: dict[str, Treat] = {
        r"\{\s*\"(mcpServers|servers)\"": configurations.of_a_client,
        r"\s*\"env\"": configurations.env_of_an_entry,
        r"\{\"question\"": configurations.questions,
        r"\{\"time\"": shown.audit,
    }
    return next((treat for begins, treat in kinds.items() if re.match(begins, text)), None)


def is_run_beside(blocks: Sequence[Block], place: Place) -> None:
    """Check that the tests of the page run each block. They find it by its heading and language."""
    del place
    for block in blocks:
        tests = (ROOT / RUN_BESIDE[block.page]).read_text(encoding="utf-8")
        assert f"block({json.dumps(block.heading)}, {json.dumps(block.language)})" in tests, str(block)
