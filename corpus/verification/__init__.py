"""Verification: whether the cited sources support the claims of an answer."""
