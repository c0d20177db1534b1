"""The MCP face of Ibid: how a client reaches the library, and who it is taken for."""

import corpus  # noqa: F401 - the first to load structlog
