"""Apply .ibidignore files, by the rules of .gitignore."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import AnyStr, cast

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from corpus.errors import UnreadableDocument
from corpus.ingestion.paths import Roots, opened_within

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


NAME = ".ibidignore"

_MOST_BYTES = 1_000_000


class UnclearRules(ValueError):
    """A file of rules that cannot be followed: what lies below it is left alone, since some of it was to be."""


class Ignored:
    """The rules of the files of this name in a folder and all below it; each file is read once."""

    def __init__(self, root: Path, within: Roots = None) -> None:
        self._root = root
        self._within = within
        self._rules: dict[Path, GitIgnoreSpec | None] = {}

    def excludes(self, path: Path, *, is_folder: bool) -> bool:
        """Whether the rules name this very path, which lies under the root. Raises UnclearRules.

        A deeper file has the last word, as has a later line. What lies in an excluded folder is not asked for.
        """
        for folder in path.parents:
            rules = self.rules(folder)
            if rules is not None:
                place = path.relative_to(folder).as_posix() + ("/" if is_folder else "")
                said = rules.check_file(place).include
                if said is not None:
                    return said
            if folder == self._root:
                break
        return False

    def hides(self, file: Path) -> bool:
        """Whether the rules name this file or a folder that it lies in. Raises UnclearRules."""
        above = [folder for folder in reversed(file.parents) if self._root in folder.parents]
        return any(self.excludes(one, is_folder=True) for one in above) or self.excludes(
            file, is_folder=False
        )

    def rules(self, folder: Path) -> GitIgnoreSpec | None:
        """Those of one folder. Raises UnclearRules."""
        if folder not in self._rules:
            self._rules[folder] = _rules_in(folder / NAME, self._within)
        return self._rules[folder]


def _rules_in(file: Path, within: Roots) -> GitIgnoreSpec | None:
    try:
        os.lstat(file)
        with opened_within(file, within) as opened:
            text = opened.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (UnreadableDocument, OSError) as error:
        raise UnclearRules(f"its {NAME} cannot be read: {error}") from error
    if len(text) > _MOST_BYTES:
        raise UnclearRules(f"its {NAME} has more than {_MOST_BYTES // 1_000_000} MB")
    try:
        return rules_of(text.decode("utf-8-sig", "replace").splitlines())
    except ValueError as error:
        raise UnclearRules(f"its {NAME} is not understood: {error}") from error
