"""The MCP face of Ibid: how a client reaches the library, and who it is taken for.

Imports nothing: `ibid serve` answers a client's first requests before it loads anything else.
"""
