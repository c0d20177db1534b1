"""Prompts that a registry keeps: asked for when they are needed, kept for a minute, and never waited for long. Whatever
goes wrong, the packaged text is used."""

from server.registry.kept import KeptPrompts
from server.registry.live import LiveInstructions
from server.registry.refreshing import FreshPrompts

__all__ = ["FreshPrompts", "KeptPrompts", "LiveInstructions"]
