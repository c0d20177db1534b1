"""Access lists as a user writes them."""

from __future__ import annotations

import pytest

from corpus.errors import InvalidRequest
from corpus.ingestion.access_lists import access_list


def test_a_list_is_sorted_and_has_each_entry_once() -> None:
    assert access_list(["user:b", "group:a", "user:b"], prefixed=True) == ("group:a", "user:b")


@pytest.mark.parametrize("entry", ["hr", "team:hr", "user:", ":hr"])
def test_with_kinds_an_entry_without_one_is_refused_with_the_fix(entry: str) -> None:
    with pytest.raises(InvalidRequest, match="department:"):
        access_list([entry], prefixed=True)


def test_without_kinds_plain_entries_are_accepted() -> None:
    assert access_list(["hr"], prefixed=False) == ("hr",)


@pytest.mark.parametrize("prefixed", [True, False])
def test_an_entry_that_is_blank_or_surrounded_by_blanks_is_refused(prefixed: bool) -> None:
    for entry in ("", " ", " user:ann"):
        with pytest.raises(InvalidRequest, match="blanks"):
            access_list([entry], prefixed=prefixed)


def test_everybody_can_always_be_named() -> None:
    assert access_list(["*"], prefixed=True) == ("*",)


@pytest.mark.parametrize(
    ("entry", "cure"),
    [
        ("user:ann,user:bob", "Write --allow user:ann --allow user:bob."),
        ("user:ann, group:staff", "Write --allow user:ann --allow group:staff."),
        ("user: ann", "Write user:ann."),
        ("user:*", "Write '*' alone for everybody."),
    ],
)
def test_an_entry_that_matches_nobody_is_refused_with_the_fix(entry: str, cure: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        access_list([entry], prefixed=True)
    assert cure in str(refused.value)


def test_a_name_with_a_comma_is_accepted() -> None:
    assert access_list(["group:CN=Staff,OU=People"], prefixed=True) == ("group:CN=Staff,OU=People",)
