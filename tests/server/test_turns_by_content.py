"""Earlier turns, in the formats of chat programs."""

from __future__ import annotations

from tools.rag_synthesize import TurnArgument


def test_a_turn_may_call_its_text_content_and_the_schema_shows_one_name() -> None:
    assert TurnArgument.model_validate({"role": "user", "content": "Hi"}).text == "Hi"
    assert TurnArgument.model_validate({"role": "user", "text": "Hi"}).text == "Hi"
    assert set(TurnArgument.model_json_schema()["properties"]) == {"role", "text"}
