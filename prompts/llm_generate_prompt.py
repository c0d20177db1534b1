"""Publishes the prompt for the tool llm_generate."""

from importlib.resources import files

__all__ = ["llm_generate"]


def llm_generate() -> str:
    """How to write what a request asks for, from the data that follow it."""
    return files("prompts").joinpath("llm_generate.md").read_text(encoding="utf-8")
