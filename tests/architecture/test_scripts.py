"""Imports of scripts: no cycles, and written so that collected files get hashed names."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.architecture.tree import own_files, text_of
from tests.engine_without_tables.words import WORDS_OF_TABLES

COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
IMPORT = re.compile(r"""^\s*(?:import|export)\b[^"';]*?["']([^"']+)["']""", re.MULTILINE)
DYNAMIC_IMPORT = re.compile(r"""\bimport\(\s*["'](\.[^"']+)["']\s*\)""")
ELEMENTS = re.compile(r"""["'](?:table|thead|tbody)["']|\brows: "\d+\"""")
UNFINISHED = re.compile(r"""^\s*(?:import|export)\b[^"';]*?\bfrom\s*["'][^"']+["'](?!\s*;)""", re.MULTILINE)


def scripts() -> dict[str, str]:
    """Return the text without comments of every script that a page may load, by path."""
    return {str(path): COMMENT.sub("", text_of(path)) for path in own_files(".js") if path.parts[0] == "static"}


def imports() -> dict[str, list[str]]:
    """Return the static and dynamic imports of every script, by path."""
    return {
        path: [
            os.path.normpath(Path(path).parent / target)
            for target in [*IMPORT.findall(text), *DYNAMIC_IMPORT.findall(text)]
            if target[0] == "."
        ]
        for path, text in scripts().items()
    }


def test_scripts_have_no_import_cycles() -> None:
    """Dynamic imports neither: files in a cycle cannot have names that are hashes of their contents."""
    graph = imports()
    cycles = []

    def walk(path: str, trail: tuple[str, ...]) -> None:
        if path in trail:
            cycles.append(" → ".join([*trail[trail.index(path) :], path]))
            return
        if path in done:
            return
        for target in graph.get(path, []):
            walk(target, (*trail, path))
        done.add(path)

    done: set[str] = set()
    for path in graph:
        walk(path, ())
    assert cycles == []


def test_imports_end_with_a_semicolon() -> None:
    """Without it, the collected file would import the name without a hash, and browsers would use old copies."""
    found = [(path, match[0].strip()) for path, text in scripts().items() for match in UNFINISHED.finditer(text)]
    unfinished = [f"{path}: {text}" for path, text in found]
    assert unfinished == []


def test_no_literal_spans_several_lines() -> None:
    """Indentation is removed from collected scripts, also inside of literals."""
    found = [
        f"{path}: {line.strip()}"
        for path, text in scripts().items()
        for line in text.splitlines()
        if line.count("`") % 2 or line.endswith("\\")
    ]
    assert found == []


def test_scripts_of_the_chat_know_no_tables() -> None:
    """Except for those of pages, payload types and tools, which are in folders of their own."""
    texts = {path: text_of(path) for path in own_files(".js") if path.parent == Path("static/chat")}
    words = {str(path): WORDS_OF_TABLES.findall(ELEMENTS.sub("", text)) for path, text in texts.items()}
    assert {path: found for path, found in words.items() if found} == {}
