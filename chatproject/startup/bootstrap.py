"""Creates `.venv` from the hash-pinned lists and restarts the command in it. Uses only the standard library."""

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
# Commands that need the development requirements.
DEV_COMMANDS = frozenset({"test", "lock"})
# By list: a package whose pinned version shows that an environment was created from it.
MARKER_PACKAGE = {RUN: "django", DEV: "pytest"}
PROGRESS_SECONDS = 5.0  # between two lines of progress


class SetupError(Exception):
    """The environment cannot be created. The message tells the user how to fix this."""


def ensure_environment(root: Path, argv: Sequence[str]) -> None:
    """Return if this interpreter can run `argv`, else prepare `.venv` and replace this process by one in it."""
    wanted = DEV if len(argv) > 1 and argv[1] in DEV_COMMANDS else RUN
    inside = _is_inside(root)
    if not inside and _has_pinned_version(root, wanted):
        return
    if _is_current(root, wanted):
        if inside:
            return
    else:
        with _exclusive_lock(root):
            if not _is_current(root, wanted):
                _create(root, wanted)
    python = str(_python(root))
    sys.stdout.flush()
    os.execv(python, [python, *argv])


def list_path(root: Path, name: str) -> Path:
    """Return the path of the hash-pinned list `name` ("run" or "dev")."""
    return root / "chatproject" / "locks" / f"{name}.txt"


def pins(text: str) -> dict[str, str]:
    """Return the versions in a list's lines `name==version …` by package name."""
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
    """Install Debian packages if this is root on such a system. Return whether they were installed."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    print_line(f"Installing {', '.join(packages)} ({why}) …")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if _run(["apt-get", "update", "-q"], env=env)[0] != 0:
        print_line("  Could not update the list of Debian packages. Using the existing one.")
    code, output = _run(["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages], env=env)
    if code != 0:
        print_line(_tail(output))
    return code == 0


def print_line(line: str) -> None:
    """Print a line of progress to stderr, so that it is not part of a command's output."""
    print(line, file=sys.stderr, flush=True)


def _is_inside(root: Path) -> bool:
    return Path(sys.prefix).resolve() == (root / ".venv").resolve()


def _python(root: Path) -> Path:
    return root / ".venv" / "bin" / "python"


def _is_usable(root: Path) -> bool:
    """Return whether `.venv` has a Python with its own packages; after a system upgrade it may have another version."""
    if not os.access(_python(root), os.X_OK):
        return False
    return not _is_inside(root) or Path(sysconfig.get_path("purelib")).is_dir()


def _base_python() -> str:
    """Return the interpreter from which environments are created, also if this one is in an environment."""
    return str(getattr(sys, "_base_executable", sys.executable))


def _stamp(root: Path) -> Path:
    return root / ".venv" / "installed.json"


def _digest(root: Path, name: str) -> str:
    return hashlib.sha256(list_path(root, name).read_bytes()).hexdigest()


def _has_pinned_version(root: Path, wanted: str) -> bool:
    """Return whether this interpreter has the pinned packages, as in a container image."""
    package = MARKER_PACKAGE[wanted]
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
    is_stamped = isinstance(stamped, dict) and stamped.get(wanted) == _digest(root, wanted)
    return is_stamped or _has_all_packages(root, wanted)


def _has_all_packages(root: Path, wanted: str) -> bool:
    """Return whether `.venv` has every package of the list in its version, for instance installed by hand.

    Packages for some platforms only are not checked. Packages whose installation was interrupted do not count.
    """
    lines = list_path(root, wanted).read_text(encoding="utf-8").splitlines()
    needed = pins("\n".join(line for line in lines if ";" not in line))
    libraries = [str(path) for path in (root / ".venv").glob("lib/python3.*/site-packages")]
    there = importlib.metadata.distributions(path=libraries)
    found = {(_normalized(str(each.name)), each.version) for each in there if each.read_text("INSTALLER")}
    return all((_normalized(name), version) in found for name, version in needed.items())


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@contextmanager
def _exclusive_lock(root: Path) -> Iterator[None]:
    """Lock the project folder, so that two commands do not create the environment at the same time."""
    handle = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print_line("Waiting for another command that prepares .venv …")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _create(root: Path, wanted: str) -> None:
    started = time.monotonic()
    _check_writable(root)
    count = len(pins(list_path(root, wanted).read_text(encoding="utf-8")))
    print_line(f"Installing {count} packages into .venv, with verified hashes. This happens once.")
    before = _installed(root)
    _stamp(root).unlink(missing_ok=True)  # in case the installation is interrupted
    uv = _find_uv(root) or _install_uv(root)
    if uv is None or not _with_uv(uv, root, wanted):
        _with_pip(root, wanted)
    # The dev list includes the run list.
    done = {name: _digest(root, name) for name in ((RUN, DEV) if wanted == DEV else (RUN,))}
    if wanted == RUN and before.get(DEV) == _digest(root, DEV):
        done[DEV] = before[DEV]
    _stamp(root).write_text(json.dumps(done), encoding="utf-8")
    print_line(f"Installed in {time.monotonic() - started:.0f} s.")


