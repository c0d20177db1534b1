"""Check the licences of all packages that the server needs, as each package states them. Exit with 1 unless every
licence is known not to impose conditions on users."""

import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIN = re.compile(r"^([a-z0-9.-]+)==", re.MULTILINE)
ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0",
    "Zlib",
}  # fmt: skip
"""Licences that impose no conditions on users. The Mozilla Public License requires that files under it stay under it,
which is the case for unmodified packages."""
SPOKEN = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
LOOKED_AT = {
    "olefile": "BSD-2-Clause",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",  # and those of its bundled libraries, which are equally permissive
    # Installed only on other operating systems, so the metadata may be missing on this machine.
    "colorama": "BSD-3-Clause",
    "dill": "BSD-3-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
    "pywin32": "PSF-2.0",
}


def main() -> int:
    """Print a line for each package. Return 1 if a licence is not allowed."""
    stated = {name: licence(name) for name in sorted(set(names()))}
    for name, said in stated.items():
        print(f"{name:28} {said}{'' if allowed(said) else '   <- look at it'}")
    return 0 if all(map(allowed, stated.values())) else 1


def names() -> list[str]:
    return PIN.findall((ROOT / "requirements" / "run.txt").read_text())


def licence(name: str) -> str:
    """Return the licence as an SPDX expression if the package states one or LOOKED_AT contains the package."""
    if name in LOOKED_AT:
        return LOOKED_AT[name]
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return "not installed"
    expressions: list[str] = [one for key in ("License-Expression", "License") for one in told.get_all(key) or []]
    short = [one for one in expressions if one and len(one) < 80]
    groups = [one for one in told.get_all("Classifier") or [] if one.startswith("License")]
    said = (short or [one.rpartition(" :: ")[2] for one in groups] or ["none stated"])[0]
    return SPOKEN.get(said, said)


def allowed(said: str) -> bool:
    """Return whether every part of the expression is allowed, including every alternative of an OR."""
    return {part.strip("() ") for part in re.split(r" AND | OR |, ", said)} <= ALLOWED


if __name__ == "__main__":
    sys.exit(main())
