"""Compound files in the format of Outlook's mails, generated for tests: streams and storages by name."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Union

Tree = Mapping[str, Union[bytes, "Tree"]]

_NONE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR, _MINI = 512, 64


def compound(tree: Tree) -> bytes:
    """Return the bytes of the file. All streams are under 4096 bytes, so all are in the mini stream."""
    entries: list[list[object]] = [["Root Entry", 5, _NONE, _NONE, _END, 0]]  # name, kind, right, child, start, size
    small, chains = b"", list[int]()
    pending: list[tuple[int, Tree]] = [(0, tree)]
    while pending:
        parent, children = pending.pop(0)
        before = None
        for name, value in children.items():
            here = len(entries)
            if isinstance(value, bytes):
                count = -(-len(value) // _MINI)
                start = len(chains) if count else _END
                chains += [*range(len(chains) + 1, len(chains) + count), _END][:count]
                small += value.ljust(count * _MINI, b"\0")
                entries.append([name, 2, _NONE, _NONE, start, len(value)])
            else:
                entries.append([name, 1, _NONE, _NONE, 0, 0])
                pending.append((here, value))
            entries[parent if before is None else before][3 if before is None else 2] = here
            before = here
    entries[0][5] = len(small)
    return _file(entries, small, chains)


def _file(entries: list[list[object]], small: bytes, chains: list[int]) -> bytes:
    minifat = _padded(struct.pack(f"<{len(chains)}I", *chains), b"\xff")
    stream = _padded(small, b"\0")
    count_directory = -(-len(entries) * 128 // _SECTOR)
    sizes = [count_directory, len(minifat) // _SECTOR, len(stream) // _SECTOR]
    starts = [1, 1 + sizes[0], 1 + sizes[0] + sizes[1]]
    fat = [_FAT]
    for start, size in zip(starts, sizes, strict=True):
        fat += [*range(start + 1, start + size), _END]
    assert len(fat) <= _SECTOR // 4
    entries[0][4] = starts[2]
    directory = _padded(b"".join(map(_entry, entries)), b"\0")
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, starts[0], 0, 0x1000,
        starts[1], sizes[1], _END, 0,
    )  # fmt: skip
    header += struct.pack("<109I", 0, *[_NONE] * 108)
    table = _padded(struct.pack(f"<{len(fat)}I", *fat), b"\xff")
    return header + table + directory + minifat + stream


def _entry(entry: list[object]) -> bytes:
    name, kind, right, child, start, size = entry
    letters = (str(name) + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16sIQQIII",
        letters,
        len(letters),
        kind,
        1,
        _NONE,
        right,
        child,
        b"",
        0,
        0,
        0,
        start,
        size,
        0,
    )


def _padded(data: bytes, filler: bytes) -> bytes:
    return data + filler * (-len(data) % _SECTOR)
