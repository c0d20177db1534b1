"""From claims to principals: exactly those that the settings select, and no value that imitates another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.access import Caller
from server.identity.claims import MAX_GROUPS, MAX_NAME, Meaning, fault, who
from server.identity.verified_caller import Unknown

ALL = Meaning(user="oid", groups=("groups", "roles"), department="dept", org="tid")
CLAIMS = ("oid", "groups", "roles", "dept", "tid", "sub", "scp", "department", "org", "user", "group", "amr")

odd = st.sampled_from(["*", "user:ann", "group:*", " ", "", "a\0b", "a\u202eb", "\ud800", "x" * 300, "User:x", "ann"])
text = st.text(max_size=8) | odd
value = st.recursive(
    st.none() | st.booleans() | st.integers() | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=2),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(CLAIMS), value), st.booleans())
def test_a_caller_has_exactly_the_principals_of_the_named_claims(claims: dict[str, Any], prefixed: bool) -> None:
    found = who(claims, ALL)
    if isinstance(found, Unknown):
        single = [claims.get(name) for name in ("oid", "dept", "tid")]
        lists = [claims.get(name) for name in ("groups", "roles")]
        assert (
            claims.get("oid") is None
            or any(one is not None and fault(one) for one in single)
            or any(not isinstance(one, str | list | None) for one in lists)
        )
        return
    named = {("user", claims["oid"]), ("department", claims.get("dept")), ("org", claims.get("tid"))}
    for claim in ("groups", "roles"):
        given = claims.get(claim) or []
        named |= {("group", one) for one in ([given] if isinstance(given, str) else given) if not fault(one)}
    expected = {f"{kind}:{name}" if prefixed else name for kind, name in named if name is not None} | {"*"}
    assert found.principals(prefixed=prefixed) == expected
    assert not found.unfiltered


@pytest.mark.parametrize("name", [
    "*", " * ", "", " ", "user:ann", "User:ann", "group:board", "org:x", "department:hr", " ann", "ann ", "a\nb",
    "a\tb", "a\0", "\ud800", "a\u200bb", "a\u202eb", "x" * (MAX_NAME + 1), 7, 7.5, True, None, ["ann"], {"ann": 1},
])  # fmt: skip
def test_values_that_a_stranger_can_choose_imitate_nothing_else(name: Any) -> None:
    lists = who({"oid": "bob", "groups": [name, "board"]}, ALL)
    assert lists == Caller("bob", groups=frozenset({"board"}))
    if name is not None:
        assert isinstance(who({"oid": name}, ALL), Unknown)
        assert isinstance(who({"oid": "bob", "tid": name}, ALL), Unknown)
        assert isinstance(who({"oid": "bob", "dept": name}, ALL), Unknown)


@pytest.mark.parametrize(
    "name", ["ann", "a b", "Ännchen", "a|b", "a,b", "CN=board,OU=x", "a'b", "mailto:x", "x" * MAX_NAME]
)
def test_usual_names_are_taken_unchanged(name: str) -> None:
    assert who({"oid": name, "groups": name}, ALL) == Caller(name, groups=frozenset({name}))


def test_a_token_that_names_no_user_reports_the_missing_claim() -> None:
    found = who({"sub": "ann", "groups": ["board"]}, ALL)
    assert isinstance(found, Unknown)
    assert "'oid'" in found.reason


@pytest.mark.parametrize("claims", [
    {"_claim_names": {"groups": "src1"}}, {"_claim_names": {"roles": "src1"}}, {"_claim_names": {"oid": "src1"}},
    {"_claim_names": {"groups": "src1"}, "groups": ["board"]}, {"hasgroups": True}, {"hasgroups": "true"},
])  # fmt: skip
def test_omitted_claims_are_never_taken_for_empty(claims: dict[str, Any]) -> None:
    found = who({"oid": "ann", **claims}, ALL)
    assert isinstance(found, Unknown)
    assert "omits your groups" in found.reason


def test_omitted_claims_that_are_not_read_do_not_matter() -> None:
    roles = Meaning(user="oid", groups=("roles",))
    claims = {"oid": "ann", "roles": ["reader"], "_claim_names": {"groups": "src1"}, "hasgroups": True}
    assert who(claims, roles) == Caller("ann", groups=frozenset({"reader"}))


def test_more_groups_than_allowed_are_an_error_and_not_cut() -> None:
    found = who({"oid": "ann", "groups": [f"g{n}" for n in range(MAX_GROUPS + 1)]}, ALL)
    assert isinstance(found, Unknown)


def test_a_dot_in_a_claim_name_is_not_a_path() -> None:
    meaning = Meaning(groups=("realm_access.roles",))
    assert who({"sub": "ann", "realm_access": {"roles": ["admin"]}}, meaning) == Caller("ann")
    assert who({"sub": "ann", "realm_access.roles": ["x"]}, meaning) == Caller("ann", groups=frozenset({"x"}))
