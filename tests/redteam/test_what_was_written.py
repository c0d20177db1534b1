"""The fixture `fort` checks the logs after each attack. These tests check that it does, and that it would find a
leak."""

from __future__ import annotations

import pytest

from tests.redteam.fort import FORBIDDEN, KEY, PASSAGES, Fort
from tests.redteam.written import PASSED, Mark, assert_nothing_hidden_since, faults_of_audit, faults_of_log


def test_what_the_owner_reads_is_logged_and_audited_with_no_secret_and_no_passage(fort: Fort) -> None:
    before = Mark.of(fort)
    assert fort.serves()
    read = [(one.get("user"), doc) for one in fort.audited()[before.audit :] for doc in one.get("documents", ())]
    assert ("ann", FORBIDDEN) in read
    assert_nothing_hidden_since(before, fort)


@pytest.mark.parametrize("written", [KEY, PASSAGES[0], PASSED[0], "Bearer ey"])
def test_a_secret_or_a_passage_in_log_or_audit_would_be_seen(fort: Fort, written: str) -> None:
    assert faults_of_log([{"event": "x", "note": written}], fort)
    assert faults_of_audit([{"event": "tool", "note": written}], fort)


def test_another_who_is_given_what_only_the_owner_may_read_would_be_seen(fort: Fort) -> None:
    line = {"event": "tool", "documents": [FORBIDDEN]}
    assert faults_of_audit([line | {"user": "bob"}], fort)
    assert faults_of_audit([line | {"user": "ann"}], fort) == []
