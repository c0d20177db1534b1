"""Check that no file in the repository names a person's machine or a package index.

A path into a home folder works for only one person, and an index in a lock file overrides the index that a company has
configured.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Each word is split in two here, so that this file passes its own check.
_INDEXES = ("pypi." + "org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com", "npm" + "mirror")
_HOMES = (
    r"/ho" + r"me/(?!you\b)[a-z]",
    r"/Us" + r"ers/(?!you\b)[A-Za-z]",
    r"/ro" + r"ot/",
    r"[A-Z]:\\Us" + r"ers\\(?!you\b)\w",
)
_FORBIDDEN = re.compile("|".join([*map(re.escape, _INDEXES), *_HOMES]))


def main(root: Path) -> int:
    """Print each occurrence of a forbidden word. Return 1 if there are any."""
    found = [place for path in files(root) for place in places(root, path)]
    print("\n".join(found) if found else "words: none that must not stand here")
    return 1 if found else 0


def files(root: Path) -> Iterator[Path]:
    """Yield the files that git tracks or would add."""
    listed = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    return (root / name for name in names if name and (root / name).is_file())


def places(root: Path, path: Path) -> Iterator[str]:
    """Yield each line with a forbidden word. Skip files that are not UTF-8 text, such as PDFs."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _FORBIDDEN.search(line):
            yield f"{path.relative_to(root)}:{number}: {match.group()}"


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
