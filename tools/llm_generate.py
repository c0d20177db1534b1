"""llm_generate: generate text from a prompt and data, without the documents.

No `from __future__ import annotations` here: the SDK evaluates annotations that name resolvers local to `make`.
"""

import json
from contextlib import suppress
from typing import Annotated, Any

from mcp.server.mcpserver import Context, Resolve
from pydantic import Field, WithJsonSchema

from corpus.errors import CallTheOperator, InvalidRequest, NotConfigured, TryLater
from corpus.generation.protocol import Generated, Prompt, TextGenerator, fence
from corpus.processes.tracing import report_step
from corpus.text.normalization import clean
from tools import token_budget
from tools.multi_round import question
from tools.protocol import NO_BOOLEAN, Answer, Models, ToolFunction
from tools.sampling import NOT_ALLOWED, NOT_ASKED, NOT_OFFERED, Asked, Sampled, Unanswered, ask, written

MAX_CONTEXT = 6000
"""Maximum length of a context, in tokens. The rest is dropped with a warning."""
MAX_READ = 4 * MAX_CONTEXT
"""Maximum number of characters to read from a context. A token is estimated to have at most four characters."""
_WRITER = json.JSONEncoder(ensure_ascii=False, indent=1, default=str)
MAX_PROMPT = 20_000
"""Maximum length of a prompt, in characters."""


def prompt_of(system: str, prompt: str, context: dict[str, Any] | None, max_tokens: int, temperature: float) -> Prompt:
    """Return the prompt for a model. Equal arguments lead to byte-identical prompts, which is necessary because a
    client may be asked in two rounds. Raise InvalidRequest if the arguments are unusable."""
    question = clean(prompt).strip()
    if not question:
        raise InvalidRequest("The prompt is empty. Say what to write.")
    if len(question) > MAX_PROMPT:
        raise InvalidRequest(f"The prompt is longer than {MAX_PROMPT} characters. Put data into context.")
    data, _ = rendered(context)
    text = question + (f"\n\nContext:\n{fence(data)}" if data else "")
    return Prompt(text, system, max_tokens=max_tokens, temperature=temperature)


def rendered(context: dict[str, Any] | None) -> tuple[str, bool]:
    """Return the context as text for a model, at most MAX_CONTEXT tokens, and whether it was cut."""
    whole, cut = _readable(context) if context else ("", False)
    text = token_budget.shortened(whole, MAX_CONTEXT)
    return text, cut or text != whole


def call_facts(arguments: dict[str, Any]) -> dict[str, int]:
    """Return facts about a call for the log: lengths in characters, but no text. For a context, the length is at most
    MAX_READ."""
    prompt, context = arguments.get("prompt"), arguments.get("context")
    facts = {"prompt_length": len(prompt) if isinstance(prompt, str) else 0, "context_size": 0}
    with suppress(InvalidRequest):  # the call itself will report it
        if context:
            facts["context_size"] = len(context if isinstance(context, str) else _readable(context)[0])
    return facts


def _readable(context: object) -> tuple[str, bool]:
    """Return the first MAX_READ characters of the context as JSON, and whether there are more. Raise InvalidRequest if
    it is nested too deeply."""
    parts, room = list[str](), MAX_READ
    try:
        for part in _WRITER.iterencode(context):
            parts.append(part[:room])
            room -= len(part)
            if room < 0:
                break
        return clean("".join(parts)), room < 0
    except (RecursionError, ValueError) as error:
        raise InvalidRequest("Argument 'context' is nested too deeply. Pass flatter data.") from error


MAX_TEXT = 7500
"""Maximum length of the result, in tokens, for models that ignore max_tokens."""

CONTEXT = Annotated[
    dict[str, Any] | None,
    WithJsonSchema({"type": "object", "description": "Data to write from, such as results of other tools."}),
]
MAX_TOKENS = Annotated[int, Field(ge=1, le=4000, description="Limit for the text."), NO_BOOLEAN]
TEMPERATURE = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False, description="0 for facts; higher: freer.")]


class GeneratedAnswer(Answer):
    """The generated text, with the token counts that the service reported."""

    generated_text: str
    tokens_used: int | None = Field(default=None, description="Left out if not reported.")
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """See `Answer`."""
        return {"tokens_used": self.tokens_used}


def make(models: Models) -> ToolFunction:
    """Return the tool's function. The configured endpoint writes the text, or the client's own model if there is no
    endpoint."""
    system = models.llm_generate or ""

    @question("text")
    async def sampled_text(
        ctx: Context[Any, Any],
        prompt: str,
        context: dict[str, Any] | None,
        max_tokens: int,
        temperature: float,
    ) -> Asked:
        if models.endpoint is not None:
            return NOT_ASKED
        made = prompt_of(system, prompt, context, max_tokens, temperature)
        return await ask(made, ctx, sampled_text, models)

    async def llm_generate(
        sampled: Annotated[Sampled, Resolve(sampled_text)],
        prompt: Annotated[str, Field(description="What to write, and how.")],
        context: CONTEXT = None,
        max_tokens: MAX_TOKENS = 500,
        temperature: TEMPERATURE = 0.7,
    ) -> GeneratedAnswer:
        """Use the LLM to generate natural language text based on a prompt. Useful for: formulating user responses,
        summarizing information, formatting data, translating content, creative writing. It sees only the data that
        you pass, not the documents."""
        if models.endpoint is None:
            text = _response(await written(sampled))
        else:
            made = prompt_of(system, prompt, context, max_tokens, temperature)
            text = await _by_endpoint(models.endpoint, made)
        return build_answer(text, max_tokens, cut=rendered(context)[1])

    return llm_generate


def build_answer(text: Generated, max_tokens: int, *, cut: bool) -> GeneratedAnswer:
    """Return the answer with its warnings. `cut` is set if the context was cut."""
    fitting = token_budget.shortened(text.text, MAX_TEXT)
    conditions = {
        f"The context was longer than {MAX_CONTEXT} tokens, and its end was dropped. Pass less, or ask in parts.": cut,
        f"The text was cut off at its token limit (max_tokens={max_tokens}). Ask again with a greater max_tokens, or "
        "for a shorter text.": text.cut,
        "The text is cut to fit.": fitting != text.text,
    }
    counts = (text.prompt_tokens, text.completion_tokens)
    return GeneratedAnswer(
        generated_text=fitting,
        tokens_used=None if None in counts else sum(filter(None, counts)),
        prompt_tokens=text.prompt_tokens,
        completion_tokens=text.completion_tokens,
        warnings=[warning for warning, holds in conditions.items() if holds],
    )


async def _by_endpoint(endpoint: TextGenerator, prompt: Prompt) -> Generated:
    """Return the endpoint's text. Add a hint for the calling model to its errors, which contain a hint for the
    operator."""
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
    """Return the text. Raise NotConfigured if no model is available, and LLMError or Timeout if the model returned
    nothing."""
    if isinstance(text, Generated):
        return text
    if text in (NOT_ALLOWED, NOT_OFFERED):
        raise NotConfigured(
            f"No model can write: the client's model {text.why}, and no other model is configured (RAG_LLM_MODEL).",
            hints=("Write the text yourself.",),
        )
    raise text.as_failure()
