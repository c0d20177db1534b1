"""Authenticate callers over HTTP with issuer tokens, API keys, or both. `identity_parts.py` combines them."""
