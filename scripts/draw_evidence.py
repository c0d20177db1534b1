"""Photograph the evidence view over a sample document, for docs/evidence.md: `make evidence`.

It is shown by the host page of the tests, in the Chromium of this machine.
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
    """A wide view, and a narrow one in the dark and in German."""
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
