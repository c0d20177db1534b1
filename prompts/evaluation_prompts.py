"""Publishes the prompt for the questions that a model drafts."""

from prompts.texts import OWN, PromptText

__all__ = ["evaluation_question"]


def evaluation_question(language: str, prompt: PromptText = OWN["evaluation_question"]) -> str:
    """How to write a question and its answer from a passage, in the language of this ISO 639-1 code. The reply has its
    two parts after `QUESTION:` and `ANSWER:`."""
    return prompt.filled(language=language)
