"""`ibid completion`: print the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, PowerShellComplete, ShellComplete, ZshComplete

VARIABLE = "_IBID_COMPLETE"
SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
    "powershell": PowerShellComplete,
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SHELLS)))
def command(shell: str) -> None:
    """Print the script with which SHELL completes the commands and options of `ibid`.

    \b
    bash        eval "$(ibid completion bash)"     in ~/.bashrc
    zsh         eval "$(ibid completion zsh)"      in ~/.zshrc, after compinit
    fish        ibid completion fish | source      in ~/.config/fish/config.fish
    powershell  ibid completion powershell | Out-String | Invoke-Expression
                in the file that $PROFILE names
    """
    from server.commands.group import ibid

    made = SHELLS[shell](ibid, {}, "ibid", VARIABLE)
    # Do not call made.source(), which for bash would start bash to check its version. For fish, click's script splits
    # lines at every comma, but descriptions may contain commas.
    template = made.source_template.replace('string split ","', 'string split --max 1 ","')
    click.echo(template % made.source_vars())
