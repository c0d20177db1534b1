"""Build the last commit twice, in two folders, and compare: anybody can reproduce a release byte for byte."""

import hashlib
import os
import sys
import tempfile
from pathlib import Path

from built import committed, distributions, epoch
from make_bundle import make


def main() -> int:
    """Print each file with its digest. Return 1 if two builds differ."""
    os.environ["SOURCE_DATE_EPOCH"] = epoch()  # a new commit during this run must not change the time
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first, second = built(Path(one)), built(Path(other))
    for name, digest in sorted(first.items()):
        print(f"{digest}  {name}" if second[name] == digest else f"{name} differs from one build to the next")
    return 0 if first == second else 1


def built(folder: Path) -> dict[str, str]:
    """Map each built file name to its SHA-256 digest."""
    source = committed(folder / "a source tree")
    files = [*distributions(source, folder), make(folder, source)]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


if __name__ == "__main__":
    sys.exit(main())
