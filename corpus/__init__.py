"""The domain: documents, blocks, access, search and synthesis. It does not depend on MCP and reads no environment
variables."""

import sys


def _load_structlog_alone() -> None:
    """Stop structlog from importing rich, whose eighty or so modules would only colour tracebacks.

    Other code can still import rich.
    """
    if "rich" in sys.modules:
        return
    sys.modules["rich"] = None  # type: ignore[assignment]
    try:
        import structlog  # noqa: F401
    finally:
        del sys.modules["rich"]


_load_structlog_alone()
