"""The audit: each access decision is logged on one line, and a call that cannot be recorded is not answered."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import ResourceTemplateReference

from corpus.access import Caller
from corpus.odata import build_security_filter
from server.audit import Audit, Unrecorded, who_asks
from tests.doubles.in_thread import in_thread
from tests.doubles.issuer import Issuer
from tests.http.raw import ask, modern, request
from tests.http.site import Site
from tests.server.desk import answer_in, failure_in

pytestmark = pytest.mark.anyio

SEARCH = {"name": "rag_semantic_search", "arguments": {"query": "salary impeller"}}
POSIX = pytest.mark.skipif(os.name != "posix", reason="rights of files as POSIX has them")


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with in_thread(Issuer()) as running:
        yield running


@pytest.fixture(scope="module")
def site(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("audited")
    variables = {**issuer.settings, "RAG_AUDIT_FILE": str(folder / "audit.jsonl")}
    with in_thread(Site(folder, variables)) as running:
        yield running


class Record:
    """Lines added to a site's audit file since this object was created."""

    def __init__(self, site: Site) -> None:
        assert site.settings.audit_file
        self._path = site.settings.audit_file
        self._before = len(self._lines())

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(one) for one in self._lines()[self._before :]]

    def _lines(self) -> list[str]:
        return self._path.read_text("ascii").splitlines() if self._path.exists() else []


async def test_a_search_is_logged_with_caller_action_and_documents(site: Site, issuer: Issuer) -> None:
    record = Record(site)
    async with site.client(token=issuer.token("ann")) as client:
        arguments = {"query": "salary impeller", "filters": {"document_type": "Report"}}
        answer_in(await client.call_tool("rag_semantic_search", arguments))

    (line,) = record.lines()
    assert (line["event"], line["name"], line["user"], line["outcome"]) == (
        "tool",
        SEARCH["name"],
        "ann",
        "ok",
    )
    assert (line["documents"], line["count"], line["filters"]) == (["salaries"], 1, ["document_type"])
    assert line["access_filter"].startswith("sha256:")
    assert line["time"].endswith("+00:00")
    assert line["request"]


async def test_a_line_contains_no_passage_and_no_query(site: Site, issuer: Issuer) -> None:
    record = Record(site)
    async with site.client(token=issuer.token("ann")) as client:
        await client.call_tool("rag_semantic_search", SEARCH["arguments"])
        await client.call_tool("rag_synthesize", {"query": "What is the salary?", "mode": "compose"})

    text = json.dumps(record.lines())
    assert not [one for one in ("salary", "director", "impeller", "centrifugal") if one in text]
    assert '"query": "sha256:' in text


async def test_a_refusal_is_logged_too(site: Site, issuer: Issuer) -> None:
    record = Record(site)
    async with site.client(token=issuer.token("bob")) as client:
        failure_in(await client.call_tool("rag_get_document", {"doc_id": "salaries"}))
        with pytest.raises(MCPError):
            await client.read_resource("rag://documents/salaries")

    tool, resource = record.lines()
    assert (tool["outcome"], tool["asked"], tool["documents"]) == ("DocumentNotFound", ["salaries"], [])
    assert (resource["event"], resource["uri"]) == ("resource", "rag://documents/salaries")
    assert resource["outcome"].startswith("MCPError")
    assert tool["user"] == resource["user"] == "bob"


async def test_a_completion_is_logged_with_the_documents_that_it_offers(site: Site, issuer: Issuer) -> None:
    record = Record(site)
    async with site.client(token=issuer.token("ann")) as client:
        reference = ResourceTemplateReference(uri="rag://documents/{doc_id}")
        offered = await client.complete(reference, {"name": "doc_id", "value": "sal"})

    (line,) = record.lines()
    assert offered.completion.values == ["salaries"]
    assert (line["event"], line["documents"], line["count"]) == ("completion", ["salaries"], 1)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_resource_is_logged_with_its_document(site: Site, issuer: Issuer, mode: str) -> None:
    record = Record(site)
    async with site.client(mode, token=issuer.token("ann")) as client:
        await client.read_resource("rag://documents/salaries")

    (line,) = record.lines()
    assert (line["outcome"], line["documents"], line["count"]) == ("ok", ["salaries"], 1)


