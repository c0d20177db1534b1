"""A document exported from the index with all its data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corpus.errors import DocumentNotFound
from corpus.index.local import LocalIndex
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import a_document, figure, texts

pytestmark = pytest.mark.anyio


async def test_every_block_is_exported_with_its_stored_vector(tmp_path: Path) -> None:
    embedder = DigestEmbedder()
    index = LocalIndex.open(tmp_path, embedder)
    blocks = [*texts("manual", "pump", "", first_page=None), figure("manual", "Impeller")]
    await index.replace(a_document(access_control_list=("user:ann",)), blocks)
    assert (await index.whole("manual")).waiting == 2
    pending = await index.pending(10)
    vectors = await embedder.passages([one.text for one in pending])
    await index.store_vectors([one.block_id for one in pending], vectors)
    whole = await index.whole("manual")
    assert [one.block_id for one in whole.blocks] == ["manual-0", "manual-1", "manual-f1"]
    assert whole.waiting == 0
    assert set(whole.vectors) == {one.block_id for one in pending}
    for one, vector in zip(pending, vectors, strict=True):
        kept = whole.vectors[one.block_id]
        assert all(type(number) is float for number in kept)
        assert np.allclose(kept, vector, atol=1e-3)
        assert float(np.dot(kept, vector)) == pytest.approx(1, abs=1e-3)
    assert whole.document.access_control_list == ("user:ann",)
    await index.aclose()


async def test_vectors_of_another_embedder_are_not_exported(tmp_path: Path) -> None:
    for embedder in (DigestEmbedder(), None, DigestEmbedder("another")):
        index = LocalIndex.open(tmp_path, embedder)
        if embedder and embedder.id == "digest-1":
            await index.replace(a_document(), texts("manual", "pump"))
            await index.store_vectors(["manual-0"], await embedder.passages(["pump"]))
        expected = 1 if embedder and embedder.id == "digest-1" else 0
        assert len((await index.whole("manual")).vectors) == expected
        await index.aclose()


async def test_a_missing_document_is_reported(tmp_path: Path) -> None:
    index = LocalIndex.open(tmp_path, None)
    with pytest.raises(DocumentNotFound):
        await index.whole("none")
    await index.aclose()
