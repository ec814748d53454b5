"""Rules for modules and functions: length, docstrings, names, reasons for ignored type errors."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.tree import module_of, own_files, statements_of, text_of

MAX_LINES = 400
MAX_FUNCTION_LINES = 50
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "handler", "handlers", "misc", "data2"}
OURS = {"chat", "shared", "tables"}
PYTHON = sorted(own_files(".py"))
IGNORED = re.compile(r"# type: ignore\b(?:\[[a-z, -]+\])?(?P<reason>.*)$")


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in statements_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


@pytest.mark.parametrize("suffix", [".py", ".js", ".mjs", ".css", ".html"])
def test_no_file_is_longer_than_400_lines(suffix: str) -> None:
    sizes = {str(path): text_of(path).count("\n") for path in own_files(suffix)}
    assert {path: lines for path, lines in sizes.items() if lines > MAX_LINES} == {}


@pytest.mark.slow
def test_no_function_is_longer_than_50_lines() -> None:
    sizes = {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in PYTHON
        for node in functions(path)
    }
    assert {name: lines for name, lines in sizes.items() if lines > MAX_FUNCTION_LINES} == {}


def test_every_module_has_a_docstring() -> None:
    undocumented = [
        str(path)
        for path in PYTHON
        if (path.name != "__init__.py" or text_of(path).strip()) and not ast.get_docstring(module_of(path))
    ]
    assert undocumented == []


def test_every_ignored_type_error_has_a_reason() -> None:
    without_reason = [
        f"{path}:{number}"
        for path in PYTHON
        if path.parts[0] not in {"tests", "docs"}
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if (found := IGNORED.search(line)) and not found["reason"].strip(" #")
    ]
    assert without_reason == []


def test_no_module_or_package_has_an_empty_name() -> None:
    assert {path for path in own_files() if path.stem in EMPTY_NAMES or path.parent.name in EMPTY_NAMES} == set()


def test_further_arguments_of_functions_are_keyword_only() -> None:
    """Exceptions are methods, hooks, entries of the catalogue, whose callers give the signature, and declarations."""
    positional = [
        f"{path}:{node.lineno} {node.name}"
        for path in PYTHON
        if path.parts[0] in OURS and path.parts[1] not in {"pages", "payloads", "rest", "tools", "user_messages"}
        for node in module_of(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if len(node.args.posonlyargs) + len(node.args.args) > 2 and not _is_called_by_a_framework(node)
    ]
    assert positional == []


def _is_called_by_a_framework(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return bool(node.decorator_list) or arguments[0].arg in {"request", "context", "sender"}
