"""A real headless Chromium, controlled over pipes as its developer tools do, without a package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def found() -> str | None:
    """Return the path of Chromium on this machine; None if it is not installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Tab:
    """One page. `asked_for` lists the addresses that it requested, `complaints` the messages of the browser, and
    `contexts` the script context of each frame."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, back: int) -> None:
        self._process, self._to, self._back = process, to, back
        self._ids, self._rest, self._session = count(1), b"", ""
        self.asked_for: list[str] = []
        self.complaints: list[str] = []
        self.contexts: dict[str, int] = {}
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.tell(f"{domain}.enable")

    def tell(self, method: str, **params: Any) -> Any:
        """Send a command and return the browser's answer. Raise AssertionError if it refuses."""
        number = next(self._ids)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            heard = self._heard()
            if heard.get("id") == number:
                assert "error" not in heard, heard
                return heard["result"]

    def open(self, file: Path, fragment: str = "") -> None:
        self.open_address(file.as_uri() + fragment)

    def open_address(self, url: str) -> None:
        self.tell("Page.navigate", url=url)
        while self.run("document.readyState") != "complete":
            self._heard()

    def run(self, script: str, **where: Any) -> Any:
        """Return the value of an expression, which may be a promise. `where` can set a context (`contextId`)."""
        made = self.tell("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, **where)
        assert "exceptionDetails" not in made, made
        return made["result"].get("value")

    def sized(self, width: int, height: int, *, dark: bool = False, still: bool = False) -> None:
        """Set the size and the preferences; `still` means reduced motion."""
        self.tell(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        wants = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "no-preference",
        }
        features = [{"name": name, "value": value} for name, value in wants.items()]
        self.tell("Emulation.setEmulatedMedia", features=features)

    def _heard(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._back, 1 << 20)
            assert more, f"Chromium ended with {self._process.poll()}"
            self._rest += more
        first, _, self._rest = self._rest.partition(b"\0")
        heard: dict[str, Any] = json.loads(first)
        params = heard.get("params", {})
        if heard.get("method") == "Network.requestWillBeSent":
            self.asked_for.append(params["request"]["url"])
        if heard.get("method") == "Runtime.executionContextCreated":
            made = params["context"]
            if made.get("auxData", {}).get("isDefault"):
                self.contexts[made["auxData"]["frameId"]] = made["id"]
        if heard.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
            self.complaints.append(str(params))
        return heard


@contextmanager
def a_tab(program: str, profile: Path, *more: str) -> Iterator[Tab]:
    """Open a tab in a separate browser, which ends with the tab. `more` are options of the browser."""
    read, to = os.pipe()
    back, write = os.pipe()
    options = ["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking",
               "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={profile}"]  # fmt: skip
    options.extend(more)
    if os.geteuid() == 0:
        options.append("--no-sandbox")
    process = subprocess.Popen(
        ["bash", "-c", f'exec "$0" "$@" 3<&{read} 4>&{write}', program, *options, "about:blank"],
        pass_fds=(read, write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(read)
    os.close(write)
    try:
        yield Tab(process, to, back)
    finally:
        with suppress(OSError):
            os.close(to)
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(back)
