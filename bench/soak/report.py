"""Results of a soak as tables, and violations."""

from __future__ import annotations

import os
from collections import Counter

from bench.soak.run import Soaked
from bench.tables import table

STEEPEST = 3.0
"""Maximum growth in megabytes per minute, in the second half of ten minutes, at which memory use counts as flat."""


def failures(done: Soaked) -> list[str]:
    """Return the violations that do not depend on the load of the machine."""
    found = [f"error: {what} ({count})" for what, count in done.tally.errors.items()]
    found += [f"leak: {one}" for one in done.rights.leaks]
    found += [f"ingestion: {one}" for one in done.documents.failed]
    if done.secrets_in_log or done.passages_in_log or done.tracebacks:
        found.append(
            f"log: {done.secrets_in_log} secrets, {done.passages_in_log} passages, {done.tracebacks} tracebacks"
        )
    if done.exit_code != 0:
        found.append(f"the server ended with {done.exit_code}")
    return found


def slow_or_growing(done: Soaked) -> list[str]:
    """Return the violations that depend on the machine and on the length of the run."""
    found = [f"busy: {what} ({count})" for what, count in done.tally.busy.items()]
    if done.size.seconds >= 300 and done.memory.slope() > STEEPEST:
        found.append(f"memory grows by {done.memory.slope():.1f} MB a minute")
    return found


def shown(done: Soaked) -> str:
    """Return the report in Markdown."""
    samples = done.memory.samples
    half = samples[len(samples) // 2 :]
    sizes = " / ".join(f"{size:.0f} MB" for _, size, _ in (samples[0], half[0], samples[-1]))
    facts = [
        ["seconds, clients", f"{done.size.seconds:.0f}, {done.size.clients}"],
        ["requests that came back", f"{done.calls}"],
        ["private memory at the begin, in the middle, at the end", sizes],
        ["its slope in the second half", f"{done.memory.slope():+.2f} MB a minute"],
        ["open files in the second half", f"{min(s[2] for s in half)} to {max(s[2] for s in half)}"],
        ["answers with marks of documents, all of their readers", f"{sum(done.rights.seen.values())}"],
        ["leaks", f"{len(done.rights.leaks)}"],
        ["notices heard", f"{done.tally.notices}"],
        ["changes of documents while it ran", counted(done.documents.done)],
        ["changes of the issuer's key, times that it was down", f"{done.people.rotations}, {done.people.outages}"],
        ["secrets that were sent, in the log", f"{len(done.people.secrets)}, {done.secrets_in_log}"],
        ["passages in the log", f"{done.passages_in_log} of {len(done.rights.marks) // 2}"],
        ["load of the machine at the end", f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"],
    ]  # fmt: skip
    tally = done.tally
    rows = [
        [name, f"{kinds.total()}", counted(kinds)]
        for name, kinds in (
            ("answered", tally.answered), ("failed as they should", tally.proper), ("injected", tally.injected),
            ("refused as busy", tally.busy), ("errors", tally.errors),
        )
    ]  # fmt: skip
    return "\n\n".join([table(["what", "value"], facts), table(["class", "requests", "of which"], rows)])


def counted(kinds: Counter[str]) -> str:
    return ", ".join(f"{what.replace('|', '/')} {count}" for what, count in sorted(kinds.items())) or "-"
