"""Folders and files reached through links."""

from __future__ import annotations

from pathlib import Path


def test_a_folder_and_a_file_reached_through_a_link_are_indexed_once(run, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").symlink_to(notes, target_is_directory=True)
    (tmp_path / "file").symlink_to(notes / "pumps.md")
    run("ingest", notes)
    for link in ("folder", "folder/pumps.md", "file"):
        assert "1 unchanged" in run("ingest", tmp_path / link).output
    assert "1 of 1 documents" in run("list").output


def test_a_folder_first_named_by_a_link_keeps_that_name(run, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").symlink_to(notes, target_is_directory=True)
    run("ingest", tmp_path / "folder")
    assert "1 unchanged" in run("ingest", notes).output
    assert "1 of 1 documents" in run("list").output


def test_text_without_a_suffix_is_read_and_a_program_is_skipped(run, notes: Path) -> None:
    (notes / "LICENSE").write_text("Mooring is free of charge for rowing boats.")
    (notes / "program").write_bytes(b"\x7fELF\x02\x01\x01")
    assert "(no suffix) 1" in run("ingest", notes).output
    assert "rowing boats" in run("search", "mooring").output


def test_a_folder_and_a_link_to_it_named_together_count_once(run, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").symlink_to(notes, target_is_directory=True)
    assert "1 added" in run("ingest", notes, tmp_path / "folder", tmp_path / "folder" / "pumps.md").output
    assert "1 of 1 documents" in run("list").output
