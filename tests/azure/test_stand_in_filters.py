"""OData filters in the emulator."""

from __future__ import annotations

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from tests.doubles.azure_search import Refused, StandIn, evaluate
from tests.doubles.azure_search.sample import DEFINITION, filled, found

pytestmark = pytest.mark.anyio

ROW: dict[str, Any] = {
    "block_id": "a-1", "title": "Report", "kind": "table", "file": "Q3 Report.PDF", "page": 7, "rating": 3.5,
    "draft": False, "changed": "2026-03-01T10:00:00Z", "tags": ["alpha", "O'Brien", "two words", "x,y"],
    "access_control_list": ["group:hr", "user:it's me"],
}  # fmt: skip
EMPTY: dict[str, Any] = {"block_id": "empty", "tags": [], "access_control_list": []}


def passes(text: str, row: dict[str, Any] = ROW) -> bool:
    return evaluate(text, row, DEFINITION)


PASSING = [
    "kind eq 'table'", "kind ne 'text'", "'table' eq kind", "page eq 7", "page ge 7 and page le 7", "page gt 6.5",
    "6 lt page", "page gt -1", "rating gt 3", "rating lt 4.0e0", "rating lt INF", "rating ne NaN",
    "not draft", "draft eq false", "not (draft)", "true", "not false", "(((page eq 7)))",
    "changed eq 2026-03-01T10:00:00Z", "changed eq 2026-03-01T11:00:00+01:00", "changed ge 2026-03-01T09:59Z",
    "changed lt 2026-03-01T10:00:00.0000001Z or true",
    "tags/any()", "tags/any(t: t eq 'alpha')", "tags/any(t: t eq 'O''Brien')", "tags/any(t: 'alpha' eq t)",
    "tags/any(t: t eq 'none' or t eq 'alpha')", "tags/all(t: t ne 'beta')", "tags/all(t: t ne 'b' and t ne 'c')",
    "tags/all(t: not (t eq 'beta'))", "tags/all(t: not search.in(t, 'b,c'))", "not tags/any(t: t eq 'beta')",
    "access_control_list/any(g: search.in(g, 'group:it|group:hr', '|'))",
    "access_control_list/any(a: a eq 'user:it''s me')", "tags/any(t: search.in(t, 'two words|z', '|'))",
    "search.in(kind, 'text, table')", "search.in(kind, 'text table')", "search.in(kind, 'text;table', ';')",
    "search.in(kind, 'text|table;x', '|;')", "not search.in(kind, 'text,figure')",
    "file eq 'q3 report.pdf'", "search.in(file, 'Q3 REPORT.pdf|b', '|')",
    "page eq 1 or page eq 7 and kind eq 'table'", "page eq 7 or page eq 1 and kind eq 'text'",
]  # fmt: skip


def test_a_filter_matches_the_row() -> None:
    for text in PASSING:
        assert passes(text), text


HELD_BACK = [
    "kind eq 'Table'", "search.in(kind, 'Table')", "(page eq 7 or page eq 1) and kind eq 'text'", "false", "draft",
    "tags/any(t: search.in(t, 'two words'))", "tags/any(t: search.in(t, 'x,y'))", "tags/any(t: search.in(t, ''))",
    "tags/all(t: t ne 'alpha')", "not tags/any()", "kind eq null", "changed gt 2026-03-01T10:00:00Z",
    "access_control_list/any(a: a eq 'x'') or true or access_control_list/any(a: a eq ''y')",
]  # fmt: skip


def test_a_filter_rejects_the_row() -> None:
    for text in HELD_BACK:
        assert not passes(text), text


UNSET = [
    ("kind eq null", True), ("kind ne null", False), ("kind ne 'x'", True), ("kind eq 'x'", False),
    ("page gt 0", False), ("page le 0", False), ("draft", False), ("draft eq null", True), ("tags/any()", False),
    ("not tags/any()", True), ("tags/any(t: t eq 'x')", False), ("tags/all(t: t ne 'x')", True),
    ("search.in(kind, 'x')", False), ("changed lt 2026-01-01T00:00:00Z", False),
]  # fmt: skip


def test_an_unset_value_is_null_and_an_empty_collection_is_not() -> None:
    for text, expected in UNSET:
        assert passes(text, EMPTY) is expected, (text, expected)


