"""Check that the code is in order: that the numbers of forbidden names and undocumented public functions stay within
their limits. Also print sizes.

Limits are lowered as the code is put in order, and never raised. CONTRIBUTING.md lists the names and the reasons.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from measure_house import (
    MAX_FOLDER,
    PARTICIPLES,
    Source,
    folders,
    letters,
    locals_called,
    old_bounds,
    participles,
    public,
    shared_names,
    sources,
)

Places = Callable[[Source], Iterator[tuple[int, str]]]

MAX_FILE = 400
"""Maximum number of non-blank lines in a file; longer files are only listed."""
MAX_SHOWN = 10


def undocumented(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each public function, class and method without a docstring."""
    return ((line, name) for line, name, documented in public(source) if not documented)


RULES: dict[str, tuple[Places, int]] = {
    "variables called `one`": (lambda source: locals_called(source, frozenset({"one"})), 0),
    "variables called by a participle": (lambda source: locals_called(source, PARTICIPLES), 1),
    "functions, classes and files called by a participle": (participles, 0),
    "constants that MAX_ or MIN_ should begin": (old_bounds, 0),
    '"letters" for characters': (letters, 34),
    "public functions, classes and methods without a docstring": (undocumented, 0),
}
"""Rules: where each forbidden pattern occurs, and its maximum number of occurrences."""
MAX_SHARED_NAMES = 9
"""Maximum number of file names that several files share. A search for such a name finds all of these files."""


def main(root: Path, arguments: list[str]) -> int:
    """Print each count with its limit, and with --all each occurrence. Return 1 if a count exceeds its limit."""
    found = sources(root)
    over = False
    for rule, (places, limit) in RULES.items():
        all_places = [f"{source.path}:{line}: {name}" for source in found for line, name in places(source)]
        over = _tell(rule, all_places, limit, shows_all="--all" in arguments) or over
    shared = [f"{name}: {count} files" for name, count in sorted(shared_names(found).items())]
    over = (
        _tell("file names that several files share", shared, MAX_SHARED_NAMES, shows_all="--all" in arguments) or over
    )
    _tell_sizes(found)
    return 1 if over else 0


def _tell(rule: str, places: list[str], limit: int, *, shows_all: bool) -> bool:
    """Print a count, and return whether it exceeds its limit."""
    count = len(places)
    over = count > limit
    remark = f"more than {limit}" if over else f"lower the limit of {limit}" if count < limit else "as allowed"
    print(f"house: {count} {rule}: {remark}")
    if over or shows_all:
        print("\n".join(f"  {place}" for place in (places if shows_all else places[:MAX_SHOWN])))
    return over


def _tell_sizes(found: list[Source]) -> None:
    """Print sizes, but do not enforce limits for them, because a single large idea needs a large file."""
    long = [f"{source.path} ({source.lines})" for source in found if source.lines > MAX_FILE]
    full = [f"{folder} ({count})" for folder, count in sorted(folders(found).items()) if count > MAX_FOLDER]
    print(f"house: files longer than {MAX_FILE} lines: {', '.join(long) or 'none'}")
    print(f"house: folders with more than {MAX_FOLDER} files: {', '.join(full) or 'none'}")


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent, sys.argv[1:]))
