"""`ibid doctor` tries the credentials of callers over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer


@pytest.fixture
def issuer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Issuer]:
    with in_thread(Issuer()) as running:
        for name, value in running.settings.items():
            monkeypatch.setenv(name, value)
        yield running


def test_an_issuer_that_answers_passes(run, issuer: Issuer) -> None:
    result = run("doctor")
    assert result.exit_code == 0
    assert "publishes 1 keys, for RS256, in " in result.output


def test_an_issuer_with_another_name_is_a_failure_with_the_fix(run, issuer: Issuer) -> None:
    issuer.metadata = {"issuer": f"{issuer.url}/"}
    result = run("doctor")
    assert result.exit_code == 1
    assert "its metadata belongs to another issuer" in result.output
    assert "/.well-known/openid-configuration" in result.output


def test_an_issuer_that_fails_is_a_failure(run, issuer: Issuer) -> None:
    issuer.next.append(lambda _: web.Response(status=500, text="a secret of the issuer"))
    result = run("doctor")
    assert result.exit_code == 1
    assert "it fails (status 500)" in result.output
    assert "a secret" not in result.output


def test_an_issuer_with_unaccepted_signatures_is_a_failure(
    run, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_AUTH_ALGORITHMS", "ES256")
    result = run("doctor")
    assert result.exit_code == 1
    assert "publishes no key for ES256" in result.output


def test_plain_names_cause_a_warning(run, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_PRINCIPAL_PREFIXES", "false")
    assert "are not distinguished" in run("doctor").output


def test_a_key_file_is_checked(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_API_KEYS", str(tmp_path / "keys.json"))
    assert "cannot be read" in run("doctor").output
    run("key", "add", "laptop", "--user", "ann")
    assert "keys: 1 in " in run("doctor").output
    (tmp_path / "keys.json").write_text("{")
    assert "is not a key file" in run("doctor").output
