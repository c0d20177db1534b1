"""Requests that match a stored answer, and valid files of such answers."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from platformdirs import user_data_dir

from server.first_answers.early import MAX_ANSWERED, EarlyAnswers
from server.first_answers.kept_file import MAX_FILES, data_folder, kept_path, load, save
from server.first_answers.requests import MAX_LINE, Session, answer_line, is_result, parse
from tests.doubles.raw_stdio import ENVELOPE
from tests.patience import PATIENCE

WHO = {"name": "test", "version": "1"}
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": WHO},
}
LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def changed(**params: Any) -> dict[str, Any]:
    return HELLO | {"params": HELLO["params"] | params}


def key(*messages: dict[str, Any]) -> str | None:
    """Return the key of the last of these requests in one session."""
    session = Session()
    return [session.key(message) for message in messages][-1]


@pytest.mark.parametrize(
    "same",
    [
        changed(clientInfo={"name": "other", "version": "2", "title": "Other"}),
        changed(clientInfo=WHO | {"user_agent": "x", "icons": [{"src": "x", "sizes": ["any"], "mimeType": "y"}]}),
        changed(capabilities={"sampling": {}, "elicitation": {"form": {}}, "roots": {"listChanged": True}}),
        changed(capabilities={"experimental": {"codex/auth-change": {}}}),
        changed(_meta={"progressToken": "x"}),
        HELLO | {"id": "text"},
    ],
)
def test_requests_with_the_same_answer_have_the_same_key(same: dict[str, Any]) -> None:
    assert key(same) == key(HELLO)
    assert key(same, LIST) == key(HELLO, LIST)


@pytest.mark.parametrize(
    "other",
    [
        changed(protocolVersion="2025-06-18"),
        changed(capabilities={"extensions": {"a": {}}}),
        changed(capabilities={"roots": {"listChanged": 1}}),
        changed(capabilities={"sampling": None}),
    ],
)
def test_requests_with_a_possibly_different_answer_have_different_keys(other: dict[str, Any]) -> None:
    assert key(other) != key(HELLO)
    assert key(other, LIST) != key(HELLO, LIST)


@pytest.mark.parametrize(
    "unusual",
    [
        HELLO | {"id": True},
        HELLO | {"id": 1.0},
        HELLO | {"id": -1},
        HELLO | {"id": None},
        HELLO | {"id": 'a "quoted" one'},
        HELLO | {"id": "ä"},
        HELLO | {"jsonrpc": "1.0"},
        HELLO | {"more": 1},
        HELLO | {"params": None},
        HELLO | {"method": ["initialize"]},
        changed(more=1),
        changed(clientInfo={"name": "test"}),
        changed(clientInfo=WHO | {"icons": "x"}),
        changed(clientInfo=WHO | {"icons": [{"mimeType": "image/png"}]}),
        changed(clientInfo=WHO | {"icons": [{"src": "x", "sizes": "any"}]}),
        changed(clientInfo=WHO | {"title": 1}),
        changed(capabilities=[]),
        changed(capabilities={"unknown": {"x": {"y": "z" * 1000}}}),
        changed(_meta={"progressToken": 1.5}),
        changed(_meta={"traceparent": "x"}),
        LIST,
        LIST | {"params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}},
    ],
)
def test_no_stored_answer_matches_an_unusual_first_request_or_any_after_it(unusual: dict[str, Any]) -> None:
    assert key(unusual) is None
    assert key(unusual, HELLO) is None


@pytest.mark.parametrize(
    "later",
    [
        LIST | {"params": {"cursor": "x"}},
        LIST | {"method": "resources/list"},
        LIST | {"params": {"_meta": ENVELOPE}},
        HELLO,
    ],
)
def test_other_requests_of_a_session_are_left_to_the_sdk(later: dict[str, Any]) -> None:
    assert key(HELLO, later) is None


def test_a_second_initialization_ends_the_early_answers() -> None:
    assert key(HELLO, HELLO, LIST) is None


def test_a_session_keeps_its_era() -> None:
    modern = LIST | {"params": {"_meta": ENVELOPE}}
    assert key(modern) is not None
    assert key(modern, LIST) is None
    assert key(modern, HELLO) is None


@pytest.mark.parametrize(
    "line",
    [None, b"", b"[]", b"{", b"\xff{}", b'{"a": 1, "a": 2}', b'{"a": NaN}', b'{"a": "\\uD800"}', b"[" * 9_000,
     b'{"a": "' + b"x" * MAX_LINE + b'"}', "\ufeff{}".encode(), '{"a": 1}'.encode("utf-16")],
)  # fmt: skip
def test_an_ambiguous_json_line_is_not_read(line: bytes | None) -> None:
    assert parse(line) is None


@pytest.mark.parametrize(
    "text",
    ['{}}\n{"jsonrpc":"2.0","id":9,"result":{}', '{"a":1},"id":9,"x":{}', '{"a":\n1}', '{"a":NaN}', "[]", "null", "",
     '{"a":"\ud800"}', '{"a":"\u2028"}', "{" * 50_000, " {}", 1, None],
)  # fmt: skip
def test_a_text_that_is_not_an_answer_is_not_a_result(text: object) -> None:
    assert not is_result(text)


def test_an_answer_is_one_line_with_the_id_of_the_request() -> None:
    assert json.loads(answer_line("x", '{"a":1}')) == {"jsonrpc": "2.0", "id": "x", "result": {"a": 1}}
    assert answer_line(3, "{}") == b'{"jsonrpc":"2.0","id":3,"result":{}}'


def test_saved_answers_are_loaded(tmp_path: Path) -> None:
    path = str(tmp_path / "folder" / "file.json")
    save(path, {"a": "{}", "b": '{"ä":1}', "c": "{}", "broken": "{"})
    assert load(path) == {"a": "{}", "b": '{"ä":1}', "c": "{}"}
    assert os.listdir(tmp_path / "folder") == ["file.json"]


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", "null", "[" * 100_000, '{"format": 0, "texts": [], "answers": {}}', '{"format": 1, "answers": {}}',
     '{"format": 1, "texts": ["x"], "answers": {"a": 7}}', '{"format": 1, "texts": [1], "answers": {"a": 0}}',
     '{"format": 1, "texts": {}, "answers": {"a": []}}', '{"format": 1, "texts": "x", "answers": ["a"]}'],
)  # fmt: skip
def test_a_damaged_file_contains_no_answers(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(damage)
    path.chmod(0o600)
    assert load(str(path)) == {}


def test_a_file_that_others_may_write_a_link_a_folder_or_a_pipe_contains_no_answers(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    save(str(path), {"a": "{}"})
    (tmp_path / "link.json").symlink_to(path)
    os.mkfifo(tmp_path / "pipe.json")
    assert load(str(path)) == {"a": "{}"}
    assert [load(str(tmp_path / name)) for name in ("link.json", "pipe.json", ".", "none")] == [{}] * 4
    path.chmod(0o622)
    assert load(str(path)) == {}


def test_old_files_are_deleted(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 3):
        save(str(tmp_path / "kept" / f"{number}.json"), {"a": "{}"})
        os.utime(tmp_path / "kept" / f"{number}.json", (number, number))
    assert len(os.listdir(tmp_path / "kept")) <= MAX_FILES + 1


def test_the_file_depends_on_settings_and_not_on_the_caller() -> None:
    base = {"RAG_DATA_DIR": "/data"}
    path = kept_path(base)
    assert kept_path(base | {"HOME": "/else", "RAG_SAMPLING": ""}) == path
    assert kept_path(base | {"RAG_SAMPLING": "off"}) != path
    some, other = (kept_path(base | {"RAG_USER_ID": name, "RAG_LLM_API_KEY": name}) for name in "ab")
    assert some == other != path


@pytest.mark.parametrize("name", ["RAG_PROMPTS_DIR", "RAG_LANGFUSE_PROMPTS"])
def test_nothing_is_stored_if_prompts_come_from_elsewhere(name: str) -> None:
    assert kept_path({"RAG_DATA_DIR": "/data", name: "x"}) is None


def test_the_data_folder_comes_from_the_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in (("XDG_DATA_HOME", ""), ("XDG_DATA_HOME", str(tmp_path))):
        monkeypatch.setenv(name, value)
        assert data_folder(os.environ | {"RAG_DATA_DIR": ""}) == user_data_dir("ibid", appauthor=False)
    assert data_folder({"RAG_DATA_DIR": "~/x"}) == str(Path("~/x").expanduser())
    assert data_folder({"RAG_DATA_DIR": "~no-such-user/x"}) is None


def test_more_data_than_fits_into_a_pipe_is_left_to_the_sdk() -> None:
    reading, writing = os.pipe()
    asking, asked = os.pipe()
    session = Session()
    keys = [session.key(message) for message in (HELLO, LIST)]
    text = json.dumps({"x": "y" * 20_000})
    early = EarlyAnswers(asking, writing, {name: text for name in keys if name})
    early.start()
    os.write(asked, b"".join(json.dumps(each).encode() + b"\n" for each in (HELLO, *[LIST] * 5)))
    os.close(asked)
    read = threading.Event()
    early.hand_on(lambda rest: read.set())
    assert read.wait(PATIENCE)
    queued = early.close()
    os.close(writing)
    assert [line.answer is not None for line in queued] == [True, True, False, False, False, False]
    assert len(os.read(reading, 1_000_000)) <= MAX_ANSWERED
