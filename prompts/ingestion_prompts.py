"""Publishes the prompts for what a model adds to documents while they are taken in."""

from prompts.texts import OWN, PromptText

__all__ = ["document_summary", "figure_description"]


def figure_description(language: str, prompt: PromptText = OWN["figure_description"]) -> str:
    """How to describe a figure, in the language of this ISO 639-1 code."""
    return prompt.filled(language=language)


def document_summary(language: str, prompt: PromptText = OWN["document_summary"]) -> str:
    """How to summarise a document. The answer has its two parts after `BRIEF:` and `STANDARD:`."""
    return prompt.filled(language=language)
