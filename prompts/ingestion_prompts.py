"""Publishes the prompts for what a model adds to documents while they are taken in."""

from importlib.resources import files

__all__ = ["document_summary", "figure_description"]


def figure_description(language: str) -> str:
    """How to describe a figure, in the language of this ISO 639-1 code."""
    return _filled("figure_description.md", language)


def document_summary(language: str) -> str:
    """How to summarise a document. The answer has its two parts after `BRIEF:` and `STANDARD:`."""
    return _filled("document_summary.md", language)


def _filled(name: str, language: str) -> str:
    text = files("prompts").joinpath(name).read_text(encoding="utf-8")
    return text.replace("{language}", language)
