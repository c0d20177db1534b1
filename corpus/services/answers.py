"""Answers of models that cannot be used."""

from __future__ import annotations


class BadAnswer(Exception):
    """What a model or service gave cannot be used; the text completes `gave …`."""


class NotTheProtocol(BadAnswer):
    """It is no answer of such a service at all."""
