"""A credential is revoked while a call is in progress: the answer is not sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from corpus.access import Caller
from corpus.errors import AccessDenied
from corpus.generation.protocol import Generated, Prompt
from corpus.synthesis.writer import Pen
from server.identity.api_keys import ApiKey, change_keys, digest, new_secret
from server.identity.verified_caller import StillKnown
from tests.doubles.in_thread import in_thread
from tests.http.raw import ask, modern
from tests.http.site import PEN, Site

pytestmark = pytest.mark.anyio


class WithdrawingModel:
    """A `TextGenerator`. Once the key file is `named`, the keys are revoked while it writes."""

    id = "withdrawing"
    named: Path | None = None

    async def generate(self, prompt: Prompt) -> Generated:
        if self.named is not None:
            change_keys(self.named, lambda keys: ())
        return Generated("The salary of the director is secret [1].", False)

    async def aclose(self) -> None:
        """Do nothing, because it has no resources."""


@pytest.fixture
def model() -> WithdrawingModel:
    return WithdrawingModel()


@pytest.fixture
def keyed(tmp_path: Path, model: WithdrawingModel) -> Iterator[tuple[Site, str, Path]]:
    path, secret = tmp_path / "private" / "keys.json", new_secret()
    change_keys(path, lambda keys: (ApiKey(name="laptop", digest=digest(secret), user="ann"),))
    with in_thread(Site(tmp_path, {"RAG_API_KEYS": str(path)}, pen=Pen(PEN.instructions, model))) as site:
        yield site, secret, path


def test_a_key_removed_while_the_model_writes_gets_no_answer(
    keyed: tuple[Site, str, Path], model: WithdrawingModel
) -> None:
    site, secret, path = keyed

    def asked(query: str) -> bytes:
        call = {"name": "rag_synthesize", "arguments": {"query": query}}
        return ask(site.address, modern("tools/call", call, {"Authorization": f"Bearer {secret}"})).body

    assert b"director is secret" in asked("What is the salary of the director?")
    model.named = path
    refused = asked("salary of the director")

    assert b"AccessDenied" in refused
    assert b"director is secret" not in refused


@pytest.mark.parametrize("method", ["resources/read", "completion/complete", "prompts/get"])
async def test_no_other_reading_request_is_answered_either(method: str) -> None:
    held = True

    def caller_of() -> Caller:
        if not held:
            raise AccessDenied("Withdrawn.")
        return Caller(user_id="ann")

    async def withdrawing(ctx: object) -> dict[str, object]:
        nonlocal held
        held = False
        return {"text": "private"}

    ctx = ServerRequestContext(
        session=None,  # type: ignore[arg-type]
        lifespan_context=None,
        protocol_version="2025-11-25",
        method=method,
    )
    with pytest.raises(MCPError, match="Withdrawn"):
        await StillKnown(caller_of)(ctx, withdrawing)
