"""Run a program and log the event loop steps that compute for a long time.

`python -m tests.integration.loop_watch FILE MODULE ...` writes a line of JSON to FILE for each step that takes more
than SECONDS of CPU time on a machine of usual speed. The line says what ran, and where it was halfway. The measure is
CPU time, because a step that waits for a core or for another thread does no work on the loop.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from asyncio import events
from pathlib import Path
from typing import Any

from tests.machine import slowness

SECONDS = 0.4
"""The longest steps, for bodies of a megabyte, take up to 0.24 s; code whose cost grows with a text takes seconds."""
SAMPLE = 0.02


class Watch:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._began: tuple[int, float] | None = None
        self._where: dict[int, str] = {}
        threading.Thread(target=self._sample, daemon=True).start()

    def install(self) -> None:
        run = events.Handle._run

        def watched(handle: Any) -> None:
            what = repr(handle)
            number = id(handle)
            before = time.thread_time()
            self._began = threading.get_ident(), time.monotonic()
            run(handle)
            self._began = None
            took = time.thread_time() - before
            if took > SECONDS and (took := took / slowness()) > SECONDS:
                self._write(took, what, self._where.pop(number, ""))
            self._where.clear()

        def numbered(handle: Any) -> None:
            self._number = id(handle)
            watched(handle)

        events.Handle._run = numbered  # type: ignore[method-assign]

    def _sample(self) -> None:
        while True:
            time.sleep(SAMPLE)
            began = self._began
            if began and time.monotonic() - began[1] > SECONDS / 2:
                frame = sys._current_frames().get(began[0])
                self._where[self._number] = " < ".join(_frames(frame))

    def _write(self, took: float, what: str, where: str) -> None:
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"seconds": round(took, 3), "what": what, "where": where}) + "\n")


def _frames(frame: Any) -> list[str]:
    names = []
    while frame is not None and len(names) < 14:
        names.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return names


if __name__ == "__main__":
    file, module, *rest = sys.argv[1:]
    sys.argv = [module, *rest]
    Watch(Path(file)).install()
    importlib.import_module(module).main()
