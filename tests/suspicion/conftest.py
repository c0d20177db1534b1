from __future__ import annotations

from tests.server.conftest import desk

__all__ = ["desk"]
