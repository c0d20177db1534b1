"""A configured model that obeys documents, as far as a test allows."""

from __future__ import annotations

from collections.abc import Callable

from corpus.generation.protocol import Generated, Prompt


def quotes(prompt: Prompt) -> str:
    """Return the answer of a model that repeats all that it is shown."""
    told = "The quollcombination of the xylotrope opens the pump house with water [1]."
    return told if "quollcombination" in prompt.text else "The pump moves water with a centrifugal impeller [1]."


class Obedient:
    """A `TextGenerator` that obeys documents. `prompts` are the prompts that it got."""

    id = "obedient"

    def __init__(self) -> None:
        self.says: Callable[[Prompt], str] = quotes
        self.prompts: list[str] = []

    async def generate(self, prompt: Prompt) -> Generated:
        self.prompts.append(prompt.text)
        return Generated(self.says(prompt))

    async def aclose(self) -> None:
        """Do nothing, because it has no resources."""
