"""The prompt with which a model drafts evaluation questions."""

from prompts.texts import OWN, PromptText

__all__ = ["evaluation_question"]


def evaluation_question(language: str, prompt: PromptText = OWN["evaluation_question"]) -> str:
    """Instructions to write a question and its answer from a passage. `language` is an ISO 639-1 code. The reply has
    two parts, after `QUESTION:` and `ANSWER:`."""
    return prompt.filled(language=language)
