"""llm_generate: text from a prompt and data, without the documents.

Annotations are evaluated as they stand: the SDK looks for a resolver's marker in the function that `make` makes.
"""

from typing import Annotated, Any

from mcp.server.mcpserver import Context, Resolve
from pydantic import Field, WithJsonSchema

from corpus.errors import CallTheOperator, NotConfigured, TryLater
from corpus.generation.protocol import Generated, Prompt, TextGenerator
from corpus.processes.progress import report_step
from tools import bounds
from tools.generation_prompt import MOST_CONTEXT, prompt_of, rendered
from tools.models import Models
from tools.promise import NO_BOOLEAN, Answer, ToolFunction
from tools.rounds import question
from tools.sampling import NOT_ALLOWED, NOT_ASKED, NOT_OFFERED, Asked, Sampled, Unanswered, ask, written

LONGEST_TEXT = 7500
"""Tokens of what comes back, also from a model that does not keep to max_tokens."""

CONTEXT = Annotated[
    dict[str, Any] | None,
    WithJsonSchema({"type": "object", "description": "Data to write from, such as results of other tools."}),
]
MOST_TOKENS = Annotated[int, Field(ge=1, le=4000, description="Of the text."), NO_BOOLEAN]
TEMPERATURE = Annotated[
    float, Field(ge=0, le=2, allow_inf_nan=False, description="0 for facts; higher: freer.")
]


class GeneratedAnswer(Answer):
    generated_text: str
    tokens_used: int | None = Field(default=None, description="Left out: not reported.")
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def as_sent(self) -> dict[str, Any]:
        """With the counts, also where they are null."""
        return self.model_dump(mode="json")

    @property
    def facts(self) -> dict[str, Any]:
        return {"tokens_used": self.tokens_used}


def make(models: Models) -> ToolFunction:
    system = models.llm_generate or ""

    @question("text")
    async def asked_of_the_client(
        ctx: Context[Any, Any],
        prompt: str,
        context: dict[str, Any] | None,
        max_tokens: int,
        temperature: float,
    ) -> Asked:
        if models.endpoint is not None:
            return NOT_ASKED
        made = prompt_of(system, prompt, context, max_tokens, temperature)
        return await ask(made, ctx, asked_of_the_client, models)

    async def llm_generate(
        sampled: Annotated[Sampled, Resolve(asked_of_the_client)],
        prompt: Annotated[str, Field(description="What to write, and how.")],
        context: CONTEXT = None,
        max_tokens: MOST_TOKENS = 500,
        temperature: TEMPERATURE = 0.7,
    ) -> GeneratedAnswer:
        """Use the LLM to generate natural language text based on a prompt. Useful for: formulating user responses,
        summarizing information, formatting data, translating content, creative writing. It knows nothing of the
        documents but what you pass."""
        if models.endpoint is None:
            text = _response(await written(sampled))
        else:
            made = prompt_of(system, prompt, context, max_tokens, temperature)
            text = await _by_endpoint(models.endpoint, made)
        return answered(text, max_tokens, cut=rendered(context)[1])

    return llm_generate


def answered(text: Generated, max_tokens: int, *, cut: bool) -> GeneratedAnswer:
    shown = bounds.shortened(text.text, LONGEST_TEXT)
    said = {
        f"The context was longer than {MOST_CONTEXT} tokens and its end was left out. Pass less, or ask in parts.": cut,
        f"The text ends where its tokens ended (max_tokens={max_tokens}). Ask again with a greater max_tokens, or for "
        "a shorter text.": text.cut,
        "The text is cut to fit.": shown != text.text,
    }
    counts = (text.prompt_tokens, text.completion_tokens)
    return GeneratedAnswer(
        generated_text=shown,
        tokens_used=None if None in counts else sum(filter(None, counts)),
        prompt_tokens=text.prompt_tokens,
        completion_tokens=text.completion_tokens,
        warnings=[warning for warning, holds in said.items() if holds],
    )


async def _by_endpoint(endpoint: TextGenerator, prompt: Prompt) -> Generated:
    """What the endpoint writes. Its failures tell a model what to do next, and not the operator alone."""
    await report_step("Writing")
    try:
        return await endpoint.generate(prompt)
    except TryLater as error:
        error.hints = (*error.hints, "Try once more; if it fails again, write the text yourself.")
        raise
    except CallTheOperator as error:
        error.hints = (*error.hints, "Tell the user what is missing, and write the text yourself.")
        raise


def _response(text: Generated | Unanswered) -> Generated:
    """Raises NotConfigured where no model can be asked, LLMError and Timeout for one that gave nothing."""
    if isinstance(text, Generated):
        return text
    if text in (NOT_ALLOWED, NOT_OFFERED):
        raise NotConfigured(
            f"No model can write: the client's model {text.why}, and no other is configured (RAG_LLM_MODEL).",
            hints=("Write the text yourself.",),
        )
    raise text.as_failure()
