"""A model's text, or the reason why it gave none."""

from __future__ import annotations

from dataclasses import dataclass

import anyio
import pytest

from corpus.errors import IbidError, LLMError, NotConfigured, Timeout
from corpus.generation.protocol import Generated, Prompt
from corpus.synthesis.model_answer import generate_text

pytestmark = pytest.mark.anyio


@dataclass
class Writer:
    """A writer that returns this text or raises this failure."""

    id: str
    gives: str | IbidError

    async def generate(self, prompt: Prompt) -> Generated:
        if isinstance(self.gives, IbidError):
            raise self.gives
        return Generated(self.gives, cut=prompt.text == "long")

    async def aclose(self) -> None: ...


async def test_the_output_of_a_model_is_its_text() -> None:
    made = await generate_text(Prompt("q"), Writer("client", "It turns [1]."), 5)
    assert (made.text, made.model, made.warnings) == ("It turns [1].", "client", ())


@pytest.mark.parametrize("failure", [LLMError("it declined."), Timeout("too slow."), NotConfigured("no key.")])
async def test_a_failing_writer_is_reported(failure: IbidError) -> None:
    made = await generate_text(Prompt("q"), Writer("client", failure), 5)
    assert made.text is None
    assert made.warnings == (f"client wrote no answer: {failure}",)


async def test_an_empty_answer_counts_as_none() -> None:
    made = await generate_text(Prompt("q"), Writer("client", "  \n"), 5)
    assert made.text is None
    assert made.warnings == ("client wrote no answer: its answer was empty.",)


async def test_a_truncated_answer_says_so() -> None:
    assert (await generate_text(Prompt("long"), Writer("client", "It"), 5)).cut


async def test_an_endless_writer_is_abandoned() -> None:
    class Endless(Writer):
        async def generate(self, prompt: Prompt) -> Generated:
            await anyio.sleep_forever()
            raise AssertionError

    made = await generate_text(Prompt("q"), Endless("model", ""), 0.05)
    assert made.text is None
    assert made.warnings == ("No answer was written within 0 seconds.",)


async def test_of_an_endless_text_the_beginning_is_kept_with_a_warning() -> None:
    text = await generate_text(Prompt("ask"), Writer("client", "x" * 40_001), 5)
    assert text.text == "x" * 40_000
    assert "longer than 40000 characters" in text.warnings[0]
