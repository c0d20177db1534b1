"""Errors for model answers that cannot be used."""

from __future__ import annotations


class BadAnswer(Exception):
    """A model or service gave an unusable answer. The message completes `gave …`."""


class NotTheProtocol(BadAnswer):
    """The response does not follow the protocol at all."""
