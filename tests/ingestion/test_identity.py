"""Document ids."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from corpus.documents.block import KEY
from corpus.ingestion.file_decision import new_id


@given(
    st.text(
        alphabet=st.characters(exclude_characters="\x00/", exclude_categories=["Cs"]),
        min_size=1,
        max_size=300,
    )
)
def test_an_id_is_a_valid_key_for_any_file_name(name: str) -> None:
    assert KEY.fullmatch(new_id(Path("/documents") / name, used_ids=()))


def test_an_id_is_readable_and_the_same_each_time() -> None:
    first = new_id(Path("/a/Prüf bericht (v2).pdf"), used_ids=())
    assert first.startswith("pruf-bericht-v2-")
    assert first == new_id(Path("/a/Prüf bericht (v2).pdf"), used_ids=())


def test_equal_names_in_two_folders_and_taken_ids_differ() -> None:
    first = new_id(Path("/a/x.md"), used_ids=())
    assert first != new_id(Path("/b/x.md"), used_ids=())
    assert new_id(Path("/a/x.md"), used_ids={first}) != first
