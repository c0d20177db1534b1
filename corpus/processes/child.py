"""Start child processes that run modules of this package, limit their resources, and exchange length-prefixed frames
with them."""

from __future__ import annotations

import json
import os
import struct
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from anyio.abc import ByteReceiveStream
from anyio.streams.buffered import BufferedByteReceiveStream

import corpus

Head = dict[str, Any]
"""Untrusted JSON object, of which the receiver must check every field."""

HEAD_BYTES = 8_000_000
"""Maximum size of a frame's head in bytes. The largest heads, which contain a document's outline and warnings, are far
smaller."""
DATA_BYTES = 2_000_000
"""Maximum size of a frame's data in bytes. The picture of a block has at most 1 MB."""
_LENGTHS = struct.Struct(">4sII")
_MARK = b"ibid"


class GarbledFrame(Exception):
    """The bytes are not a frame."""


def frame(head: Mapping[str, object], data: bytes = b"") -> bytes:
    """Encode a frame. Unpaired surrogates in file names are preserved, because JSON escapes them. Raises GarbledFrame
    if the frame exceeds the limits."""
    text = json.dumps(head).encode("ascii")
    if len(text) > HEAD_BYTES or len(data) > DATA_BYTES:
        raise GarbledFrame(f"a frame of {len(text)} and {len(data)} bytes is over the limit")
    return _LENGTHS.pack(_MARK, len(text), len(data)) + text + data


def lengths(start: bytes) -> tuple[int, int]:
    """Return how many bytes of JSON and of data follow. Raises GarbledFrame if `start` is not the start of a frame."""
    if len(start) != _LENGTHS.size:
        raise GarbledFrame("a frame is cut short")
    mark, head, data = _LENGTHS.unpack(start)
    if mark != _MARK or head > HEAD_BYTES or data > DATA_BYTES:
        raise GarbledFrame(f"no frame starts with {start!r}")
    return head, data


def head_of(text: bytes) -> Head:
    """Parse the JSON object. Raises GarbledFrame if the text is anything else or is nested too deeply."""
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GarbledFrame("the head of a frame is no JSON") from error
    if not isinstance(head, dict):
        raise GarbledFrame("the head of a frame is no object")
    return head


class Frames:
    """Reads frames from a stream. If `receive` is cancelled, no bytes are lost, and it can be called again."""

    def __init__(self, stream: ByteReceiveStream) -> None:
        self._stream = BufferedByteReceiveStream(stream)
        self._lengths: tuple[int, int] | None = None
        self._head: bytes | None = None

    async def receive(self) -> tuple[Head, bytes]:
        """Return the next frame. Raises GarbledFrame, or anyio's EndOfStream or IncompleteRead if the other process is
        gone."""
        if self._lengths is None:
            self._lengths = lengths(await self._stream.receive_exactly(_LENGTHS.size))
        if self._head is None:
            self._head = await self._stream.receive_exactly(self._lengths[0])
        data = await self._stream.receive_exactly(self._lengths[1])
        head, self._head, self._lengths = self._head, None, None
        return head_of(head), data


def read_frame(file: IO[bytes]) -> tuple[Head, bytes] | None:
    """Return the next frame from a blocking file, or None at the end of the file. Raises GarbledFrame."""
    start = file.read(_LENGTHS.size)
    if not start:
        return None
    head, data = lengths(start)
    return head_of(file.read(head)), file.read(data)


BOOTSTRAP = """
import importlib, importlib.util, sys
package = importlib.util.spec_from_file_location(
    "corpus", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
sys.modules["corpus"] = importlib.util.module_from_spec(package)
importlib.import_module(sys.argv[2]).main(*sys.argv[3:])
"""
"""Code that loads this package from its path, so that a different `corpus` in the current folder or on PYTHONPATH
cannot take precedence.

The package's `__init__` is not run, because it imports logging, which takes half as long as starting a reading
process."""


def command(module: str, *words: str) -> list[str]:
    """Return the command line of a process that calls `main(*words)` in a module of this package."""
    package = str(Path(corpus.__file__).resolve().parent)
    return [sys.executable, "-P", "-X", "utf8", "-c", BOOTSTRAP, package, module, *words]


def own_output() -> IO[bytes]:
    """Return standard output, for frames only. Redirect the output of libraries to standard error."""
    frames = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(frames, "wb", buffering=0)


OUT_OF_MEMORY = 77
"""Exit code of a process that exceeded its memory limit."""

_SLACK = 400_000_000
"""Address space in bytes that is allowed beyond the memory limit, because the process reserves more than it uses."""
_FILE_BYTES = 100_000_000
"""Maximum size in bytes of a file that the process writes. It writes only the language model and attachments that it
unpacks."""


def set_bounds(memory_bytes: int) -> None:
    """Limit the resources of this process. It exits if its resident memory exceeds `memory_bytes`; far above that, the
    system refuses to allocate memory."""
    if sys.platform == "win32":
        return
    import resource

    os.nice(5)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, _FILE_BYTES)
    if sys.platform == "linux":
        # The watch can report the reason; this limit catches growth that is too fast for the watch.
        _limit(resource.RLIMIT_AS, memory_bytes + _SLACK)
        threading.Thread(target=_watch, args=(memory_bytes,), daemon=True).start()


def out_of_memory() -> None:
    """Exit immediately, with the exit code for an exceeded memory limit."""
    os._exit(OUT_OF_MEMORY)


def resident_bytes(pid: int | str) -> int:
    """Return the resident memory of a process in bytes, or 0 if the system does not report it."""
    try:
        # Not ru_maxrss, because a child process inherits it from its parent.
        pages = int(Path(f"/proc/{pid}/statm").read_bytes().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _limit(what: int, value: int) -> None:
    import resource

    _, hard = resource.getrlimit(what)
    within = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (within, within))


def _watch(memory_bytes: int) -> None:
    while resident_bytes("self") <= memory_bytes:
        time.sleep(0.05)
    out_of_memory()