async def test_a_choice_between_documents_is_logged_with_all_of_them(site: Site, issuer: Issuer) -> None:
    record = Record(site)
    async with site.client(token=issuer.token("ann")) as client:
        failure = failure_in(await client.call_tool("rag_get_document", {"name": "manual"}))

    (line,) = record.lines()
    assert failure["type"] == line["outcome"] == "AmbiguousDocument"
    assert line["count"] == len(failure["hints"]) == len(line["documents"]) > 1


def test_rejected_http_requests_are_logged_with_the_reason(site: Site, issuer: Issuer) -> None:
    record = Record(site)
    ask(site.address, modern("tools/call", SEARCH))
    ask(site.address, modern("tools/call", SEARCH, {"Authorization": f"Bearer {issuer.token(aud='another')}"}))
    ask(site.address, modern("tools/call", SEARCH, {"Authorization": f"Bearer {issuer.token(scope='none')}"}))

    assert [(one["status"], one["reason"]) for one in record.lines()] == [
        (401, "no token"),
        (401, "token refused"),
        (403, "not allowed"),
    ]


def test_a_request_for_a_forged_picture_is_logged(site: Site) -> None:
    record = Record(site)
    ask(site.address, request("GET", "/images/forged"))

    (line,) = record.lines()
    assert (line["event"], line["outcome"]) == ("image", "refused")


async def test_a_call_that_cannot_be_recorded_is_not_answered(tmp_path: Path, issuer: Issuer) -> None:
    nowhere = tmp_path / "no-such-folder" / "audit.jsonl"
    async with (
        Site(tmp_path, {**issuer.settings, "RAG_AUDIT_FILE": str(nowhere)}) as site,
        site.client(token=issuer.token("ann")) as client,
    ):
        result = await client.call_tool("rag_semantic_search", SEARCH["arguments"])
        with pytest.raises(MCPError, match="cannot record"):
            await client.read_resource("rag://documents/pump")

    assert failure_in(result)["type"] == "NotConfigured"
    assert "impeller" not in str(result.content)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
async def test_no_call_goes_unrecorded_on_a_full_disk() -> None:
    with pytest.raises(Unrecorded):
        await Audit(Path("/dev/full")).record("tool", who_asks(Caller(user_id="ann")))


@POSIX
async def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    await Audit(path).record("tool", {})

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@POSIX
async def test_a_symlink_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    (tmp_path / "audit.jsonl").symlink_to(target)

    with pytest.raises(Unrecorded):
        await Audit(tmp_path / "audit.jsonl").record("tool", {})
    assert not target.exists()


async def test_a_file_moved_away_gets_no_more_lines(tmp_path: Path) -> None:
    path, old = tmp_path / "audit.jsonl", tmp_path / "audit.jsonl.1"
    audit = Audit(path)
    await audit.record("before", {})
    path.rename(old)
    await audit.record("after", {})

    assert [json.loads(one.read_text())["event"] for one in (old, path)] == ["before", "after"]


async def test_a_caller_name_cannot_split_a_line(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    await Audit(path).record("tool", who_asks(Caller(user_id='ann"}\n{"event": "forged\u2028' + "x" * 10_000)))

    (line,) = path.read_bytes().splitlines()
    assert json.loads(line)["event"] == "tool"
    assert len(line) < 1000


def test_lines_of_several_processes_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    program = (
        "import anyio, pathlib, sys; from server.audit import Audit\n"
        "async def main():\n"
        "    audit = Audit(pathlib.Path(sys.argv[1]))\n"
        "    for number in range(200): await audit.record('tool', {}, process=sys.argv[2], text='x' * 3000)\n"
        "anyio.run(main)"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(path), str(one)]) for one in range(3)]

    assert [one.wait(60) for one in running] == [0, 0, 0]
    lines = [json.loads(one) for one in path.read_text().splitlines()]
    assert sorted(one["process"] for one in lines) == sorted(["0", "1", "2"] * 200)


def test_the_filter_of_a_caller_is_a_digest_or_with_a_setting_its_text() -> None:
    ann = Caller(user_id="ann", groups=frozenset({"board"}))
    assert str(who_asks(ann)["access_filter"]).startswith("sha256:")
    assert who_asks(ann, filter_text=True)["access_filter"] == build_security_filter(ann, prefixed=True)
    assert who_asks(Caller(unfiltered=True), filter_text=True)["access_filter"] == "none"
