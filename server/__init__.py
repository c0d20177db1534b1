"""The MCP server and the command line of Ibid.

This file imports nothing: `ibid serve` answers a client's first requests before it loads anything else.
"""
