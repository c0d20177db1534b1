"""Filters as clients send them."""

from __future__ import annotations

import pytest

from corpus.errors import InvalidRequest
from corpus.filters import Filters


def test_a_value_and_a_list_of_one_value_are_equivalent() -> None:
    assert Filters.parse({"author": "Ann"}) == Filters.parse({"author": ["Ann"]}) == Filters(author=("Ann",))


def test_an_empty_filter_filters_nothing() -> None:
    assert not Filters.parse(None)
    for empty in (None, "", []):
        assert not Filters.parse({"author": empty, "page_number": empty, "dated_after": empty})


def test_days_are_accepted_with_or_without_a_time() -> None:
    parsed = Filters.parse({"uploaded_after": "2026-03-31", "uploaded_before": "2026-04-01T10:00:00Z"})
    assert (parsed.uploaded_after, parsed.uploaded_before) == ("2026-03-31", "2026-04-01")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"auther": "Ann"}, "Did you mean 'author'?"),
        ({"access_control_list": "*"}, "Unknown filter"),
        ({"author": ["a"] * 101}, "at most 100"),
        ({"author": 7}, "takes text"),
        ({"author": "  "}, "takes text"),
        ({"author": {"a": 1}}, "takes text"),
        ({"block_type": "video"}, "'text' or 'image'"),
        ({"page_number": 0}, "from 1"),
        ({"page_number": True}, "from 1"),
        ({"page_number": "x"}, "from 1"),
        ({"page_number": "²"}, "from 1"),
        ({"uploaded_after": "yesterday"}, "date like 2026-03-31"),
        ({"uploaded_after": "2026-02-31"}, "date like 2026-03-31"),
        ({"uploaded_after": 20260101}, "date like 2026-03-31"),
    ],
)
def test_a_malformed_filter_is_reported_with_its_fix(raw: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidRequest, match=message.replace("?", r"\?")):
        Filters.parse(raw)