REFUSED = [
    "", "This is not a valid filter.", "page", "'x'", "7", "page eq", "eq 7", "page = 7", "page eq 7 and",
    "(page eq 7",
    "page eq 7)", "kind eq \"table\"", "kind eq 'a'b'", "kind eq 'open", "kind eq table", "page eq 7abc",
    "not page gt 5", "unknown eq 1", "title eq 'Report'", "meaning eq 1", "meaning/any()",
    "kind gt 'a'", "kind le 'a'", "page gt null", "draft gt true", "kind eq 7", "page eq '7'", "page eq NaN",
    "draft eq 'true'", "draft eq 1", "rating eq true", "1 eq 1", "kind eq file", "tags eq 'alpha'",
    "changed gt '2026-01-01T00:00:00Z'", "changed gt 2026-01-01T00:00:00", "changed gt 2026-01-01",
    "changed gt 2026-13-01T00:00:00Z",
    "tags/any(t: t ne 'x')", "tags/any(t: t eq 'x' and t eq 'y')", "tags/any(t: not (t eq 'x'))",
    "tags/all(t: t eq 'x')", "tags/all(t: t ne 'x' or t ne 'y')", "tags/all()", "tags/any(t: page eq 7)",
    "tags/any(t: t eq 'x' or page eq 7)", "tags/any(t: t eq null)", "tags/any(t: tags/any(u: u eq 'x'))",
    "tags/any(t: true)",
    "tags/any(t t eq 'x')", "tags/any(t: t gt 'x')", "tags/any(t: t eq 7)", "kind/any(k: k eq 'x')", "t eq 'x'",
    "kind in ('a','b')", "contains(kind, 'a')", "startswith(kind, 'a')", "search.in(kind)", "search.in(kind, 7)",
    "search.in(page, '7')", "search.in(tags, 'alpha')", "search.in('table', 'table')", "search.in(kind, 'a', kind)",
    "search.in(title, 'a')", "search.ismatch('a')", "kind eq 'a'; page eq 7", "kind eq 'a' -- page eq 7",
    "access_control_list/any(a: a eq 'x') or true or access_control_list/any(a: a eq 'y",
]  # fmt: skip


def test_an_invalid_filter_is_refused() -> None:
    for text in REFUSED:
        with pytest.raises(Refused) as refused:
            passes(text)
        assert refused.value.status == 400, text


def test_a_syntax_error_is_located_at_the_end_of_the_unexpected_token() -> None:
    with pytest.raises(Refused) as refused:
        passes("This is not a valid filter.")
    where = "Syntax error at position 7 in 'This is not a valid filter.'."
    message = f"Invalid expression: {where}\r\nParameter name: $filter"
    assert refused.value.body == {"error": {"code": "", "message": message}}


def test_syntax_is_checked_before_names() -> None:
    with pytest.raises(Refused, match="Syntax error at position 11"):
        passes("nobody eq (")


def test_a_filter_that_is_nested_too_deeply_is_refused() -> None:
    for text in ["(" * 500 + "true" + ")" * 500, "not " * 500 + "true", " or ".join(["page eq 7"] * 900)]:
        with pytest.raises(Refused, match="Recursion depth exceeded allowed limit"):
            passes(text)


def test_every_character_but_the_quote_is_literal() -> None:
    for letter in ["\\", "\n", "\t", "%27", '"', "|", ";", "--", "/*", "😀", "é", "''"]:
        doubled = letter.replace("'", "''")
        assert passes(f"kind eq 'a{doubled}b'", {**ROW, "kind": f"a{letter}b"}), letter
        assert not passes(f"kind eq 'a{doubled}b'", {**ROW, "kind": "ab"}), letter


async def test_an_unescaped_quote_in_a_value_opens_the_index_to_everyone() -> None:
    name = "x') or true or access_control_list/any(a: a eq 'y"
    async with StandIn() as service:
        filled(service, {"access_control_list": ["hr"]})
        assert await found(service, filter=f"access_control_list/any(a: a eq '{name}')") == ["1"]
        doubled = name.replace("'", "''")
        assert await found(service, filter=f"access_control_list/any(a: a eq '{doubled}')") == []


async def test_a_refused_filter_is_a_bad_request() -> None:
    async with StandIn() as service:
        filled(service)
        with pytest.raises(HttpResponseError, match="Syntax error at position 7") as refused:
            await found(service, filter="This is not a valid filter.")
        assert refused.value.status_code == 400


async def test_a_comma_in_a_value_widens_a_list_with_the_default_delimiters() -> None:
    async with StandIn() as service:
        filled(service, {"access_control_list": ["hr"]}, {"access_control_list": ["x,hr"]})
        assert await found(service, filter="access_control_list/any(a: search.in(a, 'x,hr'))") == ["1"]
        assert await found(service, filter="access_control_list/any(a: search.in(a, 'x,hr', '|'))") == ["2"]
