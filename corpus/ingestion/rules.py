"""Rules of `.gitignore`, matched in a time that no rule and no name can drive up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import AnyStr, cast

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

MOST_RULES = 2_000
MOST_FOLDERS = 2
"""Of `**` in one rule: each multiplies the time by the length of the path."""

_STAR, _ANY = "[^/]*", "[^/]"


class _Rule(GitIgnoreSpecPattern):
    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: AnyStr) -> tuple[AnyStr | None, bool | None]:
        regex, include = super().pattern_to_regex(pattern)
        written = without_backtracking(regex) if isinstance(regex, str) else regex
        return cast("AnyStr | None", written), include


def rules_of(lines: Sequence[str]) -> GitIgnoreSpec:
    """Raises ValueError with the line for what is not understood or would take too long."""
    for number, line in enumerate(lines, 1):
        if line.lstrip("!").rstrip("/ ").strip("/").split("/").count("**") > MOST_FOLDERS:
            raise ValueError(f"line {number} has more than {MOST_FOLDERS} times **")
    if sum(1 for line in lines if line.strip()) > MOST_RULES:
        raise ValueError(f"more than {MOST_RULES} rules")
    return GitIgnoreSpec.from_lines(lines, pattern_factory=_Rule, backend="simple")


def without_backtracking(regex: str) -> str:
    """Equal, but what stands between two stars of a name is looked for once, at its first place: any later one would
    only leave the second star less."""
    start, *parts = regex.split(_STAR)
    within = ["/" not in part.replace(_ANY, "") for part in parts[:-1]]
    written = [
        f"(?>{_STAR}?{part})" if is_within else _STAR + part
        for part, is_within in zip(parts, [*within, False], strict=False)
    ]
    return "".join([start, *written])
