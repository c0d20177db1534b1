"""Start a server and record each protocol line in both directions: `tap.py FILE COMMAND...`.

Client lines start with `> `, server lines with `< `. The script imports almost nothing, because clients do not wait
long for a server.
"""

import _thread
import os
import sys


def main(file: str, command: list[str]) -> int:
    kept = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    from_client, to_server = os.pipe()
    from_server, to_client = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(from_client, 0)
        os.dup2(to_client, 1)
        for each in (from_client, to_server, from_server, to_client, kept):
            os.close(each)
        os.execv(command[0], command)  # noqa: S606
    os.close(from_client)
    os.close(to_client)
    _thread.start_new_thread(_pass_on, (0, to_server, kept, b"> "))
    _pass_on(from_server, 1, kept, b"< ")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _pass_on(source: int, target: int, kept: int, mark: bytes) -> None:
    rest = b""
    while chunk := os.read(source, 65_536):
        *whole, rest = (rest + chunk).split(b"\n")
        if whole:
            os.write(kept, b"".join(mark + line.rstrip(b"\r") + b"\n" for line in whole))
        view = memoryview(chunk)
        while view:
            view = view[os.write(target, view) :]
    if target != 1:
        os.close(target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
