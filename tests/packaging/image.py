"""The instructions of the Dockerfile, executed without Docker.

Each stage is a folder that its processes see as their root. Of this machine they see only `/usr`, read-only, and the
Python that replaces the base image. Their environment has only the variables of the Dockerfile, and pip's access to the
package index.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BASE = Path(sys.base_prefix)
BASE_PATH = f"{BASE}/bin:/usr/sbin:/usr/bin"
ETC = ("login.defs", "nsswitch.conf", "hosts", "resolv.conf", "ld.so.cache", "ssl")
ACCOUNTS = {
    "passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": "root:x:0:\nnogroup:x:65534:\n",
    "shadow": "root:*:20000:0:99999:7:::\nnobody:*:20000:0:99999:7:::\n",
    "gshadow": "root:*::\nnogroup:*::\n",
}
MOUNTS = """
set -e
root=$1; shift
for folder in "$@"; do
    [ "$folder" = -- ] && break
    mount --rbind "$folder" "$root$folder"
    case $folder in /dev|/proc) ;; *) mount -o remount,bind,ro "$root$folder" ;; esac
    shift
done
shift
exec "$@"
"""


def why_not() -> str:
    """Return the reason why instructions cannot be executed here, or an empty text."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root on Linux may give a process a root folder of its own"
    tried = subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True, text=True)
    return tried.stderr.strip()


@dataclass
class Image:
    """A stage of the image. `env` is the environment of its processes; `health` is the command of HEALTHCHECK."""

    root: Path
    env: dict[str, str] = field(default_factory=lambda: {"PATH": BASE_PATH})
    arguments: dict[str, str] = field(default_factory=dict)
    user: str = "0"
    folder: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)
    port: str = ""

    def start(self, words: Sequence[str], env: Mapping[str, str] | None = None, **how: Any) -> subprocess.Popen[str]:
        """Start a process of the image's user. `env` is added to the environment of the image, as by `docker run
        -e`."""
        uid, gid, home = self.account()
        inside = ["chroot", f"--userspec=+{uid}:+{gid}", "--groups=", self.root, "env", "-C", self.folder, *words]
        folders = ["/usr", "/dev", "/proc", str(BASE), *_pip_folders()]
        command = ["unshare", "--mount", "sh", "-c", MOUNTS, "sh", self.root, *folders, "--", *inside]
        return subprocess.Popen(
            list(map(str, command)), env={"HOME": home, **self.env, **(env or {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how,
        )  # fmt: skip

    def run(self, words: Sequence[str], env: Mapping[str, str] | None = None) -> str:
        """Return the output of a process that must succeed."""
        process = self.start(words, env)
        output, _ = process.communicate()
        assert process.returncode == 0, f"{words}\n{output[-4000:]}"
        return output

    def account(self) -> tuple[str, str, str]:
        """User id, group id and home folder of the image's user."""
        lines = [line.split(":") for line in (self.root / "etc/passwd").read_text().splitlines()]
        return next((uid, gid, home) for name, _, uid, gid, _, home, _ in lines if self.user in (name, uid))


def build(dockerfile: Path, folder: Path, arguments: Mapping[str, str]) -> Image:
    """Build the last stage. `arguments` are those of `--build-arg`; the context is the Dockerfile's folder."""
    stages: dict[str, Image] = {}
    image, outer = Image(folder), dict[str, str]()
    for word, rest in instructions(dockerfile.read_text(encoding="utf-8")):
        known = outer if word == "FROM" else {**image.arguments, **image.env}
        text = re.sub(r"\$\{?(\w+)\}?", lambda name: known[name[1]], rest) if word not in ("RUN", "ARG") else rest  # noqa: B023
        match word:
            case "FROM":
                base, _, name = text.partition(" AS ")
                assert base.startswith("python:"), base
                image = stages[name or "last"] = Image(_base(folder / (name or "last")))
            case "ARG":
                name, _, default = text.partition("=")
                (image.arguments if stages else outer)[name] = arguments.get(name, default)
            case "ENV":
                image.env |= dict(part.split("=", 1) for part in shlex.split(text))
            case "WORKDIR":
                image.folder = text
                (image.root / text.lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "COPY":
                _copy(image, stages, dockerfile.parent, text)
            case "RUN":
                image.run(["/bin/sh", "-c", text], {**image.arguments, **_pip()})
            case "USER":
                image.user = text
            case "EXPOSE":
                image.port = text
            case "ENTRYPOINT":
                image.entrypoint = json.loads(text)
            case "CMD":
                image.command = json.loads(text)
            case "HEALTHCHECK":
                image.health = json.loads(text.partition(" CMD ")[2])
            case _:
                assert word in ("VOLUME", "STOPSIGNAL"), word
    return image


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yield keyword and rest of each instruction, with continued lines joined."""
    lines = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE)
    for line in re.sub(r"\\\n\s*", "", lines).splitlines():
        if line.strip():
            word, _, rest = line.partition(" ")
            yield word, rest.strip()


def _base(root: Path) -> Path:
    """Create the base image: folders to mount on, and the accounts of a new system."""
    for name in (
        "usr",
        "dev",
        "proc",
        "etc",
        "root",
        "home",
        "var/mail",
        *(path.lstrip("/") for path in _pip_folders()),
    ):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    (root / str(BASE).lstrip("/")).mkdir(parents=True, exist_ok=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        if Path("/", name).is_symlink():
            (root / name).symlink_to(Path("/", name).readlink())
    for name, text in ACCOUNTS.items():
        (root / "etc" / name).write_text(text)
    for name in ETC:
        source = Path("/etc", name)
        if source.is_dir():
            shutil.copytree(source, root / "etc" / name, symlinks=True)
        elif source.exists():
            shutil.copy2(source, root / "etc" / name)
    return root


def _copy(image: Image, stages: Mapping[str, Image], context: Path, text: str) -> None:
    options, words = [], text.split()
    while words[0].startswith("--"):
        options.append(words.pop(0))
    *sources, target = words
    origin = next((stages[one.removeprefix("--from=")].root for one in options if one.startswith("--from=")), context)
    place = image.root / (target if target.startswith("/") else f"{image.folder}/{target}").lstrip("/")
    for source in sources:
        path = origin / source.lstrip("/")
        if path.is_dir():
            shutil.copytree(
                path, place, symlinks=True, dirs_exist_ok=True,
                ignore=None if options else shutil.ignore_patterns("__pycache__"),
            )  # fmt: skip
        else:
            into = target.endswith("/") or len(sources) > 1 or place.is_dir()
            (place if into else place.parent).mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place)


def _pip() -> dict[str, str]:
    """Return the variables that let pip reach the package index on this machine."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], check=True, capture_output=True, text=True)
    pairs = [line.partition("=") for line in listed.stdout.splitlines()]
    found = {key.rpartition(".")[2]: value.strip("'\"") for key, _, value in pairs}
    return {f"PIP_{key.replace('-', '_').upper()}": value.replace("\\n", " ") for key, value in found.items()}


def _pip_folders() -> list[str]:
    """Return the folders of this machine that these variables refer to, such as `/opt/wheels`."""
    words = [word.removeprefix("file://") for value in _pip().values() for word in value.split()]
    paths = {Path(word) for word in words if word.startswith("/") and Path(word).exists()}
    folders = {str(Path(*path.parts[:3])) for path in paths}
    return sorted(one for one in folders if not one.startswith(("/usr", "/etc/ssl")))
