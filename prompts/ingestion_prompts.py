"""The prompts for summaries and figure descriptions, which a model adds during ingestion."""

from prompts.texts import OWN, PromptText

__all__ = ["document_summary", "figure_description"]


def figure_description(language: str, prompt: PromptText = OWN["figure_description"]) -> str:
    """Instructions to describe a figure. `language` is an ISO 639-1 code."""
    return prompt.filled(language=language)


def document_summary(language: str, prompt: PromptText = OWN["document_summary"]) -> str:
    """Instructions to summarise a document. `language` is an ISO 639-1 code. The reply has two parts, after `BRIEF:`
    and `STANDARD:`."""
    return prompt.filled(language=language)
