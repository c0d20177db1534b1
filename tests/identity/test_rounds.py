"""A call that asks its client can be continued only by the identity that started it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.answers import documents_in
from tests.doubles.client_model import ClientModel
from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.http import raw
from tests.http.site import Site
from tests.server.desk import ERAS, answer_in
from tools.protocol import Models

pytestmark = pytest.mark.anyio

QUESTION = {"query": "What is secret about the salary of the director?", "mode": "llm"}


@pytest.fixture(scope="module")
def asking(lasting_issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that asks the client's own model."""
    with in_thread(Site(tmp_path_factory.mktemp("asking"), lasting_issuer.settings, Models(sampling=True))) as site:
        yield site


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("user", "sees"), [("ann", True), ("bob", False)])
async def test_a_model_is_shown_only_text_that_the_caller_may_read(
    asking: Site, lasting_issuer: Issuer, era: str, user: str, sees: bool
) -> None:
    model = ClientModel("The salary of the director is secret. [1]")
    async with asking.client(era, token=lasting_issuer.token(user), model=model) as client:
        answer = answer_in(await client.call_tool("rag_synthesize", QUESTION))
    assert ("salaries" in documents_in(answer)) is sees
    assert ("director is secret" in " ".join(model.prompts)) is sees


def test_the_answer_to_a_question_counts_only_from_the_caller_who_was_asked(
    asking: Site, lasting_issuer: Issuer
) -> None:
    first = round_of(asking, lasting_issuer.token("ann"))
    assert first["resultType"] == "input_required"
    state = {"requestState": first["requestState"], "inputResponses": said(first)}
    assert "error" in sent(asking, lasting_issuer.token("bob"), state)
    assert "salaries" in json.dumps(round_of(asking, lasting_issuer.token("ann"), state))


def sent(site: Site, token: str, more: dict[str, Any]) -> dict[str, Any]:
    meta = {**raw.META, "io.modelcontextprotocol/clientCapabilities": {"sampling": {}}}
    params = {"name": "rag_synthesize", "arguments": QUESTION, "_meta": meta, **more}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    named = {"Mcp-Method": "tools/call", "Mcp-Name": "rag_synthesize", "Authorization": f"Bearer {token}"}
    body = raw.ask(site.address, raw.post(message, raw.MODERN | named)).body
    found: dict[str, Any] = json.loads(body[body.index(b"{") : body.rindex(b"}") + 1])
    return found


def round_of(site: Site, token: str, more: dict[str, Any] | None = None) -> dict[str, Any]:
    return dict(sent(site, token, more or {})["result"])


def said(asked: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "text", "text": "The salary of the director is secret. [1]"}
    answer = {"role": "assistant", "content": text, "model": "raw"}
    return dict.fromkeys(asked["inputRequests"], answer)
