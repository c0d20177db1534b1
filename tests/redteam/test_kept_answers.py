"""Text that was written for one caller reaches nobody else, neither from a cache nor from work in progress."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from corpus.generation.protocol import Prompt
from tests.doubles.client_model import ClientModel
from tests.doubles.user import User, chooses
from tests.redteam.fort import FORBIDDEN, GUESSED, Fort, vault, vault_blocks
from tests.redteam.model import quotes
from tests.server.desk import ERAS, answer_in

pytestmark = pytest.mark.anyio

QUESTION = f"Which {GUESSED} opens the pump house with water?"
SECRET = "quollcombination"

ARGUMENTS: dict[str, dict[str, Any]] = {
    "a plain question": {"query": QUESTION},
    "a question to a model": {"query": QUESTION, "mode": "llm"},
    "another style": {"query": QUESTION, "mode": "llm", "citation_style": "source"},
    "chosen blocks": {"query": QUESTION, "mode": "llm", "block_ids": [f"{FORBIDDEN}-p1-1", "pump-p1-1"]},
    "a history": {"query": QUESTION, "mode": "llm", "history": [{"role": "user", "text": "The pump?"}]},
}


async def asked(fort: Fort, user: str, era: str = "auto", **arguments: Any) -> str:
    async with fort.client(era, token=fort.token(user)) as client:
        return json.dumps(answer_in(await client.call_tool("rag_synthesize", arguments)))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("attack", ARGUMENTS)
async def test_an_answer_cached_for_its_reader_is_not_given_to_another(fort: Fort, attack: str, era: str) -> None:
    before = await asked(fort, "bob", era, **ARGUMENTS[attack])
    ann = [await asked(fort, "ann", era, **ARGUMENTS[attack]) for _ in range(2)]
    after = await asked(fort, "bob", era, **ARGUMENTS[attack])

    assert SECRET in ann[0]
    assert '"cached": true' in ann[1]
    assert SECRET not in before + after
    assert FORBIDDEN not in before.replace(f"{FORBIDDEN}-p1-1", "") + after.replace(f"{FORBIDDEN}-p1-1", "")
    assert _plain(before) == _plain(after)


async def test_concurrent_equal_questions_share_nothing_across_callers(fort: Fort) -> None:
    heard: dict[str, list[str]] = {"ann": [], "bob": []}
    arguments = {"query": f"{QUESTION} At once.", "mode": "llm"}

    async def ask(user: str) -> None:
        heard[user].append(await asked(fort, user, **arguments))

    async with anyio.create_task_group() as tasks:
        for user in ("ann", "bob") * 3:
            tasks.start_soon(ask, user)

    assert all(SECRET in one for one in heard["ann"])
    assert not [one for one in heard["bob"] if SECRET in one or FORBIDDEN in one]


@pytest.mark.parametrize("when", ["before", "while it is written"])
async def test_a_revoked_right_removes_the_cached_answer(fort: Fort, when: str) -> None:
    shared, owner = "shared-plan", {"query": f"Which {GUESSED} is shared {when}?", "mode": "llm"}
    plan = vault(shared, access_control_list=("user:bob",))
    await fort.put(plan, *vault_blocks(shared))
    try:
        if when == "before":
            assert SECRET in await asked(fort, "bob", **owner)
            await fort.put(vault(shared), *vault_blocks(shared))
        else:
            fort.model.says = _after(fort, shared)
        got = await asked(fort, "bob", **owner)
    finally:
        await fort.index.remove(shared)

    assert SECRET not in got
    assert shared not in got


def _after(fort: Fort, doc_id: str) -> Callable[[Prompt], str]:
    """Return a model during whose work another process removes the right."""

    def says(prompt: Prompt) -> str:
        with sqlite3.connect(fort.folder / "index" / "index.sqlite3") as database:
            database.execute("UPDATE documents SET access_control_list = '[\"user:ann\"]' WHERE doc_id = ?", [doc_id])
        return quotes(prompt)

    return says


@pytest.mark.parametrize("era", ERAS)
async def test_a_clients_model_is_shown_only_text_that_its_user_may_read(fort: Fort, era: str) -> None:
    model = ClientModel("The pump moves water with a centrifugal impeller [1].")
    async with fort.client(era, token=fort.token("bob"), model=model) as client:
        await client.call_tool("rag_synthesize", {"query": f"{QUESTION} For the client."})
        await client.call_tool("rag_synthesize", {"query": "What opens?", "block_ids": [f"{FORBIDDEN}-p1-1"]})

    assert "quoll" not in "".join(model.prompts)


@pytest.mark.parametrize("era", ERAS)
async def test_options_contain_nothing_that_the_user_may_not_read(fort: Fort, era: str) -> None:
    user = User(chooses("north-1"))
    async with fort.client(era, token=fort.token("bob"), elicitation_callback=user) as client:
        found = answer_in(await client.call_tool("rag_get_document", {"name": "report"}))

    assert found["document"]["doc_id"] == "north-1"
    assert len(user.choices) == 3
    assert "quoll" not in user.forms[0].model_dump_json()


def _plain(answer: str) -> str:
    return answer.replace('"cached": true, ', "")
