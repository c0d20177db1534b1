"""`python -m bench soak [--seconds 600] [--clients 32] [--write]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench.soak.report import failures, shown, slow_or_growing
from bench.soak.run import Size, soak

RESULT = Path(__file__).parent.parent / "results" / "soak.md"
HEAD = "# Soak\n\n`python -m bench soak --write` made this: a server over HTTP under clients of both generations.\n\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench soak")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="keep the tables in bench/results/soak.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        done = soak(Path(folder), Size(asked.seconds, asked.clients, seed=asked.seed))
    found = [*failures(done), *slow_or_growing(done)]
    text = shown(done) + "\n\n" + ("\n".join(f"- {one}" for one in found) or "Nothing that should not be.") + "\n"
    print(text)
    if asked.write:
        RESULT.write_text(HEAD + text, encoding="utf-8")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
