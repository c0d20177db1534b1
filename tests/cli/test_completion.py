"""Completion in the shells themselves, if they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from server.commands.completion import SHELLS
from tests.patience import PATIENCE

BASH = """
eval "$(ibid completion bash)"
complete -p ibid
COMP_WORDS=(ibid ins); COMP_CWORD=1; _ibid_completion ibid; echo "${COMPREPLY[@]}"
COMPREPLY=(); COMP_WORDS=(ibid install v); COMP_CWORD=2; _ibid_completion ibid; echo "${COMPREPLY[@]}"
COMPREPLY=(); COMP_WORDS=(ibid key list --); COMP_CWORD=3; _ibid_completion ibid; echo "${COMPREPLY[@]}"
"""
ZSH = """
autoload -Uz compinit; compinit -u -D
eval "$(ibid completion zsh)"
(( ${+functions[_ibid_completion]} )) && print complete -F ibid
_describe() { print -rl -- "${completions_with_descriptions[@]}" }
compadd() { print -rl -- "${completions[@]}" }
words=(ibid ins); CURRENT=2; _ibid_completion
words=(ibid install v); CURRENT=3; _ibid_completion
words=(ibid key list --); CURRENT=4; _ibid_completion
"""
FISH = """
ibid completion fish | source
complete -c ibid | string match -q '*ibid*'; and echo complete -F ibid
complete -C "ibid ins"
complete -C "ibid install v"
complete -C "ibid key list --"
complete -C "ibid eva"
"""
STARTS = {"bash": ["bash", "--norc", "-c"], "zsh": ["zsh", "-f", "-c"], "fish": ["fish", "--no-config", "-c"]}


@pytest.mark.parametrize(("shell", "script"), [("bash", BASH), ("zsh", ZSH), ("fish", FISH)])
def test_a_shell_completes_commands_values_and_options(shell: str, script: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = os.environ | {"PATH": path, "HOME": str(tmp_path)}
    done = subprocess.run(
        [*STARTS[shell], script], env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert "ibid" in done.stdout.splitlines()[0], done.stderr
    said = done.stdout.split("\n", 1)[1]
    assert "install" in said
    assert "vscode" in said
    assert "--json" in said
    assert "claude-desktop" not in said
    assert "ingest" not in said
    if shell == "fish":  # the shell shows descriptions, including their commas
        assert "Measure the answers to your own questions." in said


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_a_script_that_calls_ibid(run, shell: str) -> None:
    script = run("completion", shell).output
    assert "_IBID_COMPLETE" in script
    assert "%(" not in script


def test_powershell_is_answered_line_by_line(tmp_path: Path) -> None:
    asked = {"_IBID_COMPLETE": "powershell_complete", "COMP_WORDS": "ibid install v", "COMP_CWORD": "2"}
    command = [str(Path(sys.executable).with_name("ibid"))]
    done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.split() == ["plain", "vscode", "_"]