def _check_writable(root: Path) -> None:
    """Raise SetupError if `.venv` cannot be written, as in a service that may not write to its program folder."""
    folder = next(each for each in (root / ".venv", root) if each.exists())
    if not os.access(folder, os.W_OK):
        raise SetupError(
            f"Packages of this release are missing, and {folder} is not writable.\n"
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
    _create_environment(root)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(requirement)
        file.flush()
        code, output = _run([*_pip(root), "--require-hashes", "--no-deps", "-r", file.name])
    if code != 0:
        print_line(f"Could not install uv. Using pip.\n{_tail(output)}")
        return None
    return _find_uv(root)


def _with_uv(uv: str, root: Path, wanted: str) -> bool:
    """Install the list with uv. Return False if that fails, for instance with an index that only pip can reach."""
    # The certificates of the machine, as for pip and apt, because company networks have their own.
    env = {"UV_SYSTEM_CERTS": "true", "UV_NATIVE_TLS": "true", **os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    if not _is_usable(root):
        make = [uv, "venv", "--quiet", "--clear", "--python", _base_python(), str(root / ".venv")]
        code, output = _run(make, env=env)
        if code != 0:
            print_line(f"uv could not create .venv. Using pip.\n{_tail(output)}")
            return False
    # Compile bytecode now, because Python may not be allowed to write it later.
    install = [uv, "pip", "install", "--compile-bytecode", "--require-hashes", "--python", str(_python(root))]
    code, output = _run([*install, "-r", str(list_path(root, wanted))], env=env)
    if code != 0:
        print_line(f"uv could not install the packages. Using pip.\n{_tail(output)}")
    return code == 0


def _with_pip(root: Path, wanted: str) -> None:
    _create_environment(root)
    # Every package is pinned in the list, so pip has no dependencies to resolve.
    code, output = _run([*_pip(root), "--require-hashes", "--no-deps", "-r", str(list_path(root, wanted))])
    if code != 0:
        raise SetupError(f"pip could not install the packages:\n{_tail(output)}")


def _create_environment(root: Path) -> None:
    """Create `.venv` with pip, unless it exists."""
    _require_ensurepip()
    if not _is_usable(root):
        code, output = _run([_base_python(), "-m", "venv", "--clear", str(root / ".venv")])
        if code != 0:
            raise SetupError(f"Python could not create a virtual environment in .venv:\n{_tail(output)}")
    if _run([str(_python(root)), "-m", "pip", "--version"])[0] != 0:
        _run([str(_python(root)), "-m", "ensurepip", "--default-pip"])


def _pip(root: Path) -> list[str]:
    """Return the pip command that installs packages into `.venv`, without the packages."""
    pip = [str(_python(root)), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    return [*pip, "--progress-bar", "off"]


def _require_ensurepip() -> None:
    """Install ensurepip, which Debian's minimal Python lacks. Raises SetupError."""
    if _has_ensurepip():
        return
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if install_debian([package], why="required to create virtual environments"):
        importlib.invalidate_caches()
        if _has_ensurepip():
            return
    raise SetupError(
        "This Python cannot create virtual environments (no ensurepip). Run this, then try again:\n"
        f"    sudo apt-get install {package}\n"
        "On a system without apt-get, install uv or a complete Python 3.11 or newer."
    )


def _has_ensurepip() -> bool:
    spec = importlib.util.find_spec("ensurepip")
    return spec is not None and spec.origin is not None  # an empty folder has no origin


def _run(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run a command and return its exit code and output. Every few seconds a line of progress is printed."""
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    lines: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
    started = time.monotonic()
    reader.start()
    try:
        while reader.is_alive():
            reader.join(PROGRESS_SECONDS)
            if reader.is_alive():
                recent = [line.strip() for line in lines[-20:] if line.strip() and not line.startswith("WARNING")]
                latest = recent[-1][:90] if recent else "working"
                print_line(f"  {time.monotonic() - started:3.0f} s  {latest}")
        return process.wait(), "".join(lines)
    except BaseException:
        process.terminate()
        process.wait()
        raise


def _tail(output: str, *, lines: int = 15) -> str:
    return "\n".join(f"    {line}" for line in output.strip().splitlines()[-lines:])
