from __future__ import annotations

import pytest

from server.evidence_claims import KEY, Removed, after_changes, as_read
from tools.text_anchors import utf16_offset


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("plain", "plain"),
        ("\ufeffa\r\nb\rc\u200bd\U000e0041e", "a\nb\ncde"),
        ("It holds. (no such source)\nNext.", "It holds.\nNext."),
        ("a\ud800b", "ab"),
    ],
)
def test_each_character_that_was_read_is_found_in_the_text_that_was_passed(text: str, read: str) -> None:
    as_it_was, offsets = as_read(text)

    assert as_it_was == read
    wide = text.encode("utf-16-le", "surrogatepass")
    for at, letter in enumerate(read):
        start, end = offsets.of(at, at + 1)
        assert wide[2 * start : 2 * end].decode("utf-16-le") in (letter, "\r" if letter == "\n" else letter)


def test_text_removed_before_or_after_a_part_does_not_belong_to_it() -> None:
    removed = Removed([(0, 2), (5, 7)])  # xxabcyyde

    assert (removed.begin(0), removed.end(3)) == (2, 5)
    assert (removed.begin(3), removed.end(5)) == (7, 9)


def test_a_character_outside_the_basic_plane_is_two_units() -> None:
    assert [utf16_offset("a😀b", at) for at in range(4)] == [0, 1, 3, 4]


def test_text_after_a_longer_address_moves_and_text_before_it_stays() -> None:
    held = {"other": 1, KEY: {"claims": [[0, 5, "found"], [10, 20, "partly"]], "blocks": [], "more": 2}}

    moved = after_changes(held, [(7, 30), (15, 4)])

    assert moved == {
        "other": 1,
        KEY: {"claims": [[0, 5, "found"], [40, 54, "partly"]], "blocks": [], "more": 2},
    }
    assert after_changes(None, [(7, 30)]) == {}
