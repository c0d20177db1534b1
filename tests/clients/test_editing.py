"""An entry is added to a file and removed from it, and nothing else in the file changes."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.clients.json_entries import Broken, NotEditable, load, with_entry, without_entry

ENTRY = {"command": "ibid", "args": ["serve"], "env": {}}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def added(text: str) -> str:
    return with_entry(text, "mcpServers", "ibid", ENTRY)


def removed(text: str) -> str:
    return without_entry(text, "mcpServers", "ibid")


@given(
    rest=st.dictionaries(st.text(max_size=4), ANYTHING, max_size=3),
    others=st.dictionaries(st.sampled_from(["a", "b", "ü"]), ANYTHING, max_size=3),
    there=st.booleans(),
    indent=st.sampled_from([None, 2, 4, "\t"]),
)
def test_an_entry_is_added_to_any_file_and_the_rest_is_unchanged(
    rest: dict[str, Any], others: dict[str, Any], there: bool, indent: int | str | None
) -> None:
    data = {**rest, "mcpServers": others} if there else {k: v for k, v in rest.items() if k != "mcpServers"}
    after = added(json.dumps(data, indent=indent))
    before = data.get("mcpServers", {})
    assert json.loads(after) == {**data, "mcpServers": {**before, "ibid": ENTRY}}
    assert [*json.loads(after)["mcpServers"]] == [*before, "ibid"]
    assert json.loads(removed(after)) == {**data, "mcpServers": before}


@pytest.mark.parametrize("indent", [None, 2, 3, "\t"])
@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_file_keeps_its_indentation_and_line_endings(indent: int | str | None, end: str, line_end: str) -> None:
    data = {"theme": "dük", "mcpServers": {"one": {"command": "x", "args": []}}, "last": [1, 2]}
    text = (json.dumps(data, indent=indent, ensure_ascii=False) + end).replace("\n", line_end)
    after = added(text)
    assert after.count("\n") == after.count("\r\n" if "\r\n" in text else "\n")
    assert removed(after) == text


def test_removing_a_missing_entry_changes_nothing() -> None:
    text = '{"mcpServers":   {"one": {}}}'
    assert removed(text) == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"mcpServers": {\n  "one": {},\n}}', "line 3, column 1"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        ("{\n  // why\n}", "line 2, column 3"),
        ('{"a": 1} {}', "line 1, column 10"),
        ('{"a": tru}', "line 1, column 7"),
        ('{"a": "b}', "line 1, column 7"),
        ("{", "line 1, column 2"),
    ],
)
def test_invalid_json_is_reported_by_line_and_column(text: str, place: str) -> None:
    with pytest.raises(Broken, match=place):
        added(text)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"mcpServers": null}',
        '{"mcpServers": []}',
        "3",
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        "[" * 100_000,
    ],
)
def test_a_file_with_another_structure_is_left_alone(text: str) -> None:
    with pytest.raises(NotEditable):
        added(text)


@given(st.text(alphabet='{}[]",:/*\\ \n1aä', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        data = json.loads(text)
    except ValueError:
        data = {} if not text.strip() else None
    if not isinstance(data, dict):
        with pytest.raises((Broken, NotEditable)):
            load(text)
        return
    with suppress(NotEditable):  # a duplicate name
        assert load(text) == data
