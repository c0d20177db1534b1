"""Private memory and open files of a process, sampled from /proc (Linux)."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import anyio

_PRIVATE = re.compile(r"RssAnon:\s+(\d+) kB")


@dataclass
class Memory:
    """The samples. Each consists of the seconds since the start, the private memory in megabytes, and the number of
    open files."""

    pid: int
    begun: float = field(default_factory=time.monotonic)
    samples: list[tuple[float, float, int]] = field(default_factory=list)

    async def watch(self, every: float) -> None:
        while True:
            self.sample()
            await anyio.sleep(every)

    def sample(self) -> None:
        place = Path("/proc") / str(self.pid)
        if (found := _PRIVATE.search((place / "status").read_text())) is None:
            return
        files = sum(1 for _ in (place / "fd").iterdir())
        self.samples.append((time.monotonic() - self.begun, int(found[1]) / 1024, files))

    def slope(self) -> float:
        """Return the growth in megabytes per minute, by least squares over the second half of the run, when caches are
        warm."""
        late = self.samples[len(self.samples) // 2 :]
        middle = sum(at for at, _, _ in late) / len(late)
        mean = sum(size for _, size, _ in late) / len(late)
        spread = sum((at - middle) ** 2 for at, _, _ in late)
        return 60 * sum((at - middle) * (size - mean) for at, size, _ in late) / spread if spread else 0.0
