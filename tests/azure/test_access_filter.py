"""The OData form of the access rule and of filters, checked by an independent evaluator."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.access import ANONYMOUS, Caller, may_read, readable_clause
from corpus.odata import (
    DELIMITERS,
    NOTHING,
    all_of,
    build_security_filter,
    comparison,
    holds_one_of,
    literal,
    one_of,
    one_of_numbers,
)
from tests.azure.design_index import content_index, documents_index
from tests.doubles.azure_search import evaluate

DRAWN = (4_000, pytest.param(20_000, marks=pytest.mark.slow))

INJECTIONS = (
    "x') or true or access_control_list/any(a: a eq 'y", "x,hr", "x hr", "hr|x", "'", "''", "'''", "\\", "\\'",
    "x' or '1' eq '1", "') or (1 eq 1", "'))) or true or (('", "x'/**/or/**/true", "x' or true --", "x'; drop",
    "x' or access_control_list/any()", "x' or not access_control_list/any()", "*", "**", "* ", " *", "hr\n", "\rhr",
    "hr\t", "hr%27", "%27) or true", "&#39;) or true", "\u2019) or true", "＇) or true", "hr\u0000", "\u0000",
    "null", "true", "false", "hr' eq 'hr", "a: a eq 'hr'", "held eq 'hr'", "search.in(held, 'hr')", "|", ";", "^", "~",
    "`", "|;^~`\t", "hr|;^~`\tx", "x', '|') or search.in(held, 'hr", "\U0001f600", "ＨＲ", "HR", "hr\u200b", "h\u0301r",
    "x' or doc_id ne 'x", "x')) or (doc_id ne '", "block_id eq 'x' or true",
)  # fmt: skip

NAMES = (
    "hr",
    "ann",
    "*",
    "user:ann",
    "org:hr",
    "department:hr",
    "a b",
    "a,b",
    "a|b",
    "O'Hara",
    "ü",
    "",
    *INJECTIONS,
)

CONTENT, DOCUMENTS = content_index(), documents_index()


def passes(filter_text: str | None, row: dict[str, object], definition: dict[str, object] = CONTENT) -> bool:
    return filter_text is None or evaluate(filter_text, row, definition)


def holdable(names: Sequence[str]) -> list[str]:
    return [name for name in names if "\0" not in name]


def test_there_are_fifty_injections() -> None:
    assert len(set(INJECTIONS)) >= 50


names = st.sampled_from(NAMES) | st.text(max_size=6)
callers = st.builds(
    Caller,
    user_id=st.none() | names,
    department=st.none() | names,
    org_id=st.none() | names,
    groups=st.frozensets(names, max_size=5),
    unfiltered=st.booleans(),
)
lists = st.lists(names.filter(lambda name: "\0" not in name), max_size=4)


@given(lists, callers, st.booleans())
def test_predicate_sql_clause_and_odata_filter_agree(held: list[str], caller: Caller, prefixed: bool) -> None:
    expected = may_read(held, caller, prefixed=prefixed)
    clause, parameters = readable_clause(caller, prefixed=prefixed, list_column="acl")
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE documents (acl TEXT)")
        database.execute("INSERT INTO documents VALUES (?)", (json.dumps(held),))
        rows = database.execute(f"SELECT 1 FROM documents WHERE {clause}", parameters).fetchall()
    database.close()
    row = {"access_control_list": held}
    assert passes(build_security_filter(caller, prefixed=prefixed), row) == bool(rows) == expected


@pytest.mark.parametrize("drawn", DRAWN)
def test_thousands_of_random_callers_documents_and_filters_leak_nothing(drawn: int) -> None:
    draw = random.Random(20260401)
    let_through = 0
    for _ in range(drawn):
        caller = a_caller(draw)
        held = holdable(draw.choices(NAMES[: draw.choice((9, 99))], k=draw.randrange(4)))
        row = {"access_control_list": held, "author": draw.choice(NAMES), "department": draw.choice(NAMES)}
        wanted = {
            field: [
                *draw.choices(NAMES, k=draw.randrange(1, 4)),
                *([row[field]] if draw.random() < 0.7 else []),
            ]
            for field in ("author", "department")
            if draw.random() < 0.6
        }
        prefixed = draw.random() < 0.5
        built = all_of([build_security_filter(caller, prefixed=prefixed), *(one_of(f, v) for f, v in wanted.items())])
        expected = may_read(held, caller, prefixed=prefixed) and all(
            row[field] and row[field] in values for field, values in wanted.items()
        )
        assert passes(built, row, DOCUMENTS) == expected, (caller, row, wanted, built)
        let_through += expected
    assert let_through > drawn / 40  # a filter that refuses everything would prove nothing


def a_caller(draw: random.Random) -> Caller:
    def maybe() -> str | None:
        return draw.choice(NAMES) if draw.random() < 0.6 else None

    return Caller(maybe(), maybe(), maybe(), frozenset(draw.choices(NAMES, k=draw.randrange(6))))


@pytest.mark.parametrize("injection", INJECTIONS)
def test_an_injected_name_opens_only_its_own_rows(injection: str) -> None:
    built = build_security_filter(Caller(user_id=injection, groups=frozenset({"x", injection})), prefixed=False)
    assert not passes(built, {"access_control_list": [one for one in ("hr", "y", "1") if one != injection]})
    assert not passes(built, {"access_control_list": []})
    if "\0" not in injection:
        assert passes(built, {"access_control_list": [injection]})


def test_without_identity_only_public_rows_pass() -> None:
    built = build_security_filter(ANONYMOUS, prefixed=True)
    assert passes(built, {"access_control_list": ["x", "*"]})
    assert not passes(built, {"access_control_list": ["x"]})


def test_only_a_caller_with_disabled_rules_has_no_filter() -> None:
    assert build_security_filter(Caller(unfiltered=True), prefixed=True) is None
    assert build_security_filter(Caller(), prefixed=True)


def test_an_empty_list_of_values_matches_nothing() -> None:
    assert holds_one_of("access_control_list", []) == one_of("doc_id", [""]) == one_of_numbers("page_number", [])
    assert not passes(all_of([NOTHING, "block_type eq 'text'"]), {"block_type": "text"})


def test_hundreds_of_groups_make_one_clause() -> None:
    groups = frozenset(f"group {n}, the {n}th" for n in range(900))
    built = build_security_filter(Caller(groups=groups), prefixed=True) or ""
    assert built.count("search.in") == 1
    assert " or " not in built
    assert passes(built, {"access_control_list": ["group:group 899, the 899th"]})
    assert not passes(built, {"access_control_list": ["group:group 899"]})


def test_names_that_contain_every_delimiter_are_compared_alone_and_never_split() -> None:
    odd = [f"{DELIMITERS}{n}" for n in range(60)]
    built = holds_one_of("access_control_list", odd)
    assert "search.in" not in built
    assert passes(built, {"access_control_list": [odd[0]]})
    assert not passes(built, {"access_control_list": ["0", DELIMITERS]})


def test_conditions_are_separated_by_parentheses() -> None:
    joined = all_of(["block_type eq 'text' or block_type eq 'image'", "doc_id eq 'a'", None])
    assert not passes(joined, {"block_type": "text", "doc_id": "b"})
    assert all_of([None]) is None


@pytest.mark.parametrize("wrong", [True, 1.5, float("nan"), ["x"], b"x"])
def test_a_literal_of_another_type_is_refused(wrong: object) -> None:
    with pytest.raises(TypeError):
        literal(wrong)  # type: ignore[arg-type]


def test_a_date_without_a_time_zone_and_a_malformed_text_are_refused() -> None:
    for wrong in (datetime(2026, 1, 1), "\ud800"):
        with pytest.raises(ValueError, match="in a filter"):
            literal(wrong)


def test_dates_are_written_in_utc() -> None:
    assert literal(datetime(2026, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))) == "2025-12-31T23:30:00.000Z"
    assert literal(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00.000Z"
    assert passes(
        comparison("upload_date", "ge", datetime(2026, 1, 1, tzinfo=UTC)),
        {"upload_date": "2026-01-01T00:00:00Z"},
        DOCUMENTS,
    )


@pytest.mark.parametrize(
    "field", ["", "doc_id eq 'x' or doc_id", "content_vector", "DOC_ID", "access_control_list/any()"]
)
def test_a_field_that_is_not_allowed_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match="no field"):
        one_of(field, ["x"])
    with pytest.raises(ValueError, match="no operator"):
        comparison("doc_id", "eq 'x' or doc_id eq", "x")
