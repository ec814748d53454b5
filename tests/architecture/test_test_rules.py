"""What tests may not do: wait in a loop of their own, patch what they test, be judged by time or by what was drawn."""
from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.architecture.tree import own_files, text_of

THIS = Path("tests/architecture/test_test_rules.py")
TESTS = [path for path in own_files(".py") if path.parts[:1] == ("tests",) and path not in (THIS, THIS.parent)]
PATCHES = re.compile(r"\bunittest\b|\bmocker?\b|monkeypatch\.(setattr|delattr)")
# What is drawn goes by the profiles of tests/conftest.py.
TIMED = re.compile(r"\bdeadline=|\bsuppress_health_check\b|\bderandomize\b")
MODEL = re.compile(r"\bclaude-[a-z]+-[0-9-]+")
ENDED = "claude-sonnet-4-5"


def test_tests_are_functions_that_end_before_the_next_begins() -> None:
    """The transaction of a test is not taken back around what runs in a loop: pytest-django does not reach there."""
    found = [
        f"{path}:{node.lineno} {node.name}"
        for path in TESTS
        for node in ast.walk(ast.parse(text_of(path)))
        if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    assert found == []


def test_nothing_of_ours_is_patched() -> None:
    assert [str(path) for path in TESTS if PATCHES.search(text_of(path))] == []


def test_nothing_that_is_drawn_is_timed_or_differs_from_run_to_run() -> None:
    assert [str(path) for path in TESTS if TIMED.search(text_of(path))] == ["tests/conftest.py"]


def test_models_are_named_in_the_settings_alone_and_none_that_has_ended() -> None:
    named = {
        (str(path), name)
        for path in own_files(".py", ".md", ".html", ".js", ".json")
        if path != THIS
        for name in MODEL.findall(text_of(path))
    }
    assert {path for path, _ in named} <= {"chatproject/settings.py"}
    assert not any(name.startswith(ENDED) for _, name in named)
