"""OCR with rapidocr: the PP-OCRv6 small models from its package, on one CPU thread."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from corpus.readers.ocr.engine import ENGINE, Corners, Piece, Pixels

_MAX_DETECTION_SIDE = 1280
"""Maximum length in pixels of the image's longer side during line detection, which takes longer for larger images.
Words are then read at full size."""

_MIN_DETECTION_SIDE = 320
"""Minimum length in pixels of the shorter side; smaller figures are enlarged. Of 216 labels of 6 to 11 points at 72 to
150 dpi, the engine misses 10; without enlarging, it misses 29. With rapidocr's default of 736, it misses 12 and takes
three times as long."""

_LINE_HEIGHT = 48
"""Height of a line in pixels that the model requires. Lines shrunk to a height of 40, or to nine tenths of their width,
save a tenth of the time but cause the first misread characters."""

_MIN_WIDTH = 48  # Minimum width of a crop in pixels; no crop is narrower than it is high.
_BATCH_WIDTH = 1280
"""Total width in pixels of the lines in a batch. Larger batches exceed the processor's cache, and each line then takes
a sixth longer."""

_MIN_SCORE = 0.5  # Minimum confidence of the model; rapidocr also drops text below it.
_MIN_TALL_RATIO = 1.5  # Minimum ratio of height to width of a box that rapidocr rotates when cropping it.
_MIN_UPRIGHT_VOTES = 0.8  # Fraction of upright votes below which the longest line is tried in both directions.
_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
}


class RapidEngine:
    """The rapidocr engine. It is cheap to create; the models are loaded with the first image and stay loaded."""

    name = ENGINE

    def pieces(self, image: Pixels) -> Iterator[list[Piece]]:
        """See `OcrEngine.pieces`. Loading, line detection and each batch of lines are separate steps."""
        engine = self._engine
        yield []
        bgr = np.ascontiguousarray(image[:, :, ::-1])
        boxes = _detect_lines(engine, bgr)
        yield []
        crops = [_crop(bgr, box) for box in boxes]
        turns = _turns(engine, crops, boxes)
        lines = [_line(np.rot90(crop, 2) if turn >= 2 else crop) for crop, turn in zip(crops, turns, strict=True)]
        for run in _batches(lines):
            texts = _read_lines(engine, [lines[index] for index in run])
            yield [
                Piece(text, _corners(boxes[index], turns[index]))
                for index, (text, score) in zip(run, texts, strict=True)
                if text.strip() and score >= _MIN_SCORE
            ]

    @cached_property
    def _engine(self) -> Any:
        return _load_engine()


def _load_engine() -> Any:
    """Return the engine with the paths of all its model files, so that it never downloads a file."""
    import cv2
    import rapidocr

    cv2.setNumThreads(1)
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    folder = Path(rapidocr.__file__).parent / "models"
    paths = {f"{part}.model_path": str(folder / name) for part, name in _MODELS.items()}
    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    # `_detect_lines` has already scaled the image.
    size = {"Det.limit_type": "max", "Det.limit_side_len": 10_000}
    engine: Any = rapidocr.RapidOCR(params={"Global.log_level": "error", **threads, **paths, **size})
    engine._load_det_model()
    engine._load_cls_model()
    engine._load_rec_model()
    return engine


def _detect_lines(engine: Any, image: Pixels) -> list[Any]:
    """Return the boxes of lines as arrays of four corners, in pixels of the image."""
    import cv2

    height, width = image.shape[:2]
    scale = min(_MAX_DETECTION_SIDE / max(height, width), max(1.0, _MIN_DETECTION_SIDE / min(height, width)))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    detection = engine.text_det(cv2.resize(image, size, interpolation=how) if scale != 1 else image)
    return [] if detection.boxes is None else [(box / scale).astype(np.float32) for box in detection.boxes]


def _crop(image: Pixels, box: Any) -> Any:
    from rapidocr.utils.process_img import get_rotate_crop_image

    return get_rotate_crop_image(image, box.copy())


def _line(crop: Any) -> Any:
    """Return the crop scaled to the line height of the model."""
    import cv2

    width = max(_MIN_WIDTH, math.ceil(_LINE_HEIGHT * crop.shape[1] / max(1, crop.shape[0])))
    how = cv2.INTER_AREA if crop.shape[0] > _LINE_HEIGHT else cv2.INTER_LINEAR
    return cv2.resize(crop, (width, _LINE_HEIGHT), interpolation=how)


def _batches(lines: list[Any]) -> Iterator[list[int]]:
    """Yield the indexes of lines of similar length, because the longest line determines the cost of a batch."""
    run: list[int] = []
    for index in sorted(range(len(lines)), key=lambda each: lines[each].shape[1]):
        if run and lines[index].shape[1] * (len(run) + 1) > _BATCH_WIDTH:
            yield run
            run = []
        run.append(index)
    if run:
        yield run


def _read_lines(engine: Any, lines: list[Any]) -> list[tuple[str, float]]:
    """Return the text and confidence of each line."""
    width = max(line.shape[1] for line in lines)
    # Pad shorter lines with grey, which the model ignores.
    batch = np.zeros((len(lines), 3, _LINE_HEIGHT, width), np.float32)
    for place, line in zip(batch, lines, strict=True):
        place[:, :, : line.shape[1]] = line.transpose(2, 0, 1) / np.float32(127.5) - 1
    texts, _ = engine.text_rec.postprocess_op(engine.text_rec.session(batch))
    return [(text, float(score)) for text, score in texts]


def _turns(engine: Any, crops: list[Any], boxes: list[Any]) -> list[int]:
    """Return, for each crop, the index of the corner of its box at which the text starts, clockwise from the top
    left."""
    if not crops:
        return []
    _, classes = engine.cls_and_rotate(crops)
    tall = [_is_tall(box) for box in boxes]
    votes = [
        crop.shape[1] * (2 * sure - 1) * (1 if label == "180" else -1)
        for crop, (label, sure) in zip(crops, classes.cls_res or (), strict=True)
    ]
    heads = {}
    for is_tall in set(tall):
        of_them = [index for index, is_its_tall in enumerate(tall) if is_its_tall == is_tall]
        heads[is_tall] = _is_on_its_head(
            engine, [crops[index] for index in of_them], sum(votes[index] for index in of_them)
        )
    return [(1 if is_tall else 0) + (2 if heads[is_tall] else 0) for is_tall in tall]


def _is_on_its_head(engine: Any, crops: list[Any], votes: float) -> bool:
    """Return whether the lines of one direction are upside down. They vote together, because the classifier misjudges
    one line in a hundred. Unless nearly all vote for upright, the longest line is read in both directions."""
    if votes < -_MIN_UPRIGHT_VOTES * sum(crop.shape[1] for crop in crops):
        return False
    longest = max(crops, key=lambda crop: int(crop.shape[1]))
    (as_it_is,), (upside_down,) = (_read_lines(engine, [_line(crop)]) for crop in (longest, np.rot90(longest, 2)))
    return upside_down[1] > as_it_is[1]


def _is_tall(box: Any) -> bool:
    """Return whether rapidocr rotates the crop of the box to the left."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = box
    width = int(max(np.hypot(x1 - x0, y1 - y0), np.hypot(x2 - x3, y2 - y3)))
    height = int(max(np.hypot(x3 - x0, y3 - y0), np.hypot(x2 - x1, y2 - y1)))
    return height >= _MIN_TALL_RATIO * width


def _corners(box: Any, turn: int) -> Corners:
    points = [(float(x), float(y)) for x, y in box]
    a, b, c, d = (points[(turn + step) % 4] for step in range(4))
    return (a, b, c, d)
