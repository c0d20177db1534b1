"""Rules of .ibidignore that would take forever, and invalid .ibidignore files."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from corpus.ingestion.walk import MAX_RULES, Scope, rules_of, sources_under, without_backtracking

READABLE = frozenset({".md"})


def closed(root: Path, rules: str | bytes) -> list[str]:
    (root / "a.md").write_text("text")
    (root / ".ibidignore").write_bytes(rules if isinstance(rules, bytes) else rules.encode())
    found = sources_under([root], READABLE)
    assert found.files == ()
    return [why for _, why in found.closed]


def test_text_between_wildcards_is_searched_once() -> None:
    assert without_backtracking("^(?:.+/)?[^/]*a[^/]*b[^/]*c$") == "^(?:.+/)?(?>[^/]*?a)(?>[^/]*?b)[^/]*c$"
    assert without_backtracking("^[^/]*a/[^/]*[^/]b[^/]*$") == "^[^/]*a/(?>[^/]*?[^/]b)[^/]*$"


def test_a_rule_that_would_backtrack_forever_is_answered(tmp_path: Path) -> None:
    (tmp_path / ".ibidignore").write_text("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n")
    name = "a" * 200 + ".md"
    (tmp_path / name).write_text("text")
    assert [file.name for file in sources_under([tmp_path], READABLE).files] == [name]


@pytest.mark.parametrize(
    "rule",
    ["*a*b*.md", "**/x*y*/z?*", "a**b", "*.md", "/*/b*c*d", "x[ab]*c*[!d]", "!a*b*c", "*?a*?b*", "a/**/b*c*d",
     "\\*a*b*", "*/", "**", "*a*b*/"],
)  # fmt: skip
def test_rules_match_as_before(rule: str) -> None:
    ours, theirs = rules_of([rule]), GitIgnoreSpec.from_lines([rule])
    parts = ["a", "b", "ab", "abc.md", "xay", "zq", "aXbXc", "bcd", "xac1", "*ab", "aabb.md"]
    places = [*parts, *(f"{one}/{two}{end}" for one in parts for two in parts for end in ("", "/", "/bzczd"))]
    assert [ours.check_file(one).include for one in places] == [theirs.check_file(one).include for one in places]


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("fine.md\n**/a/**/b/**/c/**/d", "line 2 has more than 2 occurrences of [*][*]"),
        ("a.md\n" * (MAX_RULES + 1), f"more than {MAX_RULES} rules"),
        ("#" + "x" * 1_000_000 + "\nsecret.md\n", "more than 1 MB"),
    ],
)
def test_rules_beyond_the_limits_close_their_folder(tmp_path: Path, rules: str, why: str) -> None:
    (told,) = closed(tmp_path, rules)
    assert re.search(why, told)


def test_a_pipe_in_place_of_rules_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.md").write_text("text")
    os.mkfifo(tmp_path / "sub" / ".ibidignore")
    found = sources_under([tmp_path], READABLE)
    assert [file.name for file in found.files] == ["a.md"]
    assert [(place.name, "not a regular file" in why) for place, why in found.closed] == [("sub", True)]


def test_rules_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.md").write_text("text")
    (tmp_path / "rules").write_text("*.md")
    (root / ".ibidignore").symlink_to(tmp_path / "rules")
    assert ["leads out" in why for _, why in sources_under([root], READABLE).closed] == [True]
    followed = sources_under([root], READABLE, Scope(follow_links=True))
    assert (followed.files, followed.closed) == ((), ())
