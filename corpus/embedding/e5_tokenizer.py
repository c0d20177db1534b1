"""Tokenize for the packaged model with sentencepiece, equal to the model's own engine.

Kudo and Richardson, "SentencePiece" (2018). The unigram model is built from the weights file's vocabulary: a
`sentencepiece_model.proto` message, of which four fields suffice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.embedding.e5_weights import E5Weights

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

_SPACES = re.compile(" {2,}")
_UNIGRAM = b"\x18\x01"
_PLAIN_NORMALIZER = b"\x0a\x08identity\x18\x00\x20\x00\x28\x01"
"""No dummy prefix, no spaces removed, spaces escaped: texts are normalised before."""


class E5Tokenizer:
    """Thread-safe."""

    def __init__(self, weights: E5Weights) -> None:
        from sentencepiece import SentencePieceProcessor

        self._substitutions = weights.substitutions()
        self._unknown = weights.unknown
        self._processor: SentencePieceProcessor = SentencePieceProcessor(model_proto=_model(weights))

    def tokens(self, text: str) -> list[int]:
        """Return token ids, without the begin and end tokens."""
        normal = _SPACES.sub(" ", text.translate(self._substitutions))
        normal = normal if normal.startswith(" ") else " " + normal
        tokens: list[int] = self._processor.encode(normal)
        if self._unknown not in tokens:
            return tokens
        # The engine makes one token per unknown character, sentencepiece one per run of them.
        pieces = self._processor.encode(normal, out_type=str)
        times = (
            len(piece) if token == self._unknown else 1 for token, piece in zip(tokens, pieces, strict=True)
        )
        return [token for token, count in zip(tokens, times, strict=True) for _ in range(count)]


def _model(weights: E5Weights) -> bytes:
    """Serialize a ModelProto. As in the engine, every piece but the unknown one is a normal piece."""
    pieces = [
        _field(1, _field(1, piece) + b"\x15" + score + (b"\x18\x02" if token == weights.unknown else b""))
        for token, (piece, score) in enumerate(weights.vocabulary())
    ]
    trainer = _UNIGRAM + b"\xc0\x02" + _varint(weights.unknown) + _no_id(41) + _no_id(42) + _no_id(43)
    return b"".join(pieces) + _field(2, trainer) + _field(3, _PLAIN_NORMALIZER)


def _field(number: int, content: bytes) -> bytes:
    return bytes((number << 3 | 2,)) + _varint(len(content)) + content


def _no_id(number: int) -> bytes:
    """Set a special token's id to -1: the model has none."""
    return _varint(number << 3) + b"\xff" * 9 + b"\x01"


def _varint(number: int) -> bytes:
    if number < 128:
        return bytes((number,))
    return bytes((number & 127 | 128,)) + _varint(number >> 7)
