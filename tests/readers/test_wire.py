"""The frames between the server and a reading process: neither side trusts the other."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from anyio.streams.memory import MemoryObjectReceiveStream
from hypothesis import given
from hypothesis import strategies as st

from corpus.documents.block import Picture
from corpus.documents.document import OutlineEntry
from corpus.processes.child import DATA_BYTES, Frames, GarbledFrame, frame, read_frame
from corpus.readers.ocr.engine import Piece, RecognitionResult
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step
from corpus.readers.sandbox.step_codec import decode_recognised, decode_step, encode_recognised, encode_step

pytestmark = pytest.mark.anyio

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
TEXT = st.none() | st.text(max_size=50)
COUNT = st.none() | st.integers(0, 10**9)
SIDE = st.floats(-1e5, 1e5)
BLOCK = st.builds(
    ReadBlock,
    place=st.from_regex(r"[a-z0-9\-]{1,20}", fullmatch=True),
    block_type=st.sampled_from(["text", "image"]),
    content=st.text(max_size=200),
    image_caption=TEXT,
    picture=st.none() | st.builds(Picture, st.just(b"\x89PNG\r\n\x1a\n..."), st.just("image/png")),
    page_number=COUNT,
    heading=TEXT,
    bbox=st.none() | st.tuples(SIDE, SIDE, SIDE, SIDE),
    char_start=COUNT,
)
DOCUMENT = st.builds(
    ReadDocument,
    title=TEXT,
    page_count=COUNT,
    outline=st.lists(
        st.builds(OutlineEntry, st.text(max_size=20), st.integers(1, 6), st.none() | st.integers(1, 99)),
        max_size=4,
    ).map(tuple),
    page_labels=st.lists(st.text(max_size=5), max_size=4).map(tuple),
    warnings=st.lists(st.text(max_size=30), max_size=3).map(tuple),
    pending=st.lists(st.from_regex(r"p[0-9]{1,4}(-f[0-9])?", fullmatch=True), max_size=3).map(tuple),
)
POINT = st.tuples(SIDE, SIDE)
RECOGNISED = st.builds(
    RecognitionResult,
    pieces=st.lists(st.builds(Piece, st.text(max_size=20), st.tuples(POINT, POINT, POINT, POINT)), max_size=4).map(
        tuple
    ),
    size=st.tuples(st.integers(1, 9999), st.integers(1, 9999)),
    pixels_a_point=st.floats(0.01, 99),
    failure=st.text(max_size=20),
    picture=st.text(max_size=64),
)


@given(BLOCK | DOCUMENT | st.builds(PageDone, st.integers(0, 10**6)))
def test_every_step_arrives_as_it_was_sent(step: Step) -> None:
    received = read_frame(io.BytesIO(frame(*encode_step(step))))
    assert received is not None
    assert decode_step(*received) == step


@given(RECOGNISED)
def test_ocr_results_arrive_as_they_were_sent(found: RecognitionResult) -> None:
    received = read_frame(io.BytesIO(frame(encode_recognised(found))))
    assert received is not None
    assert decode_recognised(received[0]) == found


@given(st.dictionaries(st.sampled_from(["pieces", "size", "pixels_a_point", "failure"]), JSON, min_size=1))
def test_ocr_results_are_validated(broken: dict[str, object]) -> None:
    whole = {"pieces": [], "size": [1, 1], "pixels_a_point": 1.0, "failure": "", "picture": ""}
    try:
        assert isinstance(decode_recognised({**whole, **broken}), RecognitionResult)
    except GarbledFrame:
        return


def test_an_odd_file_name_is_transferred_unchanged() -> None:
    received = read_frame(io.BytesIO(frame({"path": "caf\udce9 文書"})))
    assert received == ({"path": "caf\udce9 文書"}, b"")


@given(st.dictionaries(st.text(max_size=10), JSON, max_size=6), st.binary(max_size=20))
def test_an_invalid_frame_header_is_garbled(head: dict[str, object], data: bytes) -> None:
    for kind in ("page", "block", "document"):
        try:
            decode_step({"place": "p1", "block_type": "text", "bbox": None, **head, "kind": kind}, data)
        except GarbledFrame:
            continue


@pytest.mark.parametrize(
    "broken",
    [
        {"place": "../../etc"},
        {"place": "x" * 100},
        {"block_type": "program"},
        {"page_number": -1},
        {"page_number": 1.5},
        {"page_number": True},
        {"content": ["a"]},
        {"content": "x" * 200_000},
        {"bbox": [1, 2, 3]},
        {"bbox": [1, 2, 3, 1e300]},
        {"picture": "image/svg+xml"},
        {"picture": "image/png"},
    ],
)
def test_every_field_of_a_block_is_validated(broken: dict[str, object]) -> None:
    head, _ = encode_step(ReadBlock(place="p1-1", block_type="text"))
    whole = json.loads(json.dumps(head))
    assert decode_step(whole, b"no picture") == ReadBlock(place="p1-1", block_type="text")
    with pytest.raises(GarbledFrame):
        decode_step({**whole, **broken}, b"no picture")


@given(st.binary(max_size=64))
async def test_no_bytes_hang_or_crash_the_receiver(data: bytes) -> None:
    send, receive = anyio.create_memory_object_stream[bytes](10)
    async with send:
        if data:
            await send.send(data)
    async with receive:
        with anyio.fail_after(5), pytest.raises((GarbledFrame, anyio.EndOfStream, anyio.IncompleteRead)):
            await Frames(_Bytes(receive)).receive()


async def test_a_receiver_cancelled_within_a_frame_gets_all_of_it_later() -> None:
    whole = frame({"kind": "page", "number": 1}, b"data")
    send, receive = anyio.create_memory_object_stream[bytes](len(whole))
    frames = Frames(_Bytes(receive))
    async with send, receive:
        for byte in whole[:-1]:
            await send.send(bytes([byte]))
            async with anyio.create_task_group() as group:
                group.start_soon(frames.receive)
                for _ in range(5):  # the receiver reads the byte and waits for the next
                    await anyio.lowlevel.checkpoint()
                group.cancel_scope.cancel()
        await send.send(whole[-1:])
        assert await frames.receive() == ({"kind": "page", "number": 1}, b"data")


@pytest.mark.parametrize("sizes", [(1 << 31, 0), (2, DATA_BYTES + 1), (0xFFFFFFFF, 0xFFFFFFFF)])
def test_a_length_over_the_limit_is_refused_before_it_is_read(sizes: tuple[int, int]) -> None:
    with pytest.raises(GarbledFrame):
        read_frame(io.BytesIO(struct.pack(">4sII", b"ibid", *sizes) + b"{}"))


@pytest.mark.parametrize("text", [b"[]", b"{", b'"x"', b"\xff", b"[" * 100_000])
def test_a_frame_without_a_json_object_is_garbled(text: bytes) -> None:
    with pytest.raises(GarbledFrame):
        read_frame(io.BytesIO(struct.pack(">4sII", b"ibid", len(text), 0) + text))


def test_a_picture_over_the_limit_is_not_sent(tmp_path: Path) -> None:
    with pytest.raises(GarbledFrame):
        frame({"kind": "picture"}, b"x" * (DATA_BYTES + 1))
    assert json.loads(frame({"kind": "ready"})[12:]) == {"kind": "ready"}


class _Bytes(anyio.abc.ByteReceiveStream):
    """A memory stream with a byte stream interface."""

    def __init__(self, stream: MemoryObjectReceiveStream[bytes]) -> None:
        self._stream = stream

    async def receive(self, max_bytes: int = 65536) -> bytes:
        return await self._stream.receive()

    async def aclose(self) -> None:
        await self._stream.aclose()
