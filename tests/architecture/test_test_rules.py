"""Rules for tests: no async tests, no patches, no time limits in Hypothesis, no names of models."""
from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.architecture.tree import own_files, statements_of, text_of

THIS = Path("tests/architecture/test_test_rules.py")
TESTS = [path for path in own_files(".py") if path.parts[:1] == ("tests",) and path not in (THIS, THIS.parent)]
PATCHES = re.compile(r"\bunittest\b|\bmocker?\b|monkeypatch\.(setattr|delattr)")
# Hypothesis has profiles in tests/conftest.py.
HYPOTHESIS_SETTINGS = re.compile(r"\bdeadline=|\bsuppress_health_check\b|\bderandomize\b")
MODEL = re.compile(r"\bclaude-[a-z]+-[0-9-]+")
RETIRED = "claude-sonnet-4-5"


def test_no_test_is_async() -> None:
    """pytest-django does not roll back the transaction of an async test."""
    found = [
        f"{path}:{node.lineno} {node.name}"
        for path in TESTS
        for node in statements_of(path)
        if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    assert found == []


def test_our_own_code_is_not_patched() -> None:
    assert [str(path) for path in TESTS if PATCHES.search(text_of(path))] == []


def test_hypothesis_is_configured_in_one_module() -> None:
    assert [str(path) for path in TESTS if HYPOTHESIS_SETTINGS.search(text_of(path))] == ["tests/conftest.py"]


def test_models_are_named_in_the_settings_only_and_are_not_retired() -> None:
    named = {
        (str(path), name)
        for path in own_files(".py", ".md", ".html", ".js", ".json")
        if path != THIS
        for name in MODEL.findall(text_of(path))
    }
    assert {path for path, _ in named} <= {"chatproject/settings.py"}
    assert not any(name.startswith(RETIRED) for _, name in named)
