"""Prompts from a registry, cached for a minute. The packaged text is the fallback for every failure."""

from server.registry.kept import KeptPrompts
from server.registry.live import LiveInstructions
from server.registry.refreshing import FreshPrompts

__all__ = ["FreshPrompts", "KeptPrompts", "LiveInstructions"]
