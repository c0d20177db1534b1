"""Authenticate callers over HTTP by tokens of an issuer, by API keys, or both. `identity_parts.py` combines them."""
