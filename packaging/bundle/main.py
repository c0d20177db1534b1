"""Starts Ibid from a bundle, in plain Python: the arguments are the folders that its user chose.

The first start makes an environment with all that Ibid needs, which takes minutes. Meanwhile this answers the client
from the lists that lie in the bundle, and each call of a tool with how far it is. Then the server takes over in the
same session. Runs under every Python 3.8 or newer, so that it can tell a user of an old one what to install.
"""

import ast
import glob
import json
import os
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WHEEL = glob.glob(os.path.join(glob.escape(HERE), "*.whl"))[0]
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
ANSWERS = os.path.join(HERE, "first_answers.json")
sys.path.insert(0, WHEEL)

from server.first_answers.requests import INITIALIZE, VERSION_KEY, Session, answer_line, parse  # noqa: E402

OLDEST, NEWEST = (3, 11), (3, 14)
FALLBACK = "2025-11-25"
"""The protocol version of answers to a client whose own is not known."""
SERVE = ["-P", "-c", "from server.cli import main; main()", "serve"]
"""Arguments of the environment's Python. -P: a file in the client's folder takes the place of no module."""
TOOLS = [os.path.expanduser(place) for place in ("~/.local/bin", "~/.cargo/bin", "/opt/homebrew/bin", "/usr/local/bin")]
"""Where Python and uv lie that applications with a desktop do not have in their PATH."""
RENAMES = 10
"""Attempts a second apart: Windows renames no folder whose files a virus scanner has open."""
NO_PYTHON = (
    "Ibid needs Python 3.11 to 3.14, and this machine has {} alone. Install Python 3.13 (Windows: winget install "
    "Python.Python.3.13; macOS: brew install python@3.13, or the installer of python.org), then start this "
    "application again."
)


class Failure(Exception):
    """Why Ibid cannot be set up, in words for a person."""


