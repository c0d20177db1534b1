"""Walk folders: find the files of an ingestion, and report what is skipped and why."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import AnyStr, cast

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from corpus.errors import InvalidRequest, UnreadableDocument
from corpus.ingestion.paths import Roots, absolute, is_hidden, is_there, is_under, open_within, real_roots
from corpus.readers.formats import holds_text, kind_of_name
from corpus.readers.protocol import Limits

MAX_BYTES = Limits().file_bytes
"""Maximum size of a file in bytes, which is the readers' limit."""

MAX_RULES = 2_000
"""Maximum number of rules in one file. Each path is matched against every rule; the gitignore files of large projects
have a few hundred."""
MAX_STAR_FOLDERS = 2
"""Maximum number of `**` in one rule, because each multiplies the matching time by the path's length."""

_STAR, _ANY = "[^/]*", "[^/]"


class _Rule(GitIgnoreSpecPattern):
    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: AnyStr) -> tuple[AnyStr | None, bool | None]:
        regex, include = super().pattern_to_regex(pattern)
        fast = without_backtracking(regex) if isinstance(regex, str) else regex
        return cast("AnyStr | None", fast), include


def rules_of(lines: Sequence[str]) -> GitIgnoreSpec:
    """Parse rules. Raises ValueError with the line number for a rule that is invalid or would take too long."""
    for number, line in enumerate(lines, 1):
        if line.lstrip("!").rstrip("/ ").strip("/").split("/").count("**") > MAX_STAR_FOLDERS:
            raise ValueError(f"line {number} has more than {MAX_STAR_FOLDERS} occurrences of **")
    if sum(1 for line in lines if line.strip()) > MAX_RULES:
        raise ValueError(f"more than {MAX_RULES} rules")
    return GitIgnoreSpec.from_lines(lines, pattern_factory=_Rule, backend="simple")


def without_backtracking(regex: str) -> str:
    """Return an equivalent expression that tries each part between two stars only at its first matching position.

    A later position would only leave less text for the next star to match, so atomic groups change no result.
    """
    start, *parts = regex.split(_STAR)
    within = ["/" not in part.replace(_ANY, "") for part in parts[:-1]]
    groups = [
        f"(?>{_STAR}?{part})" if is_within else _STAR + part
        for part, is_within in zip(parts, [*within, False], strict=False)
    ]
    return "".join([start, *groups])


IGNORE_FILE = ".ibidignore"
"""Name of the rules file, which may be in any folder."""

_MAX_RULE_BYTES = 1_000_000
"""Maximum size of one rules file in bytes, far more than MAX_RULES lines need."""


class UnclearRules(ValueError):
    """A rules file is unusable. Everything in its folder is skipped, because the rules may have been meant to exclude
    it."""


class IgnoreRules:
    """The rules files in a folder and all folders below it. Each is read once."""

    def __init__(self, root: Path, within: Roots = None) -> None:
        self._root = root
        self._within = within
        self._rules: dict[Path, GitIgnoreSpec | None] = {}

    def excludes(self, path: Path, *, is_folder: bool) -> bool:
        """Return whether the rules exclude exactly this path, which must be below the root. Raises UnclearRules.

        Rules in deeper folders and later lines take precedence. The caller must not enter an excluded folder.
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
        """Return whether the rules exclude this file or a folder above it. Raises UnclearRules."""
        above = [parent for parent in reversed(file.parents) if self._root in parent.parents]
        return any(self.excludes(folder, is_folder=True) for folder in above) or self.excludes(file, is_folder=False)

    def rules(self, folder: Path) -> GitIgnoreSpec | None:
        """Return the rules in this folder, or None if it has none. Raises UnclearRules."""
        if folder not in self._rules:
            self._rules[folder] = _rules_in(folder / IGNORE_FILE, self._within)
        return self._rules[folder]


def _rules_in(file: Path, within: Roots) -> GitIgnoreSpec | None:
    try:
        os.lstat(file)
        with open_within(file, within) as rules_file:
            text = rules_file.read(_MAX_RULE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (UnreadableDocument, OSError) as error:
        raise UnclearRules(f"its {IGNORE_FILE} cannot be read: {error}") from error
    if len(text) > _MAX_RULE_BYTES:
        raise UnclearRules(f"its {IGNORE_FILE} has more than {_MAX_RULE_BYTES // 1_000_000} MB")
    try:
        return rules_of(text.decode("utf-8-sig", "replace").splitlines())
    except ValueError as error:
        raise UnclearRules(f"its {IGNORE_FILE} is not understood: {error}") from error


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on the number and total size of the readable files in one run. The defaults are far above what most
    document folders contain, and stop an accidental run over an entire disk. A file larger than `file_bytes` is refused
    individually and does not count."""

    files: int = 20_000
    gigabytes: float = 50.0
    file_bytes: int = MAX_BYTES

    def check(self, files: int, size: int, root: Path) -> None:
        """Raise InvalidRequest if a run exceeds the bounds."""
        cure = "Name a smaller folder, leave parts of it out with a file .ibidignore, or raise"
        if files > self.files:
            raise InvalidRequest(f"More than {self.files} readable files are under {root}. {cure} RAG_MAX_FILES.")
        if size > self.gigabytes * 1e9:
            raise InvalidRequest(
                f"More than {self.gigabytes:g} GB of files are under {root}. {cure} RAG_MAX_GIGABYTES."
            )


