"""Nothing in the repository names a person's machine or a package index.

A home folder in a file works for one person only; an index in a lock file overrules the one a company has chosen.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Each word is cut in two here, so that this file passes its own test.
_INDEXES = ("pypi." + "org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com", "npm" + "mirror")
_HOMES = (
    r"/ho" + r"me/(?!you\b)[a-z]",
    r"/Us" + r"ers/(?!you\b)[A-Za-z]",
    r"/ro" + r"ot/",
    r"[A-Z]:\\Us" + r"ers\\(?!you\b)\w",
)
_FORBIDDEN = re.compile("|".join([*map(re.escape, _INDEXES), *_HOMES]))


def main(root: Path) -> int:
    """Prints each place with a forbidden word; 1 when there is one."""
    found = [place for path in files(root) for place in places(root, path)]
    print("\n".join(found) if found else "words: none that must not stand here")
    return 1 if found else 0


def files(root: Path) -> Iterator[Path]:
    """The files that git knows or would add."""
    listed = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    return (root / name for name in names if name and (root / name).is_file())


def places(root: Path, path: Path) -> Iterator[str]:
    """Bytes that are no text, such as a PDF's, are passed over."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _FORBIDDEN.search(line):
            yield f"{path.relative_to(root)}:{number}: {match.group()}"


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
