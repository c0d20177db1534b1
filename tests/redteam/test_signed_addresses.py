"""Addresses of pictures that were changed, combined, guessed, or requested in other ways all get the same answer."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from corpus.access import ANONYMOUS, Caller
from server.http.picture_urls import PATH, Keys, Seal, granted, origin_of
from tests.http.raw import Reply, ask, modern, request
from tests.redteam.attacker import Attacker, answer
from tests.redteam.fort import DRAWING, FORBIDDEN, KEY, Fort

FIGURE = f"{FORBIDDEN}-p2-f1"
NOTHING = (404, b"There is no picture here, or it has expired.\n")


def address_for(fort: Fort, user: str, doc_id: str) -> str:
    """Return the path of the picture in an answer to that user."""
    owner = {"Authorization": f"Bearer {fort.token(user)}"}
    call = {"name": "rag_get_document", "arguments": {"doc_id": doc_id}}
    made = answer(ask(fort.address, modern("tools/call", call, owner)))
    return urlsplit(made["document"]["figures"][0]["image_url"]).path


def fetched(fort: Fort, path: str, method: str = "GET", **headers: str) -> Reply:
    return ask(fort.address, request(method, path, headers))


def sealed(fort: Fort, caller: Caller, allowed: tuple[str, ...], key: str = "guessed" * 6) -> str:
    grant = granted(FIGURE, allowed, caller, int(time.time()) + 3600)
    assert grant
    return PATH + Seal(Keys([key.encode()]).derived("images"), origin_of(fort.url)).sealed(grant)


def _swapped(fort: Fort) -> str:
    """Return the seal of a public picture with the rest of the forbidden address."""
    public, hidden = address_for(fort, "bob", "pump"), address_for(fort, "ann", FORBIDDEN)
    half = len(public) // 2
    return public[:half] + hidden[half:]


BOB, ANN = Caller(user_id="bob"), Caller(user_id="ann")
MADE_UP: dict[str, Callable[[Fort], str]] = {
    "sealed with a guessed key": lambda fort: sealed(fort, ANN, ("user:ann",)),
    "sealed with a key of another purpose": lambda fort: sealed(fort, ANN, ("user:ann",), KEY[::-1]),
    "with the server's key, for another": lambda fort: sealed(fort, BOB, ("user:bob",), KEY),
    "with the server's key, for everybody": lambda fort: sealed(fort, ANONYMOUS, ("*",), KEY),
    "half of another": _swapped,
    "cut": lambda fort: address_for(fort, "ann", FORBIDDEN)[:-10],
    "twice": lambda fort: address_for(fort, "ann", FORBIDDEN) * 2,
    "with a folder": lambda fort: address_for(fort, "ann", FORBIDDEN) + "/../x",
    "in small letters": lambda fort: address_for(fort, "ann", FORBIDDEN).lower().replace(PATH.lower(), PATH),
    "the block's id": lambda _: f"{PATH}{FIGURE}",
    "the block's id with an ending": lambda _: f"{PATH}{FIGURE}.png",
    "its resource": lambda _: f"{PATH}rag://blocks/{FIGURE}/image",
    "a listing": lambda _: PATH,
    "up from it": lambda _: f"{PATH}../index/index.sqlite3",
    "up from it, encoded": lambda _: f"{PATH}%2e%2e%2fcanary.txt",
    "SQL": lambda _: f"{PATH}'%20OR%20'1'='1",
    "nul": lambda _: f"{PATH}%00",
    "without end": lambda _: PATH + "A" * 20_000,
}  # fmt: skip


@pytest.mark.parametrize("attack", MADE_UP)
def test_a_made_up_address_shows_nothing(fort: Fort, attack: str) -> None:
    reply = fetched(fort, MADE_UP[attack](fort))

    assert (reply.status, reply.body) == NOTHING


def test_an_address_modified_anywhere_shows_nothing(fort: Fort) -> None:
    good, letters = address_for(fort, "ann", FORBIDDEN), random.Random(6)
    assert fetched(fort, good).body == DRAWING
    for _ in range(60):
        place = letters.randrange(len(PATH), len(good))
        changed = good[:place] + letters.choice("ABCxyz019-_") + good[place + letters.randrange(2) :]
        assert changed == good or (fetched(fort, changed).status, fetched(fort, changed).body) == NOTHING


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"])
def test_an_address_can_only_be_read(fort: Fort, method: str) -> None:
    reply = fetched(fort, address_for(fort, "ann", FORBIDDEN), method)

    assert reply.status in (400, 403, 405)
    assert b"quoll" not in reply.body


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Host", "evil.example", 421), ("Origin", "https://evil.example", 403),
        ("Range", "bytes=0-99999999999,0-1,0-2", 200), ("If-None-Match", "*", 200), ("X-Original-URL", "/images/", 200),
    ],
)  # fmt: skip
def test_no_header_changes_what_an_address_shows(fort: Fort, header: str, value: str, status: int) -> None:
    reply = fetched(fort, address_for(fort, "ann", FORBIDDEN), **{header: value})

    assert reply.status == status
    assert reply.body == DRAWING or status != 200


def test_a_caller_gets_no_address_of_a_picture_that_they_may_not_see(attacker: Attacker) -> None:
    for call in ({"doc_id": FORBIDDEN}, {"name": "quolltitle report"}):
        assert b"/images/" not in attacker.calls("rag_get_document", **call).body
