"""Metrics of the ranking bench."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bench.lines import OURS, Ranks, by_method, by_set
from bench.measures import Rank, Result, answering, rank_of
from bench.methods import PLAIN
from bench.plain import Plain
from bench.questions import Question
from bench.rare_words import rare_words
from bench.retrieval import rankings_of
from corpus.documents.block import Block
from corpus.embedding.protocol import Vectors
from corpus.index.local.ranking import Ranking

ASKED = Question("set", "Where?", "a.pdf", frozenset({3}), "en")


def test_a_page_counts_at_the_rank_of_its_best_block_and_a_neighbour_separately():
    found = [_result("a.pdf", page) for page in (1, 1, 4, 3)]
    assert rank_of(ASKED, found, frozenset()) == Rank(exact=3, within_one=2, document=1)


def test_a_question_with_patterns_is_answered_by_the_texts_that_match_most_of_them():
    asked = Question("set", "Who?", "a.md", frozenset(), "en", patterns=("anna", "ben"))
    passages = [_result("a.md", 0, "Anna"), _result("a.md", 0, "Ben, Anna"), _result("b.md", 0, "Anna Ben")]
    right = answering(asked, passages)
    assert right == {passages[1].key}
    assert rank_of(asked, passages, right).exact == 2


def test_nothing_answers_a_question_without_a_pattern_match():
    asked = Question("set", "Who?", "a.md", frozenset(), "en", patterns=("carla",))
    assert not answering(asked, [_result("a.md", 0, "Anna")])


@pytest.mark.anyio
async def test_the_plain_method_finds_a_passage_by_its_words_in_all_files_or_in_one():
    texts = {"a.txt": "The pump needs oil.", "b.txt": "The pump needs grease.", "c.txt": "Nothing."}
    blocks = [(name, _block(name, text)) for name, text in texts.items()]
    plain = await Plain.of([Path(name) for name in texts], blocks, Counting())
    assert (await plain.find("grease"))[0].doc == "b.txt"
    assert [one.doc for one in await plain.find("grease", "a.txt")] == ["a.txt"]


@pytest.mark.anyio
async def test_plain_passages_of_a_long_text_overlap_by_thirty_words():
    words = [f"w{n}" for n in range(200)]
    plain = await Plain.of([Path("a.txt")], [("a.txt", _block("a", " ".join(words)))], Counting())
    assert [one.text.split() for one in plain.passages] == [words[:120], words[90:]]


def test_rare_words_are_in_one_block_and_share_their_beginning_with_no_other_word():
    letters = "bcdfghjklmnpqrstvwxz"
    rare = [f"{letter * 3}xylophon" for letter in letters]
    twice = [_block("1", "common turbine"), _block("2", f"common turbines {' '.join(rare)}")]
    assert sorted(one.word for one in rare_words([("a.pdf", one) for one in twice])) == sorted(rare)


def test_pooled_numbers_leave_out_the_held_back_sets():
    ranks = Ranks()
    for name, rank in (("papers", 1), ("mixed", 7), ("mmlong-check", None)):
        ranks.add(
            Question(name, "?", "a.pdf", frozenset({1}), "en"),
            {PLAIN: Rank(None, None, None), OURS: Rank(rank, None, None)},
        )
    lines = {(line.group, line.measure): line for line in ranks.lines("All")}
    assert lines["pooled", "hit@5"].values == {PLAIN: 0.0, OURS: 0.5}
    assert lines["pooled", "hit@10"].count == 2
    assert lines["mmlong-check", "hit@10"].values[OURS] == 0.0


def test_the_near_a_page_metric_counts_only_questions_answered_by_pages():
    ranks = Ranks()
    ranks.add(ASKED, {OURS: Rank(2, 1, 1)})
    ranks.add(Question("mixed", "?", "a.md", frozenset(), "en", patterns=("x",)), {OURS: Rank(1, None, 1)})
    (near,) = ranks.lines("All", "near", "within_one", cuts=(1,))
    assert (near.group, near.count, near.values) == ("set", 1, {OURS: 1.0})


def test_a_ranking_is_printed_with_its_gain_on_each_set():
    ranks = Ranks()
    ranks.add(ASKED, {"default": Rank(2, 2, 1), "context=0": Rank(1, 1, 1), "once=False": Rank(2, 2, 1)})
    table = by_set(ranks.lines("All", cuts=(1,)))
    assert "| hit@1 | default | 0.000 |" in table
    assert "|  | context=0 | +1.000 |" in table
    assert "|  | once=False | = |" in table


def test_every_method_has_a_column():
    ranks = Ranks()
    ranks.add(ASKED, {PLAIN: Rank(2, 2, 1), OURS: Rank(1, 1, 1)})
    assert "| set | 1 | hit@1 | 0.00 | 1.00 | +1.00 |" in by_method(ranks.lines("All"))


def test_rankings_are_named_by_their_differing_fields():
    name = next(field for field, value in vars_of(Ranking()).items() if isinstance(value, float))
    assert rankings_of([]) == {}
    assert list(rankings_of([f"{name}=0.125"])) == ["default", f"{name}=0.125"]
    assert vars_of(rankings_of([f"{name}=0.125"])[f"{name}=0.125"])[name] == 0.125


def vars_of(ranking: Ranking) -> dict[str, object]:
    return {name: getattr(ranking, name) for name in Ranking.__slots__}


class Counting:
    """An `Embedder` for which all texts are equally close."""

    id, dimensions = "counting", 2

    async def query(self, text: str) -> Vectors:
        return np.array([1.0, 0.0], dtype=np.float32)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))

    async def aclose(self) -> None:
        """Do nothing, because it has no resources."""


def _result(doc: str, page: int, text: str = "") -> Result:
    return Result(doc, page, f"{doc} {page} {text}", text)


def _block(key: str, text: str) -> Block:
    return Block(block_id=key, doc_id=key, block_type="text", content=text, language="en")
