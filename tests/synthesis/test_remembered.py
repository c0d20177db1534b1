"""The answer cache: its lifetime, its size and its keys."""

from __future__ import annotations

from corpus.access import Caller
from corpus.synthesis.request import SynthesisRequest
from corpus.synthesis.sources import number_sources
from corpus.synthesis.synthesizer import TimedCache, request_key, sources_digest
from tests.values import hit, text_block


def test_an_entry_is_kept_for_its_lifetime_and_no_longer() -> None:
    now = [0.0]
    kept: TimedCache[str] = TimedCache(10, now=lambda: now[0])
    kept.put("a", "answer")
    now[0] = 9.9
    assert kept.get("a") == "answer"
    now[0] = 10
    assert kept.get("a") is None


def test_with_a_lifetime_of_zero_nothing_is_cached() -> None:
    kept: TimedCache[str] = TimedCache(0)
    kept.put("a", "answer")
    assert kept.get("a") is None


def test_the_least_recently_used_entry_is_evicted_first() -> None:
    kept: TimedCache[int] = TimedCache(10, size=2)
    kept.put("a", 1)
    kept.put("b", 2)
    kept.get("a")
    kept.put("c", 3)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (1, None, 3)


def test_every_part_of_a_question_and_every_right_of_the_caller_changes_the_key() -> None:
    ann, group = Caller(user_id="ann"), Caller(groups=frozenset({"ann"}))
    asked = [
        (SynthesisRequest("q"), ann),
        (SynthesisRequest("p"), ann),
        (SynthesisRequest("q", top_k=3), ann),
        (SynthesisRequest("q", citation_style="source"), ann),
        (SynthesisRequest("q", max_tokens=5), ann),
        (SynthesisRequest("q"), group),
        (SynthesisRequest("q"), Caller()),
    ]
    assert len({request_key(*one) for one in asked}) == len(asked)
    assert request_key(*asked[0]) == request_key(SynthesisRequest("q"), Caller(user_id="ann"))


def test_a_changed_source_changes_the_digest() -> None:
    before, after = (number_sources([hit(text_block(text, block_id="b"))]) for text in ("It turns.", "It stands."))
    assert sources_digest(before) != sources_digest(after)
