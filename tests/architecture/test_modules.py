"""Rooms stay small enough to be read at once, say what they are for, and have names that mean something."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.tree import own_files, text_of

MAX_LINES = 400
MOST_LINES_OF_A_FUNCTION = 50
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "handler", "handlers", "misc", "data2"}
OURS = {"chat", "shared", "tables"}
PYTHON = sorted(own_files(".py"))
SILENCED = re.compile(r"# type: ignore\b(?:\[[a-z, -]+\])?(?P<why>.*)$")


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(text_of(path))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


@pytest.mark.parametrize("suffix", [".py", ".js", ".mjs", ".css", ".html"])
def test_no_file_is_longer_than_400_lines(suffix: str) -> None:
    sizes = {str(path): text_of(path).count("\n") for path in own_files(suffix)}
    assert {path: lines for path, lines in sizes.items() if lines > MAX_LINES} == {}


@pytest.mark.slow
def test_a_function_fits_a_screen() -> None:
    sizes = {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in PYTHON
        for node in functions(path)
    }
    assert {name: lines for name, lines in sizes.items() if lines > MOST_LINES_OF_A_FUNCTION} == {}


def test_every_module_opens_with_a_line_that_says_what_it_is_for() -> None:
    silent = [
        str(path)
        for path in PYTHON
        if (path.name != "__init__.py" or text_of(path).strip()) and not ast.get_docstring(ast.parse(text_of(path)))
    ]
    assert silent == []


def test_who_silences_the_type_checker_says_why() -> None:
    silenced = [
        f"{path}:{number}"
        for path in PYTHON
        if path.parts[0] not in {"tests", "docs"}
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if (found := SILENCED.search(line)) and not found["why"].strip(" #")
    ]
    assert silenced == []


def test_no_room_is_called_by_a_name_that_says_nothing() -> None:
    named = {path for path in own_files() if path.stem in EMPTY_NAMES or path.parent.name in EMPTY_NAMES}
    assert named == set()


def test_functions_take_keywords_as_soon_as_there_are_two_arguments() -> None:
    """Methods, hooks and the entries of the catalogue follow the shape that their callers give them."""
    loose = [
        f"{path}:{node.lineno} {node.name}"
        for path in PYTHON
        if path.parts[0] in OURS and path.parts[1] not in {"pages", "payloads", "tools"}
        for node in ast.parse(text_of(path)).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if len(node.args.posonlyargs) + len(node.args.args) > 2 and not _is_called_by_a_framework(node)
    ]
    assert loose == []


def _is_called_by_a_framework(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return bool(node.decorator_list) or arguments[0].arg in {"request", "context", "sender"}
