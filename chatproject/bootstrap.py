"""Makes `.venv` from the hash-pinned lists and goes on inside it; knows the standard library and nothing else."""

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

RUN, DEV = "run", "dev"
# The commands that need more than a running server does.
DEV_COMMANDS = frozenset({"test", "lock"})
# A package whose pinned version tells that an environment was prepared from a list.
WITNESS = {RUN: "django", DEV: "pytest"}
SPEAK_AFTER = 5.0  # seconds between two signs of life while an installer is silent


class CannotPrepare(Exception):
    """The environment cannot be made; the message says what the person can do about it."""


def enter(root: Path, argv: Sequence[str]) -> None:
    """Return when this interpreter can run `argv`; else make `.venv` ready and start again inside it."""
    wanted = DEV if len(argv) > 1 and argv[1] in DEV_COMMANDS else RUN
    inside = _is_inside(root)
    if not inside and _prepared_by_someone_else(root, wanted):
        return
    if _is_current(root, wanted):
        if inside:
            return
    else:
        with _one_at_a_time(root):
            if not _is_current(root, wanted):
                _make(root, wanted)
    python = str(_python(root))
    sys.stdout.flush()
    os.execv(python, [python, *argv])


def list_path(root: Path, name: str) -> Path:
    """The hash-pinned list called `name` ("run" or "dev")."""
    return root / "chatproject" / "locks" / f"{name}.txt"


def pins(text: str) -> dict[str, str]:
    """Package name → version, of a list's lines `name==version …`."""
    found = {}
    for line in text.splitlines():
        name, equals, rest = line.partition("==")
        if equals and not line.startswith((" ", "#")):
            found[name.split("[")[0].strip()] = rest.split(" ")[0]
    return found


def requirement_of(name: str, text: str) -> str:
    """Return the lines of one package in a list's text, hashes included; "" if the list does not have it."""
    lines = iter(text.splitlines(keepends=True))
    for line in lines:
        if line.startswith(f"{name}=="):
            return line + "".join(takewhile(lambda each: each.lstrip().startswith("--hash"), lines))
    return ""


def install_debian(packages: Sequence[str], *, why: str) -> bool:
    """Install Debian packages when this is root on such a system; says whether it did."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    say(f"Installing {', '.join(packages)} ({why}) …")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if _run(["apt-get", "update", "-q"], env=env)[0] != 0:
        say("  Could not update the list of Debian packages. Using the existing one.")
    code, output = _run(["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages], env=env)
    if code != 0:
        say(_tail(output))
    return code == 0


def say(line: str) -> None:
    """One line of progress, at once, and apart from what a command prints for others to read."""
    print(line, file=sys.stderr, flush=True)


def _is_inside(root: Path) -> bool:
    return Path(sys.prefix).resolve() == (root / ".venv").resolve()


def _python(root: Path) -> Path:
    return root / ".venv" / "bin" / "python"


def _is_usable(root: Path) -> bool:
    """Whether `.venv` has a Python, and its packages are for that one: an upgraded system leaves them behind."""
    if not os.access(_python(root), os.X_OK):
        return False
    return not _is_inside(root) or Path(sysconfig.get_path("purelib")).is_dir()


def _base_python() -> str:
    """The interpreter that environments are made from, also when this one belongs to an environment."""
    return str(getattr(sys, "_base_executable", sys.executable))


def _stamp(root: Path) -> Path:
    return root / ".venv" / "installed.json"


def _digest(root: Path, name: str) -> str:
    return hashlib.sha256(list_path(root, name).read_bytes()).hexdigest()


def _prepared_by_someone_else(root: Path, wanted: str) -> bool:
    """Whether this interpreter carries the pinned packages already, as in a container image."""
    package = WITNESS[wanted]
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return version == pins(list_path(root, wanted).read_text(encoding="utf-8")).get(package)


def _is_current(root: Path, wanted: str) -> bool:
    if not _is_usable(root):
        return False
    try:
        stamped = json.loads(_stamp(root).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        stamped = None
    return (isinstance(stamped, dict) and stamped.get(wanted) == _digest(root, wanted)) or _holds(root, wanted)


def _holds(root: Path, wanted: str) -> bool:
    """Whether every package of the list is there in its version, whoever put it there: pip by hand, for one.

    What only some machines need is not asked for; what an installer has not finished does not count.
    """
    lines = list_path(root, wanted).read_text(encoding="utf-8").splitlines()
    needed = pins("\n".join(line for line in lines if ";" not in line))
    libraries = [str(path) for path in (root / ".venv").glob("lib/python3.*/site-packages")]
    there = importlib.metadata.distributions(path=libraries)
    found = {(_same_name(str(each.name)), each.version) for each in there if each.read_text("INSTALLER")}
    return all((_same_name(name), version) in found for name, version in needed.items())


def _same_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@contextmanager
def _one_at_a_time(root: Path) -> Iterator[None]:
    """Two commands started together make one environment: the second waits for the first."""
    handle = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another command that prepares .venv …")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _make(root: Path, wanted: str) -> None:
    began = time.monotonic()
    _need_to_write(root)
    count = len(pins(list_path(root, wanted).read_text(encoding="utf-8")))
    say(f"Installing {count} packages into .venv, with verified hashes. This happens once.")
    before = _installed(root)
    _stamp(root).unlink(missing_ok=True)  # an install that is cut short must not look finished
    uv = _find_uv(root) or _install_uv(root)
    if uv is None or not _with_uv(uv, root, wanted):
        _with_pip(root, wanted)
    # The dev list holds the run list, so whoever has the one has the other.
    done = {name: _digest(root, name) for name in ((RUN, DEV) if wanted == DEV else (RUN,))}
    if wanted == RUN and before.get(DEV) == _digest(root, DEV):
        done[DEV] = before[DEV]
    _stamp(root).write_text(json.dumps(done), encoding="utf-8")
    say(f"Installed in {time.monotonic() - began:.0f} s.")


def _need_to_write(root: Path) -> None:
    """A service may be kept from writing where its program lies."""
    place = next(each for each in (root / ".venv", root) if each.exists())
    if not os.access(place, os.W_OK):
        raise CannotPrepare(
            f"Packages of this release are missing, and {place} is not writable.\n"
            "Run this as its owner, then try again:\n    python3 manage.py check"
        )


def _installed(root: Path) -> dict[str, str]:
    try:
        return dict(json.loads(_stamp(root).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def _find_uv(root: Path) -> str | None:
    """Return the path of a uv on PATH or in `.venv`."""
    return shutil.which("uv") or shutil.which("uv", path=str(root / ".venv" / "bin"))


def _install_uv(root: Path) -> str | None:
    """Install the uv of the dev list with pip, because it installs all other packages in a fraction of pip's time."""
    requirement = requirement_of("uv", list_path(root, DEV).read_text(encoding="utf-8"))
    if not requirement:
        return None
    _make_environment(root)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(requirement)
        file.flush()
        code, output = _run([*_pip(root), "--require-hashes", "--no-deps", "-r", file.name])
    if code != 0:
        say(f"Could not install uv. Using pip.\n{_tail(output)}")
        return None
    return _find_uv(root)