@dataclass
class Walk:
    """A walk through folders, which collects its results in its fields. `closed` contains the reason for each folder
    that cannot be listed; `outside` contains the links that lead outside all roots.

    A link to a folder within the roots is not followed, because that folder is read at its own path. With
    `follow_links`, links that lead outside the roots are followed, once per folder. `apart` (the data folder) is never
    entered. Files without a suffix are accepted if `readable` contains "" and they contain text.
    """

    roots: Sequence[Path]
    readable: frozenset[str]
    follow_links: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    apart: Path | None = None
    files: dict[Path, None] = field(default_factory=dict)
    passed_over: Counter[str] = field(default_factory=Counter)
    closed: dict[Path, str] = field(default_factory=dict)
    outside: dict[Path, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.real_roots = real_roots(self.roots)
        self.within = None if self.follow_links else self.real_roots
        self._followed: list[Path] = []
        self._size = 0

    def all_of(self, root: Path) -> None:
        """Walk everything under the root. Raises InvalidRequest if the walk exceeds the bounds."""
        self._folder(root, root, IgnoreRules(root, self.within))

    def part_of(self, root: Path, path: Path) -> None:
        """Walk everything at or below one path under the root, with the same rules as `all_of`."""
        ignored = IgnoreRules(root, self.within)
        steps = [root, *reversed([parent for parent in path.parents if root in parent.parents])]
        if path == root:
            return self.all_of(root)
        try:
            for step in steps[1:]:
                if is_hidden(step.name) or ignored.excludes(step, is_folder=True):
                    return None
                if step.is_symlink() and not self.follow_links:
                    return None
            if not is_hidden(path.name):
                self._entry(path, root, ignored)
        except UnclearRules as problem:
            self.closed[path.parent] = str(problem)
        except OSError as problem:
            self.closed[path] = f"cannot be listed: {problem.strerror or problem}"
        return None

    def _folder(self, folder: Path, root: Path, ignored: IgnoreRules) -> None:
        waiting = [folder]
        while waiting:
            now = waiting.pop()
            try:
                names = sorted(os.listdir(now))
                ignored.rules(now)
                waiting += reversed([child for name in names for child in self._below(now / name, root, ignored)])
            except UnclearRules as problem:
                self.closed[now] = str(problem)
            except OSError as problem:
                self.closed[now] = f"cannot be listed: {problem.strerror or problem}"

    def _below(self, path: Path, root: Path, ignored: IgnoreRules) -> Iterator[Path]:
        """Yield the path if it is a folder to enter; if it is a file, collect or count it."""
        if is_hidden(path.name) or path == self.apart:
            return
        is_link = path.is_symlink() or bool(getattr(path, "is_junction", bool)())
        is_folder = path.is_dir()
        if ignored.excludes(path, is_folder=is_folder):
            return
        if is_link and not self._goes_through(path, is_folder=is_folder):
            return
        if is_folder:
            yield path
        else:
            self._file(path, root)

    def _entry(self, path: Path, root: Path, ignored: IgnoreRules) -> None:
        for folder in self._below(path, root, ignored):
            self._folder(folder, root, ignored)

    def _goes_through(self, link: Path, *, is_folder: bool) -> bool:
        real = Path(os.path.realpath(link))
        inside = any(is_under(real, root) for root in self.real_roots)
        if not inside and not self.follow_links:
            if is_folder or (link.suffix and link.suffix.lower() in self.readable):
                self.outside[link] = None
            return False
        if not is_folder:
            return True
        if inside or any(is_under(real, folder) for folder in self._followed):
            return False
        self._followed.append(real)
        return True

    def _file(self, path: Path, root: Path) -> None:
        suffix = kind_of_name(path)
        if suffix not in self.readable or (not suffix and not holds_text(path)):
            self.passed_over[path.suffix.lower() or "(no suffix)"] += 1
        elif path not in self.files:
            self.files[path] = None
            size = _size(path)
            self._size += size if size <= self.bounds.file_bytes else 0
            self.bounds.check(len(self.files), self._size, root)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # the file's reader reports the error
        return 0


@dataclass(frozen=True, slots=True)
class Sources:
    """Absolute paths of files, sorted, without duplicates. `passed_over` counts files without a reader, by suffix.
    `closed` contains the reason for each folder that cannot be listed; `outside` contains the links that lead outside
    the roots. When a file is opened, it must be in one of the folders `within`."""

    files: tuple[Path, ...]
    passed_over: Counter[str]
    closed: tuple[tuple[Path, str], ...] = ()
    outside: tuple[Path, ...] = ()
    within: Roots = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Limits of a walk; see `corpus.ingestion.walk.Walk`."""

    follow_links: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    apart: Path | None = None


USUAL = Scope()


def sources_under(
    paths: Iterable[Path],
    readable: frozenset[str],
    scope: Scope = USUAL,
    *,
    changed: Sequence[Path] | None = None,
) -> Sources:
    """Find the readable files under these paths; with `changed`, only files at or below those paths. Blocks.

    Hidden files and files excluded by .ibidignore are skipped. A file given as a path is accepted regardless of its
    kind, so that its reader reports the error. Raises InvalidRequest if the walk exceeds the scope's bounds.
    """
    roots = list(map(absolute, paths))
    walk = Walk(roots, readable, scope.follow_links, scope.bounds, scope.apart)
    for root in roots:
        parts = [root] if changed is None else [place for place in changed if is_under(place, root)]
        if not os.path.isdir(root):
            if parts and is_there(root):
                walk.files[root] = None
            continue
        for part in parts:
            if part == root or is_there(part, follow_symlinks=False):
                walk.part_of(root, part)
    return Sources(
        tuple(sorted(walk.files)),
        walk.passed_over,
        tuple(walk.closed.items()),
        tuple(sorted(walk.outside)),
        walk.within,
    )


def is_excluded(path: Path, roots: Iterable[Path]) -> bool:
    """Return whether .ibidignore excludes this path under any of the roots. Unusable rules exclude nothing. Blocks."""
    try:
        return any(IgnoreRules(root).hides(path) for root in roots if root in path.parents)
    except UnclearRules:
        return False
