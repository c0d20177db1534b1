"""Write all files of a release to `dist/`: the sdist and the wheel, the bundle, the notes, and the digests of all these
files."""

import hashlib
import sys

from built import ROOT, distributions
from check_release import notes
from make_bundle import make


def main() -> int:
    folder = ROOT / "dist"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("ibid?mcp-*"):
        old.unlink()
    made = [*distributions(ROOT, folder), make(folder)]
    (folder / "NOTES.md").write_text(notes(), encoding="utf-8")
    made += folder.glob("*.cdx.json")
    sums = "".join(f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in made)
    (folder / "SHA256SUMS").write_text(sums)
    print(sums, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