class Setup:
    """Makes the environment. `percent` says how far it is, `failure` why it cannot go on."""

    def __init__(self, folder):
        self.folder, self.percent, self.failure = folder, 0, None

    @property
    def python(self):
        # Python of the Microsoft Store writes elsewhere than it says, and starts programs only from there.
        return python_in(os.path.realpath(self.folder))

    @property
    def is_done(self):
        return os.path.exists(self.python)

    def run(self):
        """In a folder beside the final one, which it then becomes: what is there is always whole."""
        beside = f"{self.folder}.{os.getpid()}"
        self.percent, self.failure = 0, None
        try:
            os.makedirs(os.path.dirname(self.folder), exist_ok=True)
            self._fill(beside)
            self._take_place(beside)
            self.percent = 100
        except Failure as error:
            self.failure = str(error)
        except OSError as error:
            if not self.is_done:  # else another client's server was quicker
                self.failure = str(error)
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def _take_place(self, beside):
        for attempt in range(RENAMES):
            try:
                os.rename(beside, self.folder)
                break
            except PermissionError:
                if self.is_done or attempt == RENAMES - 1:
                    raise
                time.sleep(1)

    def _fill(self, folder):
        python, uv = fitting_python(), which("uv")
        if python is None and uv is None:
            raise Failure(NO_PYTHON.format("Python {}.{}".format(*sys.version_info)))
        if python is None:
            self._ran([uv, "venv", "--quiet", "--python", "3.13", folder])
            install = [uv, "pip", "install", "--python", python_in(folder)]
        else:
            self._ran([python, "-m", "venv", folder])
            install = [python_in(folder), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
            install += ["--progress-bar", "off", "--only-binary", ":all:"]
        self.percent = 5
        self._ran([*install, "--require-hashes", "-r", REQUIREMENTS], wanted=count_of_pins())
        self.percent = 95
        self._ran([*install, "--no-deps", WHEEL])

    def _ran(self, command, wanted=0):
        """Raises Failure with the last line that the command wrote."""
        last, packages = "", 0
        with subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",  # pip writes in the code page of Windows
        ) as process:
            for line in process.stdout:
                last = line.strip() or last
                packages += line.startswith("Collecting ")
                if wanted:
                    self.percent = max(self.percent, min(90, 5 + 85 * packages // wanted))
        if process.returncode:
            raise Failure(f"Setting up failed: {last[:500]}")


class Meanwhile:
    """Answers the client until the environment is made, then hands it to the server."""

    def __init__(self, setup):
        self.setup, self.session = setup, Session()
        with open(ANSWERS, encoding="utf-8") as file:
            content = json.load(file)
        self.results = {key: content["texts"][number] for key, number in content["answers"].items()}
        self.lock = threading.Lock()
        self.server = None
        self.replayed, self.answered = [], set()
        """Lines that the server needs to know the session, and the ids of those that were answered."""

    def run(self):
        """The exit code, once the client has closed its input."""
        threading.Thread(target=self._set_up, daemon=True).start()
        for line in sys.stdin.buffer:
            with self.lock:
                if self.server:
                    self._pass_on(line)
                else:
                    self._answer(line)
        with self.lock:
            if self.server is None:
                return 0
            self.server.stdin.close()
        return self.server.wait()

    def _set_up(self):
        self.setup.run()
        if not self.setup.is_done:
            return
        with self.lock:
            self.server = subprocess.Popen(  # noqa: S603
                [self.setup.python, *SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            for line in self.replayed:
                self._pass_on(line)
        for line in self.server.stdout:
            if not self._is_known(line):
                write(line)

    def _pass_on(self, line):
        self.server.stdin.write(line)
        self.server.stdin.flush()

    def _is_known(self, line):
        """Whether the server answers what was answered before it was there."""
        if not self.answered:
            return False
        message = json.loads(line)
        known = "method" not in message and json.dumps(message.get("id")) in self.answered
        self.answered.discard(json.dumps(message.get("id")) if known else None)
        return known

    def _answer(self, line):
        message = parse(line)
        if message is None or "method" not in message:
            return
        method = message["method"]
        if method in (INITIALIZE, "notifications/initialized", "subscriptions/listen"):
            self.replayed.append(line)
        if "id" not in message or method == "subscriptions/listen":
            return
        if method == INITIALIZE:
            self.answered.add(json.dumps(message["id"]))
        write(answer_line(message["id"], self._result(message)) + b"\n")

    def _result(self, message):
        method = message["method"]
        known = self.results.get(self.session.key(message) or "") or self._nearest(message)
        if known:
            return known
        if method == "tools/call":
            return json.dumps({"content": [{"type": "text", "text": self._words()}], "isError": True})
        if method == "resources/list":
            return '{"resources": []}'
        return "{}"

    def _nearest(self, message):
        """The answer to a client that can do nothing special, in its protocol version or in one that all know."""
        params = message.get("params") or {}
        meta = params.get("_meta") or {}
        wanted = params.get("protocolVersion") or meta.get(VERSION_KEY)
        if message["method"] == INITIALIZE:
            self.version = wanted
        for version in (wanted, getattr(self, "version", None), FALLBACK):
            result = self.results.get("{} {{}} {}".format(json.dumps(version), message["method"]))
            if result:
                return result
        return self.results.get(message["method"])

    def _words(self):
        """How far it is, for the model to tell the user; a failure is tried again."""
        if self.setup.failure:
            failure = self.setup.failure
            threading.Thread(target=self._set_up, daemon=True).start()
            return (
                failure + "\nIbid tries again now. Tell the user this, and call again in a minute.\nType: NotConfigured"
            )
        return (
            f"Setting up, {self.setup.percent} %. Ibid downloads its parts once, about 160 MB. Tell the user so, "
            "and call again in a minute: nothing has to be restarted.\nType: NotConfigured"
        )


def python_in(folder):
    return os.path.join(folder, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))


def fitting_python():
    """A Python that fits: this one, or one of the usual names; None for none."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return sys.executable
    minors = range(NEWEST[1], OLDEST[1] - 1, -1)
    find = launched if os.name == "nt" else which
    return next(filter(None, (find(f"python3.{minor}") for minor in minors)), None)


def which(name):
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *TOOLS]))


def launched(name):
    """The Python that the launcher of Windows starts by that name, which lies in no PATH; None for none."""
    command = ["py", "-" + name[len("python") :], "-c", "import sys; print(ascii(sys.executable))"]
    try:
        said = subprocess.check_output(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        return str(ast.literal_eval(said.decode("ascii")))
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def count_of_pins():
    with open(REQUIREMENTS, encoding="utf-8") as file:
        return sum("==" in line for line in file)


def data_folder():
    """Where Ibid keeps its index too."""
    if os.environ.get("RAG_DATA_DIR"):
        return os.path.expanduser(os.environ["RAG_DATA_DIR"])
    if os.name == "nt":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~"), "ibid")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/ibid")
    return os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "ibid")


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def main():
    folders = [folder for folder in sys.argv[1:] if folder and not folder.startswith("${")]
    apart = [folder for folder in folders if os.pathsep in folder]
    if apart:
        sys.exit(f"Folders with {os.pathsep!r} in their names cannot be read: {apart[0]}")
    if folders:
        os.environ["RAG_DOCUMENTS"] = os.pathsep.join(folders)
    # The version alone: paths within are long, and Windows takes 260 characters.
    setup = Setup(os.path.join(data_folder(), "program", os.path.basename(WHEEL).split("-")[1]))
    if not setup.is_done:
        sys.exit(Meanwhile(setup).run())
    command = [setup.python, *SERVE]
    if os.name == "nt":
        sys.exit(subprocess.call(command))  # noqa: S603
    os.execv(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main()
