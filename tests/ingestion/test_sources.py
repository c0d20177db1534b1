"""The selection of files for an ingestion."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpus.errors import InvalidRequest, UnreadableDocument
from corpus.ingestion.file_decision import fingerprint, is_gone
from corpus.ingestion.paths import absolute, indexed_name, require_existing
from corpus.ingestion.walk import sources_under
from tests.values import document

READABLE = frozenset({".md", ".pdf"})


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def test_readable_files_come_sorted_and_others_are_counted_by_type(tmp_path: Path) -> None:
    put(tmp_path, "b.md", "a.PDF", "sub/c.md", "x.png", "y.png", "README")
    found = sources_under([tmp_path], READABLE)
    assert [file.relative_to(tmp_path).as_posix() for file in found.files] == ["a.PDF", "b.md", "sub/c.md"]
    assert found.passed_over == {".png": 2, "(no suffix)": 1}


def test_hidden_files_and_office_lock_files_are_left_alone(tmp_path: Path) -> None:
    put(tmp_path, ".hidden.md", ".git/config.md", "~$open.md", "seen.md")
    assert [file.name for file in sources_under([tmp_path], READABLE).files] == ["seen.md"]


def test_overlapping_paths_give_each_file_once(tmp_path: Path) -> None:
    put(tmp_path, "sub/a.md")
    paths = [tmp_path, tmp_path / "sub", tmp_path / "sub" / "a.md", tmp_path / "sub" / ".." / "sub" / "a.md"]
    assert len(sources_under(paths, READABLE).files) == 1


def test_a_file_named_by_itself_is_taken_whatever_its_type(tmp_path: Path) -> None:
    put(tmp_path, "x.png")
    assert sources_under([tmp_path / "x.png"], READABLE).files == (tmp_path / "x.png",)


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    put(tmp_path, "sub/a.md")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert len(sources_under([tmp_path], READABLE).files) == 1


def test_a_path_that_never_existed_is_refused_and_one_that_vanished_is_not(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="nowhere"):
        require_existing([tmp_path / "nowhere"], indexed=[])
    require_existing([tmp_path / "gone"], indexed=[str(tmp_path / "gone" / "a.md")])


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(UnreadableDocument, match="not a regular file"):
        fingerprint(tmp_path / "pipe.md")


def test_a_file_that_vanished_meanwhile_gets_a_reason(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument):
        fingerprint(tmp_path / "gone.md")


def test_a_path_that_cannot_be_checked_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: object, **how: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", refused)
    assert not is_gone(document(source_path="/closed/a.md"))


def test_the_home_of_an_unknown_user_is_a_usage_error() -> None:
    with pytest.raises(InvalidRequest, match="~nosuchuser"):
        absolute(Path("~nosuchuser/x"))


def test_a_name_that_is_too_long_is_left_to_its_reader(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    assert sources_under([path], READABLE).files == (path,)
    with pytest.raises(UnreadableDocument, match="too long"):
        fingerprint(path)


def test_a_folder_reached_through_a_link_keeps_the_name_of_its_documents(tmp_path: Path) -> None:
    put(tmp_path, "real/sub/a.md")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real", target_is_directory=True)
    by_name, by_link = [str(tmp_path / "real/sub/a.md")], [str(link / "sub/a.md")]
    assert indexed_name(link, by_name) == tmp_path / "real"
    assert indexed_name(link / "sub", by_name) == tmp_path / "real" / "sub"
    assert indexed_name(link / "sub" / "a.md", by_name) == tmp_path / "real" / "sub" / "a.md"
    assert indexed_name(tmp_path / "real", by_link) == link
    assert indexed_name(link, by_link) == link
    assert indexed_name(link, []) == link


def test_hard_links_are_separate_files(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    os.link(tmp_path / "a.md", tmp_path / "b.md")
    assert indexed_name(tmp_path / "b.md", [str(tmp_path / "a.md")]) == tmp_path / "b.md"


@pytest.mark.parametrize(
    ("name", "content", "is_taken"),
    [
        ("README", b"Pumps need oil.\n", True),
        ("Makefile", b"all:\n\tcc pump.c\n", True),
        ("syslog.1", b"The pump stopped.\n", True),
        ("notes", "Größe".encode("cp1252"), True),
        ("notes-utf16", "Größe".encode("utf-16"), True),
        ("program", b"\x7fELF\x02\x01\x01", False),
        ("data", bytes(range(64)), False),
        ("empty", b"", False),
        ("id_rsa", b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n", False),
        (".env", b"PASSWORD=x\n", False),
        ("prod.env", b"PASSWORD=x\n", False),
    ],
)
def test_a_file_without_a_suffix_is_taken_if_it_contains_text(
    tmp_path: Path, name: str, content: bytes, is_taken: bool
) -> None:
    (tmp_path / name).write_bytes(content)
    found = sources_under([tmp_path], READABLE | {""})
    assert [file.name for file in found.files] == ([name] if is_taken else [])


def test_a_link_without_a_suffix_that_leads_outside_is_not_opened(tmp_path: Path) -> None:
    put(tmp_path, "out/README", "root/a.md")
    (tmp_path / "root" / "README").symlink_to(tmp_path / "out" / "README")
    found = sources_under([tmp_path / "root"], READABLE | {""})
    assert [file.name for file in found.files] == ["a.md"]
