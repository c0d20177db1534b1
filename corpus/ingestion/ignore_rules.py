"""Apply .ibidignore files, with the rules of .gitignore."""

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
"""In one file. Each file is matched against all of them; gitignore files of large projects have some hundred."""
MOST_FOLDERS = 2
"""Number of `**` in one rule: each multiplies the matching time by the path's length."""

_STAR, _ANY = "[^/]*", "[^/]"


class _Rule(GitIgnoreSpecPattern):
    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: AnyStr) -> tuple[AnyStr | None, bool | None]:
        regex, include = super().pattern_to_regex(pattern)
        fast = without_backtracking(regex) if isinstance(regex, str) else regex
        return cast("AnyStr | None", fast), include


def rules_of(lines: Sequence[str]) -> GitIgnoreSpec:
    """Parse rules. Raises ValueError, naming the line, for one that is invalid or would take too long."""
    for number, line in enumerate(lines, 1):
        if line.lstrip("!").rstrip("/ ").strip("/").split("/").count("**") > MOST_FOLDERS:
            raise ValueError(f"line {number} has more than {MOST_FOLDERS} times **")
    if sum(1 for line in lines if line.strip()) > MOST_RULES:
        raise ValueError(f"more than {MOST_RULES} rules")
    return GitIgnoreSpec.from_lines(lines, pattern_factory=_Rule, backend="simple")


def without_backtracking(regex: str) -> str:
    """Return an equivalent expression that matches each part between two stars only at its first place.

    A later place would only leave the next star less to match, so atomic groups change no result.
    """
    start, *parts = regex.split(_STAR)
    within = ["/" not in part.replace(_ANY, "") for part in parts[:-1]]
    groups = [
        f"(?>{_STAR}?{part})" if is_within else _STAR + part
        for part, is_within in zip(parts, [*within, False], strict=False)
    ]
    return "".join([start, *groups])


NAME = ".ibidignore"
"""The file's name, in any folder."""

_MOST_BYTES = 1_000_000


class UnclearRules(ValueError):
    """An unusable rules file. Everything below it is skipped: it may have been meant to exclude some of that."""


class Ignored:
    """The rules files in a folder and all below it; each is read once."""

    def __init__(self, root: Path, within: Roots = None) -> None:
        self._root = root
        self._within = within
        self._rules: dict[Path, GitIgnoreSpec | None] = {}

    def excludes(self, path: Path, *, is_folder: bool) -> bool:
        """Return whether a rule matches this very path, which lies under the root. Raises UnclearRules.

        Deeper files and later lines win. Callers do not enter an excluded folder.
        """
        for folder in path.parents:
            rules = self.rules(folder)
            if rules is not None:
                place = path.relative_to(folder).as_posix() + ("/" if is_folder else "")
                include = rules.check_file(place).include
                if include is not None:
                    return include
            if folder == self._root:
                break
        return False

    def hides(self, file: Path) -> bool:
        """Return whether a rule matches this file or a folder above it. Raises UnclearRules."""
        above = [parent for parent in reversed(file.parents) if self._root in parent.parents]
        return any(self.excludes(folder, is_folder=True) for folder in above) or self.excludes(
            file, is_folder=False
        )

    def rules(self, folder: Path) -> GitIgnoreSpec | None:
        """Return one folder's rules, None where it has none. Raises UnclearRules."""
        if folder not in self._rules:
            self._rules[folder] = _rules_in(folder / NAME, self._within)
        return self._rules[folder]


def _rules_in(file: Path, within: Roots) -> GitIgnoreSpec | None:
    try:
        os.lstat(file)
        with opened_within(file, within) as rules_file:
            text = rules_file.read(_MOST_BYTES + 1)
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
