"""The embedding process: it reads texts from standard input, writes their vectors, and exits when its parent does."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

from corpus.embedding.packaged import PackagedEmbedder
from corpus.processes.child import frame, own_output, read_frame


def main(threads: str) -> None:
    """Process requests in order, and write a frame for each text as soon as it is embedded. The frame's data is the
    vector as little-endian float32."""
    output = own_output()
    # The parent handles interrupts and then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        os.nice(10)  # lower priority than the reading processes, because text is needed before its vectors
    embedder = PackagedEmbedder(bulk=True)
    try:
        with ThreadPoolExecutor(int(threads)) as pool:
            while (received := read_frame(sys.stdin.buffer)) is not None:
                for vectors in pool.map(lambda text: embedder.passages_here([text]), received[0]["texts"]):
                    output.write(frame({}, vectors.astype("<f4").tobytes()))
    except BrokenPipeError:
        os._exit(0)
