"""Logs and answers caused by one attack: they contain no secret and no passage, whatever earlier attacks did."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.redteam.fort import CANARIES, GUESSED, PASSAGES, Fort
from tests.redteam.orders import FOREIGN, SOURCE

PASSED = ("centrifugal", "exploded view", "The revenue of region", "opens the pump house", SOURCE)
EVENTS = {"tool", "resource", "prompt", "completion", "subscription", "image", "refused"}
ASKED = ("search_query", "uri")
"""Log fields that contain a caller's own words."""


@dataclass(frozen=True)
class Mark:
    """Positions in the log, the audit and the answers."""

    log: int
    audit: int
    said: int

    @classmethod
    def of(cls, fort: Fort) -> Mark:
        return cls(len(fort.log.getvalue()), len(fort.audited()), len(fort.said))


def assert_nothing_hidden_since(mark: Mark, fort: Fort) -> None:
    logged = [json.loads(one) for one in fort.log.getvalue()[mark.log :].split("\n") if one]
    audited = fort.audited()[mark.audit :]
    assert logged
    assert audited
    assert faults_of_log(logged, fort) == []
    assert faults_of_audit(audited, fort) == []
    said = "\n".join(fort.said[mark.said :]).lower()
    assert [one for one in PASSAGES if one in said] == []


def faults_of_log(lines: Sequence[dict[str, Any]], fort: Fort) -> list[str]:
    unasked = "\n".join(_text({key: one[key] for key in one if key not in ASKED}) for one in lines)
    whole = "\n".join(map(_text, lines))
    hidden = [one for one in (*PASSAGES, *CANARIES, *PASSED, GUESSED, FOREIGN) if one in unasked]
    broken = [_text(one) for one in lines if one.get("event") != "tool.call" and "Traceback" in _text(one)]
    return [*secrets_in(whole, fort), *(one for one in PASSAGES if one in whole), *hidden, *broken]


def faults_of_audit(lines: Sequence[dict[str, Any]], fort: Fort) -> list[str]:
    whole = "\n".join(map(_text, lines))
    hidden = [one for one in (*PASSAGES, *PASSED) if one in whole]
    unknown = [one["event"] for one in lines if one["event"] not in EVENTS]
    given = [
        f"{one['user']} was given {doc}"
        for one in lines
        for doc in one.get("documents", ())
        if "user" in one and doc.startswith("qvault") and one["user"] != "ann"
    ]
    return [*secrets_in(whole, fort), *hidden, *unknown, *given]


def secrets_in(text: str, fort: Fort) -> list[str]:
    runs = set(re.findall(r"[\w-]{20,}", text))
    return [one for one in fort.secrets if one in runs or ("-" in one and one in text)] + re.findall("Bearer ey", text)


def _text(line: object) -> str:
    return json.dumps(line, ensure_ascii=False)
