"""The interface of a tool: what its factory receives, and the base classes of arguments and answers."""

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from corpus.access import Caller

if TYPE_CHECKING:
    from mcp.types import ContentBlock

    from corpus.generation.protocol import TextGenerator
    from corpus.library import Library
    from corpus.synthesis.answer import Source
    from corpus.verification.protocol import CheckedClaim

LibraryOf = Callable[[], Awaitable["Library"]]
"""Function that returns the library. The library opens at the first call, so that the server can answer `initialize`
first."""

CallerOf = Callable[[], Caller]
"""Function that returns the caller of the current request. The caller never comes from a tool argument."""

ToolFunction = Callable[..., Awaitable[Any]]
Make = Callable[[LibraryOf, CallerOf], ToolFunction]

NO_IDENTITY = (
    "Nothing was found in public documents, and no others were searched, because the caller has no identity. Over "
    "stdio, RAG_USER_ID, RAG_DEPARTMENT, RAG_ORG_ID and RAG_GROUPS set it; over HTTP, the token does."
)


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


NO_BOOLEAN = BeforeValidator(_no_boolean)
"""Validator that rejects `true` and `false` for an integer, which Python accepts as 1 and 0. Put it after the limits of
an annotation, so that the schema keeps these limits."""


ROWS: dict[str, Any] = {"type": "array", "items": {"type": "object"}}
"""Schema of rows whose fields are listed in a description, because clients pay for every token of a full schema."""
PART: dict[str, Any] = {"type": "object"}
"""`ROWS` for a single object."""


def terse(schema: dict[str, Any]) -> None:
    """Remove titles, null defaults and the class docstring from a schema, because clients pay for each token."""
    schema.pop("description", None)
    schema.pop("title", None)
    for part in schema.get("properties", {}).values():
        part.pop("title", None)
        if part.get("default", 0) is None:
            del part["default"]


def terse_answer(schema: dict[str, Any]) -> None:
    """Apply `terse` to an answer's schema. Also remove "or null", because answers omit nulls, and all defaults."""
    terse(schema)
    for part in schema.get("properties", {}).values():
        part.pop("default", None)
        kinds = [kind for kind in part.get("anyOf", ()) if kind != {"type": "null"}]
        if len(kinds) == 1:
            del part["anyOf"]
            part.update(kinds[0])


class Shape(BaseModel):
    """Base class for the parts of an answer, in the form that the client receives."""

    model_config = ConfigDict(frozen=True, json_schema_extra=terse_answer)


class Argument(BaseModel):
    """Base class for structured arguments. Unknown keys are refused, and nulls count as missing. Optional strings
    default to "", because some models reject schemas with "or null"."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=terse)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data


@dataclass(frozen=True, slots=True)
class ToShow:
    """A checked answer for the evidence view. `text` is the answer in the client's wording. With `as_given`, the claim
    offsets refer to that text; otherwise the view locates the claims in it."""

    text: str
    claims: tuple[CheckedClaim, ...]
    sources: tuple[Source, ...]
    as_given: bool


class Answer(Shape):
    """Base class for the structured answers of tools."""

    _to_show: ToShow | None = PrivateAttr(default=None)
    _beside: tuple[ContentBlock, ...] = PrivateAttr(default=())

    success: bool = True
    warnings: list[str] = Field(default_factory=list, exclude_if=operator.not_)

    @property
    def counted(self) -> int:
        """Return the number of rows, for the log."""
        return 1

    @property
    def to_show(self) -> ToShow | None:
        """Return the data for the evidence view. Clients without views never receive it."""
        return self._to_show

    def showing(self, claims: ToShow) -> Self:
        """Attach the claims for the evidence view and return this answer."""
        self._to_show = claims
        return self

    @property
    def beside(self) -> tuple[ContentBlock, ...]:
        """Return the links and pictures that follow the text."""
        return self._beside

    def with_beside(self, content: tuple[ContentBlock, ...]) -> Self:
        """Attach links and pictures and return this answer."""
        self._beside = content
        return self

    def as_sent(self) -> dict[str, Any]:
        """Return the answer in the form in which it is sent, without nulls."""
        return self.model_dump(mode="json", exclude_none=True)

    @property
    def facts(self) -> dict[str, Any]:
        """Return further facts for the call's log line. They must not contain text from documents, arguments or
        answers."""
        return {}


def no_identity_warning(caller: Caller, warnings: Sequence[str] = ()) -> tuple[str, ...]:
    """For an anonymous caller, return the warning that an empty result may be due to a missing identity. Return nothing
    for other callers, or if `warnings` already mentions the identity."""
    return (NO_IDENTITY,) if caller.anonymous and not any("identity" in warning for warning in warnings) else ()


@dataclass(frozen=True, slots=True)
class Models:
    """The models that tools may use. `endpoint` is the configured model, or None. `sampling` is set if the client's own
    model may be used.

    `llm_generate` is the system prompt of that tool; if it is None, the tool is not listed. `sampling_seconds` limits
    the wait for the client's model, including the user's approval. `silent` contains the sessions in which the client's
    model has timed out.
    """

    endpoint: TextGenerator | None = None
    sampling: bool = True
    llm_generate: str | None = None
    sampling_seconds: float = 20.0
    silent: WeakSet[Any] = field(default_factory=WeakSet, compare=False)