def _with_uv(uv: str, root: Path, wanted: str) -> bool:
    """Install the list with uv; return False where that fails, such as with an index that only pip can reach."""
    # The machine's own certificates, as pip and apt use them: many offices have one of their own.
    env = {"UV_SYSTEM_CERTS": "true", "UV_NATIVE_TLS": "true", **os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    if not _is_usable(root):
        make = [uv, "venv", "--quiet", "--clear", "--python", _base_python(), str(root / ".venv")]
        code, output = _run(make, env=env)
        if code != 0:
            say(f"uv could not create .venv. Using pip.\n{_tail(output)}")
            return False
    # Bytecode now, as pip does: some machines keep Python from writing it later.
    install = [uv, "pip", "install", "--compile-bytecode", "--require-hashes", "--python", str(_python(root))]
    code, output = _run([*install, "-r", str(list_path(root, wanted))], env=env)
    if code != 0:
        say(f"uv could not install the packages. Using pip.\n{_tail(output)}")
    return code == 0


def _with_pip(root: Path, wanted: str) -> None:
    _make_environment(root)
    # Every package is pinned in the list, so pip has no dependencies to resolve.
    code, output = _run([*_pip(root), "--require-hashes", "--no-deps", "-r", str(list_path(root, wanted))])
    if code != 0:
        raise CannotPrepare(f"pip could not install the packages:\n{_tail(output)}")


def _make_environment(root: Path) -> None:
    """Create `.venv` with a pip in it, unless it is there."""
    _need_ensurepip()
    if not _is_usable(root):
        code, output = _run([_base_python(), "-m", "venv", "--clear", str(root / ".venv")])
        if code != 0:
            raise CannotPrepare(f"Python could not create a virtual environment in .venv:\n{_tail(output)}")
    if _run([str(_python(root)), "-m", "pip", "--version"])[0] != 0:
        _run([str(_python(root)), "-m", "ensurepip", "--default-pip"])


def _pip(root: Path) -> list[str]:
    """The command that installs packages into `.venv`, without its options for what to install."""
    pip = [str(_python(root)), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    return [*pip, "--progress-bar", "off"]


def _need_ensurepip() -> None:
    """Debian's minimal Python comes without the part that puts pip into an environment."""
    if _has_ensurepip():
        return
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if install_debian([package], why="required to create virtual environments"):
        importlib.invalidate_caches()
        if _has_ensurepip():
            return
    raise CannotPrepare(
        "This Python cannot create virtual environments (no ensurepip). Run this, then try again:\n"
        f"    sudo apt-get install {package}\n"
        "On a system without apt-get, install uv or a complete Python 3.11 or newer."
    )


def _has_ensurepip() -> bool:
    spec = importlib.util.find_spec("ensurepip")
    return spec is not None and spec.origin is not None  # a folder left behind has no origin


def _run(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run `command` quietly: its exit code and everything it said; a sign of life every few seconds."""
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    lines: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
    began = time.monotonic()
    reader.start()
    try:
        while reader.is_alive():
            reader.join(SPEAK_AFTER)
            if reader.is_alive():
                told = [line.strip() for line in lines[-20:] if line.strip() and not line.startswith("WARNING")]
                latest = told[-1][:90] if told else "working"
                say(f"  {time.monotonic() - began:3.0f} s  {latest}")
        return process.wait(), "".join(lines)
    except BaseException:
        process.terminate()
        process.wait()
        raise


def _tail(output: str, *, lines: int = 15) -> str:
    return "\n".join(f"    {line}" for line in output.strip().splitlines()[-lines:])
