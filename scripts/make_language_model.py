"""Write corpus/readers/language_model.bin from the model in py3langid: `make language-model`."""

from __future__ import annotations

import json
import sys
import zlib
from typing import Any

import numpy as np
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from corpus.readers.languages import MAX_WEIGHT, MODEL, PARTS, UNIT

EUROPEAN = "bg cs da de el en es et fi fr hr hu it lt lv nl no pl pt ro ru sk sl sr sv uk"
OTHERS = "ar fa he hi id ja ko th tr vi zh"
"""Other languages in which documents are commonly written. In short texts, when py3langid detects one of its rarer
languages, it is mostly wrong."""

BLOCK = 16
"""Number of next states per block, and number of blocks per row. With 8 or 32, the arrays would be larger."""


def main() -> int:
    identifier = packaged_identifier()
    arrays = arrays_of(identifier)
    parts = {
        name: zlib.compress(np.ascontiguousarray(arrays[name], dtype=f"<{kind}").tobytes(), 9)
        for name, kind in PARTS.items()
    }
    head = {"languages": identifier.nb_classes, "sizes": {name: len(part) for name, part in parts.items()}}
    MODEL.write_bytes(json.dumps(head).encode() + b"\n" + b"".join(parts.values()))
    print(f"{MODEL}: {MODEL.stat().st_size / 1e6:.1f} MB")
    return 0


def packaged_identifier() -> Any:
    """Return py3langid's model, restricted to the languages of documents."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(f"{EUROPEAN} {OTHERS}".split())
    return identifier


def arrays_of(identifier: Any) -> dict[str, Any]:
    """Return the model's arrays. Raise ValueError if a weight cannot be stored without loss, in which case the model
    needs another UNIT."""
    exact = -identifier.nb_ptc.astype(np.float64) / UNIT
    weights = np.round(exact)
    if (weights != exact).any() or weights.min() < 0 or weights.max() > MAX_WEIGHT:
        raise ValueError("weights do not fit")
    blocks, block_of = np.unique(np.asarray(identifier.tk_nextmove).reshape(-1, BLOCK), axis=0, return_inverse=True)
    return {
        "prior": identifier.nb_pc,
        "ngram_of": identifier.tk_output,
        "row_of": np.asarray(identifier.tk_row, dtype=np.uint32) * BLOCK,
        "block_of": block_of.ravel() * BLOCK,
        "states": blocks,
        "weights": weights.T,
    }


if __name__ == "__main__":
    sys.exit(main())
