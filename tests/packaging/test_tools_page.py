"""docs/tools.md lists the server's current tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.test_scripts import script

pytestmark = pytest.mark.anyio


async def test_the_page_lists_the_tools_of_the_server(root: Path) -> None:
    writer = script(root, "write_tools")
    assert await writer.page() == (root / writer.PAGE).read_text(encoding="utf-8"), "Run `make reference`."
