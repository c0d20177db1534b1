"""One log line per call, to standard error, and never a passage."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from corpus.access import Caller
from server.logs import configure_logs, configure_server_logs
from server.settings.model import Settings
from tests.server.desk import Desk

pytestmark = pytest.mark.anyio


async def line_of(desk: Desk, era: str, tool: str, **arguments: Any) -> dict[str, Any]:
    with capture_logs() as logs:
        async with desk.client(era) as client:
            await client.call_tool(tool, arguments)
    (line,) = [one for one in logs if one["event"] == "tool.call"]
    return line


async def test_a_search_is_one_line_with_its_facts(stocked: Desk, era: str) -> None:
    stocked.caller = Caller(user_id="ann")

    line = await line_of(stocked, era, "rag_semantic_search", query="centrifugal impeller", filters={"doc_id": "pump"})

    assert line["tool"] == "rag_semantic_search"
    assert line["caller"] == "ann"
    assert line["outcome"] == "ok"
    assert line["result_count"] >= 1
    assert line["search_query"] == "centrifugal impeller"
    assert line["index_name"] == "local"
    assert line["filter_applied"] is True
    assert line["filters"] == ["access", "doc_id"]
    assert 0 <= line["search_latency_ms"] <= line["duration_ms"]
    assert "moves water" not in str(line)


async def test_a_call_without_a_search_has_no_search_facts(stocked: Desk, era: str) -> None:
    line = await line_of(stocked, era, "rag_get_document", doc_id="pump")

    assert line["caller"] == "anonymous"
    assert line["result_count"] == 1
    assert not [key for key in line if key.startswith("search_")]


async def test_a_digest_replaces_the_query_if_queries_are_private(desk: Desk, era: str) -> None:
    private = Desk(desk.index, desk.library, queries=False)

    one = await line_of(private, era, "rag_semantic_search", query="my diagnosis")
    two = await line_of(private, era, "rag_semantic_search", query="my diagnosis")

    assert "diagnosis" not in str(one)
    assert one["search_query"] == two["search_query"]
    assert one["search_query"].startswith("sha256:")


@pytest.mark.parametrize(
    ("caller", "named"),
    [
        (Caller("ann", "hr", "acme", frozenset({"board"})), "ann"),
        (Caller(department="hr", org_id="acme"), "department:hr"),
        (Caller(groups=frozenset({"staff", "board"}), org_id="acme"), "group:board,staff"),
        (Caller(org_id="acme"), "org:acme"),
        (Caller(), "anonymous"),
    ],
)
async def test_a_line_names_a_caller_by_known_facts(desk: Desk, caller: Caller, named: str) -> None:
    desk.caller = caller

    assert (await line_of(desk, "auto", "rag_list_documents"))["caller"] == named


async def test_an_unfiltered_caller_is_visible_in_the_line(stocked: Desk, era: str) -> None:
    stocked.caller = Caller(unfiltered=True)

    line = await line_of(stocked, era, "rag_semantic_search", query="x")

    assert (line["filter_applied"], line["filters"]) == (False, [])


@pytest.mark.parametrize(
    ("tool", "arguments", "outcome"),
    [
        ("rag_semantic_search", {"querry": "x"}, "InvalidRequest"),
        ("rag_get_document", {"doc_id": "nowhere"}, "DocumentNotFound"),
        ("rag_nothing", {}, "InvalidRequest"),
    ],
)
async def test_a_refused_call_has_its_line_too(
    desk: Desk, era: str, tool: str, arguments: dict[str, Any], outcome: str
) -> None:
    line = await line_of(desk, era, tool, **arguments)

    assert (line["outcome"], line["result_count"], line["log_level"]) == (outcome, 0, "info")


async def test_reading_a_resource_is_logged(stocked: Desk, era: str) -> None:
    with capture_logs() as logs:
        async with stocked.client(era) as client:
            await client.read_resource("rag://documents/pump/pages/1")

    (line,) = [one for one in logs if one["event"] == "resource.read"]
    assert line["outcome"] == "ok"


@pytest.fixture
def written() -> Any:
    """Send the logs to a buffer, and restore everything afterwards."""
    root, before = logging.getLogger(), logging.getLogger().handlers[:]
    level, mcp_level = root.level, logging.getLogger("mcp").level
    buffer = io.StringIO()

    def configure(*, plain: bool = False, **settings: Any) -> io.StringIO:
        configure_logs(
            Settings.model_validate(settings),
            least=logging.WARNING if plain else 0,
            plain=plain,
            stream=buffer,
        )
        return buffer

    yield configure
    structlog.reset_defaults()
    root.handlers[:] = before
    root.setLevel(level)
    logging.getLogger("mcp").setLevel(mcp_level)


def test_lines_are_json_outside_a_terminal(written: Any) -> None:
    buffer = written(RAG_LOG_FORMAT="auto")

    structlog.stdlib.get_logger("ibid").info("tool.call", tool="x", query='say "so"\n')
    logging.getLogger("some.library").warning("it said %s", "this")

    ours, theirs = (json.loads(line) for line in buffer.getvalue().splitlines())
    assert (ours["event"], ours["tool"], ours["level"]) == ("tool.call", "x", "info")
    assert (theirs["event"], theirs["level"]) == ("it said this", "warning")


def test_a_pretty_line_shows_no_escape_sequence_of_a_client(written: Any) -> None:
    buffer = written(RAG_LOG_FORMAT="pretty")

    structlog.stdlib.get_logger("ibid").info("tool.call", search_query="\x1b[31mred\x07")

    assert "\x1b[31m" not in buffer.getvalue()
    assert "\x07" not in buffer.getvalue()


def test_library_lines_and_tracebacks_in_pretty_format_show_no_escape_sequence_either(written: Any) -> None:
    buffer = written(RAG_LOG_FORMAT="pretty")

    logging.getLogger("some.library").warning("cannot read %s", "a\x1b]0;owned\x07.pdf")
    try:
        raise ValueError("a\x1b[31m.pdf")
    except ValueError:
        structlog.stdlib.get_logger("ibid").exception("tool.call")

    assert "cannot read a]0;owned.pdf" in buffer.getvalue()
    assert "ValueError: a[31m.pdf" in buffer.getvalue()
    assert "\x1b" not in buffer.getvalue()
    assert "\x07" not in buffer.getvalue()


def test_a_plain_line_has_words_without_braces_or_a_traceback(written: Any) -> None:
    buffer = written(plain=True)

    structlog.stdlib.get_logger("ibid").info("tool.call", tool="x")
    structlog.stdlib.get_logger("ibid").warning("background.no_folder", folder="/a\x1b[31m\nb")
    try:
        raise ValueError("secret")
    except ValueError:
        structlog.stdlib.get_logger("ibid").exception("tool.call")

    assert buffer.getvalue().splitlines() == [
        "ibid: warning: background.no_folder (folder=/a[31m b)",
        "ibid: error: tool.call (details=RAG_LOG_LEVEL=INFO shows them)",
    ]


def test_a_server_started_by_a_client_is_silent_without_a_configured_level(
    monkeypatch: pytest.MonkeyPatch, written: Any
) -> None:
    for variables, expected in (
        ({}, ""),
        ({"RAG_LOG_LEVEL": "INFO"}, "tool.call"),
        ({"RAG_LOG_LEVEL": ""}, ""),
    ):
        errors = io.StringIO()
        monkeypatch.setattr("sys.stderr", errors)
        monkeypatch.delenv("RAG_LOG_LEVEL", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        configure_server_logs(Settings())
        structlog.stdlib.get_logger("ibid").info("tool.call")
        assert expected in errors.getvalue()
        assert bool(errors.getvalue()) == bool(expected)


def test_a_line_below_the_level_is_not_written(written: Any) -> None:
    buffer = written(RAG_LOG_LEVEL="WARNING")

    structlog.stdlib.get_logger("ibid").info("tool.call")

    assert buffer.getvalue() == ""


FORMATS = ("json", "pretty", "plain")


def of_a_library(text: str, how: str, *, error: Exception | None = None) -> str:
    """Return the log entry for a library that logs that text."""
    out = io.StringIO()
    settings = Settings(RAG_LOG_FORMAT="json" if how == "json" else "pretty")  # type: ignore[call-arg]
    configure_logs(settings, plain=how == "plain", stream=out)
    logging.getLogger("a.library").warning("It got %s", text, exc_info=error)
    return out.getvalue()


@pytest.mark.parametrize("how", FORMATS)
def test_library_log_text_is_cut_and_stays_on_one_line(how: str) -> None:
    forged = "2026-11-30T00:00:00Z [info     ] tool.call   caller=ann"
    written = of_a_library(f"x\n{forged}\r\n\u2028{forged}\x1b[2J" + "y" * 1_000_000, how)

    assert len(written) < 1_000
    assert len(written.splitlines()) == 1
    assert "\x1b" not in written


def test_a_traceback_that_quotes_our_log_line_is_indented() -> None:
    try:
        raise ValueError("x\n2026-11-30T00:00:00Z [info     ] tool.call   caller=ann")
    except ValueError as error:
        lines = of_a_library("x", "pretty", error=error).splitlines()

    assert [line for line in lines if "tool.call" in line]
    assert len([line for line in lines if line.startswith("20")]) == 1


@pytest.mark.parametrize(
    "baggage", ["a=" + "b\n" * 50_000, ",".join(["\xe9=1"] * 1_000), ",".join(["k=" + "v" * 40] * 180)]
)
async def test_client_baggage_does_not_fill_the_log(stocked: Desk, baggage: str) -> None:
    out = io.StringIO()
    configure_logs(Settings(RAG_LOG_LEVEL="DEBUG"), stream=out)  # type: ignore[call-arg]
    async with stocked.client("auto") as client:
        await client.list_tools(meta={"baggage": baggage})

    assert len(out.getvalue()) < 2_000
