"""A configured model that does what documents say, as far as a test lets it."""

from __future__ import annotations

from collections.abc import Callable

from corpus.generation.protocol import Generated, Prompt


def quotes(prompt: Prompt) -> str:
    """What a model writes that repeats whatever it is shown."""
    told = "The quollcombination of the xylotrope opens the pump house with water [1]."
    return told if "quollcombination" in prompt.text else "The pump moves water with a centrifugal impeller [1]."


class Obedient:
    """Keeps `TextGenerator`. `prompts` are what it was shown."""

    id = "obedient"

    def __init__(self) -> None:
        self.says: Callable[[Prompt], str] = quotes
        self.prompts: list[str] = []

    async def generate(self, prompt: Prompt) -> Generated:
        self.prompts.append(prompt.text)
        return Generated(self.says(prompt))

    async def aclose(self) -> None:
        """It holds nothing."""
