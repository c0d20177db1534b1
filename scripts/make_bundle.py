"""Build the bundle for desktop clients, and validate it with the official tool if npm is available."""

import io
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from built import ROOT, distributions, packed
from node_tools import NoNode, installed, reason, run
from PIL import Image, ImageDraw

from server.clients.launch import WITHOUT_SCRIPT
from server.commands.clients.install import start_once
from server.first_answers.kept_file import FOLDER

SOURCE = ROOT / "packaging" / "bundle"
ICON = 512
"""Width and height in pixels."""


def main(folder: Path) -> int:
    """Build and validate the bundle. Return 0 if it was built and is valid, or could not be validated."""
    folder.mkdir(parents=True, exist_ok=True)
    bundle = make(folder)
    print(f"made {bundle.relative_to(Path.cwd()) if bundle.is_relative_to(Path.cwd()) else bundle}")
    try:
        node, commands = installed("mcpb")
        with tempfile.TemporaryDirectory() as there:
            (manifest := Path(there, "manifest.json")).write_text(filled())
            Path(there, "icon.png").write_bytes(icon())
            print(run([node, str(commands / "mcpb"), "validate", str(manifest)]).strip())
    except NoNode as error:
        print(f"not judged: {error}")
    except subprocess.CalledProcessError as error:
        print(reason(error))
        return 1
    return 0


def make(folder: Path, source: Path = ROOT) -> Path:
    """Build the bundle from the wheel, the manifest, the start script, the pinned requirements, and the first answers,
    which are used until the requirements are installed."""
    with tempfile.TemporaryDirectory() as there:
        wheel = next(one for one in distributions(source, Path(there)) if one.suffix == ".whl")
        files = {wheel.name: wheel.read_bytes(), "main.py": (SOURCE / "main.py").read_bytes()}
    files["manifest.json"] = filled().encode()
    files["requirements.txt"] = (ROOT / "requirements" / "run.txt").read_bytes()
    files["first_answers.json"] = first_answers()
    files["icon.png"] = icon()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    target = folder / f"ibid-mcp-{version()}.mcpb"
    packed(files, target)
    return target


def first_answers() -> bytes:
    """Return the server's first answers for clients of every protocol version, in the form in which the server caches
    them."""
    with tempfile.TemporaryDirectory() as there:
        start_once([sys.executable, "-c", WITHOUT_SCRIPT, "serve"], {"RAG_DATA_DIR": there})
        return next(Path(there, FOLDER).glob("*.json")).read_bytes()


def icon() -> bytes:
    """Draw the icon: a page with a marked passage and the number of its citation."""
    image = Image.new("RGBA", (ICON, ICON), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, ICON - 1, ICON - 1), radius=96, fill="#16324f")
    draw.rounded_rectangle((120, 72, 392, 440), radius=20, fill="#fdfcf8")
    for number, width in enumerate((200, 176, 200, 152, 188)):
        top = 124 + 60 * number
        if number == 2:
            draw.rounded_rectangle((146, top - 12, 366, top + 28), radius=8, fill="#ffd35c")
        draw.rounded_rectangle(
            (156, top, 156 + width, top + 16), radius=8, fill="#8794a3" if number != 2 else "#16324f"
        )
    draw.ellipse((336, 176, 448, 288), fill="#d9483b")
    draw.rectangle((384, 206, 398, 258), fill="#ffffff")
    draw.polygon(((384, 206), (368, 220), (368, 232), (384, 222)), fill="#ffffff")
    draw.rectangle((370, 250, 412, 260), fill="#ffffff")
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def version(root: Path = ROOT) -> str:
    """Return the version. pyproject.toml is the only place that contains it."""
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


def filled() -> str:
    """Return the manifest, with the version and the tools filled in."""
    manifest = json.loads((SOURCE / "manifest.json").read_text())
    manifest["version"] = version()
    manifest["tools"] = [{"name": name} for name in tools()]
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def tools() -> list[str]:
    """Return the names of the tools that are always listed."""
    return sorted(path.stem for path in (ROOT / "tools").glob("rag_*.py"))


if __name__ == "__main__":
    sys.exit(main(ROOT / "dist"))
