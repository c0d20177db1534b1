"""Ask the user which of several documents is meant, through the client's form (MCP elicitation)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import structlog
from mcp.server.elicitation import render_elicitation_schema
from mcp.server.mcpserver import Context, Elicit
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, ConfigDict, ValidationError

from corpus.errors import AmbiguousDocument, DocumentNotFound, IbidError
from corpus.text.markdown import within_line
from tools.disclosed_documents import disclose
from tools.multi_round import calls_again, ended_with_question, key_of, taken
from tools.release_slot import TooManyAside, aside, for_at_most

MORE = "more"
"""Value of the choice for "none of the documents shown"."""


@dataclass(frozen=True, slots=True)
class Words:
    """Texts of the form. Texts with braces are templates for `format`."""

    question: str
    further: str
    another: str
    document: str


ENGLISH = Words(
    "Which document do you mean? {} fit.",
    "({} more fit: narrow it down)",
    "Another one: narrow it down",
    "Document",
)
GERMAN = Words(
    "Welches Dokument ist gemeint? {} kommen in Frage.",
    "({} weitere kommen in Frage: bitte genauer fragen)",
    "Ein anderes: bitte genauer fragen",
    "Dokument",
)


def message(several: AmbiguousDocument) -> str:
    """Return the question with numbered options, for clients that do not show the choices' titles. Some clients render
    this text as Markdown."""
    words = _words(several)
    rows = [f"{n}. {within_line(text)}" for n, (_, text) in enumerate(_options(several), 1)]
    count = len(several.options)
    if count > len(rows):
        rows.append(words.further.format(count - len(rows)))
    return "\n".join([words.question.format(count), *rows])


def schema(several: AmbiguousDocument, *, titled: bool) -> dict[str, Any]:
    """Return the JSON schema of the form. With `titled`, for protocols from 2025-11-25 on, it uses `oneOf` with titles;
    otherwise it uses `enumNames`."""
    words = _words(several)
    choices = [(doc_id, f"{n}. {text}") for n, (doc_id, text) in enumerate(_options(several), 1)]
    if len(several.options) > len(choices):
        choices.append((MORE, words.another))
    field: dict[str, Any] = {"type": "string", "title": words.document}
    if titled:
        field["oneOf"] = [{"const": value, "title": title} for value, title in choices]
    else:
        field |= {"enum": [value for value, _ in choices], "enumNames": [title for _, title in choices]}
    return {"title": words.document, "properties": {"document": field}, "required": ["document"]}


def meaning(reply: object, several: AmbiguousDocument) -> str | None:
    """Return the id of the document that a reply identifies by id, number or title. Return `MORE` if the reply is the
    choice for none of the documents shown, and None for any other reply."""
    options = _options(several)
    by_value = {doc_id: doc_id for doc_id, _ in options}
    by_value = {f"{n}": doc_id for n, (doc_id, _) in enumerate(options, 1)} | by_value
    titles = {f"{n}. {text}": doc_id for n, (doc_id, text) in enumerate(options, 1)}
    if isinstance(reply, int) and not isinstance(reply, bool):
        reply = str(reply)
    if not isinstance(reply, str):
        return None
    more = MORE if len(several.options) > len(options) and reply in (MORE, _words(several).another) else None
    return by_value.get(reply) or titles.get(reply) or more


def _words(several: AmbiguousDocument) -> Words:
    return GERMAN if several.language == "de" else ENGLISH


def _options(several: AmbiguousDocument) -> tuple[tuple[str, str], ...]:
    return several.options[: several.MAX_LISTED]


log = structlog.stdlib.get_logger("ibid")

MAX_WAIT = 45.0
"""Maximum number of seconds to wait for the user. Clients time out a call after sixty seconds."""
_TITLED_CHOICES = "2025-11-25"
"""First protocol revision in which each choice contains its title."""


class Picked(BaseModel):
    """The client's reply to the form, unvalidated. `choice` validates it instead of the SDK, which would end the call
    on an invalid reply."""

    model_config = ConfigDict(extra="ignore")
    document: Any = None
    several: ClassVar[AmbiguousDocument]


Which = Elicit[Any] | str | IbidError | None
"""Result of a resolver: a question for the user, the chosen id, an error if there is no valid choice, or None if
nothing is ambiguous."""
Chosen = Any
"""Value that the tool receives: a `Which`, but with a `Picked` in place of the question. `choice` interprets it."""


def can_elicit(ctx: Context[Any, Any]) -> bool:
    """Return whether the client supports forms and this connection can carry a question."""
    declared = ctx.client_capabilities
    if declared is None or (form := declared.elicitation) is None:
        return False
    by_form = form.form is not None or form.url is None
    return by_form and (calls_again(ctx) or ctx.session.can_send_request)


def choice(chosen: Chosen) -> str | None:
    """Return the id that the user chose, or None if no choice was needed. Raise AmbiguousDocument or DocumentNotFound
    if a choice was needed and there is no valid one."""
    if isinstance(chosen, IbidError):
        raise chosen
    if isinstance(chosen, Picked):
        return _chosen(chosen.document, chosen.several)
    return chosen if isinstance(chosen, str) else None


async def ask_which(
    several: AmbiguousDocument, ctx: Context[Any, Any], resolver: Callable[..., Any]
) -> Elicit[Any] | str | IbidError:
    """Ask the user which document is meant. Do not raise an error, whatever the client does. If the user cannot be
    asked, return `several`, which lists the options."""
    if not can_elicit(ctx):
        return several
    if not calls_again(ctx):
        return await _answer_now(several, ctx)
    key = key_of(resolver)
    answer = (ctx.input_responses or {}).get(key)
    if ended_with_question(ctx, key) or answer is not None:
        read = _read(answer, several)
        if isinstance(read, IbidError):
            return read
    elif taken(ctx, key) is None:
        log.info("asking.asked", options=len(several.options))
    disclose(*several.listed_ids)
    return Elicit(message(several), _form(several, ctx))


def still_meant(doc_id: str | None, ctx: Context[Any, Any], resolver: Callable[..., Any]) -> IbidError | None:
    """Return DocumentNotFound if the user chose another document in an earlier round of this call, and None otherwise.
    Call this in a round in which `doc_id` was found without asking the user. `doc_id` is None if no document fits any
    more."""
    key = key_of(resolver)
    answer = (ctx.input_responses or {}).get(key)
    answer_content = answer.content if isinstance(answer, ElicitResult) else taken(ctx, key)
    if not answer_content or answer_content.get("document") == doc_id:
        return None
    log.info("asking.unanswered", why="gone")
    return DocumentNotFound(
        "You may no longer read the chosen document. rag_list_documents lists the documents that you may read."
    )


def _form(several: AmbiguousDocument, ctx: Context[Any, Any]) -> type[Picked]:
    version = ctx.protocol_version or ""
    titled = bool(version) and is_version_at_least(version, _TITLED_CHOICES)

    class Document(Picked):
        model_config = ConfigDict(json_schema_extra=schema(several, titled=titled))

    Document.several = several
    Document.__doc__ = None
    return Document


async def _answer_now(several: AmbiguousDocument, ctx: Context[Any, Any]) -> str | IbidError:
    """Ask on a connection on which the server can send requests to the client."""
    try:
        async with aside():
            return await _client_reply(several, ctx)
    except TooManyAside:
        return _none(several, "Too many calls are waiting for their users.")


async def _client_reply(several: AmbiguousDocument, ctx: Context[Any, Any]) -> str | IbidError:
    """Return the client's reply. Do not raise errors from the client, because the SDK would then end the call."""
    log.info("asking.asked", options=len(several.options))
    disclose(*several.listed_ids)
    try:
        with for_at_most(MAX_WAIT):
            answer = await ctx.session.elicit_form(
                message(several), render_elicitation_schema(_form(several, ctx)), ctx.request_id
            )
    except TimeoutError:
        return _none(several, "The user did not answer in time.")
    except (MCPError, ValidationError):
        return _none(several, "The client could not ask the user.")
    return _read(answer, several)


def _read(answer: Any, several: AmbiguousDocument) -> str | IbidError:
    """Return the document id in the client's answer, or an error that states why there is none."""
    if not isinstance(answer, ElicitResult):
        return _none(several, "The client returned no answer from the user.")
    if answer.action != "accept":
        return _none(several, f"No choice came back ({answer.action}): the user or the client declined.")
    try:
        return _chosen((answer.content or {}).get("document"), several)
    except AmbiguousDocument as error:
        return error


def _chosen(reply: object, several: AmbiguousDocument) -> str:
    meant = meaning(reply, several)
    if meant is None:
        raise _none(several, "The reply is none of the options.")
    if meant == MORE:
        raise _none(several, "The user wants none of the documents shown: ask for more of its name.")
    return meant


def _none(several: AmbiguousDocument, why: str) -> AmbiguousDocument:
    log.info("asking.unanswered", why=why)
    return several.saying(why)
