"""Take screenshots of the evidence view over a sample document, for README.md and docs/evidence.md: `make evidence`.

The tests' host page shows the view in this machine's Chromium.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import structlog
from PIL import Image

from tests.doubles.chromium import a_tab, found
from tests.evidence_view.answers import given
from tests.evidence_view.host_served import served
from tests.evidence_view.host_server import Server, running
from tests.evidence_view.host_tab import ONE_PROCESS, Host

TARGET = Path("docs/evidence")
COLOURS = 256
ANSWER = """\
# Starting the pump

Turn the key to Manual, set 1,450 rpm and press Start [1]. The discharge pressure must rise within 15 seconds [1]. \
After two failed attempts call maintenance [1]. Expect some leakage from the seal during the first ten minutes [2].
"""
"""An answer that a model might write, with one value that differs from the source."""


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    logging.getLogger("azure").setLevel(logging.WARNING)
    program = found()
    if program is None:
        sys.exit("There is no Chromium on this machine: apt-get install chromium")
    TARGET.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        tempfile.TemporaryDirectory() as profile,
        running(Path(data)) as server,
        served(lambda asked: server.call(asked["name"], asked["arguments"])) as (page, sandbox),
        a_tab(program, Path(profile), *ONE_PROCESS) as tab,
    ):
        tab.open_address(page)
        photographed(server, Host(tab, page, sandbox))


def photographed(server: Server, host: Host) -> None:
    """Take three screenshots: an answer with a wrong value, every verdict in a wide view, and every verdict in a
    narrow, dark view in German."""
    checked = {"answer": ANSWER, "block_ids": [server.block("p2-2"), server.block("p2-4")]}
    host.tab.sized(1100, 770)
    host.show(server.call("rag_verify_answer", checked), checked)
    host.press("#claim-list li:nth-child(2) button")
    kept(host, "answer.png")
    asked = given(server)
    result = server.call("rag_verify_answer", asked)
    host.tab.sized(1100, 760)
    host.show(result, asked)
    kept(host, "wide.png")
    host.tab.sized(380, 1100)
    host.show(result, asked, context={"theme": "dark", "locale": "de"})
    host.press("#claim-list li:nth-child(4) button")
    kept(host, "narrow.png")


def kept(host: Host, name: str) -> None:
    host.photo(TARGET / name)
    with Image.open(TARGET / name) as photo:
        few = photo.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(TARGET / name, optimize=True)
    print(TARGET / name)


if __name__ == "__main__":
    main()
