"""Ask the user by elicitation which document is meant. The call ends with a document, or with the options.

A tool has a parameter `Annotated[Chosen, Resolve(resolver)]`, whose resolver catches AmbiguousDocument and returns
`await ask_which(several, ctx, resolver)`; `choice` then gives the id. The answer is held against the options as they
are for this caller in this round: an id that is none of them says nothing about whether it exists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import structlog
from mcp.server.elicitation import render_elicitation_schema
from mcp.server.mcpserver import Context, Elicit
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, ConfigDict, ValidationError

from corpus.errors import AmbiguousDocument, DocumentNotFound, IbidError
from tools.aside import TooManyAside, aside, for_at_most
from tools.asking_form import MORE, meaning, message, schema
from tools.given import gave
from tools.rounds import calls_again, key_of, taken, was_asked

log = structlog.stdlib.get_logger("ibid")

LONGEST_WAIT = 45.0
"""Seconds for a person. Clients give up a call after sixty."""
_TITLES_STAND_BESIDE = "2025-11-25"
"""The first revision in which each choice has its title with it."""


class Picked(BaseModel):
    """What the client sent back for the form, whatever it is: it is looked at here, not by the SDK, which would end the
    call for it."""

    model_config = ConfigDict(extra="ignore")
    document: Any = None
    several: ClassVar[AmbiguousDocument]


Which = Elicit[Any] | str | IbidError | None
"""What a resolver returns: a question, the id that was chosen, why none was, or None where nothing is to be asked."""
Chosen = Any
"""The same to the tool, with a `Picked` in place of the question; `choice` reads it."""


def can_elicit(ctx: Context[Any, Any]) -> bool:
    """Whether the client shows forms and can be asked on this connection."""
    declared = ctx.client_capabilities
    if declared is None or (form := declared.elicitation) is None:
        return False
    by_form = form.form is not None or form.url is None
    return by_form and (calls_again(ctx) or ctx.session.can_send_request)


def choice(chosen: Chosen) -> str | None:
    """The id that the user chose, None where nobody had to. Raises AmbiguousDocument or DocumentNotFound for none."""
    if isinstance(chosen, IbidError):
        raise chosen
    if isinstance(chosen, Picked):
        return _chosen(chosen.document, chosen.several)
    return chosen if isinstance(chosen, str) else None


async def ask_which(
    several: AmbiguousDocument, ctx: Context[Any, Any], resolver: Callable[..., Any]
) -> Elicit[Any] | str | IbidError:
    """Never raises for what a client does. A client that cannot be asked gets the options."""
    if not can_elicit(ctx):
        return several
    if not calls_again(ctx):
        return await _answer_now(several, ctx)
    key = key_of(resolver)
    answer = (ctx.input_responses or {}).get(key)
    if was_asked(ctx, key) or answer is not None:
        read = _read(answer, several)
        if isinstance(read, IbidError):
            return read
    elif taken(ctx, key) is None:
        log.info("asking.asked", options=len(several.options))
    gave(*several.shown)
    return Elicit(message(several), _form(several, ctx))


def still_meant(doc_id: str | None, ctx: Context[Any, Any], resolver: Callable[..., Any]) -> IbidError | None:
    """For a round in which nothing is left to choose: whether the document is the one that an earlier round chose, if
    there was a choice. `doc_id` is None where no document fits any more."""
    key = key_of(resolver)
    answer = (ctx.input_responses or {}).get(key)
    answer_content = answer.content if isinstance(answer, ElicitResult) else taken(ctx, key)
    if not answer_content or answer_content.get("document") == doc_id:
        return None
    log.info("asking.unanswered", why="gone")
    return DocumentNotFound(
        "What was chosen is not among the documents that you may read any more. rag_list_documents shows them."
    )


def _form(several: AmbiguousDocument, ctx: Context[Any, Any]) -> type[Picked]:
    version = ctx.protocol_version or ""
    titled = bool(version) and is_version_at_least(version, _TITLES_STAND_BESIDE)

    class Document(Picked):
        model_config = ConfigDict(json_schema_extra=schema(several, titled=titled))

    Document.several = several
    Document.__doc__ = None
    return Document


async def _answer_now(several: AmbiguousDocument, ctx: Context[Any, Any]) -> str | IbidError:
    """Over a connection on which a server asks its client."""
    try:
        async with aside():
            return await _client_reply(several, ctx)
    except TooManyAside:
        return _none(several, "Too many calls wait for their users.")


async def _client_reply(several: AmbiguousDocument, ctx: Context[Any, Any]) -> str | IbidError:
    """What the client answers, and never its error, with which the SDK would end the call."""
    log.info("asking.asked", options=len(several.options))
    gave(*several.shown)
    try:
        with for_at_most(LONGEST_WAIT):
            answer = await ctx.session.elicit_form(
                message(several), render_elicitation_schema(_form(several, ctx)), ctx.request_id
            )
    except TimeoutError:
        return _none(several, "The user did not answer in time.")
    except (MCPError, ValidationError):
        return _none(several, "The client could not ask the user.")
    return _read(answer, several)


def _read(answer: Any, several: AmbiguousDocument) -> str | IbidError:
    """The id in an answer, or why there is none."""
    if not isinstance(answer, ElicitResult):
        return _none(several, "The client brought no answer of the user.")
    if answer.action != "accept":
        return _none(
            several, f"No choice came back ({answer.action}): the user, or the client by itself, declined."
        )
    try:
        return _chosen((answer.content or {}).get("document"), several)
    except AmbiguousDocument as error:
        return error


def _chosen(reply: object, several: AmbiguousDocument) -> str:
    meant = meaning(reply, several)
    if meant is None:
        raise _none(several, "What came back is none of them.")
    if meant == MORE:
        raise _none(several, "The user was asked, and it is none of those shown: ask for more of its name.")
    return meant


def _none(several: AmbiguousDocument, why: str) -> AmbiguousDocument:
    log.info("asking.unanswered", why=why)
    return several.saying(why)
