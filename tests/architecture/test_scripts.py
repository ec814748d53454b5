"""Scripts import each other by paths that exist, one way only."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.architecture.tree import own_files, text_of

COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
IMPORT = re.compile(r"""^\s*(?:import|export)\b[^"';]*?["']([^"']+)["']""", re.MULTILINE)
FETCHED = re.compile(r"""\bimport\(\s*["'](\.[^"']+)["']\s*\)""")
UNFINISHED = re.compile(r"""^\s*(?:import|export)\b[^"';]*?\bfrom\s*["'][^"']+["'](?!\s*;)""", re.MULTILINE)


def scripts() -> dict[str, str]:
    """Path → text without comments, of every script that a page may load."""
    return {str(path): COMMENT.sub("", text_of(path)) for path in own_files(".js") if path.parts[0] == "static"}


def imports() -> dict[str, list[str]]:
    """Path → what it imports, at once or later."""
    return {
        path: [
            os.path.normpath(Path(path).parent / target)
            for target in [*IMPORT.findall(text), *FETCHED.findall(text)]
            if target[0] == "."
        ]
        for path, text in scripts().items()
    }


def test_imports_of_scripts_run_one_way() -> None:
    """Also those that are fetched later: what names each other could have no name that changes with its content."""
    graph = imports()
    circles = []

    def walk(path: str, trail: tuple[str, ...]) -> None:
        if path in trail:
            circles.append(" → ".join([*trail[trail.index(path) :], path]))
            return
        if path in done:
            return
        for target in graph.get(path, []):
            walk(target, (*trail, path))
        done.add(path)

    done: set[str] = set()
    for path in graph:
        walk(path, ())
    assert circles == []


def test_an_import_of_a_script_ends_with_its_semicolon() -> None:
    """Without it, the collected file would keep the plain name, and a browser an old copy."""
    found = [(path, match[0].strip()) for path, text in scripts().items() for match in UNFINISHED.finditer(text)]
    unfinished = [f"{path}: {text}" for path, text in found]
    assert unfinished == []


def test_no_text_of_a_script_goes_over_more_than_one_line() -> None:
    """What stands before a line is not sent to browsers: in a text it would be missing."""
    found = [
        f"{path}: {line.strip()}"
        for path, text in scripts().items()
        for line in text.splitlines()
        if line.count("`") % 2 or line.endswith("\\")
    ]
    assert found == []
