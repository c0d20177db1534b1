"""Check whether this commit can be released under a tag: the version is the same everywhere, and the changelog has a
section for it."""

import json
import re
import sys
from pathlib import Path

from make_bundle import version

ROOT = Path(__file__).resolve().parent.parent
SECTION = re.compile(r"^## (\S+)(?: \((\d{4}-\d\d-\d\d)\))?\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def main(tag: str) -> int:
    """Print the problems. Return 1 if there are any."""
    wrong = faults(tag)
    print("\n".join(wrong) if wrong else f"{tag} can be released")
    return 1 if wrong else 0


def faults(tag: str, root: Path = ROOT) -> list[str]:
    known = version(root)
    server = json.loads((root / "server.json").read_text())
    sections = {name: (day, text) for name, day, text in SECTION.findall((root / "CHANGELOG.md").read_text())}
    day, text = sections.get(known, ("", ""))
    told = {
        f"the tag is {tag}, and pyproject.toml says {known}": tag != f"v{known}",
        f"server.json says {server['version']}, and pyproject.toml {known}": server["version"] != known,
        f"CHANGELOG.md has no section {known} with a day, as `## {known} (2027-01-31)`": not day,
        "CHANGELOG.md has changes under Unreleased still": bool(sections.get("Unreleased", ("", ""))[1].strip()),
        f"CHANGELOG.md says nothing under {known}": not text.strip(),
    }
    return [fault for fault, there in told.items() if there]


def notes(root: Path = ROOT) -> str:
    """Return the changelog section of this version, or the section of unreleased changes."""
    sections = {name: text for name, _, text in SECTION.findall((root / "CHANGELOG.md").read_text())}
    return str(sections.get(version(root), sections.get("Unreleased", ""))).strip() + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
