"""What every tool gets, and what all answers share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from corpus.access import Caller

if TYPE_CHECKING:
    from mcp.types import ContentBlock

    from corpus.library import Library
    from corpus.synthesis.answer import Source
    from corpus.verification.protocol import CheckedClaim

LibraryOf = Callable[[], Awaitable["Library"]]
"""Gives the library, opened at the first call: a server introduces itself before its index is open."""

CallerOf = Callable[[], Caller]
"""Gives who asks, found anew at each call and never taken from an argument."""

ToolFunction = Callable[..., Awaitable[Any]]
Make = Callable[[LibraryOf, CallerOf], ToolFunction]

NO_IDENTITY = (
    "Nothing was found among public documents, and no other was looked at: whoever asks has no identity. A server that "
    "a client starts itself takes it from RAG_USER_ID, RAG_DEPARTMENT, RAG_ORG_ID and RAG_GROUPS, one over HTTP from "
    "tokens."
)


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


NO_BOOLEAN = BeforeValidator(_no_boolean)
"""Of a whole number: `true` is none, though Python takes it for 1. It comes after the bounds, which a schema then
shows as such."""


ROWS: dict[str, Any] = {"type": "array", "items": {"type": "object"}}
"""The schema of rows that a description tells of, or that another tool has spelled out: a client pays for each one."""
PART: dict[str, Any] = {"type": "object"}
"""The same for one object."""


def terse(schema: dict[str, Any]) -> None:
    """Take out of a schema what pydantic makes up and no reader needs: a model may pay for each word."""
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
        if field.get("default", 0) is None:
            del field["default"]


def terse_answer(schema: dict[str, Any]) -> None:
    """The same for what a tool answers, whose nulls are left out. A default of an answer tells a client nothing."""
    terse(schema)
    for field in schema.get("properties", {}).values():
        field.pop("default", None)
        kinds = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
        if len(kinds) == 1:
            del field["anyOf"]
            field.update(kinds[0])


class Shape(BaseModel):
    """A part of an answer, as the client sees it."""

    model_config = ConfigDict(frozen=True, json_schema_extra=terse_answer)


class Argument(BaseModel):
    """A part of what a client passes. Unknown keys are refused. A text that may be missing is empty: clients hand these
    schemas to models that do not take "this or null". What is null counts as left out."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=terse)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        return (
            {key: value for key, value in data.items() if value is not None}
            if isinstance(data, dict)
            else data
        )


@dataclass(frozen=True, slots=True)
class ToShow:
    """An answer whose claims were checked. `text` is the answer as the client has it; `as_given` where the claims were
    read in that very text, else they are looked for in it."""

    text: str
    claims: tuple[CheckedClaim, ...]
    sources: tuple[Source, ...]
    as_given: bool


class Answer(Shape):
    """A whole answer. `counted` is how many things it found, for the log."""

    _to_show: ToShow | None = PrivateAttr(default=None)
    _beside: tuple[ContentBlock, ...] = PrivateAttr(default=())

    success: bool = True
    warnings: list[str] = Field(default_factory=list)

    @property
    def counted(self) -> int:
        """How many rows the answer has."""
        return 1

    @property
    def to_show(self) -> ToShow | None:
        """What a view of the answer needs beside it; a client without views never sees it."""
        return self._to_show

    def showing(self, claims: ToShow) -> Self:
        """This very answer, with its claims for a view."""
        self._to_show = claims
        return self

    @property
    def beside(self) -> tuple[ContentBlock, ...]:
        """Links and pictures that go out behind the text."""
        return self._beside

    def with_beside(self, content: tuple[ContentBlock, ...]) -> Self:
        """This very answer, with links and pictures behind its text."""
        self._beside = content
        return self

    def as_sent(self) -> dict[str, Any]:
        """As a client gets it, without nulls: a model reads no less in a field that is not there."""
        return self.model_dump(mode="json", exclude_none=True)

    @property
    def facts(self) -> dict[str, Any]:
        """What the line of the log says of the answer beside its count; never its text."""
        return {}


def none_found(caller: Caller, warnings: Sequence[str] = ()) -> tuple[str, ...]:
    """Why an answer without results has none, where the reason may be who asks; once, if the index said it."""
    return (NO_IDENTITY,) if caller.anonymous and not any("identity" in one for one in warnings) else ()
