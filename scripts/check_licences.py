"""The licences of everything that the server needs, as each package states them; 1 where one is not known to be free of
conditions for those who use it."""

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
"""The Mozilla Public License asks that its own files stay under it, which packages used unchanged do."""
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
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",  # and those of what it carries, which are as free
    # Only on other systems than that of whoever runs this, so that it need not be installed here.
    "colorama": "BSD-3-Clause",
    "dill": "BSD-3-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
    "pywin32": "PSF-2.0",
}


def main() -> int:
    """Prints a line for each package."""
    stated = {name: licence(name) for name in sorted(set(names()))}
    for name, said in stated.items():
        print(f"{name:28} {said}{'' if allowed(said) else '   <- look at it'}")
    return 0 if all(map(allowed, stated.values())) else 1


def names() -> list[str]:
    return PIN.findall((ROOT / "requirements" / "run.txt").read_text())


def licence(name: str) -> str:
    """As an expression of SPDX where the package says so or a person looked."""
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
    """Each part must be, also of a choice: nobody here chooses."""
    return {part.strip("() ") for part in re.split(r" AND | OR |, ", said)} <= ALLOWED


if __name__ == "__main__":
    sys.exit(main())
