"""A forbidden document and a missing one get the same bytes, from the same database statements."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from corpus.documents.document import Document
from tests.doubles.user import User, chooses
from tests.redteam.attacker import Attacker
from tests.redteam.attacks import TRIED
from tests.redteam.fort import FORBIDDEN, GUESSED, MISSING, UNKNOWN, Fort, vault, vault_blocks
from tests.server.desk import ERAS, failure_in
from tests.server.test_notices import legacy, modern

TITLES = {FORBIDDEN: "quolltitle report", MISSING: "quelltitle report"}


@pytest.mark.parametrize("attack", TRIED)
def test_an_id_reveals_nothing(attacker: Attacker, attack: str) -> None:
    # The first search of a caller, and the first in a document, prepare more than later ones do.
    attacker.calls("rag_semantic_search", query="water")
    attacker.calls("rag_semantic_search", query="water", filters={"doc_id": "north-0"})
    (forbidden, asked), (missing, asked_too) = [tried(attacker, attack, one) for one in (FORBIDDEN, MISSING)]

    assert forbidden == missing
    assert asked == asked_too
    assert len(asked) > 0


def test_a_word_of_a_hidden_text_finds_the_same_as_an_unknown_word(attacker: Attacker) -> None:
    found, asked = [], []
    attacker.calls("rag_semantic_search", query="water")
    for word in (GUESSED, UNKNOWN):
        before = len(attacker.fort.statements)
        replies = [
            attacker.calls("rag_semantic_search", query=word, top_k=50),
            attacker.calls("rag_list_documents", query=word),
            attacker.calls("rag_synthesize", query=word, mode="compose"),
            attacker.calls("rag_get_document", name=word),
        ]
        found.append([one.body.replace(word.encode(), b"WORD") for one in replies])
        asked.append([one.replace(word, "WORD") for one in attacker.fort.statements[before:]])

    assert found[0] == found[1]
    assert asked[0] == asked[1]


def test_a_filter_value_of_a_hidden_document_looks_like_an_unknown_one(attacker: Attacker) -> None:
    held = {"author": "quollauthor", "department": "quolldept", "document_type": "quollkind",
            "filename": "quollfile.pdf"}  # fmt: skip
    for key, value in held.items():
        told = []
        for tried_value in (value, value.replace("quoll", "quell")):
            reply = attacker.calls("rag_list_documents", filters={key: tried_value})
            told.append(reply.body.replace(tried_value.encode(), b"VALUE"))
        assert told[0] == told[1]


def test_counts_and_pages_of_lists_omit_the_hidden_document(attacker: Attacker) -> None:
    for sort_by in ("title", "filename", "upload_date", "document_type", "page_count"):
        listed = attacker.calls("rag_list_documents", sort_by=sort_by, limit=50)
        assert b'"total":4' in listed.body.replace(b" ", b"")


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_a_form_answer_that_names_the_hidden_document_is_treated_as_unknown(fort: Fort, era: str) -> None:
    told = []
    for doc_id in (FORBIDDEN, MISSING):
        user = User(chooses(doc_id))
        async with fort.client(era, token=fort.token("bob"), elicitation_callback=user) as client:
            before = len(fort.statements)
            failed = failure_in(await client.call_tool("rag_get_document", {"name": "yearly report"}))
            told.append((failed, len(user.choices), len(fort.statements) - before))

    assert told[0] == told[1]
    assert "quoll" not in json.dumps(told)


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed:mcp.MCPDeprecationWarning")
async def test_a_subscriber_to_the_hidden_document_gets_no_notice(fort: Fort, era: str) -> None:
    uris = (f"rag://documents/{FORBIDDEN}", f"rag://blocks/{FORBIDDEN}-p2-f1/image", "rag://documents/pump")
    listening = (legacy if era == "legacy" else modern)(
        lambda mode, **more: fort.client(mode, token=fort.token("bob"), **more), uris
    )
    async with listening as heard:
        await fort.put(vault(title=f"quolltitle report of {era}"), *vault_blocks())
        await fort.index.update(await _pump(fort, era))
        assert await heard.next() == "rag://documents/pump"
        assert heard.sent == []
    await fort.put(vault(), *vault_blocks())


async def _pump(fort: Fort, era: str) -> Document:
    (pump,) = [one for one in await fort.index.all_documents() if one.doc_id == "pump"]
    return replace(pump, content_hash=f"changed for {era}", summary_brief=f"How it works, {era}.")


def tried(attacker: Attacker, attack: str, doc_id: str) -> tuple[tuple[int, str], list[str]]:
    """Return the reply without the parts that differ because of the id, and the database statements."""
    method, params = TRIED[attack]
    text = json.dumps(params).replace("{id}", doc_id).replace("{title}", TITLES[doc_id])
    before = len(attacker.fort.statements)
    reply = attacker.asks(method, json.loads(text))
    asked = attacker.fort.statements[before:]
    return (reply.status, _as_forbidden(reply.body.decode())), [_as_forbidden(one) for one in asked]


def _as_forbidden(text: str) -> str:
    return text.replace(MISSING, FORBIDDEN).replace("quelltitle", "quolltitle")
