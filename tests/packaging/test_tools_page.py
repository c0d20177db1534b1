"""docs/tools.md lists what the server lists now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.test_scripts import script

pytestmark = pytest.mark.anyio


async def test_the_page_is_what_the_server_lists(root: Path) -> None:
    writer = script(root, "write_tools")
    assert await writer.page() == (root / writer.PAGE).read_text(encoding="utf-8"), "Run `make reference`."
