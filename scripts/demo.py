"""`make demo`: from a fresh checkout to a cited answer. It needs only Python, and installs the packages that Ibid
needs."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACE = ROOT / ".venv-demo"
INDEX = ROOT / ".demo"
SAMPLES = Path("examples/documents")
QUESTION = "How does the XYZ pump work?"
PINS = ("requirements/run.txt", "requirements/build.txt")
STAMP = PLACE / "ready"
LINE_SECONDS = 10.0
"""Seconds between two lines of progress if the output is not a terminal."""


def main() -> int:
    """Return 0 if the answer was printed. Otherwise, return the exit code of the step that failed; that step has
    reported the reason."""
    os.chdir(ROOT)
    print("Ibid answers questions from your own documents and names file and page for each statement.")
    print("This demo installs it into .venv-demo, reads seven sample documents, and asks them a question.")
    seconds = {}
    for number, (name, title, step) in enumerate(STEPS, start=1):
        print(f"\n[{number}/{len(STEPS)}] {title}", flush=True)
        begun = time.monotonic()
        if code := step():
            return code
        seconds[name] = time.monotonic() - begun
    spent = ", ".join(f"{name} {taken:.0f} s" for name, taken in seconds.items())
    print(f"\nTime: {spent}.\n{_next_steps()}")
    return 0


def _install() -> int:
    if STAMP.is_file() and STAMP.stat().st_mtime >= max(Path(pin).stat().st_mtime for pin in PINS):
        print("    already there")
        return 0
    venv.create(PLACE, with_pip=True)
    pins = [word for pin in PINS for word in ("-r", pin)]
    # Modules are compiled when they are first imported, and most are never imported.
    if code := _pip_install(["--no-compile", "--require-hashes", *pins], count=_pinned()):
        return code
    if code := _pip_install(["--no-deps", "--no-build-isolation", "--editable", "."], count=1):
        return code
    STAMP.touch()
    return 0


def _pinned() -> int:
    return sum(line[:1].isalnum() for pin in PINS for line in Path(pin).read_text().splitlines())


def _pip_install(words: Sequence[str], *, count: int) -> int:
    """Run pip, and return its exit code. Show the number of packages while pip collects them, and pip's output if it
    fails."""
    command = [
        _program("python"),
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--progress-bar=off",
    ]
    output: list[str] = []
    progress = _Progress(count)
    with subprocess.Popen([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        for line in pip.stdout or ():
            output.append(line)
            progress.see(line)
    progress.end()
    if pip.returncode:
        print("".join(output[-20:]), file=sys.stderr)
    return pip.returncode


class _Progress:
    """A progress display: on a terminal, a single line that is overwritten; elsewhere, a new line every ten seconds."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0
        self._unpacks = False
        self._shown_at = time.monotonic()
        self._overwrites = sys.stdout.isatty()

    def see(self, line: str) -> None:
        self._done += line.startswith(("Collecting ", "Processing "))
        self._unpacks = self._unpacks or line.startswith("Installing collected packages")
        if self._count == 1:
            return
        if self._unpacks:
            self._show("unpacking", now=line.startswith("Installing"))
        else:
            self._show(f"{min(self._done, self._count)} of {self._count} packages")

    def end(self) -> None:
        if self._overwrites:
            print("\r\033[K", end="", flush=True)

    def _show(self, text: str, *, now: bool = False) -> None:
        if self._overwrites:
            print(f"\r\033[K    {text}", end="", flush=True)
        elif now or time.monotonic() - self._shown_at >= LINE_SECONDS:
            print(f"    {text}", flush=True)
            self._shown_at = time.monotonic()


def _ingest() -> int:
    return _run([_program("ibid"), "ingest", str(SAMPLES)])


def _ask() -> int:
    return _run([_program("python"), "examples/ask_over_stdio.py", QUESTION])


def _run(words: Sequence[str]) -> int:
    settings = {"RAG_DATA_DIR": INDEX.name, "RAG_LOG_LEVEL": "WARNING"}
    return subprocess.run(words, env=os.environ | settings, check=False).returncode


def _program(name: str) -> str:
    """Return the path of a program in the demo's environment, relative to the checkout."""
    folder = Path(sysconfig.get_path("scripts", "venv", {"base": PLACE.name}))
    return str(folder / (f"{name}.exe" if os.name == "nt" else name))


def _next_steps() -> str:
    ibid = _program("ibid")
    return f"""
What to try next:
  RAG_DATA_DIR={INDEX.name} {ibid} ask "{QUESTION}" --html {INDEX.name}/answer.html
      The same answer as a page for your browser: figures, and each claim
      outlined on the page that it cites. The pictures above are in {INDEX.name}/pictures.
  {ibid} ingest ~/Documents
      Read a folder of your own; then  {ibid} ask "..."
  {ibid} install claude-desktop
      Let a client ask (also claude-code, vscode, cursor)."""


STEPS = (
    ("installing", "Installing Ibid and the packages that it runs on", _install),
    ("reading", f"Reading {SAMPLES}", _ingest),
    ("answering", f"Asking over MCP, as any client does: {QUESTION}", _ask),
)

if __name__ == "__main__":
    sys.exit(main())
