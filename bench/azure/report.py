"""Sections of bench/results/azure.md. A run writes its own section and preserves the others."""

from __future__ import annotations

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path

from bench.reports import keep

COMMAND = "python -m bench azure --write; python -m bench azure --corpora --write"
RESULTS = Path(__file__).parents[1] / "results" / "azure.md"
_TITLE = "# The Azure AI Search backend, against a stand-in"
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def write(title: str, text: str) -> None:
    """Replace the section with this title, or append it."""
    preface, *parts = _SECTION.split(RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else _TITLE)
    sections = {**dict(zip(parts[::2], parts[1::2], strict=True)), title: text}
    whole = [preface.strip(), *(f"## {name}\n\n{body.strip()}" for name, body in sections.items())]
    keep(RESULTS, "\n\n".join(whole) + "\n", COMMAND)


def circumstances(load_before: float) -> str:
    """Describe the machine, the time of the run, and whether other work used the machine. The bench itself occupies one
    core."""
    day, load = datetime.now(UTC).date(), os.getloadavg()[0]
    return (
        f"{day}, {_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; "
        f"load average {load_before:.1f} at the beginning and {load:.1f} at the end."
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", info.read_text(encoding="utf-8")) if info.exists() else None
    return found[1].strip() if found else platform.machine()
