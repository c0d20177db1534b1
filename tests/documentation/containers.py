"""Run locally the command that a container of the image would run, with its variables, and with folders as its
volumes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from server.settings.model import variables
from tests.documentation.blocks import ROOT
from tests.documentation.place import Place


def wishes(words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of `docker run` and `docker exec`. `rest` begins with the image or the container."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rm", action="store_true")
    parser.add_argument("-d", action="store_true")
    parser.add_argument("--name")
    for option in ("-p", "-v", "-e"):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    return parser.parse_args(words)


class Container:
    """A container. `env` contains the variables of the Dockerfile and of the command line."""

    def __init__(self, place: Place, given: argparse.Namespace) -> None:
        text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
        self._default = re.findall(r'"([^"]+)"', text[text.rindex("\nCMD") :])
        self._folders = dict(_mounted(place, one) for one in given.v)
        assert set(re.findall(r"^VOLUME (.+)$", text, re.MULTILINE)) <= set(self._folders)
        open_ = re.findall(r"^EXPOSE (\d+)$", text, re.MULTILINE)
        assert all(one.rpartition(":")[2] in open_ for one in given.p)
        said = dict(re.findall(r"(RAG_\w+)=(\S+)", text)) | dict(one.split("=", 1) for one in given.e)
        assert set(said) <= set(variables())
        self.env = {name: self._here(value) for name, value in said.items()}

    def words(self, typed: Sequence[str]) -> list[str]:
        return [self._here(one) for one in typed] or self._default

    def _here(self, value: str) -> str:
        for inside, folder in self._folders.items():
            if value.startswith(inside):
                return value.replace(inside, str(folder), 1)
        return value


def _mounted(place: Place, volume: str) -> tuple[str, Path]:
    source, inside = volume.split(":")[:2]
    if source.startswith("~"):
        return inside, place.home / source.removeprefix("~/")
    return inside, place.root / "volumes" / source
