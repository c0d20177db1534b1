"""`make bench`: every bench that this machine can run, one after the other."""

from __future__ import annotations

import os
import subprocess
import sys

BENCHES = {"bench.local_index": False, "bench.retrieval": True}
"""Module, and whether it needs the development corpora."""


def main() -> None:
    """Ends with the number of benches that failed."""
    failed = 0
    for module, needs_corpora in BENCHES.items():
        if needs_corpora and not os.environ.get("IBID_TEST_CORPORA"):
            print(f"{module}: left out, IBID_TEST_CORPORA is not set", flush=True)
            continue
        print(f"== {module}", flush=True)
        failed += subprocess.run([sys.executable, "-m", module], check=False).returncode != 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
