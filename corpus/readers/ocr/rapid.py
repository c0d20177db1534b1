"""The engine over rapidocr: PP-OCRv6 small, whose models lie in the package, on the CPU and on one thread."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from corpus.readers.ocr.choice import ENGINE
from corpus.readers.ocr.pieces import Corners, Piece
from corpus.readers.ocr.promise import Pixels

if TYPE_CHECKING:
    from rapidocr import RapidOCR

_DETECTED_SIDE = 1280
"""Longest side, in pixels, of the image that lines are looked for in: that costs memory and time by the pixel. Their
words are then read at full size."""

_LARGEST_BATCH = 64.0
"""Lines read at once, by the sum of width over height: more of them are no faster, and cost memory."""

_LEAST_SCORE = 0.5
_TALL = 1.5
_UPSIDE_DOWN = 0.9
_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
}


class RapidEngine:
    """Made without cost; the models are loaded at the first image and stay."""

    name = ENGINE

    def __init__(self) -> None:
        self._loaded: RapidOCR | None = None

    def pieces(self, image: Pixels) -> Iterator[list[Piece]]:
        """See `OcrEngine`. Loading, the detection of lines, and some lines recognised are a step each."""
        engine = self._engine()
        yield []
        bgr = np.ascontiguousarray(image[:, :, ::-1])
        boxes = _detected(engine, bgr)
        yield []
        crops = [_crop(bgr, box) for box in boxes]
        turns = _turns(engine, crops, boxes)
        crops = [np.rot90(crop, 2) if turn >= 2 else crop for crop, turn in zip(crops, turns, strict=True)]
        for run in _batches(crops):
            found = engine.recognize_txt([crops[index] for index in run])
            yield [
                Piece(text, _corners(boxes[index], turns[index]))
                for index, text, score in zip(run, found.txts or (), found.scores or (), strict=True)
                if text.strip() and score >= _LEAST_SCORE
            ]

    def _engine(self) -> RapidOCR:
        if self._loaded is None:
            self._loaded = _loaded()
        return self._loaded


def _loaded() -> RapidOCR:
    """The engine with the models of its package named file by file: it has no reason to download any."""
    import cv2
    import rapidocr

    cv2.setNumThreads(1)
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    folder = Path(rapidocr.__file__).parent / "models"
    paths = {f"{part}.model_path": str(folder / name) for part, name in _MODELS.items()}
    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    return rapidocr.RapidOCR(params={"Global.log_level": "error", **threads, **paths})


def _detected(engine: RapidOCR, image: Pixels) -> list[Any]:
    """Boxes of lines as arrays of four corners, in pixels of the image."""
    import cv2
    from rapidocr.main import RapidOCRError

    height, width = image.shape[:2]
    scale = min(1.0, _DETECTED_SIDE / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if scale < 1 else image
    record: dict[str, Any] = {}
    with contextlib.suppress(RapidOCRError):  # nothing found
        _, found = engine.detect_and_crop(small, record)
        margin = np.array([record["padding_1"]["left"], record["padding_1"]["top"]])
        return [((box - margin) / scale).astype(np.float32) for box in cast(Any, found.boxes)]
    return []


def _crop(image: Pixels, box: Any) -> Any:
    from rapidocr.utils.process_img import get_rotate_crop_image

    return get_rotate_crop_image(image, box.copy())


def _batches(crops: list[Any]) -> Iterator[list[int]]:
    """The indexes of lines of much the same length together, for the longest is the cost of each."""
    shapes = [crop.shape[1] / max(1, crop.shape[0]) for crop in crops]
    run: list[int] = []
    for index in sorted(range(len(crops)), key=shapes.__getitem__):
        if run and shapes[index] * (len(run) + 1) > _LARGEST_BATCH:
            yield run
            run = []
        run.append(index)
    if run:
        yield run


def _turns(engine: RapidOCR, crops: list[Any], boxes: list[Any]) -> list[int]:
    """For each crop, which corner of its box the text starts at, clockwise from the top left.

    Lines of one direction are taken together, for the classifier errs on one in a hundred.
    """
    if not crops:
        return []
    _, found = engine.cls_and_rotate(crops)
    tall = [_is_tall(box) for box in boxes]
    heads = dict.fromkeys((True, False), 0.0)
    for is_tall, crop, (label, sure) in zip(tall, crops, found.cls_res or (), strict=True):
        heads[is_tall] += crop.shape[1] * (1 if label == "180" and sure > _UPSIDE_DOWN else -1)
    return [(1 if is_tall else 0) + (2 if heads[is_tall] > 0 else 0) for is_tall in tall]


def _is_tall(box: Any) -> bool:
    """As `_crop` sees it: such a box is turned to the left before it is read."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = box
    width = int(max(np.hypot(x1 - x0, y1 - y0), np.hypot(x2 - x3, y2 - y3)))
    height = int(max(np.hypot(x3 - x0, y3 - y0), np.hypot(x2 - x1, y2 - y1)))
    return height >= _TALL * width


def _corners(box: Any, turn: int) -> Corners:
    points = [(float(x), float(y)) for x, y in box]
    a, b, c, d = (points[(turn + step) % 4] for step in range(4))
    return (a, b, c, d)
