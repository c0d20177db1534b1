"""Read after all attacks, in the order of files: what was written down holds no secret and no passage."""

from __future__ import annotations

import json
import re

from tests.redteam.fort import CANARIES, GUESSED, PASSAGES, Fort
from tests.redteam.orders import FOREIGN, SOURCE

PASSED = ("centrifugal", "exploded view", "The revenue of region", "opens the pump house", SOURCE)
EVENTS = {"tool", "resource", "prompt", "completion", "subscription", "image", "refused"}
ASKED = ("search_query", "uri")
"""Where the log holds what a caller asked for in so many words."""


def test_the_log_holds_no_secret_and_no_passage(fort: Fort) -> None:
    assert fort.serves()
    lines = [json.loads(one) for one in fort.log.getvalue().split("\n") if one]
    whole = "\n".join(_text(one) for one in lines)
    unasked = "\n".join(_text({key: one[key] for key in one if key not in ASKED}) for one in lines)

    assert lines
    assert secrets_in(whole, fort) == []
    assert [one for one in (*PASSAGES, *CANARIES, *PASSED, GUESSED, FOREIGN) if one in unasked] == []
    assert not [one for one in lines if one["event"] != "tool.call" and "Traceback" in _text(one)]


def test_the_audit_holds_no_secret_and_no_passage(fort: Fort) -> None:
    assert fort.serves()
    lines = fort.audited()
    whole = "\n".join(_text(one) for one in lines)

    assert {one["event"] for one in lines} <= EVENTS
    assert secrets_in(whole, fort) == []
    assert [one for one in (*PASSAGES, *PASSED) if one in whole] == []


def test_no_attacker_was_given_what_only_the_owner_may_read(fort: Fort) -> None:
    assert fort.serves()
    given = [
        (one["user"], doc) for one in fort.audited() if "user" in one for doc in one.get("documents", ())
    ]

    assert ("ann", "qvault-zz1") in given
    assert [one for one in given if one[1].startswith("qvault") and one[0] != "ann"] == []
    assert [one for one in PASSAGES if one in "\n".join(fort.said).lower()] == []


def secrets_in(text: str, fort: Fort) -> list[str]:
    runs = set(re.findall(r"[\w-]{20,}", text))
    return [one for one in fort.secrets if one in runs or ("-" in one and one in text)] + re.findall(
        "Bearer ey", text
    )


def _text(line: object) -> str:
    return json.dumps(line, ensure_ascii=False)
