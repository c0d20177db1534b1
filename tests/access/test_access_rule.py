"""The access rule: its two forms agree on every list and every caller."""

from __future__ import annotations

import json
import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from corpus.access import ANONYMOUS, PUBLIC, Caller, may_read, readable_clause

names = st.sampled_from(["hr", "ann", "*", "user:ann", "org:hr", "department:hr", "Ann", "", "a'b", '"', "ü", "\\"])
odd = st.sampled_from(["ann\0x", "hr\0", "\ud800", "ann\udfff", "\0"])
callers = st.builds(
    Caller,
    user_id=st.none() | names | odd,
    department=st.none() | names | odd,
    org_id=st.none() | names,
    groups=st.frozensets(names | odd, max_size=3),
    unfiltered=st.booleans(),
)
lists = st.lists(names, max_size=4)


@given(lists, callers, st.booleans())
def test_the_predicate_and_the_sql_clause_agree(held: list[str], caller: Caller, prefixed: bool) -> None:
    clause, parameters = readable_clause(caller, prefixed=prefixed, list_column="acl")
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE documents (acl TEXT)")
        database.execute("INSERT INTO documents VALUES (?)", (json.dumps(held),))
        rows = database.execute(f"SELECT 1 FROM documents WHERE {clause}", parameters).fetchall()
    database.close()
    assert bool(rows) == may_read(held, caller, prefixed=prefixed)


@given(callers, st.booleans())
def test_an_empty_list_is_readable_by_nobody(caller: Caller, prefixed: bool) -> None:
    assert may_read([], caller, prefixed=prefixed) == caller.unfiltered


@given(lists, st.booleans())
def test_without_identity_only_public_documents_are_readable(held: list[str], prefixed: bool) -> None:
    assert may_read(held, ANONYMOUS, prefixed=prefixed) == (PUBLIC in held)


@given(names, names)
def test_with_prefixes_a_name_grants_nothing_of_another_kind(user: str, department: str) -> None:
    caller = Caller(user_id=user, department=department)
    assert not may_read([f"org:{user}", f"group:{department}"], caller, prefixed=True)


def test_without_prefixes_the_kind_of_a_name_does_not_matter() -> None:
    assert may_read(["hr"], Caller(groups=frozenset({"hr"})), prefixed=False)


def test_a_name_that_no_list_can_contain_grants_nothing() -> None:
    for odd_name in ("ann\0x", "\ud800ann"):
        assert Caller(user_id=odd_name).principals(prefixed=False) == {PUBLIC}
