"""The entry starts the same Ibid that wrote it, however it was installed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from server.clients.launch import Running, by_name, launch


@pytest.fixture
def venv(tmp_path: Path) -> Running:
    """An environment with a console script that starts the command."""
    scripts = tmp_path / "my venv" / "bin"
    scripts.mkdir(parents=True)
    for name in ("ibid", "python"):
        (scripts / name).write_text("")
        (scripts / name).chmod(0o755)
    return Running(
        str(scripts / "ibid"), str(scripts / "python"), str(scripts.parent), str(scripts), False, "1.2.3", None
    )  # fmt: skip


def nowhere(name: str) -> str | None:
    return None


def test_a_virtual_environment_is_started_by_its_script(venv: Running) -> None:
    assert (launch(venv, nowhere).command, launch(venv, nowhere).args) == (venv.argv0, ("serve",))


def test_a_module_started_by_hand_finds_the_script_next_to_it(venv: Running) -> None:
    assert launch(replace(venv, argv0="-c"), nowhere).command == venv.argv0


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_the_pipx_link_is_used_and_not_its_target(venv: Running, tmp_path: Path) -> None:
    link = tmp_path / "ibid"
    link.symlink_to(venv.argv0)
    assert launch(replace(venv, argv0=str(link)), nowhere).command == str(link)


def test_on_windows_the_entry_starts_the_exe(venv: Running) -> None:
    exe = Path(venv.argv0).with_name("ibid.exe")
    exe.write_text("")
    exe.chmod(0o755)
    assert launch(venv, nowhere).command == str(exe)


def test_without_a_script_python_starts_it_and_imports_nothing_from_its_working_directory(venv: Running) -> None:
    Path(venv.argv0).unlink()
    found = launch(venv, nowhere)
    assert (found.command, found.args[0], found.args[-1]) == (venv.executable, "-P", "serve")


@pytest.mark.parametrize(
    ("prefix", "runner", "args"),
    [
        ("/x/uv/archive-v0/AbC", "uvx", ("--from", "ibid-mcp==1.2.3", "ibid", "serve")),
        ("/x/.cache/pipx/0f3a", "pipx", ("run", "--spec", "ibid-mcp==1.2.3", "ibid", "serve")),
    ],
)
def test_a_temporary_environment_is_recreated_by_the_same_program(
    venv: Running, prefix: str, runner: str, args: tuple[str, ...]
) -> None:
    found = launch(replace(venv, prefix=prefix), lambda name: f"/opt/bin/{name}")
    assert Path(found.command) == Path(f"/opt/bin/{runner}").absolute()
    assert found.args == args
    assert runner in launch(replace(venv, prefix=prefix), nowhere).note


def test_a_package_installed_from_a_file_is_taken_from_that_file_again(venv: Running) -> None:
    running = replace(venv, prefix="/x/uv/archive-v0/A", source="file:///wheels/ibid.whl")
    assert launch(running, nowhere).args[1] == "file:///wheels/ibid.whl"


def test_a_permanent_pipx_environment_is_not_temporary(venv: Running) -> None:
    assert launch(replace(venv, prefix="/x/pipx/venvs/ibid-mcp"), nowhere).command == venv.argv0


def test_a_shared_file_names_only_the_command_if_it_is_on_the_path(venv: Running) -> None:
    assert by_name(venv, lambda name: f"/bin/{name}").command == "ibid"
    assert by_name(venv, nowhere).command == venv.argv0
    assert "this machine only" in by_name(venv, nowhere).note
