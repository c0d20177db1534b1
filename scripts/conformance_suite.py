"""Test the server with the protocol's conformance suite, over HTTP, for both protocol generations.

The suite runs once with the fixtures that it requires, and once with the product alone. tests/conformance/expected/
lists the expected failures and their reasons. Only the suite's exit code matters, not the counts that it prints.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from node_tools import NoNode, installed

ROOT = Path(__file__).resolve().parent.parent
EXPECTED = ROOT / "tests" / "conformance" / "expected"
REVISIONS = ("2025-11-25", "2026-07-28")
SECONDS = 120


def main(arguments: list[str]) -> int:
    """Return 0 if every scenario ended as expected, or, with `--if-possible`, if Node is not available."""
    try:
        node, commands = installed("conformance")
    except NoNode as missing:
        print(f"conformance: not judged. {missing}", file=sys.stderr)
        return 0 if "--if-possible" in arguments else 1
    suite = [node, str(commands / "conformance")]
    verdicts = [judged(suite, kind) for kind in ("fixtures", "plain")]
    return 0 if all(verdicts) else 1


def judged(suite: list[str], kind: str) -> bool:
    with served(kind) as url:
        verdicts = [passed(suite, url, kind, revision) for revision in REVISIONS]
    return all(verdicts)


@contextmanager
def served(kind: str) -> Iterator[str]:
    """Run a server, and yield its URL."""
    command = [
        sys.executable,
        "-m",
        "tests.conformance.serve",
        *(["--fixtures"] if kind == "fixtures" else []),
    ]
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said) as server,
    ):
        if server.stdin is None or server.stdout is None:
            sys.exit("no pipes")
        try:
            url = server.stdout.readline().decode().strip()
            if not url:
                said.seek(0)
                sys.exit(said.read().decode())
            yield url
        finally:
            server.stdin.close()
            server.wait(SECONDS)


def passed(suite: list[str], url: str, kind: str, revision: str) -> bool:
    with tempfile.TemporaryDirectory() as results:
        command = [*suite, "server", "--url", url, "--requirements", revision, "-o", results]
        command += ["--expected-failures", str(EXPECTED / f"{kind}-{revision}.yml")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=results)
    ok = done.returncode == 0
    print(f"conformance {revision}, {kind}: {'as expected' if ok else f'exit code {done.returncode}'}")
    if not ok:
        print(done.stdout[done.stdout.find("=== SUMMARY") :] + done.stderr, file=sys.stderr)
    return ok


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
