"""Files of the project, without generated files and files of other projects."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXCLUDED = {".git", ".venv", ".hypothesis", "var", "node_modules", "__pycache__", "vendor", "migrations", "languages"}

# Fields of statements, and of the handlers and cases in them, that have statements.
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


def own_files(*suffixes: str) -> Iterator[Path]:
    """Yield files whose names end with one of `suffixes` (all without suffixes), relative to the project's root."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in EXCLUDED and not name.endswith("_cache"))
        for name in sorted(names):
            if not suffixes or name.endswith(suffixes):
                yield (Path(folder) / name).relative_to(ROOT)


@cache
def text_of(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


@cache
def module_of(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file. Several rules read each one, and parsing all takes seconds."""
    return ast.parse(text_of(path))


def statements_of(path: Path) -> Iterator[ast.stmt]:
    """Yield all statements of a Python file, also nested ones. `ast.walk` also visits all expressions: seconds."""
    found: list[Any] = list(module_of(path).body)
    while found:
        node = found.pop()
        if isinstance(node, ast.stmt):
            yield node
        for name in BLOCKS:
            found += getattr(node, name, ())
