"""The programs that the pages start, and how each is handled here.

Run: `ibid`, `export`, `.`, `mkdir`, `python -c`, the fakes and examples of a checkout, and for `docker` the commands
that its containers would run. Not run: `pip`, `uv`, `git`, `az`, `make` and `pytest`, because they would install into
this environment, or need a package index, a repository or an Azure subscription. The tests check these against the
repository.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

from server.settings.azure import READER
from server.settings.model import variables
from tests.documentation.blocks import ROOT
from tests.documentation.containers import Container, wishes
from tests.documentation.session import Session
from tests.patience import PATIENCE

STAND_IN = "tests.doubles.azure_search"
Act = Callable[[Session, list[str], str, dict[str, str]], str]
EXTRA = re.compile(r"(?:ibid-mcp|\.)\[([\w-]+)\]")


def ibid(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    del line
    place = session.place
    if words[1:3] == ["index", "import"]:  # on another machine
        place.env["RAG_DATA_DIR"] = str(place.root / "another")
    return session.ibid(words[1:], place.env | beside)


def export(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    """Check that each name is a setting of Ibid, of the tests or of OpenTelemetry. The next command uses the values."""
    del words, beside
    given = session.exported(line)
    assert given, line
    unknown = [name for name in given if not is_known(name)]
    assert unknown == [], f"{line}: unknown settings: {unknown}"
    session.place.env |= given
    return ""


def is_known(name: str) -> bool:
    if name.startswith("OTEL_"):
        from opentelemetry.sdk import environment_variables

        return hasattr(environment_variables, name)
    return name in {*variables(), "PATH", "SSL_CERT_FILE"} or name in (ROOT / "tests/azure/test_live.py").read_text(
        encoding="utf-8"
    )


def shell(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    del words, beside
    return session.shell(line)


def pip(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    """Check that the files and the extras exist. It is not run; tests/packaging installs the wheel."""
    del session, beside
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=["install"])
    parser.add_argument("what", nargs="*")
    parser.add_argument("--require-hashes", action="store_true")
    parser.add_argument("--no-deps", action="store_true")
    parser.add_argument("-r", dest="file", type=Path)
    given = parser.parse_intermixed_args(words[1:])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert given.file is None or (ROOT / given.file).is_file(), line
    for one in given.what:
        extra = EXTRA.fullmatch(one)
        assert one == "." or (extra and extra[1] in extras), line
    return ""


def uv(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    """Check that the project is this one. It is not run, because it installs into the user's home."""
    del session, beside
    assert words[1:3] == ["tool", "install"], line
    assert words[3:] in (["."], ["ibid-mcp"]), line
    return ""


def git(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    """Check the command without running it, because it needs the repository's host."""
    del session, beside
    assert words[1] == "clone", line
    assert words[3:] in ([], ["&&", "cd", words[2].rpartition("/")[2]]), line
    return ""


def make(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    """Check the command without running it, because its targets run these tests."""
    del session, beside
    assert set(words[1:]) <= targets(), line
    return ""


def targets() -> set[str]:
    return set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def az(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    """Check that the role is the one in Ibid's own errors. It is not run, because it needs a subscription."""
    del session, beside
    assert words[1] in ("search", "role"), line
    assert "--role" not in words or words[words.index("--role") + 1] == READER, line
    return ""


def of_checkout(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    """A program that the checkout's own Python starts: a fake service that runs as long as the page, or an example."""
    if words[1:3] == ["-m", "pytest"]:
        return pytest(session, words, line, beside)
    if words[1:3] == ["-m", STAND_IN]:
        return _stand_in(session, words, line)
    place, (script, *rest) = session.place, words[1:]
    done = subprocess.run(
        [sys.executable, str(ROOT / script), *rest], cwd=place.folder, env=place.env | beside, check=False,
        capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    return done.stdout


def _stand_in(session: Session, words: list[str], line: str) -> str:
    *typed, arrow, name = words
    assert arrow == ">", line
    file, place = session.place.folder / name, session.place
    with file.open("w") as written:
        process = place.open.enter_context(
            subprocess.Popen(
                [sys.executable, *typed[1:]], cwd=place.folder, env=place.env | {"PYTHONPATH": str(ROOT)},
                stdin=subprocess.PIPE, stdout=written,
            )
        )  # fmt: skip
    place.open.callback(process.communicate)
    end = time.monotonic() + PATIENCE
    while not file.read_text():
        assert process.poll() is None, line
        assert time.monotonic() < end, line
        time.sleep(0.05)
    return ""


def pytest(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    """Check the command without running it, because it needs a service."""
    del session, beside
    assert words[1:3] == ["-m", "pytest"], line
    assert all((ROOT / one).is_file() for one in words[3:]), line
    return ""


def docker(session: Session, words: list[str], line: str, beside: dict[str, str]) -> str:
    """Run the command of each container here, with folders as its volumes. No image is built."""
    del beside
    if words[1] == "build":
        assert (ROOT / words[-1] / "Dockerfile").is_file(), line
        return ""
    given = wishes(words[2:])
    if words[1] == "run":
        container, typed = Container(session.place, given), given.rest[1:]
        session.containers[given.name] = container
    else:
        name, program, *typed = given.rest
        assert (words[1], program) == ("exec", "ibid"), line
        container = session.containers[name]
    return session.ibid(container.words(typed), session.place.env | container.env)


PROGRAMS: dict[str, Act] = {
    "ibid": ibid,
    "export": export,
    "mkdir": shell,
    "python": shell,
    "docker": docker,
    "pip": pip,
    "uv": uv,
    "git": git,
    "az": az,
    "make": make,
    ".venv/bin/python": of_checkout,
    ".": export,
}
