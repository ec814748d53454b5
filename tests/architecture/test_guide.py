"""The files in the guide for adding chat to a page are those of the example that the tests run."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from chat import lookups
from chat.scripted_model.script import load_script
from tests.architecture.tree import ROOT, own_files, text_of

GUIDE = ROOT / "docs" / "add_chat_to_a_page.md"
BLOCK = re.compile(r"^\*\*`reports/(?P<name>[^`]+)`\*\*\n```\w+\n(?P<text>.*?)\n```$", re.MULTILINE | re.DOTALL)
# These start the example for tests.
NOT_IN_THE_GUIDE = {"__init__.py", "running.py"}


def files_in_guide() -> dict[str, str]:
    return {found["name"]: found["text"] for found in BLOCK.finditer(GUIDE.read_text(encoding="utf-8"))}


def example_files() -> dict[str, str]:
    files = [path for path in own_files() if path.parts[:2] == ("tests", "reports")]
    return {"/".join(path.parts[2:]): text_of(path) for path in files}


def test_each_file_of_the_example_is_in_the_guide() -> None:
    assert set(example_files()) - set(files_in_guide()) == NOT_IN_THE_GUIDE


@pytest.mark.parametrize("name", sorted(files_in_guide()))
def test_files_in_the_guide_equal_the_example(name: str) -> None:
    assert files_in_guide()[name] == example_files()[name].replace("tests.reports", "reports").rstrip("\n")


def test_the_script_in_the_guide_is_valid() -> None:
    assert len(load_script(ROOT / "tests" / "reports" / "script.yaml", catalogue=None).turns) == 4


@pytest.mark.slow
def test_the_tests_in_the_guide_pass() -> None:
    left_out = ("TEST_DATABASE", "DJANGO_SETTINGS_MODULE", "PYTEST_")
    # Without the conftest.py of this project's tests, which loads other settings.
    options = ["-q", "-p", "no:cacheprovider", "--no-migrations", "--confcutdir=tests/reports"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "tests/reports/tests"],
        cwd=ROOT, env={name: value for name, value in os.environ.items() if not name.startswith(left_out)},
        check=False, capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_guide_names_every_lookup() -> None:
    named = set(re.findall(r"`(\w+)`", GUIDE.read_text(encoding="utf-8")))
    assert {name for name in lookups.__all__ if name != "payload_types_for"} <= named
