"""The prompt with which a model judges a claim."""

from prompts.texts import OWN, PromptText

__all__ = ["claim_check"]


def claim_check(prompt: PromptText = OWN["claim_check"]) -> str:
    """Instructions to judge whether a document supports a claim. The reply is "yes" or "no"."""
    return prompt.text
