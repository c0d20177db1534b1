"""Tools, prompts and resources that the conformance suite expects of a server. Their names, structures and texts come
from the suite.

The product contains none of them. The suite tests the product without them for its lists, errors, caching, headers and
streams. Annotations are evaluated at definition time, because the SDK looks for a resolver in each function.
"""

import base64
import json
import struct
import zlib
from typing import Annotated, Any, Literal

import anyio
from mcp.server.mcpserver import (
    AcceptedElicitation,
    Context,
    Elicit,
    ElicitationResult,
    MCPServer,
    Resolve,
    Sample,
)
from mcp.server.mcpserver import UserMessage as User
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    AudioContent,
    ContentBlock,
    CreateMessageResult,
    EmbeddedResource,
    ImageContent,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel, Field

from tests.conformance.asking import add_asking


def add_fixtures(server: MCPServer[Any]) -> None:
    for add in (_contents, _running, _sampling, _eliciting, _resources, _prompts, add_asking):
        add(server)


def text(said: str) -> TextContent:
    return TextContent(type="text", text=said)


def picture() -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(png()).decode(), mime_type="image/png")


def png() -> bytes:
    """A PNG of one red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")


def wav() -> bytes:
    """A WAV of a short silence."""
    form = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
    data = b"data" + struct.pack("<I", 2) + b"\x80\x80"
    return b"RIFF" + struct.pack("<I", 4 + len(form) + len(data)) + b"WAVE" + form + data


def embedded(uri: str, said: str, kind: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=kind, text=said))


def _contents(server: MCPServer[Any]) -> None:
    @server.tool()
    def test_simple_text() -> list[ContentBlock]:
        """Return a text."""
        return [text("This is a simple text response for testing.")]

    @server.tool()
    def test_image_content() -> list[ContentBlock]:
        """Return a picture."""
        return [picture()]

    @server.tool()
    def test_audio_content() -> list[ContentBlock]:
        """Return a sound."""
        return [AudioContent(type="audio", data=base64.b64encode(wav()).decode(), mime_type="audio/wav")]

    @server.tool()
    def test_embedded_resource() -> list[ContentBlock]:
        """Return a resource."""
        return [embedded("test://embedded-resource", "This is an embedded resource content.")]

    @server.tool()
    def test_multiple_content_types() -> list[ContentBlock]:
        """Return a text, a picture and a resource."""
        data = json.dumps({"test": "data", "value": 123})
        mixed = embedded("test://mixed-content-resource", data, "application/json")
        return [text("Multiple content types test:"), picture(), mixed]


def _running(server: MCPServer[Any]) -> None:
    @server.tool()
    def test_error_handling() -> str:
        """Fail."""
        raise ToolError("This tool intentionally returns an error for testing")

    @server.tool()
    async def test_tool_with_progress(ctx: Context[Any, Any]) -> str:
        """Report progress."""
        for progress in (0, 50, 100):
            await ctx.report_progress(progress, 100)
            await anyio.sleep(0.05)
        return "done"


def _sampling(server: MCPServer[Any]) -> None:
    async def asked(prompt: str) -> Sample:
        return Sample([SamplingMessage(role="user", content=text(prompt))], max_tokens=100)

    @server.tool()
    async def test_sampling(prompt: str, sampled: Annotated[CreateMessageResult, Resolve(asked)]) -> str:
        """Ask the model of the client."""
        said = sampled.content.text if isinstance(sampled.content, TextContent) else ""
        return f"LLM response: {said}"


class Person(BaseModel):
    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


class Defaults(BaseModel):
    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


NTH = ("First", "Second", "Third")
OPTIONS = ["option1", "option2", "option3"]


def titled(what: str) -> list[dict[str, str]]:
    return [{"const": f"value{number}", "title": f"{nth} {what}"} for number, nth in enumerate(NTH, 1)]


CHOICES: dict[str, Any] = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": titled("Option")},
    "legacyEnum": {
        "type": "string", "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
}  # fmt: skip


def _eliciting(server: MCPServer[Any]) -> None:
    async def person(message: str) -> Elicit[Person]:
        return Elicit(message, Person)

    async def defaults() -> Elicit[Defaults]:
        return Elicit("Please look at these", Defaults)

    @server.tool()
    async def test_elicitation(message: str, answer: Annotated[ElicitationResult[Person], Resolve(person)]) -> str:
        """Ask the user."""
        return f"User response: {_told(answer)}"

    @server.tool()
    async def test_elicitation_sep1034_defaults(
        answer: Annotated[ElicitationResult[Defaults], Resolve(defaults)],
    ) -> str:
        """Ask with defaults."""
        return f"Elicitation completed: {_told(answer)}"

    @server.tool()
    async def test_elicitation_sep1330_enums(ctx: Context[Any, Any]) -> str:
        """Ask for choices."""
        schema = {"type": "object", "properties": CHOICES}
        answer = await ctx.session.elicit_form("Choose", schema, related_request_id=ctx.request_id)
        return f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}"


def _told(answer: ElicitationResult[Any]) -> str:
    content = answer.data.model_dump_json() if isinstance(answer, AcceptedElicitation) else "null"
    return f"action={answer.action}, content={content}"


def _resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        return png()

    @server.resource("test://watched-resource", mime_type="text/plain")
    def watched() -> str:
        return "Watched."

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def _prompts(server: MCPServer[Any]) -> None:
    @server.prompt()
    def test_simple_prompt() -> list[User]:
        """A simple prompt."""
        return [User("This is a simple prompt for testing.")]

    @server.prompt()
    def test_prompt_with_arguments(arg1: str, arg2: str) -> list[User]:
        """A prompt with arguments."""
        return [User(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]

    @server.prompt()
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[User]:  # noqa: N803 - the suite's name
        """A prompt with a resource."""
        held = embedded(resourceUri, "Embedded resource content for testing.")
        return [User(held), User("Please process the embedded resource above.")]

    @server.prompt()
    def test_prompt_with_image() -> list[User]:
        """A prompt with a picture."""
        return [User(picture()), User("Please analyze the image above.")]
