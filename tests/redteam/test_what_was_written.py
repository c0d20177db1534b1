"""The fixture `fort` checks the logs after each attack. These tests check that it does, and that it would find a
leak."""

from __future__ import annotations

import pytest

from tests.redteam.fort import FORBIDDEN, KEY, PASSAGES, Fort
from tests.redteam.written import PASSED, Mark, assert_nothing_hidden_since, faults_of_audit, faults_of_log


def test_a_read_by_the_owner_is_logged_and_audited_without_secrets_or_passages(fort: Fort) -> None:
    before = Mark.of(fort)
    assert fort.serves()
    read = [(one.get("user"), doc) for one in fort.audited()[before.audit :] for doc in one.get("documents", ())]
    assert ("ann", FORBIDDEN) in read
    assert_nothing_hidden_since(before, fort)


@pytest.mark.parametrize("written", [KEY, PASSAGES[0], PASSED[0], "Bearer ey"])
def test_a_secret_or_a_passage_in_the_log_or_audit_is_detected(fort: Fort, written: str) -> None:
    assert faults_of_log([{"event": "x", "note": written}], fort)
    assert faults_of_audit([{"event": "tool", "note": written}], fort)


def test_an_answer_given_to_the_wrong_caller_is_detected(fort: Fort) -> None:
    line = {"event": "tool", "documents": [FORBIDDEN]}
    assert faults_of_audit([line | {"user": "bob"}], fort)
    assert faults_of_audit([line | {"user": "ann"}], fort) == []
