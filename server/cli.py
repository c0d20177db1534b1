"""The console script `ibid`. A command that fails or is interrupted prints one message and ends with its exit code.

Other modules are imported when the script runs, so that Ctrl-C during the imports ends it in the same way.
"""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys

INTERRUPTED = "Interrupted. Finished work is kept; run the same command again to continue."


def main() -> None:
    """Run the command. Exit codes: 0 success, 1 failure, 2 invalid usage or settings, 130 interrupted."""
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # this runs last, when everything is done
    try:
        status = _run()
        signal.signal(signal.SIGINT, _interrupted_at_last)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # a second Ctrl-C exits immediately
        sys.stderr.write(f"{INTERRUPTED}\n")
        status = 130
    sys.exit(status)


def _run() -> int | str | None:
    early = None
    if sys.argv[1:] == ["serve"]:
        from server.first_answers.early import begin

        early = begin()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal may lack the characters of a file name

    import click

    import corpus  # noqa: F401 - must be the first to load structlog
    from server.commands.group import ibid
    from server.commands.terminal import lines, one_line, print_line

    output = sys.stdout
    try:
        status = ibid.main(standalone_mode=False, obj=early)
        sys.stdout.flush()
    except SystemExit as end:
        # click replaces sys.stdout after a broken pipe, as in `ibid list | head`.
        return end.code if sys.stdout is output else 0
    except click.ClickException as error:
        message = io.StringIO()
        error.show(message)
        if not sys.stderr.isatty():
            click.echo(lines(message.getvalue()), nl=False, err=True)
            return error.exit_code
        for text in lines(message.getvalue()).splitlines():
            print_line(text, hanging=7 if text.startswith("Error: ") else 4, beside=True)
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except BrokenPipeError:
        _give_up_output()  # as in `ibid list | head`
        return 0
    except OSError as error:
        _give_up_output()
        place = f"{one_line(os.fsdecode(error.filename))}: " if isinstance(error.filename, str | bytes) else ""
        click.echo(f"Error: {place}{one_line(error.strerror or error)}", err=True)
        return 1
    else:
        return status if isinstance(status, int) else 0


def _interrupted_at_last(number: int, frame: object) -> None:
    """Exit without an exception, which would print a traceback during shutdown."""
    os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(130)


def _give_up_output() -> None:
    """Redirect stdout to /dev/null, so that the flush at exit does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
