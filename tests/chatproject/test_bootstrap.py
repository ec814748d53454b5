"""The bootstrap installs requirements into .venv; tested with a small project and one package."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from chatproject.startup.bootstrap import pins, requirement_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
# The interpreter that .venv was created from has no packages, like one of a fresh machine.
BARE_PYTHON = str(Path(sys.base_prefix) / "bin" / "python3")
COMMAND = """
import sys
from pathlib import Path
from chatproject.startup import bootstrap
try:
    bootstrap.ensure_environment(Path(__file__).resolve().parent, sys.argv)
except bootstrap.SetupError as problem:
    sys.exit(str(problem))
import thing
print("inside", Path(sys.prefix).name, thing.VALUE, *sys.argv[1:])
"""


class Project:
    """A folder with a command, the bootstrap and requirement lists for one package in a local folder."""

    def __init__(self, folder: Path) -> None:
        self.root, self.wheels = folder / "project", folder / "wheels"
        (self.root / "chatproject" / "locks").mkdir(parents=True)
        (self.root / "chatproject" / "startup").mkdir()
        self.wheels.mkdir()
        shutil.copy(ROOT / "chatproject" / "startup" / "bootstrap.py", self.root / "chatproject" / "startup")
        (self.root / "manage.py").write_text(COMMAND)
        self.uv = folder / "bin" / "uv"
        self.uv.parent.mkdir()
        self.uv.symlink_to(Path(sys.executable).with_name("uv"))
        self.env = {
            "PATH": f"{self.uv.parent}:/usr/bin:/bin",
            "HOME": str(folder / "home"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_NO_CACHE_DIR": "1",
            "UV_NO_INDEX": "1",
            "UV_FIND_LINKS": str(self.wheels),
            "UV_NO_CACHE": "1",
        }

    def require(self, version: str, *, lists: tuple[str, ...] = ("run", "dev"), digest: str = "") -> None:
        wheel = self.wheels / f"thing-{version}-py3-none-any.whl"
        info = f"thing-{version}.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("thing.py", f"VALUE = 'thing {version}'\n")
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: thing\nVersion: {version}\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", f"thing.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
        digest = digest or hashlib.sha256(wheel.read_bytes()).hexdigest()
        for name in lists:
            path = self.root / "chatproject" / "locks" / f"{name}.txt"
            path.write_text(f"# made for a test of {name}\nthing=={version} \\\n    --hash=sha256:{digest}\n")

    def start(self, *arguments: str, python: str = BARE_PYTHON) -> subprocess.Popen[str]:
        command = [python, "manage.py", *arguments]
        return subprocess.Popen(
            command, cwd=self.root, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def run(self, *arguments: str, python: str = BARE_PYTHON) -> tuple[int, list[str]]:
        process = self.start(*arguments, python=python)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output.splitlines()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.require("1.0")
    return project


def test_the_first_command_creates_the_environment_and_runs_in_it(project: Project) -> None:
    code, lines = project.run("start", "--port", "9000")
    assert (code, lines[-1]) == (0, "inside .venv thing 1.0 start --port 9000")
    assert lines[0].startswith("Installing 1 packages into .venv")


def test_a_second_command_installs_only_changed_requirements(project: Project) -> None:
    project.run("start")
    assert project.run("start") == (0, ["inside .venv thing 1.0 start"])
    project.require("1.10")
    code, lines = project.run("start")
    assert (code, lines[-1]) == (0, "inside .venv thing 1.10 start")


@pytest.mark.parametrize("python", [BARE_PYTHON, ".venv/bin/python"], ids=["bare Python", "inside .venv"])
def test_a_matching_environment_without_a_stamp_is_reused(project: Project, python: str) -> None:
    project.run("start")
    stamp = project.root / ".venv" / "installed.json"
    stamp.unlink()
    assert project.run("start", python=python) == (0, ["inside .venv thing 1.0 start"])
    assert not stamp.exists()

    # Incomplete installations and other versions are installed again.
    next(project.root.glob(".venv/lib/python3.*/site-packages/thing-1.0.dist-info/INSTALLER")).unlink()
    assert project.run("start", python=python)[1][0].startswith("Installing ")
    stamp.unlink()
    project.require("1.10")
    assert project.run("start", python=python)[1][-1] == "inside .venv thing 1.10 start"


def test_requirements_for_tests_include_those_for_running(project: Project) -> None:
    project.run("test")
    assert project.run("start") == (0, ["inside .venv thing 1.0 start"])


def test_a_wrong_hash_is_refused_and_the_next_command_retries(project: Project) -> None:
    project.require("1.0", digest="0" * 64)
    code, lines = project.run("start")
    assert code == 1
    # uv refuses it first, then pip.
    assert any(line.startswith("uv could not install") for line in lines)
    assert any("hash" in line.lower() for line in lines)
    assert not any(line.startswith("inside") for line in lines)

    project.require("1.0")
    project.uv.unlink()
    code, lines = project.run("start")
    assert (code, lines[-1]) == (0, "inside .venv thing 1.0 start")
    assert not any(line.startswith("uv could not install") for line in lines)


def test_concurrent_commands_create_one_environment(project: Project) -> None:
    processes = [project.start("start"), project.start("start")]
    outputs = [process.communicate(timeout=120)[0].splitlines() for process in processes]
    assert [lines[-1] for lines in outputs] == ["inside .venv thing 1.0 start"] * 2
    assert sum(line.startswith("Installed in") for lines in outputs for line in lines) == 1


def test_an_environment_with_a_missing_python_is_recreated(project: Project) -> None:
    project.run("start")
    python = project.root / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")
    code, lines = project.run("start")
    assert (code, lines[-1]) == (0, "inside .venv thing 1.0 start")


def test_packages_of_another_python_version_are_reinstalled(project: Project) -> None:
    project.run("start")
    library = next((project.root / ".venv" / "lib").glob("python3.*"))
    library.rename(library.with_name("python3.10"))
    code, lines = project.run("start")
    assert (code, lines[-1]) == (0, "inside .venv thing 1.0 start")


def test_pins_are_read_with_and_without_extras_and_markers() -> None:
    text = "# head\na==1.0 \\\n    --hash=sha256:00\nb[x]==2.0 ; python_version > '3' \\\n    # via a==3\n"
    assert pins(text) == {"a": "1.0", "b": "2.0"}


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        pytest.param("a", "a==1.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:01\n", id="with its hashes"),
        pytest.param("b", "b==2.0\n", id="without hashes"),
        pytest.param("c", "", id="not in the list"),
    ],
)
def test_requirement_of(name: str, lines: str) -> None:
    text = "a==1.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:01\n    # via x\naa==3.0\nb==2.0\n"
    assert requirement_of(name, text) == lines


def test_an_interpreter_with_other_versions_is_not_used(project: Project) -> None:
    process = subprocess.run(
        [sys.executable, "manage.py", "start"],
        cwd=project.root, env={**os.environ, **project.env}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert process.stdout.splitlines()[-1] == "inside .venv thing 1.0 start"
