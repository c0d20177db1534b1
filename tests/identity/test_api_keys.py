"""Ibid's API keys, from the command that creates them to the call that uses them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from structlog.testing import capture_logs

from corpus.access import Caller
from corpus.errors import NotConfigured
from server.commands.group import ibid
from server.identity.api_keys import ApiKey, change_keys, digest, new_secret, read_keys
from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.http.raw import ask, modern
from tests.http.site import Site
from tests.identity.known import admitted, known

pytestmark = pytest.mark.anyio

Run = Callable[..., Result]
POSIX = pytest.mark.skipif(os.name != "posix", reason="rights of files as POSIX has them")
SEARCH = {"name": "rag_semantic_search", "arguments": {"query": "salary impeller"}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "private" / "keys.json"


@pytest.fixture
def run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("RAG_API_KEYS", str(path))
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "index"))
    return lambda *arguments: CliRunner().invoke(ibid, ["key", *arguments])


def made(path: Path, **who: object) -> str:
    """Create another key and return its secret."""
    secret = new_secret()
    key = ApiKey(name=f"k{secret[-6:]}".replace("-", "x").replace("_", "y"), digest=digest(secret), **who)  # type: ignore[arg-type]
    change_keys(path, lambda keys: (*keys, key))
    return secret


async def test_a_key_identifies_the_caller_given_in_the_command(run: Run, path: Path) -> None:
    done = run(
        "add",
        "laptop",
        "--user",
        "ann",
        "--group",
        "board",
        "--group",
        "hr",
        "--org",
        "acme",
        "--department",
        "d",
    )
    secret = done.stdout.strip()
    assert done.exit_code == 0
    assert secret.startswith("ibid_")
    assert len(secret) == 48
    assert secret not in path.read_text()
    async with known({"RAG_API_KEYS": str(path)}) as found:
        token = await admitted(found, secret)
    assert token is not None
    assert token.who == Caller("ann", "d", "acme", frozenset({"board", "hr"}))
    assert token.scopes == ["rag.read"]


def test_the_list_names_keys_and_contains_no_secret(run: Run, path: Path) -> None:
    run("add", "laptop", "--user", "ann", "--expires", "90d")
    run("add", "kiosk")
    listed = run("list").output
    assert "laptop  user:ann  expires 20" in listed
    assert "kiosk  nobody in particular  does not expire" in listed
    assert not any(key.digest in listed for key in read_keys(path))


@pytest.mark.parametrize("arguments", [
    ("laptop",), ("../x",), ("a b",), ("ok", "--user", "*"), ("ok", "--user", "user:ann"), ("ok", "--group", "group:x"),
    ("ok", "--group", ""), ("ok", "--expires", "2020-01-01"), ("ok", "--expires", "soon"), ("ok", "--expires", "0d"),
])  # fmt: skip
def test_an_impossible_key_is_a_usage_error_and_changes_nothing(
    run: Run, path: Path, arguments: tuple[str, ...]
) -> None:
    run("add", "laptop", "--user", "ann")
    before = path.read_bytes()
    assert run("add", *arguments).exit_code == 2
    assert path.read_bytes() == before


def test_removing_a_missing_key_removes_no_other(run: Run, path: Path) -> None:
    run("add", "laptop", "--user", "ann")
    assert run("remove", "laptop", "typo").exit_code == 2
    assert len(read_keys(path)) == 1
    assert run("remove", "laptop").exit_code == 0
    assert read_keys(path) == ()


def test_without_the_setting_the_command_names_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAG_API_KEYS")
    done = run("list")
    assert done.exit_code == 2
    assert "RAG_API_KEYS is not set" in done.output


@POSIX
def test_the_file_is_private_from_the_start_and_stays_so(run: Run, path: Path) -> None:
    before = os.umask(0)
    try:
        run("add", "laptop", "--user", "ann")
        run("remove", "laptop")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@POSIX
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o666])
async def test_a_file_that_others_can_open_is_refused_at_the_start_and_later(path: Path, mode: int) -> None:
    secret = made(path, user="ann")
    async with known({"RAG_API_KEYS": str(path)}) as found:
        assert await admitted(found, secret) is not None
        path.chmod(mode)
        with capture_logs() as lines:
            assert await admitted(found, secret) is None
        assert "chmod 600" in str(lines)
        path.chmod(0o600)
        assert await admitted(found, secret) is not None
    path.chmod(mode)
    with pytest.raises(NotConfigured, match="chmod 600"):
        async with known({"RAG_API_KEYS": str(path)}):
            pass


DAMAGED = (
    "", "{", "[]", '{"version": 2}', '{"keys": [{"name": "a", "digest": "secret"}]}',
    f'{{"keys": [{{"name": "a", "digest": "{"0" * 64}", "user": "*"}}]}}',
)  # fmt: skip


@pytest.mark.parametrize("content", DAMAGED)
async def test_a_damaged_file_admits_nobody_and_is_kept(run: Run, path: Path, content: str) -> None:
    secret = made(path, user="ann")
    async with known({"RAG_API_KEYS": str(path)}) as found:
        path.write_text(content)
        assert await admitted(found, secret) is None
    assert run("add", "other").exit_code == 2
    assert path.read_text() == content


async def test_without_its_file_a_server_does_not_start(path: Path) -> None:
    with pytest.raises(NotConfigured, match="ibid key add"):
        async with known({"RAG_API_KEYS": str(path)}):
            pass


@pytest.mark.parametrize(
    "wrong",
    ["ibid_", "ibid_wrong", "IBID_{0}", "{0}x", "{1}", " {0}", "{0} ", "ibid_" + "x" * 5000, "ibid_é"],
)
async def test_an_invalid_key_is_refused(path: Path, wrong: str) -> None:
    secret = made(path, user="ann")
    async with known({"RAG_API_KEYS": str(path)}) as found:
        assert await admitted(found, wrong.format(secret, secret[:-1])) is None
        assert await admitted(found, read_keys(path)[0].digest) is None


async def test_a_key_expires_on_time(path: Path) -> None:
    past, coming = (
        made(path, user="ann", expires=int(time.time()) - 1),
        made(path, user="bob", expires=int(time.time()) + 90),
    )
    async with known({"RAG_API_KEYS": str(path)}) as found:
        assert await admitted(found, past) is None
        assert await admitted(found, coming) is not None


async def test_keys_and_tokens_are_accepted_at_the_same_time(path: Path, issuer: Issuer) -> None:
    secret = made(path, user="bob")
    async with known(issuer.settings | {"RAG_API_KEYS": str(path)}) as found:
        key, token = await admitted(found, secret), await admitted(found, issuer.token("bob", azp="key:bob"))
    assert key is not None
    assert token is not None
    # The same person with two credentials: a call that one started cannot be continued by the other.
    assert key.who == token.who
    assert (key.client_id, key.subject, key.claims) != (token.client_id, token.subject, token.claims)


def test_while_one_command_changes_the_file_another_does_not(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.identity.api_keys.LOCK_SECONDS", 0.05)

    def meanwhile(keys: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
        with pytest.raises(NotConfigured, match="changed by another command"):
            change_keys(path, lambda _: ())
        return keys

    change_keys(path, meanwhile)


def test_concurrent_commands_lose_no_key(path: Path, tmp_path: Path) -> None:
    env = os.environ | {"RAG_API_KEYS": str(path), "RAG_DATA_DIR": str(tmp_path)}
    program = Path(sys.executable).with_name("ibid")
    running = [
        subprocess.Popen(
            [program, "key", "add", f"k{n}"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for n in range(3)
    ]
    assert [one.wait(60) for one in running] == [0, 0, 0]
    assert {one.name for one in read_keys(path)} == {"k0", "k1", "k2"}


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    folder = tmp_path_factory.mktemp("keyed")
    made(folder / "keys.json", user="eve")
    with in_thread(Site(folder, {"RAG_API_KEYS": str(folder / "keys.json")})) as site:
        yield site, folder / "keys.json"


def test_a_key_grants_its_bearers_rights_until_it_is_removed(keyed: tuple[Site, Path]) -> None:
    site, path = keyed
    secret = made(path, user="ann")
    call = modern("tools/call", SEARCH, {"Authorization": f"Bearer {secret}"})
    assert b"salaries" in ask(site.address, call).body
    change_keys(path, lambda keys: tuple(one for one in keys if one.user != "ann"))
    assert ask(site.address, call).status == 401


def test_without_an_issuer_none_is_named(keyed: tuple[Site, Path]) -> None:
    site, _ = keyed
    reply = ask(site.address, modern("tools/call", SEARCH))
    assert reply.status == 401
    assert "resource_metadata" not in reply.headers["www-authenticate"]


async def test_a_call_in_progress_ends_with_its_key(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp.server.auth.middleware.auth_context import auth_context_var
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

    from corpus.errors import AccessDenied

    secret = made(path, user="ann")
    async with known({"RAG_API_KEYS": str(path)}) as found:
        with pytest.raises(AccessDenied):
            found.caller()
        token = await admitted(found, secret)
        assert token is not None
        auth_context_var.set(AuthenticatedUser(token))
        assert found.caller() == Caller("ann")
        change_keys(path, lambda _: ())
        with pytest.raises(AccessDenied, match="revoked"):
            found.caller()
