"""Fixtures of the conformance suite that ask the client with `InputRequiredResult`, allowed for tools and prompts from
protocol 2026-07-28 on."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver import UserMessage as User
from mcp.shared.exceptions import MCPError
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

Ctx = Context[Any, Any]
Answer = CallToolResult | InputRequiredResult


def form(message: str, **fields: str) -> ElicitRequest:
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in fields.items()},
        "required": list(fields),
    }
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(said: str, most: int) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=said))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=most))


NAME = form("What is your name?", name="string")
CONFIRM = form("Please confirm", ok="boolean")


def asks(ctx: Ctx, state: str | None = None, **requests: Any) -> InputRequiredResult | None:
    """Return the questions, or None if the client has answered all of them."""
    given = ctx.input_responses or {}
    if all(key in given for key in requests) and (state is None or ctx.request_state == state):
        return None
    return InputRequiredResult(input_requests=requests, request_state=state)


def done(said: str = "done") -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=said)])


def add_asking(server: MCPServer[Any]) -> None:
    _one_question(server)
    _with_state(server)
    _by_capability(server)

    @server.prompt()
    async def test_input_required_result_prompt(ctx: Ctx) -> list[User] | InputRequiredResult:
        """Ask for the context before the prompt is returned."""
        question = form("What context should the prompt use?", context="string")
        return asks(ctx, user_context=question) or [User("With the context.")]


def _one_question(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    async def test_input_required_result_elicitation(ctx: Ctx) -> Answer:
        """Ask the user."""
        return asks(ctx, user_name=NAME) or done("Hello!")

    @server.tool(structured_output=False)
    async def test_input_required_result_sampling(ctx: Ctx) -> Answer:
        """Ask the model."""
        return asks(ctx, capital_question=sampling("What is the capital of France?", 100)) or done("Paris")

    @server.tool(structured_output=False)
    async def test_input_required_result_list_roots(ctx: Ctx) -> Answer:
        """Ask for roots."""
        return asks(ctx, client_roots=ListRootsRequest()) or done("roots")


def _with_state(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    async def test_input_required_result_request_state(ctx: Ctx) -> Answer:
        """Store a state."""
        return asks(ctx, "held", confirm=CONFIRM) or done("state-ok")

    @server.tool(structured_output=False)
    async def test_input_required_result_tampered_state(ctx: Ctx) -> Answer:
        """Store a state that nobody may change."""
        return asks(ctx, "held", confirm=CONFIRM) or done()

    @server.tool(structured_output=False)
    async def test_input_required_result_multiple_inputs(ctx: Ctx) -> Answer:
        """Ask three questions in one request."""
        greeting = sampling("Generate a greeting", 50)
        return asks(ctx, "held", user_name=NAME, greeting=greeting, client_roots=ListRootsRequest()) or done()

    @server.tool(structured_output=False)
    async def test_input_required_result_multi_round(ctx: Ctx) -> Answer:
        """Ask twice."""
        if ctx.request_state == "second":
            return asks(ctx, "second", step2=form("Step 2", color="string")) or done()
        first = asks(ctx, "first", step1=form("Step 1: What is your name?", name="string"))
        second = form("Step 2: What is your favorite color?", color="string")
        return first or InputRequiredResult(input_requests={"step2": second}, request_state="second")


def _by_capability(server: MCPServer[Any]) -> None:
    @server.tool(structured_output=False)
    async def test_input_required_result_capabilities(ctx: Ctx) -> Answer:
        """Ask only what the client can answer."""
        can = ctx.client_capabilities
        requests: dict[str, Any] = {}
        if can and can.elicitation:
            requests["user_name"] = NAME
        if can and can.sampling:
            requests["greeting"] = sampling("Generate a greeting", 50)
        return (asks(ctx, **requests) if requests else None) or done()

    @server.tool(structured_output=False)
    async def test_missing_capability(ctx: Ctx) -> CallToolResult:
        """Require a model of the client."""
        can = ctx.client_capabilities
        if can is None or can.sampling is None:
            raise MCPError(
                code=MISSING_REQUIRED_CLIENT_CAPABILITY,
                message="The client must offer sampling.",
                data={"requiredCapabilities": {"sampling": {}}},
            )
        return done()
