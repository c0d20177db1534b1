"""The view adapts to its host: light and dark, wide and narrow, language, keyboard, screen reader, and missing host
features."""

from __future__ import annotations

from typing import Any

import pytest

from server.calls.failures import ERROR_KEY
from tests.evidence_view.answers import given
from tests.evidence_view.host_server import Server
from tests.evidence_view.host_tab import Host

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result(server: Server) -> dict[str, Any]:
    return server.call("rag_verify_answer", given(server))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1100])
def test_the_view_is_readable_in_light_and_dark_at_the_width_of_its_container(
    server: Server, host: Host, result: dict[str, Any], theme: str, width: int
) -> None:
    host.tab.sized(width, 900, dark=theme == "light")
    host.show(result, given(server), context={"theme": theme})
    assert host.see("document.documentElement.scrollWidth") <= width
    assert host.see(f"({_CONTRAST})()") >= 4.5
    light = host.see("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert light is (theme == "light")


def test_the_view_switches_to_dark_and_german_while_it_is_open(
    server: Server, host: Host, result: dict[str, Any]
) -> None:
    host.show(result, given(server))
    host.press("#claim-on")
    host.tell("host-context-changed", {"theme": "dark", "locale": "de-AT"})
    host.until("document.documentElement.lang === 'de'")
    assert host.text("#place") == "Aussage 2 von 7 ≈ teilweise in der Quelle"
    assert host.see("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert host.see("JSON.stringify(Object.keys(WORDS.de)) === JSON.stringify(Object.keys(WORDS.en))") is True


def test_the_focus_stays_when_the_host_changes(server: Server, host: Host, result: dict[str, Any]) -> None:
    host.show(result, given(server))
    host.see("document.querySelector('#claim-list li:nth-child(3) button').focus()")
    host.tell("host-context-changed", {"theme": "dark", "locale": "de"})
    host.until("document.documentElement.lang === 'de'")
    focused = "document.activeElement.closest('li') === document.querySelector('#claim-list li:nth-child(3)')"
    assert host.see(focused) is True


def test_no_press_is_lost_while_a_page_loads(server: Server, host: Host, result: dict[str, Any]) -> None:
    host.show(result, given(server))
    host.see("for (let n = 0; n < 3; n++) document.querySelector('#claim-on').click()")
    host.drawn()
    assert host.text("#claim-at") == "4 / 7"
    host.press("#claim-list li button")
    host.see("for (let n = 0; n < 9; n++) document.querySelector('#page-on').click()")
    host.drawn()
    assert host.text("#page-at").startswith("Page 6 of 6")
    assert host.see("document.querySelector('#page-on').ariaDisabled") == "true"


def test_sources_get_their_names_once_viewed_and_have_their_own_buttons(server: Server, host: Host) -> None:
    arguments = {"answer": "Pipe 20 is 20 m long [1].", "block_ids": ["many-p1-20", "many-p3-1"]}
    host.show(server.call("rag_verify_answer", arguments), arguments)
    assert host.texts("#source-list li") == ["[1] many.pdf, S. 1", "[2] Source 2"]
    host.press("#source-list li:nth-child(2) button")
    assert host.texts("#source-list li")[1] == "[2] many.pdf, S. 3 (printed A-3)"
    assert host.see("document.querySelector('#claim-back').ariaLabel") == "Previous source"
    host.press("#claim-list button")
    assert host.see("document.querySelector('#claim-back').ariaLabel") == "Previous claim"


def test_keyboard_and_screen_reader_users_get_the_complete_view(
    server: Server, host: Host, result: dict[str, Any]
) -> None:
    host.tab.sized(1100, 900)
    host.show(result, given(server))
    host.see("document.querySelector('#claim-list button').focus()")
    host.key("ArrowDown")
    assert host.see("document.activeElement.getAttribute('aria-current')") == "true"
    assert host.text("#live").startswith("Claim 2 of 7. partly in source. xyz-pump-operations-guide.pdf, S. 2. Page 2")
    host.key("End")
    assert host.text("#live").startswith("Claim 7 of 7. found in source.")
    host.key("+")
    assert host.text("#live") == "150 %"
    told = [(node.get("role", {}).get("value"), node.get("name", {}).get("value")) for node in _tree(host)]
    assert ("image", "Page 2 of 6, xyz-pump-operations-guide.pdf. 2 places are outlined.") in told
    assert {"heading", "main", "toolbar", "region", "status", "mark"} <= {role for role, _ in told}
    for button in ("Previous claim", "Next claim", "Previous page", "Next page", "Smaller", "Larger"):
        assert ("button", button) in told
    assert all(name for role, name in told if role in ("button", "image", "region", "toolbar"))


def test_a_host_that_allows_no_loading_gets_the_sentence_as_text(
    server: Server, host: Host, result: dict[str, Any]
) -> None:
    host.show(result, given(server), able={})
    assert host.text("#text mark") == "The discharge pressure must rise within five seconds."
    assert host.text("#citation") == "xyz-pump-operations-guide.pdf, S. 2"
    assert "lets the view load nothing" in host.text("#notes")


def test_a_result_without_positions_still_has_its_verdicts(server: Server, host: Host, result: dict[str, Any]) -> None:
    host.show({key: value for key, value in result.items() if key != "_meta"}, given(server))
    assert len(host.texts("#claim-list li")) == 7
    assert host.text("#text mark") == "The discharge pressure must rise within five seconds."


def test_revoked_evidence_is_reported_and_the_quote_stays(server: Server, host: Host, result: dict[str, Any]) -> None:
    gone = {
        **result,
        "_meta": {"ibid/evidence": {**result["_meta"]["ibid/evidence"], "blocks": ["gone-1", "gone-2"]}},
    }
    host.show(gone, given(server))
    assert "The page cannot be shown: it is no longer there, or may no longer be read." in host.text("#notes")
    assert host.text("#text mark") == "The discharge pressure must rise within five seconds."


def test_a_failed_or_cancelled_call_is_reported(host: Host) -> None:
    host.show(None)
    assert host.text("#wait") == "Waiting for the answer …"
    host.tell("tool-cancelled", {"reason": "user action"})
    host.until("document.querySelector('#wait').textContent === 'The call was cancelled.'")
    failed = {"type": "InvalidRequest"}
    text = "No question.\nAsk one.\nType: InvalidRequest"
    host.show({"isError": True, "content": [{"type": "text", "text": text}], "_meta": {ERROR_KEY: failed}})
    assert host.text("#wait") == "The call failed. No question."
    host.show({"isError": True})
    assert host.text("#wait") == "The call failed."


def test_the_view_reports_its_size_and_answers_when_it_is_closed(
    server: Server, host: Host, result: dict[str, Any]
) -> None:
    host.tab.sized(1100, 900)
    host.show(result, given(server))
    size = host.heard("ui/notifications/size-changed")[-1]["params"]
    assert size["width"] == 1100
    assert 400 < size["height"] < 2000
    host.tab.run(
        'tell({id: "bye", method: "ui/resource-teardown", params: {}}), tell({id: "odd", method: "x", params: {}})'
    )
    answers = {one["id"]: one for one in map(host.answer, ("bye", "odd"))}
    assert answers["bye"]["result"] == {}
    assert answers["odd"]["error"]["code"] == -32601


def _tree(host: Host) -> list[dict[str, Any]]:
    """Return the accessibility tree of the view's frame."""
    tree = host.tab.tell("Page.getFrameTree")["frameTree"]
    frame = tree["childFrames"][0]["childFrames"][0]["frame"]["id"]
    nodes = host.tab.tell("Accessibility.getFullAXTree", frameId=frame)["nodes"]
    return [node for node in nodes if not node.get("ignored")]


_CONTRAST = """() => {
  const rgb = c => { const p = document.createElement('canvas').getContext('2d'); p.fillStyle = c; p.fillRect(0,0,1,1);
    return [...p.getImageData(0,0,1,1).data] };
  const light = c => { const [r,g,b] = rgb(c).slice(0,3).map(v => (v/=255) <= .03928 ? v/12.92 : ((v+.055)/1.055)**2.4);
    return .2126*r + .7152*g + .0722*b };
  const under = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (rgb(c)[3] === 255) return c } return 'white' };
  const all = 'h1, h2, h3, .badge, .text, .soft, .notes li, mark, .group span, summary, .counts li';
  return Math.min(...[...document.querySelectorAll(all)].filter(e => e.innerText).map(e => {
    const a = light(getComputedStyle(e).color), b = light(under(e));
    return (Math.max(a,b)+.05)/(Math.min(a,b)+.05) })) }"""
