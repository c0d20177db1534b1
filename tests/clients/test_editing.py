"""An entry comes into a file and goes out of it, and nothing else there changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.clients.editing import NotEditable, with_entry, without_entry
from server.clients.jsonc import Broken, read

ENTRY = {"command": "ibid", "args": ["serve"], "env": {}}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def added(text: str, name: str = "ibid", entry: dict[str, Any] = ENTRY, *, comments: bool = True) -> str:
    return with_entry(text, "mcpServers", name, entry, comments=comments)


def removed(text: str, name: str = "ibid") -> str:
    return without_entry(text, "mcpServers", name, comments=True)


@given(
    rest=st.dictionaries(st.text(max_size=4), ANYTHING, max_size=3),
    others=st.dictionaries(st.sampled_from(["a", "b", "ü"]), ANYTHING, max_size=3),
    there=st.booleans(),
    indent=st.sampled_from([None, 2, 4, "\t"]),
)
def test_whatever_the_file_holds_the_entry_is_added_and_the_rest_is_as_it_was(
    rest: dict[str, Any], others: dict[str, Any], there: bool, indent: int | str | None
) -> None:
    data = {**rest, "mcpServers": others} if there else {k: v for k, v in rest.items() if k != "mcpServers"}
    text = json.dumps(data, indent=indent)
    after = added(text, comments=False)
    before = data.get("mcpServers", {})
    assert json.loads(after) == {**data, "mcpServers": {**before, "ibid": ENTRY}}
    assert [*json.loads(after)["mcpServers"]] == [*before, "ibid"]
    assert json.loads(removed(after)) == {**data, "mcpServers": before}


def test_every_other_line_is_kept_with_its_indentation_and_its_odd_spaces() -> None:
    text = (
        '{\n\t"theme" : "dark",\n\t"mcpServers": {\n\t\t"one":   {"command": "x"}\n\t},\n\t"last": [1,2]\n}'
    )
    lines = added(text).split("\n")
    assert lines[:3] == text.split("\n")[:3]
    assert lines[3] == '\t\t"one":   {"command": "x"},'
    assert lines[4] == '\t\t"ibid": {'
    assert lines[-4:] == ["\t\t}", "\t},", '\t"last": [1,2]', "}"]
    assert removed(added(text)) == text


def test_line_ends_of_windows_stay_and_are_used() -> None:
    text = '{\r\n  "mcpServers": {\r\n    "one": {}\r\n  }\r\n}\r\n'
    after = added(text)
    assert after.count("\n") == after.count("\r\n") > text.count("\n")
    assert removed(after) == text


def test_comments_and_commas_at_the_end_stay() -> None:
    text = '{\n  // mine\n  "mcpServers": {\n    "one": {}, // the first\n    /* no more */\n  },\n}\n'
    after = added(text)
    assert all(one in after for one in ("// mine", "// the first", "/* no more */"))
    assert read(after, comments=True).data["mcpServers"] == {"one": {}, "ibid": ENTRY}
    assert read(removed(after), comments=True).data == read(text, comments=True).data
    assert "/* no more */" in removed(after)


@pytest.mark.parametrize(
    "text", ['{"mcpServers": {"one": {},},}', '{\n  "mcpServers": {\n    "one": {},\n  },\n}\n']
)
def test_a_comma_behind_the_last_entry_is_there_again_when_ours_is_gone(text: str) -> None:
    assert removed(added(text)) == text


def test_an_entry_with_comments_of_its_own_is_not_overwritten() -> None:
    text = '{"mcpServers": {"ibid": {"command": "old" /* because */}}}'
    with pytest.raises(NotEditable, match="comments"):
        added(text)
    with pytest.raises(NotEditable, match="comments"):
        removed(text)


def test_a_comment_that_an_edit_would_stretch_over_other_entries_stops_it() -> None:
    with pytest.raises(NotEditable):
        removed('{"mcpServers": { // note\n  "ibid": {}, "b": 1}}')


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"mcpServers": {\n  "one": {},\n}}', "line 2, column 12"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        ("{\n  // why\n}", "line 2, column 3"),
        ('{"a": 1} {}', "line 1, column 10"),
        ('{"a": 1, "a": 2}', "line 1, column 10"),
        ('{"a": NaN}', "line 1, column 7"),
        ('{"a": tru}', "line 1, column 7"),
        ('{"a": "b}', "line 1, column 7"),
        ("{", "line 1, column 2"),
        ('{"a":' * 200, "line 1, column 506"),
    ],
)
def test_what_is_broken_is_named_by_line_and_column(text: str, place: str) -> None:
    with pytest.raises(Broken, match=place):
        added(text, comments=False)


@pytest.mark.parametrize("text", ["[]", '{"mcpServers": null}', '{"mcpServers": []}', "3"])
def test_another_shape_than_a_configuration_has_is_left_alone(text: str) -> None:
    with pytest.raises(NotEditable):
        added(text)


@given(st.text(alphabet='{}[]",:/*\\ \n1aä', max_size=30))
def test_any_text_is_read_or_named_broken(text: str) -> None:
    try:
        strict = json.loads(text, object_pairs_hook=once)
    except ValueError:
        with pytest.raises(Broken):
            read(text, comments=False)
    else:
        assert read(text, comments=False).data == strict


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)
