"""Make the bundle that desktop clients open, and let the official judge look at it where npm is there."""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from built import ROOT, distributions, packed
from node_tools import NoNode, installed, reason, run

SOURCE = ROOT / "packaging" / "bundle"
PIN = re.compile(r"^([a-z0-9.-]+==[^\s\\]+(?: ; [^\\\n]+?)?) \\$", re.MULTILINE)


def main(folder: Path) -> int:
    """0 when it was made, and found sound where it could be judged."""
    folder.mkdir(parents=True, exist_ok=True)
    bundle = make(folder)
    print(f"made {bundle.relative_to(Path.cwd()) if bundle.is_relative_to(Path.cwd()) else bundle}")
    try:
        node, commands = installed("mcpb")
        with tempfile.TemporaryDirectory() as there:
            (manifest := Path(there, "manifest.json")).write_text(filled())
            print(run([node, str(commands / "mcpb"), "validate", str(manifest)]).strip())
    except NoNode as error:
        print(f"not judged: {error}")
    except subprocess.CalledProcessError as error:
        print(reason(error))
        return 1
    return 0


def make(folder: Path, source: Path = ROOT) -> Path:
    """The wheel with the manifest, what starts it, and a project that names its dependencies."""
    with tempfile.TemporaryDirectory() as there:
        wheel = next(one for one in distributions(source, Path(there)) if one.suffix == ".whl")
        files = {wheel.name: wheel.read_bytes(), "main.py": (SOURCE / "main.py").read_bytes()}
    files["manifest.json"] = filled().encode()
    files["pyproject.toml"] = project(wheel.name).encode()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    target = folder / f"ibid-mcp-{version()}.mcpb"
    packed(files, target)
    return target


def version(root: Path = ROOT) -> str:
    """The one source of it."""
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


def filled() -> str:
    """The manifest with the version and the tools."""
    manifest = json.loads((SOURCE / "manifest.json").read_text())
    manifest["version"] = version()
    manifest["tools"] = [{"name": name} for name in tools()]
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def tools() -> list[str]:
    """Those that are always listed."""
    return sorted(path.stem for path in (ROOT / "tools").glob("rag_*.py"))


def project(wheel: str) -> str:
    """What uv reads. The versions are those that were tested; hashes do not fit into constraints."""
    pins = PIN.findall((ROOT / "requirements" / "run.txt").read_text())
    constraints = "".join(f"    {json.dumps(one)},\n" for one in pins)
    return (
        f'[project]\nname = "ibid-mcp-bundle"\nversion = "{version()}"\nrequires-python = ">=3.11,<3.15"\n'
        'dependencies = ["ibid-mcp"]\n\n'
        f"[tool.uv]\npackage = false\nconstraint-dependencies = [\n{constraints}]\n\n"
        f'[tool.uv.sources]\nibid-mcp = {{ path = "{wheel}" }}\n'
    )


if __name__ == "__main__":
    sys.exit(main(ROOT / "dist"))
