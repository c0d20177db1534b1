"""The view in a browser, as a host shows it: messages to it, messages from it, and its visible content."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import server
from tests.doubles.chromium import Tab
from tests.patience import PATIENCE

VIEW = Path(server.__file__).parent / "evidence_view.html"
ABLE: Mapping[str, Any] = {"serverTools": {}, "openLinks": {}}
ONE_PROCESS = (
    "--disable-site-isolation-trials",
    "--disable-features=IsolateSandboxedIframes,IsolateOrigins,site-per-process",
)
"""Browser options that let one connection see all frames. They do not change the permissions of a frame."""

_UNTIL = """new Promise((done, never) => {
  const late = setTimeout(() => never(new Error("not within " + %d + " ms: " + %s)), %d);
  (function look() { if (%s) { clearTimeout(late); done(true) } else setTimeout(look, 15) })() })"""


@dataclass
class Host:
    tab: Tab
    page: str
    sandbox: str
    asked_before: int = field(default=0, init=False)

    def show(
        self,
        result: Mapping[str, Any] | None,
        given: Mapping[str, Any] | None = None,
        *,
        able: Mapping[str, Any] = ABLE,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        """Show a new view, send it the arguments `given` and the result, and wait until it has drawn them."""
        shown = {
            "sandbox": self.sandbox, "html": VIEW.read_text(encoding="utf-8"), "result": result, "input": given or {},
            "able": able, "context": {"theme": "light", "locale": "en-GB", **(context or {})},
        }  # fmt: skip
        self.asked_before = len(self.tab.asked_for)
        self.tab.run(f"present({json.dumps(shown)})")
        self.heard("ui/notifications/initialized")
        if result:
            self.until(
                "document.querySelector('#columns:not([hidden])') || document.querySelector('#wait').textContent"
            )
            self.drawn()

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        self.tab.run(f"notify({json.dumps(method)}, {json.dumps(params)})")

    def heard(self, method: str) -> list[dict[str, Any]]:
        """Return the messages of the view with this method, once it has sent one."""
        mine = f"log.filter(one => one.method === {json.dumps(method)})"
        self.tab.run(_until(f"{mine}.length"))
        said: list[dict[str, Any]] = self.tab.run(mine)
        return said

    def answer(self, number: str) -> dict[str, Any]:
        """Return the answer of the view to the request with this id, once it has sent it."""
        mine = f"log.filter(one => one.id === {json.dumps(number)})"
        self.tab.run(_until(f"{mine}.length"))
        return dict(self.tab.run(mine)[0])

    def see(self, script: str) -> Any:
        return self.tab.run(script, contextId=self._context())

    def until(self, script: str) -> None:
        self.tab.run(_until(script), contextId=self._context())

    def drawn(self) -> None:
        self.until("!document.querySelector('#shown.busy')")

    def press(self, what: str) -> None:
        """Click, and wait until the result is drawn."""
        self.see(f"document.querySelector({json.dumps(what)}).click()")
        self.drawn()

    def key(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.tab.tell("Input.dispatchKeyEvent", type=kind, key=key, code=key)
        self.drawn()

    def text(self, of: str) -> str:
        return str(self.see(f"document.querySelector({json.dumps(of)}).innerText"))

    def texts(self, of: str) -> list[str]:
        return list(self.see(f"[...document.querySelectorAll({json.dumps(of)})].map(one => one.innerText)"))

    def photo(self, file: Path) -> None:
        file.write_bytes(base64.b64decode(self.tab.tell("Page.captureScreenshot", format="png")["data"]))

    def left(self) -> list[str]:
        """Return the addresses outside the host's own pages that were requested since the view was shown."""
        own = (self.page, self.sandbox, self.page.replace("/host", "/call"), "about:srcdoc")
        return [one for one in self.tab.asked_for[self.asked_before :] if one not in own]

    def _context(self) -> int:
        tree = self.tab.tell("Page.getFrameTree")["frameTree"]
        while tree.get("childFrames"):
            tree = tree["childFrames"][0]
        return self.tab.contexts[tree["frame"]["id"]]


def _until(condition: str) -> str:
    most = int(PATIENCE * 1000)
    return _UNTIL % (most, json.dumps(condition), most, condition)
