"""The domain: documents, blocks, access, search, synthesis. Knows nothing of MCP and reads no environment."""

import sys


def _load_structlog_alone() -> None:
    """structlog loads rich where it is installed, for tracebacks in colour that nobody here asks for: with what that
    loads in turn, eighty modules before a server's first answer. Who wants rich can still import it."""
    if "rich" in sys.modules:
        return
    sys.modules["rich"] = None  # type: ignore[assignment]
    try:
        import structlog  # noqa: F401
    finally:
        del sys.modules["rich"]


_load_structlog_alone()
